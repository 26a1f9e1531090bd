"""Who plays: a name, a network, a search or a function, each as something that chooses moves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ._core import NETS, Game, Net, Player, Rules, Search, load_net
from .bots import Bot, Limits

PlayerLike = str | PathLike[str] | Player | Net | Search | Bot | Callable[..., str | int]
"""A name ("greedy", "alphabeta:2"), a network or its name or folder, a search, or a function from a game to a move."""


@dataclass(frozen=True)
class Chooser:
    """A player that is asked for moves in many games at once."""

    name: str
    choose: Callable[[Sequence[Game]], list[str]]
    """Returns a legal move of each game, none of which is over."""


def chooser(player: PlayerLike, argument: str, rules: Rules, visits: int, seed: int) -> Chooser:
    """Returns the player that an argument means. `visits` are those of networks and a function's limit, a move."""
    if isinstance(player, str | PathLike):
        player = _named(fspath(player), argument, seed)
    net = player.net if isinstance(player, Search) else player
    if isinstance(net, Net) and net.size != rules.size:
        boards = f"a board of {net.size}x{net.size}, {rules.name} has {rules.size}x{rules.size}"
        raise ValueError(f"{argument}: the network {net.name} plays on {boards}")
    if isinstance(player, Player):
        return Chooser(player.name, _one_by_one(player.choose))
    if isinstance(player, Net):
        search = Search(player, visits)
        return Chooser(f"{player.name}, {visits} visits", _searched(search))
    if isinstance(player, Search):
        return Chooser(f"search, {player.visits} visits", _searched(player))
    if callable(player):
        function = player if isinstance(player, Bot) else _bot(player, argument)
        return Chooser(function.name, _one_by_one(lambda game: function(game, Limits(nodes=visits))))
    raise TypeError(f"{argument}: a player's name, a network, a Search or a function is wanted, not {type(player).__name__}")


def _named(name: str, argument: str, seed: int) -> Player | Net:
    if name in NETS or Path(name).is_dir():
        return load_net(name, "f32")
    try:
        return Player(name, seed)
    except ValueError as error:
        reason = str(error).removeprefix("name: ")
        nets = ", ".join(NETS)
        raise ValueError(f"{argument}: {reason}; networks are {nets}, or a checkpoint's folder") from None


def _bot(function: Callable[..., Any], argument: str) -> Bot:
    try:
        return Bot(function)
    except TypeError as error:
        raise TypeError(f"{argument}: {error}") from None


def _one_by_one(choose: Callable[[Game], str]) -> Callable[[Sequence[Game]], list[str]]:
    return lambda games: [choose(game) for game in games]


def _searched(search: Search) -> Callable[[Sequence[Game]], list[str]]:
    return lambda games: [result.best for result in search.run_many(list(games))]
