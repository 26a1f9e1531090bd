"""A copy of a run elsewhere: a folder or an object store, from which a new cluster goes on.

Object stores have no rename and may lack compare-and-swap, so nothing is ever replaced. Each version of a file is an
object of its own, `files/<path>/<SHA-256>`. An index, `index/<serial>-<writer>-<SHA-256>.json`, lists one version of
every file; it is written last, so what it lists is there. Whoever reads checks every file against the index, and the
index against its name.
"""

import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pyarrow import fs

from .errors import ClusterError, reason
from .run_files import newest_checkpoint
from .shard import read, sha256, write

FORMAT = 1
INDEX = re.compile(r"(?P<serial>[0-9]{8})-(?P<writer>[0-9a-f]{8})-(?P<sum>[0-9a-f]{64})\.json")
# Older indexes, and what only they list, are removed.
KEPT_INDEXES = 3
MOST_ATTEMPTS = 20
THREADS = 16
NO_CHECKPOINT = -1
SCHEMES = ("file", "s3", "gs")
# What belongs to a process at work, not to the run.
LEFT_OUT = re.compile(
    r"(.*/)?(in-progress/.*|\.lock|[^/]*\.tmp[^/]*|[^/]*\.partial(/.*)?)|cluster/(storage\.json|train\.log)"
)
# Shards without which a run goes on.
SPARE = re.compile(r"(workers/[^/]+/)?games/.*")
MARK = "cluster/storage.json"


@dataclass(frozen=True)
class Entry:
    """A version of a file."""

    sha256: str
    bytes: int


@dataclass(frozen=True)
class Index:
    """One version of every file of a run."""

    serial: int
    writer: str
    run: str
    files: dict[str, Entry]

    def text(self) -> bytes:
        """Returns the file."""
        files = {name: [entry.sha256, entry.bytes] for name, entry in sorted(self.files.items())}
        document = {"format": FORMAT, "serial": self.serial, "writer": self.writer, "run": self.run, "files": files}
        return (json.dumps(document, indent=1) + "\n").encode()

    def name(self) -> str:
        """Returns the name of its file."""
        return f"{self.serial:08}-{self.writer}-{sha256(self.text())}.json"

    @staticmethod
    def read(text: bytes) -> "Index":
        """Reads the file."""
        document: dict[str, Any] = json.loads(text)
        if document["format"] != FORMAT:
            raise ClusterError(f"storage format {document['format']}, expected {FORMAT}")
        files = {name: Entry(*entry) for name, entry in document["files"].items()}
        return Index(document["serial"], document["writer"], document["run"], files)


@dataclass
class Storage:
    """A place for the copy of one run; `writer` tells this process from others."""

    uri: str
    writer: str = field(default_factory=lambda: secrets.token_hex(4))
    # What this process has seen of the run's files: size, time of change and version.
    seen: dict[str, tuple[int, int, Entry]] = field(default_factory=dict)
    stored: set[tuple[str, str]] = field(default_factory=set)
    last: Index | None = None

    def __post_init__(self) -> None:
        self.files, self.root = opened(self.uri)

    def check(self) -> None:
        """Checks that it can be written and read."""
        probe = f"probe-{self.writer}"
        try:
            self.put(probe, b"probe")
            found = self.get(probe)
            self.files.delete_file(self.path(probe))
        except OSError as error:
            raise explained(self.uri, error) from error
        if found != b"probe":
            raise ClusterError(f"--storage {self.uri}: what was written is not what is read")

    def path(self, name: str) -> str:
        """Returns where a file is."""
        return f"{self.root}/{name}"

    def put(self, name: str, content: bytes) -> None:
        """Writes an object whole or not at all."""
        if isinstance(self.files, fs.LocalFileSystem):
            write(Path(self.path(name)), content)
            return
        with self.files.open_output_stream(self.path(name)) as stream:
            stream.write(content)

    def get(self, name: str) -> bytes:
        """Reads an object."""
        with self.files.open_input_stream(self.path(name)) as stream:
            content: bytes = stream.read()
        return content

    def names(self) -> list[str]:
        """Returns the names of all indexes, the newest first."""
        selector = fs.FileSelector(self.path("index"), allow_not_found=True)
        found = [info.base_name for info in self.files.get_file_info(selector)]
        return sorted((name for name in found if INDEX.fullmatch(name)), reverse=True)

    def indexes(self) -> Iterator[Index]:
        """Returns all sound indexes, the newest first."""
        return (index for index in map(self.index, self.names()) if index is not None)

    def index(self, name: str) -> Index | None:
        """Returns an index, unless it is damaged."""
        match = INDEX.fullmatch(name)
        text = self.get(f"index/{name}")
        return Index.read(text) if match and sha256(text) == match["sum"] else None

    def newest(self) -> Index | None:
        """Returns the newest sound index."""
        return next(self.indexes(), None)

    def know(self, index: Index) -> None:
        """Takes what an index lists as stored, so that a process that begins anew does not send all files again."""
        self.stored |= {(path, entry.sha256) for path, entry in index.files.items()}

    def push(self, run: Path, name: str) -> set[str]:
        """Copies what is new or changed in a run; returns the files that are stored now.

        Raises OSError while the storage cannot be reached, and ClusterError if another process writes there.
        """
        entries = self.snapshot(run)
        newest = self.names()
        serial = 1
        if newest:
            match = INDEX.fullmatch(newest[0])
            serial = int(newest[0][:8]) + 1
            if self.last is not None and match and match["writer"] != self.writer:
                hint = "use one --storage for each run"
                raise ClusterError(f"--storage {self.uri}: another process writes there", hint)
        if self.last is None or self.last.files != entries:
            index = Index(serial, self.writer, name, entries)
            # Killed after the next line, the run is not older than the copy that it has just made.
            mark(run, self.uri, serial - 1, index.name())
            self.put(f"index/{index.name()}", index.text())
            self.last = index
            mark(run, self.uri, serial)
            self.sweep()
        return set(entries)

    def snapshot(self, run: Path) -> dict[str, Entry]:
        """Copies a state of the run from which it can go on, while it goes on."""
        for _ in range(MOST_ATTEMPTS):
            entries = self.copied(run)
            # By the manifest of before, files would be damaged whose samples were removed meanwhile.
            if self.store(run, "manifest.json") == entries.get("manifest.json"):
                break
        return entries

    def copied(self, run: Path) -> dict[str, Entry]:
        """Copies what a run has, in an order by which it fits together unless the manifest changes.

        That is a manifest, a checkpoint that was there after it, and what else there is: a newer shard or number harms
        nobody. The newest checkpoint goes first, as the trainer soon removes what only the last one needs.
        """
        found = {"manifest.json": self.store(run, "manifest.json")}
        newest = newest_checkpoint(run)
        for _ in range(MOST_ATTEMPTS):
            own = self.store_all(run, files_of(run, f"checkpoints/{newest or 0:06}"))
            # It is still one of the last two, so nothing was missing from it when it was listed.
            latest = newest_checkpoint(run)
            if None not in own.values() and (latest or 0) <= (newest or 0) + 1:
                break
            newest = latest
        found |= own
        others = [path for path in files_of(run) if path not in found and checkpoint_of(path) <= (newest or 0)]
        found |= self.store_all(run, others)
        entries = {path: entry for path, entry in found.items() if entry is not None}
        # An older checkpoint that was removed meanwhile is left out whole.
        parts = {checkpoint_of(path) for path, entry in found.items() if entry is None}
        return {path: entry for path, entry in entries.items() if checkpoint_of(path) not in parts - {NO_CHECKPOINT}}

    def store_all(self, run: Path, paths: list[str]) -> dict[str, Entry | None]:
        """Copies files, many at a time, as each takes an object store some hundredths of a second."""
        with ThreadPoolExecutor(THREADS) as threads:
            return dict(zip(paths, threads.map(lambda path: self.store(run, path), paths), strict=True))

    def store(self, run: Path, path: str) -> Entry | None:
        """Copies a file unless that was done; returns its version, or nothing if it has just been removed."""
        try:
            about = (run / path).stat()
            before = self.seen.get(path)
            if before and before[:2] == (about.st_size, about.st_mtime_ns):
                return before[2]
            content = read(run / path)
        except FileNotFoundError:
            return None
        entry = Entry(sha256(content), len(content))
        if (path, entry.sha256) not in self.stored:
            self.put(f"files/{path}/{entry.sha256}", content)
            self.stored.add((path, entry.sha256))
        if len(content) == about.st_size:
            self.seen[path] = (about.st_size, about.st_mtime_ns, entry)
        return entry

    def sweep(self) -> None:
        """Removes old indexes, and what no sound one lists that is left."""
        indexes = self.names()
        kept = [self.last, *map(self.index, indexes[:KEPT_INDEXES])]
        wanted = {(path, entry.sha256) for index in kept if index for path, entry in index.files.items()}
        for name in indexes[KEPT_INDEXES:]:
            old = self.index(name)
            self.files.delete_file(self.path(f"index/{name}"))
            for path, entry in (old.files if old else {}).items():
                if (path, entry.sha256) not in wanted:
                    self.remove(path, entry.sha256)
        # What was copied in vain, as the run changed meanwhile.
        for path, version in self.stored - wanted:
            self.seen.pop(path, None)
            self.remove(path, version)

    def remove(self, path: str, version: str) -> None:
        """Removes a version of a file that no index lists any more."""
        self.stored.discard((path, version))
        try:
            self.files.delete_file(self.path(f"files/{path}/{version}"))
        except FileNotFoundError:
            return

    def restore(self, folder: Path, to_go_on: bool = True) -> tuple[Index, list[str]]:
        """Writes the newest sound copy into a folder that is not there; returns it, and what was left out of it.

        A damaged shard or older checkpoint is left out, as a run goes on without it; for other files an older
        copy is taken. If none is whole and the run is not `to_go_on`, its last checkpoint is left out too.
        """
        complaints: list[str] = []
        indexes: list[Index] = []
        for name in self.names():
            index = self.index(name)
            if index is None:
                complaints.append(f"index/{name}: damaged in {self.uri}")
            else:
                indexes.append(index)
        partial = folder.with_name(f"{folder.name}.partial")
        for needs_last in (True,) if to_go_on else (True, False):
            for index in indexes:
                try:
                    left_out = self.fetch(index, partial, needs_last)
                except ClusterError as error:
                    complaints.append(str(error))
                    continue
                mark(partial, self.uri, index.serial)
                os.replace(partial, folder)
                return index, list(dict.fromkeys(complaints + left_out))
        why = f": {complaints[-1]}" if complaints else ""
        raise ClusterError(f"--storage {self.uri}: no sound copy of a run{why}")

    def fetch(self, index: Index, folder: Path, needs_last: bool) -> list[str]:
        """Makes a folder of the files of an index, many at a time; returns what was left out."""

        def fetched(file: tuple[str, Entry]) -> tuple[str, str]:
            return file[0], self.fetch_file(folder, *file)

        left_out = []
        gone = set()
        last = max(map(checkpoint_of, index.files), default=NO_CHECKPOINT)
        with ThreadPoolExecutor(THREADS) as threads:
            for path, wrong in threads.map(fetched, index.files.items()):
                checkpoint = checkpoint_of(path)
                is_spare = checkpoint != NO_CHECKPOINT and (checkpoint != last or not needs_last)
                if wrong and is_spare:
                    gone.add(checkpoint)
                    left_out.append(f"{path}: {wrong} in {self.uri}; checkpoint {checkpoint} is left out")
                elif wrong and SPARE.fullmatch(path):
                    left_out.append(f"{path}: {wrong} in {self.uri}; left out")
                elif wrong:
                    raise ClusterError(f"{path}: {wrong} in copy {index.serial} of {self.uri}")
        # What a copy that was tried before has, and a checkpoint that is not whole.
        for found in folder.rglob("*"):
            if found.is_file() and found.relative_to(folder).as_posix() not in index.files:
                found.unlink()
        for checkpoint in gone:
            shutil.rmtree(folder / f"checkpoints/{checkpoint:06}", ignore_errors=True)
        return left_out

    def fetch_file(self, folder: Path, path: str, entry: Entry) -> str:
        """Writes a file unless it is there; returns what is wrong with it, if anything is."""
        target = folder / path
        if not target.resolve().is_relative_to(folder.resolve()):
            return "not within the run, but listed"
        if target.is_file() and sha256(read(target)) == entry.sha256:
            return ""
        try:
            content = self.get(f"files/{path}/{entry.sha256}")
        except FileNotFoundError:
            return "missing"
        if sha256(content) != entry.sha256:
            return "damaged"
        write(target, content)
        return ""


def opened(uri: str) -> tuple[fs.FileSystem, str]:
    """Returns the file system of an address and the path there."""
    parts = urlsplit(uri)
    if parts.scheme not in SCHEMES:
        expected = ", ".join(f"{scheme}://" for scheme in SCHEMES)
        raise ClusterError(f"--storage {uri}: expected {expected}", "a folder is file:///path/of/it")
    if parts.username or parts.password:
        hint = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the nodes a role"
        raise ClusterError("--storage: credentials are read from the environment only, not from the address", hint)
    try:
        files, root = fs.FileSystem.from_uri(uri)
    except (OSError, ValueError) as error:
        raise explained(uri, error) from error
    return files, root.rstrip("/")


def explained(uri: str, error: Exception) -> ClusterError:
    """Returns what an error of the storage means."""
    text = str(error)

    def says(*words: str) -> bool:
        # Whole words: ids of requests and ports may hold the number of a status.
        return re.search(rf"(?<![A-Za-z0-9])({'|'.join(words)})(?![A-Za-z0-9])", text) is not None

    if says("ACCESS_DENIED", "INVALID_ACCESS_KEY[A-Z_]*", "credentials", "[A-Z_]*SIGNATURE[A-Z_]*", "403"):
        hint = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or a role) where the trainer runs"
        return ClusterError(f"--storage {uri}: no credentials, or they may not write there", hint)
    if says("NO_SUCH_BUCKET", "404"):
        return ClusterError(f"--storage {uri}: there is no such bucket", "create it first")
    return ClusterError(f"--storage {uri}: {reason(error)}")


def files_of(run: Path, folder: str = ".") -> list[str]:
    """Returns the files of a run, or of a folder in it, that belong into a copy."""
    paths = (path.relative_to(run).as_posix() for path in (run / folder).rglob("*") if path.is_file())
    return sorted(path for path in paths if not LEFT_OUT.fullmatch(path))


def checkpoint_of(path: str) -> int:
    """Returns the number of the checkpoint that a file is part of."""
    parts = path.split("/")
    return int(parts[1]) if parts[0] == "checkpoints" and parts[1].isdigit() else NO_CHECKPOINT


def mark(run: Path, uri: str, serial: int, writing: str = "") -> None:
    """Notes in a run's folder up to which copy it was stored, and the index of the one that is being written."""
    write(run / MARK, json.dumps({"storage": uri, "serial": serial, "writing": writing}).encode())


def marked(run: Path, uri: str, newest: Index) -> int | None:
    """Returns up to which copy a run's folder was stored, `newest` being the last that the storage has."""
    try:
        document = json.loads(read(run / MARK))
    except (OSError, ValueError):
        return None
    if document.get("storage") != uri:
        return None
    return newest.serial if document.get("writing") == newest.name() else int(document["serial"])
