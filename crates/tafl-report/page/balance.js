// How games of a run ended: which side wins, over the generations and how.

const GAMES_OF = { "latest self-play": "self-play, last quarter of the generations", "self-play": "self-play, all generations", matches: "matches" };

function balanceSection({ balance, self_play: results }) {
  if (balance.length === 0 && results.length === 0) return section("balance", "Balance", note("The network played no games yet."));
  const few = balance.filter((row) => row.is_few && row.games_of !== "self-play").map((row) => `${row.ruleset} (${GAMES_OF[row.games_of]}): ${plural(gamesOf(row.attackers), "game")}`);
  return section("balance", "Self-play and balance",
    note("The attackers' score is their wins and half their draws; games cut at the ply limit count as draws. Intervals are 95 % (a Beta posterior with Jeffreys' prior). Self-play begins with random plies and explores: how fair a ruleset is, `tafl balance` says."),
    few.length > 0 ? warning("few games, so wide intervals: ", few.join("; "), ".") : null,
    el("div", { class: "grid" }, trend(results), scores(balance)),
    resultShares(balance), endings(balance), el("div", { class: "grid" }, lengths(balance)));
}

/// The attackers' score generation by generation, with and without a handicap, one ruleset at a time.
function trend(results) {
  const rulesets = [...new Set(results.map((one) => one.ruleset))];
  const place = el("div", {});
  const update = (ruleset) => {
    const own = results.filter((one) => one.ruleset === ruleset && one.score);
    const points = (handicap) => own.filter((one) => one.handicap === handicap).map((one) => ({ x: one.generation + 1, y: one.score.value, low: one.score.low, high: one.score.high,
      text: `${handicap ? `handicap (or sparring partner) of the ${handicap}` : "both sides alike"}: ${shareText(one.score)}, W/D/L ${wdl(one.attackers)}` }));
    const rows = own.map((one) => [String(one.generation + 1), one.handicap ?? "none", wdl(one.attackers), shareText(one.score), whole(gamesOf(one.attackers)), fixed(one.plies, 1)]);
    const format = (value) => percent(value, 0);
    place.replaceChildren(lineChart(`Attackers' score in self-play, ${ruleset}`, {
      series: [{ name: "both sides alike", color: "neutral", kind: "line", points: points(null) },
        { name: "defenders handicapped or a partner", color: "attackers", kind: "dashed", points: points("defenders") },
        { name: "attackers handicapped or a partner", color: "defenders", kind: "dashed", points: points("attackers") }],
      x: { name: "generation" }, y: { name: "score", range: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], format }, lines: [{ y: 0.5 }], height: 300,
      toTable: table(`Self-play of ${ruleset}, results of the attackers`, ["generation", "handicap or partner", "W/D/L", "score (95 %)", "games", "plies a game"], rows),
    }));
  };
  if (rulesets.length > 0) update(rulesets[0]);
  const pick = rulesets.length > 1 ? choice("Ruleset", rulesets.map((name) => [name, name]), update, rulesets[0]).node : null;
  return el("div", {}, pick, place);
}

function scores(balance) {
  const rows = [];
  for (const row of balance.filter((one) => one.score)) {
    const isNew = rows.length === 0 || rows.at(-1).ruleset !== row.ruleset;
    rows.push({ ruleset: row.ruleset, gap: isNew ? row.ruleset : null, label: row.games_of, ...row.score, color: row.games_of === "matches" ? "neutral" : "attackers",
      hollow: row.games_of === "self-play", text: `${GAMES_OF[row.games_of]}: ${shareText(row.score)}, ${plural(gamesOf(row.attackers), "game")}` });
  }
  const data = table("Attackers' score by ruleset", ["ruleset", "games of", "W/D/L", "cut", "score (95 %)", "Elo (95 %)", "plies", "captures"], balance.map((row) => [row.ruleset, row.games_of,
    `${row.attackers.wins}/${row.attackers.draws}/${row.attackers.losses}`, whole(row.attackers.capped), shareText(row.score), eloText(row.attacker_advantage), fixed(row.lengths.mean, 1), fixed(row.captures, 1)]));
  return intervalChart("Attackers' score by ruleset", { rows, reference: 0.5, data, x: { name: "score", range: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], format: (value) => percent(value, 0) },
    notes: balance.every((row) => row.games_of === "matches") ? []
      : ["Games of self-play with a handicap or a sparring partner are left out, and those that alpha-beta played on both sides. Latest: the last quarter of the generations."] });
}

const OUTCOMES = [["attackers", "attackers win"], ["drawn", "draw"], ["cut", "cut at the limit"], ["defenders", "defenders win"]];
const outcomeParts = (tally) => [tally.wins, tally.draws, tally.capped, tally.losses].map((value, index) => ({ color: OUTCOMES[index][0], text: OUTCOMES[index][1], value }));

function resultShares(balance) {
  const rows = balance.filter((row) => row.games_of !== "self-play").map((row) => ({ label: `${row.ruleset}, ${row.games_of}`, parts: outcomeParts(row.attackers) }));
  return stackChart("Results", { rows, legend: OUTCOMES.map(([color, text]) => [color, text, "area"]),
    data: table("Results", ["games", "attackers win", "draw", "cut", "defenders win"], rows.map((row) => [row.label, ...row.parts.map((part) => whole(part.value))])) });
}

function endings(balance) {
  const rows = balance.filter((row) => row.games_of !== "self-play").flatMap((row) => row.endings.map((end, index) => ({
    gap: index === 0 ? `${row.ruleset}, ${row.games_of} (${plural(gamesOf(row.attackers), "game")})` : null,
    label: reasonText(end.reason), ...end.share, color: end.winner ?? "muted", text: `${outcomeText(end.winner, end.reason)}: ${shareText(end.share)}, ${plural(end.games, "game")}` })));
  const data = table("How games end", ["ruleset", "games of", "end", "games", "share (95 %)"], balance.flatMap((row) => row.endings.map((end) => [row.ruleset, row.games_of, outcomeText(end.winner, end.reason), whole(end.games), shareText(end.share)])));
  return intervalChart("How games end", { rows, data, legend: [["attackers", "attackers win", "dots"], ["defenders", "defenders win", "dots"], ["muted", "nobody wins", "dots"]],
    x: { name: "share of games", range: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], format: (value) => percent(value, 0) } });
}

function lengths(balance) {
  return balance.filter((row) => row.games_of === "latest self-play").map((row) => {
    const bars = row.lengths.games.map((games, index) => ({ from: index * row.lengths.bar, to: (index + 1) * row.lengths.bar, games }));
    return columnChart(`Length of games, ${row.ruleset}`, { bars, color: "neutral", x: "plies", notes: [`Latest self-play: mean ${fixed(row.lengths.mean, 1)} plies, ${fixed(row.captures, 1)} captures a game.`],
      data: table(`Length of games, ${row.ruleset}`, ["plies", "games"], bars.map((bar) => [`${bar.from} to ${bar.to - 1}`, whole(bar.games)])) });
  });
}
