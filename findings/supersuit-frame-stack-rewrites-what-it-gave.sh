#!/usr/bin/env bash
# SuperSuit 3.11.0: frame_stack hands out one array and rewrites it; 2-D boards with stack_dim=0 have no history at all.
#
# Good guess: each observation is an array of its own, as from Gymnasium's FrameStackObservation: what step() returned before stays
#   what it was. stack_dim=0 gives the frames that stack_dim=-1 gives, in front instead of at the end, oldest first.
# What happens: the wrapper shifts one array in place and returns it, so obs is next_obs: when a transition is put together after
#   the step, as every loop does it, both are the later board, also in a buffer that copies. A list of a game's observations
#   is the last one many times. And for a board of two dimensions with stack_dim=0 the new board goes into every frame but the last
#   (a slice stands where an index was meant), while the last stays as it was after reset(), all zeros. Three dimensions are stacked right.
#   Spaces and shapes fit, env checkers see nothing. That its black_death never ends a game is reported (pull request 265).
# Who cares: who stacks boards for a network that needs the last moves (ko, repetition): there is no history in them, values
#   are bootstrapped from the position itself, and replay holds transitions in which nothing moves.
# Seen on 2026-11-30 with supersuit 3.11.0, gymnasium 1.4.0, pettingzoo 1.27.0 on Python 3.11 (moves 1 to 4, a digit per frame):
#   Gymnasium, 3x3:                    at once 001 012 123 234   at the end 001 012 123 234   obs = next_obs in 0 of 3
#   SuperSuit, 3x3, stack_dim=-1:      at once 001 012 123 234   at the end 234 234 234 234   obs = next_obs in 3 of 3
#   SuperSuit, 1x3x3, stack_dim=0:     at once 001 012 123 234   at the end 234 234 234 234   obs = next_obs in 3 of 3
#   SuperSuit, 3x3, stack_dim=0:       at once 110 220 330 440   at the end 440 440 440 440   obs = next_obs in 3 of 3
#   as PettingZoo's parallel environment: the same
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check supersuit==3.11.0 pettingzoo==1.27.0 gymnasium==1.4.0 numpy==2.4.6

venv/bin/python -W ignore - <<'PY'
import gymnasium
import numpy as np
import supersuit
from gymnasium.wrappers import FrameStackObservation
from pettingzoo import ParallelEnv


class Board(gymnasium.Env):
    """A board on which every cell holds the number of the move."""

    def __init__(self, shape):
        self.observation_space, self.action_space = gymnasium.spaces.Box(0, 9, shape, np.float32), gymnasium.spaces.Discrete(2)

    def reset(self, seed=None, options=None):
        self.move = 1
        return self.observe(), {}

    def step(self, action):
        self.move += 1
        return self.observe(), 0.0, False, False, {}

    def observe(self):
        return np.full(self.observation_space.shape, self.move, np.float32)


class Both(ParallelEnv):
    """The same board, looked at by an agent of PettingZoo."""

    metadata, render_mode, possible_agents = {"name": "both"}, None, ["a"]

    def __init__(self, shape):
        self.board = Board(shape)
        self.observation_space, self.action_space = lambda _: self.board.observation_space, lambda _: self.board.action_space

    def reset(self, seed=None, options=None):
        self.agents = ["a"]
        return {"a": self.board.reset()[0]}, {"a": {}}

    def step(self, actions):
        return tuple({"a": it} for it in self.board.step(actions["a"]))


def play(env, axis):
    """The frames of each observation, at once and at the end, and how many transitions have obs equal to next_obs."""
    parallel = isinstance(env, ParallelEnv)
    look = (lambda it: it["a"]) if parallel else (lambda it: it)
    digits = lambda obs: "".join(str(int(np.take(obs, frame, axis).flat[0])) for frame in range(obs.shape[axis]))
    obs = look(env.reset()[0])
    kept, once, buffer = [obs], [digits(obs)], []
    for _ in range(3):
        after = look(env.step({"a": 0} if parallel else 0)[0])
        buffer.append((obs.copy(), after.copy()))
        kept, once, obs = kept + [after], once + [digits(after)], after
    return " ".join(once), " ".join(map(digits, kept)), sum(np.array_equal(*pair) for pair in buffer)


RIGHT, WRONG = "001 012 123 234", "110 220 330 440"
found = {"Gymnasium, 3x3:": play(FrameStackObservation(Board((3, 3)), 3, padding_type="zero"), 0)}
for shape, axis in (((3, 3), -1), ((1, 3, 3), 0), ((3, 3), 0)):
    cases = [play(supersuit.frame_stack_v1(make(shape), 3, stack_dim=axis), axis) for make in (Board, Both)]
    assert cases[0] == cases[1]
    found[f"SuperSuit, {'x'.join(map(str, shape))}, stack_dim={axis}:"] = cases[0]
for name, (once, kept, equal) in found.items():
    print(f"{name:34} at once {once}   at the end {kept}   obs = next_obs in {equal} of 3")
late = (" ".join(["234"] * 4), 3)
assert list(found.values()) == [(RIGHT, RIGHT, 0), (RIGHT, *late), (RIGHT, *late), (WRONG, " ".join(["440"] * 4), 3)]
print("as recorded")
PY
