// Playing: against the engine, or two people at one board.

const SIDES = ["attackers", "defenders"];
const other = (side) => (side === "attackers" ? "defenders" : "attackers");
/// Shortest time of an engine's move, so that the reader sees it.
const LEAST_MS = 450;
const HINT_VISITS = 120;
/// Random games say less than a network: so many more visits make up for a part.
const ROLLOUT_FACTOR = 8;

const rulesetName = (ruleset) => (ruleset.preset ? WORDS.rulesets[ruleset.form.name] ?? ruleset.form.name : ruleset.form.name);

/// A value as the terminal writes it, -1 to 1.
const signedValue = (value) => (value > 0 ? "+" : "") + fixed(value, 2);

/// What the page's networks know of a ruleset.
const knowsWords = ({ knows, netName }) => (knows ? WORDS.play.knows[knows](netName) : WORDS.play.knows.none);

/// The half of a page on which games are played.
function makePlay(app) {
  const { engine, table } = app;
  const game = { tree: null, human: { attackers: true, defenders: false }, level: app.about.levels[0], over: null, again: null, clock: null, times: new Map(), run: 0, busy: false, key: null, kept: "", dropped: null, isStored: true };
  const games = makeGames(app, game, (kept) => open(kept).then(app.top).catch(app.fail));
  const ui = playParts(app, games.node);
  const ruleset = () => game.tree.ruleset;
  const now = () => game.tree.current;
  const side = () => now().state.side;
  const isOver = () => endOf(game) !== null;
  const isYours = () => !isOver() && game.human[side()];
  const legalMoves = () => now().state.legal.split(" ").filter((text) => text !== "" && text !== "end")
    .map((text) => text.split("-").map((name) => squareIndex(name, ruleset().board.size)));

  const show = (moved = false) => {
    games.keep();
    if (app.tab !== "play") return;
    table.heat(null);
    table.arrows([]);
    table.show(positionOf(now(), ruleset().board.size), { legal: isYours() ? legalMoves() : [], moved });
    writePlay(ui, game, { isYours: isYours(), isOver: isOver(), ruleset: ruleset(), node: now() });
    sayOnce();
    app.say(plyWords(now(), ruleset().board.size));
    explain().catch(app.fail);
  };
  /// Says why the last ply captured what it did.
  const explain = async () => {
    const node = now();
    if (node.state.captured.length === 0 && node.state.reason !== "king-captured") return;
    const why = await engine.ask("why", { game: gameTo(game.tree, node) });
    if (node === now() && ui.note.textContent === "") ui.note.textContent = why.join(" ");
  };
  /// What ended the game away from the board, or null once it goes on.
  const setOver = (over) => {
    game.over = over;
    game.tree.end = over && { after: now(), words: offBoardWords(over) };
  };
  const finish = (winner, reason) => { setOver({ winner, reason }); game.clock?.stop(); if (app.tab === "play") engine.stop(); show(); };
  const step = async (move) => {
    const own = game.run;
    const node = await addMove(game.tree, now(), move);
    // Of two moves at once the first counts; the other one was not played.
    if (own !== game.run || node.parent !== now()) {
      node.parent.children = node.parent.children.filter((one) => lineTo(now()).includes(one));
      return;
    }
    game.tree.current = node;
    if (isOver()) game.clock?.stop(); else game.clock?.turn(side());
    game.times.set(node, timesNow());
    show(true);
    await answer();
  };
  /// The opponent's move, or null if another search began.
  const chosen = async () => {
    const { level: { depth, temperature, visits } } = game;
    const asked = gameTo(game.tree, now());
    if (depth) return engine.ask("alphabeta", { game: asked, depth });
    const { net } = ruleset();
    const seed = Math.floor(Math.random() * 2 ** 31);
    const number = await engine.think(asked, { net, visits: visits * (net === null ? ROLLOUT_FACTOR : 1) });
    return number === null ? null : engine.ask("choose", { number, temperature, seed });
  };
  const answer = async () => {
    const own = game.run;
    if (isOver() || isYours() || game.busy) return;
    game.busy = true;
    try {
      const begun = performance.now();
      const move = await chosen();
      await new Promise((done) => { setTimeout(done, LEAST_MS - (performance.now() - begun)); });
      if (own !== game.run || move === null) return;
      game.busy = false;
      if (!isOver()) await step(move);
    } catch (error) {
      app.fail(error);
    } finally {
      if (own === game.run) game.busy = false;
    }
  };
  const timesNow = () => game.clock?.kept().left ?? null;
  /// The clocks as they stood when a position came. Where that is not known, they stay, or begin anew if one ran out.
  const timesAt = (node) => game.times.get(node) ?? (SIDES.every((one) => timesNow()[one] > 0) ? timesNow() : null);
  /// Puts clocks beside the board: `left` is what they show, or null for whole ones.
  const setClock = (wanted) => {
    game.clock?.stop();
    game.clock = wanted && makeClock(wanted.kind, (late) => finish(other(late), "time"), wanted.left && { left: wanted.left });
    ui.clock.replaceChildren(...(game.clock ? [game.clock.node] : []));
  };
  /// Whatever was under way no longer counts.
  const interrupt = () => { game.run += 1; game.busy = false; engine.stop(); };

  /// Goes on with a game that was kept. If the reader only opened the page, its clocks wait for him.
  const open = async (kept, isAway = false) => {
    const tree = await readLink(app, kept.link, WORDS.games.damaged);
    const { you, clock } = kept;
    const level = you && (app.about.levels.find((one) => one.name === kept.level) ?? app.about.levels[0]);
    await begin({ ruleset: tree.ruleset, start: tree.start, you, level, clock: clock?.kind ?? "" }, { tree, kept, isAway });
    ui.against.select.value = level?.name ?? "people";
    foretell();
    if (you) ui.you.select.value = you;
    ui.clocks.select.value = clock?.kind ?? "";
  };
  /// Goes on with the game that was on the board when the page was left; returns whether there is one.
  const resume = async () => {
    const [kept] = keptGames() ?? [];
    return kept ? open(kept, true).then(() => true, () => false) : false;
  };
  /// Begins a game, unless the reader would rather go on with the one in progress.
  const start = async (wanted) => {
    const tree = await newTree(engine, wanted.ruleset, wanted.start);
    const { title, kept, lost, answers } = WORDS.games.leave;
    const answer = isOver() || !isBegun(game) ? "new" : await question(title, game.isStored ? kept : lost, answers);
    if (!answer) return;
    calm();
    app.go("play", answer === "new");
    if (answer === "new") await begin(wanted, { tree });
    ui.setup.open = !window.matchMedia("(max-width: 820px)").matches;
    app.top();
  };
  const begin = async ({ ruleset: chosen, start: first = null, you, level, clock = "" }, { tree = null, kept = null, isAway = false } = {}) => {
    const begun = tree ?? await newTree(engine, chosen, first);
    // With what its clocks show now.
    if (game.key) games.keep();
    interrupt();
    // What ended on the board is known from the board.
    const over = kept && begun.current.state.reason === "" ? kept.end : null;
    Object.assign(game, { tree: begun, level, human: { attackers: level === null || you === "attackers", defenders: level === null || you === "defenders" }, again: { ruleset: chosen, start: first, you, level, clock }, key: kept?.key ?? null, kept: kept ? textOf(kept) : "", dropped: null });
    setOver(over);
    game.times = new Map();
    setClock(clock ? { kind: clock, left: kept?.clock?.left ?? null } : null);
    lineTo(now()).forEach((node, index) => { const left = kept?.clock?.plies?.[index]; if (left) game.times.set(node, left); });
    if (!game.times.has(now())) game.times.set(now(), timesNow());
    if (kept?.clock?.runs && !isOver()) {
      if (isAway) game.clock.hold();
      game.clock.turn(side());
    }
    calm();
    app.adopt(chosen, kept === null);
    ui.rules.select.value = chosen.form.name;
    ui.start.value = first ?? "";
    foretell();
    if (app.tab === "play") table.setShape(chosen.board);
    games.list();
    show();
    await answer();
  };
  const takeBack = async () => {
    if (!now().parent) return;
    interrupt();
    setOver(null);
    let node = now().parent;
    while (node.parent && !(game.human[node.state.side] && node.state.chain === null)) node = node.parent;
    node.children = [];
    game.tree.current = node;
    // Whoever takes back has the time that he had there.
    if (game.clock) setClock({ kind: game.clock.kind, left: timesAt(node) });
    if (node.parent) game.clock?.turn(side());
    show();
    app.say(WORDS.play.tookBack);
    await answer();
  };
  const hint = async () => {
    if (!isYours()) return;
    const [own, node] = [game.run, now()];
    const isPast = () => own !== game.run || node !== now();
    const { net, board } = ruleset();
    const number = await engine.think(gameTo(game.tree, node), { net, visits: HINT_VISITS * (net === null ? ROLLOUT_FACTOR : 1) });
    const found = number === null ? null : await engine.ask("findings", { number, lines: 2 });
    if (!found || isPast()) return;
    const [{ moves: [move], value }, next] = found.lines;
    const reasons = await engine.ask("reasons", { game: gameTo(game.tree, node), move });
    if (isPast()) return;
    const { winner, plies } = found.proven ?? {};
    const said = ([win, , loss]) => signedValue(win - loss);
    const worth = winner ? [WORDS.analyze.certain(winner, plies)] : [WORDS.play.hintValue(said(found.value), said(value)), ...(next ? [WORDS.play.hintNext(next.moves[0], said(next.value))] : [])];
    ui.note.textContent = WORDS.play.hintIs(move, [...reasons, ...worth]);
    if (move === "end") return;
    const [from, to] = move.split("-").map((name) => squareIndex(name, board.size));
    table.arrows([{ from, to, kind: side(), weight: 0.8 }]);
  };
  const resign = () => {
    if (isOver()) return;
    const loser = game.human.attackers && game.human.defenders ? side() : SIDES.find((one) => game.human[one]);
    finish(other(loser), "resigned");
  };
  const wanted = () => {
    const chosen = app.rulesets.find((one) => one.form.name === ui.rules.select.value);
    const you = ui.you.select.value === "random" ? SIDES[Math.floor(Math.random() * 2)] : ui.you.select.value;
    const level = app.about.levels.find((one) => one.name === ui.against.select.value) ?? null;
    return { ruleset: chosen, start: ui.start.value.trim() || null, you, level, clock: ui.clocks.select.value };
  };
  /// What stands by the new game need not stand by the one on the board, too.
  const sayOnce = () => { ui.knows.hidden = ui.setup.open && ui.foretold.textContent === ui.knows.textContent; };
  ui.setup.addEventListener("toggle", sayOnce);
  /// Says before a game how well its opponent knows the rules.
  const foretell = () => {
    const { ruleset: chosen, level } = wanted();
    const isNews = Boolean(level?.visits) && chosen.knows !== "ruleset";
    ui.foretold.hidden = !isNews;
    ui.foretold.textContent = isNews ? knowsWords(chosen) : "";
    sayOnce();
  };
  [ui.rules, ui.against].forEach(({ select }) => select.addEventListener("change", foretell));
  ui.begin.addEventListener("click", () => start(wanted()).catch(app.fail));
  // The game that was played, whatever stands in the form.
  ui.again.addEventListener("click", () => start(game.again).catch(app.fail));
  ui.takeBack.addEventListener("click", () => takeBack().catch(app.fail));
  ui.hint.addEventListener("click", () => hint().catch(app.fail));
  ui.flip.addEventListener("click", () => { table.flip(); });
  sure(ui.resign, WORDS.play.resignSure, resign);
  ui.endChain.addEventListener("click", () => step("end").catch(app.fail));
  ui.learn.addEventListener("click", () => app.learn(ruleset()).catch(app.fail));
  ui.mistakes.addEventListener("click", () => app.analyze(game.tree, true));
  return {
    node: ui.node, begin, start, resume, tree: () => game.tree, show: () => { table.setShape(ruleset().board); game.clock?.wake(); show(); answer(); }, game, ui,
    // The opponent's search is stopped, and so is its time.
    leave: () => { if (!isYours()) game.clock?.rest(); interrupt(); },
    onMove: (from, to) => step(`${squareName(from, ruleset().board.size)}-${squareName(to, ruleset().board.size)}`).catch(app.fail),
    keys: { z: () => takeBack().catch(app.fail), h: () => hint().catch(app.fail), f: () => table.flip() },
  };
}

/// How to play under a ruleset, as the engine and the terminal tell it.
function howTo({ words }) {
  return [el("summary", {}, WORDS.how.title), el("ul", {}, words.map((line) => el("li", {}, line)))];
}

const action = (label, key) => el("button", { type: "button", title: key ? `${label} (${key})` : null }, label);

function playParts(app, games) {
  const { play } = WORDS;
  const rules = choice(play.rules, app.rulesets.map((one) => [one.form.name, rulesetName(one)]), () => {}, app.first.form.name);
  const levels = app.about.levels.map(({ name }) => [name, play.levels[name] ?? name]);
  const ui = {
    status: el("h2", { class: "play-status" }, WORDS.status.loading), result: el("p", { class: "result" }), goal: el("p", { class: "goal" }), how: el("details", { class: "how" }), learn: action(WORDS.how.learn), note: el("p", { class: "note", "aria-live": "polite" }), clock: el("div", {}),
    captured: el("div", { class: "captured" }), takeBack: action(play.takeBack, "z"), hint: action(play.hint, "h"), flip: action(play.flip, "f"), resign: action(play.resign),
    endChain: el("button", { type: "button", class: "primary" }, play.endChain), mistakes: el("button", { type: "button", class: "primary" }, play.mistakes), again: action(play.again),
    moves: el("ol", { class: "moves", "aria-label": play.moves }), knows: el("p", { class: "note" }), rules, you: choice(play.you, Object.entries(play.sides), () => {}, "attackers"),
    against: choice(play.against, [...levels, ["people", play.people]], () => {}, levels[0][0]), clocks: choice(play.clock, play.clocks, () => {}, ""),
    start: el("input", { type: "text", "aria-label": play.from, spellcheck: "false" }), begin: el("button", { type: "button", class: "primary" }, play.newGame),
    foretold: el("p", { class: "warning", role: "status", hidden: true }),
  };
  rules.select.addEventListener("change", () => { ui.start.value = ""; });
  ui.scroll = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": play.moves }, ui.moves);
  ui.over = el("div", { class: "tools" }, ui.mistakes, ui.again);
  ui.setup = fold(play.newGame, el("div", { class: "setup" }, ui.rules.node, ui.you.node, ui.against.node, ui.clocks.node),
    ui.foretold, fold(play.from, ui.start, note(play.fromHelp)), el("div", { class: "tools" }, ui.begin));
  ui.setup.classList.add("card");
  ui.setup.open = !window.matchMedia("(max-width: 820px)").matches;
  ui.node = el("div", { class: "panel" },
    el("div", { class: "card now" }, ui.status, ui.result, ui.goal, ui.how, ui.clock, ui.over, el("div", { class: "tools" }, ui.endChain, ui.takeBack, ui.hint, ui.flip, ui.resign), ui.note, ui.captured),
    ui.setup, games, el("div", { class: "card" }, ui.knows, fold(play.moves, ui.scroll)));
  return ui;
}

/// Says where the game stands.
function writePlay(ui, game, { isYours, isOver, ruleset, node }) {
  const { state } = node;
  const both = game.human.attackers && game.human.defenders;
  const you = SIDES.find((one) => game.human[one]);
  const end = endOf(game);
  const { status } = WORDS;
  if (end) ui.status.textContent = end.winner === null ? status.draw : both ? status.over(capital(end.winner)) : end.winner === you ? status.youWin : status.youLose;
  else ui.status.textContent = both ? status.turnOf(capital(state.side)) : isYours ? status.yourTurn(state.side) : status.thinking;
  ui.result.textContent = end ? endWords(end) : state.chain !== null && isYours ? status.chain : "";
  const { escape, king_step_limit: kingSteps, men_step_limit: menSteps } = ruleset.form;
  const edges = escape === "edges";
  ui.goal.replaceChildren(el("strong", {}, both ? WORDS.goals.both(edges) : WORDS.goals[you](edges)), ` ${WORDS.goals.how(kingSteps === "none" && menSteps === "none")} ${ruleset.king}`);
  if (ui.how.dataset.rules !== JSON.stringify(ruleset.form)) {
    ui.how.dataset.rules = JSON.stringify(ruleset.form);
    const [head, rules] = howTo(ruleset);
    ui.how.replaceChildren(head, ui.learn, rules);
  }
  ui.note.textContent = "";
  ui.over.hidden = !end;
  ui.endChain.hidden = !(isYours && state.legal.split(" ").includes("end"));
  ui.takeBack.disabled = !node.parent;
  ui.hint.disabled = !isYours;
  ui.resign.disabled = isOver;
  ui.knows.textContent = both || game.level.depth ? "" : knowsWords(ruleset);
  const line = lineTo(node);
  const letters = line.flatMap((one) => one.state.captured.map(([, letter]) => letter));
  ui.captured.replaceChildren(...SIDES.map((side) => el("div", {}, el("span", {}, `${WORDS.play.captured[side]}: ${letters.filter((letter) => sideOf(letter) === side).length} `),
    letters.filter((letter) => sideOf(letter) === side).map(pieceIcon))));
  ui.moves.replaceChildren(...line.slice(1).map((one) => el("li", { class: one.state.mover, "data-ply": one.ply }, one.state.text.replaceAll("x", "×"))));
  ui.scroll.scrollTop = ui.scroll.scrollHeight;
}
