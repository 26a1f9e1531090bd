"""What the files of a run say of it: checkpoints, shards, metrics."""

import json
import secrets
import threading
import time
from pathlib import Path

import pyarrow.parquet as parquet

from .bundle import CONFIG, Files, checkpoint_files
from .messages import Checkpoint
from .shard import NAME, ShardName, read, write

# Many workers ask for the first checkpoint at once.
DRAWING = threading.Lock()


def newest_checkpoint(run: Path) -> int | None:
    """Returns the number of the newest complete checkpoint."""
    complete = (path.parent.name for path in run.glob("checkpoints/*/model.json"))
    return max((int(name) for name in complete if name.isdigit()), default=None)


def checkpoint_folder(run: Path, generation: int) -> Path:
    """Returns where a checkpoint is."""
    return run / "checkpoints" / f"{generation:06}"


def run_id(run: Path) -> str:
    """Returns what tells a run from others of its name, which is drawn when it begins."""
    path = run / "cluster" / "id"
    with DRAWING:
        if not path.is_file():
            write(path, secrets.token_hex(8).encode())
        return read(path).decode()


def read_checkpoint(run: Path, generation: int) -> Checkpoint:
    """Reads what workers need to play with a checkpoint."""
    source: Files = {CONFIG: read(run / CONFIG)}
    for path in run.glob("rulesets/*.toml"):
        source[f"rulesets/{path.name}"] = read(path)
    files = checkpoint_files(checkpoint_folder(run, generation), f"checkpoints/{generation:06}")
    return Checkpoint(run_id(run), generation, files, source)


def steps_of(run: Path, generation: int) -> int:
    """Returns the training steps behind a checkpoint."""
    card = json.loads(read(checkpoint_folder(run, generation) / "model.json"))
    return int(card["steps"])


def checkpoint_age(run: Path, generation: int) -> float:
    """Returns the seconds since a checkpoint was written."""
    return max(0.0, time.time() - (checkpoint_folder(run, generation) / "model.json").stat().st_mtime)


def shards_on_disk(run: Path) -> set[tuple[str, ShardName]]:
    """Returns the shards of workers that are in a run's folder."""
    paths = (path for path in run.glob("workers/*/games/*/*.parquet") if NAME.fullmatch(path.stem))
    return {(path.parents[2].name, ShardName(path.parent.name, path.stem)) for path in paths}


def shards_entered(run: Path) -> set[tuple[str, ShardName]]:
    """Returns the shards of workers that the run has learned from, those included that were removed since."""
    try:
        files = json.loads(read(run / "manifest.json"))["files"]
    except FileNotFoundError:
        return set()
    found = set()
    for name in files:
        parts = name.split("/")
        if len(parts) == 5 and parts[0] == "workers" and parts[2] == "games":
            found.add((parts[1], ShardName(parts[3], Path(parts[4]).stem)))
    return found


def read_metrics(run: Path) -> tuple[dict[str, float], dict[str, float]]:
    """Returns the newest value of each metric; and of those of the checkpoint before it, named `before/...`."""
    path = run / "metrics.parquet"
    if not path.is_file():
        return {}, {}
    columns = ["generation", "name", "value", "seconds"]
    table = parquet.read_table(path, columns=columns).to_pydict()
    rows = zip(*(table[column] for column in columns), strict=True)
    newest: dict[str, float] = {}
    before: dict[str, float] = {}
    for _, name, value, seconds in sorted(rows, key=lambda row: row[0]):
        if name in newest:
            before[name] = newest[name]
        newest[name] = value
        if name == "loop/samples" and seconds is not None:
            before["seconds"] = newest.get("seconds", 0.0)
            newest["seconds"] = seconds
    elo = {name.removeprefix("elo/pool/"): value for name, value in newest.items() if name.startswith("elo/pool/")}
    loop = {name: value for name, value in newest.items() if name.startswith("loop/") or name == "seconds"}
    loop |= {f"before/{name}": value for name, value in before.items() if name in loop}
    return loop, elo
