#!/usr/bin/env bash
# OpenSpiel 2.0.2: State.undo_action gives the board back, but not the legal moves; in two games it does nothing.
#
# Good guess: a game that offers undo_action (others raise "not overridden") restores the state that was there before
#   the move: same text, same history, same legal moves, same end of the game. Tic-tac-toe and go do.
# What happens: chess and shogi keep the list of legal moves that was last asked for. Whoever looked at the position
#   after the move (is_terminal is enough) and takes the move back holds the old board with the other side's moves.
#   A mate that is taken back stays an end of the game, and its winner's 1 becomes 0: a draw, on a board with 30 moves.
#   TwixT and ultimate tic-tac-toe accept undo_action, raise nothing and change nothing, not even the history.
# Who cares: a search that makes and unmakes moves, in Python or C++; each of its nodes sees wrong moves or no end.
# Seen on 2026-11-29 with open_spiel 2.0.2 on Python 3.11:
#   chess after 1.e4: 20 legal moves; after 1...e5 and undo: same text, 29 legal moves, the list of the other side
#   chess before mate: 30 legal moves, returns none; after Qh4# and undo: same text, terminal True, returns [0.0, 0.0]
#   twixt: board and history after undo are those after the move
#   ultimate_tic_tac_toe: board and history after undo are those after the move
#   tic_tac_toe, go, breakthrough: all restored
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check open_spiel==2.0.2 numpy==2.4.6

venv/bin/python - <<'PY'
import pyspiel


def chess(*moves):
    state = pyspiel.load_game("chess").new_initial_state()
    for move in moves:
        state.apply_action(named(state, move))
    return state


def named(state, text):
    player = state.current_player()
    return next(a for a in state.legal_actions() if state.action_to_string(player, a) == text)


# One move back and forth, with a look at the position between.
state = chess("e4")
text, player, before = str(state), state.current_player(), state.legal_actions()
reply = named(state, "e5")
state.apply_action(reply)
other = state.legal_actions()
state.undo_action(player, reply)
after = state.legal_actions()
print(f"chess after 1.e4: {len(before)} legal moves; after 1...e5 and undo: same text {str(state) == text}, {len(after)}")
assert str(state) == text and state.current_player() == player
assert len(before) == 20 and len(after) == 29 and after == other != before

# The same without the look: nothing was kept, and the undo is right.
state = chess("e4")
state.apply_action(reply)
state.undo_action(player, reply)
assert state.legal_actions() == before

# Mate, taken back.
state = chess("f3", "e5", "g4")
text, player, before = str(state), state.current_player(), state.legal_actions()
mate = named(state, "Qh4#")
state.apply_action(mate)
assert state.is_terminal() and state.returns()[player] == 1
state.undo_action(player, mate)
print(f"chess before mate: {len(before)} legal moves; after Qh4# and undo: same text {str(state) == text}, "
      f"terminal {state.is_terminal()}, returns {state.returns()}, legal moves {len(state.legal_actions())}")
assert str(state) == text and len(before) == 30
assert state.is_terminal() and state.returns() == [0.0, 0.0] and state.legal_actions() == []


def facts(state):
    return str(state), state.history(), state.move_number(), state.legal_actions()


def there_and_back(name):
    state = pyspiel.load_game(name).new_initial_state()
    before, player, action = facts(state), state.current_player(), state.legal_actions()[0]
    state.apply_action(action)
    moved = facts(state)
    state.undo_action(player, action)
    return before, moved, facts(state)


for name in "twixt", "ultimate_tic_tac_toe":
    before, moved, after = there_and_back(name)
    print(f"{name}: undo raises nothing; state as after the move: {after == moved}, as before: {after == before}")
    assert after == moved != before
before, moved, after = there_and_back("shogi")
print(f"shogi: text restored {after[0] == before[0]}, legal moves restored {after[3] == before[3]}")
assert after[:3] == before[:3] and after[3] == moved[3] != before[3]
for name in "tic_tac_toe", "go", "breakthrough":
    before, moved, after = there_and_back(name)
    print(f"{name}: all restored {after == before}")
    assert after == before != moved
print("as recorded")
PY
