// Draws the treemap, goes into tiles and out of them, and searches.

const grouped = new Intl.NumberFormat("en");
const count = value => grouped.format(value);
const report = JSON.parse(document.getElementById("report").textContent);
const trees = { kept: keptTree(report), dropped: droppedTree(report) };
const svg = document.getElementById("map");
const told = document.getElementById("told");
const pen = document.createElement("canvas").getContext("2d");  // measures labels
const width = 1200, height = 640, headHeight = 18;
const deepest = 3;     // levels drawn at once
const least = 4;       // a tile with a side below this is left blank
const mostFound = 100;

let tree = trees.kept, current = tree, searched = null;

function svgElement(tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

const percent = (node, whole) => whole.bytes ? `${(100 * node.bytes / whole.bytes).toFixed(1)} %` : "";
const describe = node => `${pathTo(node).map(step => step.name).join(" \u203a ")}: ` +
  `${count(node.bytes)} bytes, ${percent(node, tree)}`;

// As much of the words as there is room for; "" where that would tell nothing.
function fit(words, room, weight) {
  pen.font = `${weight} 12px system-ui, sans-serif`;
  if (pen.measureText(words).width <= room) return words;
  let letters = Math.floor(words.length * room / pen.measureText(words).width);
  while (letters > 1 && pen.measureText(words.slice(0, letters) + "\u2026").width > room) --letters;
  return letters > 1 ? words.slice(0, letters) + "\u2026" : "";
}

function label(tile, node, w, h) {
  if (w < 22 || h < 16) return;
  const write = (words, y) => {
    const line = svgElement("text", { x: 4, y });
    line.textContent = words;
    tile.append(line);
  };
  const bytes = count(node.bytes), name = node.name.slice(0, 200);
  if (tile.classList.contains("inner")) {
    const both = `${name}  ${bytes}`;
    write(fit(both, w - 8, 600) === both ? both : fit(name, w - 8, 600), 13);
  } else {
    const shown = fit(name, w - 8, 400);
    write(shown, 13);
    if (shown && h >= 32) write(fit(bytes, w - 8, 400), 28);
  }
}

function showTooltip(tile) {
  if (tile.querySelector(":scope > title")) return;
  const title = svgElement("title", {});
  title.textContent = describe(tile.node);
  tile.append(title);
}

function draw(node, x, y, w, h, depth) {
  if (w < least || h < least) return null;
  const tile = svgElement("g", { transform: `translate(${x.toFixed(2)} ${y.toFixed(2)})`, role: "button",
    "aria-label": `${node.name}, ${count(node.bytes)} bytes`, tabindex: -1 });
  tile.node = node;
  tile.dataset.bytes = node.bytes;
  tile.dataset.name = node.name;
  const isInner = depth < deepest && childrenOf(node).length > 0 && w > 50 && h > headHeight + 24;
  tile.setAttribute("class", `tile${isInner ? " inner" : ""}${node === searched ? " found" : ""}`);
  tile.append(svgElement("rect", { width: w.toFixed(2), height: h.toFixed(2), rx: 2, class: node.color,
    "fill-opacity": isInner ? .22 : .5 }));
  label(tile, node, w, h);
  if (isInner)
    squarify(childrenOf(node), 3, headHeight, w - 6, h - headHeight - 3,
      (child, ...place) => { const made = draw(child, ...place, depth + 1); if (made) tile.append(made); });
  return tile;
}

// A step that there is no choice about is not worth a click.
function showAll(root) {
  while (childrenOf(root).length === 1 && childrenOf(childrenOf(root)[0]).length) root = childrenOf(root)[0];
  show(root);
}

function show(node) {
  current = node;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const tiles = [];
  // A part without parts fills the map itself.
  const nodes = childrenOf(node).length ? childrenOf(node) : [node];
  if (node.bytes > 0)
    squarify(nodes, 0, 0, width, height, (child, ...place) => {
      const tile = draw(child, ...place, 1);
      if (tile) tiles.push(tile);
    });
  svg.replaceChildren(...tiles);
  tiles[0]?.setAttribute("tabindex", 0);
  const steps = pathTo(node).map(step => {
    const button = element("button", { type: "button", textContent: step.name });
    button.onclick = () => show(step);
    return button;
  });
  document.getElementById("trail").replaceChildren(...steps);
  tell(node.bytes > 0 ? describe(node) : "Nothing was dropped.");
}

const tell = words => { told.textContent = words; };
const tileOf = event => event.target.closest?.(".tile");

function enter(tile) {
  const node = tile.node;
  if (childrenOf(node).length) show(node);
  else if (node.parent && node.parent !== current) show(node.parent);
  tell(describe(node));
}

function focusTile(tile) {
  if (!tile) return;
  for (const other of svg.children) other.setAttribute("tabindex", -1);
  tile.setAttribute("tabindex", 0);
  tile.focus();
}

function goOut() {
  const left = current;
  if (!current.parent) return;
  show(current.parent);
  focusTile([...svg.children].find(tile => tile.node === left));
}

svg.addEventListener("click", event => { if (tileOf(event)) enter(tileOf(event)); });
for (const kind of ["mouseover", "focusin"])
  svg.addEventListener(kind, event => {
    const tile = tileOf(event);
    if (!tile) return;
    tell(describe(tile.node));
    showTooltip(tile);
  });
svg.addEventListener("mouseleave", () => tell(describe(current)));
svg.addEventListener("keydown", event => {
  const tile = tileOf(event);
  if (event.key === "Enter" && tile) {
    enter(tile);
    focusTile(svg.firstElementChild);
  } else if (event.key === "ArrowRight" || event.key === "ArrowDown") focusTile(tile?.nextElementSibling);
  else if (event.key === "ArrowLeft" || event.key === "ArrowUp") focusTile(tile?.previousElementSibling);
  else return;
  event.preventDefault();
});
document.addEventListener("keydown", event => {
  if (event.key !== "Escape") return;
  if (event.target.id === "search" && event.target.value) return;  // which empties it
  goOut();
});

function choose(key) {
  tree = trees[key];
  for (const name of ["kept", "dropped"])
    document.getElementById(name).setAttribute("aria-pressed", name === key);
  search.oninput();
  showAll(tree);
}
for (const key of ["kept", "dropped"]) document.getElementById(key).onclick = () => choose(key);

// All nodes below one, those that are folded away among them.
function* nodesBelow(node) {
  const pending = [node];
  while (pending.length) {
    const next = pending.pop();
    pending.push(...childrenOf(next));
    if (next.kind !== "group" && next.parent) yield next;
  }
}

const search = document.getElementById("search"), found = document.getElementById("found");
search.oninput = () => {
  const wanted = search.value.trim().toLowerCase();
  found.hidden = wanted === "";
  if (found.hidden) return;
  const hits = [...nodesBelow(tree)].filter(node => node.name.toLowerCase().includes(wanted)).sort(bySize);
  found.replaceChildren(...hits.slice(0, mostFound).map(node => {
    const path = pathTo(node).slice(1, -1).map(step => step.name).join(" \u203a ");
    const button = element("button", { type: "button" }, `${node.name} `,
      element("small", { textContent: `${path ? path + ", " : ""}${count(node.bytes)} bytes` }));
    button.onclick = () => {
      searched = node;
      show(node.parent);
      tell(describe(node));
    };
    return element("li", {}, button);
  }));
  if (hits.length === 0) found.append(element("li", { textContent: "Nothing has this name." }));
  if (hits.length > mostFound)
    found.append(element("li", { textContent: `and ${count(hits.length - mostFound)} more` }));
};

document.title = `${report.output.name}: size map`;
document.getElementById("title").textContent = report.output.name;
document.getElementById("figures").textContent =
  [`${count(report.output.bytes)} bytes`, ...["programs", "maps", "variables"].filter(key => report[key]?.length)
    .map(key => `${count(report[key].length)} ${report[key].length === 1 ? key.slice(0, -1) : key}`),
   `${count(sum(report.dropped))} bytes dropped`].join(" \u00b7 ");
showAll(tree);
showTables(report, document.getElementById("tables"));
