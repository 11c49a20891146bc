// What stands beside the map: what a tile is, who brings it in, and what it brings.

const about = document.getElementById("about");
const mostListed = 8;  // before a click on "all"

// Goes to a node in the view that is shown, or in the first.
function goTo(index) {
  if (state.view === "dropped") setView(Object.keys(views)[0], false);
  const tree = views[state.view].tree();
  tree.places ??= new Map([...tilesBelow(tree)].filter(tile => tile.kind !== "itself").map(tile => [tile.index, tile]));
  const tile = tree.places.get(index);
  if (tile) show(tile);
}

function linkTo(index, text) {
  const button = element("button", { type: "button", className: "link", textContent: text });
  button.onclick = () => goTo(index);
  return button;
}

// A line of records or a symbol has the name of its function.
function nameNode(index) {
  const node = nodes[index];
  const isAlike = ["source lines", "relocations", "symbols", "other"].includes(categoryOfKind.get(node.kind));
  return `${short(describe(node), 80)}${isAlike && node.kind !== "source line" && !node.name.startsWith("(") ? `, ${node.kind}` : ""}`;
}

const chip = color => element("span", { className: `chip ${className(color)}` });
const line = (...words) => element("p", {}, ...words);

// A list of nodes with figures, the largest first.
function listNodes(title, indices, figure, order = bringsOf) {
  if (!indices.length) return [];
  const sorted = [...indices].sort((a, b) => order(b) - order(a));
  const list = element("ul", { className: "figures" });
  const fill = most => list.replaceChildren(...sorted.slice(0, most).map(index => element("li", {},
    chip(colorOf(nodes[index])), linkTo(index, nameNode(index)), element("span", { textContent: figure(index) }))));
  fill(mostListed);
  if (sorted.length > mostListed) {
    const more = element("button", { type: "button", className: "link", textContent: `all ${count(sorted.length)}` });
    more.onclick = () => fill(500);
    list.append(element("li", {}, more));
  }
  return [element("h3", { textContent: title }), list];
}

function listChain(index) {
  const steps = chainOf(index);
  if (steps.length < 2) return [];
  return [element("h3", { textContent: "Who brings it in" }),
    element("ol", { className: "chain" }, ...steps.map(step => element("li", {}, step.index === undefined || step.index === index
      ? element("span", { textContent: short(step.text, 80) }) : linkTo(step.index, short(step.text, 80)))))];
}

function tellProgram(node) {
  if (node.program === undefined || node.kind === "program") return [];
  const program = nodes[node.program];
  if (!node.program || !program) return [line("Several programs reach it.")];
  return [line("Only ", linkTo(node.program, `program ${short(program.name, 80)}`), " reaches it.")];
}

function tellChange(tile) {
  if (!report.against) return [];
  const { grown, color } = changeOfTile(tile);
  if (!grown && color === "same") return [line(`The same size as in ${short(report.against.name)}.`)];
  return [line(chip(color), `${signed(grown)} bytes since ${short(report.against.name)}${color === "new" ? ", which has nothing of it" : ""}.`)];
}

function aboutNode(tile) {
  const { index } = tile;
  const node = nodes[index], brought = dominated()[index], total = report.output.bytes;
  const input = report.inputs[node.input]?.name;
  const bytes = one => count(nodes[one].bytes);
  return [
    line(chip(colorOf(node)), `${node.kind} in ${short(node.section)}${input && report.inputs.length > 1 ? `, from ${shortPath(fileName(input))}` : ""}`),
    line(`${inBytes(node.bytes)}, ${percent(node.bytes, total)}; with all that it brings ${inBytes(bringsOf(index))}, ${percent(bringsOf(index), total)}`),
    ...tellChange(tile), ...tellProgram(node), ...listChain(index),
    ...listNodes("What it brings", brought, one => count(bringsOf(one))),
    ...listNodes("Refers to", (node.uses ?? []).filter(one => isIndex(one, 1)), bytes),
    ...listNodes("Referred to by", users()[index], bytes),
  ];
}

function aboutGroup(tile) {
  const indices = indicesOf(tile), whole = indices.reduce((bytes, index) => bytes + nodes[index].bytes, 0);
  const colored = [...groupBy(indices, index => shareOf(nodes[index]))]
    .map(([name, same]) => ({ name, bytes: same.reduce((bytes, index) => bytes + nodes[index].bytes, 0) })).sort(bySize);
  return [
    line(`${inBytes(tile.bytes)}, ${percent(tile.bytes, wholeOf(tile))}`),
    ...tellChange(tile),
    ...tile.parent ? [element("ul", { className: "figures" }, ...colored.map(share => element("li", {}, chip(colorOfShare.get(share.name) ?? "other"),
      element("span", { textContent: share.name }), element("span", { textContent: percent(share.bytes, whole) }))))] : [],
    ...listNodes("Largest", indices, index => count(nodes[index].bytes), index => nodes[index].bytes),
  ];
}

function aboutDropped(tile) {
  const { part } = tile;
  const words = [line(`${inBytes(tile.bytes)}, ${percent(tile.bytes, wholeOf(tile))} of what was dropped`)];
  if (!part) return words;
  return [...words, line(`Why: ${short(part.reason)}`), line(`From ${short(part.file, 400)}${part.section ? `, section ${short(part.section)}` : ""}`)];
}

function showAbout(tile) {
  about.replaceChildren(element("h2", { textContent: tile.index === undefined ? tile.name : describe(nodes[tile.index]) }),
    ...state.view === "dropped" ? aboutDropped(tile) : tile.index === undefined ? aboutGroup(tile) : aboutNode(tile));
}
