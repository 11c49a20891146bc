// Draws the treemap in pixels of the window, and opens and closes tiles.

const svg = document.getElementById("map"), told = document.getElementById("told");
const pen = document.createElement("canvas").getContext("2d");  // measures labels
const headHeight = 18;
const deepest = 4;     // levels drawn at once
const least = 3;       // a tile with a side below this is left blank
const readable = 8;    // a tile is drawn as one if most of its bytes are in tiles with a smaller side
const font = "12px system-ui, sans-serif";

let current = null;  // the tile whose children are drawn
let chosen = null;   // that tile or a child of it; the text beside the map describes it

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function svgElement(tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

const isFile = tile => tile.kind === "file" && !tile.name.startsWith("(");
const wholeOf = tile => pathTo(tile)[0].bytes;
const tell = words => { told.textContent = words; };
const tileOf = event => event.target.closest?.(".tile");

function describeTile(tile) {
  const path = pathTo(tile).slice(1).map(step => short(step.name, 80));
  return `${path.join(" \u203a ") || short(tile.name)}: ${inBytes(tile.bytes)}, ${percent(tile.bytes, wholeOf(tile))}`;
}

// Shortens a text to the room, and a path to its end; "" if only one character is left.
function fit(words, room, weight, isPath) {
  pen.font = `${weight} ${font}`;
  const cut = letters => (isPath ? shortPath : short)(words, letters + 1);
  const width = pen.measureText(words).width;
  if (width <= room) return words;
  let letters = Math.floor(words.length * room / width);
  while (letters > 1 && pen.measureText(cut(letters)).width > room) --letters;
  return letters > 1 ? cut(letters) : "";
}

function label(group, tile, w, h) {
  if (w < 24 || h < 16) return;
  const write = (words, y, style) => {
    const line = svgElement("text", { x: 4, y, class: style });
    line.textContent = words;
    group.append(line);
  };
  const isPath = isFile(tile);
  const name = isPath ? shortPath(tile.name, 200) : short(tile.name, 200);
  const bytes = count(tile.bytes);
  if (group.classList.contains("inner")) {
    const both = `${name}  ${bytes}`;
    write(fit(both, w - 8, 600) === both ? both : fit(name, w - 8, 600, isPath), 13, "head");
  } else {
    const shown = fit(name, w - 8, 400, isPath);
    write(shown, 13, "");
    if (shown && h >= 32) write(fit(bytes, w - 8, 400), 28, "bytes");
  }
}

// Whether enough of a tile's children would be seen in a tile of this size.
function hasVisibleChildren(tile, w, h) {
  const smallest = readable ** 2 * tile.bytes / (w * h);  // in bytes
  return sum(childrenOf(tile).filter(child => child.bytes >= smallest)) >= 0.8 * tile.bytes;
}

function drawTile(tile, x, y, w, h, depth) {
  if (w < least || h < least) return null;
  const hasRoom = w > 14 && h > 14, hasHead = w > 50 && h > headHeight + 24;
  const isInner = depth < deepest && hasRoom && tile.bytes > 0 && childrenOf(tile).length && hasVisibleChildren(tile, w, h);
  const group = svgElement("g", { transform: `translate(${x.toFixed(2)} ${y.toFixed(2)})`, role: "button", tabindex: -1,
    "aria-label": `${short(tile.name)}, ${inBytes(tile.bytes)}`,
    class: `tile ${className(tile.color)}${isInner ? " inner" : ""}${tile === chosen ? " chosen" : ""}` });
  group.tile = tile;
  group.dataset.bytes = tile.bytes;
  group.dataset.name = short(tile.name);
  group.append(svgElement("rect", { width: w.toFixed(2), height: h.toFixed(2), rx: 2 }));
  if (hasHead || !isInner) label(group, tile, w, h);
  const top = hasHead ? headHeight : 1.5, side = hasHead ? 3 : 1.5;
  if (isInner) drawTiles(group, childrenOf(tile), side, top, w - 2 * side, h - top - side, depth + 1);
  return group;
}

function drawTiles(place, tiles, x, y, w, h, depth) {
  squarify(tiles.filter(tile => tile.bytes > 0), x, y, w, h, (tile, ...where) => {
    const made = drawTile(tile, ...where, depth);
    if (made) place.append(made);
  });
}

// The map fills what the top leaves of the window; in a narrow one, it is higher than wide.
const heightFor = width => {
  const left = innerHeight - (svg.getBoundingClientRect().top + scrollY) - 70;  // on the first screen
  return Math.round(Math.min(Math.max(left, innerHeight * .5, 420), width * (width < 640 ? 1.25 : .68)));
};

function draw(width = Math.round(svg.parentElement.clientWidth), height = heightFor(width)) {
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren();
  // A tile without children fills the map itself.
  drawTiles(svg, childrenOf(current).length ? childrenOf(current) : [current], 0, 0, width, height, 1);
  svg.firstElementChild?.setAttribute("tabindex", 0);
}

// Shows the contents of a tile. A tile without children is shown in its parent. If the whole has
// only one child, that is opened at once.
function show(tile) {
  while (!tile.parent && childrenOf(tile).length === 1 && childrenOf(childrenOf(tile)[0]).length) tile = childrenOf(tile)[0];
  chosen = tile;
  current = childrenOf(tile).length || !tile.parent ? tile : tile.parent;
  draw();
  const steps = pathTo(current).map(step => {
    const words = isFile(step) ? shortPath(step.name) : short(step.name, 60);
    const button = element("button", { type: "button", textContent: words });
    button.onclick = () => show(step);
    return button;
  });
  document.getElementById("trail").replaceChildren(...steps);
  if (chosen.bytes) tell(describeTile(chosen));
  else tell(state.view === "dropped" ? "Nothing else was dropped." : "It has no bytes in the file.");
  showAbout(chosen);
  writeState();
}

function enter(tile) {
  show(tile);
  if (tile !== current) focusTile([...svg.children].find(group => group.tile === tile));
}

function focusTile(group) {
  if (!group) return;
  for (const other of svg.children) other.setAttribute("tabindex", -1);
  group.setAttribute("tabindex", 0);
  group.focus({ preventScroll: true });
}

function goOut() {
  const left = current;
  if (chosen !== current) return show(current);
  if (!current.parent) return;
  show(current.parent);
  focusTile([...svg.children].find(group => group.tile === left));
}

svg.addEventListener("click", event => { if (tileOf(event)) enter(tileOf(event).tile); });
for (const kind of ["mouseover", "focusin"])
  svg.addEventListener(kind, event => {
    const group = tileOf(event);
    if (!group) return;
    tell(describeTile(group.tile));
    if (group.querySelector(":scope > title")) return;
    const title = svgElement("title", {});
    title.textContent = describeTile(group.tile);
    group.append(title);
  });
svg.addEventListener("mouseleave", () => tell(describeTile(chosen)));
svg.addEventListener("keydown", event => {
  const group = tileOf(event);
  if (event.key === "Enter" && group) {
    enter(group.tile);
    if (group.tile === current) focusTile(svg.firstElementChild);
  } else if (event.key === "ArrowRight" || event.key === "ArrowDown") focusTile(group?.nextElementSibling);
  else if (event.key === "ArrowLeft" || event.key === "ArrowUp") focusTile(group?.previousElementSibling);
  else return;
  event.preventDefault();
});
document.addEventListener("keydown", event => {
  if (event.key !== "Escape") return;
  if (event.target.id === "search" && event.target.value) return;  // Escape empties it
  goOut();
});
