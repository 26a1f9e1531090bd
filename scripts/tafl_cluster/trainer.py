"""The actor with the trainer: `tafl train` beside it, the shards of workers, checkpoints for them, a copy elsewhere."""

import asyncio
import os
import secrets
import threading
import time
from collections import deque
from pathlib import Path
from typing import Any

import ray

from .bundle import CONFIG
from .errors import ClusterError, reason
from .intake import NOT_YET, Intake
from .messages import Answer, Checkpoint, Problem, Report, TrainerPlan, TrainerState, WorkerState
from .monitor import Monitor
from .run_files import checkpoint_age, newest_checkpoint, read_checkpoint, read_metrics, steps_of
from .shard import Shard
from .storage import Storage, explained, marked
from .trained import Trained

LOOK_S = 0.2
LONG_POLL_S = 20.0
# What one actor answers without trouble; with more workers each reports less often.
REPORTS_PER_S = 200.0


class Trainer:
    """One for each run. Ray starts it again where it dies; it goes on from the run's folder, or its copy."""

    def __init__(self, plan: TrainerPlan) -> None:
        self.plan = plan
        self.run = Path(plan.data) / "runs" / plan.bundle.name
        node = ray.get_runtime_context().get_node_id()
        self.state = TrainerState(plan.bundle.name, str(self.run), node[:8])
        self.state.generations = int(plan.bundle.config["loop"]["generations"])
        self.said: deque[str] = deque(maxlen=50)
        self.reports: dict[str, tuple[Report, float]] = {}
        self.intake = Intake(self.run)
        self.sent: tuple[int, Any] | None = None
        self.storage: Storage | None = None
        self.unreachable_since: float | None = None
        self.trained = Trained(plan, self.run, self.said)
        self.monitor = Monitor(self.run, plan.bundle.name)
        self.stopping = threading.Event()
        self.begun = threading.Event()
        self.storing = threading.Lock()
        threading.Thread(target=self.work, daemon=True, name="trainer").start()

    def work(self) -> None:
        """Begins or goes on, and trains until the end."""
        try:
            self.begin()
            threading.Thread(target=self.store_now_and_then, daemon=True, name="storage").start()
            self.begun.set()
            self.state.summary = self.trained.work(self.stopping)
            if not self.stopping.is_set():
                self.finish()
        except ClusterError as error:
            self.state.problem = Problem.of(error)
        except Exception as error:  # Nobody would see it otherwise.
            self.state.problem = Problem(reason(error))

    def begin(self) -> None:
        """Checks program and storage, and takes the copy where it is newer than the folder here."""
        bundle = self.plan.bundle
        scratch = Path(self.plan.data) / "cluster" / bundle.name
        config = bundle.unpack(scratch)
        self.plan.program.check()
        versions = self.plan.program.versions(config, bundle.changes)
        if difference := bundle.versions.difference(versions):
            raise ClusterError(f"the trainer's node has {difference}", "update it, or omit --tafl")
        if self.plan.storage is not None:
            self.storage = Storage(self.plan.storage)
            self.storage.check()
            self.take_copy(self.storage)
        self.trained.config = config
        self.intake.know()

    def take_copy(self, storage: Storage) -> None:
        """Restores the run where its copy is newer than what is here; a folder that is older is kept beside it."""
        newest = storage.newest()
        if newest is None:
            return
        if newest.run != self.plan.bundle.name:
            raise ClusterError(
                f"--storage {storage.uri}: holds the run {newest.run}, not {self.plan.bundle.name}",
                "give each run a storage of its own",
            )
        if (self.run / CONFIG).exists():
            own = marked(self.run, storage.uri, newest)
            if own is None:
                hint = f"move {self.run} away to go on from the copy, or use another --storage"
                raise ClusterError(f"{self.run} is there, and so is another run in {storage.uri}", hint)
            if own >= newest.serial:
                storage.know(newest)
                return
        if self.run.exists():
            aside = self.run.with_name(f"{self.run.name}.before-{newest.serial}-{secrets.token_hex(3)}")
            self.run.rename(aside)
            self.said.append(f"{aside}: older than its copy, kept aside")
        self.run.parent.mkdir(parents=True, exist_ok=True)
        index, complaints = storage.restore(self.run)
        if not complaints:
            storage.know(index)
        self.said.append(f"restored copy {index.serial} of {storage.uri}")
        self.said.extend(complaints)

    def store_now_and_then(self) -> None:
        """Keeps the copy up to date; while the storage cannot be reached, training goes on."""
        if self.storage is None:
            return
        checkpoint = None
        next_time = 0.0
        while not self.stopping.wait(LOOK_S):
            newest = newest_checkpoint(self.run)
            is_due = time.monotonic() >= next_time or newest != checkpoint
            if newest is None or not is_due:
                continue
            checkpoint, next_time = newest, time.monotonic() + self.plan.store_every_s
            if not self.store(self.storage):
                checkpoint, next_time = newest, time.monotonic() + 2.0

    def store(self, storage: Storage) -> bool:
        """Brings the copy up to date; returns whether it is."""
        try:
            with self.storing:
                entered = self.intake.entered()
                files = storage.push(self.run, self.plan.bundle.name)
        except (OSError, ValueError) as error:
            if self.unreachable_since is None:
                self.unreachable_since = time.monotonic()
                self.said.append(f"{explained(storage.uri, error).message}; trying again")
            return False
        except ClusterError as error:
            self.state.problem = Problem.of(error)
            self.stopping.set()
            return False
        if self.unreachable_since is not None:
            away = time.monotonic() - self.unreachable_since
            self.said.append(f"{storage.uri} is there again after {away:.0f} s")
            self.unreachable_since = None
        self.intake.stored(files, entered)
        return True

    def finish(self) -> None:
        """Brings the copy up to date for the last time."""
        while self.storage is not None and not self.store(self.storage) and not self.stopping.is_set():
            time.sleep(2.0)
        self.state.finished = True

    async def report(self, report: Report) -> Answer:
        """Takes note of a worker, and says what it is to send and what it may forget."""
        self.reports[report.worker] = (report, time.monotonic())
        next_s = max(1.0, len(self.reports) / REPORTS_PER_S)
        # Before, the run's folder may still be on its way from the storage.
        if not self.begun.is_set():
            return Answer((), (), next_s)
        if report.status is not None:
            self.intake.note_status(report.worker, report.status)
        wanted, kept = [], []
        for name in report.pending:
            if not self.intake.has(report.worker, name):
                wanted.append(name)
            elif self.storage is None or self.intake.is_stored(report.worker, name):
                kept.append(name)
        return Answer(tuple(wanted), tuple(kept), next_s)

    async def take(self, worker: str, shard: Shard) -> str:
        """Takes a shard; returns `taken`, `known`, `not yet` while the run begins, or why it was refused."""
        if not self.begun.is_set():
            return NOT_YET
        return await asyncio.to_thread(self.intake.take, worker, shard)

    async def newer(self, known: int | None) -> list[Any] | None:
        """Waits for a checkpoint other than `known`; returns its number and a reference to it."""
        until = time.monotonic() + LONG_POLL_S
        while time.monotonic() < until:
            newest = newest_checkpoint(self.run) if self.begun.is_set() else None
            if newest is not None and newest != known and (self.run / CONFIG).exists():
                if self.sent is None or self.sent[0] != newest:
                    checkpoint: Checkpoint = await asyncio.to_thread(read_checkpoint, self.run, newest)
                    self.sent = (newest, ray.put(checkpoint))
                return list(self.sent)
            await asyncio.sleep(LOOK_S)
        return None

    async def about(self) -> TrainerState:
        """Returns what the launcher shows."""
        state = self.state
        await asyncio.to_thread(self.look)
        state.said = [self.said.popleft() for _ in range(len(self.said))]
        return state

    def look(self) -> None:
        """Reads what the run's files say."""
        state = self.state
        newest = newest_checkpoint(self.run)
        if newest is not None:
            if newest != state.checkpoint or not state.metrics:
                state.steps = steps_of(self.run, newest)
                state.metrics, state.elo = read_metrics(self.run)
            state.checkpoint, state.checkpoint_age_s = newest, checkpoint_age(self.run, newest)
        state.taken, state.refused = sum(self.intake.taken.values()), sum(self.intake.refused.values())
        state.put_aside = len(self.trained.put_aside)
        state.restarts = self.trained.restarts
        state.workers = [self.worker(report, at) for report, at in list(self.reports.values())]
        if self.storage is not None:
            away = self.unreachable_since
            serial = self.storage.last.serial if self.storage.last else 0
            state.storage = f"copy {serial}" if away is None else f"unreachable for {time.monotonic() - away:.0f} s"
        if self.begun.is_set():
            self.monitor.show(state)

    def worker(self, report: Report, at: float) -> WorkerState:
        """Returns what is known of a worker."""
        status = report.status or {}
        age = time.monotonic() - at
        state = "refused" if report.problem else status.get("state", "starting")
        if report.ended:
            state = "ended"
        elif age > 30.0:
            state = "silent"
        word = str(status.get("checkpoint", "")).rpartition(" ")[2]
        speed = status.get("positions", 0) / max(1.0, status.get("seconds", 0.0))
        return WorkerState(
            report.worker,
            report.node,
            age,
            int(word) if word.isdigit() else None,
            speed if state == "playing" else 0.0,
            self.intake.taken[report.worker],
            self.intake.refused[report.worker],
            state,
            report.problem,
        )

    async def forget(self, worker: str) -> None:
        """Leaves out of the view a worker that is no more."""
        self.reports.pop(worker, None)

    async def put_aside(self) -> dict[str, str]:
        """Returns the shards that were refused, and why."""
        return self.intake.reasons | self.trained.put_aside

    async def process(self) -> list[int]:
        """Returns this process and that of `tafl train`; for tests of faults."""
        return [os.getpid(), self.trained.pid or 0]

    async def stop(self) -> None:
        """Ends the trainer in good order; the run goes on later."""
        self.stopping.set()
        await asyncio.to_thread(self.trained.end)
        if self.storage is not None and self.begun.is_set():
            await asyncio.to_thread(self.store, self.storage)
