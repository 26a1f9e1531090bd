#!/usr/bin/env bash
# PettingZoo 1.27.0: go-v5 hands each player the opponent's stones as its own, and what is mine changes with every frame.
#
# Good guess: as the documentation's table says, plane 0 holds the stones of the player who looks, plane 1 those of the
#   opponent, and the last plane is 1 for black. The frames behind them are the same at earlier moves, seen by the same
#   player, as in AlphaZero.
# What happens: a frame is stored as the player who moved saw it, and never turned. White's plane 0 is what black has just
#   played. One frame back the planes are those of the other side, and so on through all eight. observe() gives both
#   players the same stones, whoever asks; and the last plane is 1 for white.
# Who cares: whoever feeds it to a network trained on planes as in the table (it plays for the other side), counts stones,
#   leaves frames out, or mixes the samples with those of another go program.
# Seen on 2026-11-29 with pettingzoo 1.27.0, gymnasium 1.4.0 on Python 3.11 (5x5: black a1, white e5, black b1; points by number):
#   white_0 looks: plane 0 [0, 1], plane 1 [24]; one frame back plane 2 [24], plane 3 [0]; last plane 1
#   black_0 looks: plane 0 [0, 1], plane 1 [24]; one frame back plane 2 [24], plane 3 [0]; last plane 0
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check pettingzoo==1.27.0 gymnasium==1.4.0 pygame==2.6.1 numpy==2.4.6

PYGAME_HIDE_SUPPORT_PROMPT=1 venv/bin/python -W ignore - <<'PY'
import numpy as np
from pettingzoo.classic import go_v5

env = go_v5.env(board_size=5)
env.reset()
for move in (0, 24, 1):
    env.step(move)
assert env.agent_selection == "white_0"
seen = {}
for player in ("white_0", "black_0"):
    planes = env.observe(player)["observation"]
    stones = [np.flatnonzero(planes[..., plane]).tolist() for plane in range(4)]
    seen[player] = (*stones, int(planes[..., -1].max()))
    print(f"{player} looks: plane 0 {stones[0]}, plane 1 {stones[1]}; one frame back plane 2 {stones[2]}, plane 3 {stones[3]};"
          f" last plane {seen[player][-1]}")
# By the table white would see [24], [0, 1], and a frame back [24], [0]; last plane 0.
assert seen == {"white_0": ([0, 1], [24], [24], [0], 1), "black_0": ([0, 1], [24], [24], [0], 0)}
print("as recorded")
PY
