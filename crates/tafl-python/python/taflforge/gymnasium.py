"""Hnefatafl for Gymnasium: one side, against an opponent. Importing this module registers an environment for each ruleset.

    import gymnasium
    import taflforge.gymnasium

    env = gymnasium.make("taflforge/Brandubh-v0", opponent="greedy", side="attackers")
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

`sample` draws a legal action. That of `make_vec` does not: give it `mask=tuple(info["action_mask"].astype("int8"))`, of which a row is all
False where a game ended (any action then begins the next one).

Without the second import: gymnasium.make("taflforge.gymnasium:taflforge/Brandubh-v0"). An id plays its own ruleset;
`TaflEnv` any. Masked algorithms (MaskablePPO of sb3-contrib) call `action_masks`. Gymnasium's own `max_episode_steps` cuts games.
"""

import secrets
from operator import index
from os import PathLike
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from ._arguments import whole_number
from ._core import PLANES, RULESETS, Game, Rules
from ._packages import needed
from ._players import Chooser, PlayerLike, chooser
from ._render import MODES, check_mode, render

with needed("taflforge.gymnasium", "gymnasium"):
    import gymnasium
    from gymnasium import spaces

__all__ = ["IDS", "LegalActions", "TaflEnv"]

IDS: dict[str, str] = {name: f"taflforge/{''.join(word.capitalize() for word in name.split('-'))}-v0" for name in RULESETS}
"""The name for `gymnasium.make` of each ruleset."""


class LegalActions(spaces.Discrete):
    """All actions of a board; `sample` draws from the legal ones, all equally likely."""

    def __init__(self, actions: int) -> None:
        super().__init__(actions)
        self.legal: npt.NDArray[np.uint16] = np.empty(0, np.uint16)
        """The legal actions now; the environment sets them."""

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        if mask is None and probability is None and len(self.legal):
            return np.int64(self.np_random.choice(self.legal))
        return super().sample(mask, probability)


class TaflEnv(gymnasium.Env[npt.NDArray[np.uint8], np.int64]):
    """One side of a game; the opponent's plies are played within `step`, and after a capture in Berserk there may be none.
    Where the opponent resigns or ends the game before the first step, that step ends it, whatever its action.

    Observations are the trainer's planes, uint8 [planes, size, size], of which 255 stands for 1. The reward is 1 for a won game, -1 for a
    lost one, else 0. An action that is not legal loses the game. `info`: the legal actions as `action_mask`, the `side` that is
    played, at the end the `reason`: as `Game.reason`, "resigned", or what begins with "illegal" after such an action.
    """

    metadata = {"render_modes": MODES, "render_fps": 2}  # noqa: RUF012 (declared by Gymnasium)

    def __init__(
        self,
        ruleset: str | PathLike[str] | Rules = "copenhagen",
        opponent: PlayerLike = "random",
        side: str = "attackers",
        *,
        visits: SupportsIndex = 100,
        render_mode: str | None = None,
    ) -> None:
        """`opponent`: a player's name ("alphabeta:2"), a network, its name or folder, which searches with `visits`, a `Search`,
        or a function from a game to a move. `side`: "attackers", "defenders", or "random", drawn anew for each game.
        """
        if side not in ("attackers", "defenders", "random"):
            raise ValueError(f"side: {side!r} is none of attackers, defenders, random")
        check_mode(render_mode)
        self.rules = Rules(ruleset)
        self.render_mode = render_mode
        self._side = side
        self._opponent_is = (opponent, whole_number(visits, "visits", 1))
        self._opponent = self._seat(secrets.randbits(32))
        size = self.rules.size
        self.observation_space = spaces.Box(0, 255, (len(PLANES), size, size), np.uint8)
        self._actions = LegalActions(self.rules.actions)
        self.action_space = self._actions
        self.game = Game(self.rules)
        self.side = "attackers" if side == "random" else side
        self._refused: str | None = "no game has begun"
        self._has_won = False

    def _seat(self, seed: int) -> Chooser:
        opponent, visits = self._opponent_is
        return chooser(opponent, "opponent", self.rules, visits, seed)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        """Begins a game; a seed also begins the random numbers of the opponent anew. Networks draw none: they answer alike."""
        super().reset(seed=seed, options=options)
        # An opponent that moves first may fail, or be interrupted.
        self._refused = "no game has begun"
        if seed is not None:
            self._opponent = self._seat(int(self.np_random.integers(2**32)))
        if self._side == "random":
            self.side = ("attackers", "defenders")[self.np_random.integers(2)]
        self.game = Game(self.rules)
        self._has_won = False
        self._answer()
        begun = self._observe()
        self._refused = None
        return begun

    def step(self, action: SupportsIndex) -> tuple[npt.NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        """Plays an action, and the opponent's answer; `ValueError` once the game is over.

        Where the opponent raises an exception, or Ctrl-C interrupts it, nothing was played: the same action may be tried again.
        """
        if self._refused is not None:
            raise ValueError(f"action: {self._refused}; call reset")
        try:
            action = index(action)
        except TypeError:
            raise TypeError(f"action: a whole number is wanted, not {type(action).__name__}") from None
        plies, has_won = self.game.ply, self._has_won
        try:
            reason = self._play(action)
            observation, info = self._observe()
        except BaseException:
            self.game.undo(self.game.ply - plies)
            self._has_won = has_won
            raise
        outcome = self.side if self._has_won else self.game.outcome
        is_over = outcome is not None or reason is not None
        if is_over:
            self._refused = "the game is over"
        if reason is not None:
            return observation, -1.0, True, False, info | {"reason": f"illegal: {reason}"}
        reward = 0.0 if outcome in (None, "draw") else 1.0 if outcome == self.side else -1.0
        return observation, reward, is_over, False, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Returns which actions are legal, bool [actions]: what MaskablePPO asks for."""
        return self.game.legal_mask()

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Returns the board as text, as SVG or as pixels [height, width, 3]; None without a render mode."""
        return render(self.game, self.render_mode)

    def _play(self, action: int) -> str | None:
        """Plays an action and the answer; returns what is against it, if it is not legal."""
        if self._has_won or self.game.outcome is not None:
            return None
        reason = self.game.why_illegal(action) if 0 <= action < self.rules.actions else "no action"
        if reason is None:
            self.game.play(action)
            self._answer()
        return reason

    def _answer(self) -> None:
        """Plays for the opponent until this side is to move, or the game is over."""
        while self.game.outcome is None and self.game.side != self.side:
            [move] = self._opponent.choose([self.game])
            if move == "resign":
                self._has_won = True
                return
            self.game.play(move)

    def _observe(self) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        mask = self.game.legal_mask()
        self._actions.legal = np.flatnonzero(mask).astype(np.uint16)
        info: dict[str, Any] = {"action_mask": mask, "side": self.side}
        if self._has_won or self.game.outcome is not None:
            info["reason"] = "resigned" if self._has_won else self.game.reason
        return self.game.observation(), info


class _EnvOfId(TaflEnv):
    """The environment of an id, which plays the ruleset that the id names."""

    def __init__(self, named: str, ruleset: str | PathLike[str] | Rules | None = None, **settings: Any) -> None:
        if ruleset is not None and Rules(ruleset) != Rules(named):
            raise ValueError(f"ruleset: {IDS[named]} plays {named}; taflforge.gymnasium.TaflEnv(ruleset) plays any")
        super().__init__(named, **settings)


for _ruleset, _id in IDS.items():
    if _id not in gymnasium.registry:
        gymnasium.register(_id, entry_point="taflforge.gymnasium:_EnvOfId", kwargs={"named": _ruleset})
