// Games and rules that the browser keeps over closed tabs, and the question before a game is left.

/// Each game has a key of its own, so that two tabs do not write over each other.
const KEPT = "taflforge-game:";

const isTimes = (left) => SIDES.every((side) => Number.isFinite(left?.[side]));

const isKept = ({ link, name, you, level, clock, end, plies, at }) => typeof link === "string" && typeof name === "string" && (you === null || SIDES.includes(you)) && (level === null || typeof level === "string")
  && Number.isFinite(plies) && Number.isFinite(at) && (clock === null || (/^\d+\+\d+$/.test(clock.kind) && isTimes(clock.left) && (clock.plies === undefined || (Array.isArray(clock.plies) && clock.plies.every((left) => left === null || isTimes(left))))))
  && (end === null || (Object.hasOwn(WORDS.reasons, end.reason) && (end.winner === null || SIDES.includes(end.winner))));

/// Rules of the reader's own, each under its name.
const KEPT_RULES = "taflforge-rules:";

/// The fields of all that are kept; none where the browser does not let the page look.
function keptRules() {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(KEPT_RULES)).sort();
    return keys.flatMap((key) => { try { return [JSON.parse(localStorage.getItem(key))]; } catch { return []; } });
  } catch { return []; }
}

function areKept(name) {
  try { return localStorage.getItem(KEPT_RULES + name) !== null; } catch { return false; }
}

function keepRules(form) {
  try { localStorage.setItem(KEPT_RULES + form.name, JSON.stringify(form)); } catch { warn(WORDS.rules.notKept); }
}

function drop(key) {
  try { localStorage.removeItem(key); } catch { /* Nothing is kept there. */ }
}

/// What a game looks like that is kept; its key and its time come on top.
const textOf = ({ key, at, ...rest }) => JSON.stringify(rest);

/// All that is kept under keys with a beginning, the last one first, without what is damaged or somebody else's; null where the
/// browser does not let the page look.
function keptUnder(beginning, isIt) {
  const read = (key) => {
    try {
      const kept = JSON.parse(localStorage.getItem(key));
      return isIt(kept) ? [{ ...kept, key }] : [];
    } catch { return []; }
  };
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(beginning)).flatMap(read).sort((one, two) => two.at - one.at);
  } catch { return null; }
}

const keptGames = () => keptUnder(KEPT, isKept);

/// Whether a person of the game has moved.
const isBegun = (game) => lineTo(game.tree.current).some(({ state }) => state.mover && game.human[state.mover]);

/// How a game ended, on the board or away from it; null while it goes on.
function endOf({ over, tree: { current: { state } } }) {
  return over ?? (state.reason ? { winner: state.winner, reason: state.reason } : null);
}

/// The clocks as they are kept, with what they showed at each ply.
const keptClock = (game) => game.clock && { ...game.clock.kept(), plies: lineTo(game.tree.current).map((node) => game.times.get(node) ?? null) };

/// Whether what is kept, a link or a text, has other rules than those that have their name now.
function isOfOthers(app, { link, text }) {
  const rules = link === undefined ? /^ruleset: (\{.*)$/m.exec(text)?.[1] : new URLSearchParams(link).get("rules");
  try {
    const form = JSON.parse(rules ?? "{}");
    const known = app.rulesets.find((one) => one.form.name === form.name)?.form;
    return known !== undefined && Object.entries(form).some(([field, value]) => known[field] !== value);
  } catch { return false; }
}

/// A list of what is kept, as `all` finds it under keys with a beginning: `says` tells of one, `open` goes on with it. What is on
/// the board is kept in the key of `held`; without one, once `mark` says that it is no longer what it was. `lost` hears that
/// another tab goes on with it.
function makeShelf(app, held, { beginning, all, title, none, full, says, open, mark, lost = () => {} }) {
  const ui = { list: el("ul", { class: "kept" }), summary: el("summary", {}, title) };
  const node = el("details", { class: "card" }, ui.summary, ui.list);
  node.open = !window.matchMedia("(max-width: 820px)").matches;
  const list = () => {
    const found = all();
    ui.summary.textContent = found?.length ? `${title} (${found.length})` : title;
    refocus(ui.list, () => ui.list.replaceChildren(...(found?.length ? found.map(row) : [el("li", {}, note(found ? none : WORDS.games.blocked))])));
  };
  const letGo = () => Object.assign(held, { key: null, dropped: mark() });
  const remove = (key) => {
    drop(key);
    // It stays on the board, and is kept again once somebody changes it.
    if (key === held.key) letGo();
    list();
  };
  const row = (kept) => {
    const words = [...says(kept), ...(isOfOthers(app, kept) ? [WORDS.games.others] : []), new Date(kept.at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })];
    const button = action(WORDS.games.remove);
    button.setAttribute("aria-label", `${WORDS.games.remove}: ${kept.name}, ${words.join("; ")}`);
    sure(button, WORDS.games.removeSure, () => remove(kept.key));
    const now = kept.key === held.key;
    return el("li", {}, el("button", { type: "button", class: "mistake", "aria-current": now ? "true" : null, onclick: () => { if (!now) open(kept); } }, el("b", {}, kept.name), el("span", {}, now ? `${words.join("; ")} (${WORDS.games.now})` : words.join("; "))), button);
  };
  const keep = (text) => {
    if (text === held.kept) return;
    held.kept = text;
    held.key ??= `${beginning}${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
    try {
      localStorage.setItem(held.key, JSON.stringify({ ...JSON.parse(text), at: Date.now() }));
      held.isStored = true;
    } catch {
      if (held.isStored && all()) warn(full);
      held.isStored = false;
    }
    list();
  };
  // Another tab that goes on with the same has it; this one's moves are kept beside it.
  window.addEventListener("storage", ({ key }) => { if (key === held.key || key === null) { letGo(); lost(); } list(); });
  list();
  return { node, keep, list, remove };
}

/// Keeps the game that is played, and lists all; `open(kept)` goes on with one.
function makeGames(app, game, open) {
  const { title, none, full, who } = WORDS.games;
  // All but the clocks, which go on without anybody.
  const mark = () => JSON.stringify([linkTo(game.tree), endOf(game)]);
  const shelf = makeShelf(app, game, {
    beginning: KEPT, all: keptGames, title, none, full, open, mark,
    // Nobody loses on time in a tab that is left.
    lost: () => { if (!endOf(game)) { game.clock?.rest(); game.clock?.hold(); } },
    says: (kept) => [who(kept.you, WORDS.play.levels[kept.level] ?? kept.level), plural(kept.plies, "ply", "plies"), ...(kept.end ? [endWords(kept.end)] : [])],
  });
  /// Keeps the game as it stands; one that no person has moved in is none yet.
  const keep = () => {
    if (!game.key && (game.dropped === mark() || !isBegun(game))) return;
    const you = game.human.attackers && game.human.defenders ? null : SIDES.find((side) => game.human[side]);
    shelf.keep(textOf({ link: linkTo(game.tree).split("#")[1], name: rulesetName(game.tree.ruleset), you, level: you && game.level.name, clock: keptClock(game), end: endOf(game), plies: game.tree.current.ply }));
  };
  // The clock's last state.
  window.addEventListener("pagehide", () => { if (game.key) keep(); });
  document.addEventListener("visibilitychange", () => { if (document.hidden && game.key) keep(); });
  return { ...shelf, keep };
}

/// Analyses that are kept: their text, and the way to the position at hand, as numbers of children.
const KEPT_ANALYSES = "taflforge-analysis:";

const isAnalysis = ({ text, name, path, plies, at }) => [text, name].every((one) => typeof one === "string") && Array.isArray(path) && [plies, at, ...path].every(Number.isFinite);

const keptAnalyses = () => keptUnder(KEPT_ANALYSES, isAnalysis);

/// Keeps the analysis at hand once the reader made something of it, and lists all; `open(kept)` goes on with one.
function makeAnalyses(app, view, open) {
  const { title, none, full } = WORDS.games.analyses;
  const mark = () => treeText(view.tree);
  const shelf = makeShelf(app, view, { beginning: KEPT_ANALYSES, all: keptAnalyses, title, none, full, open, mark, says: ({ text, plies }) => [...(/^# (.+)/.exec(text)?.slice(1) ?? []), plural(plies, "ply", "plies")] });
  const keep = () => {
    const { tree } = view;
    const text = mark();
    if (!view.key && view.dropped === text) return;
    if (tree.root.children.length === 0 && !tree.start) { if (view.key) shelf.remove(view.key); return; }
    // What was made of a link is there when the page is loaded again, in place of what the link has.
    if (!view.key) history.replaceState(null, "", location.href.split("#")[0]);
    // What was opened before is one with it.
    view.key ??= keptAnalyses()?.find((one) => one.text === text)?.key ?? null;
    const path = lineTo(tree.current).slice(1).map((node) => node.parent.children.indexOf(node));
    shelf.keep(JSON.stringify({ text, name: rulesetName(tree.ruleset), path, plies: lineThrough(tree.root).length - 1 }));
  };
  return { ...shelf, keep };
}

/// Writes buttons anew; if one had the focus, that of a selector has it, else the one at its place.
function refocus(place, write, selector = null) {
  const buttons = () => [...place.querySelectorAll("button")];
  const at = buttons().indexOf(document.activeElement);
  write();
  if (at >= 0) ((selector && place.querySelector(selector)) ?? buttons()[at] ?? buttons()[0])?.focus({ preventScroll: true });
}

/// Lets a button act at the second press.
function sure(button, words, act) {
  const [plain, name] = [button.textContent, button.getAttribute("aria-label")];
  let timer = null;
  const show = (text, label) => { button.textContent = text; if (name) button.setAttribute("aria-label", label); };
  const calm = () => { clearTimeout(timer); timer = null; show(plain, name); };
  button.addEventListener("click", () => {
    if (timer) { calm(); act(); return; }
    show(words, `${words} ${name}`);
    timer = setTimeout(calm, 3000);
  });
}

/// Asks the reader; `answers` are [value, words]. Returns the value of the button that was pressed, nothing after Escape.
function question(title, words, answers) {
  return new Promise((done) => {
    const button = ([value, text], index) => el("button", { type: "button", class: index === 0 ? "primary" : null, onclick: () => dialog.close(value) }, text);
    const dialog = el("dialog", { "aria-labelledby": "question" }, el("h2", { id: "question" }, title), el("p", {}, words), el("div", { class: "tools" }, answers.map(button)));
    dialog.addEventListener("close", () => { dialog.remove(); done(dialog.returnValue); });
    document.body.append(dialog);
    dialog.showModal();
  });
}
