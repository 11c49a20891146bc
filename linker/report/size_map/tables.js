// The tables below the map. A column is { title, value(row), isNumber }.

const mostRows = 500;  // shown at once

const number = (title, value) => ({ title, value, isNumber: true });
const text = (title, value) => ({ title, value });
const names = (title, value) => ({ title, value: row => value(row).join(", "), isList: true });

const tableColumns = {
  programs: ["Programs", [
    text("Program", row => row.name), text("Section", row => row.section), text("Type", row => row.type),
    number("Instructions", row => row.instructions),
    number("With subprograms", row => row.all_instructions),
    number("Stack", row => row.stack), number("Deepest stack", row => row.deepest_stack ?? ""),
    names("Subprograms", row => row.subprograms), names("Maps", row => row.maps),
    names("Variables", row => row.variables)]],
  maps: ["Maps", [
    text("Map", row => row.name), text("Type", row => row.type), text("Key", row => row.key || `${row.key_size} bytes`),
    text("Value", row => row.value || `${row.value_size} bytes`), number("Entries", row => row.entries),
    number("Bytes at most", row => row.bytes), text("Per CPU", row => row.per_cpu ? "yes" : ""),
    text("Pinning", row => row.pinning), names("Programs", row => row.programs)]],
  variables: ["Variables", [
    text("Variable", row => row.name), text("Section", row => row.section), text("Type", row => row.type),
    text("Linkage", row => row.linkage), number("Bytes", row => row.bytes),
    names("Programs", row => row.programs)]],
};

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function makeTable(rows, columns) {
  const body = element("tbody");
  let shown = mostRows;
  const fill = () => {
    body.replaceChildren(...rows.slice(0, shown).map(row => element("tr", {}, ...columns.map(column => {
      const value = column.value(row);
      return element("td", { className: column.isNumber ? "number" : column.isList ? "names" : "" },
        typeof value === "number" ? count(value) : value);
    }))));
    if (rows.length <= shown) return;
    const more = element("button", { type: "button", textContent: `Show all ${count(rows.length)}` });
    more.onclick = () => { shown = rows.length; fill(); };
    body.append(element("tr", {}, element("td", { colSpan: columns.length }, more)));
  };
  const heads = columns.map(column => {
    const button = element("button", { type: "button", textContent: column.title });
    const head = element("th", { scope: "col", className: column.isNumber ? "number" : "" }, button);
    button.onclick = () => {
      const isDown = head.getAttribute("aria-sort") ? head.getAttribute("aria-sort") === "ascending" : column.isNumber;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
      const compare = column.isNumber ? (a, b) => column.value(a) - column.value(b)
        : (a, b) => column.value(a).localeCompare(column.value(b));
      rows.sort((a, b) => isDown ? compare(b, a) : compare(a, b));
      fill();
    };
    return head;
  });
  fill();
  return element("div", { className: "wide" },
    element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body));
}

function showTables(report, place) {
  for (const [key, [title, columns]] of Object.entries(tableColumns))
    if (report[key]?.length)
      place.append(element("h2", { textContent: `${title} (${count(report[key].length)})` }),
        Object.assign(makeTable([...report[key]], columns), { id: key }));
  if (!report.tags.length) return;
  place.append(element("h2", { textContent: `Names with several definitions (${count(report.tags.length)})` }));
  const list = element("div", { id: "tags" });
  for (const tag of report.tags)
    list.append(element("details", {},
      element("summary", { textContent: `${tag.name}: ${count(tag.definitions)} definitions` }),
      element("pre", { textContent: tag.difference ?? "Not compared: the names before took too long." })));
  place.append(list);
  // What is folded away cannot be unfolded on paper.
  addEventListener("beforeprint", () => {
    for (const tag of list.children) tag.open = true;
  });
}
