"""What Ray costs, as ratios of one run, for the README's tables.

Usage: `./scripts/cluster --python python -m tafl_cluster.tests.measure`

Plain workers and workers under Ray play the same config in turns, each pair beside the same trainer, which only takes
shards. Other work on the machine disturbs both alike; the median of the pairs is what counts.
"""

import contextlib
import json
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.parquet as parquet

from tafl_cluster.cli import program
from tafl_cluster.engine import NAMESPACE
from tafl_cluster.messages import Report
from tafl_cluster.program import with_changes
from tafl_cluster.shard import ShardName

os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))

import ray

from .support import SMALL, SMOKE, Runs

PAIRS = 5
SECONDS = 20.0
WORKERS = 2
# The trainer never has enough, so that it only takes shards; nobody rests.
IDLE = ("loop.asynchronous.first_samples=100000000", "loop.asynchronous.most_lag=100000000", "search.visits=16")


def speed(run: Path) -> float:
    """Returns the positions/s of all workers, as they said at their ends."""
    said = [json.loads(path.read_bytes()) for path in run.glob("workers/*/*.worker.json")]
    assert len(said) == WORKERS, said
    return sum(float(status["positions"]) / float(status["seconds"]) for status in said)


def plain(folder: Path) -> float:
    """Plays with plain workers on a shared folder."""
    changes = with_changes([*SMALL, *IDLE])
    data = folder / "data"
    run = data / "runs/plain"
    trainer = program().start(
        ["train", str(SMOKE), "--data", str(data), "--run", "plain", "--workers-only", *changes],
        subprocess.DEVNULL,
        subprocess.DEVNULL,
    )
    while not (run / "checkpoints/000000/model.json").exists():
        time.sleep(0.1)
    workers = []
    for number in range(WORKERS):
        name = f"w{number:03}"
        where = ["--checkpoint", str(run), "--out", str(run / "workers" / name), "--worker", name]
        shards = ["--shard-games", "10", "--shard-seconds", "2", "--set", "runner.workers=1"]
        arguments = ["selfplay", str(run / "config.toml"), *where, *shards]
        workers.append(program().start(arguments, subprocess.DEVNULL, subprocess.DEVNULL))
    time.sleep(SECONDS)
    for worker in workers:
        worker.terminate()
        worker.wait()
    trainer.kill()
    trainer.wait()
    return speed(run)


def under_ray(folder: Path) -> float:
    """Plays with workers under Ray."""
    runs = Runs(folder, "ray", changes=IDLE)
    runs.start(workers=WORKERS)
    runs.until("all workers", lambda state: sum(it.state == "playing" for it in state.workers) == WORKERS)
    time.sleep(SECONDS)
    runs.stop()
    return speed(runs.run)


def overhead(folder: Path) -> None:
    """Prints the ratio of speeds."""
    ratios = []
    for pair in range(PAIRS):
        with_ray, without = under_ray(folder / f"ray-{pair}"), plain(folder / f"plain-{pair}")
        ratios.append(with_ray / without)
        print(f"  pair {pair + 1}: {with_ray:,.0f} and {without:,.0f} positions/s: {ratios[-1]:.3f}", flush=True)
    print(f"overhead: {statistics.median(ratios):.3f} of plain workers ({min(ratios):.3f} to {max(ratios):.3f})")


def latency(folder: Path) -> None:
    """Prints the time from a checkpoint to its arrival and to its first game elsewhere, and what a position weighs."""
    runs = Runs(folder, "latency")
    runs.start(workers=1)
    runs.until("a worker", lambda state: any(worker.state == "playing" for worker in state.workers))
    scratch = next((folder / "scratch").glob("latency-*/w000"))
    arrived: dict[int, float] = {}
    played: dict[int, float] = {}
    until = time.monotonic() + 60.0
    while time.monotonic() < until:
        if int(time.monotonic() * 50) % 100 == 0:
            runs.look()
        for path in scratch.glob("source/checkpoints/*/model.json"):
            arrived.setdefault(int(path.parent.name), time.time())
        for path in scratch.glob("out/in-progress/*.jsonl"):
            lines = []
            # It may become a shard at any time.
            with contextlib.suppress(FileNotFoundError):
                lines = path.read_text().splitlines()
            if len(lines) > 1:
                played.setdefault(json.loads(lines[0])["generation"], time.time())
        time.sleep(0.01)
    ends = {int(path.parent.name): path.stat().st_mtime for path in runs.run.glob("checkpoints/*/model.json")}
    for what, times in (("on the worker's disk", arrived), ("its first game ended there", played)):
        found = [at - ends[number] for number, at in times.items() if number > 0 and number in ends]
        if found:
            print(f"checkpoint: {what} after {statistics.median(found):.2f} s (median of {len(found)})")
    answers(runs)
    runs.stop()
    weigh(runs.run)


def answers(runs: Runs) -> None:
    """Prints how many reports the trainer answers."""
    pending = tuple(ShardName("000000", f"probe-{number:016x}-000000") for number in range(2))
    report = Report("probe", "node", None, pending)
    began = time.monotonic()
    count = 0
    while time.monotonic() - began < 10.0:
        ray.get([runs.launcher.trainer.report.remote(report) for _ in range(200)])
        count += 200
    print(f"trainer: answers {count / (time.monotonic() - began):,.0f} reports/s of one caller")


def weigh(folder: Path) -> None:
    """Prints the bytes of a position in the shards of a folder."""
    size = positions = samples = 0
    for path in folder.rglob("games/*/*.parquet"):
        size += path.stat().st_size
        about = parquet.read_metadata(path)
        positions += about.num_rows
        samples += int(about.metadata[b"taflforge.positions"])
    print(f"shards: {size / positions:.0f} bytes a position, {size / samples:.0f} a sample, {folder}")


def main() -> None:
    """Measures everything."""
    if len(sys.argv) > 1:
        return weigh(Path(sys.argv[1]))
    # As many CPUs as processes, whatever the machine has: plain workers are not counted either.
    ray.init(address="local", num_cpus=WORKERS + 1, include_dashboard=False, log_to_driver=False, namespace=NAMESPACE)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        overhead(Path(folder))
        latency(Path(folder) / "latency")
    ray.shutdown()
    return None


if __name__ == "__main__":
    main()
