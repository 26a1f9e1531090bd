#!/usr/bin/env bash
# openskill 6.2.0 (Python): with `margin` set, an underdog who wins by more gains less, and between equals the margin counts nothing.
#
# Good guess: the manual offers margin=2.0 for games "where winning by two points is not as impressive as winning by 5 or 6": a win by
#   more moves the ratings more, whoever wins. The package of the same name in npm, whose margin is said to be a port, does so.
# What happens: beyond the margin the difference of skill is divided by log(1 + points / margin). That makes the two players look closer
#   before the game: a win of the underdog becomes what was to be expected, and earns less the larger it is; the favourite's earns more; a
#   difference of 0 stays 0. Just beyond the margin the divisor is below 1, and all is the other way around: a favourite who wins by
#   3 gains less than one who wins by 2. All five models. (Issue 181 said that a 10:0 counts less than a 1:0; pull request 191 of January
#   2026, released as 6.2.0, turned the factor around: now it is the underdog's 10:0 that counts less.)
# Who cares: who rates matches of new checkpoints against old ones by their score: the surprise, all that such a match can tell, is damped.
# Seen on 2026-12-01 with openskill 6.2.0 on Python 3.11, openskill 5.0.1 of npm on Node 20 (margin 2, Plackett-Luce and Bradley-Terry,
#   sigma 4; what the winner gains by a win of 2, 3, 8 and 20 points; without margin: as by 2):
#   20 beats 30: npm 1.514 2.564 4.461 5.973  PlackettLuce 1.514 1.581 0.849 0.196  BradleyTerryFull 1.514 1.552 1.335 1.224
#   25 beats 25: npm 0.980 1.659 2.886 3.864  PlackettLuce 0.980 0.980 0.980 0.980  BradleyTerryFull 0.980 0.980 0.980 0.980
#   30 beats 20: npm 0.445 0.754 1.312 1.756  PlackettLuce 0.445 0.379 1.110 1.764  BradleyTerryFull 0.445 0.408 0.624 0.735
# Needs Node with npm.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check openskill==6.2.0
npm install --silent --no-audit --no-fund --ignore-scripts openskill@5.0.1
cat > ours.mjs <<'JS'
import { rate, rating } from "openskill";
const [mine, other, ...wins] = process.argv.slice(2).map(Number);
const game = [mine, other].map((mu) => [rating({ mu, sigma: 4 })]);
console.log(JSON.stringify(wins.map((points) => rate(game, { score: [points, 0], margin: 2 })[0][0].mu - mine)));
JS
venv/bin/python - <<'PY'
import json, math, subprocess
from openskill import models
WINS = [2, 3, 8, 20]
for mine, other in ((20, 30), (25, 25), (30, 20)):
    gains = {"npm": json.loads(subprocess.check_output(["node", "ours.mjs", *map(str, [mine, other, *WINS])]))}
    for name in ("PlackettLuce", "BradleyTerryFull", "BradleyTerryPart", "ThurstoneMostellerFull", "ThurstoneMostellerPart"):
        model, plain = getattr(models, name)(margin=2.0), getattr(models, name)()
        game = [[model.rating(mu=mu, sigma=4)] for mu in (mine, other)]
        gains[name] = [model.rate(game, scores=[points, 0])[0][0].mu - mine for points in WINS]
        assert gains[name][0] == plain.rate(game, scores=[20, 0])[0][0].mu - mine  # what a win is worth without margin
    print(f"{mine} beats {other}:", "  ".join(" ".join([name, *(f"{it:.3f}" for it in gains[name])]) for name in list(gains)[:3]))
    variance, c = 16 + (25 / 300) ** 2, math.sqrt(2 * (16 + (25 / 300) ** 2) + 2 * (25 / 6) ** 2)
    assert all(math.isclose(it[0], variance / c / (1 + math.exp((mine - other) / c)), rel_tol=1e-6) for it in list(gains.values())[:3])
    assert gains["npm"] == sorted(gains["npm"]) and gains["npm"][3] > 3 * gains["npm"][0]
    for two, three, eight, twenty in list(gains.values())[1:]:
        assert three > two > eight > twenty if mine < other else three < two < eight < twenty if mine > other else two == three == eight == twenty
print("as recorded")
PY
