// Uses the page of a size map as a person would, in a browser, and writes what is wrong into its title.
const wrong = [];
window.addEventListener("error", event => wrong.push(event.message));
console.error = (...words) => wrong.push(words.join(" "));
const check = (isRight, what) => { if (!isRight) wrong.push(what); };
const same = (got, want, what) => check(got === want, `${what}: ${got}, not ${want}`);

const tileNamed = name => [...svg.querySelectorAll(".tile")].find(tile => tile.dataset.name === name);
const trail = () => [...document.querySelectorAll("#trail button")].map(button => button.textContent);
const press = (target, key) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));

// What is in the middle of a tile's head is clicked, whatever that is.
function click(tile) {
  const place = tile.firstChild.getBoundingClientRect();
  const hit = document.elementFromPoint(place.x + place.width / 2, place.y + 4);
  check(tile.contains(hit), `something lies over the tile ${tile.dataset.name}`);
  hit?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
}

function testSums() {
  for (const [root, bytes] of [[trees.kept, report.output.bytes], [trees.dropped, sum(report.dropped)]]) {
    same(root.bytes, bytes, `bytes of ${root.name}`);
    for (const node of [root, ...nodesBelow(root)])
      if (childrenOf(node).length) same(sum(childrenOf(node)), node.bytes, `bytes in ${node.name}`);
  }
  const drawn = [...svg.children].reduce((bytes, tile) => bytes + Number(tile.dataset.bytes), 0);
  check(drawn > 0.98 * current.bytes, `the map draws ${drawn} bytes of ${current.bytes}`);
  const areas = [...svg.children].map(tile => tile.firstChild.width.baseVal.value * tile.firstChild.height.baseVal.value);
  check(Math.abs(areas[0] / areas[1] - svg.children[0].node.bytes / svg.children[1].node.bytes) < .05,
    "areas are not as bytes");
}

function testZoom() {
  const depth = trail().length, first = [...svg.children].find(tile => childrenOf(tile.node).length);
  click(first);
  same(trail().length, depth + 1, "steps after a click");
  same(trail().at(-1), first.dataset.name, "the last step");
  check(told.textContent.includes(count(first.node.bytes)), "the line below does not tell the bytes");
  press(document.body, "Escape");
  same(trail().length, depth, "steps after Escape");
  check(document.activeElement.node === first.node, "Escape does not go back to the tile");
  press(document.activeElement, "Enter");
  same(trail().length, depth + 1, "steps after Enter");
  const before = document.activeElement;
  press(before, "ArrowRight");
  check(document.activeElement === before.nextElementSibling, "an arrow key does not move");
  document.querySelectorAll("#trail button")[depth - 1].click();
  same(trail().length, depth, "steps after a click on the trail");
}

function testSearch(name) {
  search.value = name;
  search.dispatchEvent(new Event("input"));
  const hit = [...document.querySelectorAll("#found button")].find(button => button.firstChild.data.trim() === name);
  check(hit, `the search does not find ${name}`);
  hit?.click();
  same(searched?.name, name, "what was found");
  same(svg.querySelectorAll(".found").length, 1, "tiles marked as found");
  search.value = "no such name";
  search.dispatchEvent(new Event("input"));
  same(document.querySelectorAll("#found button").length, 0, "hits of no name");
  search.value = "";
  search.dispatchEvent(new Event("input"));
  check(found.hidden, "hits are shown of nothing");
  searched = null;
  showAll(tree);
}

function testDropped() {
  document.getElementById("dropped").click();
  check(tree === trees.dropped, "the switch shows the same");
  same(svg.children.length === 0, report.dropped.length === 0, "whether nothing was dropped");
  if (!report.dropped.length) check(told.textContent === "Nothing was dropped.", "it does not say so");
  document.getElementById("kept").click();
  check(tree === trees.kept, "the switch does not go back");
}

function testTables() {
  for (const key of ["programs", "maps", "variables"]) {
    const rows = document.querySelectorAll(`#${key} tbody tr`);
    same(rows.length, Math.min(report[key]?.length ?? 0, mostRows + 1), `rows of ${key}`);
    if (rows.length) same(rows[0].cells[0].textContent, report[key][0].name, `first of ${key}`);
  }
  for (const program of (report.programs ?? []).slice(0, 3)) {
    const row = [...document.querySelectorAll("#programs tbody tr")].find(one => one.cells[0].textContent === program.name);
    same(row.cells[3].textContent, count(program.instructions), `instructions of ${program.name}`);
  }
  if (report.variables?.length > 1) {
    [...document.querySelectorAll("#variables th button")].find(button => button.textContent === "Bytes").click();
    same(document.querySelector("#variables tbody tr").cells[4].textContent,
      count(Math.max(...report.variables.map(variable => variable.bytes))), "the largest variable, sorted");
  }
  same(document.querySelectorAll("#tags details").length, report.tags.length, "names with several definitions");
}

try {
  testSums();
  testZoom();
  testSearch(document.currentScript.dataset.find);
  testDropped();
  testTables();
} catch (error) {
  wrong.push(error.stack);
}
document.title = wrong.length ? `WRONG: ${wrong.slice(0, 5).join("; ")}` : "all is right";
