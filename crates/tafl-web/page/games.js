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

function dropRules(name) {
  try { localStorage.removeItem(KEPT_RULES + name); } catch { /* Nothing is kept there. */ }
}

/// What a game looks like that is kept; its key and its time come on top.
const textOf = ({ key, at, ...rest }) => JSON.stringify(rest);

/// What is kept under a key; null where that is damaged or somebody else's.
function keptGame(key) {
  try {
    const kept = JSON.parse(localStorage.getItem(key));
    return isKept(kept) ? { ...kept, key } : null;
  } catch { return null; }
}

/// All games that are kept, the last one first; null where the browser does not let the page look.
function keptGames() {
  try {
    const games = Object.keys(localStorage).filter((key) => key.startsWith(KEPT)).map(keptGame).filter(Boolean);
    return games.sort((one, two) => two.at - one.at);
  } catch { return null; }
}

/// Whether a person of the game has moved.
const isBegun = (game) => lineTo(game.tree.current).some(({ state }) => state.mover && game.human[state.mover]);

/// The clocks as they are kept, with what they showed at each ply.
const keptClock = (game) => game.clock && { ...game.clock.kept(), plies: lineTo(game.tree.current).map((node) => game.times.get(node) ?? null) };

/// Keeps the game that is played, and lists all; `open(kept)` goes on with one.
function makeGames(game, open) {
  const ui = { list: el("ul", { class: "kept" }) };
  ui.summary = el("summary", {}, WORDS.games.title);
  ui.node = el("details", { class: "card" }, ui.summary, ui.list);
  ui.node.open = !window.matchMedia("(max-width: 820px)").matches;
  const list = () => {
    const games = keptGames();
    ui.summary.textContent = games?.length ? `${WORDS.games.title} (${games.length})` : WORDS.games.title;
    ui.list.replaceChildren(...(games?.length ? games.map(row) : [el("li", {}, note(games ? WORDS.games.none : WORDS.games.blocked))]));
  };
  const row = (kept) => {
    const words = [WORDS.games.who(kept.you, WORDS.play.levels[kept.level] ?? kept.level), plural(kept.plies, "ply", "plies"), ...(kept.end ? [endWords(kept.end)] : []), new Date(kept.at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })];
    const remove = action(WORDS.games.remove);
    remove.setAttribute("aria-label", `${WORDS.games.remove}: ${kept.name}, ${words.join("; ")}`);
    sure(remove, WORDS.games.removeSure, () => {
      localStorage.removeItem(kept.key);
      // It stays on the board, and is kept again once somebody moves.
      if (kept.key === game.key) Object.assign(game, { key: null, dropped: game.tree.current });
      list();
    });
    const now = kept.key === game.key;
    return el("li", {}, el("button", { type: "button", class: "mistake", "aria-current": now ? "true" : null, onclick: () => { if (!now) open(kept); } }, el("b", {}, kept.name), el("span", {}, now ? `${words.join("; ")} (${WORDS.games.now})` : words.join("; "))), remove);
  };
  /// Keeps the game as it stands; one that no person has moved in is none yet.
  const keep = () => {
    if (!game.key && (game.dropped === game.tree.current || !isBegun(game))) return;
    const { state, ply } = game.tree.current;
    const you = game.human.attackers && game.human.defenders ? null : SIDES.find((side) => game.human[side]);
    const end = game.over ?? (state.reason ? { winner: state.winner, reason: state.reason } : null);
    const text = textOf({ link: linkTo(game.tree).split("#")[1], name: rulesetName(game.tree.ruleset), you, level: you && game.level.name, clock: keptClock(game), end, plies: ply });
    if (text === game.kept) return;
    game.kept = text;
    game.key ??= `${KEPT}${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
    try {
      localStorage.setItem(game.key, JSON.stringify({ ...JSON.parse(text), at: Date.now() }));
      game.isStored = true;
    } catch {
      if (game.isStored && keptGames()) warn(WORDS.games.full);
      game.isStored = false;
    }
    list();
  };
  // Another tab that goes on with the same game has it; this one's moves become a game of their own.
  window.addEventListener("storage", ({ key }) => { if (key === game.key || key === null) Object.assign(game, { key: null, dropped: game.tree.current }); list(); });
  // The clock's last state.
  window.addEventListener("pagehide", () => { if (game.key) keep(); });
  document.addEventListener("visibilitychange", () => { if (document.hidden && game.key) keep(); });
  list();
  return { node: ui.node, keep, list };
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
