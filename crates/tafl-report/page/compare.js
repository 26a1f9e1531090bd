// Several runs over each other: what differs, their curves, the matches they played.

const RUN_COLORS = ["set0", "set1", "set2", "set3", "set4", "set5"];

function runsPage({ runs, differences, tournaments, match_command: command }) {
  // Runs of one name are told apart by their numbers.
  runs.forEach((run, index) => { run.name = runs.filter((other) => other.info.run === run.info.run).length > 1 ? `${run.info.run} (${index + 1})` : run.info.run; });
  const tiles = runs.map((run) => tile(whole(run.checkpoints), `checkpoints of ${run.name}`));
  const rulesets = [...new Set(runs.flatMap((run) => Object.keys(run.info.rulesets)))];
  return { kind: "Runs", name: runs.map((run) => run.name).join(" · "), tiles, rulesets,
    sections: [differenceSection(runs, differences), curveSection(runs), meetingSection(tournaments, command)] };
}

function differenceSection(runs, differences) {
  // What is no mere string stands to the left, under its head, whether it is a number or not.
  const cell = (text) => el("span", {}, text);
  const facts = (name, of) => [name, ...runs.map((run) => cell(of(run)))];
  const hours = (run) => Math.max(0, ...Object.values(run.learning?.checkpoints ?? {}).flatMap((curve) => curve.points).map((point) => point.hours ?? 0));
  const rows = [facts("checkpoints", (run) => whole(run.checkpoints)), facts("training", (run) => (isUnmeasured(run) ? "–" : hours(run) < 1 ? `${fixed(60 * hours(run), 1)} minutes` : `${fixed(hours(run), 2)} hours`)), facts("seed", (run) => String(run.info.seed)),
    facts("device", (run) => `${run.info.device}, ${run.info.precision}`), facts("program", (run) => run.info.version)];
  const head = ["", ...runs.map((run) => run.name)];
  return section("runs", "What differs", table("The runs", head, rows),
    differences.length === 0 ? note("Their configs are equal.") : table("Fields of the config that differ", ["field", ...head.slice(1)], differences.map((one) => [one.field, ...one.values.map((value) => cell(value ?? "–"))])));
}

/// The checkpoint that a measurement is of, the one that its generation trained; the untrained one is in the ladder alone.
const checkpointOf = (name, { generation, step }) => (name.startsWith("ladder/") && step === 0 ? 0 : generation + 1);

/// The points of a checkpoint as one, their mean: all steps that trained it were recorded at one time.
function joined(points) {
  const checkpoints = [...new Set(points.map((point) => point.checkpoint))];
  return checkpoints.map((checkpoint) => {
    const own = points.filter((point) => point.checkpoint === checkpoint);
    return { ...own.at(-1), y: own.reduce((sum, point) => sum + point.y, 0) / own.length };
  });
}

const OVER = [["hours", "hours of training"], ["step", "training steps"], ["generation", "checkpoints"]];

/// The curves of all runs in one chart a measure, over a time that the reader chooses.
function curveSection(runs) {
  const trained = runs.filter((run) => run.learning);
  if (trained.length === 0) return section("curves", "Curves", unmeasured(runs));
  const timed = trained.every((run) => Object.values(run.learning.checkpoints).some((curve) => curve.points.some((point) => point.hours !== null)));
  const clock = trainingClock(trained.flatMap((run) => Object.values(run.learning.checkpoints).flatMap((curve) => curve.points)));
  const over = timed ? [["hours", clock.name], ...OVER.slice(1)] : OVER.slice(1);
  const curves = (run) => ({ ...run.learning.training, ...run.learning.checkpoints });
  const chart = (title, name, by, options) => {
    const bound = (run, which) => curves(run)[name.replace("elo/pool/", `elo/pool_${which}/`)]?.points;
    const series = trained.map((run) => ({ name: run.name, color: RUN_COLORS[runs.indexOf(run) % RUN_COLORS.length], kind: "line", band: !name.startsWith("elo/"),
      points: (curves(run)[name]?.points ?? []).map((point, index) => ({ x: by === "generation" ? checkpointOf(name, point) : by === "hours" ? clock.of(point.hours) : point[by], y: point.mean, checkpoint: checkpointOf(name, point),
        ...(name.startsWith("elo/pool/") ? { low: bound(run, "low")?.[index]?.mean, high: bound(run, "high")?.[index]?.mean } : {}) })).filter((point) => point.x !== null) }))
      .map((one) => (by === "step" ? one : { ...one, points: joined(one.points) }));
    if (series.every((one) => one.points.length === 0)) return null;
    return lineChart(title, { series, x: { name: over.find(([key]) => key === by)[1] }, ...options });
  };
  const share = { name: "share", format: (value) => percent(value, 0) };
  const place = el("div", { class: "grid" });
  const names = [...new Set(trained.flatMap((run) => Object.keys(curves(run))))].sort();
  let other = names.includes("loss/total") ? "loss/total" : names[0];
  let by = over[0][0];
  const update = () => place.replaceChildren(...[
    ...SIDES.map((side) => chart(`Strength as ${side}`, `elo/pool/${side}`, by, { y: { name: "Elo against the pool" }, lines: [{ y: 0 }], digits: 0,
      notes: ["Against the fixed players of each run's ladder.pool (95 %): comparable where the pools are the same."] })),
    ...["policy", "value"].flatMap((kind) => SIDES.map((side) => chart(`${capital(kind)} loss of the ${side}, held-out games`, `held_out/${kind}_loss/${side}`, by, { y: { name: "nats" } })
      ?? chart(`${capital(kind)} loss of the ${side}, training`, `loss/${kind}_${side}`, by, { y: { name: "nats" } }))),
    chart("Attackers' wins in self-play", "selfplay/attacker_win_rate", by, { y: share, notes: ["All games, those with a handicap or a partner included."] }),
    chart(other, other, by, { y: { name: other.split("/").at(-1).replaceAll("_", " ") }, notes: trained.map((run) => curves(run)[other]?.meaning).filter(Boolean).slice(0, 1).map(capital) }),
  ].filter(Boolean));
  const time = choice("Over", over, (value) => { by = value; update(); }, by).node;
  const measure = choice("Last chart", names.map((name) => [name, name]), (value) => { other = value; update(); }, other).node;
  update();
  return section("curves", "Curves", note("Losses on held-out games are of each run's own games: a run that plays harder games is not worse for a higher loss. Matches decide."), el("div", { class: "grid" }, time, measure), place);
}

function meetingSection(tournaments, command) {
  if (tournaments.length === 0) {
    return section("matches", "Matches", note(command ? `No match between these runs was found. \`${command}\` plays one; make this page again afterwards.` : "These runs share no ruleset, so their checkpoints cannot meet."));
  }
  return section("matches", "Matches", tournaments.map(({ name, standings }) =>
    el("div", {}, el("h3", {}, `Tournament ${name}`), playerIntervals(standings.players, standings.anchor), playerTable(standings), fold("Each match", matchTable(standings)))));
}
