// The top of the page: shares of the output, the largest cost and who brings it in, possible savings.

// The node that brings the most bytes. If most of these come from one that it dominates, that one.
function largestCost() {
  let largest = 0;
  for (;;) {
    let next = 0;
    for (const index of dominated()[largest].filter(isSingle))
      if (!next || bringsOf(index) > bringsOf(next)) next = index;
    if (!next || (largest && bringsOf(next) < 0.6 * bringsOf(largest))) return largest;
    largest = next;
  }
}

function tellLargest() {
  const index = largestCost();
  if (!index) return [];
  const bytes = bringsOf(index), by = broughtBy(index);
  return [["Largest: ", linkTo(index, short(describe(nodes[index]), 80)),
    `, ${inBytes(bytes)} with all that it brings (${percent(bytes, report.output.bytes)})`, by && `, brought in by ${by}`]];
}

function tellSavings() {
  const savings = report.savings ?? [], all = sum(savings), code = text => element("code", { textContent: text });
  const parts = savings.flatMap(({ option, what, bytes }, i) =>
    [i ? ", " : "", `${count(bytes)} with `, code(option), ` (${what})`]);
  if (!savings.length) return [];
  const whole = `Can be saved: about ${inBytes(all)} (${percent(all, report.output.bytes)})`;
  return [savings.length > 1 ? [whole, " with ", code("--shrink"), ": ", ...parts] : [whole, ": ", ...parts]];
}

function tellFolded() {
  const all = nodes.reduce((all, node) => all + (node.folded ?? 0), 0);
  return all ? [[`The ${count(all)} smallest are shown together, by kind and the first word of their names.`]] : [];
}

const mostShares = 3;  // in the sentence

function showSummary() {
  const { name, bytes } = report.output;
  const shareOfAll = part => percent(part, bytes);
  document.title = `${short(name)}: size map`;
  document.getElementById("title").textContent = short(name, 400);
  const words = ["programs", "maps", "variables"].filter(key => report[key]?.length)
    .map(key => countOf(report[key].length, key.slice(0, -1)));
  const main = shares.slice(0, mostShares).map(share => `${share.name} ${shareOfAll(share.bytes)}`);
  const rest = sum(shares.slice(mostShares));
  if (rest) main.push(`all else ${shareOfAll(rest)}`);
  document.getElementById("figures").append(
    element("span", {}, element("strong", { textContent: inBytes(bytes) }), `: ${main.join(", ")}`),
    element("small", { textContent: words.join(" \u00b7 ") }));

  const bar = document.getElementById("shares"), legend = document.getElementById("legend");
  bar.setAttribute("aria-label", main.join(", "));
  for (const share of shares.filter(share => share.bytes > 0)) {
    const title = `${share.name}: ${inBytes(share.bytes)}, ${shareOfAll(share.bytes)}`;
    const piece = element("span", { className: className(share.color), title });
    piece.style.flexGrow = share.bytes;
    bar.append(piece);
    const figures = element("small", { textContent: `${count(share.bytes)} \u00b7 ${shareOfAll(share.bytes)}` });
    legend.append(element("li", {}, chip(share.color), `${share.name} `, figures));
  }
  document.getElementById("summary").append(
    ...[...tellLargest(), ...tellFolded(), ...tellSavings()].map(parts => element("li", {}, ...parts)));
}
