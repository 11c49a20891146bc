// Uses the page of a size map in a browser as a person would, and writes errors into its title.
const wrong = [], test = document.currentScript.dataset;
window.addEventListener("error", event => wrong.push(event.message));
window.addEventListener("unhandledrejection", event => wrong.push(event.reason?.stack));
console.error = (...words) => wrong.push(words.join(" "));
const check = (isRight, what) => { if (!isRight) wrong.push(what); };
const same = (got, want, what) => check(got === want, `${what}: ${got}, not ${want}`);

const trail = () => [...document.querySelectorAll("#trail button")].map(button => button.textContent);
const press = (target, key) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
const button = (place, words) =>
  [...document.querySelectorAll(`${place} button`)].find(one => one.textContent.startsWith(words));
const butDwarf = report.dropped.filter(part => part.reason !== "DWARF");
const pause = milliseconds => new Promise(done => setTimeout(done, milliseconds));

// Clicks the middle of a tile's head, whatever is there.
function click(group) {
  group.scrollIntoView({ block: "nearest" });
  const place = group.firstChild.getBoundingClientRect();
  const hit = document.elementFromPoint(place.x + place.width / 2, place.y + 4);
  check(group.contains(hit), `something lies over the tile ${group.dataset.name}`);
  hit?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
}

function fits(what) {
  const wide = document.documentElement.scrollWidth;
  if (wide <= innerWidth) return;
  const culprit = [...document.querySelectorAll("body *")]
    .findLast(one => one.getBoundingClientRect().right > innerWidth + 1);
  wrong.push(`${what}: ${wide} pixels in a window of ${innerWidth}, by ${culprit?.outerHTML.slice(0, 200)}`);
}

// The bytes of each view add up at every level, and every view has all nodes.
function testViews() {
  for (const [key, { title }] of Object.entries(views)) {
    button("#views", title).click();
    same(state.view, key, "the view after a click");
    const tree = views[key].tree(), isDropped = key === "dropped";
    same(tree.bytes, isDropped ? sum(butDwarf) : report.output.bytes, `bytes of ${key}`);
    let there = 0;
    const found = new Set();
    for (const tile of tilesBelow(tree)) {
      check(childrenOf(tile).length <= 2 * mostChildren, `${childrenOf(tile).length} tiles in ${tile.name}`);
      if (childrenOf(tile).length) same(sum(childrenOf(tile)), tile.bytes, `bytes in ${tile.name} of ${key}`);
      if (tile.part) ++there;
      if (tile.index !== undefined) found.add(tile.index);
    }
    if (tree.bytes) same(sum(childrenOf(tree)), tree.bytes, `bytes in ${key}`);
    if (isDropped) same(there, butDwarf.length, "dropped parts");
    else same(found.size, nodes.length - 1, `nodes in ${key}`);
    fits(key);
    testAreas(key);
    testGroups();
  }
  same("section" in views, report.sections.length > 1, "whether there is a view of sections");
  same("file" in views, report.inputs.length > 1, "whether there is a view of files");
  same("program" in views, Boolean(report.programs?.length), "whether there is a view of programs");
  button("#views", Object.values(views)[0].title).click();
}

// Tiles have areas proportional to their bytes, in pixels of this window.
function testAreas(key) {
  same(svg.viewBox.baseVal.width, Math.round(svg.parentElement.clientWidth), "width of the map");
  const drawn = [...svg.children].filter(group => group.tile);
  if (current.bytes === 0) return;
  const bytes = drawn.reduce((all, group) => all + group.tile.bytes, 0);
  check(bytes > 0.95 * current.bytes, `the map of ${key} draws ${bytes} bytes of ${current.bytes}`);
  const area = group => group.firstChild.width.baseVal.value * group.firstChild.height.baseVal.value;
  const scale = svg.viewBox.baseVal.width * svg.viewBox.baseVal.height / current.bytes;
  for (const group of drawn.slice(0, 3))
    check(Math.abs(area(group) / (group.tile.bytes * scale) - 1) < .05,
      `the area of ${group.dataset.name} is not as its bytes`);
}

// An open tile is not blank: most of its bytes are in tiles that are drawn. A group says what is in it.
function testGroups() {
  for (const group of svg.querySelectorAll(".inner")) {
    const shown = sum([...group.children].filter(one => one.tile).map(one => one.tile));
    check(shown >= .7 * group.tile.bytes, `the tile ${group.dataset.name} is blank: ${shown} bytes of ${group.tile.bytes}`);
  }
  const vague = [...svg.querySelectorAll(".tile")].find(group => /^[0-9,]+ more$/.test(group.dataset.name));
  check(!vague, `a tile is called ${vague?.dataset.name}`);
  const listed = [...about.querySelectorAll(".figures button.link")].map(one => one.textContent);
  check(!listed.some(name => /^\(|smaller\)?$/.test(name)), `the largest are ${listed.join()}`);
}

// A color means the same in every view, and the legend has it.
function testColors() {
  const legend = new Set([...document.querySelectorAll("#legend .chip")].map(chip => chip.className.split(" ")[1]));
  const colors = new Map();
  for (const key of Object.keys(views)) {
    if (key === "dropped") continue;
    for (const tile of tilesBelow(views[key].tree())) {
      if (tile.index === undefined || !tile.bytes) continue;
      if (!colors.has(tile.index)) colors.set(tile.index, tile.color);
      if (colors.get(tile.index) !== tile.color) wrong.push(`${tile.name} has another color in ${key}`);
      if (nodes[tile.index].bytes) check(legend.has(className(tile.color)), `the legend lacks ${tile.color}`);
    }
  }
  const pieces = [...document.querySelectorAll("#shares span")];
  same(pieces.length, legend.size, "pieces of the bar");
  same(sum(shares), report.output.bytes, "bytes of the bar");
}

function testZoom() {
  const depth = trail().length, first = [...svg.children].find(group => childrenOf(group.tile).length);
  if (!first) return;
  click(first);
  same(trail().length, depth + 1, "steps after a click");
  check(told.textContent.includes(count(first.tile.bytes)), "the line below does not have the bytes");
  press(document.body, "Escape");
  same(trail().length, depth, "steps after Escape");
  check(document.activeElement.tile === first.tile, "Escape does not go back to the tile");
  press(document.activeElement, "Enter");
  same(trail().length, depth + 1, "steps after Enter");
  const before = document.activeElement;
  press(before, "ArrowRight");
  if (before.nextElementSibling) check(document.activeElement === before.nextElementSibling, "an arrow key does not move");
  document.querySelectorAll("#trail button")[depth - 1].click();
  same(trail().length, depth, "steps after a click on the trail");
}

function testSearch(name) {
  const type = words => {
    search.value = words;
    search.dispatchEvent(new Event("input"));
  };
  type(name);
  const hit = [...document.querySelectorAll("#found button")].find(one => one.firstChild.data.trim() === name);
  check(hit, `the search does not find ${name}`);
  hit?.click();
  same(chosen.name, name, "what was found");
  if (current !== chosen) same(svg.querySelectorAll(".chosen").length, 1, "tiles marked as found");
  type("no such name");
  same(document.querySelectorAll("#found button").length, 0, "hits of no name");
  type("");
  check(found.hidden, "hits are shown of nothing");
  fits("what was found");
}

// The text beside the map shows what needs a node, and each step of the chain is a link to it.
function testAbout() {
  const index = nodes.findIndex((node, i) => i && chainOf(i).length > 2 && chainOf(i)[0].index);
  const any = index < 0 ? nodes.findIndex((node, i) => i && node.needed_by) : index;
  if (any < 0) return;
  goTo(any);
  same(chosen.index, any, "the node that is gone to");
  const steps = [...about.querySelectorAll(".chain li")].map(step => step.textContent);
  same(steps.join(" -> "), chainOf(any).map(step => short(step.text, 80)).join(" -> "), "who brings it in");
  if (test.chain) {
    const end = nodes.findIndex((node, i) => i && chainOf(i).map(step => step.text).join(" -> ") === test.chain);
    check(end > 0, `no chain is ${test.chain}`);
  }
  about.querySelector(".chain button").click();
  same(chosen.index, chainOf(any)[0].index, "the first step of the chain");
  const brings = nodes.findIndex((node, i) => i && (node.brings ?? node.bytes) > node.bytes);
  goTo(brings);
  check(about.textContent.includes(count(nodes[brings].brings)), "the text does not have what it brings");
}

function testDropped() {
  const dwarf = report.dropped.filter(part => part.reason === "DWARF");
  if (!views.dropped) return check(!report.dropped.length, "what was dropped has no view");
  const box = document.querySelector("#dwarf input");
  check(document.getElementById("dwarf").hidden, "DWARF is offered in another view");
  button("#views", "Dropped").click();
  const without = sum(report.dropped) - sum(dwarf);
  same(current.bytes, without, "what was dropped without DWARF");
  same(document.getElementById("dwarf").hidden, !dwarf.length, "whether DWARF is offered");
  if (dwarf.length) {
    box.click();
    same(pathTo(current)[0].bytes, sum(report.dropped), "what was dropped with DWARF");
    check(location.hash.includes("dwarf=1"), "the address does not have DWARF");
    box.click();
  }
}

// The address contains the state; opening it restores the state.
async function testAddress(name) {
  for (const key of Object.keys(views)) {
    button("#views", views[key].title).click();
    if (svg.firstChild) click(svg.firstChild);
    const hash = location.hash, want = chosen;
    check(hash.includes(`view=${key}`), `the address ${hash} does not have the view ${key}`);
    location.hash = "";
    await pause(50);
    same(state.view, Object.keys(views)[0], "the view of an empty address");
    location.hash = hash;
    await pause(50);
    same(state.view, key, "the view of the address");
    check(chosen === want, `the address ${hash} shows ${chosen.name}, not ${want.name}`);
  }
  for (const hash of ["#view=no&at=such", "#at=%ff&at=%00", "#view=__proto__", "#%%%"]) {
    location.hash = hash;
    await pause(50);
    same(state.view, Object.keys(views)[0], `the view of ${hash}`);
    same(state.at.length, pathTo(chosen).length - 1, `the place of ${hash}`);
  }
  location.hash = "";
  await pause(50);
}

function testTables() {
  for (const key of ["programs", "maps", "variables", "lines"]) {
    const rows = document.querySelectorAll(`#${key} tbody tr`);
    same(rows.length, Math.min(report[key]?.length ?? 0, mostRows + 1), `rows of ${key}`);
  }
  const table = key => [...document.querySelectorAll(`#${key} tbody tr`)];
  if (report.programs?.length) {
    const costliest = [...report.programs].sort((a, b) => b.all_instructions - a.all_instructions)[0];
    const row = table("programs")[0];
    check(row.cells[1].textContent.startsWith(count(costliest.all_instructions)), "the costliest program is not the first");
    const bar = row.cells[2].querySelector(".meter span");
    if (bar && row.cells[2].textContent.startsWith(inBytes(costliest.deepest_stack)))
      check(Math.abs(parseFloat(bar.style.width) - costliest.stack / 5.12) < .01, "the bar of the stack is not of 512");
  }
  if (report.maps?.length) {
    const memory = report.maps.filter(map => !map.per_cpu).reduce((bytes, map) => bytes + map.bytes, 0);
    const title = document.querySelector("#maps h2").textContent;
    check(!memory || title.includes(inMemory(memory)), `the memory of all maps is missing in "${title}"`);
  }
  const unfold = document.querySelector("#programs .unfold");
  if (unfold) {
    const rows = table("programs").length;
    check(/^\d+ \w+$/.test(unfold.textContent), `"${unfold.textContent}" is not a number of things`);
    unfold.click();
    same(table("programs").length, rows + 1, "rows when unfolded");
    same(document.querySelectorAll("#programs .more li").length, parseInt(unfold.textContent), "what is unfolded");
    fits("what is unfolded");
    unfold.click();
    same(table("programs").length, rows, "rows when folded again");
  }
  if (report.variables?.length > 1) {
    button("#variables th", "Variable")?.click();
    const first = report.variables.map(one => one.name).sort((a, b) => a.localeCompare(b))[0];
    same(table("variables")[0].cells[0].textContent, short(first, 400), "the first variable by name");
  }
  const more = button("tbody", "Show all");
  if (more) {
    const body = more.closest("tbody"), all = Number(more.textContent.replace(/\D/g, ""));
    more.click();
    same(body.rows.length, all, "rows of all");
  }
  same(document.querySelectorAll("#tags details").length, report.tags.length, "names with several definitions");
  const head = document.querySelector("thead th"), isNarrow = innerWidth < 832;
  if (head) same(getComputedStyle(head.closest("table")).display, isNarrow ? "block" : "table", "display of tables");
  if (head) check(head.firstChild.offsetHeight > 0, "tables cannot be sorted");
  for (const place of ["legend", "shares", "map", "about", "search", "views", "tables"])
    check(document.getElementById(place).getClientRects().length, `${place} is not there`);
}

function testResize() {
  document.body.style.width = "470px";
  window.dispatchEvent(new Event("resize"));
  same(svg.viewBox.baseVal.width, Math.round(svg.parentElement.clientWidth), "width of the map after a change");
  document.body.style.width = "";
  window.dispatchEvent(new Event("resize"));
}

async function testAll() {
  testViews();
  testColors();
  testZoom();
  testSearch(test.find);
  testAbout();
  testDropped();
  testTables();
  await testAddress();
  testResize();
}

document.title = "not finished";
testAll().catch(error => wrong.push(error.stack)).then(() => {
  const words = wrong.slice(0, 5).join("; ").slice(0, 2000).replace(/\s+/g, " ").toWellFormed();
  document.title = wrong.length ? `WRONG (${innerWidth} pixels): ${words}` : "all is right";
});
