"""What the tests share: a small run on the cluster, and what must be so of it whatever happened."""

import contextlib
import json
import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import ray

from tafl_cluster import bundle
from tafl_cluster.cli import program
from tafl_cluster.engine import Place
from tafl_cluster.intake import NOT_YET
from tafl_cluster.messages import TrainerState
from tafl_cluster.run_files import newest_checkpoint, shards_on_disk
from tafl_cluster.shard import Shard, ShardName, sha256
from tafl_cluster.train import Launcher, Options

ROOT = Path(__file__).resolve().parents[3]
SMOKE = ROOT / "configs/smoke.toml"
SLOW = os.environ.get("TAFL_SLOW") == "1"
# For whatever takes time: no test depends on how long it took.
PATIENCE_S = 900.0
SMALL = (
    'rulesets=["brandubh"]',
    'precision="f32"',
    "loop.reuse=1",
    "loop.batch_size=16",
    "loop.asynchronous.checkpoint_steps=10",
    "loop.asynchronous.first_samples=50",
    "loop.asynchronous.most_lag=500",
    "loop.asynchronous.shard_games=10",
    "runner.parallel_games=4",
    "arena.openings=1",
    "ladder.baselines=[]",
    "ladder.checkpoints=0",
    # Workers do without it.
    'ladder.pool=["../data/nets/brandubh"]',
    "ladder.pool_every=1000",
)


def of_a_user() -> dict[str, str]:
    """Returns an environment for commands, without what the tests' own cluster sets: they must set it themselves."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("RAY_", "AWS_"))}


class Runs:
    """A run on the cluster, driven by a test in place of the command line."""

    def __init__(self, folder: Path, name: str, storage: str | None = None, changes: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self.name = name
        self.storage = storage
        self.changes = changes
        self.run = folder / "data/runs" / name
        # All shards that were ever there, with their checksum.
        self.seen: dict[tuple[str, ShardName], str] = {}
        self.said: list[str] = []
        self.state: TrainerState | None = None
        self.launcher: Launcher
        self.began = time.monotonic()

    def options(self, workers: int | None) -> Options:
        return Options(
            config=SMOKE,
            data=self.folder / "data",
            workers=workers,
            most_workers=None,
            worker_cpus=1,
            worker_gpus=0.0,
            trainer_cpus=1,
            trainer_gpus=0.0,
            storage=self.storage,
            scratch=str(self.folder / "scratch"),
            shard_seconds=2,
            start_timeout=PATIENCE_S,
        )

    def start(self, workers: int, generations: int = 1000) -> None:
        options = self.options(workers)
        changes = (*SMALL, *self.changes, f"loop.generations={generations}")
        job = bundle.of_run(program(), SMOKE, changes, self.name)
        self.launcher = Launcher(options, Place(program(), True, "the tests' cluster"), job)
        self.launcher.set_workers(workers)

    def look(self) -> TrainerState | None:
        state = self.launcher.look()
        self.launcher.let_go()
        if state is not None:
            assert state.problem is None, state.problem
            self.said += state.said
            self.state = state
        for worker, name in shards_on_disk(self.run):
            path = name.path(self.run / "workers" / worker)
            if (worker, name) not in self.seen and path.is_file():
                self.seen[worker, name] = sha256(path.read_bytes())
        return state

    def until(self, what: str, is_so: Callable[[TrainerState], bool]) -> TrainerState:
        began = time.monotonic()
        while True:
            state = self.look()
            if state is not None and is_so(state):
                return state
            assert time.monotonic() - began < PATIENCE_S, f"never: {what}; {self.state} {self.said[-5:]}"
            time.sleep(0.2)

    def progress(self, checkpoints: int = 1) -> TrainerState:
        """Waits for newer checkpoints, which need new shards."""
        before = self.state.checkpoint if self.state else 0
        return self.until("newer checkpoints", lambda state: state.checkpoint >= before + checkpoints)

    def phase(self, name: str) -> None:
        """Notes how long things took; nothing depends on it."""
        now = time.monotonic()
        print(f"{now - self.began:6.1f} s until: {name}")

    def refused(self) -> dict[str, str]:
        found: dict[str, str] = ray.get(self.launcher.trainer.put_aside.remote())
        return found

    def deliver(self, worker: str, shard: Shard) -> str:
        """Sends a shard as a worker does: again while the trainer is away or begins; returns the verdict."""
        began = time.monotonic()
        while time.monotonic() - began < PATIENCE_S:
            with contextlib.suppress(ray.exceptions.RayError):
                verdict = str(ray.get(self.launcher.trainer.take.remote(worker, shard)))
                if verdict != NOT_YET:
                    return verdict
            time.sleep(0.2)
        raise AssertionError(f"the trainer does not answer about {shard.name}")

    def trainer_processes(self) -> list[int]:
        found: list[int] = ray.get(self.launcher.trainer.process.remote())
        return found

    def worker_processes(self, name: str) -> list[int]:
        found: list[int] = ray.get(self.launcher.workers[name].process.remote(), timeout=PATIENCE_S)
        return found

    def playing(self) -> int:
        """Returns a process that plays, of a worker that can be reached."""
        began = time.monotonic()
        while time.monotonic() - began < PATIENCE_S:
            for worker in self.launcher.workers.values():
                try:
                    process = int(ray.get(worker.process.remote(), timeout=5.0)[1])
                except (ray.exceptions.RayError, TimeoutError):
                    continue
                if process:
                    return process
            self.look()
        raise AssertionError("nobody plays")

    def stop(self) -> None:
        """Ends in good order, as Ctrl-C does."""
        self.launcher.stop()
        self.end()

    def lose_disk(self) -> None:
        """Kills the trainer and removes its folder at one moment: the next one must not find half of it."""
        kill(self.trainer_processes()[0])
        gone = self.folder / f"gone-{time.monotonic_ns()}"
        self.run.rename(gone)
        shutil.rmtree(gone)

    def end(self) -> None:
        """Removes the actors, as the end of a launcher does, and waits until nothing writes to the run."""
        processes: list[int] = []
        with contextlib.suppress(ray.exceptions.RayError):
            processes = self.trainer_processes()
        for actor in [*self.launcher.workers.values(), self.launcher.trainer]:
            ray.kill(actor)
        began = time.monotonic()
        while any(process and lives(process) for process in processes):
            assert time.monotonic() - began < PATIENCE_S, f"{processes} go on"
            time.sleep(0.1)

    def finish(self, workers: int) -> None:
        """Goes on, after `end`, to the second checkpoint from now, which is the run's last."""
        # What the trainer last said is older than what it wrote until it ended.
        last = (newest_checkpoint(self.run) or 0) + 2
        self.start(workers, last)
        self.until("its beginning", lambda state: state.checkpoint > 0)
        self.phase("the run goes on")
        self.until("the last checkpoint", lambda state: state.checkpoint >= last)
        self.phase("the last checkpoint")
        self.until("the end", lambda state: state.finished)
        self.phase("the end")
        self.look()
        self.launcher.stop()
        self.end()


def patiently(start: Callable[[], Any]) -> Any:
    """Starts a part of Ray, which gives up after half a minute, on a machine that may be busy with other work."""
    for _ in range(5):
        try:
            return start()
        except Exception as error:
            print(f"once more: {error}")
    return start()


def lives(process: int) -> bool:
    """Returns whether a process runs; one that ended and that its parent has not asked about does not."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def kill(process: int, number: int = signal.SIGKILL) -> None:
    assert process > 0
    os.kill(process, number)


def column(path: Path, name: str) -> list[Any]:
    found: list[Any] = parquet.read_table(path, columns=[name]).column(name).to_pylist()
    return found


def check(runs: Runs, planted: frozenset[str] = frozenset()) -> int:
    """Checks that a run is whole: nothing lost, nothing twice, every file as it was written; returns its games."""
    program().run(["run", "verify", str(runs.run)])
    games: list[int] = []
    for path in runs.run.glob("workers/*/games/*/*.parquet"):
        if path.stem not in planted:
            games += sorted(set(column(path, "seed")))
    assert len(games) == len(set(games)), "a game is there twice"
    for (worker, name), content in runs.seen.items():
        path = name.path(runs.run / "workers" / worker)
        assert path.is_file(), f"{path} was accepted and is lost"
        assert sha256(path.read_bytes()) == content, f"{path} changed"
    # Shards that came after the last look are counted when the run goes on.
    manifest = json.loads((runs.run / "manifest.json").read_bytes())
    for file, entry in manifest["files"].items():
        if "shard" in entry:
            assert len(set(column(runs.run / file, "seed"))) == entry["shard"]["games"], file
    return len(games)
