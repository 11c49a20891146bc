// The top of the page: what the bytes are, the largest cost and who brings it, what can be saved.

// The node for which most bytes are there; of a chain of such, the last that still has most of them.
function largestCost() {
  let largest = 0;
  for (;;) {
    let next = 0;
    for (const index of dominated()[largest]) if (!next || bringsOf(index) > bringsOf(next)) next = index;
    if (!next || (largest && bringsOf(next) < 0.6 * bringsOf(largest))) return largest;
    largest = next;
  }
}

function tellLargest() {
  const index = largestCost();
  if (!index) return [];
  const bytes = bringsOf(index), by = broughtBy(index);
  return ["Largest: ", linkTo(index, short(describe(nodes[index]), 80)),
    `, ${inBytes(bytes)} with all that it brings (${percent(bytes, report.output.bytes)})${by ? `, brought in by ${by}` : ""}`];
}

function tellDifference() {
  const { name, bytes } = report.against, more = report.output.bytes - bytes;
  const grew = report.against.changes.filter(change => change.after > change.before).length;
  return [`Against ${short(name)}: ${more === 0 ? "as many bytes" : `${inBytes(Math.abs(more))} ${more > 0 ? "more" : "fewer"} (${percent(Math.abs(more), bytes)})`}; ` +
    `${countOf(grew, "thing")} grew, ${count(report.against.changes.length - grew)} shrank`];
}

const mostShares = 3;  // in the sentence

function showSummary() {
  const { name, bytes } = report.output;
  document.title = `${short(name)}: size map`;
  document.getElementById("title").textContent = short(name, 400);
  const words = ["programs", "maps", "variables"].filter(key => report[key]?.length)
    .map(key => countOf(report[key].length, key.slice(0, -1)));
  const main = shares.slice(0, mostShares).map(share => `${share.name} ${percent(share.bytes, bytes)}`);
  const rest = sum(shares.slice(mostShares));
  if (rest) main.push(`all else ${percent(rest, bytes)}`);
  document.getElementById("figures").append(element("span", {}, element("strong", { textContent: inBytes(bytes) }), `: ${main.join(", ")}`),
    element("small", { textContent: words.join(" \u00b7 ") }));

  const bar = document.getElementById("shares"), shown = shares.filter(share => share.bytes > 0);
  bar.setAttribute("aria-label", main.join(", "));
  for (const share of shown) {
    const piece = element("span", { className: className(share.color), title: `${share.name}: ${inBytes(share.bytes)}, ${percent(share.bytes, bytes)}` });
    piece.style.flexGrow = share.bytes;
    bar.append(piece);
  }
  document.getElementById("legend").append(...shown.map(share => element("li", {}, chip(share.color),
    `${share.name} `, element("small", { textContent: `${count(share.bytes)} \u00b7 ${percent(share.bytes, bytes)}` }))));

  const points = report.savings?.map(saving => ["Can be saved: ", `${inBytes(saving.bytes)} (${percent(saving.bytes, bytes)}) with `,
    element("code", { textContent: saving.option }), `, which drops ${saving.what}`]) ?? [];
  const all = [tellLargest(), ...points, ...report.against ? [tellDifference()] : []].filter(parts => parts.length);
  document.getElementById("summary").append(...all.map(parts => element("li", {}, ...parts)));
}
