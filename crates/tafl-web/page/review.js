// Looking through a game for mistakes: each position is searched, each ply judged.

const REVIEW_VISITS = 100;
/// Shares of the whole game that a ply loses, from which on it has a name.
const MISTAKES = [["blunder", 0.3], ["mistake", 0.15], ["inaccuracy", 0.05]];

const scoreOf01 = ([win, draw]) => win + draw / 2;
const mistakeOf = (lost) => MISTAKES.find(([, least]) => lost >= least)?.[0] ?? null;

/// The result of a position that ends the game, as chances of the attackers.
const certainChances = ({ winner }) => (winner === null ? [0, 1, 0] : winner === "attackers" ? [1, 0, 0] : [0, 0, 1]);

/// Searches each position of a line, and the one after the best ply where its value is needed; returns whether it came to the
/// end, false if `goes` said no. `progress` hears of each ply.
async function review(engine, tree, line, progress, goes) {
  const { net } = tree.ruleset;
  const visits = REVIEW_VISITS * (net === null ? ROLLOUT_FACTOR : 1);
  const look = async (game) => {
    const number = await engine.think(game, { net, visits });
    const found = number === null || !goes() ? null : await engine.ask("findings", { number, lines: 1 });
    return found && goes() ? { number, chances: found.value, best: found.lines[0].moves } : null;
  };
  for (const [index, node] of line.entries()) {
    if (node.state.reason) {
      node.review = { chances: certainChances(node.state), best: [], judged: null };
      continue;
    }
    const played = line[index + 1]?.move ?? null;
    if (node.review && node.review.played === played) continue;
    const game = gameTo(tree, node);
    const found = await look(game);
    if (!found) return false;
    const judged = played === null ? null : await engine.ask("judge", { number: found.number, move: played });
    const isOpen = judged?.every((value) => value === null);
    const better = isOpen ? await look({ ...game, moves: [...game.moves, found.best[0]] }) : null;
    if (isOpen && !better) return false;
    node.review = { ...found, judged, played, better };
    progress(index + 1);
  }
  line.slice(1).forEach((node, index) => { node.lost = lostBy(line[index], node); });
  return true;
}

/// Win minus loss of the side that moved to a node, by chances of the attackers, -1 to 1.
const valueOf = ({ state: { mover } }, [win, , loss]) => (mover === "attackers" ? win - loss : loss - win);

/// The share of the whole game that a ply lost, 0 to 1: by the search before it where that looked at it enough, else by the
/// searches after it and after the best ply. Both lean as much to whoever is to move.
function lostBy(before, node) {
  const { judged, better } = before.review;
  if (!judged || !node.review) return 0;
  const [drop, best] = judged;
  return (drop ?? Math.max(0, (best ?? valueOf(node, better.chances)) - valueOf(node, node.review.chances))) / 2;
}

/// The curve of a reviewed line, its mistakes as dots by size.
function reviewCurve(line, cursor) {
  const { analyze } = WORDS;
  const reviewed = line.filter((node) => node.review);
  const points = reviewed.map((node) => ({ x: node.ply, y: scoreOf01(node.review.chances) }));
  const dots = MISTAKES.map(([kind]) => ({
    name: analyze.kinds[kind], kind: "dots", color: `kind-${kind}`,
    points: reviewed.filter((node) => node.lost && mistakeOf(node.lost) === kind)
      .map((node) => ({ x: node.ply, y: scoreOf01(node.review.chances), text: `${node.state.text}: ${analyze.kinds[kind]}, ${analyze.lost(fixed(100 * node.lost, 0))}` })),
  }));
  const last = Math.max(1, line.at(-1).ply);
  return lineChart(analyze.curve, { series: [{ name: analyze.score, kind: "line", color: "attackers", points }, ...dots], height: 190, cursor, lines: [{ y: 0.5 }], label: analyze.curve,
    x: { name: analyze.ply, range: [0, last] }, y: { name: analyze.score, range: [0, 1], ticks: [0, 0.5, 1], format: (value) => percent(value, 0) } });
}

/// What each side lost, how often, when, and by which ply most; `go` shows one.
function reviewSummary(line, go) {
  const { analyze } = WORDS;
  const plies = line.slice(1).filter((node) => node.lost !== undefined);
  const of = (side, part = null) => plies.filter((node) => node.state.mover === side && (part === null || Math.floor((3 * (node.ply - 1)) / plies.length) === part));
  const perPly = (nodes) => (nodes.length === 0 ? "–" : fixed((100 * nodes.reduce((sum, node) => sum + node.lost, 0)) / nodes.length, 1));
  const worst = (nodes) => {
    const [node] = [...nodes].sort((one, two) => two.lost - one.lost);
    return node?.lost > 0 ? el("button", { type: "button", onclick: () => go(node) }, `${node.ply}. ${node.move}`) : "–";
  };
  const row = (head, cell) => [head, ...SIDES.map(cell)];
  const kinds = [...MISTAKES].reverse().map(([kind]) => row(`${analyze.kinds[kind]}s`.replace("ys", "ies"), (side) => whole(of(side).filter((node) => mistakeOf(node.lost) === kind).length)));
  const parts = analyze.parts.map((name, part) => row(name, (side) => perPly(of(side, part))));
  return el("div", { class: "book" }, table(analyze.summary, analyze.summaryHead, [row(analyze.perPly, (side) => perPly(of(side))), ...parts, ...kinds, row(analyze.worst, (side) => worst(of(side)))]));
}

/// The list of mistakes, the largest first; `go` shows one.
function mistakeList(line, go) {
  const { analyze } = WORDS;
  const found = line.filter((node) => node.lost && mistakeOf(node.lost)).sort((one, two) => two.lost - one.lost);
  if (found.length === 0) return [note(analyze.none)];
  const row = (node) => {
    const kind = mistakeOf(node.lost);
    const [better] = node.parent.review.best;
    return el("li", {}, el("button", { type: "button", class: `mistake ${node.state.mover}`, "aria-label": analyze.showMistake(node.ply, node.state.text, analyze.kinds[kind]), onclick: () => go(node) },
      el("span", { class: `badge kind-${kind}` }, analyze.kinds[kind]), el("b", {}, `${node.ply}. ${node.state.text.replaceAll("x", "×")}`), el("span", {}, `${analyze.lost(fixed(100 * node.lost, 0))}; ${analyze.better(better)}`)));
  };
  return [el("ol", { class: "mistakes" }, found.map(row)), note(analyze.pointsNote)];
}
