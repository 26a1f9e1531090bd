"""The actor with a worker: `tafl selfplay` beside it; checkpoints come in, shards go out."""

import contextlib
import json
import os
import shutil
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import ray

from .bundle import CONFIG, unpack
from .errors import ClusterError, reason
from .intake import KNOWN, NOT_YET, TAKEN
from .messages import Answer, Checkpoint, Problem, Report, WorkerPlan
from .program import INTERRUPTED, end, failure
from .shard import Shard, ShardName, read, sealed

KEPT_CHECKPOINTS = 3
ANSWER_S = 60.0
PAUSE_S = 0.2
MOST_SENDS = 3


class Worker:
    """Plays for a run until it is stopped. Ray starts it again where it dies."""

    def __init__(self, plan: WorkerPlan) -> None:
        self.plan = plan
        # Below it each run has a folder: what one of the same name left is none of this one's.
        self.folder = Path(plan.scratch)
        self.run_id: str | None = None
        self.node = ray.get_runtime_context().get_node_id()[:8]
        self.child: subprocess.Popen[bytes] | None = None
        self.problem: Problem | None = None
        self.ended = False
        self.sends: dict[ShardName, int] = {}
        self.stopping = threading.Event()
        self.stopped = threading.Event()
        for work in (self.fetch, self.play, self.deliver):
            threading.Thread(target=self.guard, args=(work,), daemon=True, name=work.__name__).start()

    @property
    def source(self) -> Path:
        """Returns where the checkpoints of the run are."""
        return self.folder / "source"

    @property
    def out(self) -> Path:
        """Returns where shards are until they are delivered."""
        return self.folder / "out"

    def guard(self, work: Any) -> None:
        """Lets a thread's error be seen."""
        try:
            work()
        except ClusterError as error:
            self.problem = Problem.of(error)
        except Exception as error:  # Nobody would see it otherwise.
            self.problem = Problem(reason(error))

    def ask(self, method: str, *arguments: Any) -> Any:
        """Asks the trainer; nothing while it is away."""
        try:
            trainer = ray.get_actor(self.plan.trainer)
            return ray.get(getattr(trainer, method).remote(*arguments), timeout=ANSWER_S)
        except (ray.exceptions.RayError, TimeoutError, ValueError):
            self.stopping.wait(1.0)
            return None

    def fetch(self) -> None:
        """Brings checkpoints here as they come."""
        known: int | None = None
        while not self.stopping.is_set():
            found = self.ask("newer", known)
            if found is None:
                continue
            try:
                checkpoint: Checkpoint = ray.get(found[1], timeout=ANSWER_S)
            except (ray.exceptions.RayError, TimeoutError):
                # The trainer died with it, and will have it again.
                continue
            self.keep(checkpoint)
            known = checkpoint.generation

    def keep(self, checkpoint: Checkpoint) -> None:
        """Writes a checkpoint where the worker looks; its folder appears whole or not at all."""
        if self.run_id is None:
            self.folder = Path(self.plan.scratch) / f"{self.plan.run}-{checkpoint.run_id}" / self.plan.name
        elif self.run_id != checkpoint.run_id:
            # Another run began in its place. Ray starts this process again.
            os._exit(1)
        unpack(checkpoint.source, self.source)
        folder = self.source / "checkpoints" / f"{checkpoint.generation:06}"
        if not folder.exists():
            partial = self.source / f"{checkpoint.generation:06}.partial"
            shutil.rmtree(partial, ignore_errors=True)
            unpack(checkpoint.files, partial)
            folder.parent.mkdir(parents=True, exist_ok=True)
            (partial / "checkpoints" / folder.name).rename(folder)
            shutil.rmtree(partial)
        self.run_id = checkpoint.run_id
        # A run whose trainer went back to an older copy has fewer: newer ones are of another future.
        others = sorted((path for path in folder.parent.iterdir() if path != folder), reverse=True)
        newer = [path for path in others if path.name > folder.name]
        older = [path for path in others if path.name < folder.name]
        for path in newer + older[KEPT_CHECKPOINTS - 1 :]:
            shutil.rmtree(path, ignore_errors=True)

    def play(self) -> None:
        """Keeps the process playing."""
        while self.run_id is None:
            if self.stopping.wait(PAUSE_S):
                return
        config = self.source / CONFIG
        self.plan.program.check()
        versions = self.plan.program.versions(config)
        if difference := self.plan.versions.difference(versions):
            hint = "update tafl there, or omit --tafl to send this machine's"
            raise ClusterError(f"worker {self.plan.name} on node {self.node} has {difference}", hint)
        failures = 0
        while not self.stopping.is_set() and not self.ended:
            began = time.monotonic()
            error = self.play_once(config)
            if error is None:
                continue
            failures = 1 if time.monotonic() - began > 60.0 else failures + 1
            self.problem = Problem(f"worker {self.plan.name} on node {self.node}: {error.message}", error.hint)
            self.stopping.wait(min(2.0 ** (failures - 1), 30.0))

    def play_once(self, config: Path) -> ClusterError | None:
        """Plays until the process ends; returns why, if that was an error."""
        log = self.folder / "selfplay.log"
        with log.open("wb") as file:
            self.child = self.plan.program.start(self.arguments(config), file, subprocess.DEVNULL)
        while self.child.poll() is None:
            if self.stopping.wait(PAUSE_S):
                self.end()
        code = self.child.returncode
        if code == 0 or (code == INTERRUPTED and self.stopping.is_set()):
            self.ended = not self.stopping.is_set()
            self.problem = None
            return None
        return failure("tafl selfplay", code, log.read_text(errors="replace"))

    def arguments(self, config: Path) -> list[str]:
        """Returns the arguments of `tafl selfplay`."""
        plan = self.plan
        device = "cuda" if plan.gpus > 0 else "cpu"
        changes = [f"runner.workers={plan.cpus}", f'device="{device}"', f'precision="{plan.precision}"']
        return [
            *("selfplay", str(config), "--checkpoint", str(self.source), "--wait"),
            *("--out", str(self.out), "--worker", plan.name),
            *("--shard-games", str(plan.shard_games), "--shard-seconds", str(plan.shard_seconds)),
            *(word for change in changes for word in ("--set", change)),
        ]

    def end(self) -> None:
        """Asks the process to write its finished games and to end."""
        end(self.child, 20.0)

    def deliver(self) -> None:
        """Reports to the trainer, and sends the shards that it wants until it keeps them."""
        while True:
            is_last = self.stopping.is_set() and (self.child is None or self.child.poll() is not None)
            pending = sealed(self.out, self.plan.name) if self.run_id else []
            answer: Answer | None = self.ask("report", self.report(pending))
            if answer is not None:
                for name in answer.kept:
                    self.forget(name)
                for name in answer.wanted:
                    self.send(name)
            if is_last and (answer is None or not answer.wanted):
                self.stopped.set()
                return
            self.stopping.wait(answer.next_s if answer is not None else 1.0)
            if self.stopping.is_set():
                time.sleep(PAUSE_S)

    def report(self, pending: list[ShardName]) -> Report:
        """Returns what the worker tells of itself."""
        status = None
        # It is not there at first, and replaced as a whole later.
        with contextlib.suppress(OSError, ValueError):
            status = json.loads(read(self.out / f"{self.plan.name}.worker.json"))
        # The process ends before its last shards are seen here.
        ended = self.ended and not pending
        return Report(self.plan.name, self.node, status, tuple(pending), ended, self.problem)

    def send(self, name: ShardName) -> None:
        """Sends a shard; one that arrives damaged again and again is damaged here, and is put aside."""
        try:
            shard = Shard.read(self.out, name)
        except FileNotFoundError:
            return
        verdict = self.ask("take", self.plan.name, shard)
        if verdict in (None, TAKEN, KNOWN, NOT_YET):
            return
        self.sends[name] = self.sends.get(name, 0) + 1
        if self.sends[name] >= MOST_SENDS:
            path = name.path(self.out)
            aside = self.folder / "aside"
            aside.mkdir(parents=True, exist_ok=True)
            path.rename(aside / path.name)

    def forget(self, name: ShardName) -> None:
        """Removes a shard that the trainer keeps."""
        name.path(self.out).unlink(missing_ok=True)

    def stop(self) -> bool:
        """Ends in good order; returns whether all finished games were delivered."""
        self.stopping.set()
        return self.stopped.wait(ANSWER_S)

    def process(self) -> list[int]:
        """Returns this process and that of `tafl selfplay`; for tests of faults."""
        child = self.child
        return [os.getpid(), child.pid if child is not None and child.poll() is None else 0]
