// Boards: squares, pieces, arrows, and a map of how often squares were used.

const CELL = 40;
const FRAME = 22;
const squareName = (index, size) => String.fromCharCode(97 + (index % size)) + (Math.floor(index / size) + 1);
const squareIndex = (name, size) => (Number(name.slice(1)) - 1) * size + name.charCodeAt(0) - 97;
const cornerOf = (index, size) => [FRAME + CELL * (index % size), FRAME + CELL * (size - 1 - Math.floor(index / size))];
const centerOf = (index, size) => cornerOf(index, size).map((at) => at + CELL / 2);

const PIECES = { t: "attacker", c: "commander", T: "defender", N: "knight", K: "king" };
const sideOf = (letter) => (letter === "t" || letter === "c" ? "attackers" : "defenders");

/// The shape of a piece around the origin: attackers are diamonds, defenders discs, so that color is not needed.
function pieceShape(letter) {
  const group = svg("g", { class: `piece ${PIECES[letter]}` });
  if (sideOf(letter) === "attackers") group.append(svg("path", { class: "body", d: "M0-15L15 0L0 15L-15 0Z" }));
  else group.append(svg("circle", { class: "body", r: letter === "K" ? 15.5 : 13.5 }));
  if (letter === "T") group.append(svg("circle", { class: "mark", r: 7 }));
  if (letter === "c" || letter === "N") group.append(svg("path", { class: "mark", d: "M-6 6L0 0L6 6M-6 0L0-6L6 0" }));
  if (letter === "K") group.append(svg("path", { class: "crown", d: "M-9.5 7.5L-11-5.5L-5-.5L0-9L5-.5L11-5.5L9.5 7.5Z" }));
  return group;
}

/// A small picture of a piece for texts; `count` tells how many.
const pieceIcon = (letter) => svg("svg", { class: "icon", viewBox: "-17 -17 34 34", "aria-hidden": "true" }, pieceShape(letter));

/// The squares of "3ttttt3/5t5/...", highest rank first, as a list by number from a1.
function parseBoard(text) {
  const ranks = text.split("/").map((rank) => rank.match(/\d+|[a-zA-Z]/g).flatMap((part) => (/\d/.test(part) ? Array(Number(part)).fill("") : [part])));
  return ranks.reverse().flat();
}

/// The empty board as a drawing, with layers for what lies on its ground and for pieces; flipped with rank 1 at the top.
function drawBoard(board, label, flipped = false) {
  const at = (index) => (flipped ? board.size * board.size - 1 - index : index);
  const { size, throne, restricted, goals } = board;
  const inner = CELL * size;
  const full = inner + 2 * FRAME;
  const ground = svg("g", {});
  for (let index = 0; index < size * size; index += 1) {
    const [x, y] = cornerOf(at(index), size);
    const isSpecial = restricted.includes(index) || index === throne;
    const kind = isSpecial ? "special" : goals.includes(index) ? "goal" : (index + Math.floor(index / size) * (size % 2 === 0 ? 1 : 0)) % 2 ? "odd" : "even";
    ground.append(svg("rect", { class: `square ${kind}`, x, y, width: CELL, height: CELL }));
    if (isSpecial) ground.append(svg("path", { class: "carving", d: index === throne
      ? `M${x + 5} ${y + 5}h30v30h-30zm15 7v16m-8-8h16` : `M${x + 9} ${y + 9}l22 22m0-22l-22 22` }));
  }
  const lines = Array.from({ length: size + 1 }, (_, line) => `M${FRAME} ${FRAME + CELL * line}h${inner}M${FRAME + CELL * line} ${FRAME}v${inner}`).join("");
  const names = Array.from({ length: size }, (_, place) => [
    svg("text", { class: "coordinate", x: FRAME + CELL * (place + 0.5), y: full - 6 }, String.fromCharCode(97 + (flipped ? size - 1 - place : place))),
    svg("text", { class: "coordinate", x: FRAME / 2, y: FRAME + CELL * (size - place - 0.5) + 5 }, String(flipped ? size - place : place + 1)),
  ]);
  const below = svg("g", {});
  const above = svg("g", {});
  const root = svg("svg", { class: "board", viewBox: `0 0 ${full} ${full}`, role: "img", "aria-label": label },
    svg("rect", { class: "wood", width: full, height: full, rx: 8 }), ground,
    svg("path", { class: "lattice", d: lines }), names, below, above);
  return { root, below, above, size, at };
}

const isStill = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

/// Puts a position on a board: the last move, the pieces, crosses where some were captured. `moved` lets the last move be seen.
function placePosition(board, position, moved = false) {
  const { below, above, size, at } = board;
  below.replaceChildren();
  above.replaceChildren();
  for (const [index, kind] of [[position.from, "from"], [position.to, "to"]]) if (index !== null) {
    const [x, y] = cornerOf(at(index), size);
    below.append(svg("rect", { class: `last ${kind}`, x, y, width: CELL, height: CELL }),
      svg("path", { class: "brackets", d: `M${x + 2} ${y + 10}v-8h8m20 0h8v8m0 20v8h-8m-20 0h-8v-8` }));
  }
  const isMoving = moved && position.from !== null && position.from !== position.to && !isStill();
  position.squares.forEach((letter, index) => {
    if (letter === "") return;
    const piece = pieceAt(board, letter, index);
    above.append(piece);
    if (isMoving && index === position.to) slide(piece.firstChild, centerOf(at(position.from), size), centerOf(at(index), size));
  });
  for (const [index, letter] of position.captured) {
    const [x, y] = cornerOf(at(index), size);
    above.append(svg("path", { class: "cross", d: `M${x + 12} ${y + 12}l16 16m0-16l-16 16` }));
    if (isMoving) fade(board, letter, index);
  }
}

/// A piece on its square; what moves within is its only child.
function pieceAt({ size, at }, letter, index) {
  const [x, y] = centerOf(at(index), size);
  const piece = pieceShape(letter);
  piece.append(svg("g", {}, ...piece.childNodes));
  piece.setAttribute("transform", `translate(${x} ${y})`);
  return piece;
}

function slide(shape, [x1, y1], [x2, y2]) {
  shape.animate([{ transform: `translate(${x1 - x2}px, ${y1 - y2}px)` }, { transform: "none" }], { duration: 220, easing: "ease-out" });
}

function fade(board, letter, index) {
  const ghost = pieceAt(board, letter, index);
  board.above.append(ghost);
  const fading = ghost.firstChild.animate([{ opacity: 1, transform: "none" }, { opacity: 1, offset: 0.4 }, { opacity: 0, transform: "scale(.4)" }], { duration: 420 });
  fading.onfinish = () => ghost.remove();
}

/// An arrow between the middles of two squares.
function arrow(from, to, size, kind, weight) {
  const [[x1, y1], [x2, y2]] = [centerOf(from, size), centerOf(to, size)];
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const half = 1.5 + 3.5 * weight;
  const point = (along, aside) => `${(x1 + along * dx - aside * dy).toFixed(1)} ${(y1 + along * dy + aside * dx).toFixed(1)}`;
  const neck = length - 8 - 12;
  const outline = [[8, half], [neck, half], [neck, half + 5], [length - 8, 0], [neck, -half - 5], [neck, -half], [8, -half]];
  return svg("path", { class: `arrow ${kind}`, d: `M${outline.map(([along, aside]) => point(along, aside)).join("L")}Z` });
}

const HEAT_WHAT = [
  ["to", "moves to a square"], ["from", "moves from a square"], ["captured", "pieces captured on a square"],
];
const HEAT_WHO = [["0", "attackers"], ["1", "defenders without the king"], ["2", "the king"], ["12", "defenders and king"]];
const STEPS = 7;

/// Where pieces moved: a board with a choice of ruleset, what, and who; `games` says of which games.
function heatSection(maps, boards, games) {
  if (maps.length === 0) return null;
  const state = { map: 0, what: "to", who: "0" };
  const place = el("div", { class: "heat" });
  const update = () => place.replaceChildren(...heatMap(maps[state.map], boards, state));
  const set = (name) => (value) => { state[name] = value; update(); };
  const controls = el("div", { class: "controls" },
    maps.length > 1 ? choice("Ruleset", maps.map((map, index) => [String(index), map.ruleset]), set("map"), "0").node : null,
    choice("Show", HEAT_WHAT, set("what"), "to").node,
    choice("Of", HEAT_WHO, set("who"), "0").node);
  update();
  return section("heat", "Where pieces move",
    note(`${games}; the plies of openings are left out. The stronger the color of a square, the more often.`), controls, place);
}

function heatMap(map, boards, { what, who }) {
  const board = boards.find((one) => one.ruleset === map.ruleset);
  const sides = who === "12" ? [1, 2] : [Number(who)];
  // The king's end is the end of the game, so the lists of captures know two sides only.
  const lists = what === "captured" ? [map.captured[sides[0] === 0 ? 0 : 1]] : sides.map((side) => map[what][side]);
  const counts = lists[0].map((_, index) => lists.reduce((sum, list) => sum + list[index], 0));
  const total = counts.reduce((sum, count) => sum + count, 0);
  const most = Math.max(...counts, 1);
  const words = `${HEAT_WHAT.find(([key]) => key === what)[1]}, ${HEAT_WHO.find(([key]) => key === who)[1]}`;
  const { root, below, size } = drawBoard(board, `Heat map of ${map.ruleset}: ${words}`);
  const step = (count) => (count === 0 ? 0 : Math.max(1, Math.ceil((count / most) * STEPS)));
  counts.forEach((count, index) => {
    const [x, y] = cornerOf(index, size);
    const rect = svg("rect", { class: `warm w${step(count)}`, x: x + 1, y: y + 1, width: CELL - 2, height: CELL - 2 });
    rect.addEventListener("pointermove", (event) => showTip(event, [squareName(index, size), `${whole(count)} (${percent(count / Math.max(total, 1))})`]));
    rect.addEventListener("pointerleave", hideTip);
    below.append(rect);
    if (count > 0 && board.size <= 11) below.append(svg("text", { class: `heat-number w${step(count)}`, x: x + CELL / 2, y: y + CELL / 2 + 4 },
      count / total >= 0.0095 ? fixed((100 * count) / total, 0) : ""));
  });
  const order = counts.map((count, index) => [count, index]).sort((a, b) => b[0] - a[0]).slice(0, 15).filter(([count]) => count > 0);
  const rows = order.map(([count, index]) => [squareName(index, size), whole(count), percent(count / total)]);
  const scale = el("div", { class: "scale", "aria-hidden": "true" }, el("span", {}, "0"),
    Array.from({ length: STEPS }, (_, at) => el("i", { class: `w${at + 1}` })), el("span", {}, `${whole(most)} (${percent(most / Math.max(total, 1))})`));
  return [el("div", { class: "heat-board" }, root, scale, note("Numbers on squares are per cent.")),
    el("div", {}, total < 1000 ? warning(`only ${whole(total)} counted, in ${plural(map.games, "game")}.`) : note(`${whole(total)} counted, in ${plural(map.games, "game")}.`),
      table(`The squares used most: ${words}`, ["square", "times", "share"], rows))];
}
