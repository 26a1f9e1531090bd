// How the network learned: losses by role, and whether values mean what they say.

const SIDES = ["attackers", "defenders"];
const curvePoints = (curve) => curve.points.map((point) => ({ x: point.step, y: point.mean, low: point.low, high: point.high }));
const plainPoints = (curve) => curve.points.map((point) => ({ x: point.step, y: point.mean }));

/// A loss of both roles: training as a line with its spread, held-out games as dots.
function lossChart(title, { training, checkpoints }, loss, heldOut, y) {
  const series = SIDES.flatMap((side) => [
    { name: `${side}, training`, color: side, kind: "line", band: true, points: curvePoints(training[`loss/${loss}_${side}`] ?? { points: [] }) },
    { name: `${side}, held-out games`, color: side, kind: "dots", points: plainPoints(checkpoints[`held_out/${heldOut}/${side}`] ?? { points: [] }) },
  ]);
  if (series.every((one) => one.points.length === 0)) return null;
  return lineChart(title, { series, x: { name: "training steps" }, y });
}

/// Whether a run was trained, but nothing tells of it.
const isUnmeasured = ({ learning, checkpoints }) => !learning && checkpoints > 0;

/// Why there is no curve.
const unmeasured = (runs) => note(runs.some(isUnmeasured) ? "What was measured is missing: the run has checkpoints, but no metrics.parquet." : "Nothing was trained yet.");

function learningSection(run) {
  const { learning, warnings } = run;
  if (!learning || Object.keys(learning.training).length === 0) {
    return section("learning", "Learning", unmeasured([run]));
  }
  const share = { name: "share", format: (value) => percent(value, 0) };
  return section("learning", "Learning", ...warnings.map((text) => warning(`${text}.`)),
    note("Lines are means over neighboring steps; bands contain the middle 80 % of them. Dots are measured after each generation on held-out games, if the run has any."),
    el("div", { class: "grid" },
      ...overHours(learning),
      lossChart("Policy loss", learning, "policy", "policy_loss", { name: "nats" }),
      lossChart("Value loss", learning, "value", "value_loss", { name: "nats" }),
      lossChart("Top-1 accuracy of the policy", learning, "policy_accuracy", "policy_accuracy", share)),
    fold("Diagnoses: any other measure, calibration of the values", explorer(learning), calibration(learning)));
}

/// How the time of training is told: in minutes below an hour.
function trainingClock(points) {
  const isShort = Math.max(0, ...points.map((point) => point.hours ?? 0)) < 1;
  return { name: `${isShort ? "minutes" : "hours"} of training`, of: (hours) => (hours === null || !isShort ? hours : 60 * hours) };
}

/// Measures of checkpoints over the hours of the run: strength, whether values depend on the turn, how even games end.
function overHours({ checkpoints }) {
  const all = Object.values(checkpoints).flatMap((curve) => curve.points);
  const timed = all.some((point) => point.hours !== null);
  const clock = trainingClock(all);
  const x = { name: timed ? clock.name : "training steps" };
  const at = (point) => (timed ? clock.of(point.hours) : point.step);
  const points = (name, [low, high] = []) => {
    const bound = (curve, index) => checkpoints[curve]?.points[index]?.mean;
    const own = (checkpoints[name]?.points ?? []).map((point, index) => ({
      x: at(point), y: point.mean, low: low && bound(low, index), high: high && bound(high, index),
    }));
    return own.filter((point) => point.x !== null);
  };
  const chart = (title, series, options) => series.some((one) => one.points.length > 0)
    ? lineChart(title, { series, x, ...options }) : null;
  const strength = SIDES.map((side) => ({
    name: side, color: side, kind: "line", points: points(`elo/pool/${side}`, [`elo/pool_low/${side}`, `elo/pool_high/${side}`]),
  }));
  const ending = "selfplay/even_ending/";
  const share = (name) => Math.max(...checkpoints[name].points.map((point) => point.mean));
  const endings = Object.keys(checkpoints).filter((name) => name.startsWith(ending)).sort((a, b) => share(b) - share(a)).slice(0, 5);
  const colors = { attackers: "attackers", defenders: "defenders", nobody: "neutral" };
  const kinds = {}; // lines of one color differ in their dashes
  const ladder = { name: "checkpoints", color: "neutral", kind: "line", points: points("ladder/elo", ["ladder/elo_low", "ladder/elo_high"]) };
  return [
    chart("Strength over the time of training", [ladder], { y: { name: "Elo of the ladder" }, digits: 0, notes: ["The checkpoints of the ladder, with 95 % intervals."] }),
    chart("Strength of each role", strength, { y: { name: "Elo against the pool" }, lines: [{ y: 0 }], digits: 0,
      notes: ["Each role against the fixed players of ladder.pool in the other role, with 95 % intervals; 0 is half of the points."] }),
    chart("How even games end", endings.map((name) => {
      const [reason, winner] = name.slice(ending.length).split("/");
      kinds[winner] = (kinds[winner] ?? 0) + 1;
      return { name: winner === "nobody" ? reason : `${winner}: ${reason}`, color: colors[winner] ?? "neutral", kind: ["line", "dashed", "dots", "dotted"][(kinds[winner] - 1) % 4], points: points(name) };
    }), { y: { name: "share", format: (value) => percent(value, 0) }, notes: ["Even games are those without a handicap or a partner."] }),
  ];
}

/// Any other curve, by its name.
function explorer({ training, checkpoints }) {
  const all = { ...training, ...checkpoints };
  const names = Object.keys(all).sort();
  const start = names.includes("loss/total") ? "loss/total" : names[0];
  const place = el("div", {});
  const update = (name) => place.replaceChildren(lineChart(name, {
    series: [{ name: "", color: "neutral", kind: "line", band: name in training, points: name in training ? curvePoints(all[name]) : plainPoints(all[name]) }],
    x: { name: "training steps" }, y: { name: name.split("/").at(-1).replaceAll("_", " ") }, notes: [all[name].meaning].filter(Boolean).map(capital),
  }));
  const { node } = choice("Any other measure", names.map((name) => [name, name]), update, start);
  update(start);
  return el("div", {}, node, place);
}

/// Expected against real scores, for one checkpoint at a time; and the mean distance over all of them.
function calibration({ calibration: bins, checkpoints }) {
  if (bins.length === 0) return note("Calibration: this run holds no games out (replay.held_out_fraction), so none is measured.");
  const generations = [...new Set(bins.map((bin) => bin.generation))].sort((a, b) => a - b);
  const place = el("div", {});
  const update = (text) => {
    const own = bins.filter((bin) => bin.generation === Number(text));
    place.replaceChildren(reliability(own, Number(text)));
  };
  const last = String(generations.at(-1));
  const { node } = choice("Checkpoint", generations.map((one) => [String(one), String(one + 1)]), update, last);
  update(last);
  const errors = Object.keys(checkpoints).filter((name) => name.startsWith("held_out/calibration_error/"));
  const rulesets = errors.filter((name) => name.split("/").length === 4);
  const series = (names, label) => names.map((name, index) => ({
    name: label(name.split("/")), color: name.split("/")[2], kind: names.length > 2 && index % 2 ? "dashed" : "line", points: plainPoints(checkpoints[name]),
  }));
  const error = { name: "mean distance", format: (value) => percent(value, 0) };
  const overall = lineChart("Calibration error over training", {
    series: series(errors.filter((name) => name.split("/").length === 3), (parts) => parts[2]),
    x: { name: "training steps" }, y: error, notes: ["Mean distance between expected and real score, weighted by positions; 0 is perfect."],
  });
  const byRuleset = rulesets.length === 0 ? null : rulesetErrors(rulesets, checkpoints);
  return el("div", {}, el("h3", {}, "Do values mean what they say?"), el("div", { class: "grid" }, el("div", {}, node, place), overall), byRuleset);
}

function reliability(bins, generation) {
  const series = SIDES.map((side) => ({
    name: `${side} to move`, color: side, kind: "dots",
    points: bins.filter((bin) => bin.side === side).map((bin) => ({
      x: bin.predicted, y: bin.result, ...wilson(bin.result, bin.positions), text: `${side}: ${percent(bin.result, 0)} of ${plural(bin.positions, "position")}`,
    })),
  }));
  const positions = bins.reduce((sum, bin) => sum + bin.positions, 0);
  const rows = bins.map((bin) => [bin.side, percent(bin.predicted), percent(bin.result), whole(bin.positions)]);
  const format = (value) => percent(value, 0);
  return lineChart(`Expected and real scores, checkpoint ${generation + 1}`, {
    series, height: 320, lines: [{ diagonal: [0, 1] }],
    x: { name: "score expected for the side to move", range: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], format },
    y: { name: "score that came", range: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], format },
    notes: [`${plural(positions, "held-out position")}. Intervals (95 %, Wilson) take positions as independent; those of one game are not, so the truth is wider.${positions < 400 ? " These are few." : ""}`],
    toTable: table(`Calibration, checkpoint ${generation + 1}`, ["side to move", "expected", "came", "positions"], rows),
  });
}

/// Wilson's interval of a mean between 0 and 1 (Wilson 1927).
function wilson(mean, count) {
  const z = 1.96;
  const middle = (mean + (z * z) / (2 * count)) / (1 + (z * z) / count);
  const half = (z / (1 + (z * z) / count)) * Math.sqrt((mean * (1 - mean)) / count + (z * z) / (4 * count * count));
  return { low: middle - half, high: middle + half };
}

/// Rulesets differ: one small chart for each.
function rulesetErrors(names, checkpoints) {
  const rulesets = [...new Set(names.map((name) => name.split("/")[3]))];
  return fold("Calibration error by ruleset", el("div", { class: "grid" }, rulesets.map((ruleset) => lineChart(ruleset, {
    height: 200, x: { name: "training steps" }, y: { name: "mean distance", format: (value) => percent(value, 0) },
    series: SIDES.map((side) => ({ name: side, color: side, kind: "line", points: plainPoints(checkpoints[`held_out/calibration_error/${side}/${ruleset}`] ?? { points: [] }) })),
  }))));
}
