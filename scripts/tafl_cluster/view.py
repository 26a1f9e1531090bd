"""The terminal view of a run: a table that stays in its place, or lines where there is no terminal."""

import time
from types import TracebackType

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from .messages import TrainerState, WorkerState
from .monitor import numbers

LINE_EVERY_S = 30.0
MOST_ROWS = 20
ALIVE = ("playing", "resting")


class View:
    """Shows what goes on, on stderr."""

    def __init__(self) -> None:
        self.console = Console(stderr=True, highlight=False)
        self.live: Live | None = None
        self.next_line = 0.0
        self.said: str | None = None

    def __enter__(self) -> "View":
        if self.console.is_terminal:
            self.live = Live(console=self.console, auto_refresh=False, transient=False)
            self.live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.live is not None:
            self.live.stop()

    def say(self, line: str) -> None:
        """Prints a line that stays; one that was just said is not repeated."""
        if line != self.said:
            self.console.print(line, markup=False, soft_wrap=True)
        self.said = line

    def show(self, state: TrainerState, wanted: int) -> None:
        """Shows the state of a run that is to have so many workers."""
        for line in state.said:
            self.say(line)
        if self.live is not None:
            self.live.update(Group(head(state, wanted), table(state)), refresh=True)
        elif time.monotonic() >= self.next_line:
            self.next_line = time.monotonic() + LINE_EVERY_S
            self.console.print(head(state, wanted), soft_wrap=True)


def head(state: TrainerState, wanted: int) -> Text:
    """Returns what is said of the run as a whole."""
    now = numbers(state)
    elo = ", ".join(f"{side} {value:+.0f}" for side, value in sorted(state.elo.items()))
    parts = [
        f"{state.run}: checkpoint {state.checkpoint} of {state.generations} ({span(state.checkpoint_age_s)} old)",
        f"{state.steps:,} steps",
        f"{now['workers']:.0f} of {wanted} workers play {now['positions_per_s']:,.0f} positions/s",
        f"shards: {state.taken} taken, {state.refused + state.put_aside} refused",
    ]
    if "loop/reuse" in state.metrics:
        parts.append(f"reuse {state.metrics['loop/reuse']:.1f}")
    if elo:
        parts.append(f"Elo against the pool: {elo}")
    if state.restarts:
        parts.append(f"trainer restarted {state.restarts} times")
    if state.storage:
        parts.append(f"storage: {state.storage}")
    return Text(" · ".join(parts))


def table(state: TrainerState) -> Table:
    """Returns the workers, those first that do not play."""
    found = Table(box=None, pad_edge=False)
    found.add_column("worker")
    found.add_column("node")
    found.add_column("state")
    for name in ("checkpoint", "behind", "positions/s", "taken", "refused", "heard"):
        found.add_column(name, justify="right")
    workers = sorted(state.workers, key=lambda worker: (worker.state == "playing", worker.name))
    for worker in workers[:MOST_ROWS]:
        found.add_row(*row(worker, state))
    if len(workers) > MOST_ROWS:
        found.add_row(f"and {len(workers) - MOST_ROWS} more")
    return found


def row(worker: WorkerState, state: TrainerState) -> list[str]:
    """Returns a worker's row."""
    behind = "-" if worker.checkpoint is None else str(state.checkpoint - worker.checkpoint)
    return [
        worker.name,
        worker.node,
        worker.state,
        "-" if worker.checkpoint is None else str(worker.checkpoint),
        behind,
        f"{worker.positions_per_s:,.0f}" if worker.positions_per_s else "-",
        str(worker.taken),
        str(worker.refused),
        f"{span(worker.age_s)} ago",
    ]


def span(seconds: float) -> str:
    """Returns a time in words as short as its precision."""
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    if seconds < 5400.0:
        return f"{seconds / 60.0:.0f} min"
    return f"{seconds / 3600.0:.1f} h"
