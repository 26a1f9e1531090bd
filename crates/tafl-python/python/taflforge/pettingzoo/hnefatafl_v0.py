"""Hnefatafl for PettingZoo: two agents, "attackers" and "defenders", that move one ply at a time.

    env = hnefatafl_v0.env(ruleset="brandubh")
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        done = termination or truncation
        env.step(None if done else env.action_space(agent).sample(observation["action_mask"]))

After a capture a side may be to move again (Berserk): never assume that agents alternate.
"""

from os import PathLike
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo.utils import AECEnv, wrappers

from .._arguments import whole_number
from .._core import PLANES, Game, Rules
from .._render import MODES, check_mode, render

__all__ = ["env", "raw_env"]


def env(**settings: Any) -> AECEnv[str, dict[str, Any], int | None]:
    """Makes an environment that an illegal move ends, lost by its agent; settings are those of `raw_env`."""
    checked = wrappers.TerminateIllegalWrapper(raw_env(**settings), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(checked))


class raw_env(AECEnv[str, dict[str, Any], int | None]):  # noqa: N801 (PettingZoo's name)
    """The environment without wrappers: an illegal move raises `ValueError`.

    Observations have two parts: `observation`, the trainer's planes of the position, uint8 [planes, size, size], of which 255 stands
    for 1, the same for both agents (plane `attackers_to_move` says who is to move); and `action_mask`, the legal actions, int8
    [actions], all 0 for the agent that is not to move. Rewards come at the end: 1 to the winner, -1 to the loser, 0 for draws.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (declared by PettingZoo)
        "name": "hnefatafl_v0",
        "render_modes": MODES,
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self, ruleset: str | PathLike[str] | Rules = "copenhagen", *, render_mode: str | None = None, max_plies: SupportsIndex | None = None
    ) -> None:
        """`render_mode`: "ansi", "svg" or "rgb_array", which `render` returns. `max_plies`: games are cut there (truncated)."""
        super().__init__()
        check_mode(render_mode)
        self.rules = Rules(ruleset)
        self.render_mode = render_mode
        self.max_plies = None if max_plies is None else whole_number(max_plies, "max_plies", 1)
        self.possible_agents = ["attackers", "defenders"]
        size, actions = self.rules.size, self.rules.actions
        observation = spaces.Dict(
            {
                "observation": spaces.Box(0, 255, (len(PLANES), size, size), np.uint8),
                "action_mask": spaces.Box(0, 1, (actions,), np.int8),
            }
        )
        # One space for each agent: their random numbers are independent.
        self.observation_spaces = {agent: spaces.Dict(observation.spaces) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002 (nothing is random)
        """Begins a game. Nothing in it is random, so the seed changes nothing."""
        self.game = Game(self.rules)
        self.agents = self.possible_agents[:]
        self.agent_selection = self.game.side
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}

    def observe(self, agent: str) -> dict[str, Any]:
        mask = np.zeros(self.rules.actions, np.int8)
        if agent == self.game.side:
            mask[self.game.legal_actions()] = 1
        return {"observation": self.game.observation(), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Plays an action of the agent `agent_selection`; `ValueError` if it is not legal, None once the game is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError("action: the game is not over, so None is no action")
        self.game.play(action)
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        outcome = self.game.outcome
        if outcome is not None:
            self.rewards = {it: 0 if outcome == "draw" else 1 if it == outcome else -1 for it in self.agents}
            self.terminations = dict.fromkeys(self.agents, True)
            self.infos = {it: {"reason": self.game.reason} for it in self.agents}
        elif self.max_plies is not None and self.game.ply >= self.max_plies:
            self.truncations = dict.fromkeys(self.agents, True)
            self.infos = {it: {"reason": "capped"} for it in self.agents}
        self.agent_selection = self.game.side
        self._accumulate_rewards()

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Returns the board as text, as SVG or as pixels [height, width, 3]; None without a render mode."""
        return render(self.game, self.render_mode)

    def close(self) -> None:
        """There is nothing to close."""
