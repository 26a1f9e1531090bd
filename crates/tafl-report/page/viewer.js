// The game viewer: a board that steps through a game, with what the search thought.

/// Every position of a game: squares, and what was captured on the way there.
function positionsOf(game, size) {
  const squares = parseBoard(game.start);
  const positions = [{ squares: squares.slice(), captured: [], from: null, to: null, side: null, text: "start" }];
  const plies = game.plies === "" ? [] : game.plies.split(" ");
  let chain = null;
  plies.forEach((text, index) => {
    const side = game.sides[index] === "a" ? "attackers" : "defenders";
    if (text === "end") {
      positions.push({ squares: squares.slice(), captured: [], from: chain, to: chain, side, text, chained: true });
      return;
    }
    const [move, ...taken] = text.split("x");
    const [from, to] = move.split("-").map((name) => squareIndex(name, size));
    squares[to] = squares[from];
    squares[from] = "";
    const captured = taken.map((name) => squareIndex(name, size)).map((at) => [at, squares[at]]);
    for (const [at] of captured) squares[at] = "";
    chain = to;
    positions.push({ squares: squares.slice(), captured, from, to, side, text, chained: game.chained.includes(index) });
  });
  return positions;
}

/// Files count generations from 0, people from 1.
const gameTitle = (game) => `${game.is_match ? `match of ${game.attackers} and ${game.defenders}` : `self-play, generation ${game.generation + 1}`}, game ${game.game_id}`;
const attackersScore = ([win, draw]) => (win + draw / 2) / 1000;

function viewerSection(games, boards, total, isStudy) {
  if (games.length === 0) return section("games", "Games", note("This page contains no games."));
  const state = { list: games, game: null, ply: 0, positions: [], timer: null, hints: true, flipped: false };
  const wanted = { ruleset: "", result: "", reason: "", kind: "" };
  const ui = viewerParts();
  const distinct = (of) => [...new Set(games.map(of))].sort();
  const any = (word) => [["", `any ${word}`]];
  const names = { attackers: "attackers win", defenders: "defenders win", none: "nobody wins" };
  const spars = (game) => [game.attackers, game.defenders].some((name) => name.startsWith("alphabeta:"));
  const ofSelfPlay = (game) => (spars(game) ? "a sparring partner" : game.handicap ? `handicap of the ${game.handicap}` : "no handicap");
  const kindOf = (game) => (isStudy ? game.attackers : game.is_match ? "match" : `self-play, ${ofSelfPlay(game)}`);
  const fits = (game) => (!wanted.ruleset || game.ruleset === wanted.ruleset) && (!wanted.result || (game.winner ?? "none") === wanted.result)
    && (!wanted.reason || game.reason === wanted.reason) && (!wanted.kind || kindOf(game) === wanted.kind);

  const show = (ply, speak = true) => {
    state.ply = Math.max(0, Math.min(ply, state.positions.length - 1));
    showPosition(state, ui, boards, speak);
  };
  const open = (game, ply = 0) => {
    stop();
    ui.list.selectedIndex = state.list.indexOf(game);
    state.game = game;
    state.positions = positionsOf(game, boards.find((one) => one.ruleset === game.ruleset).size);
    openGame(state, ui, show, boards);
    show(ply, false);
  };
  const stop = () => { clearInterval(state.timer); state.timer = null; ui.play.replaceChildren(sign("play")); ui.play.setAttribute("aria-label", "Play"); };
  const play = () => {
    if (state.timer) return stop();
    if (state.ply === state.positions.length - 1) show(0);
    ui.play.replaceChildren(sign("pause"));
    ui.play.setAttribute("aria-label", "Pause");
    state.timer = setInterval(() => (state.ply === state.positions.length - 1 ? stop() : show(state.ply + 1, false)), 700);
  };
  const turn = (by) => {
    const place = state.list.indexOf(state.game) + by;
    if (place < 0 || place >= state.list.length) return;
    open(state.list[place]);
  };
  const filter = (name) => (value) => {
    wanted[name] = value;
    state.list = games.filter(fits);
    ui.list.replaceChildren(...state.list.map((game, index) => el("option", { value: index },
      `${isStudy ? game.attackers : gameTitle(game)} · ${game.ruleset} · ${outcomeText(game.winner, game.reason).toLowerCase()} · ${game.sides.length} plies`)));
    ui.count.textContent = `${plural(state.list.length, "game")} of ${whole(games.length)}`;
    ui.stage.hidden = state.list.length === 0;
    // Preferably one with something to say.
    if (state.list.length > 0) open(state.list.find((game) => Object.keys(game.searches).length > 0) ?? state.list[0]);
  };
  const link = () => `${location.href.split("#")[0]}#${gameKey(state.game)}-ply-${state.ply}`;
  const follow = () => {
    const [key, ply] = decodeURIComponent(location.hash.slice(1)).split("-ply-");
    const game = state.list.find((one) => gameKey(one) === key);
    if (!game) return;
    open(game, Number(ply) || 0);
    ui.stage.scrollIntoView();
  };
  ui.flip.addEventListener("click", () => { state.flipped = !state.flipped; drawAgain(state, ui, boards); });
  ui.copyLink.addEventListener("click", () => copy(link(), ui.copyLink));
  ui.copyMoves.addEventListener("click", () => copy(turnsText(state.positions), ui.copyMoves));
  window.addEventListener("hashchange", follow);
  const act = { first: () => show(0), back: () => show(state.ply - 1), forward: () => show(state.ply + 1), last: () => show(Infinity), play, previous: () => turn(-1), next: () => turn(1) };
  for (const [name, action] of Object.entries(act)) ui[name].addEventListener("click", () => { if (name !== "play") stop(); action(); });
  ui.list.addEventListener("change", () => open(state.list[ui.list.selectedIndex]));
  ui.slider.addEventListener("input", () => { stop(); show(Number(ui.slider.value)); });
  ui.hints.addEventListener("change", () => { state.hints = ui.hints.checked; show(state.ply, false); });
  document.addEventListener("keydown", (event) => onKey(event, ui, act, stop));

  const controls = el("div", { class: "controls" },
    choice("Ruleset", any("ruleset").concat(distinct((game) => game.ruleset).map((name) => [name, name])), filter("ruleset")).node,
    choice("Result", any("result").concat(distinct((game) => game.winner ?? "none").map((key) => [key, names[key]])), filter("result")).node,
    choice("End", any("end").concat(distinct((game) => game.reason).map((reason) => [reason, reasonText(reason)])), filter("reason")).node,
    choice(isStudy ? "Player" : "Kind", any(isStudy ? "player" : "kind").concat(distinct(kindOf).map((kind) => [kind, kind])), filter("kind")).node);
  filter("ruleset")("");
  setTimeout(follow);
  return section("games", "Games",
    note(`${plural(games.length, "game")} of ${whole(total)}, taken from every kind of ending and from the first to the last: something to look at, no fair sample. ${isStudy ? "All counts above are of all games, equal ones counted once." : "All counts above are of all games."}`),
    controls, el("div", { class: "picker" }, el("label", { class: "choice wide" }, el("span", {}, "Game"), ui.list), el("div", { class: "turn" }, ui.previous, ui.next, ui.count)), ui.stage);
}

/// What a link calls a game.
const gameKey = (game) => ["game", game.ruleset, game.is_match ? "match" : "self-play", game.generation, game.game_id, game.attackers, game.defenders].join("-").replace(/[^\w.-]+/g, "_");

/// The moves as text, which `tafl analyze` and `tafl rules convert` read; a chain is one word.
const turnsText = (positions) => turnsOf(positions).map((turn) => turn.plies.map((ply, index) => {
  const { text } = positions[ply];
  return index === 0 || text === "end" ? text : text.slice(text.indexOf("-") + 1);
}).join("-")).join(" ");

/// The parts of the viewer that change.
function viewerParts() {
  const button = (shape, label, key) => el("button", { type: "button", "aria-label": label, title: `${label} (${key})` }, sign(shape));
  const ui = {
    list: el("select", { id: "game-list" }), count: el("output", { class: "count" }),
    previous: button("up", "Previous game", "↑"), next: button("down", "Next game", "↓"),
    first: button("first", "Start of the game", "Home"), back: button("back", "One ply back", "←"), play: button("play", "Play", "space"),
    forward: button("forward", "One ply forward", "→"), last: button("last", "End of the game", "End"),
    flip: el("button", { type: "button" }, "flip board"), copyLink: el("button", { type: "button" }, "copy link to this ply"),
    copyMoves: el("button", { type: "button" }, "copy moves"),
    slider: el("input", { type: "range", min: 0, value: 0, "aria-label": "Ply" }),
    hints: el("input", { type: "checkbox", checked: true }),
    board: el("div", { class: "board-place" }), status: el("p", { class: "status", "aria-live": "polite" }), head: el("div", { class: "game-head" }),
    captured: el("div", { class: "captured" }), search: el("div", { class: "search" }), moves: el("ol", { class: "moves", "aria-label": "Moves" }), curve: el("div", {}),
  };
  ui.scroll = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "List of moves" }, ui.moves);
  ui.stage = el("div", { class: "viewer", id: "viewer" },
    el("div", { class: "left" }, ui.board, el("div", { class: "buttons" }, ui.first, ui.back, ui.play, ui.forward, ui.last), ui.slider,
      el("label", { class: "check" }, ui.hints, " show the search's moves as arrows"),
      el("div", { class: "tools" }, ui.flip, ui.copyMoves, ui.copyLink),
      note("Keys: ← → ply, Home End, space plays, ↑ ↓ game.")),
    el("div", { class: "right" }, ui.head, ui.status, ui.captured, ui.search, ui.curve, fold("Moves", ui.scroll)));
  ui.stage.querySelector("details").open = true;
  return ui;
}

function onKey(event, ui, act, stop) {
  const { target } = event;
  const typing = target.closest?.("input:not([type=range]):not([type=checkbox]), select, textarea, summary, .scroll");
  const rect = ui.stage.getBoundingClientRect();
  const isSeen = rect.top < window.innerHeight && rect.bottom > 0;
  if (typing || ui.stage.hidden || !isSeen || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === " " && target.closest?.("button, input")) return;
  const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", " ": "play", ArrowUp: "previous", ArrowDown: "next" };
  const name = keys[event.key];
  // Up and down turn the page unless the viewer has the focus.
  if (!name || ((name === "previous" || name === "next") && !ui.stage.contains(target))) return;
  event.preventDefault();
  if (name !== "play") stop();
  act[name]();
}

/// Puts what stays the same within a game in its place: head, curve, list of moves.
function openGame(state, ui, show, boards) {
  const { game, positions } = state;
  const players = game.attackers === game.defenders ? `${game.attackers} against itself` : `attackers: ${game.attackers}, defenders: ${game.defenders}`;
  const facts = [players, game.ruleset, plural(game.sides.length, "ply", "plies"),
    game.opening_plies > 0 ? `${plural(game.opening_plies, "ply", "plies")} of a random or given opening` : null,
    game.handicap ? `part of the ${game.handicap}' plies random (handicap)` : null];
  ui.head.replaceChildren(el("h3", {}, outcomeText(game.winner, game.reason)), el("p", {}, facts.filter(Boolean).join(" · ")));
  ui.slider.max = positions.length - 1;
  state.shape = boards.find((one) => one.ruleset === game.ruleset);
  state.board = drawBoard(state.shape, "Board", state.flipped);
  ui.board.replaceChildren(state.board.root);
  state.cursor = { at: 0, move: () => {} };
  ui.curve.replaceChildren(valueCurve(game, state.cursor));
  ui.moves.replaceChildren(...turnsOf(positions).map((turn) => el("li", { class: turn.side },
    turn.plies.map((ply) => el("button", { type: "button", "data-ply": ply, onclick: () => show(ply) }, plyText(positions[ply]))))));
}

/// Draws the board anew, from the other side perhaps.
function drawAgain(state, ui, boards) {
  state.board = drawBoard(state.shape, "Board", state.flipped);
  ui.board.replaceChildren(state.board.root);
  showPosition(state, ui, boards, false);
}

const plyText = (position) => (position.text === "end" ? "ends chain" : position.chained ? `→${position.text.split("-")[1]}` : position.text).replaceAll("x", "×");

/// The plies by turn: those of a chain together.
function turnsOf(positions) {
  const turns = [];
  positions.forEach((position, ply) => {
    if (ply === 0) return;
    if (position.chained && turns.length > 0) turns.at(-1).plies.push(ply);
    else turns.push({ side: position.side, plies: [ply] });
  });
  return turns;
}

function valueCurve(game, cursor) {
  const plies = Object.keys(game.searches).map(Number).sort((a, b) => a - b);
  if (plies.length === 0) return note("This game has no stored search results.");
  const series = [["search", "after the search", "line"], ["network", "before the search", "dashed"]].map(([key, name, kind]) => ({
    name, kind, color: key === "search" ? "attackers" : "muted",
    points: plies.map((ply) => ({ x: ply, y: attackersScore(game.searches[ply][key]) })),
  }));
  return lineChart("Attackers' expected score", { series, height: 170, x: { name: "ply", range: [0, game.sides.length] },
    y: { name: "score", range: [0, 1], ticks: [0, 0.5, 1], format: (value) => percent(value, 0) }, lines: [{ y: 0.5 }], cursor,
    notes: plies.length < game.sides.length - game.opening_plies ? [`Stored for ${plies.length} of ${plural(game.sides.length, "ply", "plies")}: only those searched in full are learned from.`] : [],
    label: "Attackers' expected score by ply" });
}

function showPosition(state, ui, boards, speak) {
  const { game, ply, positions } = state;
  const position = positions[ply];
  const isLast = ply === positions.length - 1;
  const { above, size, root, at } = state.board;
  placePosition(state.board, position);
  const search = game.searches[ply];
  if (search && state.hints) search.moves.slice(0, 4).forEach(([move, share]) => {
    if (move === "end") return;
    const [from, to] = move.split("-").map((name) => at(squareIndex(name, size)));
    above.append(arrow(from, to, size, game.sides[ply] === "a" ? "attackers" : "defenders", share / 1000));
  });
  const text = statusText(state);
  root.setAttribute("aria-label", `Board after ${text}`);
  ui.status.setAttribute("aria-live", speak ? "polite" : "off");
  ui.status.replaceChildren(el("b", {}, `Ply ${ply} of ${positions.length - 1}`), ` ${text}`);
  ui.slider.value = ply;
  state.cursor.at = ply;
  state.cursor.move();
  ui.slider.setAttribute("aria-valuetext", `ply ${ply}: ${text}`);
  ui.captured.replaceChildren(...capturedRows(positions, ply));
  ui.search.replaceChildren(...searchRows(game, ply, isLast));
  ui.stage.dataset.ply = ply;
  ui.stage.dataset.end = isLast ? game.reason : "";
  [ui.first, ui.back].forEach((button) => { button.disabled = ply === 0; });
  [ui.forward, ui.last].forEach((button) => { button.disabled = isLast; });
  for (const button of ui.moves.querySelectorAll("[aria-current]")) button.removeAttribute("aria-current");
  const current = ui.moves.querySelector(`[data-ply="${ply}"]`);
  if (current) {
    current.setAttribute("aria-current", "step");
    // Only the list scrolls, not the page.
    ui.scroll.scrollTop += current.getBoundingClientRect().top - ui.scroll.getBoundingClientRect().top - ui.scroll.clientHeight / 2;
  } else ui.scroll.scrollTop = 0;
}

function statusText({ game, ply, positions }) {
  const position = positions[ply];
  if (ply === 0) return `Start; the ${game.sides[0] === "d" ? "defenders" : "attackers"} move first`;
  const taken = position.captured.map(([index, letter]) => `${PIECES[letter]} on ${squareName(index, Math.sqrt(position.squares.length))}`);
  const what = position.text === "end" ? `${position.side} end the chain` : `${position.side} ${position.text.split("x")[0]}`;
  const parts = [what, position.chained && position.text !== "end" ? "same side again, capture chain" : null,
    ply <= game.opening_plies ? "opening" : null, taken.length > 0 ? `captures ${taken.join(", ")}` : null];
  const end = ply === positions.length - 1 ? `. ${outcomeText(game.winner, game.reason)}` : "";
  return parts.filter(Boolean).join("; ") + end;
}

function capturedRows(positions, ply) {
  const letters = positions.slice(0, ply + 1).flatMap((position) => position.captured.map(([, letter]) => letter));
  return [["attackers", "captured from the attackers"], ["defenders", "captured from the defenders"]].map(([side, words]) => {
    const lost = letters.filter((letter) => sideOf(letter) === side);
    return el("div", {}, el("span", {}, `${capital(words)}: ${lost.length}`), lost.map(pieceIcon));
  });
}

function searchRows(game, ply, isLast) {
  const search = game.searches[ply];
  if (isLast) return [];
  if (!search) return [note(ply < game.opening_plies ? "A ply of the opening, without a search."
    : Object.keys(game.searches).length === 0 ? "" : "No full search; only those are stored.")];
  const played = (game.plies.split(" ")[ply] ?? "").split("x")[0];
  const side = game.sides[ply] === "a" ? "attackers" : "defenders";
  const [win, draw, loss] = search.search;
  // Bars compare moves with the best one; the numbers say how much it is.
  const most = Math.max(...search.moves.map(([, share]) => share), 1);
  const rows = search.moves.map(([move, share]) => el("li", {}, el("span", { class: "move" }, move), el("span", { class: "bar" },
    el("i", { class: side, style: `width:${(100 * share) / most}%` })), el("span", { class: "number" }, `${fixed(share / 10, share < 100 ? 1 : 0)}\u00a0%`), el("span", { class: "played" }, move === played ? "played" : "")));
  return [el("p", { class: "thought" }, `The ${side}' search, ${plural(search.visits, "visit")}: attackers win ${fixed(win / 10, 0)}\u00a0%, draw ${fixed(draw / 10, 0)}\u00a0%, defenders win ${fixed(loss / 10, 0)}\u00a0%`,
    search.proven ? el("b", {}, " (proven)") : null, "."), el("ol", { class: "top-moves", "aria-label": "The search's moves with their shares" }, rows)];
}
