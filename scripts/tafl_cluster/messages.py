"""What trainer, workers and launcher tell each other."""

from dataclasses import dataclass, field
from typing import Any

from .bundle import Bundle, Files
from .errors import ClusterError
from .program import Program, Versions
from .shard import ShardName


@dataclass(frozen=True)
class TrainerPlan:
    """What the trainer is to do."""

    bundle: Bundle
    program: Program
    data: str
    cpus: int
    gpus: float
    storage: str | None
    store_every_s: float = 10.0


@dataclass(frozen=True)
class WorkerPlan:
    """What a worker is to do."""

    name: str
    # Under which name Ray knows the trainer.
    trainer: str
    run: str
    program: Program
    versions: Versions
    scratch: str
    cpus: int
    gpus: float
    precision: str
    shard_games: int
    shard_seconds: int


@dataclass(frozen=True)
class Problem:
    """What went wrong, for the launcher to print."""

    message: str
    hint: str = ""

    @staticmethod
    def of(error: ClusterError) -> "Problem":
        """Returns what an error says."""
        return Problem(error.message, error.hint)


@dataclass(frozen=True)
class Report:
    """What a worker tells the trainer every second or so."""

    worker: str
    node: str
    status: dict[str, Any] | None
    pending: tuple[ShardName, ...]
    ended: bool = False
    problem: Problem | None = None


@dataclass(frozen=True)
class Answer:
    """What the trainer says to that."""

    wanted: tuple[ShardName, ...]
    kept: tuple[ShardName, ...]
    next_s: float


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint that workers play with, and the config of its run with the rulesets that it names."""

    # What no other run has, of the same name or not.
    run_id: str
    generation: int
    files: Files
    source: Files


@dataclass(frozen=True)
class WorkerState:
    """A worker as the trainer knows it."""

    name: str
    node: str
    age_s: float
    checkpoint: int | None
    positions_per_s: float
    taken: int
    refused: int
    state: str
    problem: Problem | None = None


@dataclass
class TrainerState:
    """The run as the trainer knows it."""

    run: str
    folder: str
    node: str
    checkpoint: int = 0
    generations: int = 0
    steps: int = 0
    checkpoint_age_s: float = 0.0
    taken: int = 0
    refused: int = 0
    put_aside: int = 0
    restarts: int = 0
    metrics: dict[str, float] = field(default_factory=dict)
    elo: dict[str, float] = field(default_factory=dict)
    storage: str = ""
    said: list[str] = field(default_factory=list)
    workers: list[WorkerState] = field(default_factory=list)
    finished: bool = False
    summary: str = ""
    problem: Problem | None = None
