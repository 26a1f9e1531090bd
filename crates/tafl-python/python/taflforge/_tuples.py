"""Results with named parts, which the compiled part makes."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Csr(NamedTuple):
    """Legal actions of many games: those of game i are actions[starts[i] : starts[i + 1]], rising."""

    starts: npt.NDArray[np.int64]
    actions: npt.NDArray[np.uint16]


class _SearchResult(NamedTuple):
    best: str
    value: float
    """Win less loss, -1 to 1."""
    visits: dict[str, int]
    """Visits of each legal move that the search took into account; all 0 where the result was proven at once."""


class SearchResult(_SearchResult):
    """What a search found; values are those of the side to move."""

    policy: dict[str, float]
    """The probability of each of these moves after the search, as networks learn it. To vary a player's games, draw from it:
    random.choices(list(result.policy), result.policy.values())."""


class Samples(NamedTuple):
    """A batch as the trainer sees it; each sample under a symmetry of its own if they are asked for."""

    planes: npt.NDArray[np.float32]
    """[batch, 43, size, size]; in memory the planes of a square lie side by side, which torch calls channels_last."""
    policy: npt.NDArray[np.float32]
    """Probabilities to learn, [batch, actions]."""
    wdl: npt.NDArray[np.float32]
    """Win, draw and loss of the side to move to learn, [batch, 3]."""
    mask: npt.NDArray[np.bool_]
    """The legal actions, [batch, actions]."""
    moves_left: npt.NDArray[np.float32]
    """Plies to the end of the game, [batch]."""
    moves_left_weight: npt.NDArray[np.float32]
    """0 where the game was cut, else 1, [batch]."""
