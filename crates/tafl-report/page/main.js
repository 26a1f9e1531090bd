// What the page shows, in which order.

function runPage(run) {
  const { info, generations } = run;
  const steps = Math.max(0, ...Object.values(run.learning?.training ?? {}).map((curve) => curve.points.at(-1).step + 1));
  const tiles = [tile(whole(run.self_play_games), "games of self-play"), tile(whole(run.positions), "positions to learn from"), tile(whole(generations), generations === 1 ? "generation" : "generations"),
    tile(isUnmeasured(run) ? "–" : whole(steps), "training steps"), tile(whole(run.match_games), "games of matches"), best(run.standings)];
  const facts = [["program", `${info.version}${info.git_commit ? `, commit ${info.git_commit.slice(0, 12)}` : ""}`], ["seed", String(info.seed)], ["device", `${info.device}, ${info.precision}, libtorch ${info.libtorch}`],
    ["rulesets", Object.entries(info.rulesets).map(([name, fingerprint]) => `${name} (${fingerprint})`).join(", ")], ...ownRules(run), ["config", `SHA-256 ${info.config_sha256}`]];
  const about = section("about", "About this run", el("dl", {}, facts.flatMap(([term, text]) => [el("dt", {}, term), el("dd", {}, text)])), stagesTable(info.stages ?? []), workersTable(run.workers), leftOut(run.left_out), fold("The whole config", el("pre", { class: "scroll", tabindex: "0" }, run.config)),
    note("The numbers of this page are in summary.json beside it; metrics.parquet, games/ and arena/ of the run are Parquet with a description of each column."));
  return { kind: "Run", name: info.run, tiles, rulesets: Object.keys(info.rulesets), sections: [strengthSection(run), learningSection(run), balanceSection(run), heatSection(run.heat, run.boards, "Games of self-play and matches, without a handicap or a sparring partner"),
    viewerSection(run.games, run.boards, run.self_play_games + run.match_games, false), about] };
}

/// What the rulesets are that do not come with the program.
const ownRules = ({ boards }) => boards.filter((one) => one.own_rules).map((one) => [`ruleset ${one.ruleset}`, one.own_rules]);

/// What was changed while the run went on.
function stagesTable(stages) {
  if (stages.length === 0) return [];
  const rows = stages.flatMap(({ checkpoint, changes }) => changes.map(([field, before, after]) => [whole(checkpoint), field, before || "–", after || "–"]));
  return [table("Changed while the run went on", ["from checkpoint on", "field", "before", "after"], rows)];
}

/// Who played for the run.
function workersTable(workers) {
  if (workers.length === 0) return [];
  const row = (one) => [one.name, one.state, one.checkpoint ?? "–", one.games_per_hour === null ? "–" : whole(one.games_per_hour), whole(one.games), whole(one.samples), one.program ?? "–"];
  return [table("Workers, as they were when this page was made", ["worker", "state", "checkpoint", "games an hour", "games taken", "positions taken", "program"], workers.map(row))];
}

/// Files that are not counted on this page.
function leftOut(reasons) {
  if (reasons.length === 0) return [];
  return [warning(`${plural(reasons.length, "file is", "files are")} left out of this page.`), fold("Which, and why", el("ul", {}, reasons.map((reason) => el("li", {}, reason))))];
}

/// The strongest of the checkpoints, but of those that won all only where there is no other.
function best(standings) {
  const others = standings?.players.filter((player) => generationOf(player.name) !== null && player.name !== standings.anchor) ?? [];
  if (others.length === 0) return null;
  const rated = others.some(isMixed) ? others.filter(isMixed) : others;
  const top = rated.reduce((one, other) => (other.elo.value > one.elo.value ? other : one));
  return tile(signed(top.elo.value), `Elo of the best, ${top.name}, above ${standings.anchor} (${signed(top.elo.low)} to ${signed(top.elo.high)})`);
}

function studyPage(study) {
  const { summary } = study;
  const repeated = summary.cells.reduce((all, cell) => all + cell.repeated, 0);
  const tiles = [tile(whole(study.stored_games), repeated === 0 ? "games" : `games, ${whole(repeated)} of them repetitions`), tile(whole(summary.rulesets.length), summary.rulesets.length === 1 ? "ruleset" : "rulesets"), tile(whole(summary.players.length), summary.players.length === 1 ? "player" : "players"),
    tile(whole(summary.openings), `openings of ${summary.opening_policy === null || summary.opening_visits ? "" : "up to "}${plural(summary.opening_plies, "ply", "plies")}`)];
  const about = section("about", "About this study", el("dl", {}, [["seed", String(summary.seed)], ["limit", `${summary.max_plies} plies`], ["rulesets", summary.rulesets.map((one) => `${one.name} (${one.fingerprint})`).join(", ")], ...ownRules(study)]
    .flatMap(([term, text]) => [el("dt", {}, term), el("dd", {}, text)])), note("The numbers of this page are in summary.json of the study; games/ is Parquet with a description of each column."));
  return { kind: "Study", name: summary.study, tiles, rulesets: summary.rulesets.map((one) => one.name), sections: [...studySections(study), heatSection(study.heat, study.boards, "All games, each of a player against itself"), viewerSection(study.games, study.boards, study.stored_games, true), about] };
}

function tournamentPage(tournament) {
  const players = tournament.standings?.players.length ?? 0;
  const tiles = [tile(whole(tournament.stored_games), "games"), tile(whole(players), players === 1 ? "player" : "players"), tile(whole(tournament.rulesets.length), tournament.rulesets.length === 1 ? "ruleset" : "rulesets")];
  const settings = Object.entries(tournament.settings).filter(([, value]) => value !== null).map(([name, value]) => [name.replaceAll("_", " "), String(value)]).concat(ownRules(tournament));
  const about = section("about", "About this tournament", el("dl", {}, settings.flatMap(([term, text]) => [el("dt", {}, term), el("dd", {}, text)])),
    note("`tafl arena` with other players and this folder goes on with it; its games are Parquet with a description of each column."));
  return { kind: "Tournament", name: tournament.name, tiles, rulesets: tournament.rulesets, sections: [strengthSection(tournament), section("balance", "How the games ended", scores(tournament.balance), resultShares(tournament.balance), endings(tournament.balance)), heatSection(tournament.heat, tournament.boards, "All games of the tournament"),
    viewerSection(tournament.games, tournament.boards, tournament.stored_games, false), about] };
}

document.addEventListener("DOMContentLoaded", () => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const page = data.run ? runPage(data.run) : data.study ? studyPage(data.study) : data.tournament ? tournamentPage(data.tournament) : runsPage(data.runs);
  const sections = page.sections.filter(Boolean);
  const links = sections.map((one) => el("a", { href: `#${one.id}` }, capital(one.id === "heat" ? "moves" : one.id)));
  document.getElementById("top").append(
    el("div", { class: "title" }, el("div", {}, el("p", { class: "kind" }, `Taflforge · ${page.kind}`), el("h1", {}, page.name), el("p", { class: "rulesets" }, page.rulesets.join(" · "))), themeButton()),
    el("div", { class: "tiles" }, page.tiles.filter(Boolean)));
  document.getElementById("top").after(el("nav", { "aria-label": "Sections" }, links));
  document.getElementById("content").replaceChildren(...sections);
  document.getElementById("bottom").append(note("Made by `tafl report`. This file holds all it shows and asks for nothing from a network."));
  document.documentElement.dataset.ready = "yes";
});
