#!/usr/bin/env bash
# PettingZoo 1.27.0: chess-v6 calls a game drawn as soon as the player to move could repeat the position, with mate in one as well.
#
# Good guess: a game is drawn when a position is there for the third time, as in OpenSpiel; the documentation's version history
#   names the rule. Until then who can mate mates.
# What happens: after each move the environment asks python-chess whether a draw can be claimed. By FIDE's rules a player may
#   claim with a move that he is about to play, so the answer is yes if any of his legal moves leads to a position seen twice.
#   A player who has other plans does not claim; the environment claims for him: the game ends, with 0 for both. In the
#   game below Black has a choice of 32 moves, one of them mate, and is not asked. OpenSpiel plays the same game on.
#   (The rule of fifty moves is claimed after 99 half-moves in the same way.)
# Who cares: value targets near repetitions, which weak networks produce all the time, become draws: who is ahead and shuffles
#   once too often never learns to leave the circle, as the move out of it cannot be played. Scores of matches are level.
# Seen on 2026-11-30 with pettingzoo 1.27.0, chess 1.11.2, open_spiel 2.0.2 on Python 3.11 (f3 e5 a3 Na6 g4, then knights):
#   the position was there 2 times, 32 moves, mate in one: 1, python-chess outcome() None
#   PettingZoo: over True, rewards {'player_0': 0, 'player_1': 0}
#   OpenSpiel: over False, after Qh4 returns [1.0, -1.0] (Black first)
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check pettingzoo==1.27.0 gymnasium==1.4.0 pygame==2.6.1 chess==1.11.2 \
    open_spiel==2.0.2 numpy==2.4.6

PYGAME_HIDE_SUPPORT_PROMPT=1 venv/bin/python -W ignore - <<'PY'
import collections

import chess
import pyspiel
from pettingzoo.classic import chess_v6
from pettingzoo.classic.chess import chess_utils

MOVES = "f2f3 e7e5 a2a3 b8a6 g2g4 a6b8 b1c3 b8c6 c3b1 c6b8 b1c3 b8c6 c3b1".split()
env, other, board, seen = chess_v6.env(), pyspiel.load_game("chess").new_initial_state(), chess.Board(), collections.Counter()
env.reset()
for text in MOVES:
    move = chess.Move.from_uci(text)
    assert not any(env.terminations.values()) and not other.is_terminal() and move in board.legal_moves
    legal = [action for action, allowed in enumerate(env.observe(env.agent_selection)["action_mask"]) if allowed]
    player = env.possible_agents.index(env.agent_selection)
    env.step(next(action for action in legal if chess_utils.action_to_move(board, action, player) == move))
    other.apply_action(other.string_to_action(board.san(move)))
    board.push(move)
    seen[board.epd()] += 1
assert env.unwrapped.board.fen() == board.fen() and max(seen.values()) == seen[board.epd()] == 2
mates = []
for move in list(board.legal_moves):
    board.push(move)
    mates += [move.uci()] * board.is_checkmate()
    board.pop()
count = board.legal_moves.count()
print(f"the position was there 2 times, {count} moves, mate in one: {len(mates)}, python-chess outcome() {board.outcome()}")
assert mates == ["d8h4"] and board.outcome() is None
over = other.is_terminal()
other.apply_action(other.string_to_action("Qh4#"))
print(f"PettingZoo: over {all(env.terminations.values())}, rewards {env.rewards}")
print(f"OpenSpiel: over {over}, after Qh4 returns {other.returns()} (Black first)")
assert all(env.terminations.values()) and set(env.rewards.values()) == {0}
assert not over and other.returns() == [1.0, -1.0]
print("as recorded")
PY
