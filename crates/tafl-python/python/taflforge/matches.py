"""Matches between players in this process: who is stronger, and by how much."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from typing import NamedTuple, SupportsIndex

import numpy as np

from ._arguments import whole_number
from ._core import Game, Rules, elo
from ._core import openings as _openings
from ._players import Chooser, PlayerLike, chooser

__all__ = ["Elo", "MatchGame", "MatchResult", "Tally", "match"]

_SIDES = ("attackers", "defenders")


class Elo(NamedTuple):
    """An Elo difference, first player less second, and the ends of its 95 % interval."""

    value: float
    low: float
    high: float


class Tally(NamedTuple):
    """Games as one player sees them: wins, draws, losses; games cut at `max_plies` and drawn ones are draws."""

    wins: int
    draws: int
    losses: int


@dataclass(frozen=True)
class MatchGame:
    """A game of a match.

    `opening`: the number of its opening, from 0; its first plies are those of `openings`. `attackers`: which of the two players had
    the attackers, 0 or 1. `game`: the game after its last ply. `winner`: which player won; None for a draw, and for a game that was
    cut. `reason`: as `Game.reason`; "capped" if it was cut at `max_plies`, "resigned".
    """

    opening: int
    attackers: int
    game: Game
    winner: int | None
    reason: str


@dataclass(frozen=True)
class MatchResult:
    """The games of a match, none perhaps: the two of each opening one after the other, the first player attacks in the first."""

    players: tuple[str, str]
    ruleset: str
    games: list[MatchGame]

    def tally(self, player: int = 0, side: str | None = None) -> Tally:
        """Returns a player's wins, draws and losses, of all games or of those on one side."""
        if player not in (0, 1):
            raise ValueError(f"player: {player!r} is neither 0 nor 1")
        if side not in (*_SIDES, None):
            raise ValueError(f"side: {side!r} is neither attackers nor defenders")
        games = [it for it in self.games if side is None or (it.attackers == player) == (side == "attackers")]
        wins, draws = (sum(it.winner == wanted for it in games) for wanted in (player, None))
        return Tally(wins, draws, len(games) - wins - draws)

    @property
    def score(self) -> float:
        """The first player's points a game, 0 to 1; nan without games."""
        wins, draws, _ = self.tally()
        return (wins + draws / 2) / len(self.games) if self.games else float("nan")

    @property
    def elo(self) -> Elo:
        """How much stronger the first player is; see `taflforge.elo`.

        It counts pairs, the two games of an opening, since these are not independent where one side is favored.
        """
        counts = [0] * 5
        for first, second in zip(self.games[::2], self.games[1::2], strict=True):
            counts[sum({0: 2, 1: 0, None: 1}[it.winner] for it in (first, second))] += 1
        return Elo(*elo(counts))

    def __str__(self) -> str:
        rows = [f"{self.players[0]} - {self.players[1]}, {self.ruleset}, {len(self.games)} games"]
        rows += [f"  as {side}: {'won {}, drawn {}, lost {}'.format(*self.tally(0, side))}" for side in _SIDES]
        return "\n".join([*rows, f"  Elo {self.elo.value:+.0f} ({self.elo.low:+.0f} to {self.elo.high:+.0f})"])


def match(
    a: PlayerLike,
    b: PlayerLike,
    openings: SupportsIndex = 20,
    ruleset: str | PathLike[str] | Rules = "copenhagen",
    *,
    visits: SupportsIndex = 100,
    seed: SupportsIndex = 1,
    opening_plies: SupportsIndex = 4,
    max_plies: SupportsIndex = 1000,
) -> MatchResult:
    """Plays each of some random openings twice, so that both players have both sides; returns the games.

    Players are names ("greedy", "alphabeta:2", "rollouts:100"), networks, their names or folders, which search with `visits` a
    move, a `Search`, or functions from a game to a move. The openings are those of `tafl arena` with the same seed, which
    named players draw from, too; searches draw nothing. All games are played at once, searches on all cores. An exception in a
    function, or Ctrl-C, ends the match; `match` of the exception has the pairs of games that were over. Games are cut after
    `max_plies`.

    There may be fewer openings than `openings`, where the board is small and `opening_plies` are few: no two lead to one position,
    none to a game that is over or nearly won. With 0 plies there is one, the start.
    """
    rules = Rules(ruleset)
    visits, seed = whole_number(visits, "visits", 1), whole_number(seed, "seed", 0)
    plies = whole_number(opening_plies, "opening_plies", 0)
    starts = _openings(rules, whole_number(openings, "openings", 1), plies, seed)
    limit = whole_number(max_plies, "max_plies", plies + 1)
    # Of its own for each seat: two players of one name are not the same player.
    first, second = np.random.SeedSequence(seed).generate_state(2, np.uint64).tolist()
    choosers = (chooser(a, "a", rules, visits, first), chooser(b, "b", rules, visits, second))

    def result(games: list[_Running]) -> MatchResult:
        return MatchResult((choosers[0].name, choosers[1].name), rules.name, [it.ended() for it in games])

    running = [_Running(number, attackers, _play(rules, start)) for number, start in enumerate(starts) for attackers in (0, 1)]
    try:
        while not_over := [it for it in running if it.is_open(limit)]:
            turns = [[it for it in not_over if it.to_move == player] for player in (0, 1)]
            for its, games in zip(choosers, turns, strict=True):
                _move(its, games)
    except BaseException as error:
        pairs = zip(running[::2], running[1::2], strict=True)
        whole = [pair for pair in pairs if not any(it.is_open(limit) for it in pair)]
        # Not every exception takes attributes, all take notes.
        with suppress(AttributeError, TypeError):
            error.match = result([it for pair in whole for it in pair])  # type: ignore[attr-defined]
        error.add_note(f"match: {2 * len(whole)} of {len(running)} games were over in pairs; `match` of this exception has them")
        raise
    return result(running)


def _play(rules: Rules, moves: Iterable[str]) -> Game:
    game = Game(rules)
    for move in moves:
        game.play(move)
    return game


@dataclass
class _Running:
    """A game in progress."""

    opening: int
    attackers: int
    game: Game
    resigned: int | None = None

    def is_open(self, max_plies: int) -> bool:
        return self.game.outcome is None and self.resigned is None and self.game.ply < max_plies

    @property
    def to_move(self) -> int:
        return self.attackers if self.game.side == "attackers" else 1 - self.attackers

    def ended(self) -> MatchGame:
        if self.resigned is not None:
            return MatchGame(self.opening, self.attackers, self.game, 1 - self.resigned, "resigned")
        outcome = self.game.outcome
        winner = {"attackers": self.attackers, "defenders": 1 - self.attackers}.get(outcome or "draw")
        return MatchGame(self.opening, self.attackers, self.game, winner, self.game.reason or "capped")


def _move(player: Chooser, games: list[_Running]) -> None:
    """Asks a player for its moves in the games in which it is to move."""
    if not games:
        return
    moves = player.choose([it.game for it in games])
    for it, move in zip(games, moves, strict=True):
        if move == "resign":
            it.resigned = it.to_move
        else:
            it.game.play(move)
