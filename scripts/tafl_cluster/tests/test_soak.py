"""Ten minutes with twenty faults at random, in the slow tests."""

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import ray
from ray.cluster_utils import Cluster

from .s3 import S3
from .support import SLOW, Runs, check, kill, patiently
from .test_train import damaged

MINUTES = 10.0
FAULTS = 20


class Chaos:
    """Faults that may happen to a run."""

    def __init__(self, runs: Runs, cluster: Cluster, s3: S3, seed: int) -> None:
        self.runs = runs
        self.cluster = cluster
        self.s3 = s3
        self.random = random.Random(seed)
        self.spare: Any = None
        self.later: list[Callable[[], None]] = []
        self.planted: set[str] = set()

    def worker(self) -> str:
        """Returns a worker that plays, or at least is there."""
        state = self.runs.until("a worker", lambda state: any(it.state == "playing" for it in state.workers))
        return self.random.choice([it.name for it in state.workers if it.state == "playing"])

    def processes(self, worker: str) -> list[int]:
        """Returns the processes of a worker; none while it is being started."""
        try:
            return self.runs.worker_processes(worker)
        except (ray.exceptions.RayError, TimeoutError):
            return [0, 0]

    def worker_process(self) -> None:
        self.end(self.processes(self.worker())[1])

    def worker_actor(self) -> None:
        self.end(self.processes(self.worker())[0])

    def trainer_process(self) -> None:
        self.end(self.runs.trainer_processes()[1])

    def trainer_actor(self) -> None:
        self.end(self.runs.trainer_processes()[0])

    def disk(self) -> None:
        """The trainer dies with all that was on its disk."""
        self.runs.until("a copy", lambda state: state.storage.startswith("copy") and state.storage != "copy 0")
        self.runs.lose_disk()
        self.runs.said.clear()
        self.runs.until("the copy", lambda _: any("restored copy" in line for line in self.runs.said))

    def node(self) -> None:
        if self.spare is not None:
            self.cluster.remove_node(self.spare, allow_graceful=False)
        self.spare = patiently(lambda: self.cluster.add_node(num_cpus=1))

    def slow(self) -> None:
        process = self.processes(self.worker())[1]
        if process:
            kill(process, signal.SIGSTOP)
            self.later.append(lambda: self.end(process, signal.SIGCONT))

    def storage(self) -> None:
        """The storage is away for a minute."""
        self.s3.stop()
        until = time.monotonic() + 60.0
        while time.monotonic() < until:
            self.runs.look()
            time.sleep(0.5)
        self.s3.start()

    def damage(self) -> None:
        for shard in damaged(self.runs, self.random.getrandbits(64)):
            self.planted.add(shard.name.name)
            worker = shard.name.name.split("-")[0]
            self.runs.deliver(worker, shard)

    def launcher(self) -> None:
        self.runs.end()
        self.runs.start(workers=3)

    def end(self, process: int, number: int = signal.SIGKILL) -> None:
        """Signals a process unless it has ended meanwhile."""
        try:
            if process:
                os.kill(process, number)
        except ProcessLookupError:
            return


@pytest.mark.skipif(not SLOW, reason="takes more than ten minutes: TAFL_SLOW=1")
def test_twenty_faults_in_ten_minutes_lose_nothing(cluster: Cluster, s3: S3, tmp_path: Path) -> None:
    seed = int(os.environ.get("SEED", time.time()))
    print(f"SEED={seed}")
    runs = Runs(tmp_path, "soak", s3.uri("soak"))
    chaos = Chaos(runs, cluster, s3, seed)
    kinds = [
        *(chaos.worker_process, chaos.worker_actor, chaos.trainer_process, chaos.trainer_actor, chaos.disk),
        *(chaos.node, chaos.slow, chaos.damage, chaos.launcher),
    ]
    # Each at least twice, the minute without storage once.
    faults = [chaos.storage, chaos.damage, *kinds, *kinds]
    assert len(faults) == FAULTS
    chaos.random.shuffle(faults)
    runs.start(workers=3)
    runs.progress()
    began = time.monotonic()
    for number, fault in enumerate(faults):
        due = began + 60.0 * MINUTES * number / FAULTS
        while time.monotonic() < due:
            runs.look()
            time.sleep(0.2)
        while chaos.later:
            chaos.later.pop()()
        print(f"{time.monotonic() - began:6.1f} s: {fault.__name__}", flush=True)
        fault()
        # It goes on from there.
        runs.progress()
    while chaos.later:
        chaos.later.pop()()
    if chaos.spare is not None:
        cluster.remove_node(chaos.spare, allow_graceful=False)
    runs.end()
    runs.finish(workers=3)
    games = check(runs, frozenset(chaos.planted))
    print(f"{games} games, {len(runs.seen)} shards, {len(chaos.planted)} planted")
    assert games > 0
