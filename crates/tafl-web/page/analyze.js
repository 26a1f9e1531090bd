// Analysis: a game with variations, and what the engine thinks of each position while the reader looks at it.

/// Visits of the first search of a position, and up to which it goes on, doubling.
const FIRST_VISITS = 100;
const MOST_VISITS = 25600;
const LINES = 3;

function makeAnalyze(app) {
  const { engine, table } = app;
  const view = { tree: null, text: "", engineOn: true, arrows: true, heat: false, review: null, found: null, mistake: null, run: 0, cursor: { at: 0, move: () => {} }, key: null, kept: "", dropped: null, isStored: true };
  const analyses = makeAnalyses(app, view, (kept) => goOnWith(kept).then(app.top).catch(app.fail));
  const ui = analyzeParts(app, analyses.node);
  const now = () => view.tree.current;
  const size = () => view.tree.ruleset.board.size;
  const isMain = () => app.tab === "analyze";

  const show = (moved = false) => {
    analyses.keep();
    if (!isMain()) return;
    const { state } = now();
    view.found = null;
    const moves = state.legal.split(" ").filter((text) => text !== "" && text !== "end").map((text) => text.split("-").map((name) => squareIndex(name, size())));
    table.heat(null);
    table.arrows([]);
    table.show(positionOf(now(), size()), { legal: moves, moved });
    const end = state.reason ? `. ${endWords(state)}` : "";
    const words = plyWords(now(), size());
    ui.status.textContent = `${words}${end}`;
    app.say(`${words}${end}`);
    ui.endChain.hidden = !state.legal.split(" ").includes("end");
    [ui.first, ui.back].forEach((button) => { button.disabled = !now().parent; });
    [ui.forward, ui.last].forEach((button) => { button.disabled = now().children.length === 0; });
    ui.remove.disabled = !now().parent || view.review !== null;
    // From the position alone a captured king would go on.
    ui.playHere.disabled = state.reason !== "";
    view.cursor.at = now().ply;
    view.cursor.move();
    writeTree(ui, view.tree, go);
    search().catch(app.fail);
    book().catch(app.fail);
  };
  const go = (node) => { view.tree.current = node; show(); };
  /// Shows the position in which a mistake was made, with the mistake beside what is better.
  const goToMistake = (node) => { view.mistake = node; go(node.parent); app.top(); draw(); };
  const play = async (move) => { const node = await addMove(view.tree, now(), move); view.tree.current = node; show(true); };

  /// Searches the position at hand, ever longer, and shows what it finds.
  const search = async () => {
    view.run += 1;
    const own = view.run;
    // The search for mistakes goes on while the reader looks at moves.
    if (!view.review) engine.stop();
    const { state } = now();
    if (state.reason) { writeFound(ui, view, null, play); return; }
    if (!view.engineOn || view.review) { writeFound(ui, view, undefined, play); return; }
    const { net } = view.tree.ruleset;
    let told = 0;
    const tell = async (number) => {
      if (performance.now() - told < 250) return;
      told = performance.now();
      const found = await engine.ask("findings", { number, lines: LINES });
      if (own !== view.run || !found) return;
      view.found = found;
      writeFound(ui, view, found, play);
      draw();
    };
    let number = await engine.think(gameTo(view.tree, now()), { net, visits: FIRST_VISITS, progress: tell });
    for (let visits = FIRST_VISITS; number !== null && own === view.run; visits *= 2) {
      told = 0;
      await tell(number);
      if (view.found?.proven || visits >= MOST_VISITS || own !== view.run) break;
      number = await engine.goOn(number, visits, tell);
    }
  };
  const draw = () => {
    const { found, mistake } = view;
    if (!isMain()) return;
    const from = ([move]) => move.split("-").map((name) => squareIndex(name, size()));
    const shown = mistake?.parent === now() && mistake.move !== "end" ? [{ from: from([mistake.move])[0], to: from([mistake.move])[1], kind: "cut", weight: 0.9 }] : [];
    if (!found) { table.arrows(shown); return; }
    const most = Math.max(...found.lines.map((line) => line.visits), 1);
    const drawn = view.arrows ? found.lines.filter((line) => line.moves[0] !== "end") : [];
    const best = drawn.map((line, rank) => { const [a, b] = from(line.moves); return { from: a, to: b, kind: found.side, weight: rank === 0 ? 1 : 0.6 * (line.visits / most) }; });
    table.arrows([...shown, ...best.reverse()]);
    if (!view.heat) { if (table.shares) table.heat(null); return; }
    const shares = Array(size() ** 2).fill(0);
    for (const [move, prior] of found.moves) if (move !== "end") shares[squareIndex(move.split("-")[1], size())] += prior;
    table.heat(shares);
  };
  const book = async () => {
    const node = now();
    const moves = await engine.ask("book", { game: gameTo(view.tree, node) });
    if (node !== now()) return;
    writeBook(ui, moves, (move) => play(move).catch(app.fail));
  };
  /// Nobody looks for mistakes any more; `words` say why.
  const endReview = (words = "") => { view.review = null; ui.review.textContent = WORDS.analyze.review; ui.progress.textContent = words; };
  const find = async () => {
    if (view.review) { endReview(); engine.stop(); show(); return; }
    const line = lineThrough(now());
    const own = {};
    view.review = own;
    view.run += 1;
    ui.review.textContent = WORDS.analyze.stop;
    ui.remove.disabled = true;
    engine.stop();
    const tell = (ply) => { if (view.review === own) ui.progress.textContent = WORDS.analyze.reviewing(ply, line.length); };
    tell(0);
    const done = await review(engine, view.tree, line, tell, () => view.review === own);
    if (view.review !== own) return;
    endReview();
    if (!done) return;
    view.cursor = { at: now().ply, move: () => {} };
    const figure = reviewCurve(line, view.cursor);
    figure.addEventListener("click", (event) => pickPly(event, figure, line, go));
    ui.curve.replaceChildren(figure, reviewSummary(line, goToMistake), el("h3", {}, WORDS.analyze.mistakes), ...mistakeList(line, goToMistake));
    ui.curve.dataset.ready = "yes";
    show();
  };
  /// Puts a tree on the board. `isNews` says that it is kept as it is; `kept` is what is kept of it.
  const open = async (tree, { wantsReview = false, isNews = false, kept = null } = {}) => {
    endReview();
    engine.stop();
    Object.assign(view, { tree, mistake: null, key: kept?.key ?? null, kept: kept ? textOf(kept) : "", dropped: isNews ? null : treeText(tree) });
    ui.curve.replaceChildren();
    ui.curve.dataset.ready = "";
    offerGames([]);
    ui.told.textContent = "";
    analyses.list();
    if (isMain()) table.setShape(tree.ruleset.board);
    app.adopt(tree.ruleset, false);
    ui.rules.select.value = tree.ruleset.form.name;
    ui.knows.textContent = knowsWords(tree.ruleset);
    show();
    if (wantsReview) await find();
  };
  /// Offers the games of a text, by the lines on which they begin and their titles.
  const offerGames = (games) => {
    ui.games.node.hidden = games.length < 2;
    ui.games.select.replaceChildren(...games.map(([line, title], index) => el("option", { value: String(index + 1) }, WORDS.analyze.gameOf(index + 1, games.length, line, title))));
  };
  /// Makes the tree of a text, and returns it with what the engine read.
  const readTree = async (text, game) => {
    const { preset, form } = view.tree?.ruleset ?? app.first;
    const own = app.rulesets.filter((one) => !one.preset).map((one) => one.form);
    const reading = await engine.ask("read", { text, ruleset: preset ? form.name : form, own, game });
    const tree = await treeOf(engine, reading);
    tree.ruleset = app.named(tree.ruleset);
    tree.title = reading.games[game - 1]?.[1];
    return [tree, reading];
  };
  /// Goes on with an analysis that was kept.
  const goOnWith = async (kept) => {
    const [tree] = await readTree(kept.text, 1).catch((error) => { throw new Error(WORDS.games.damaged(error.message)); });
    for (const child of kept.path) tree.current = tree.current.children[child] ?? tree.current;
    await open(tree, { kept });
  };
  /// Goes on with the last analysis; returns whether there is one.
  const resume = async () => {
    const [kept] = keptAnalyses() ?? [];
    return kept ? goOnWith(kept).then(() => true, () => false) : false;
  };
  const read = async (text, game = 1) => {
    const choose = (games) => { view.text = text; offerGames(games); ui.games.select.value = String(game); };
    const [tree, reading] = await readTree(text, game).catch(async (error) => {
      // Others of its games may be in order.
      choose(await engine.ask("games", { text }));
      throw error;
    });
    if (reading.brings) await app.bring(tree);
    await open(tree, { isNews: true });
    choose(reading.games);
    ui.told.textContent = [WORDS.analyze.opened(reading.plies.length), ...reading.notes].join(" ");
    ui.told.classList.remove("warning");
    calm();
  };
  const told = (error) => { ui.told.textContent = error.message; ui.told.classList.add("warning"); };
  connect(app, view, ui, { go, play, find, open, read, told, show, draw, search });
  return {
    node: ui.node, open, resume, view, ui, tree: () => view.tree, show: () => { table.setShape(view.tree.ruleset.board); show(); }, leave: () => { view.run += 1; endReview(view.review ? WORDS.analyze.left : ui.progress.textContent); engine.stop(); },
    onMove: (from, to) => play(`${squareName(from, size())}-${squareName(to, size())}`).catch(app.fail),
    keys: { ArrowLeft: () => ui.back.click(), ArrowRight: () => ui.forward.click(), Home: () => ui.first.click(), End: () => ui.last.click(), f: () => { table.flip(); draw(); } },
  };
}

/// Lets the parts hear what the reader does.
function connect(app, view, ui, { go, play, find, open, read, told, show, draw, search }) {
  const { table } = app;
  const now = () => view.tree.current;
  const on = (button, act) => button.addEventListener("click", () => Promise.resolve(act()).catch(app.fail));
  on(ui.first, () => go(view.tree.root));
  on(ui.back, () => { if (now().parent) go(now().parent); });
  on(ui.forward, () => { if (now().children.length > 0) { view.tree.current = now().children[0]; show(true); } });
  on(ui.last, () => go(lineThrough(now()).at(-1)));
  on(ui.endChain, () => play("end"));
  on(ui.flip, () => { table.flip(); draw(); });
  on(ui.review, find);
  on(ui.remove, () => {
    const { parent, lost } = now();
    // Mistakes that are listed, or shown by an arrow, would lead to what is gone.
    if (lost !== undefined) ui.curve.replaceChildren();
    view.mistake = null;
    parent.children = parent.children.filter((child) => child !== now());
    go(parent);
  });
  const toggle = (box, name, act) => box.addEventListener("change", () => { view[name] = box.checked; act(); });
  toggle(ui.engineBox, "engineOn", () => search().catch(app.fail));
  toggle(ui.arrowBox, "arrows", draw);
  toggle(ui.heatBox, "heat", draw);
  on(ui.read, () => read(ui.text.value).catch(told));
  ui.games.select.addEventListener("change", () => read(view.text, Number(ui.games.select.value)).catch(told));
  ui.file.addEventListener("change", async () => {
    const [file] = ui.file.files;
    if (!file) return;
    try { await read(await file.text()); } catch (error) { told(error); }
    ui.file.value = "";
  });
  on(ui.save, () => download("game.txt", treeText(view.tree)));
  on(ui.copyText, () => copy(treeText(view.tree), ui.copyText));
  on(ui.copyLink, () => copy(linkTo(view.tree), ui.copyLink));
  on(ui.playHere, () => app.playFrom(view.tree));
  on(ui.fresh, async () => open(await newTree(app.engine, app.rulesets.find((one) => one.form.name === ui.rules.select.value))));
}

const check = (box, words) => el("label", { class: "check" }, box, ` ${words}`);

function analyzeParts(app, analyses) {
  const { analyze } = WORDS;
  const box = (checked) => el("input", { type: "checkbox", checked });
  const nav = (shape, key) => el("button", { type: "button", "aria-label": analyze.nav[shape], title: `${analyze.nav[shape]} (${key})` }, sign(shape));
  const ui = {
    status: el("p", { class: "status" }, analyze.empty), first: nav("first", "Home"), back: nav("back", "←"), forward: nav("forward", "→"), last: nav("last", "End"), flip: action(WORDS.play.flip, "f"),
    endChain: el("button", { type: "button", class: "primary" }, WORDS.play.endChain), engineBox: box(true), arrowBox: box(true), heatBox: box(false), bar: el("div", { class: "value-bar" }), thought: el("p", { class: "thought", "aria-live": "off" }),
    lines: el("ol", { class: "best-lines", "aria-label": analyze.lines }), review: el("button", { type: "button", class: "primary" }, analyze.review), progress: el("p", { class: "note", "aria-live": "polite" }), curve: el("div", { class: "curve" }),
    tree: el("div", { class: "tree scroll", tabindex: "0", role: "region", "aria-label": analyze.tree }), remove: action(analyze.deleteFrom), book: el("div", { class: "book" }), knows: el("p", { class: "note" }),
    text: el("textarea", { rows: 5, "aria-label": analyze.text, spellcheck: "false", placeholder: "d1-d3 f8-h8 (f8-g8) …" }), read: el("button", { type: "button", class: "primary" }, analyze.read), told: el("p", { class: "told", "aria-live": "polite" }),
    file: el("input", { type: "file", accept: ".txt,.pgn,.otg,.csv,text/plain", "aria-label": analyze.file }), save: action(analyze.save), copyText: action(analyze.copyText), copyLink: action(analyze.copyLink), playHere: action(analyze.playHere), fresh: action(analyze.fresh),
    games: choice(analyze.game, [], () => {}), rules: choice(WORDS.play.rules, app.rulesets.map((one) => [one.form.name, rulesetName(one)]), () => {}, app.first.form.name),
  };
  ui.node = el("div", { class: "panel" },
    el("div", { class: "card" }, el("div", { class: "buttons" }, ui.first, ui.back, ui.forward, ui.last), ui.status, el("div", { class: "tools" }, ui.endChain, ui.flip, check(ui.engineBox, analyze.engine), check(ui.arrowBox, analyze.arrows), check(ui.heatBox, analyze.heat)),
      ui.bar, ui.thought, ui.lines),
    el("div", { class: "card" }, el("div", { class: "tools" }, ui.review), ui.progress, ui.curve),
    el("div", { class: "card" }, fold(analyze.tree, ui.tree, el("div", { class: "tools" }, ui.remove)), fold(analyze.book, ui.book)),
    el("div", { class: "card" }, fold(analyze.open, el("label", { class: "choice wide" }, el("span", {}, analyze.text), ui.text), note(analyze.textHelp), el("div", { class: "tools" }, ui.read, el("label", { class: "choice" }, el("span", {}, analyze.file), ui.file)), ui.games.node, ui.told,
      el("div", { class: "tools" }, ui.save, ui.copyText, ui.copyLink, ui.playHere), el("div", { class: "tools end" }, ui.rules.node, ui.fresh)), ui.knows), analyses);
  ui.games.node.hidden = true;
  ui.node.querySelectorAll("details").forEach((one) => { one.open = true; });
  return ui;
}

/// What a search has found: null for the end of a game, undefined where it is switched off.
function writeFound(ui, view, found, play) {
  const { analyze } = WORDS;
  if (!found) {
    const chances = found === null ? certainChances(view.tree.current.state) : null;
    ui.bar.replaceChildren(...(chances ? valueBar(chances) : []));
    ui.thought.textContent = "";
    ui.lines.replaceChildren();
    ui.lines.dataset.visits = 0;
    return;
  }
  const shares = found.value.map((share) => percent(share, 0));
  const by = view.tree.ruleset.net === null ? analyze.byRollouts : analyze.byNet(view.tree.ruleset.netName);
  const certain = found.proven ? (found.proven.winner ? analyze.certain(found.proven.winner, found.proven.plies) : analyze.certainDraw) : analyze.chances(...shares);
  ui.bar.replaceChildren(...valueBar(found.value));
  ui.bar.setAttribute("aria-label", certain);
  ui.thought.textContent = `${certain} (${analyze.visits(found.visits)}, ${by}).`;
  ui.lines.dataset.visits = found.visits;
  writeLines(ui.lines, found, (rank) => { const line = view.found?.lines[rank]; if (line) play(line.moves[0]); });
}

/// The best lines, each a button that stays where it is while its words change: a slow click, or the focus, is not lost.
function writeLines(list, { lines, side }, choose) {
  while (list.children.length > lines.length) list.lastChild.remove();
  while (list.children.length < lines.length) {
    const rank = list.children.length;
    list.append(el("li", {}, el("button", { type: "button", onclick: () => choose(rank) }, el("b"), el("span", { class: "line-moves" }), el("span", { class: "number" }))));
  }
  lines.forEach(({ value, moves, visits }, rank) => {
    const parts = list.children[rank].firstChild.children;
    parts[0].className = side;
    [percent(side === "attackers" ? scoreOf01(value) : 1 - scoreOf01(value), 0), moves.slice(0, 6).join("  "), whole(visits)].forEach((words, part) => { parts[part].textContent = words; });
  });
}

/// The chances as a bar in three parts.
function valueBar([win, draw, loss]) {
  return [["attackers", win], ["drawn", draw], ["defenders", loss]].map(([side, share]) => el("i", { class: side, style: `flex-grow:${Math.max(share, 0.0001)}` }, share > 0.12 ? percent(share, 0) : ""));
}

/// The moves with their variations, each a button.
function writeTree(ui, tree, go) {
  const button = (node) => el("button", { type: "button", class: node.state.mover, "aria-current": node === tree.current ? "step" : null, onclick: () => go(node) },
    `${node.ply}. ${node.state.text.replaceAll("x", "×")}`);
  const write = (place, from) => {
    for (let at = from; at.children.length > 0; [at] = at.children) {
      const [main, ...others] = at.children;
      place.append(button(main), " ");
      for (const side of others) {
        const inner = el("div", { class: "variation" }, button(side), " ");
        write(inner, side);
        place.append(inner);
      }
    }
  };
  refocus(ui.tree, () => { ui.tree.replaceChildren(); write(ui.tree, tree.root); }, "[aria-current]");
  if (tree.root.children.length === 0) ui.tree.append(note(WORDS.analyze.empty));
  const current = ui.tree.querySelector("[aria-current]");
  if (current) ui.tree.scrollTop += current.getBoundingClientRect().top - ui.tree.getBoundingClientRect().top - ui.tree.clientHeight / 2;
}

/// Moves that others played here, with how their games ended: counts, as a few games are no statistics. Games without a known
/// result count in their number alone.
function writeBook(ui, moves, play) {
  const { analyze } = WORDS;
  if (moves.length === 0) { ui.book.replaceChildren(note(analyze.bookNone)); return; }
  const rows = moves.slice(0, 12).map(({ move, games, source }) => {
    const total = games.reduce((sum, count) => sum + count, 0);
    return [el("button", { type: "button", onclick: () => play(move) }, move), whole(total), ...games.slice(0, 3).map((count) => whole(count)), analyze.sources[source] ?? source];
  });
  ui.book.replaceChildren(table(analyze.book, analyze.bookHead, rows));
}

/// Shows the ply of a curve under the pointer.
function pickPly(event, figure, line, go) {
  const drawing = figure.querySelector(".plot svg");
  if (!drawing?.contains(event.target)) return;
  const rect = drawing.getBoundingClientRect();
  const share = (event.clientX - rect.left - 46) / Math.max(1, rect.width - 66);
  const ply = line[0].ply + Math.round(share * Math.max(1, line.at(-1).ply));
  go(line[Math.max(0, Math.min(line.length - 1, ply))]);
}
