// The report, and how to describe it in words. Names may contain any characters. Control characters
// and those that change the direction of text are replaced. Text is never inserted as HTML.

const unsafe = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
const report = JSON.parse(document.getElementById("report").textContent,
  (key, value) => typeof value === "string" ? value.replace(unsafe, "\ufffd") : value);
const nodes = report.nodes;  // nodes[0] is the whole output
for (const node of nodes) node.section ??= report.sections[0]?.name ?? "";
// Nodes that stand for many small ones, or for what has no name.
const isSingle = index => !nodes[index].folded && !nodes[index].name.startsWith("(");

const inBytes = bytes => countOf(bytes, "byte");
const sum = list => list.reduce((bytes, one) => bytes + one.bytes, 0);
const bySize = (a, b) => b.bytes - a.bytes;

function percent(bytes, whole) {
  if (!whole) return "0 %";
  const share = 100 * bytes / whole;
  // Only the whole is 100 %.
  if (share === 0 || share === 100 || (share >= 10 && share < 99.5)) return `${Math.round(share)} %`;
  return `${share < 0.1 ? "< 0.1" : Math.min(share, 99.9).toFixed(1)} %`;
}

function inMemory(bytes) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.length; ++unit) bytes /= 1024;
  return unit === 0 ? inBytes(bytes) : `${bytes.toFixed(bytes < 10 ? 1 : 0)} ${units[unit]}`;
}

// The beginning of a name. Does not split a character of two code units.
function short(text, most = 160) {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}\u2026`;
}

// The end of a path, which is more useful than its beginning.
function shortPath(text, most = 60) {
  return text.length <= most ? text : `\u2026${text.slice(1 - most).replace(/^[\udc00-\udfff]/, "")}`;
}

// The folders that all paths have in common, with the last slash; "" if there is only one path.
function commonFolder(paths) {
  const [first, ...rest] = new Set(paths);
  if (!rest.length) return "";
  let folder = first.slice(0, first.lastIndexOf("/") + 1);
  for (const path of rest)
    while (!path.startsWith(folder)) folder = folder.slice(0, folder.slice(0, -1).lastIndexOf("/") + 1);
  return folder.length > 1 ? folder : "";
}
const inputFolder = commonFolder([...report.inputs.map(input => input.name), ...report.dropped.map(part => part.file)]);
const sourceFolder = commonFolder(report.lines?.map(line => line.file) ?? []);
const fileName = name => name.startsWith(inputFolder) ? name.slice(inputFolder.length) : name;

function groupBy(list, keyOf) {
  const groups = new Map();
  for (const one of list) {
    const key = keyOf(one);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(one);
  }
  return groups;
}

// ---- categories and their colors

const categoryOfKind = new Map(report.categories.flatMap(category => category.kinds.map(kind => [kind, category.name])));
const isOfTypes = report.categories.every(category => category.name === "types" || category.name === "other");
const colors = ["types", "code", "data", "maps", "source lines", "CO-RE", "relocations", "symbols"];

// The shares of the output: categories or, if it has only types, the largest kinds of types.
function findShares() {
  if (!isOfTypes) return report.categories.map(({ name, bytes }) => ({ name, bytes, color: name }));
  const kinds = [...groupBy(nodes.slice(1), node => node.kind)]
    .map(([name, same]) => ({ name, bytes: sum(same) })).sort(bySize);
  const most = kinds.slice(0, colors.length).map((kind, i) => ({ ...kind, color: colors[i] }));
  const rest = sum(kinds.slice(colors.length));
  return rest ? [...most, { name: "other", bytes: rest, color: "other" }] : most;
}
const shares = findShares();  // [{ name, bytes, color }]
const colorOfShare = new Map(shares.map(share => [share.name, share.color]));
const shareOf = node => {
  const share = isOfTypes ? node.kind : categoryOfKind.get(node.kind);
  return colorOfShare.has(share) ? share : "other";
};
const colorOf = node => colorOfShare.get(shareOf(node)) ?? "other";
const className = color => `of-${color.toLowerCase().replace(/[^a-z]+/g, "-")}`;

// The color of most bytes of a section. Contents that were dropped from it get this color.
const colorOfSection = new Map([...groupBy(nodes.slice(1), node => node.section)].map(([section, all]) =>
  [section, [...groupBy(all, colorOf)].map(([color, same]) => ({ color, bytes: sum(same) })).sort(bySize)[0].color]));

// ---- what brings in what

const isIndex = (index, from = 0) => Number.isInteger(index) && index >= from && index < nodes.length;
const bringsOf = index => nodes[index].brings ?? nodes[index].bytes;

function describe(node) {
  const named = ["program", "map", "struct", "union", "enum", "typedef"];
  return named.includes(node.kind) && !node.name.startsWith("(") ? `${node.kind} ${node.name}` : node.name;
}

// The chain of references that leads to a node: [{ text, index }], without an index for members.
function chainOf(index) {
  const chain = [], seen = new Set();
  for (let at = index; isIndex(at, 1) && !seen.has(at); at = nodes[at].needed_by ?? 0) {
    chain.unshift(at);
    seen.add(at);
  }
  const steps = [];
  let last = null;
  for (const at of chain) {
    const node = nodes[at], isRepeated = node.name === last && at !== index;
    last = node.name;
    if (node.member) steps.push({ text: node.member });
    // A function's declaration, with the same name, follows the function.
    if (isRepeated) continue;
    steps.push({ text: !steps.length && node.root ? `${node.root} ${node.name}` : describe(node), index: at });
  }
  return steps;
}

// The chain without its last step, the node itself.
const broughtBy = index => chainOf(index).slice(0, -1).map(step => short(step.text, 60)).join(" \u2192 ");

// For each node, the nodes whose field refers to it.
function reversed(field) {
  const lists = Array.from(nodes, () => []);
  nodes.forEach((node, index) => {
    const values = field(node);
    for (const other of values) if (index > 0 && isIndex(other) && other !== index) lists[other].push(index);
  });
  return lists;
}
const once = make => {
  let made = null;
  return () => made ??= make();
};
const dominated = once(() => reversed(node => [isIndex(node.dominator) ? node.dominator : 0]));
const users = once(() => reversed(node => node.uses ?? []));
const nodeNamed = once(() => new Map(nodes.map((node, index) => [`${node.kind} ${node.section} ${node.name}`, index])));
