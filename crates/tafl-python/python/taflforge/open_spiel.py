"""Hnefatafl for OpenSpiel. Importing this module registers the game.

    import pyspiel
    import taflforge.open_spiel

    game = pyspiel.load_game("python_hnefatafl(ruleset=brandubh)")

Player 0 are the attackers. After a capture a player may be to move again (Berserk). A game of `max_plies` plies is a draw, since
OpenSpiel wants a greatest length. States are copied in microseconds, and serialized as their history.
"""

from typing import Any

import numpy as np

from ._core import PLANES, Game, Rules, move
from ._packages import needed

with needed("taflforge.open_spiel", "pyspiel"):
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame

__all__ = ["HnefataflGame", "HnefataflState"]

_SIDES = ("attackers", "defenders")

_TYPE = pyspiel.GameType(
    short_name="python_hnefatafl",
    long_name="Hnefatafl",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"ruleset": "copenhagen", "max_plies": 1000},
)


class HnefataflGame(pyspiel.Game):
    """Rules and limits. Parameters: `ruleset`, a name or a file; `max_plies`."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        params = params or {}
        self.rules = Rules(params.get("ruleset", "copenhagen"))
        self.max_plies = int(params.get("max_plies", 1000))
        if self.max_plies < 1:
            raise ValueError(f"max_plies: {self.max_plies} is below 1")
        info = pyspiel.GameInfo(
            num_distinct_actions=self.rules.actions,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.max_plies,
        )
        super().__init__(_TYPE, info, params)

    def new_initial_state(self) -> "HnefataflState":
        return HnefataflState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Returns what writes observations: the trainer's planes, float32 [planes, size, size]."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return _Observer(self.rules, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class HnefataflState(pyspiel.State):
    """A position with its history."""

    def __init__(self, game: HnefataflGame) -> None:
        super().__init__(game)
        self.game_so_far = Game(game.rules)
        self._max_plies = game.max_plies

    def current_player(self) -> int:
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        return _SIDES.index(self.game_so_far.side)

    def _legal_actions(self, player: int) -> list[int]:  # noqa: ARG002 (asked for the player to move alone)
        actions: list[int] = self.game_so_far.legal_actions().tolist()
        return actions

    def _apply_action(self, action: int) -> None:
        self.game_so_far.play(action)

    def _action_to_string(self, player: int, action: int) -> str:  # noqa: ARG002 (both players' moves have one name)
        return move(action, self.game_so_far.rules.size)

    def is_terminal(self) -> bool:
        return self.game_so_far.outcome is not None or self.game_so_far.ply >= self._max_plies

    def returns(self) -> list[float]:
        outcome = self.game_so_far.outcome
        attackers = 0.0 if outcome in (None, "draw") else 1.0 if outcome == "attackers" else -1.0
        return [attackers, -attackers]

    def __str__(self) -> str:
        return str(self.game_so_far)


class _Observer:
    """Writes observations, as `open_spiel.python.observation` wants them."""

    def __init__(self, rules: Rules, params: Any) -> None:
        if params:
            raise ValueError(f"params: an observation has none, not {params}")
        shape = (len(PLANES), rules.size, rules.size)
        self.tensor = np.zeros(int(np.prod(shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: HnefataflState, player: int) -> None:  # noqa: ARG002 (both see the same)
        self.dict["observation"][:] = state.game_so_far.observation("f32")

    def string_from(self, state: HnefataflState, player: int) -> str:  # noqa: ARG002 (both see the same)
        return str(state)


pyspiel.register_game(_TYPE, HnefataflGame)
