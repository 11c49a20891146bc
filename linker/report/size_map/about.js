// The text beside the map: a description of a tile, who brings it in, and what it brings.

const about = document.getElementById("about");
const mostListed = 8;  // before a click on "all"

// Goes to a node in the current view, or from the view of dropped contents in the first view.
function goTo(index) {
  if (state.view === "dropped") setView(Object.keys(views)[0], false);
  const tree = views[state.view].tree();
  tree.places ??= new Map([...tilesBelow(tree)].filter(tile => tile.kind !== "itself")
    .map(tile => [tile.index, tile]));
  const tile = tree.places.get(index);
  if (tile) show(tile);
}

function linkTo(index, text) {
  const button = element("button", { type: "button", className: "link", textContent: text });
  button.onclick = () => goTo(index);
  return button;
}

// Line records and symbols have the name of their function; for these, the kind follows.
function nameNode(index) {
  const node = nodes[index];
  const isAlike = ["source lines", "relocations", "symbols", "other"].includes(categoryOfKind.get(node.kind));
  const needsKind = isAlike && node.kind !== "source line" && !node.name.startsWith("(");
  return short(describe(node), 80) + (needsKind ? `, ${node.kind}` : "");
}

const chip = color => element("span", { className: `chip ${className(color)}` });
const line = (...words) => element("p", {}, ...words);

const ownBytes = index => nodes[index].bytes;

// A list of nodes with figures, the largest first.
function listNodes(title, indices, bytesOf) {
  if (!indices.length) return [];
  const sorted = [...indices].sort((a, b) => bytesOf(b) - bytesOf(a));
  const list = element("ul", { className: "figures" });
  const fill = most => {
    list.replaceChildren(...sorted.slice(0, most).map(index => element("li", {},
      chip(colorOf(nodes[index])), linkTo(index, nameNode(index)), element("span", { textContent: count(bytesOf(index)) }))));
    if (sorted.length <= most) return;
    const more = element("button",
      { type: "button", className: "link", textContent: `${count(sorted.length - most)} more` });
    more.onclick = () => fill(most + 500);
    list.append(element("li", {}, more));
  };
  fill(mostListed);
  return [element("h3", { textContent: title }), list];
}

function listChain(index) {
  const steps = chainOf(index);
  if (steps.length < 2) return [];
  const items = steps.map(({ text, index: at }) => element("li", {}, at === undefined || at === index
    ? element("span", { textContent: short(text, 80) }) : linkTo(at, short(text, 80))));
  return [element("h3", { textContent: "Who brings it in" }), element("ol", { className: "chain" }, ...items)];
}

function tellProgram(node) {
  if (node.program === undefined || node.kind === "program") return [];
  const program = nodes[node.program];
  if (!node.program || !program) return [line("Several programs reach it.")];
  return [line("Only ", linkTo(node.program, `program ${short(program.name, 80)}`), " reaches it.")];
}

function aboutNode(tile) {
  const { index } = tile, node = nodes[index], total = report.output.bytes;
  const input = report.inputs.length > 1 ? report.inputs[node.input]?.name : undefined;
  const share = bytes => `${inBytes(bytes)}, ${percent(bytes, total)}`;
  return [
    line(chip(colorOf(node)), `${node.kind} in ${short(node.section)}`, input ? `, from ${shortPath(fileName(input))}` : ""),
    line(`${share(node.bytes)}; with all that it brings ${share(bringsOf(index))}`),
    ...tellProgram(node), ...listChain(index),
    ...listNodes("What it brings", dominated()[index], bringsOf),
    ...listNodes("Refers to", (node.uses ?? []).filter(one => isIndex(one, 1)), ownBytes),
    ...listNodes("Referred to by", users()[index], ownBytes),
  ];
}

function aboutGroup(tile) {
  const indices = indicesOf(tile), bytesOf = list => list.reduce((bytes, index) => bytes + nodes[index].bytes, 0);
  const parts = [...groupBy(indices, index => shareOf(nodes[index]))]
    .map(([name, same]) => ({ name, bytes: bytesOf(same) })).sort(bySize);
  const items = parts.map(({ name, bytes }) => element("li", {}, chip(colorOfShare.get(name) ?? "other"),
    element("span", { textContent: name }), element("span", { textContent: percent(bytes, bytesOf(indices)) })));
  return [
    line(`${inBytes(tile.bytes)}, ${percent(tile.bytes, wholeOf(tile))}`),
    ...tile.parent ? [element("ul", { className: "figures" }, ...items)] : [],  // the top of the page has the output's
    ...listNodes("Largest", indices.filter(isSingle), ownBytes),
  ];
}

function aboutDropped(tile) {
  const { part } = tile;
  const words = [line(`${inBytes(tile.bytes)}, ${percent(tile.bytes, wholeOf(tile))} of what was dropped`)];
  if (!part) return words;
  return [...words, line(`Why: ${short(part.reason)}`),
    line(`From ${short(part.file, 400)}${part.section ? `, section ${short(part.section)}` : ""}`)];
}

function showAbout(tile) {
  const isNode = tile.index !== undefined;
  const title = isNode ? describe(nodes[tile.index]) : tile.kind === "file" ? tile.key : tile.name;
  const words = state.view === "dropped" ? aboutDropped(tile) : isNode ? aboutNode(tile) : aboutGroup(tile);
  about.replaceChildren(element("h2", { textContent: title }), ...words);
}
