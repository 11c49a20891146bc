// Trees of tiles: { name, kind, bytes, children, parent, key, color, indices }. A kernel has a hundred
// thousand: children are made when they are first looked at (childrenOf).

const mostChildren = 240;  // tiles side by side; there is no room for more to be told apart
const plural = { struct: "structs", union: "unions", enum: "enums", typedef: "typedefs", symbol: "symbols",
  function: "functions", prototype: "prototypes", variable: "variables", integer: "integers", access: "accesses" };

// `children` is an array, or a function that makes one.
function makeTile(name, kind, children, bytes, more = {}) {
  return { name: name.trim() || "(no name)", kind, bytes, children, parent: null, ...more };
}

const leafOf = index => makeTile(nodes[index].name, nodes[index].kind, [], nodes[index].bytes,
  { index, indices: [index], color: colorOf(nodes[index]) });

// A group of leaves or groups. It has the color of its bytes if they have one.
function groupOf(name, kind, children, indices, more = {}) {
  const all = new Set(indices.filter(index => nodes[index].bytes).map(index => colorOf(nodes[index])));
  return makeTile(name, kind, children, indices.reduce((bytes, index) => bytes + nodes[index].bytes, 0),
    { indices, color: all.size === 1 ? [...all][0] : "mixed", ...more });
}

// Tiles that are put together.
function together(name, key, tiles) {
  const all = new Set(tiles.map(tile => tile.color));
  return makeTile(name, "group", tiles, sum(tiles), { key, color: all.size === 1 ? [...all][0] : "mixed" });
}

// The nodes that a tile is of.
const indicesOf = tile => tile.indices ??=
  [...new Set([...tilesBelow(tile)].map(below => below.index).filter(index => index !== undefined))];

// "tcp" of tcp_sendmsg and __tcp_push: in a kernel, that is mostly a subject.
const firstWord = tile => tile.name.startsWith("(") ? tile.name : /^[^a-z0-9]*([a-z0-9]+)/i.exec(tile.name)?.[1].toLowerCase() ?? "";

// Where there are too many, those of a kind go together; then, of very many, those with the same first
// word; else all but the largest.
function fold(tiles) {
  if (tiles.length <= mostChildren) return tiles;
  const kinds = groupBy(tiles, tile => tile.kind);
  if (kinds.size > 1)
    return [...kinds].map(([kind, same]) => same.length === 1 ? same[0] : together(plural[kind] ?? kind, kind, same));
  const words = tiles.length > 4 * mostChildren ? groupBy(tiles, firstWord) : [];
  const groups = words.size > 1
    ? [...words].map(([word, same]) => same.length === 1 ? same[0] : together(word.startsWith("(") ? word : `${word}\u2026`, word, same)) : tiles;
  const sorted = groups.sort(bySize);
  if (sorted.length <= mostChildren) return sorted;
  const rest = sorted.splice(mostChildren - 1).flatMap(tile => tile.kind === "group" ? tile.children : [tile]);
  return [...sorted, together(`${count(rest.length)} more`, "more", rest)];
}

// Makes and folds the children of a tile when they are first looked at. A key is unique among them.
function childrenOf(tile) {
  if (tile.isFolded) return tile.children;
  const made = typeof tile.children === "function" ? tile.children() : tile.children;
  tile.children = fold(made).sort(bySize);
  tile.isFolded = true;
  const keys = new Map();
  for (const child of tile.children) {
    child.parent = tile;
    child.key ??= child.name;
    const twins = keys.get(child.key) ?? 0;
    keys.set(child.key, twins + 1);
    if (twins) child.key += ` ~${twins + 1}`;
  }
  return tile.children;
}

function pathTo(tile) {
  const path = [];
  for (let at = tile; at; at = at.parent) path.unshift(at);
  return path;
}

// All tiles below one, those that are folded away among them.
function* tilesBelow(tile) {
  const pending = [tile];
  while (pending.length) {
    const next = pending.pop();
    for (const child of childrenOf(next)) pending.push(child);
    if (next.kind !== "group" && next.parent) yield next;
  }
}

// ---- the views

const ofNode = (levels, indices) => {
  if (!levels.length) return indices.map(leafOf);
  const [level, ...deeper] = levels;
  return [...groupBy(indices, index => level.keyOf(nodes[index]))].map(([key, same]) => {
    const name = level.nameOf?.(key) ?? String(key);
    if (same.length === 1 && nodes[same[0]].name === name) return leafOf(same[0]);
    return groupOf(name, level.kind, () => ofNode(deeper, same), same, { key: String(key) });
  });
};

const byShare = { kind: "category", keyOf: shareOf };
const bySection = { kind: "section", keyOf: node => node.section };
const byInput = { kind: "file", keyOf: node => report.inputs[node.input]?.name ?? "(no one file)", nameOf: fileName };
const byProgram = { kind: "program", keyOf: node => node.program ?? "none", nameOf: program =>
  program === "none" ? "(no program)" : program === 0 ? "(several programs)" : nodes[program]?.name ?? "(unknown)" };

// What brings in what: below each tile, what would go with it. What none or several bring stands together.
function originTiles() {
  const tileOf = index => {
    const below = dominated()[index];
    if (!below.length) return leafOf(index);
    const itself = { ...leafOf(index), name: "(itself)", kind: "itself" };
    return makeTile(nodes[index].name, nodes[index].kind, () => [itself, ...below.map(tileOf)], bringsOf(index),
      { index, color: colorOf(nodes[index]) });
  };
  const [roots, rest] = [[], []];
  for (const index of dominated()[0]) (nodes[index].root ? roots : rest).push(index);
  const groups = groupBy(rest, index => `${categoryOfKind.get(nodes[index].kind)}${nodes[index].needed_by ? " that several bring" : ""}`);
  return [...roots.map(tileOf), ...[...groups].map(([name, same]) => same.length === 1 ? tileOf(same[0])
    : together(name, name, same.map(tileOf)))];
}

function droppedTiles(parts) {
  const leaf = (part, name, kind) => makeTile(name, kind, [], part.bytes,
    { part, color: colorOfSection.get(part.section) ?? "other" });
  return [...groupBy(parts, part => part.reason)].map(([reason, same]) => {
    const files = [...groupBy(same, part => part.file)].map(([file, all]) => all.length === 1 && !all[0].name
      ? leaf(all[0], fileName(file), "file")
      : together(fileName(file), file, all.map(part => leaf(part, part.name ?? part.section ?? "DWARF", part.name ? "definition" : "section"))));
    for (const tile of files) tile.kind = "file";
    return Object.assign(together(reason, reason, files), { kind: "reason" });
  });
}

const allNodes = nodes.slice(1).map((node, i) => i + 1);
const view = (title, levels) => ({ title, tree: once(() =>
  makeTile(report.output.name, "output", () => ofNode(levels, allNodes), report.output.bytes, { indices: allNodes, color: "mixed" })) });

// The views that make sense of this report.
const views = {};
if (report.sections.length > 1) views.section = view("Section", [bySection]);
if (report.inputs.length > 1) views.file = view("Input file", [byInput, byShare]);
if (report.programs?.length) views.program = view("Program", [byProgram, byShare]);
if (!views.section) views.kind = view("Kind", [byShare]);
if (nodes.some(node => node.dominator || node.brings > node.bytes))
  views.origin = { title: "Origin", tree: once(() =>
    makeTile(report.output.name, "output", originTiles, report.output.bytes, { indices: allNodes, color: "mixed" })) };

const isDwarf = part => part.reason === "DWARF";
const droppedTree = parts => once(() => makeTile("Dropped", "output", () => droppedTiles(parts), sum(parts), { color: "mixed" }));
const allDropped = droppedTree(report.dropped), droppedButDwarf = droppedTree(report.dropped.filter(part => !isDwarf(part)));
if (report.dropped.length) views.dropped = { title: "Dropped", tree: () => state.dwarf ? allDropped() : droppedButDwarf() };

// ---- layout

// Squarified: rows along the shorter side, each as long as its tiles get more like squares by it.
// Calls place(tile, x, y, width, height).
function squarify(tiles, x, y, width, height, place) {
  let left = sum(tiles);
  for (let i = 0; i < tiles.length && width > 0 && height > 0;) {
    const scale = width * height / left, side = Math.min(width, height);
    const worst = (bytes, least, most) => {
      const thickness = bytes * scale / side;
      return Math.max(most * scale / thickness ** 2, thickness ** 2 / (least * scale));
    };
    let end = i + 1, bytes = tiles[i].bytes;
    while (end < tiles.length &&
           worst(bytes + tiles[end].bytes, tiles[end].bytes, tiles[i].bytes) <=
           worst(bytes, tiles[end - 1].bytes, tiles[i].bytes))
      bytes += tiles[end++].bytes;
    const thickness = bytes * scale / side;
    let along = 0;
    for (; i < end; ++i) {
      const length = side * tiles[i].bytes / bytes;
      if (width >= height) place(tiles[i], x, y + along, thickness, length);
      else place(tiles[i], x + along, y, length, thickness);
      along += length;
    }
    if (width >= height) { x += thickness; width -= thickness; }
    else { y += thickness; height -= thickness; }
    left -= bytes;
  }
}
