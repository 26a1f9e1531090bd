"""What the compiled part of the package offers; `taflforge` exports all of it.

Squares are numbered rank by rank from a1. Arrays of positions have the shape [positions, planes, size, size]: planes of
ranks, a1 first. Sides are "attackers" and "defenders", in arrays 0 and 1. Results are win, draw and loss (wdl) of the
side to move. Every wrong argument raises `ValueError` or `TypeError` with its name, a missing file `FileNotFoundError`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike
from typing import Any, Final, Literal, SupportsIndex, final

import numpy as np
import numpy.typing as npt

from ._tuples import Csr, Samples, SearchResult

Side = Literal["attackers", "defenders"]
StrPath = str | PathLike[str]

__version__: Final[str]
PLANES: Final[tuple[str, ...]]
"""Names of the planes, in order; `plane_meaning` says what each holds."""
RULESETS: Final[tuple[str, ...]]
"""Rulesets with a name: copenhagen, ..., brandubh, tablut, ..., ard-ri."""
NETS: Final[tuple[str, ...]]
"""Networks in the package, for `load_net`."""

def plane_meaning(plane: str) -> str:
    """Returns what the numbers of a plane mean."""

def action(move: str, size: SupportsIndex = 11) -> int:
    """Returns the number of a move ("d1-d3", "end") on a board of 7, 9 or 11 files: a policy output."""

def move(action: SupportsIndex, size: SupportsIndex = 11) -> str:
    """Returns the move of a number; the inverse of `action`. `ValueError` where it would leave the board."""

@final
class Rules:
    """A ruleset: by name, from a TOML file, or a named one with other values.

    Rules("tablut"); Rules("mine.toml"); Rules("tablut", edge_fort=True, captureless_limit=100).
    """

    def __new__(cls, ruleset: StrPath | Rules = "copenhagen", **fields: bool | str | SupportsIndex) -> Rules: ...
    @staticmethod
    def from_toml(toml: str) -> Rules:
        """Reads the text of a ruleset file."""
    @property
    def name(self) -> str:
        """Of a ruleset with other values: that of the other one and `_changed`, unless `name` is among them."""
    @property
    def size(self) -> int:
        """Files of the board: 7, 9 or 11."""
    @property
    def actions(self) -> int:
        """Number of actions, legal or not: 4,841 on 11x11, 2,593 on 9x9, 1,177 on 7x7. The last one is "end"."""
    @property
    def fields(self) -> dict[str, bool | int | str]:
        """All fields with their values, as ruleset files have them."""
    def to_toml(self) -> str:
        """Returns a complete ruleset file, which `from_toml` reads."""
    def describe(self) -> list[str]:
        """Returns the rules in sentences."""
    def perft(self, depth: SupportsIndex) -> int:
        """Returns the leaves of the tree `depth` plies from the start, 0 to 8, without repetitions and limits."""
    def __eq__(self, other: object) -> bool:
        """Whether the rules are the same, whatever their names."""
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Ply:
    """What a ply did."""

    @property
    def move(self) -> str:
        """The move as text, such as "d1-d3"."""
    @property
    def action(self) -> int:
        """The number of the move."""
    @property
    def captured(self) -> list[str]:
        """Squares of the captured pieces, the king's not among them."""
    @property
    def ends(self) -> bool:
        """Whether the game is over."""

@final
class Game:
    """A game under one ruleset, from its start; `from_text` begins elsewhere.

    Not to be used by two threads at once: that raises `RuntimeError`.
    """

    def __new__(cls, ruleset: StrPath | Rules = "copenhagen") -> Game: ...
    @staticmethod
    def from_text(
        board: str,
        side: Side | None = None,
        ruleset: StrPath | Rules = "copenhagen",
        *,
        chain: str | None = None,
        captureless: SupportsIndex | None = None,
    ) -> Game:
        """Starts from a board: ranks from the highest, "3t3/7/...", letters t c (attackers), T N K (defenders).

        A UCI FEN (letters a d k, as `to_uci_fen` writes it) or an OpenTafl record ("atkf:y start:/...") is read too. Where
        the text says no side, the one that moves first under the rules begins. `chain`: the square of the piece that may go on
        capturing. `captureless`: plies since the last capture; its limit is judged after the next ply, as all but no-move is.
        `ValueError` if the text says otherwise than these or `side`.
        """
    @property
    def rules(self) -> Rules:
        """The rules."""
    @property
    def side(self) -> Side:
        """Who is to move. Inside a chain of captures (Berserk) a side moves again: never assume that they alternate.

        After the end of the game: who moved last, if that decided it on the board (king-captured, king-escaped, encirclement,
        fort), and so has won; else (no-move, repetition, captureless, unfinishable) who would be to move.
        """
    @property
    def outcome(self) -> Literal["attackers", "defenders", "draw"] | None:
        """Who won: "attackers", "defenders" or "draw"; None while the game goes on."""
    @property
    def reason(self) -> str | None:
        """Why it ended: king-captured, king-escaped, encirclement, fort, no-move, repetition, captureless, unfinishable."""
    @property
    def board(self) -> str:
        """The ranks from the highest, as `from_text` reads them."""
    @property
    def pieces(self) -> dict[str, str]:
        """The letter of the piece on each occupied square."""
    @property
    def chain(self) -> str | None:
        """The square of the piece that may go on capturing."""
    @property
    def occurrences(self) -> int:
        """How often the position has occurred, this time included."""
    @property
    def captureless(self) -> int:
        """Plies since the last capture."""
    @property
    def ply(self) -> int:
        """Plies played since the first position."""
    @property
    def history(self) -> list[str]:
        """The plies since the first position, as moves."""
    @property
    def turns(self) -> list[str]:
        """The same as turns with captures: "f6-f9xf8"; the plies of a chain are joined."""
    @property
    def key(self) -> int:
        """A 64-bit hash of pieces and side to move."""
    def legal_moves(self) -> list[str]:
        """Returns the legal moves in the order of their numbers; none when the game is over."""
    def legal_actions(self) -> npt.NDArray[np.uint16]:
        """Returns the numbers of the legal moves, rising; uint16 [moves]."""
    def legal_mask(self) -> npt.NDArray[np.bool_]:
        """Returns which of all actions are legal; bool [rules.actions]."""
    def is_legal(self, move: str | SupportsIndex) -> bool:
        """Returns whether it could be played; False, too, for the number of a move that leads off the board."""
    def why_illegal(self, move: str | SupportsIndex) -> str | None:
        """Returns what is against a move; None if it is legal."""
    def play(self, move: str | SupportsIndex) -> Ply:
        """Plays a move, by text or number, or a turn as `turns` has them. `ValueError` if it is not legal."""
    def undo(self, plies: SupportsIndex = 1) -> None:
        """Takes back plies; `ValueError` if there are fewer."""
    def copy(self) -> Game:
        """Returns a game of its own with the same plies."""
    def observation(self, dtype: Literal["u8", "f32"] = "u8") -> npt.NDArray[Any]:
        """Returns the planes, [planes, size, size]: float32 as the trainer's, or uint8, of which 255 stands for 1.

        The numbers between 0 and 1 (captureless, handicaps) are rounded to the nearest 1/255 in uint8.
        """
    def to_uci_fen(self) -> str:
        """Returns the position as a UCI FEN, which `from_text` reads while the game goes on."""
    def to_opentafl(self) -> str:
        """Returns an OpenTafl position record, which has no place for `captureless`. `ValueError` inside a chain: none either."""
    def perft(self, depth: SupportsIndex) -> int:
        """Returns the leaves of the tree `depth` plies from here, 0 to 8, without repetitions and limits."""
    def svg(self, arrows: dict[str, float] | None = None) -> str:
        """Returns a drawing, with an arrow for each of some moves, the stronger the nearer its number is to 1."""
    def _repr_svg_(self) -> str: ...
    def __copy__(self) -> Game: ...
    def __deepcopy__(self, memo: Any) -> Game: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object) -> bool:
        """Whether rules, first position and plies are the same."""

Mask = npt.NDArray[Any] | Csr | None

@final
class StepInfo:
    """What `VecEnv.step` says besides. Arrays have one entry a game."""

    @property
    def mask(self) -> Mask:
        """The legal actions now, as `VecEnv.mask`."""
    @property
    def mover(self) -> npt.NDArray[np.uint8]:
        """The side that made the step: 0 attackers, 1 defenders; `reward` is its own."""
    @property
    def side(self) -> npt.NDArray[np.uint8]:
        """The side to move now, after a reset where the game was over."""
    @property
    def reason(self) -> dict[int, str]:
        """Why each game ended that did, by its index; "capped" if it reached `max_plies`."""
    @property
    def final_obs(self) -> npt.NDArray[Any] | None:
        """The last positions of the games that ended, in the order of `numpy.flatnonzero(done)`, [ended, planes, size, size]."""

@final
class VecEnv:
    """Many games at once; one that is over begins anew in the same step.

    obs, mask = env.reset(); obs, reward, done, info = env.step(env.sample()).

    `observation`: planes in uint8 (255 stands for 1), in float32, or none. `mask`: "bool" [num_envs, actions]; "packed" uint8
    [num_envs, ceil(actions / 8)], for numpy.unpackbits(mask, axis=1, count=actions); "csr", a `Csr`; or none. `max_plies`: a game
    is cut after so many plies: done, reward 0.

    The arrays are the environment's own and are written over by the next call: copy what you keep. Batch calls use all
    cores and let other Python threads run. A second thread that calls meanwhile gets a `RuntimeError`.
    It can be neither copied nor pickled.
    """

    def __new__(
        cls,
        ruleset: StrPath | Rules = "copenhagen",
        num_envs: SupportsIndex = 1,
        seed: SupportsIndex = 0,
        *,
        observation: Literal["u8", "f32"] | None = "u8",
        mask: Literal["bool", "packed", "csr"] | None = "bool",
        max_plies: SupportsIndex | None = None,
    ) -> VecEnv: ...
    @property
    def rules(self) -> Rules:
        """The rules of all games."""
    @property
    def num_envs(self) -> int:
        """Games at once."""
    @property
    def num_actions(self) -> int:
        """Actions of the board, legal or not."""
    @property
    def observation_shape(self) -> tuple[int, int, int, int]:
        """The shape of `obs`: num_envs, planes, size, size."""
    @property
    def obs(self) -> npt.NDArray[Any] | None:
        """The planes now, [num_envs, planes, size, size]; None without `observation`."""
    @property
    def mask(self) -> Mask:
        """The legal actions now, as the argument `mask` says; None without it."""
    @property
    def side(self) -> npt.NDArray[np.uint8]:
        """The side to move in each game: 0 attackers, 1 defenders; uint8 [num_envs]."""
    def reset(self, seed: SupportsIndex | None = None) -> tuple[npt.NDArray[Any] | None, Mask]:
        """Starts all games; a seed also begins the stream of `sample` anew. Returns `obs` and `mask`."""
    def step(
        self, actions: npt.NDArray[np.integer[Any]] | Sequence[int]
    ) -> tuple[npt.NDArray[Any] | None, npt.NDArray[np.float32], npt.NDArray[np.bool_], StepInfo]:
        """Plays one action in each game: integers [num_envs].

        Returns planes, the reward of the side that moved (1 won, -1 lost, 0 else; float32 [num_envs]), which games ended
        (bool [num_envs]), and more. An action that is not legal raises `ValueError` with its game; no game has moved then.
        """
    def sample(self) -> npt.NDArray[np.uint16]:
        """Returns a legal action of each game, all equally likely; uint16 [num_envs]. Every call draws anew.

        The same seed, and the same calls since then, give the same actions. The array, too, is the environment's own: the
        next `sample` writes over it.
        """

@final
class Net:
    """A network that computes on the CPU without other packages; several threads may use it at once.

    net(obs) evaluates positions: planes [batch, planes, size, size], uint8 (255 stands for 1) or float32. It returns logits of all
    actions, legal or not, [batch, actions]; probabilities of win, draw and loss of the side to move, [batch, 3]; plies to the end
    of the game, [batch]; all in float32.
    """

    @property
    def name(self) -> str:
        """Its run and the number of its checkpoint."""
    @property
    def folder(self) -> str:
        """The folder of its weights and `model.json`."""
    @property
    def size(self) -> int:
        """Files of the board that it plays on."""
    @property
    def precision(self) -> Literal["f32", "int8"]:
        """The numbers that it computes in: "f32" or "int8"."""
    @property
    def rulesets(self) -> tuple[str, ...]:
        """Names of the rulesets that its run learns."""
    @property
    def parameters(self) -> int:
        """Numbers that it learned."""
    def __call__(self, obs: npt.NDArray[Any]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.float32]]: ...
    def policy(self, game: Game) -> dict[str, float]:
        """Returns the probability of each legal move."""
    def value(self, game: Game) -> tuple[float, float, float]:
        """Returns the probabilities of win, draw and loss of the side to move."""
    def export(self, folder: StrPath, format: Literal["onnx", "pytorch", "safetensors"]) -> None:
        """Writes the network for other programs, in float32 whatever its precision: onnx, or model.py with its weights, or
        safetensors.
        """
    def _export(self, folder: str, format: Literal["onnx", "pytorch"]) -> None: ...
    def _check(self, game: Game) -> None: ...

def load_net(net: StrPath, precision: Literal["f32", "int8", "auto"]) -> Net:
    """Loads a checkpoint's folder, or where there is none of that name a network of `NETS`; `precision` is "f32", "int8" or "auto"."""

@final
class Search:
    """Gumbel AlphaZero's search, as `tafl` plays. Nothing is random: the same visits and network choose the same moves.

    In place of a network `net` may be a function, which is called as one: with planes float32 [batch, planes, size, size], as
    `Game.observation("f32")` has them; a batch has a leaf of each search, or those of one search that do not depend on each other.
    It returns logits of all actions, [batch, actions], of which the legal ones count (np.log of probabilities); and of the side to
    move win, draw and loss, [batch, 3], or win less loss, -1 to 1, [batch]; more is not looked at. Without a network's run a draw counts 0.
    """

    def __new__(cls, net: Net | Callable[[npt.NDArray[np.float32]], Any], visits: SupportsIndex = 100) -> Search: ...
    @property
    def net(self) -> Net | Callable[[npt.NDArray[np.float32]], Any]:
        """The network, or the function."""
    @property
    def visits(self) -> int:
        """Visits of each search."""
    def run(self, game: Game) -> SearchResult:
        """Searches the position of a game that is not over."""
    def run_many(self, games: Iterable[Game]) -> list[SearchResult]:
        """Does the same for many, on all cores; each result is what `run` returns."""

@final
class Player:
    """An opponent without a network: "random", "greedy", "alphabeta:DEPTH" (turns) or "rollouts:VISITS"."""

    def __new__(cls, name: str, seed: SupportsIndex = 0) -> Player: ...
    @property
    def name(self) -> str:
        """Its name, with its strength."""
    def choose(self, game: Game) -> str:
        """Returns a legal move of a game that is not over. After Ctrl-C a thread goes on to look for it."""

@final
class RecordedPly:
    """A ply of a stored game, and what the search said before it.

    That is None for a ply that no search chose, such as one that alpha-beta taught, although `samples` learn from that.
    """

    @property
    def move(self) -> str:
        """The move as text, such as "d1-d3"."""
    @property
    def action(self) -> int:
        """The number of the move."""
    @property
    def policy(self) -> dict[str, float] | None:
        """The policy to learn: probabilities by moves."""
    @property
    def wdl(self) -> tuple[float, float, float] | None:
        """Win, draw and loss of the side to move after the search."""
    @property
    def visits(self) -> int | None:
        """Visits of the search; 0 where the result was proven at once."""

@final
class Record:
    """A stored game."""

    @property
    def id(self) -> int:
        """Its number; of a text its line."""
    @property
    def generation(self) -> int:
        """The generation of self-play that it belongs to, from 0 as files count them; the screen counts from 1."""
    @property
    def rules(self) -> Rules:
        """The rules that it was played by."""
    @property
    def kind(self) -> str:
        """What it is: even, handicap, partner, taught, match or people."""
    @property
    def players(self) -> tuple[str, str]:
        """Who played the attackers and the defenders."""
    @property
    def winner(self) -> Side | None:
        """Who won; None of a draw, and of a game that was cut."""
    @property
    def reason(self) -> str:
        """Why it ended: as `Game.reason`, or one of the words below where no rule ended it.

        "capped": it was cut. "adjudicated": both players' searches called it decided. "resigned". "timeout": no move came in time.
        "unknown": a text says no more than who won. Of matches with other programs also "crash", "illegal-move", "refusal" (of the
        position), "refused-move" (the opponent did not take a legal move), "other-rules" (those of the program ended it, not ours).
        """
    @property
    def moves(self) -> list[str]:
        """Its plies, as moves."""
    @property
    def plies(self) -> list[RecordedPly]:
        """Its plies, with what the searches said."""
    def positions(self) -> Iterator[tuple[Game, RecordedPly]]:
        """Yields each position, a game of its own, with the ply played in it."""

def games(path: StrPath, ruleset: StrPath | Rules | None = None) -> Iterator[Record]:
    """Yields the games of a run's folder, in order, generation by generation; of matches; of a Parquet file; or of a text file.

    Texts are lines of aagenielsen.dk, lists of turns, PGN with squares such as h1h3, and OpenTafl's .otg; `ruleset` says
    what was played where they do not, or no folder around a Parquet file has its ruleset. The id of a game of a text is its
    line, its kind "people". One that cannot be replayed raises `ValueError` with line and reason; calling `next` again goes
    on after it. A text that is in no file cannot be given: write it to one, or `play` its moves in a `Game`.
    """

def samples(
    run: StrPath, batch: SupportsIndex = 256, *, symmetries: bool = True, seed: SupportsIndex = 0, epochs: SupportsIndex = 1
) -> Iterator[Samples]:
    """Yields batches of all positions of a run's newest games (the window that its trainer has now), in random order,
    `epochs` times.

    The value to learn is mixed as the run's config says. The last batch may be smaller.
    """

def openings(
    ruleset: StrPath | Rules = "copenhagen", count: SupportsIndex = 40, plies: SupportsIndex = 4, seed: SupportsIndex = 1
) -> list[list[str]]:
    """Returns the openings that `tafl arena` draws with this seed: the moves of each, from the ruleset's start.

    All legal moves are equally likely. An opening is drawn again if the game is over, a win is near or its position was
    seen; where there are no more, fewer are returned, and where there is none, the start alone.
    """

def elo(pairs: Iterable[SupportsIndex]) -> tuple[float, float, float]:
    """Returns the Elo difference, first player less second, and the ends of its 95 % interval, from pairs of games.

    `pairs`: how many pairs gave the first player 0, 1/2, 1, 3/2 and 2 points. To these half a lost and half a won pair are
    added; the interval is that of the Beta distribution with the mean and variance of the score's Dirichlet posterior.
    """
