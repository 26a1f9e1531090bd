"""Ratings of the same games by other formulas: BayesElo's and Ordo's, as their texts have them, and the package whole-history-rating.

Elo points above `random`. BayesElo: win and draw by logistic curves, as its prior two drawn games of each player, shared among all whom
the player met, and once without; Ordo: draws as half a win, no prior; whole-history-rating: one day, Davidson's draws, an advantage of
the attackers, its own prior. All have an advantage.
"""

import json
import pathlib
import sys

import numpy as np
import whr
from scipy.optimize import minimize

found = json.loads((pathlib.Path(sys.argv[1]).parents[2] / "ratings.json").read_text())
ours = {player["name"]: player["elo"]["value"] for player in found["players"]}
names = list(ours)
# Attackers, defenders, and how often the attackers won, drew and lost.
results = []
for match in found["matches"]:
    first, second = match["players"]
    as_attackers, as_defenders = match["attackers"], match["defenders"]
    results.append((first, second, np.array([as_attackers[key] for key in ("wins", "draws", "losses")])))
    results.append((second, first, np.array([as_defenders[key] for key in ("losses", "draws", "wins")])))


def curve(elo):
    return 1 / (1 + 10 ** (-elo / 400))


def bayes_elo(apart, draw, counts):
    wins, draws, losses = counts
    win, loss = curve(apart - draw), curve(-apart - draw)
    return wins * np.log(win) + draws * np.log(max(1 - win - loss, 1e-12)) + losses * np.log(loss)


def ordo(apart, _, counts):
    wins, draws, losses = counts
    return (wins + draws / 2) * np.log(curve(apart)) + (losses + draws / 2) * np.log(curve(-apart))


def prior(first, second):
    """Returns how many draws BayesElo adds to the games of each side: half of what each player's two are to this pair."""

    def games(*players):
        return sum(sum(counts) for *pair, counts in results if set(players) <= set(pair))

    return games(first, second) * (1 / games(first) + 1 / games(second)) / 2


def fitted(chance, added):
    """Returns the most likely ratings; `added` gives how many draws each side of a pair has beside its games."""

    def unlikely(values):
        elo, (advantage, draw) = dict(zip(names, values, strict=False)), values[-2:]
        spread = 1e-9 * float(np.square(values).sum())
        terms = (chance(elo[a] - elo[b] + advantage, abs(draw), np.add(counts, [0, added(a, b), 0])) for a, b, counts in results)
        return spread - sum(terms)

    start = np.zeros(len(names) + 2)
    start[-1] = 50
    best = minimize(unlikely, start, method="BFGS", options={"gtol": 1e-4}).x
    return {name: value - best[names.index("random")] for name, value in zip(names, best, strict=False)}


def nothing(*_):
    return 0


def history():
    base = whr.WHR()
    for attackers, defenders, counts in results:
        for winner, count in zip("BDW", counts, strict=True):
            for _ in range(count):
                base.create_game(attackers, defenders, winner, 1, 1)
    base.auto_iterate()
    elo = {name: base.ratings_for_player(name)[0][1] for name in names}
    return {name: value - elo["random"] for name, value in elo.items()}


tables = {
    "ours": ours,
    "BayesElo": fitted(bayes_elo, prior),
    "without its prior": fitted(bayes_elo, nothing),
    "Ordo": fitted(ordo, nothing),
    "whole-history-rating": history(),
}
texts = [f"{source} {' '.join(str(round(elo[name])) for name in names)}" for source, elo in tables.items()]
print(json.dumps({"runs": f"{', '.join(names)}: {'; '.join(texts)}"}))
