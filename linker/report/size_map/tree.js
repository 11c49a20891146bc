"use strict";
// The report as trees of nodes { name, kind, bytes, children, parent, color }. A kernel has a hundred thousand: children are
// made when they are first looked at (childrenOf).

const mostChildren = 240;  // tiles side by side; there is no room for more to be told apart
const plural = { struct: "structs", union: "unions", enum: "enums", typedef: "typedefs",
  function: "functions", prototype: "prototypes", variable: "variables", integer: "integers" };

const sum = nodes => nodes.reduce((bytes, node) => bytes + node.bytes, 0);
const bySize = (a, b) => b.bytes - a.bytes;

// `children` is an array, or a function that makes one.
function makeNode(name, kind, children, bytes = sum(children)) {
  return { name: name.trim(), kind, bytes, children, parent: null };
}

// Where there are too many, those of a kind go together; else all but the largest.
function fold(children) {
  if (children.length <= mostChildren) return children;
  const kinds = groupBy(children, "kind");
  if (kinds.size > 1)
    return [...kinds].map(([kind, same]) => same.length === 1 ? same[0]
      : makeNode(plural[kind] ?? kind, "group", same));
  // Numbers are sorted much faster than nodes.
  const least = Float64Array.from(children, child => child.bytes).sort().at(1 - mostChildren);
  let room = mostChildren - 1 - children.filter(child => child.bytes > least).length;
  const largest = [], rest = [];
  for (const child of children)
    (child.bytes > least || (child.bytes === least && room-- > 0) ? largest : rest).push(child);
  return [...largest, makeNode(`${count(rest.length)} more`, "group", rest)];
}

function groupBy(list, key) {
  const groups = new Map();
  for (const element of list) {
    if (!groups.has(element[key])) groups.set(element[key], []);
    groups.get(element[key]).push(element);
  }
  return groups;
}

function colorOf(section) {
  if (section.kind !== "section") return "other";
  if (section.name === ".BTF") return "types";
  if (section.name === ".BTF.ext") return "lines";
  if (section.name === ".maps" || section.name === "maps") return "maps";
  if (/^\.(symtab|strtab|rel)/.test(section.name)) return "tables";
  if (/^\.(data|rodata|bss|addr_space|struct_ops|kconfig)|^(license|version)$/.test(section.name)) return "data";
  return section.groups.some(group => group.parts?.some(part => part.kind === "function")) ? "code" : "other";
}

function groupNode(group) {
  const parts = () => group.parts?.map(part => makeNode(part.name, part.kind, [], part.bytes)) ?? [];
  return makeNode(group.name, group.kind, parts, group.bytes);
}

function keptTree(report) {
  const sections = report.sections.map(section => {
    const groups = section.groups.map(groupNode);
    const isOne = groups.length === 1 && groups[0].name === section.name;
    return { ...makeNode(section.name, section.kind, isOne ? [] : groups, section.bytes), color: colorOf(section) };
  });
  return makeNode(report.output.name, "file", sections);
}

function droppedTree(report) {
  const colors = ["code", "types", "data", "lines", "maps", "tables"];
  const reasons = [...groupBy(report.dropped, "reason")].map(([reason, parts], i) => {
    const files = [...groupBy(parts, "file")].map(([file, all]) => all.length === 1 && !all[0].name
      ? makeNode(file, "file", [], all[0].bytes)
      : makeNode(file, "file", all.map(part => makeNode(part.name ?? part.section, "section", [], part.bytes))));
    return { ...makeNode(reason, "reason", files), color: colors[i % colors.length] };
  });
  return makeNode("Dropped", "file", reasons);
}

// Makes and folds the children of a node when they are first looked at, and tells them who their parent is.
function childrenOf(node) {
  if (!node.isFolded) {
    const children = typeof node.children === "function" ? node.children() : node.children;
    node.children = fold(children.filter(child => child.bytes > 0)).sort(bySize);
    node.isFolded = true;
    for (const child of node.children) {
      child.parent = node;
      child.color ??= node.color ?? "other";
    }
  }
  return node.children;
}

const pathTo = node => node.parent ? [...pathTo(node.parent), node] : [node];

// Squarified: rows along the shorter side, each as long as its tiles get more like squares by it.
// Calls place(node, x, y, width, height).
function squarify(nodes, x, y, width, height, place) {
  let left = sum(nodes);
  for (let i = 0; i < nodes.length && width > 0 && height > 0;) {
    const scale = width * height / left, side = Math.min(width, height);
    const worst = (bytes, least, most) => {
      const thickness = bytes * scale / side;
      return Math.max(most * scale / thickness ** 2, thickness ** 2 / (least * scale));
    };
    let end = i + 1, bytes = nodes[i].bytes;
    while (end < nodes.length &&
           worst(bytes + nodes[end].bytes, nodes[end].bytes, nodes[i].bytes) <=
           worst(bytes, nodes[end - 1].bytes, nodes[i].bytes))
      bytes += nodes[end++].bytes;
    const thickness = bytes * scale / side;
    let along = 0;
    for (; i < end; ++i) {
      const length = side * nodes[i].bytes / bytes;
      if (width >= height) place(nodes[i], x, y + along, thickness, length);
      else place(nodes[i], x + along, y, length, thickness);
      along += length;
    }
    if (width >= height) { x += thickness; width -= thickness; }
    else { y += thickness; height -= thickness; }
    left -= bytes;
  }
}
