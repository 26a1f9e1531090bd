"""Who plays: a name, a network, a search or a function, each as something that chooses moves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ._core import NETS, Game, Net, Player, Rules, Search, load_net
from .bots import Bot, Limits
from .nets import OnnxNet

PlayerLike = str | PathLike[str] | Player | Net | Search | Bot | Callable[..., str | int]
"""A name ("greedy", "alphabeta:2"), a network or its name or folder, a search, or a function from a game to a move."""


@dataclass(frozen=True)
class Chooser:
    """A player that is asked for moves in many games at once. A copy goes on by itself."""

    name: str
    player: Player | Search | Bot
    visits: int

    def choose(self, games: Sequence[Game]) -> list[str]:
        """Returns a legal move of each game, none of which is over."""
        if isinstance(self.player, Search):
            return [result.best for result in self.player.run_many(games)]
        if isinstance(self.player, Player):
            return [self.player.choose(game) for game in games]
        return [self.player(game, Limits(nodes=self.visits)) for game in games]


def chooser(player: PlayerLike, argument: str, rules: Rules, visits: int, seed: int) -> Chooser:
    """Returns the player that an argument means. `visits` are those of networks and a function's limit, a move."""
    if isinstance(player, OnnxNet):
        # It can be called, but with planes: it is no function from a game to a move.
        raise TypeError(f'{argument}: a Net with backend="rust" is wanted, not OnnxNet')
    if isinstance(player, str | PathLike):
        player = _named(fspath(player), argument, seed)
    net = player.net if isinstance(player, Search) else player
    if isinstance(net, Net) and net.size != rules.size:
        boards = f"a board of {net.size}x{net.size}, {rules.name} has {rules.size}x{rules.size}"
        raise ValueError(f"{argument}: the network {net.name} plays on {boards}")
    if isinstance(player, Net):
        player = Search(player, visits)
    if isinstance(player, Search):
        name = player.net.name if isinstance(player.net, Net) else getattr(player.net, "__name__", type(player.net).__name__)
        return Chooser(f"{name}, {player.visits} visits", player, player.visits)
    if not isinstance(player, Player | Bot):
        if not callable(player):
            wanted = "a player's name, a network, a Search or a function is wanted"
            raise TypeError(f"{argument}: {wanted}, not {type(player).__name__}")
        player = _bot(player, argument)
    return Chooser(player.name, player, visits)


def _named(name: str, argument: str, seed: int) -> Player | Net:
    # As on the command line, a folder hides no player.
    try:
        return Player(name, seed)
    except ValueError as error:
        if name in NETS or Path(name).is_dir():
            return load_net(name, "f32")
        reason = str(error).removeprefix("name: ")
        nets = ", ".join(NETS)
        raise ValueError(f"{argument}: {reason}; networks are {nets}, or a checkpoint's folder") from None


def _bot(function: Callable[..., Any], argument: str) -> Bot:
    try:
        return Bot(function)
    except TypeError as error:
        raise TypeError(f"{argument}: {error}") from None
