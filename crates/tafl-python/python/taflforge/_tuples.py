"""Results with named parts, which the compiled part makes."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


class Csr(NamedTuple):
    """Legal actions of many games: those of game i are actions[starts[i] : starts[i + 1]], rising."""

    starts: npt.NDArray[np.int64]
    actions: npt.NDArray[np.uint16]


class _SearchResult(NamedTuple):
    best: str
    value: float
    visits: dict[str, int]


class SearchResult(_SearchResult):
    """What a search found; values are those of the side to move.

    `best`: the move to play. `value`: win less loss, -1 to 1. `visits`: of each legal move that the search took into account; all 0
    where the result was proven at once. `policy`, which is no part of the tuple: the probability of each of these moves after the
    search, as networks learn it. To vary a player's games, draw from it:
    random.choices(list(result.policy), result.policy.values()).
    """

    policy: dict[str, float]

    def _replace(self, **parts: Any) -> "SearchResult":
        policy = parts.pop("policy", self.policy)
        replaced = super()._replace(**parts)
        replaced.policy = policy
        return replaced


class Samples(NamedTuple):
    """A batch as the trainer sees it; each sample under a symmetry of its own if they are asked for.

    `planes`: float32 [batch, planes, size, size]; in memory the planes of a square lie side by side, which torch calls channels_last.
    `policy`: probabilities to learn, float32 [batch, actions]. `wdl`: win, draw and loss of the side to move to learn, float32
    [batch, 3]. `mask`: the legal actions, bool [batch, actions]. `moves_left`: plies to the end of the game, float32 [batch].
    `moves_left_weight`: 0 where the game was cut, else 1, float32 [batch].
    """

    planes: npt.NDArray[np.float32]
    policy: npt.NDArray[np.float32]
    wdl: npt.NDArray[np.float32]
    mask: npt.NDArray[np.bool_]
    moves_left: npt.NDArray[np.float32]
    moves_left_weight: npt.NDArray[np.float32]
