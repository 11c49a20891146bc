// The tables below the map. A column is { title, value(row), cell(row), isNumber }. Rows are sorted by
// values; cells are shown.

const mostRows = 50;     // shown at first
const mostMore = 2000;   // shown by each click
const stackLimit = 512;  // bytes, for a program and all functions that it calls

const number = (title, value) => ({ title, value, cell: row => count(value(row)), isNumber: true });
const text = (title, value) => ({ title, value, cell: row => short(value(row), 400) });
const path = (title, value) => ({ title, value, cell: row => shortPath(value(row), 100) });

// A button, such as "5 maps", that lists them below the row.
function unfoldable(all, word) {
  if (!all.length) return "";
  const button = element("button", { type: "button", className: "link unfold", textContent: countOf(all.length, word) });
  button.setAttribute("aria-expanded", false);
  button.onclick = () => {
    const isOpen = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", !isOpen);
    if (isOpen) return button.unfolded.remove();
    const names = all.map(name => element("li", { textContent: short(name, 400) }));
    button.unfolded = element("tr", { className: "more" }, element("td", { colSpan: 99 }, element("ul", {}, ...names)));
    button.closest("tr").after(button.unfolded);
  };
  return button;
}
const list = (title, word, names) =>
  ({ title, value: row => names(row).length, isNumber: true, isList: true, cell: row => unfoldable(names(row), word) });

// A bar that shows parts of a whole, below a text.
function meter(words, parts, whole, isOver = false) {
  const bar = element("span", { className: `meter${isOver ? " over" : ""}` });
  for (const part of parts) {
    const piece = element("span");
    piece.style.width = `${whole ? Math.min(100, 100 * part / whole) : 0}%`;
    bar.append(piece);
  }
  return element("span", { className: "metered" }, ...words, bar);
}
const small = words => element("small", { textContent: words });

// The column that a table is sorted by at first.
const cost = (title, value, most, cell = row => meter([count(value(row))], [value(row)], most)) =>
  ({ title, value, isNumber: true, isCost: true, cell });
const mostOf = (list, value) => list.reduce((most, row) => Math.max(most, value(row)), 0);

const inParts = (all, own, show) => [show(all), ...all > own ? [small(`${count(own)} its own`)] : []];

function programColumns(programs) {
  const most = mostOf(programs, row => row.all_instructions);
  const nodeOf = row => nodeNamed().get(`program ${row.section} ${row.name}`);
  const brings = row => nodeOf(row) === undefined ? 0 : bringsOf(nodeOf(row));
  const wordsOf = row => [row.section, row.type].filter((word, i, all) => word && all.indexOf(word) === i).join(", ");
  const columns = [
    { title: "Program", value: row => row.name, cell: row => element("span", {},
      nodeOf(row) === undefined ? short(row.name) : linkTo(nodeOf(row), short(row.name)), small(wordsOf(row))) },
    cost("Instructions", row => row.all_instructions, most, ({ instructions: own, all_instructions: all }) =>
      meter(inParts(all, own, count), [own, all - own], most)),
    { title: `Stack of ${stackLimit}`, value: row => row.deepest_stack ?? Infinity, isNumber: true,
      cell: ({ stack, deepest_stack: all }) => all === undefined ? "unknown: may call itself"
        : meter(inParts(all, stack, inBytes), [stack, all - stack], stackLimit, all > stackLimit) },
    { title: "Bytes it brings", value: brings, isNumber: true, cell: row => brings(row) ? count(brings(row)) : "" },
  ];
  const lists = [["Maps", "map", row => row.maps], ["Variables", "variable", row => row.variables],
    ["Functions", "function", row => row.subprograms]];
  const used = lists.filter(([, , names]) => programs.some(row => names(row).length));
  return [...columns, ...used.map(words => list(...words))];
}

const programList = list("Programs", "program", row => row.programs);
const mapColumns = maps => [
  { title: "Map", value: row => row.name, cell: row => element("span", {}, short(row.name, 400), small(row.type)) },
  text("Key", row => row.key || inBytes(row.key_size)), text("Value", row => row.value || inBytes(row.value_size)),
  number("Entries", row => row.entries),
  cost("Memory at most", row => row.bytes, 0, row => meter(
    [inMemory(row.bytes), ...row.per_cpu ? [small("for each CPU")] : []], [row.bytes], mostOf(maps, one => one.bytes))),
  ...maps.some(row => row.pinning !== "none") ? [text("Pinning", row => row.pinning)] : [], programList];

function mapTitle(maps) {
  const [shared, perCpu] = [false, true].map(is => maps.filter(map => map.per_cpu === is));
  const forEach = `${inMemory(sum(perCpu))} for each CPU`;
  if (!perCpu.length) return `: at most ${inMemory(sum(shared))}`;
  return `: at most ${shared.length ? `${inMemory(sum(shared))} and ${forEach}` : forEach}`;
}

const variableColumns = variables => [text("Variable", row => row.name), text("Section", row => row.section),
  text("Type", row => row.type), text("Linkage", row => row.linkage),
  cost("Bytes", row => row.bytes, mostOf(variables, row => row.bytes)), programList];

const sourceName = name => name.startsWith(sourceFolder) ? name.slice(sourceFolder.length) : name;
const lineColumns = lines => [path("Line", row => `${sourceName(row.file)}:${row.line}`),
  number("Instructions", row => row.instructions), cost("Bytes", row => row.bytes, mostOf(lines, row => row.bytes))];

const typeColumns = types => [
  { title: "Type", value: index => describe(nodes[index]), cell: index => linkTo(index, short(describe(nodes[index]))) },
  number("Bytes", index => nodes[index].bytes), cost("With all it brings", bringsOf, mostOf(types, bringsOf)),
  text("Brought in by", broughtBy)];

const classOf = column => column.isList ? "list" : column.isNumber ? "number" : "";

function makeTable(rows, columns) {
  const costliest = columns.find(column => column.isCost);
  const body = element("tbody");
  let shown = mostRows;
  const fill = () => {
    body.replaceChildren(...rows.slice(0, shown).map(row => element("tr", {}, ...columns.map((column, i) => {
      const cell = element("td", { className: classOf(column) }, column.cell(row));
      cell.dataset.title = i ? column.title : "";  // for cards; the name, which is first, has no title
      return cell;
    }))));
    if (rows.length <= shown) return;
    const next = Math.min(rows.length, shown + mostMore);
    const more = element("button", { type: "button", className: "link",
      textContent: `Show ${next === rows.length ? "all" : `${count(next)} of`} ${count(rows.length)}` });
    more.onclick = () => { shown = next; fill(); };
    body.append(element("tr", {}, element("td", { colSpan: columns.length }, more)));
  };
  const heads = columns.map(column => {
    const button = element("button", { type: "button", textContent: column.title });
    const head = element("th", { scope: "col", className: classOf(column) }, button);
    button.onclick = () => {
      const before = head.getAttribute("aria-sort"), isDown = before ? before === "ascending" : column.isNumber;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
      const keys = new Map(rows.map(row => [row, column.value(row)]));
      const compare = column.isNumber ? (a, b) => keys.get(a) - keys.get(b) || 0  // NaN if both are infinite
        : (a, b) => keys.get(a).localeCompare(keys.get(b));
      rows.sort((a, b) => isDown ? compare(b, a) : compare(a, b));
      fill();
    };
    return head;
  });
  if (costliest) heads[columns.indexOf(costliest)].firstChild.click();
  else fill();
  return element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body);
}

// The types, without those that only describe a function, variable or section.
function typeIndices() {
  const others = ["function type", "variable type", "section"];
  const isType = node => categoryOfKind.get(node.kind) === "types" && !others.includes(node.kind);
  return allNodes.filter(index => isType(nodes[index]) && !nodes[index].folded).sort((a, b) => bringsOf(b) - bringsOf(a));
}

const tagText = tag => tag.difference ?? "Not compared: the names before took too long.";

function showTables(place) {
  const add = (id, title, rows, columns, rest = "") => {
    if (rows?.length)
      place.append(element("section", { id }, element("h2", { textContent: `${title} (${count(rows.length)})${rest}` }),
        makeTable([...rows], columns(rows))));
  };
  add("programs", "Programs", report.programs, programColumns);
  add("maps", "Maps", report.maps, mapColumns, mapTitle(report.maps ?? []));
  add("variables", "Variables", report.variables, variableColumns);
  add("types", "Types", typeIndices(), typeColumns);
  add("lines", "Source lines", report.lines, lineColumns, sourceFolder && ` below ${shortPath(sourceFolder)}`);
  if (report.tags?.length)
    place.append(element("section", { id: "tags" },
      element("h2", { textContent: `Names with several definitions (${count(report.tags.length)})` }),
      ...report.tags.map(tag => element("details", {},
        element("summary", { textContent: `${short(tag.name)}: ${countOf(tag.definitions, "definition")}` }),
        element("pre", { textContent: tagText(tag) })))));
  // Show everything on paper, where nothing can be clicked.
  addEventListener("beforeprint", () => {
    for (const details of place.querySelectorAll("details")) details.open = true;
    for (const button of place.querySelectorAll('.unfold[aria-expanded="false"]')) button.click();
  });
}
