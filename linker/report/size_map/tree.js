// Trees of tiles: { name, kind, bytes, children, parent, key, color, indices }. A kernel has a hundred
// thousand tiles, so children are created on first use (childrenOf).

const mostChildren = 100;  // tiles side by side; more would be too small to distinguish
const mostLargest = 40;    // of these, if the rest is grouped
const plural = { struct: "structs", union: "unions", enum: "enums", typedef: "typedefs", symbol: "symbols",
  function: "functions", prototype: "prototypes", variable: "variables", integer: "integers", access: "accesses" };

// `children` is an array, or a function that returns one.
function makeTile(name, kind, children, bytes, more = {}) {
  return { name: name.trim() || "(no name)", kind, bytes, children, parent: null, ...more };
}

const leafOf = index => makeTile(nodes[index].name, nodes[index].kind, [], nodes[index].bytes,
  { index, indices: [index], color: colorOf(nodes[index]) });

// A group of leaves or groups. It has the color of its nodes if they all have the same.
function groupOf(name, kind, children, indices, more = {}) {
  const all = new Set(indices.filter(index => nodes[index].bytes).map(index => colorOf(nodes[index])));
  return makeTile(name, kind, children, indices.reduce((bytes, index) => bytes + nodes[index].bytes, 0),
    { indices, color: all.size === 1 ? [...all][0] : "mixed", ...more });
}

// A group of tiles.
function together(name, key, tiles) {
  const all = new Set(tiles.map(tile => tile.color));
  return makeTile(name, "group", tiles, sum(tiles), { key, color: all.size === 1 ? [...all][0] : "mixed" });
}

// The nodes of a tile.
const indicesOf = tile => tile.indices ??=
  [...new Set([...tilesBelow(tile)].map(below => below.index).filter(index => index !== undefined))];

// "tcp*" for tcp_sendmsg and __tcp_push: in a kernel, this is mostly the subsystem.
function firstWord(tile) {
  if (tile.name.startsWith("(")) return tile.name;
  return `${/^[^a-z0-9]*([a-z0-9]*)/i.exec(tile.name)[1].toLowerCase()}*`;
}

// Groups by the alphabet: "acpi to bio".
function rangesOf(tiles) {
  const sorted = [...tiles].sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  const size = Math.ceil(sorted.length / Math.ceil(sorted.length / mostChildren));
  const word = tile => short(tile.name.replace(/\*?( \([^)]*\))?$/, ""), 16);
  const ranges = [];
  for (let i = 0; i < sorted.length; i += size) {
    const part = sorted.slice(i, i + size), [from, to] = [part[0], part[part.length - 1]].map(word);
    ranges.push(together(from === to ? from : `${from} to ${to}`, `range ${ranges.length + 1}`, part));
  }
  return ranges;
}

// Groups tiles if there are too many: by kind; if all have the same kind, by their first word; and if
// that is not enough, all but the largest by the alphabet.
function fold(tiles) {
  if (tiles.length <= mostChildren) return tiles;
  const kinds = groupBy(tiles, tile => tile.kind);
  if (kinds.size > 1)
    return [...kinds].map(([kind, same]) => same.length === 1 ? same[0] : together(plural[kind] ?? kind, kind, same));
  const words = groupBy(tiles, firstWord);
  const groups = words.size > 1
    ? [...words].map(([word, same]) => same.length === 1 ? same[0] : together(word, word, same)) : tiles;
  const sorted = groups.sort(bySize);
  if (sorted.length <= mostChildren) return sorted;
  return [...sorted.slice(0, mostLargest), ...rangesOf(sorted.slice(mostLargest))];
}

// Creates and groups the children of a tile on first use. Makes their keys unique.
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

// All tiles below one, including those in groups.
function* tilesBelow(tile) {
  const pending = [tile];
  while (pending.length) {
    const next = pending.pop();
    for (const child of childrenOf(next)) pending.push(child);
    if (next.kind !== "group" && next.parent) yield next;
  }
}

// Squarified treemap: fills the area with rows along its shorter side. A row gets further tiles as long
// as its worst tile becomes more like a square. Calls place(tile, x, y, width, height).
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
