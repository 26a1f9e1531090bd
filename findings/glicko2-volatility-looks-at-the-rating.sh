#!/usr/bin/env bash
# glicko2 2.1.0 (Python): volatility is computed from the rating instead of the deviation; far from 1500 it never moves.
#
# Good guess: Glicko-2 knows differences of ratings alone: the same results 800 points higher give the same changes. Volatility,
#   the one thing that Glicko-2 adds to Glicko, rises after results that the rating cannot explain, wherever it stands.
# What happens: the function whose root is the new volatility has the square of the deviation (phi) in two places; the package has
#   the square of the rating there, counted from 1500. Near 1500 that is nearly 0, and volatility moves too much at first; a player
#   at 2300 keeps 0.06 whatever happens. Glickman's own example comes out right: its player stands at 1500, and its results are
#   no surprise. The same line stands in many projects that have copied the code.
# Who cares: who rates checkpoints by it: one that has broken or jumped should lose certainty and move fast, and does so only
#   if it happens to stand near 1500. Whoever stands far from there is rated with a volatility that is fixed.
# Seen on 2026-11-30 with glicko2 2.1.0 on Python 3.11, glicko2 1.2.2 of npm on Node 20 (all from RD 50 and volatility 0.06: 40 wins
#   against one 200 points above; 12 periods, in turn 30 games lost and 30 won against one at the player's first rating):
#   Glickman's example   1464.1 (RD 151.5) volatility 0.0600   paper and npm  1464.1 (RD 151.5) volatility 0.0600
#   1500, 40 wins        1785.5 (RD  40.7) volatility 0.0887   paper and npm  1778.6 (RD  40.2) volatility 0.0657
#   1500, 12 periods     1546.2 (RD  31.7) volatility 0.1117   paper and npm  1596.0 (RD  40.4) volatility 0.2147
#   2300, 40 wins        2577.2 (RD  40.1) volatility 0.0600   paper and npm  2578.6 (RD  40.2) volatility 0.0657
#   2300, 12 periods     2323.5 (RD  25.3) volatility 0.0600   paper and npm  2396.0 (RD  40.4) volatility 0.2147
# Needs Node with npm.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check glicko2==2.1.0
npm install --silent --no-fund --no-audit glicko2@1.2.2 >/dev/null

cat >other.js <<'JS'
// Rates the player of each case, period by period, with the package of npm.
const { Glicko2 } = require("glicko2");
const cases = JSON.parse(require("fs").readFileSync(0));
console.log(JSON.stringify(cases.map(([player, periods]) => {
  const table = new Glicko2({ tau: 0.5 });
  const one = table.makePlayer(...player);
  for (const games of periods) {
    table.updateRatings(games.map(([rating, deviation, score]) => [one, table.makePlayer(rating, deviation, 0.06), score]));
  }
  return [one.getRating(), one.getRd(), one.getVol()];
})));
JS

cat >rate.py <<'PY'
import json
import math
import subprocess
from importlib.metadata import version

import glicko2

SCALE, TAU = 173.7178, 0.5


def library(player, periods):
    one = glicko2.Player(*player)
    for games in periods:
        one.update_player(*map(list, zip(*games)))
    return one.rating, one.rd, one.vol


def paper(player, periods):
    """Glickman's steps 3 to 8, with the root of step 5 found by halving."""
    mu, phi, sigma = (player[0] - 1500) / SCALE, player[1] / SCALE, player[2]
    for games in periods:
        weights = [1 / math.sqrt(1 + 3 * (deviation / SCALE / math.pi) ** 2) for _, deviation, _ in games]
        chances = [1 / (1 + math.exp(weight * ((rating - 1500) / SCALE - mu))) for weight, (rating, _, _) in zip(weights, games)]
        v = 1 / sum(weight**2 * chance * (1 - chance) for weight, chance in zip(weights, chances))
        gain = sum(weight * (game[2] - chance) for weight, chance, game in zip(weights, chances, games))
        low, high = (2 * math.log(sigma) + side * 10 for side in (-1, 1))
        for _ in range(100):
            x = (low + high) / 2
            rest = phi**2 + v + math.exp(x)
            slope = math.exp(x) * ((v * gain) ** 2 - rest) / (2 * rest**2) - (x - 2 * math.log(sigma)) / TAU**2
            low, high = (x, high) if slope > 0 else (low, x)
        sigma = math.exp(low / 2)
        phi = 1 / math.sqrt(1 / (phi**2 + sigma**2) + 1 / v)
        mu += phi**2 * gain
    return SCALE * mu + 1500, SCALE * phi, sigma


cases = {"Glickman's example": ((1500, 200, 0.06), [[(1400, 30, 1), (1550, 100, 0), (1700, 300, 0)]])}
for start in (1500, 1800, 2300):
    cases[f"{start}, 40 wins"] = (start, 50, 0.06), [[(start + 200, 50, 1)] * 40]
    cases[f"{start}, 12 periods"] = (start, 50, 0.06), [[(start, 50, period % 2)] * 30 for period in range(12)]
asked = json.dumps(list(cases.values()))
answer = subprocess.run(["node", "other.js"], input=asked, capture_output=True, text=True, check=True).stdout
found = {}
print("glicko2", version("glicko2"))
for (name, case), other in zip(cases.items(), json.loads(answer)):
    ours, right = library(*case), paper(*case)
    assert all(math.isclose(*pair, rel_tol=1e-3) for pair in zip(right, other)), (right, other)
    found[name] = (ours, right)
    text = ["{:7.1f} (RD {:5.1f}) volatility {:.4f}".format(*it) for it in (ours, right)]
    print(f"{name:18}  {text[0]}   paper and npm {text[1]}")
assert all(math.isclose(*pair, rel_tol=1e-4) for pair in zip(*found["Glickman's example"]))
moved = {name: ours[2] - 0.06 for name, (ours, _) in found.items()}
true = {name: right[2] - 0.06 for name, (_, right) in found.items()}
assert moved["1500, 40 wins"] > 4 * true["1500, 40 wins"] > 0.02 and moved["1500, 12 periods"] < true["1500, 12 periods"] / 2
assert abs(moved["2300, 40 wins"]) < 1e-4 and abs(moved["2300, 12 periods"]) < 1e-4 < 0.1 < true["2300, 12 periods"]
print("as recorded")
PY
venv/bin/python rate.py
