#!/usr/bin/env bash
# PettingZoo 1.27.0: making a go environment of another size changes those that exist: 19x19 becomes 9x9 under one's feet.
#
# Good guess: two environments are two objects. A curriculum, a tournament on two sizes, or a small board for a test beside a
#   large one for training gives each the games that it would have alone.
# What happens: the constructor writes board size, neighbors and the empty board into module variables, and every environment
#   of the process reads them. After a 9x9 one is made, reset() of the 19x19 one starts a game on a 9x9 board behind planes
#   and masks of 19x19: 82 of 362 actions are legal, action 81 is a pass, and two of them end the game. No error. The other way
#   around, the small one fails at its reset with an IndexError.
# Who cares: who trains on small boards first, or evaluates on several sizes in one process: games of the size made last.
# Seen on 2026-11-29 with pettingzoo 1.27.0, gymnasium 1.4.0 on Python 3.11:
#   19x19 alone:                 362 of 362 actions legal, after 81 (twice if legal): stones 1, over False, board (19, 19)
#   19x19, a 9x9 one made later: 82 of 362 actions legal, after 81 (twice if legal): stones 0, over True, board (9, 9)
#   9x9, a 19x19 one made later: IndexError at reset
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check pettingzoo==1.27.0 gymnasium==1.4.0 pygame==2.6.1 numpy==2.4.6

PYGAME_HIDE_SUPPORT_PROMPT=1 venv/bin/python -W ignore - <<'PY'
from pettingzoo.classic import go_v5


def play(env, name):
    """Plays 81 and, if that is legal again, 81."""
    env.reset()
    legal = env.last()[0]["action_mask"]
    count = int(legal.sum())
    env.step(81)
    if env.last()[0]["action_mask"][81]:
        env.step(81)
    board = env.unwrapped._go.board
    stones, over = int((board != 0).sum()), bool(all(env.terminations.values()))
    print(f"{name} {count} of {len(legal)} actions legal, after 81 (twice if legal): stones {stones}, over {over},"
          f" board {board.shape}")
    return count, stones, over, board.shape


large = go_v5.env(board_size=19)
alone = play(large, "19x19 alone:                ")
assert alone == (362, 1, False, (19, 19))
small = go_v5.env(board_size=9)
assert play(large, "19x19, a 9x9 one made later:") == (82, 0, True, (9, 9))
go_v5.env(board_size=19)
try:
    small.reset()
except IndexError as error:
    print(f"9x9, a 19x19 one made later: {type(error).__name__} at reset")
else:
    raise AssertionError("the small one starts")
print("as recorded")
PY
