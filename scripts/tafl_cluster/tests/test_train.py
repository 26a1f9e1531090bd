"""A run on three nodes, to which everything happens that may happen."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from ray.cluster_utils import Cluster

from tafl_cluster.cli import program
from tafl_cluster.engine import Place
from tafl_cluster.errors import ClusterError
from tafl_cluster.shard import Shard, ShardName, sha256
from tafl_cluster.storage import Storage
from tafl_cluster.train import check_room, node_for, room
from tafl_cluster.view import View

from .s3 import S3
from .support import PATIENCE_S, SLOW, SMALL, SMOKE, Runs, check, kill, of_a_user, patiently


def damaged(runs: Runs, number: int = 0) -> tuple[Shard, Shard]:
    """Sends a shard that was damaged on its way, and one whose worker says what no game gives."""
    worker, name = next(key for key in runs.seen if key[1].path(runs.run / "workers" / key[0]).is_file())
    whole = Shard.read(runs.run / "workers" / worker, name)
    bits = bytearray(whole.content)
    bits[len(bits) // 2] ^= 1
    other = ShardName(name.generation, f"{worker}-{number:016x}-000000")
    on_its_way = Shard(other, bytes(bits), whole.sum)
    lie = ShardName(name.generation, f"{worker}-{number:016x}-000001")
    return on_its_way, Shard(lie, bytes(bits), sha256(bytes(bits)))


def test_a_run_survives_what_may_happen(cluster: Cluster, s3: S3, tmp_path: Path) -> None:
    runs = Runs(tmp_path, "faults", s3.uri("faults"))
    spare = patiently(lambda: cluster.add_node(num_cpus=1))
    runs.start(workers=3)
    runs.progress()

    runs.phase("a worker's process is killed")
    # A worker's process is killed: it is started again, and writes what was finished.
    kill(runs.playing())
    runs.progress()

    runs.phase("a worker's node")
    # A worker's node is killed.
    cluster.remove_node(spare, allow_graceful=False)
    runs.progress()

    runs.phase("a node is slow")
    # A node is slow: its worker is stopped for a while, and nobody waits for it.
    process = runs.playing()
    kill(process, signal.SIGSTOP)
    runs.progress()
    kill(process, signal.SIGCONT)

    runs.phase("the trainer's process")
    # The trainer's process is killed; then the actor with it.
    kill(runs.trainer_processes()[1])
    # Its last checkpoint may come before anyone has seen that it is gone.
    runs.until("it is started again", lambda state: state.restarts == 1)
    runs.progress()
    kill(runs.trainer_processes()[0])
    runs.progress()

    runs.phase("shards are damaged")
    # Shards are damaged: one on its way, the other where it was written.
    on_its_way, lie = damaged(runs)
    worker = lie.name.name.split("-")[0]
    verdict = runs.deliver(worker, on_its_way)
    assert verdict == "its SHA-256 is not that of what was sent"
    assert runs.deliver(worker, lie) == "taken"
    strange = Shard(ShardName("000000", f"../{worker}-{'1' * 16}-000000"), b"", sha256(b""))
    assert "not one of this worker's" in runs.deliver(worker, strange)
    state = runs.until("the lie is refused", lambda state: state.put_aside == 1)
    assert state.refused == 2
    reasons = runs.refused()
    assert reasons[f"{worker}: {on_its_way.name}"] == verdict
    assert any(lie.name.name in path for path in reasons), reasons
    kept = [json.loads(path.read_bytes())["shard"] for path in runs.run.glob("cluster/refused/*.json")]
    assert str(on_its_way.name) in kept

    runs.phase("the launcher ends")
    # The launcher ends and begins again.
    runs.end()
    planted = frozenset({lie.name.name})
    runs.finish(workers=2)
    assert check(runs, planted) > 0
    check_copy(s3, runs, tmp_path, planted)


@pytest.mark.skipif(not SLOW, reason="takes minutes: TAFL_SLOW=1")
def test_a_run_survives_the_loss_of_its_storage_and_of_its_disk(cluster: Cluster, s3: S3, tmp_path: Path) -> None:
    runs = Runs(tmp_path, "lost", s3.uri("lost"))
    runs.start(workers=2)
    runs.progress()

    # The storage cannot be reached: training goes on, and workers keep what is not stored.
    s3.stop()
    runs.until("unreachable", lambda state: state.storage.startswith("unreachable"))
    runs.progress()
    s3.start()
    runs.until("reachable", lambda state: state.storage.startswith("copy"))

    # The disk of the trainer is lost with it: the run comes back from its copy, and what was not there yet from the
    # workers, who forget nothing before.
    runs.lose_disk()
    runs.until("the copy", lambda _: any("restored copy" in line for line in runs.said))
    runs.progress()

    runs.end()
    runs.finish(workers=2)
    assert check(runs) > 0
    check_copy(s3, runs, tmp_path, frozenset())


def check_copy(s3: S3, runs: Runs, folder: Path, planted: frozenset[str]) -> None:
    """Checks that the copy is the run."""
    fetched = folder / "fetched" / runs.name
    fetched.parent.mkdir()
    index, complaints = Storage(s3.uri(runs.name)).restore(fetched)
    assert not complaints
    other = Runs(folder, runs.name)
    other.run, other.seen = fetched, runs.seen
    assert check(other, planted) > 0
    assert index.run == runs.name


def test_too_few_resources_are_named(cluster: Cluster, tmp_path: Path) -> None:
    options = Runs(tmp_path, "few").options(4000)
    here = Place(program(), True, "this machine")
    with pytest.raises(
        ClusterError, match=r"too few resources: \d+ workers of 1 CPUs fit beside a trainer of 1, not 4000"
    ):
        check_room(options, here, room(options))
    # On a cluster nodes may come; but one worker is needed, and a node for the trainer.
    there = Place(program(), False, "auto")
    check_room(options, there, room(options))
    large = dataclasses.replace(options, worker_cpus=1000)
    with pytest.raises(ClusterError, match="too few resources: 0 workers of 1000 CPUs"):
        check_room(large, there, room(large))
    with pytest.raises(ClusterError, match=r"too few resources: no node has 1 CPUs and 8 GPUs for the trainer"):
        node_for(1, 8.0, there)


def test_another_version_is_refused_by_name(cluster: Cluster, tmp_path: Path) -> None:
    runs = Runs(tmp_path, "versions")
    runs.start(workers=0)
    runs.until("a checkpoint", lambda state: state.checkpoint_age_s > 0.0)
    job = runs.launcher.job
    runs.launcher.job = dataclasses.replace(job, versions=dataclasses.replace(job.versions, tafl="0.0.9"))
    runs.launcher.set_workers(1)
    state = runs.until("the refusal", lambda state: any(worker.problem for worker in state.workers))
    assert state.workers[0].state == "refused"
    refusal = rf"worker w000 on node \w+ has tafl {job.versions.tafl}, not 0.0.9"
    with View() as view, pytest.raises(ClusterError, match=refusal):
        runs.launcher.check_workers(state, view)
    runs.stop()


def test_the_command_survives_its_own_end(tmp_path: Path) -> None:
    """On this machine alone, as on a laptop: killed, stopped and started again."""
    data = tmp_path / "data"
    changes = [word for change in (*SMALL, "loop.generations=6") for word in ("--set", change)]
    scratch = os.path.relpath(tmp_path / "scratch")
    words = ["--data", str(data), "--scratch", scratch, "--workers", "1", "--shard-seconds", "2"]
    command = [sys.executable, "-m", "tafl_cluster", "train", str(SMOKE), *changes, *words]
    checkpoints = data / "runs/smoke/checkpoints"
    for number, at in ((signal.SIGKILL, "000001"), (signal.SIGTERM, "000002")):
        said = tmp_path / f"said-{at}.txt"
        with said.open("wb") as lines:
            child = subprocess.Popen(command, env=of_a_user(), stdout=subprocess.DEVNULL, stderr=lines)
        until = time.monotonic() + PATIENCE_S
        # The killed command's trainer may have written this checkpoint: the command itself must have begun, too.
        while "smoke: checkpoint" not in said.read_text() or not (checkpoints / at / "model.json").exists():
            assert child.poll() is None, said.read_text()
            assert time.monotonic() < until
            time.sleep(0.1)
        child.send_signal(number)
        child.wait()
    assert child.returncode == 130
    assert said.read_text().splitlines()[-1] == "hint: the same command continues the run"
    done = subprocess.run(command, env=of_a_user(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "play it" in done.stdout
    runs = Runs(tmp_path, "smoke")
    assert check(runs) > 0
    assert (checkpoints / "000006/model.json").is_file()
    assert list((data / "runs/smoke/cluster/tensorboard").iterdir())
    assert list((tmp_path / "scratch").glob("smoke-*/w000"))
    workers = program().run(["run", "workers", str(data / "runs/smoke")])
    assert "w000" in workers


def test_what_another_run_of_the_same_name_left_is_not_delivered(cluster: Cluster, tmp_path: Path) -> None:
    runs = Runs(tmp_path, "again")
    runs.start(workers=1)
    runs.progress()
    runs.end()
    before = {name for _, name in runs.seen}
    left = {path.stem for path in (tmp_path / "scratch").rglob("in-progress/*.jsonl")}
    # Its trainer may still be ending: it loses the folder as a whole.
    runs.run.rename(tmp_path / "gone")
    runs = Runs(tmp_path, "again")
    runs.start(workers=1)
    runs.progress()
    runs.stop()
    names = {name for _, name in runs.seen}
    assert names
    assert not names & before
    assert not {name.name for name in names} & left
    assert check(runs) > 0
