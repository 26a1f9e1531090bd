#!/usr/bin/env bash
# Shimmy 2.0.1: an OpenSpiel game in PettingZoo's loop pays the second player double, the third one threefold.
#
# Good guess: what `env.last()` hands to a player over a whole game adds up to the game's returns for that player; a game
#   of two players whose returns sum to zero stays one.
# What happens: at the end PettingZoo asks each player once more, to give the last reward and to take leave. When player_0
#   leaves, the wrapper adds the rewards of the last move to those who are still there, a second time, so player_1 wins 2
#   or loses 2. Of three players the last gets three times its reward. player_0 and draws are right; nothing warns, and
#   PettingZoo's api_test passes (also below).
# Who cares: who trains by self-play on it: the value of the second side is twice too large, the sum of a game is 1 or -1,
#   and a mean score looks like an advantage of one side.
# Seen on 2026-11-29 with shimmy 2.0.1, open_spiel 2.0.2, pettingzoo 1.27.0 on Python 3.11 (random games):
#   tic_tac_toe, 70 games: returns (1.0, -1.0), paid (1.0, -2.0)
#   tic_tac_toe, 10 games: returns (0.0, 0.0), paid (0.0, 0.0)
#   tic_tac_toe, 20 games: returns (-1.0, 1.0), paid (-1.0, 2.0)
#   breakthrough, connect_four, dots_and_boxes, hex: paid (1, 2) times the returns
#   matching_pennies_3p: paid (1, 2, 3) times the returns
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check shimmy==2.0.1 open_spiel==2.0.2 pettingzoo==1.27.0 gymnasium==1.4.0 numpy==2.4.6

venv/bin/python - <<'PY'
import collections
import random
import warnings

import numpy as np
from pettingzoo.test import api_test
from shimmy import OpenSpielCompatibilityV0


def game(name, seed):
    """Plays a random game by PettingZoo's loop; gives its returns and what each player was paid."""
    env, chance = OpenSpielCompatibilityV0(game_name=name), random.Random(seed)
    env.reset(seed=seed)
    paid = collections.Counter(dict.fromkeys(env.possible_agents, 0.0))
    for agent in env.agent_iter():
        _, reward, terminated, truncated, info = env.last()
        paid[agent] += reward
        over = terminated or truncated
        env.step(None if over else int(chance.choice(np.flatnonzero(info["action_mask"]))))
    assert env.game_state.is_terminal()
    return tuple(env.game_state.returns()), tuple(paid[agent] for agent in env.possible_agents)


warnings.simplefilter("ignore")  # api_test does not like observations without bounds
api_test(OpenSpielCompatibilityV0(game_name="tic_tac_toe"), num_cycles=100)
seen = collections.Counter(game("tic_tac_toe", seed) for seed in range(100))
for (returns, paid), games in sorted(seen.items(), reverse=True):
    print(f"tic_tac_toe, {games} games: returns {returns}, paid {paid}")
assert set(seen) == {((1, -1), (1, -2)), ((-1, 1), (-1, 2)), ((0, 0), (0, 0))}
for name in ("breakthrough", "connect_four", "dots_and_boxes", "hex", "matching_pennies_3p"):
    games = [game(name, seed) for seed in range(20)]
    times = {tuple(b / a for a, b in zip(*one)) for one in games if all(one[0])}
    print(f"{name}: paid {times} times the returns")
    assert times == {(1, 2, 3) if name.endswith("3p") else (1, 2)}
print("as recorded")
PY
