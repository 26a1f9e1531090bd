"""Shards that arrive at the trainer: each is taken once, and what is damaged is refused, named and kept aside."""

import json
import secrets
import threading
from collections import Counter
from pathlib import Path
from typing import Any

from .run_files import shards_entered, shards_on_disk
from .shard import Shard, ShardName, sha256, write

MOST_KEPT_ASIDE = 20
TAKEN, KNOWN, NOT_YET = "taken", "known", "not yet"


class Intake:
    """The shards of a run's workers."""

    def __init__(self, run: Path) -> None:
        self.run = run
        self.lock = threading.Lock()
        self.held: set[tuple[str, ShardName]] = set()
        self.safe: set[tuple[str, ShardName]] = set()
        self.taken: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.reasons: dict[str, str] = {}
        self.statuses: dict[str, str] = {}

    def know(self) -> None:
        """Finds the shards that are there, and those that were there and are learned from."""
        self.held = shards_on_disk(self.run) | shards_entered(self.run)

    def has(self, worker: str, name: ShardName) -> bool:
        """Returns whether a shard was taken."""
        return (worker, name) in self.held

    def entered(self) -> set[tuple[str, ShardName]]:
        """Returns the shards that the run's manifest lists."""
        return shards_entered(self.run)

    def stored(self, files: set[str], entered: set[tuple[str, ShardName]]) -> None:
        """Takes note of the files that a copy holds; of shards that it lists as learned from, samples may be gone."""
        in_copy = {it for it in self.held if self.file(*it) in files}
        self.safe |= in_copy | (self.held & entered)

    def is_stored(self, worker: str, name: ShardName) -> bool:
        """Returns whether a shard is in the copy."""
        return (worker, name) in self.safe

    def file(self, worker: str, name: ShardName) -> str:
        """Returns the file of a shard within the run."""
        return name.path(self.run / "workers" / worker).relative_to(self.run).as_posix()

    def take(self, worker: str, shard: Shard) -> str:
        """Writes a shard into the run's folder, once."""
        name = shard.name
        if not name.is_of(worker):
            return self.refuse(worker, shard, "its name is not one of this worker's shards")
        if damage := shard.damage():
            return self.refuse(worker, shard, damage)
        with self.lock:
            if (worker, name) in self.held:
                return KNOWN
            shard.write(self.run / "workers" / worker)
            self.held.add((worker, name))
            self.taken[worker] += 1
        return TAKEN

    def refuse(self, worker: str, shard: Shard, why: str) -> str:
        """Keeps a shard aside, as far as there is room."""
        self.refused[worker] += 1
        place = f"{worker}: {shard.name}"
        self.reasons[place] = why
        folder = self.run / "cluster" / "refused"
        if len(list(folder.glob("*.games"))) < MOST_KEPT_ASIDE:
            # A name that is none must not lead anywhere.
            name = f"{sha256(str(shard.name).encode())[:12]}-{secrets.token_hex(3)}"
            write(folder / f"{name}.games", shard.content)
            about = {"worker": worker, "shard": str(shard.name), "reason": why, "sha256": shard.sum}
            write(folder / f"{name}.json", json.dumps(about, indent=1).encode())
        return why

    def note_status(self, worker: str, status: dict[str, Any]) -> None:
        """Puts what a worker says of itself where `tafl run workers` looks."""
        text = json.dumps(status, indent=2) + "\n"
        if self.statuses.get(worker) == text or status.get("name") != worker:
            return
        self.statuses[worker] = text
        write(self.run / "workers" / worker / f"{worker}.worker.json", text.encode())
