// A study of balance, as `tafl balance` summed it up.

function studySections({ summary: stored, picture, strength_picture: byStrength }) {
  const summary = titled(stored);
  return [overview(summary), fairness(summary, picture, byStrength), summary.effects.length > 0 ? effects(summary) : null, withStrength(summary), hardness(summary), outcomes(summary), course(summary), compared(summary)];
}

/// What warnings of a kind say, in the order in which they are shown.
const KINDS = {
  untrained: "The network never learned the ruleset, so its games say little:",
  weak: "Weaker than required; weak play favors the defenders:",
  capped: "Games that were cut, which score half:",
  drawn: "Mostly draws, which make any ruleset look even:",
  "few-openings": "Fewer distinct openings than requested:",
  "few-games": "Few games, which tell little:",
};

/// More warnings than these are shown by kind, and one by one in a fold.
const FEW_WARNINGS = 4;

/// A summary in which players have their titles as names.
function titled(summary) {
  const titles = new Map(summary.players.map((player) => [player.name, player.title]));
  const all = (list) => list.map((one) => (one.player === null ? one : { ...one, player: titles.get(one.player) }));
  const { players, cells, warnings, comparisons, rankings, effects } = summary;
  // What players of one family have in common, such as "five-rulesets net".
  const families = new Map(players.map((player) => [player.family, player.title.split(",")[0]]));
  return { ...summary, players: players.map((player) => ({ ...player, name: player.title, family: families.get(player.family) })),
    cells: all(cells), warnings: all(warnings), comparisons: all(comparisons), rankings: all(rankings), effects: all(effects) };
}

function overview(summary) {
  const { warnings, notes, verdict } = summary;
  const [first, ...others] = verdict;
  return section("verdict", "Verdict", first === undefined ? null : el("p", { class: "verdict" }, first), others.map((text) => el("p", {}, coded(text))),
    warnings.length > 0 ? fold(plural(warnings.length, "warning"), cautions(summary)) : null, fold("How the numbers are made", notes.map((text) => note(text))));
}

function cautions(summary) {
  const { warnings } = summary;
  const each = el("ul", {}, warnings.map((one) => el("li", {}, one.text)));
  if (warnings.length <= FEW_WARNINGS) return el("div", { class: "warning" }, each);
  const kinds = Object.entries(KINDS).map(([kind, text]) => [text, warnings.filter((one) => one.kind === kind)]).filter(([, own]) => own.length > 0);
  return el("div", { class: "warning" }, el("ul", {}, kinds.map(([text, own]) => el("li", {}, text, " ", concerned(summary, own), "."))), fold("All warnings", each));
}

/// Whom some warnings of a kind are about: players with their rulesets.
function concerned({ rulesets }, warnings) {
  const players = [...new Set(warnings.map((one) => one.player))];
  return players.map((player) => {
    const own = warnings.filter((one) => one.player === player).map((one) => one.ruleset);
    const under = own.length === rulesets.length && own.length > 1 ? `all ${own.length} rulesets` : own.join(", ");
    return player === null ? under : `${player} under ${under}`;
  }).join("; ");
}

const drawing = (svg, alt) => svg ? el("img", { class: "picture", src: `data:image/svg+xml,${encodeURIComponent(svg)}`, alt }) : null;

function fairness(summary, picture, byStrength) {
  const head = ["ruleset", "player", "W/D/L", "cut", "score (95 %)", "Elo (95 %)", "of games with a winner", "from even", "draws", "learned", "strength"];
  const data = table("Every ruleset and player", head, summary.cells.map((cell) => [cell.ruleset, cell.player, `${cell.results.wins}/${cell.results.draws}/${cell.results.losses}`, whole(cell.results.capped),
    shareText(cell.score), eloText(cell.elo), shareText(cell.decisive_share), shareText(cell.imbalance), shareText(cell.draw_rate), cell.trained === null ? "no network" : cell.trained ? "yes" : "no",
    cell.strength ? `${eloText(cell.strength.elo)} above ${cell.strength.reference}` : "not measured"]));
  const alt = "Attackers' score under each ruleset when a player plays itself, with intervals; the table has the numbers";
  return section("fairness", "Is it fair?", note("The attackers' score when each player plays itself: wins plus half the draws and the cut games, as the mean of the posterior, which few games leave closer to 50 % than they came out. 50 % is even."),
    drawing(picture, alt), drawing(byStrength, "Attackers' score by strength, people's beside the player's, for each ruleset"), data, peopleTable(summary));
}

const peopleTable = ({ people }) => people.length === 0 ? null : table("Games of people", ["where", "ruleset", "games", "attackers", "defenders", "draws", "score (95 %)", "source"],
  people.map((one) => [one.name, one.ruleset ?? "not stated", whole(one.games), `${one.attackers_percent}\u00a0%`, `${one.defenders_percent}\u00a0%`, `${one.draws_percent}\u00a0%`, shareText(one.score), one.source]));

/// A difference of two shares, in percentage points.
const pointsText = ({ value, low, high }) => `${fixed(100 * value, 1)} (${fixed(100 * low, 1)} to ${fixed(100 * high, 1)})`;

function effects({ effects: all }) {
  const players = [...new Set(all.map((one) => one.player))];
  // One axis for all players, so that their charts compare.
  const common = range(all.flatMap(({ difference }) => [difference.low, difference.high, 0]));
  const charts = players.map((player) => {
    const own = all.filter((one) => one.player === player);
    const rows = own.map((one) => ({ label: `${one.change.field}: ${one.change.to}`, ...one.difference, color: one.clear ? "attackers" : "muted", text: `${pointsText(one.difference)} points, ${plural(one.openings, "opening")}, ${whole(one.same_games)} of them the very same game` }));
    const data = table(`Effect of each field, ${player}`, ["field", "from", "to", "points (95 %)", "imbalance", "more balanced", "adjusted p", "openings", "same games"], own.map((one) => [one.change.field, one.change.from, one.change.to,
      pointsText(one.difference), pointsText(one.imbalance_difference), percent(one.more_balanced), fixed(one.adjusted, 3), whole(one.openings), whole(one.same_games)]));
    return intervalChart(`Change of the attackers' score, ${player}`, { rows, reference: 0, data, x: { name: "percentage points; above 0 helps the attackers", range: common, format: (value) => fixed(100 * value, 0) },
      legend: [["attackers", "clear after Holm's correction", "dots"], ["muted", "not clear", "dots"]] });
  });
  return section("effects", "What each rule does", note(`One field of ${all[0].base} changed at a time, played from the same openings.`), charts);
}

/// The attackers' score over the strength of players of one kind.
function withStrength(summary) {
  const strengths = (family) => summary.players.filter((player) => player.family === family && player.strength !== null);
  const families = [...new Set(summary.players.map((player) => player.family))].filter((family) => strengths(family).length > 1);
  if (families.length === 0) return null;
  const charts = families.map((family) => {
    const players = strengths(family);
    const unit = players[0].unit;
    const place = unit === "visits" ? Math.log2 : (value) => value;
    const back = unit === "visits" ? (value) => short(Math.round(2 ** value)) : short;
    const series = summary.rulesets.map((ruleset, index) => ({ name: ruleset.name, color: `set${index % 6}`, kind: ["line", "dashed", "dotted"][Math.floor(index / 6) % 3],
      points: players.map((player) => [player, summary.cells.find((cell) => cell.ruleset === ruleset.name && cell.player === player.name)]).filter(([, cell]) => cell && gamesOf(cell.results) > 0)
        .map(([player, cell]) => ({ x: place(player.strength), shift: (index - (summary.rulesets.length - 1) / 2) * 6, y: cell.score.value, low: cell.score.low, high: cell.score.high, text: `${ruleset.name}: ${shareText(cell.score)}` })) }));
    return lineChart(`Attackers' score over strength, ${family}`, { series, height: 320, lines: [{ y: 0.5 }], x: { name: unit === "visits" ? "visits per move" : "search depth in turns", ticks: players.map((player) => place(player.strength)), format: back },
      y: { name: "score", range: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], format: (value) => percent(value, 0) } });
  });
  return section("strength", "Does it change with strength?", el("div", { class: "grid" }, charts));
}

/// The visits that each side needs to find the moves of a deep search.
function hardness({ difficulties }) {
  if (difficulties.length === 0) return null;
  const [{ deepest }] = difficulties;
  const rows = difficulties.map(({ ruleset, side, visits, at_once, positions }, index) => ({ gap: ruleset === difficulties[index - 1]?.ruleset ? null : ruleset, label: side, color: side,
    value: Math.log2(visits.value), low: Math.log2(visits.low), high: Math.log2(visits.high), text: `${needed(visits)} visits, ${percent(at_once.value, 0)} found by one, ${plural(positions, "position")}` }));
  const data = table("Visits needed", ["ruleset", "side", "positions", "visits (95 %)", "found by one visit", "only by the deepest"], difficulties.map((one) => [one.ruleset, one.side, whole(one.positions), needed(one.visits), shareText(one.at_once), shareText(one.unsettled)]));
  const most = Math.ceil(Math.max(...rows.map((row) => row.high)));
  return section("difficulty", "Is one side harder to play?", note(`Visits from which on a search finds the move that it plays with ${whole(deepest)}: the more, the harder. Geometric means over open positions of the player's own games.`),
    intervalChart("Visits needed, by ruleset and side", { rows, data, x: { name: "visits", range: [0, most], ticks: Array.from({ length: most + 1 }, (_, bits) => bits), format: (bits) => whole(2 ** bits) },
      legend: [["attackers", "attackers", "dots"], ["defenders", "defenders", "dots"]] }));
}

const needed = ({ value, low, high }) => `${fixed(value, 1)} (${fixed(low, 1)} to ${fixed(high, 1)})`;

/// How charts call a player: where all are strengths of one network, by the strength alone, such as "64 visits".
function shortName({ players }) {
  const common = `${players[0]?.family}, `;
  const isOne = players.length > 1 && players.every(({ name }) => name.startsWith(common));
  return (player) => (isOne ? player.slice(common.length) : player);
}

function cellName(summary) {
  const short = shortName(summary);
  return (cell) => (summary.players.length > 1 ? `${cell.ruleset}, ${short(cell.player)}` : cell.ruleset);
}

function outcomes(summary) {
  const cells = summary.cells.filter((cell) => gamesOf(cell.results) > 0);
  const name = cellName(summary);
  const ends = cells.flatMap((cell) => cell.endings.map((end) => [cell.ruleset, cell.player, capital(end.text), whole(end.games), shareText(end.rate)]));
  const place = el("div", {});
  const update = (player) => place.replaceChildren(endsOf(player, cells.filter((cell) => cell.player === player), ends));
  const players = [...new Set(cells.map((cell) => cell.player))];
  if (players.length > 0) update(players[0]);
  return section("outcomes", "How games end",
    stackChart("Results", { rows: cells.map((cell) => ({ label: name(cell), parts: outcomeParts(cell.results) })), legend: OUTCOMES.map(([color, text]) => [color, text, "area"]),
      data: table("Results", ["ruleset", "player", "attackers win", "draw", "cut", "defenders win"], cells.map((cell) => [cell.ruleset, cell.player, ...outcomeParts(cell.results).map((part) => whole(part.value))])) }),
    players.length > 1 ? choice("Player", players.map((player) => [player, player]), update, players[0]).node : null, place);
}

function endsOf(player, cells, ends) {
  const rows = cells.flatMap((cell) => cell.endings.map((end, index) => ({ gap: index === 0 ? `${cell.ruleset} (${plural(gamesOf(cell.results), "game")})` : null, label: reasonText(end.reason), ...end.rate, color: end.winner ?? "muted",
    text: `${end.text}: ${shareText(end.rate)}, ${plural(end.games, "game")}` })));
  return intervalChart(`How games of ${player} end`, { rows, legend: [["attackers", "attackers win", "dots"], ["defenders", "defenders win", "dots"], ["muted", "nobody wins", "dots"]],
      data: table("How games end", ["ruleset", "player", "end", "games", "share (95 %)"], ends), x: { name: "share of games", range: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], format: (value) => percent(value, 0) } });
}

function course(summary) {
  const cells = summary.cells.filter((cell) => gamesOf(cell.results) > 0);
  const name = cellName(summary);
  const rows = cells.map((cell) => ({ label: name(cell), ...cell.length.mean, color: "neutral", text: `mean ${numberText(cell.length.mean)}, half of the games ${fixed(cell.length.lower_quartile, 0)} to ${fixed(cell.length.upper_quartile, 0)} plies` }));
  const decided = cells.filter((cell) => cell.decision && cell.decision.games > 0).map((cell) => ({ label: name(cell), ...cell.decision.share_of_length, color: "attackers",
    text: `${shareText(cell.decision.share_of_length)} of the game, ply ${numberText(cell.decision.ply.mean)}; ${plural(cell.decision.games, "game")}` }));
  const head = ["ruleset", "player", "plies", "median", "captured by attackers", "captured by defenders", "attackers' moves", "defenders' moves", "decided at ply"];
  const data = table("The course of games", head, cells.map((cell) => [cell.ruleset, cell.player, numberText(cell.length.mean), fixed(cell.length.median, 0), numberText(cell.captures[0].mean), numberText(cell.captures[1].mean),
    ...cell.branching.map((moves) => (moves === null ? "–" : fixed(moves, 1))), cell.decision ? numberText(cell.decision.ply.mean) : "–"]));
  return section("course", "The course of games", el("div", { class: "grid" },
    intervalChart("Length of games", { rows, x: { name: "plies, mean with 95 % interval" }, data }),
    decided.length > 0 ? intervalChart("When games were decided", { rows: decided, x: { name: "share of the game's length", range: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], format: (value) => percent(value, 0) },
      data: table("When games were decided", ["ruleset and player", "share of the game's length (95 %)"], decided.map((row) => [row.label, row.text])),
      notes: ["The ply from which every search saw the winner ahead."] }) : null));
}

function compared({ comparisons, rankings }) {
  if (comparisons.length === 0 && rankings.length === 0) return null;
  const pairs = comparisons.map((one) => [`${one.first} – ${one.second}`, one.player, percent(one.probability), fixed(one.adjusted, 3), one.clear ? "clear" : "not clear"]);
  const best = rankings.map((one) => [one.ruleset, one.player, percent(one.probability)]);
  return section("compared", "Which ruleset is more balanced?",
    note("Posterior probabilities (Dirichlet on outcomes). The adjusted value is two-sided and corrected for all pairs of a player after Holm; below 0.05 is called clear."),
    best.length > 0 ? mostBalanced(rankings, best) : null,
    table("Probability that the first ruleset is closer to even than the second", ["rulesets", "player", "probability", "adjusted", ""], pairs));
}

/// For each player, how probable it is of each ruleset that it is the closest to even.
function mostBalanced(rankings, rows) {
  const [rulesets, players] = ["ruleset", "player"].map((key) => [...new Set(rankings.map((one) => one[key]))]);
  const color = (ruleset) => `set${rulesets.indexOf(ruleset) % 6}`;
  const parts = (player) => rankings.filter((one) => one.player === player).map((one) => ({ color: color(one.ruleset), value: one.probability, text: one.ruleset }));
  return stackChart("Probability of being the most balanced of all", { shares: true, rows: players.map((player) => ({ label: player, parts: parts(player) })),
    legend: rulesets.map((ruleset) => [color(ruleset), ruleset, "area"]), data: table("Probability of being the most balanced of all", ["ruleset", "player", "probability"], rows) });
}
