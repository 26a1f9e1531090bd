"""Shards: files of games. They are checked by SHA-256 wherever they arrive."""

import errno
import hashlib
import os
import re
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

NAME = re.compile(r"(?P<worker>[A-Za-z0-9_][A-Za-z0-9._-]*)-[0-9a-f]{16}-[0-9]{6}")
GENERATION = re.compile(r"[0-9]{6}")
# As large as what `tafl` reads of games.
MOST_BYTES = 256 << 20


def read(path: Path) -> bytes:
    """Reads a regular file; nothing is waited for, as for who writes to a named pipe in its place."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return file.read()


@dataclass(frozen=True, order=True)
class ShardName:
    """Generation and name of a shard."""

    generation: str
    name: str

    def is_of(self, worker: str) -> bool:
        """Returns whether a worker may send it: no name leads out of the worker's folder."""
        match = NAME.fullmatch(self.name)
        return bool(match and match["worker"] == worker and GENERATION.fullmatch(self.generation))

    def path(self, folder: Path) -> Path:
        """Returns where it is in a folder."""
        return folder / "games" / self.generation / f"{self.name}.parquet"

    def __str__(self) -> str:
        return f"{self.generation}/{self.name}"


@dataclass(frozen=True)
class Shard:
    """A shard on its way, with the checksum that it had on its worker's disk."""

    name: ShardName
    content: bytes
    sum: str

    @staticmethod
    def read(folder: Path, name: ShardName) -> "Shard":
        """Reads a sealed shard."""
        content = read(name.path(folder))
        return Shard(name, content, sha256(content))

    def damage(self) -> str | None:
        """Returns why it is not what was sent."""
        if len(self.content) > MOST_BYTES:
            return f"{len(self.content)} bytes, at most {MOST_BYTES} are taken"
        if sha256(self.content) != self.sum:
            return "its SHA-256 is not that of what was sent"
        return None

    def write(self, folder: Path) -> None:
        """Writes it as workers do: beside its place, and renamed."""
        write(self.name.path(folder), self.content)


def sealed(folder: Path, worker: str) -> list[ShardName]:
    """Returns the whole shards of a worker in a folder, the oldest first."""
    found = (ShardName(path.parent.name, path.stem) for path in folder.glob("games/*/*.parquet"))
    return sorted(name for name in found if name.is_of(worker))


def sha256(content: bytes) -> str:
    """Returns a checksum as text."""
    return hashlib.sha256(content).hexdigest()


def write(path: Path, content: bytes) -> None:
    """Writes a file beside its place, and renames it once it is on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Named as `tafl` names such files, so that it removes or leaves out what a kill leaves.
    partial = path.with_name(f"{path.name}.{secrets.token_hex(3)}.tmp")
    try:
        with partial.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
