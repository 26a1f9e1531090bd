#!/usr/bin/env bash
# evalica 0.4.2: `eigen` ranks the weakest first, and `newman` puts an engine that beat all the others third.
#
# Good guess: all of its methods give scores by which the better player stands higher. Without draws Newman's algorithm fits
#   the Bradley-Terry model, as `bradley_terry` beside it does, and is known to be the faster one. The leading eigenvector of
#   the table of wins (a row per winner) gives more to who beats strong players.
# What happens: `eigen` multiplies by the transposed table: a player's score is the sum of those who beat it, and the result,
#   sorted from the largest, is the table upside down. `newman` computes all new scores from the old ones, where the library's
#   own `bradley_terry`, by the same formula, uses each new score at once. If the matches form no odd circle, as one match or
#   one player against all others, scores swing between two states for ever, and whether `limit` (100) is even decides which one
#   comes out: after 75:25 both players are equal. A few draws damp it slowly. No warning; `iterations` is `limit`. Both
#   solvers, Rust and NumPy, agree.
# Who cares: who tests a checkpoint in a gauntlet of older ones, where draws are rare: it is rejected though it won each match.
# Seen on 2026-11-30 with evalica 0.4.2, numpy 2.4.6, pandas 3.1.1 on Python 3.11 (new won 60, 70, 80 and 90 of 100 against old1 to
#   old4; everybody: the old ones among each other as well, 10 % a place):
#   gauntlet, bradley_terry:       new 2.63, old1 1.75, old2 1.13, old3 0.66, old4 0.29: 60 % against old1, after 2 iterations
#   gauntlet, newman:              old1 2.00, old2 1.29, new 1.00, old3 0.75, old4 0.33: 33 % against old1, after 100 iterations
#   gauntlet, newman, limit=101:   new 3.00, old1 0.67, old2 0.43, old3 0.25, old4 0.11: 82 % against old1, after 101 iterations
#   75:25, newman:                 a 1.00, b 1.00; limit=101: a 3.00, b 0.33
#   everybody, eigen:              old4 0.61, old3 0.52, old2 0.43, old1 0.33, new 0.24; numpy's eigenvector: the reverse
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check evalica==0.4.2 numpy==2.4.6 pandas==3.1.1 scipy==1.17.1

venv/bin/python -W ignore - <<'PY'
import evalica
import numpy as np

PLAYERS = ["new", "old1", "old2", "old3", "old4"]
GAUNTLET = {("new", old): 50 + 10 * place for place, old in enumerate(PLAYERS) if place}
EVERYBODY = {(PLAYERS[i], PLAYERS[j]): 50 + 10 * (j - i) for j in range(5) for i in range(j)}


def rate(method, matches, **settings):
    """The scores and the iterations of a method, the same by both solvers, after matches of 100 games."""
    games = [(*pair, evalica.Winner.X if game < wins else evalica.Winner.Y) for pair, wins in matches.items() for game in range(100)]
    rust, slow = (method(*zip(*games), solver=solver, **settings) for solver in ("pyo3", "naive"))
    assert np.allclose(rust.scores, slow.scores[rust.scores.index]) and list(rust.scores) == sorted(rust.scores, reverse=True)
    return rust.scores, rust.iterations


def table(scores):
    return ", ".join(f"{player} {score:.2f}" for player, score in scores.items())


found = []
for method, settings in ((evalica.bradley_terry, {}), (evalica.newman, {}), (evalica.newman, {"limit": 101})):
    scores, iterations = rate(method, GAUNTLET, **settings)
    percent = round(100 * scores["new"] / (scores["new"] + scores["old1"]))
    name = f"gauntlet, {method.__name__}{', limit=101' if settings else ''}:"
    print(f"{name:30} {table(scores)}: {percent} % against old1, after {iterations} iterations")
    found.append((list(scores.index).index("new"), percent, iterations))
assert found == [(0, 60, 2), (2, 33, 100), (0, 82, 101)], found
two = [rate(evalica.newman, {("a", "b"): 75}, limit=limit)[0] for limit in (100, 101)]
print(f"{'75:25, newman:':30} {table(two[0])}; limit=101: {table(two[1])}")
assert np.allclose(two[0], 1) and np.allclose(two[1]["a"], 3)
scores, _ = rate(evalica.eigen, EVERYBODY)
wins = np.zeros((5, 5))
for (one, other), won in EVERYBODY.items():
    wins[PLAYERS.index(one), PLAYERS.index(other)], wins[PLAYERS.index(other), PLAYERS.index(one)] = won, 100 - won
values, vectors = np.linalg.eig(wins)
leading = np.abs(vectors[:, np.argmax(values.real)].real)
print(f"{'everybody, eigen:':30} {table(scores)}; numpy's eigenvector: {table(dict(zip(PLAYERS, leading)))}")
assert list(scores.index) == PLAYERS[::-1] and list(np.argsort(-leading)) == list(range(5))
assert list(rate(evalica.pagerank, EVERYBODY)[0].index) == list(rate(evalica.bradley_terry, EVERYBODY)[0].index) == PLAYERS
print("as recorded")
PY
