"""Hnefatafl for Python: rules, environments, networks, search, and the games and samples of training runs."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._core import (
    NETS,
    PLANES,
    RULESETS,
    Game,
    Net,
    Player,
    Ply,
    Record,
    RecordedPly,
    Rules,
    Search,
    StepInfo,
    VecEnv,
    __version__,
    action,
    elo,
    games,
    move,
    openings,
    plane_meaning,
    samples,
)
from ._tuples import Csr, Samples, SearchResult

if TYPE_CHECKING:
    from .bots import bot
    from .matches import match
    from .nets import load_net

# Written in Python: loaded when they are asked for.
_LATER = {"bot": "bots", "match": "matches", "load_net": "nets"}

__all__ = [
    "NETS",
    "PLANES",
    "RULESETS",
    "Csr",
    "Game",
    "Net",
    "Player",
    "Ply",
    "Record",
    "RecordedPly",
    "Rules",
    "Samples",
    "Search",
    "SearchResult",
    "StepInfo",
    "VecEnv",
    "__version__",
    "action",
    "bot",
    "elo",
    "games",
    "load_net",
    "match",
    "move",
    "openings",
    "plane_meaning",
    "samples",
]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f".{_LATER[name]}", __name__), name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *_LATER})
