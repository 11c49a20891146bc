// The views of the map: trees of the same nodes, grouped in different ways.

function tilesBy(levels, indices) {
  if (!levels.length) return indices.map(leafOf);
  const [level, ...deeper] = levels;
  return [...groupBy(indices, index => level.keyOf(nodes[index]))].map(([key, same]) => {
    const name = level.nameOf?.(key) ?? String(key);
    if (same.length === 1 && nodes[same[0]].name === name) return leafOf(same[0]);
    return groupOf(name, level.kind, () => tilesBy(deeper, same), same,
      { key: level.kind === "file" ? key : name });
  });
}

const byShare = { kind: "category", keyOf: shareOf };
const bySection = { kind: "section", keyOf: node => node.section };
const byInput = { kind: "file", keyOf: node => report.inputs[node.input]?.name ?? "(the linker)", nameOf: fileName };
const byProgram = { kind: "program", keyOf: node => node.program ?? "none", nameOf: program =>
  program === "none" ? "(no program)" : program === 0 ? "(several programs)" : nodes[program]?.name ?? "(unknown)" };

// The nodes that each node dominates are below its tile. Nodes that none or several bring in form groups.
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
  const groups = groupBy(rest, index =>
    (categoryOfKind.get(nodes[index].kind) ?? "other") + (nodes[index].needed_by ? " of several origins" : ""));
  return [...roots.map(tileOf), ...[...groups].map(([name, same]) => same.length === 1 ? tileOf(same[0])
    : together(name, name, same.map(tileOf)))];
}

// Dropped contents by reason and file.
function droppedTiles(parts) {
  const leaf = (part, name, kind) => makeTile(name, kind, [], part.bytes,
    { part, color: colorOfSection.get(part.section) ?? "other" });
  const definition = part => leaf(part, part.name ?? part.section ?? part.reason, part.name ? "definition" : "section");
  const fileTile = ([file, all]) => all.length === 1 && !all[0].name ? leaf(all[0], fileName(file), "file")
    : { ...together(fileName(file), file, all.map(definition)), kind: "file" };
  return [...groupBy(parts, part => part.reason)].map(([reason, same]) =>
    ({ ...together(reason, reason, [...groupBy(same, part => part.file)].map(fileTile)), kind: "reason" }));
}

const allNodes = nodes.slice(1).map((node, i) => i + 1);
const view = (title, children) => ({ title, tree: once(() => makeTile(report.output.name, "output", children,
  report.output.bytes, { indices: allNodes, color: "mixed" })) });
const viewBy = (title, levels) => view(title, () => tilesBy(levels, allNodes));

// The views that make sense of this report.
const views = {};
if (report.sections.length > 1) views.section = viewBy("Section", [bySection]);
if (report.inputs.length > 1) views.file = viewBy("Input file", [byInput, byShare]);
if (report.programs?.length) views.program = viewBy("Program", [byProgram, byShare]);
if (!views.section) views.kind = viewBy("Kind", [byShare]);
if (nodes.some(node => node.dominator || node.brings > node.bytes)) views.origin = view("Origin", originTiles);
const hints = {
  program: "A tile of a program contains what only that program reaches.",
  origin: "A tile contains what would go away with it.",
};

const isDwarf = part => part.reason === "DWARF";
const droppedTree = parts => once(() =>
  makeTile("Dropped", "output", () => droppedTiles(parts), sum(parts), { color: "mixed" }));
const allDropped = droppedTree(report.dropped);
const droppedButDwarf = droppedTree(report.dropped.filter(part => !isDwarf(part)));
if (report.dropped.length) views.dropped = { title: "Dropped", tree: () => (state.dwarf ? allDropped : droppedButDwarf)() };

