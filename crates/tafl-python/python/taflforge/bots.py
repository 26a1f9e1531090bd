"""Players of your own: a function that chooses moves becomes a program that speaks UCI.

    @tf.bot
    def first(game: tf.Game) -> str:
        return game.legal_moves()[0]

    if __name__ == "__main__":
        first.serve()

It plays in `tafl arena NET --engine "python first.py" --protocol uci`, and in this process by `tf.match(first, "greedy")`.
The function gets a game of its own, with all plies so far, and returns one ply, as text or number; in a chain of captures
(Berserk) it is asked again. It may return "resign". With a second parameter it also gets `Limits`.

What the arena sends, and waits for:

    uci                               id name ..., option name Ruleset ..., uciok
    isready                           readyok, when all before is done
    setoption name Ruleset value tablut
    ucinewgame                        before each game, then the option and isready
    position startpos moves d1d3 ...  the plies of the game so far, each link of a chain by itself, "end" ends a chain
    go nodes 100                      or `go movetime 1000`; bestmove d1d3

`stop` and `quit` work at any time, `position fen ...` and clocks are read too. What goes wrong is told as `info string error: ...`
and, after `go`, `bestmove (none)`, which loses the game; the traceback goes to standard error, as does what the function prints.
"""

import contextlib
import inspect
import io
import itertools
import os
import queue
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from ._core import RULESETS, Game, Rules, move

__all__ = ["Bot", "Limits", "bot"]

_PLY = re.compile(r"([a-k]\d{1,2})([a-k]\d{1,2})")
# Seconds that a function may go on after the end of the input.
_LAST_MOVE = 10.0


@dataclass(frozen=True)
class Limits:
    """What a function may spend on a ply; None where nothing is said."""

    nodes: int | None = None
    """Positions to look at; what one is, is the function's affair."""
    depth: int | None = None
    """Plies to look ahead."""
    seconds: float | None = None
    """Time to think: what was set, or a share of the own clock."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set when the answer is wanted at once."""


class Bot:
    """A function that chooses moves, as an engine and as a player of matches."""

    def __init__(self, function: Callable[..., str | int]) -> None:
        if not callable(function):
            raise TypeError(f"function: a function from Game to a move is wanted, not {type(function).__name__}")
        self._function = function
        self._wants_limits = _wants_limits(function)
        self.name: str = getattr(function, "__name__", type(function).__name__)
        self.__doc__ = function.__doc__

    def __call__(self, game: Game, limits: Limits | None = None) -> str:
        """Returns the function's move in a game that is not over, or "resign"; `ValueError` if it is not legal."""
        given = game.copy()
        chosen = self._function(given, limits or Limits()) if self._wants_limits else self._function(given)
        if isinstance(chosen, str) and chosen == "resign":
            return chosen
        try:
            reason = game.why_illegal(chosen)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{self.name} returned {chosen!r}: {error}") from None
        if reason is not None:
            raise ValueError(f"{self.name} returned {chosen!r}: {reason}")
        if not isinstance(chosen, str):
            return move(int(chosen), game.rules.size)
        after = game.copy()
        after.play(chosen)
        plies = after.history[len(game.history) :]
        if len(plies) > 1:
            raise ValueError(f"{self.name} returned {chosen!r}: {len(plies)} plies, a move has one")
        return plies[0]

    def serve(self, rulesets: Iterable[str | os.PathLike[str] | Rules] = ()) -> None:
        """Speaks UCI on standard input and output until `quit` or the end of the input.

        `rulesets`: files or rules of your own, which the option Ruleset then knows by their names, beside `RULESETS`; the
        first one is played unless something else is said.
        """
        if isinstance(rulesets, str):
            raise TypeError("rulesets: a list of rulesets is wanted, not one name")
        own = [Rules(it) for it in rulesets]
        known = {rules.name: rules for rules in own} or {"copenhagen": Rules("copenhagen")}
        known |= {name: Rules(name) for name in RULESETS if name not in known}
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        session = _Session(self, known, sys.stdout)
        # What the function prints is not for the protocol.
        with contextlib.redirect_stdout(sys.stderr):
            session.listen(sys.stdin)


def bot(function: Callable[..., str | int]) -> Bot:
    """Makes a function `game -> move`, or `(game, limits) -> move`, a player and an engine; see this module."""
    return Bot(function)


def _wants_limits(function: Callable[..., Any]) -> bool:
    """Returns whether a function takes a second argument by position."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return False
    for arguments, wants in ((2, True), (1, False)):
        try:
            signature.bind(*[None] * arguments)
        except TypeError:
            continue
        # A second parameter with a value of its own is not meant for limits.
        parameters = list(signature.parameters.values())
        return wants and (len(parameters) < 2 or parameters[1].default is inspect.Parameter.empty)
    raise TypeError(f"function: {function!r} must take a game, or a game and limits")


@dataclass
class _Job:
    """A question after `go`."""

    game: Game | None
    limits: Limits
    is_endless: bool = False


class _Session:
    """A conversation: this thread listens, another one thinks."""

    def __init__(self, player: Bot, rulesets: Mapping[str, Rules], out: TextIO) -> None:
        self._player = player
        self._rulesets = rulesets
        self._rules = next(iter(rulesets.values()))
        # Once a ruleset was refused, until one is accepted: what comes is not meant for the one before.
        self._has_refused = False
        self._game: Game | None = Game(self._rules)
        self._out = out
        self._lock = threading.Lock()
        self._jobs: queue.Queue[_Job | None] = queue.Queue()
        self._open: list[_Job] = []
        self._thinker = threading.Thread(target=self._think, daemon=True)

    def listen(self, lines: Iterable[str]) -> None:
        self._thinker.start()
        for line in lines:
            words = line.split()
            if words and words[0] == "quit":
                return
            try:
                self._hear(words)
            except (TypeError, ValueError, OSError) as error:
                self._complain(error)
        for job in self._open:
            if job.is_endless:
                job.limits.stop.set()
        self._jobs.put(None)
        self._thinker.join(_LAST_MOVE)

    def _hear(self, words: list[str]) -> None:
        match words:
            case [] | ["debug" | "register" | "ponderhit", *_]:
                pass
            case ["uci"]:
                self._greet()
            case ["isready"]:
                self._say("readyok")
            case ["ucinewgame"]:
                self._game = None if self._has_refused else Game(self._rules)
            case ["setoption", "name", name, "value", _, *_] if name.lower() == "ruleset":
                self._play_by(" ".join(words[4:]))
            case ["setoption", "name", name] | ["setoption", "name", name, "value"] if name.lower() == "ruleset":
                raise ValueError("option Ruleset: it has no value in this line")
            case ["setoption", *rest]:
                raise ValueError(f"setoption: no option of {' '.join(rest)[:40]!r}; there is Ruleset")
            case ["position", *rest]:
                self._game = None
                self._game = self._position(rest)
            case ["go", *rest]:
                self._go(rest)
            case ["stop"]:
                for job in self._open:
                    job.limits.stop.set()
            case [word, *_]:
                raise ValueError(f"unknown command {word[:40]!r}")

    def _greet(self) -> None:
        names = "".join(f" var {name}" for name in self._rulesets)
        self._say(f"id name {self._player.name}\noption name Ruleset type combo default {self._rules.name}{names}\nuciok")

    def _play_by(self, value: str) -> None:
        self._has_refused, self._game = True, None
        rules = self._rulesets.get(value)
        if rules is None and Path(value).is_file():
            rules = Rules(value)
        if rules is None:
            raise ValueError(f"option Ruleset: {value!r} is none of {', '.join(self._rulesets)}, nor a file")
        self._rules, self._game = rules, Game(rules)
        self._has_refused = False

    def _position(self, words: list[str]) -> Game:
        if self._has_refused:
            raise ValueError("position: the last ruleset was refused; option Ruleset sets another")
        cut = words.index("moves") if "moves" in words else len(words)
        start, plies = words[:cut], words[cut + 1 :]
        match start:
            case ["startpos"]:
                game = Game(self._rules)
            case ["fen", _, *_]:
                game = Game.from_text(" ".join(start[1:]), ruleset=self._rules)
            case _:
                raise ValueError("position: expected `startpos` or `fen FEN`, then `moves MOVE ...`")
        for number, word in enumerate(plies, 1):
            ply = _PLY.fullmatch(word)
            try:
                game.play("end" if word == "0000" else f"{ply[1]}-{ply[2]}" if ply else word)
            except ValueError as error:
                raise ValueError(f"position: move {number}, {word[:40]!r}: {error}") from None
        return game

    def _go(self, words: list[str]) -> None:
        side = "attackers" if self._game is None else self._game.side
        job = _Job(self._game and self._game.copy(), _limits(_numbers(words, self._complain), side), "infinite" in words)
        self._open = [it for it in self._open if not it.limits.stop.is_set()]
        for earlier in self._open:
            if earlier.is_endless:
                earlier.limits.stop.set()
        self._open.append(job)
        self._jobs.put(job)

    def _think(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                answer = self._answer(job)
            except BaseException as error:
                if not isinstance(error, _NoMoveError):
                    traceback.print_exception(error, file=sys.stderr)
                    sys.stderr.flush()
                self._complain(error)
                answer = "(none)"
            if job.is_endless:
                job.limits.stop.wait()
            job.limits.stop.set()
            self._say(f"bestmove {answer}")

    def _answer(self, job: _Job) -> str:
        if job.game is None:
            raise _NoMoveError("the last position was refused; `position` sets another")
        if job.game.outcome is not None:
            raise _NoMoveError(f"the game is over: {job.game.outcome}, {job.game.reason}")
        return self._player(job.game, job.limits).replace("-", "")

    def _complain(self, error: BaseException) -> None:
        kind = "" if isinstance(error, ValueError | TypeError | OSError | _NoMoveError) else f"{type(error).__name__}: "
        self._say(f"info string error: {kind}{' '.join(str(error).split())}")

    def _say(self, text: str) -> None:
        with self._lock:
            try:
                print(text, file=self._out, flush=True)
            except (BrokenPipeError, ValueError):
                # Nobody listens any more; the end of the input is near.
                self._out = io.StringIO()


class _NoMoveError(Exception):
    """There is nothing to choose."""


def _numbers(words: list[str], complain: Callable[[BaseException], None]) -> dict[str, int]:
    """Reads the numbers after `go`; unknown words are passed over, as UCI has it, and so are what is no number and counts below 1."""
    numbers: dict[str, int] = {}
    for word, text in itertools.pairwise([*words, ""]):
        if word in ("nodes", "depth", "movetime", "wtime", "btime", "winc", "binc", "movestogo"):
            try:
                number = int(text)
            except ValueError:
                complain(ValueError(f"go {word}: {text[:40]!r} is not a whole number"))
                continue
            if word in ("nodes", "depth", "movestogo") and number < 1:
                complain(ValueError(f"go {word}: {number} is below 1"))
            else:
                numbers[word] = number
    return numbers


def _limits(numbers: Mapping[str, int], side: str) -> Limits:
    """Returns what the side to move may spend, from the numbers after `go`."""
    color = "b" if side == "attackers" else "w"
    millis = numbers.get("movetime")
    if millis is None and f"{color}time" in numbers:
        # As our own engine does: the time left is shared among the turns to come, and never used up.
        left, added = max(numbers[f"{color}time"], 0), max(numbers.get(f"{color}inc", 0), 0)
        turns = min(numbers.get("movestogo", 30), 30)
        millis = int(min(left / turns + 0.8 * added, left / 2))
    return Limits(
        nodes=numbers.get("nodes"),
        depth=numbers.get("depth"),
        seconds=None if millis is None else max(millis, 1) / 1000,
    )
