#!/usr/bin/env bash
# PettingZoo 1.27.0: a drawn game of go counts as a win for white.
#
# Good guess: `komi` is any number; with a whole one games can be drawn, and a draw gives 0 to both, as in tic-tac-toe and
#   chess beside it.
# What happens: the game itself knows the draw (score 0, result 0, "DRAW"), but rewards are encoded as "black won, or else white
#   did": black gets -1, white 1. The documentation lists winner and loser and does not speak of draws.
# Who cares: who sets a whole komi, such as 7 on 9x9 or 0 on small boards, where good play draws: the value of a draw is
#   learned as a loss of black, and ratings count it as one.
# Seen on 2026-11-29 with pettingzoo 1.27.0, gymnasium 1.4.0 on Python 3.11:
#   go, komi 0, a stone each:             DRAW, black_0 -1, white_0 1
#   go, komi 25, one black stone on 5x5:  DRAW, black_0 -1, white_0 1
#   go, komi 0.5, a stone each:           W+0.5, black_0 -1, white_0 1
#   tic-tac-toe, drawn:                   player_1 0, player_2 0
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check pettingzoo==1.27.0 gymnasium==1.4.0 pygame==2.6.1 numpy==2.4.6

PYGAME_HIDE_SUPPORT_PROMPT=1 venv/bin/python -W ignore - <<'PY'
from pettingzoo.classic import go_v5, tictactoe_v3

PASS = 25
cases = {"go, komi 0, a stone each:           ": (0, [0, 24, PASS, PASS]),
         "go, komi 25, one black stone on 5x5:": (25, [12, PASS, PASS]),
         "go, komi 0.5, a stone each:         ": (0.5, [0, 24, PASS, PASS])}
results = []
for name, (komi, moves) in cases.items():
    env = go_v5.env(board_size=5, komi=komi)
    env.reset()
    for move in moves:
        env.step(move)
    assert all(env.terminations.values())
    results.append(env.unwrapped._go.result_string())
    print(name, f"{results[-1]},", ", ".join(f"{player} {reward}" for player, reward in env.rewards.items()))
    assert env.rewards == {"black_0": -1, "white_0": 1}
assert results == ["DRAW", "DRAW", "W+0.5"], results
env = tictactoe_v3.env()
env.reset()
for move in (0, 4, 8, 1, 7, 6, 2, 5, 3):
    env.step(move)
print("tic-tac-toe, drawn:                  ", ", ".join(f"{player} {reward}" for player, reward in env.rewards.items()))
assert all(env.terminations.values()) and set(env.rewards.values()) == {0}
print("as recorded")
PY
