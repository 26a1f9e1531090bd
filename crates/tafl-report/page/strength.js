// Who is how strong: the ladder, the sides, every match.

const generationOf = (name) => { const found = /^checkpoint (\d+)$/.exec(name); return found ? Number(found[1]) : null; };
const wdl = (tally) => `${tally.wins}/${tally.draws + tally.capped}/${tally.losses}`;
const sum = (one, other) => ({ wins: one.wins + other.wins, draws: one.draws + other.draws, losses: one.losses + other.losses, capped: one.capped + other.capped });
const gamesOfBoth = ({ attackers, defenders }) => gamesOf(sum(attackers, defenders));
const decidedOf = ({ attackers, defenders }) => attackers.wins + attackers.losses + defenders.wins + defenders.losses;
/// Whether a player neither won nor lost every game: how far those are from others, no game says.
const isMixed = ({ attackers, defenders }) => [attackers.wins + defenders.wins, attackers.losses + defenders.losses].every((games) => games < gamesOfBoth({ attackers, defenders }));
const FEW = 100;

function strengthSection({ standings }) {
  if (!standings) return section("strength", "Strength", note("No matches were played yet: the ladder is played at the end of a run, or by `tafl arena` on the run's config."));
  const { players, anchor } = standings;
  const few = players.filter((player) => gamesOfBoth(player) < FEW && player.name !== anchor);
  const drawn = players.filter((player) => decidedOf(player) < gamesOfBoth(player));
  const oneSided = players.filter((player) => !isMixed(player));
  const undecided = drawn.filter((player) => decidedOf(player) < Math.max(10, gamesOfBoth(player) / 10));
  return section("strength", "Strength",
    note(`Elo above ${anchor}, of all matches together (Bradley and Terry's model with draws and an advantage of the attackers); intervals are 95 %.`),
    drawn.length > 0 ? note("This Elo is of games that were won: 400 are 10 wins for each loss, however many are drawn; few decided games make it wide.") : null,
    undecided.length > 0 ? warning(`games drawn, and fewer than ten decided, or a tenth: ${undecided.map((player) => player.name).join(", ")}. Their scores say more than this Elo.`) : null,
    oneSided.length > 0 ? warning(`won or lost every game: ${oneSided.map((player) => player.name).join(", ")}. How far, no game says: their Elo is hardly more than what is assumed beforehand.`) : null,
    few.length > 0 ? warning(`fewer than ${FEW} games of ${few.map((player) => player.name).join(", ")}.`) : null,
    el("div", { class: "grid" }, ladder(standings), sides(standings)),
    playerTable(standings), fold("Each match", matchTable(standings)), fold("Who is stronger, with what probability", superiority(standings)));
}

function ladder({ players, anchor }) {
  const checkpoints = players.filter((player) => generationOf(player.name) !== null).sort((a, b) => generationOf(a.name) - generationOf(b.name));
  const point = (player) => ({ x: generationOf(player.name), y: player.elo.value, low: player.elo.low, high: player.elo.high,
    text: `${player.name}: ${eloText(player.elo)}, ${plural(gamesOfBoth(player), "game")}` });
  if (checkpoints.length < 2) return playerIntervals(players, anchor);
  const others = players.filter((player) => generationOf(player.name) === null);
  const chart = lineChart("Elo of the checkpoints", {
    series: [{ name: "checkpoints", color: "neutral", kind: "line", points: checkpoints.map(point) }],
    x: { name: "checkpoint", ticks: [...new Set(checkpoints.map((player) => generationOf(player.name)))].filter((_, index, all) => all.length < 9 || index % Math.ceil(all.length / 8) === 0), format: (value) => fixed(value, 0) },
    y: { name: `Elo above ${anchor}`, format: signed }, height: 300, digits: 0,
  });
  return others.length === 0 ? chart : el("div", {}, chart, playerIntervals(others, anchor, "Elo of the other players"));
}

function playerIntervals(players, anchor, title = "Elo of the players") {
  const rows = players.map((player) => ({ label: player.name, ...player.elo, color: "neutral", text: `${eloText(player.elo)}, ${plural(gamesOfBoth(player), "game")}` }));
  return intervalChart(title, { rows, reference: 0, data: table(title, ["player", "Elo (95 %)"], rows.map((row) => [row.label, row.text])), x: { name: `Elo above ${anchor}`, format: signed } });
}

function sides({ rulesets }) {
  const rows = rulesets.filter((ruleset) => gamesOf(ruleset.attackers) > 0).map((ruleset) => ({
    label: ruleset.name, ...ruleset.attacker_advantage, color: "attackers", text: `${eloText(ruleset.attacker_advantage)}, ${plural(gamesOf(ruleset.attackers), "game")}` }));
  const data = table("Advantage of the attackers", ["ruleset", "Elo (95 %)", "draws at equal strength", "attackers' W/D/L", "games"],
    rulesets.map((ruleset) => [ruleset.name, eloText(ruleset.attacker_advantage), shareText(ruleset.even_draw_rate), wdl(ruleset.attackers), whole(gamesOf(ruleset.attackers))]));
  return intervalChart("Advantage of the attackers in matches", { rows, reference: 0, data, x: { name: "Elo; below 0 favors the defenders", format: signed },
    notes: ["Between equal players, by the same model. Players of a ladder are of very different strength: `tafl balance` measures this better."] });
}

function playerTable({ players, bootstrap_resamples: resamples }) {
  const isDrawn = players.some((player) => player.bootstrap);
  const head = ["player", "Elo (95 %)", ...(isDrawn ? ["bootstrap"] : []), "attackers W/D/L", "defenders W/D/L", "games", "score"];
  const rows = players.map((player) => {
    const all = sum(player.attackers, player.defenders);
    return [player.name, eloText(player.elo), ...(isDrawn ? [player.bootstrap ? eloText(player.bootstrap) : "–"] : []),
      wdl(player.attackers), wdl(player.defenders), whole(gamesOf(all)), percent(scoreOf(all))];
  });
  return el("div", {}, table("Players", head, rows), isDrawn ? note(`Bootstrap: pairs of games resampled ${whole(resamples)} times. D includes games cut at the ply limit.`) : null);
}

function matchTable({ matches }) {
  const rows = matches.map((match) => [`${match.players[0]} – ${match.players[1]}`, match.ruleset, wdl(match.attackers), wdl(match.defenders),
    match.pairs.join("-"), eloText(match.elo), probability(match.superiority)]);
  return table("Matches, from the first player's point of view", ["match", "ruleset", "attackers W/D/L", "defenders W/D/L", "pairs 0-½-1-1½-2", "Elo (95 %)", "stronger"], rows);
}

function superiority({ players, superiority: matrix }) {
  const rows = players.map((player, row) => [`${row + 1} ${player.name}`, ...players.map((_, column) => (row === column ? "–" : probability(matrix[row][column])))]);
  return table("Probability that the player of the row is stronger than the player of the column", ["player", ...players.map((_, column) => String(column + 1))], rows);
}
