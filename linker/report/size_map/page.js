// The switches, the search, and the state of the page, which is in its address:
// #view=dropped&at=DWARF&at=main.o&dwarf=1

const byId = id => document.getElementById(id);
const defaults = { view: Object.keys(views)[0], at: [], dwarf: false };
const state = { ...defaults };
const mostFound = 100;
let isReading = false;

// The state as parameters, without defaults.
function address() {
  const parts = new URLSearchParams();
  if (state.view !== defaults.view || state.at.length) parts.append("view", state.view);
  for (const key of state.at) parts.append("at", key);
  if (state.dwarf) parts.append("dwarf", "1");
  return parts.toString();
}

function writeState() {
  state.at = pathTo(chosen).slice(1).map(tile => tile.key);
  const written = address();
  if (written === location.hash.slice(1)) return;
  // A state read from the address replaces that address; other changes are steps of the history.
  history[isReading ? "replaceState" : "pushState"](null, "", `#${written}`);
}

function readState() {
  isReading = true;
  const parts = new URLSearchParams(location.hash.slice(1));
  state.view = Object.hasOwn(views, parts.get("view")) ? parts.get("view") : defaults.view;
  state.dwarf = parts.get("dwarf") === "1";
  let tile = views[state.view].tree();
  for (const key of parts.getAll("at")) {
    const next = childrenOf(tile).find(child => child.key === key);
    if (!next) break;
    tile = next;
  }
  showSwitches();
  show(tile);
  isReading = false;
}

function showSwitches() {
  for (const button of byId("views").children) button.setAttribute("aria-pressed", button.dataset.view === state.view);
  byId("hint").textContent = hints[state.view] ?? "";
  byId("dwarf").hidden = state.view !== "dropped" || !report.dropped.some(isDwarf);
  byId("dwarf").firstElementChild.checked = state.dwarf;
}

function setView(view, isShown = true) {
  state.view = view;
  showSwitches();
  if (isShown) show(views[view].tree());
  search.oninput();
}

function makeSwitches() {
  byId("views").append(...Object.entries(views).map(([key, { title }]) => {
    const button = element("button", { type: "button", textContent: title });
    button.dataset.view = key;
    button.onclick = () => setView(key);
    return button;
  }));
  const dwarf = report.dropped.filter(isDwarf);
  byId("dwarf").lastElementChild.textContent =
    `with DWARF (${percent(sum(dwarf), sum(report.dropped))}, ${inBytes(sum(dwarf))})`;
  byId("dwarf").firstElementChild.onchange = event => {
    state.dwarf = event.target.checked;
    setView("dropped");
  };
}

const search = byId("search"), found = byId("found");
search.oninput = () => {
  const wanted = search.value.trim().toLowerCase();
  found.hidden = wanted === "";
  if (found.hidden) return;
  const hits = [...tilesBelow(views[state.view].tree())]
    .filter(tile => tile.kind !== "itself" && tile.name.toLowerCase().includes(wanted)).sort(bySize);
  found.replaceChildren(...hits.slice(0, mostFound).map(tile => {
    const place = pathTo(tile).slice(1, -1).map(step => short(step.name, 60)).join(" \u203a ");
    const button = element("button", { type: "button" }, `${short(tile.name)} `,
      element("small", { textContent: `${place ? `${place}, ` : ""}${inBytes(tile.bytes)}` }));
    button.onclick = () => show(tile);
    return element("li", {}, button);
  }));
  if (hits.length === 0) found.append(element("li", { textContent: "Nothing has this name." }));
  if (hits.length > mostFound)
    found.append(element("li", { textContent: `and ${count(hits.length - mostFound)} more` }));
};

showSummary();
makeSwitches();
readState();
showTables(byId("tables"));
addEventListener("hashchange", readState);
let lastWidth = svg.parentElement.clientWidth;
addEventListener("resize", () => {
  if (svg.parentElement.clientWidth === lastWidth) return;
  lastWidth = svg.parentElement.clientWidth;
  draw();
});
addEventListener("beforeprint", () => draw(1000, 430));
addEventListener("afterprint", () => draw());
