"""`tafl train` as a process: started again where it was killed, and given up where it fails without progress."""

import subprocess
import threading
import time
from collections import deque
from pathlib import Path
from typing import IO

from .messages import TrainerPlan
from .program import end, failure, with_changes
from .run_files import newest_checkpoint

MOST_FAILURES = 4
SKIPPED = "skipped for now: "
PAUSE_S = 0.1


class Trained:
    """The process that learns."""

    def __init__(self, plan: TrainerPlan, run: Path, said: deque[str]) -> None:
        self.plan = plan
        self.run = run
        self.said = said
        self.config: Path | None = None
        self.restarts = 0
        self.put_aside: dict[str, str] = {}
        self.child: subprocess.Popen[bytes] | None = None
        self.last: deque[str] = deque(maxlen=20)

    @property
    def pid(self) -> int | None:
        """Returns the process that learns now."""
        child = self.child
        return child.pid if child is not None and child.poll() is None else None

    def arguments(self) -> list[str]:
        """Returns the arguments of `tafl train`."""
        bundle = self.plan.bundle
        changes = with_changes([*bundle.changes, f"runner.workers={self.plan.cpus}"])
        # The folder is there, so that --resume begins a run as well as it continues one.
        where = ["--data", self.plan.data, "--run", bundle.name, "--resume"]
        return ["train", str(self.config), *where, "--workers-only", *changes]

    def work(self, stopping: threading.Event) -> str:
        """Learns to the end; returns what `tafl train` printed."""
        failures = 0
        while not stopping.is_set():
            before = newest_checkpoint(self.run)
            printed, code = self.learn(stopping)
            if code == 0:
                return printed
            if stopping.is_set():
                break
            self.restarts += 1
            failures = 1 if newest_checkpoint(self.run) != before else failures + 1
            error = failure("tafl train", code, "\n".join(self.last))
            # A kill says nothing of the run; an error that comes again and again does.
            if code > 0 and failures >= MOST_FAILURES:
                raise error
            self.said.append(f"the trainer ended: {error.message}; it goes on from its last checkpoint")
            stopping.wait(min(2.0 ** (failures - 1), 10.0))
        return ""

    def learn(self, stopping: threading.Event) -> tuple[str, int]:
        """Runs `tafl train` once."""
        log = self.run / "cluster" / "train.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as kept:
            child = self.plan.program.start(self.arguments(), subprocess.PIPE, subprocess.PIPE)
            self.child = child
            assert child.stdout is not None
            assert child.stderr is not None
            reader = threading.Thread(target=self.follow, args=(child.stderr, kept), daemon=True)
            reader.start()
            printed = child.stdout.read().decode(errors="replace")
            while child.poll() is None and not stopping.is_set():
                time.sleep(PAUSE_S)
            code = child.wait()
            reader.join()
        return printed, code

    def follow(self, stream: IO[bytes], kept: IO[bytes]) -> None:
        """Keeps what the process says, and takes note of shards that it puts aside."""
        for raw in stream:
            kept.write(raw)
            kept.flush()
            line = raw.decode(errors="replace").rstrip()
            self.last.append(line)
            if line.startswith(SKIPPED):
                path, _, why = line.removeprefix(SKIPPED).partition(": ")
                self.put_aside[path.removeprefix(f"{self.run}/")] = why
                self.said.append(line)

    def end(self) -> None:
        """Asks the process to end; it can be killed at any time, so it is not waited for long."""
        end(self.child, 10.0)
