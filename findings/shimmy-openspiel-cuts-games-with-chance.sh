#!/usr/bin/env bash
# Shimmy 2.0.1: OpenSpiel's games with chance are cut before their end; Kuhn poker always, with reward 0 for everyone.
#
# Good guess: the wrapper samples chance nodes by itself and a game goes on to its end; `truncated` stays False, as
#   OpenSpiel's games end by themselves, at the latest at max_game_length.
# What happens: the wrapper cuts a game that is longer than max_game_length, but counts from 1 and counts chance nodes,
#   which that length leaves out (so its documentation in spiel.h). In Kuhn poker two cards are dealt: the first bet is
#   already number 4 of 3, and every game ends there by truncation, with rewards of 0. Leduc poker loses its longest
#   games alone, those with the raises. And without chance the last possible move, such as the ninth of tic-tac-toe, is
#   truncated as well as terminated.
# Who cares: agents learn from zeros, or from all but the big pots; whoever adds the value of the position at a truncation
#   (as for a time limit) adds it to finished games.
# Seen on 2026-11-29 with shimmy 2.0.1, open_spiel 2.0.2, pettingzoo 1.27.0 on Python 3.11 (100 random games each):
#   kuhn_poker            at most    3 moves: 100 of 100 cut, 0 of them paid; longest 1
#   first_sealed_auction, coordinated_mp, tiny_hanabi, trade_comm, coin_game: 100 of 100 cut too
#   leduc_poker           at most    8 moves:  14 of 100 cut, 0 of them paid; longest 5
#   pig, backgammon (at most 1000 and 1500 moves), connect_four: 0 of 100 cut
#   tic_tac_toe, (terminated, truncated): nine moves (True, True) fewer (True, False)
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check shimmy==2.0.1 open_spiel==2.0.2 pettingzoo==1.27.0 gymnasium==1.4.0 numpy==2.4.6

venv/bin/python - <<'PY'
import random

import numpy as np
from shimmy import OpenSpielCompatibilityV0


def game(name, seed):
    """Plays a random game; says whether it came to its end, its flags, its moves, and whether anybody was paid."""
    env, chance = OpenSpielCompatibilityV0(game_name=name), random.Random(seed)
    env.reset(seed=seed)
    moves, paid = 0, False
    for _ in env.agent_iter():
        _, reward, terminated, truncated, info = env.last()
        if terminated or truncated:
            paid |= any(env.rewards.values())
            return env.game_state.is_terminal(), bool(terminated), bool(truncated), moves, paid
        paid |= reward != 0
        moves += 1
        env.step(int(chance.choice(np.flatnonzero(info["action_mask"]))))


def row(name):
    games = [game(name, seed) for seed in range(100)]
    cut = [it for it in games if not it[0]]
    length = OpenSpielCompatibilityV0(game_name=name)._env.max_game_length()
    paid = sum(it[4] for it in cut)
    print(f"{name:21} at most {length:4} moves: {len(cut):3} of 100 cut, {paid} of them paid; longest {max(it[3] for it in games)}")
    assert all(it[1:3] == (False, True) for it in cut) and not paid
    return len(cut)


never = ("kuhn_poker", "first_sealed_auction", "coordinated_mp", "tiny_hanabi", "coin_game", "trade_comm")
assert [row(name) for name in never] == [100] * 6
assert 1 <= row("leduc_poker") <= 50  # the deals depend on NumPy
assert [row(name) for name in ("pig", "backgammon", "connect_four")] == [0] * 3
full = {game("tic_tac_toe", seed)[:4] for seed in range(100)}
flags = {it[1:3] for it in full if it[3] == 9}, {it[1:3] for it in full if it[3] < 9}
print("tic_tac_toe, (terminated, truncated): nine moves", *flags[0], "fewer", *flags[1])
assert flags == ({(True, True)}, {(True, False)})
print("as recorded")
PY
