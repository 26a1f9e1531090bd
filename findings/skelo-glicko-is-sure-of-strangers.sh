#!/usr/bin/env bash
# skelo 0.1.5: Glicko2Estimator's chances are worse than a coin, and those of both sides add up to anything from 0.7 to 1.3.
#
# Good guess: predict_proba is Glickman's chance, as in the paper that its docstring names: the less is known of two players
#   (RD, their deviations), the closer to 50 %. It is one chance for a pair: the other side has the rest.
# What happens: the weakening factor is computed from the RD of player 1 alone, in points where it wants them divided by 173.7; the
#   root of both squares, which belongs into it, is multiplied with it instead. So RD cancels out: for two players of the same RD
#   the exponent is 2.57 times that of Elo, be they veterans or strangers. If they differ, the chance hangs on who stands first:
#   the veteran is given 99.9995 % against a newcomer 100 points below, and the newcomer 26 % of the same game. The ratings
#   themselves are not touched. EloEstimator beside it is right.
# Who cares: who takes these chances to pair opponents, to weigh samples or as a feature: whom the model is surest about is whom it
#   does not know. More games do not mend it, and predict() does not show it: the favourite stays the favourite.
# Seen on 2026-11-30 with skelo 0.1.5, glicko2 2.1.0, scikit-learn 1.9.1, pandas 3.1.1, numpy 2.4.6 on Python 3.11:
#   1600 (RD  30) against 1500 (RD  30): 0.813649, the other 0.186351, sum 1.0000; Glickman 0.6389
#   1600 (RD 350) against 1500 (RD 350): 0.814054, the other 0.185946, sum 1.0000; Glickman 0.5767
#   1600 (RD  30) against 1500 (RD 350): 0.999995, the other 0.259624, sum 1.2596; Glickman 0.5949
#   log loss of 1,000 games: a coin 0.693, skelo, Elo 0.661, Glickman's formula on skelo's ratings 0.666, skelo, Glicko-2 1.026
#   said 95 % or more of 285 games, won 68 %; sums of both sides from 0.71 to 1.32
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check skelo==0.1.5 glicko2==2.1.0 scikit-learn==1.9.1 pandas==3.1.1 numpy==2.4.6

venv/bin/python -W ignore - <<'PY'
from importlib.metadata import version

import numpy as np
from skelo.model.elo import EloEstimator
from skelo.model.glicko2 import Glicko2Estimator, Glicko2Model


def glickman(one, other):
    """The chance of the first by Glickman's papers: the difference, weakened by both deviations together."""
    spread = np.hypot(one[1], other[1]) * np.log(10) / 400
    return 1 / (1 + 10 ** ((other[0] - one[0]) / 400 / np.sqrt(1 + 3 * (spread / np.pi) ** 2)))


def loss(chances):
    """The mean negative log-likelihood of what happened."""
    return -np.mean(np.log(np.clip(np.where(won == 1, chances, 1 - chances), 1e-15, 1)))


print("skelo", version("skelo"))
found = []
for mine, his in ((30, 30), (350, 350), (30, 350), (350, 30)):
    one, other = (1600, mine, 0.06), (1500, his, 0.06)
    both = Glicko2Model.compute_prob(one, other), Glicko2Model.compute_prob(other, one)
    found.append(both)
    said = f"{both[0]:.6f}, the other {both[1]:.6f}, sum {sum(both):.4f}; Glickman {glickman(one, other):.4f}"
    print(f"1600 (RD {mine:3}) against 1500 (RD {his:3}): {said}")
assert np.allclose(found[0], found[1], atol=1e-3) and abs(found[0][0] - 1 / (1 + 10 ** (-0.25 * np.pi * np.sqrt(2 / 3)))) < 1e-3
assert sum(found[2]) > 1.25 and found[2][0] > 0.9999 and glickman((1600, 30), (1500, 350)) < 0.6

# A league of 40 players of fixed strengths: every 25 games a new one joins. Each chance is said before its game is seen.
random = np.random.default_rng(1)
strength = random.normal(1500, 150, 40)
games = []
for time in range(1000):
    one, other = random.choice(min(40, 2 + time // 25), 2, replace=False)
    games.append((one, other, time + 1, random.random() < 1 / (1 + 10 ** ((strength[other] - strength[one]) / 400))))
pairs, won = np.array([game[:3] for game in games], float), np.array([game[3] for game in games], int)
league = Glicko2Estimator().fit(pairs, won)
said, turned = (league.predict_proba(it)[:, 0] for it in (pairs, pairs[:, [1, 0, 2]]))
formula = np.array([glickman(*ratings) for ratings in league.rating_model.transform(*pairs.T)])
elo = EloEstimator().fit(pairs, won).predict_proba(pairs)[:, 0]
chances = {"a coin": np.full(1000, 0.5), "skelo, Elo": elo, "Glickman's formula on skelo's ratings": formula, "skelo, Glicko-2": said}
losses = {name: loss(values) for name, values in chances.items()}
print("log loss of 1,000 games: " + ", ".join(f"{name} {value:.3f}" for name, value in losses.items()))
sure = np.concatenate([won[said >= 0.95], 1 - won[said <= 0.05]])
sums = said + turned
print(f"said 95 % or more of {len(sure)} games, won {100 * sure.mean():.0f} %; sums of both sides from {sums.min():.2f} to {sums.max():.2f}")
assert losses["skelo, Glicko-2"] > 0.9 > 0.7 > losses["a coin"] > losses["Glickman's formula on skelo's ratings"]
assert losses["a coin"] > losses["skelo, Elo"] and len(sure) > 200 and sure.mean() < 0.75 and sums.max() > 1.25
print("as recorded")
PY
