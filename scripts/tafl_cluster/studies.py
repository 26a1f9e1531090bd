"""`cluster balance` and `cluster arena`: cells as tasks, whose games the study's folder takes.

A cell is a ruleset, its players and a range of openings. Every game's seed comes from the study's seed and the game's
place in it, so a cell played elsewhere holds the same games. When all are there, `tafl` looks at the folder once: it
checks every file, plays what is missing, and prints the result.
"""

import fcntl
import json
import math
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import ray

from .bundle import CONFIG, Files, player_files, ruleset_files, unpack
from .engine import Place
from .errors import ClusterError, reason
from .program import Program, failure, with_changes
from .shard import read, sha256, write
from .view import View

MANIFEST = "manifest.json"
NETS = Path(__file__).resolve().parents[2] / "data/nets"
# What is the same for all games of a folder.
SAME = ("format", "kind", "program", "settings")
UNION = ("rulesets", "players", "files")
DONE = "cluster.json"


@dataclass(frozen=True)
class Cell:
    """A part of a study: what it is, its openings, and the arguments of `tafl` that play it.

    In the arguments `{first}` and `{end}` stand for the openings, `{root}` for the folder of the study's files.
    """

    title: str
    first: int
    end: int
    words: tuple[str, ...]
    # What is added where the cell does not begin with the first opening.
    later: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Returns how it is called where someone reads it."""
        return f"{self.title}, openings {self.first} to {self.end - 1}"

    @property
    def key(self) -> str:
        """Returns a short text that only cells of the same games with other openings share."""
        return sha256(json.dumps([self.title, *self.words]).encode())[:16]

    def arguments(self, root: Path) -> list[str]:
        """Returns the command line."""
        words = [*self.words, *(self.later if self.first else ())]
        known = {"{first}": str(self.first), "{end}": str(self.end), "{root}": str(root)}
        for name, value in known.items():
            words = [word.replace(name, value) for word in words]
        return words


@dataclass(frozen=True)
class Study:
    """What is to be played, where, and the command that puts it together."""

    folder: Path
    cells: tuple[Cell, ...]
    files: Files = field(default_factory=dict)
    together: tuple[str, ...] = ()


def play_cell(program: Program, files: Files, cell: Cell) -> Files:
    """Plays a cell on a node; returns the files of its folder."""
    with tempfile.TemporaryDirectory(prefix="tafl-cell-") as scratch:
        root = Path(scratch)
        unpack(files, root)
        folder = root / "cell"
        program.check()
        arguments = cell.arguments(root)
        log = root / "cell.log"
        with log.open("wb") as output:
            child = program.start([*arguments, "--folder", str(folder)], output, subprocess.DEVNULL)
        # In a loop, so that a cancelled task ends.
        while child.poll() is None:
            try:
                child.wait(0.2)
            except subprocess.TimeoutExpired:
                continue
        if child.returncode != 0:
            raise failure(f"cell {cell.name}", child.returncode, log.read_text(errors="replace"))
        games = (path for path in folder.rglob("*") if path.is_file() and path.suffix in (".parquet", ".json", ".toml"))
        names = {path.relative_to(folder).as_posix(): path for path in games}
        return {name: read(path) for name, path in names.items() if not name.startswith("summary.")}


def play(study: Study, place: Place, cpus: int, program: Program) -> int:
    """Plays all cells on the cluster and puts them together; returns the exit code of `tafl`."""
    study.folder.mkdir(parents=True, exist_ok=True)
    done = Done.of(study.folder)
    wanted = [part for cell in study.cells for part in done.missing(cell)]
    files = ray.put(study.files)
    task = ray.remote(play_cell).options(num_cpus=cpus, max_retries=-1, scheduling_strategy="SPREAD")
    pending = {task.remote(place.program, files, cell): cell for cell in wanted}
    with View() as view:
        view.say(f"{study.folder}: {len(wanted)} cells to play on {place.address}")
        while pending:
            finished, _ = ray.wait(list(pending), num_returns=1)
            cell = pending.pop(finished[0])
            played = result_of(finished[0], cell)
            # If this ends between the two, `tafl` plays these games in the end.
            done.add(cell, played)
            merge(played, study.folder)
            view.say(f"  {cell.name} ({len(wanted) - len(pending)} of {len(wanted)})")
    arguments = [*study.together, "--folder", str(study.folder)]
    code = subprocess.run(program.command(arguments), env=program.environment(), check=False).returncode
    done.know_all()
    return code


@dataclass
class Done:
    """What a folder has taken from cells: openings by cell, and the files."""

    folder: Path
    openings: dict[str, list[list[int]]]
    files: set[str]

    @staticmethod
    def of(folder: Path) -> "Done":
        """Reads it; a folder with games that were played otherwise is refused, as games could come twice."""
        path = folder / DONE
        document = json.loads(read(path)) if path.is_file() else {"openings": {}, "files": []}
        done = Done(folder, document["openings"], set(document["files"]))
        if others := entered(folder) - done.files:
            hint = "complete it by ./scripts/tafl, or use another --folder"
            raise ClusterError(f"{folder}: {min(others)} was not played by this command", hint)
        return done

    def missing(self, cell: Cell) -> list[Cell]:
        """Returns the parts of a cell that are not played yet."""
        first, parts = cell.first, []
        for begin, end in sorted(self.openings.get(cell.key, [])):
            if begin >= cell.end or end <= first:
                continue
            if begin > first:
                parts.append((first, begin))
            first = max(first, end)
        if first < cell.end:
            parts.append((first, cell.end))
        return [replace(cell, first=begin, end=end) for begin, end in parts]

    def add(self, cell: Cell, files: Files) -> None:
        """Takes note of a cell that was played."""
        self.openings.setdefault(cell.key, []).append([cell.first, cell.end])
        self.files |= set(files)
        self.write()

    def know_all(self) -> None:
        """Takes note of what `tafl` played at the end."""
        self.files |= entered(self.folder)
        self.write()

    def write(self) -> None:
        """Writes it into the folder."""
        document = {"openings": self.openings, "files": sorted(self.files)}
        write(self.folder / DONE, json.dumps(document, indent=1).encode())


def entered(folder: Path) -> set[str]:
    """Returns the files of games that a folder's manifest lists."""
    path = folder / MANIFEST
    return set(json.loads(read(path))["files"]) if path.is_file() else set()


def result_of(reference: Any, cell: Cell) -> Files:
    """Returns the files of a cell that was played."""
    try:
        files: Files = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, ClusterError):
            raise error.cause from error
        raise ClusterError(f"cell {cell.name}: {reason(error.cause)}") from error
    except ray.exceptions.RayError as error:
        raise ClusterError(f"cell {cell.name}: {reason(error)}") from error
    return files


def merge(files: Files, folder: Path) -> None:
    """Adds the games of a cell to a folder: files first, the manifests that list them last."""
    manifests = {name: json.loads(content) for name, content in files.items() if Path(name).name == MANIFEST}
    with locked(folder):
        for name, manifest in manifests.items():
            store = Path(name).parent
            for game, entry in manifest["files"].items():
                path = (store / game).as_posix()
                if sha256(files[path]) != entry["sha256"]:
                    raise ClusterError(f"{path}: damaged on its way", "the same command plays it again")
                write(folder / path, files[path])
        for name, content in files.items():
            if Path(name).suffix == ".toml":
                write(folder / name, content)
        for name, manifest in manifests.items():
            whole = united(folder / name, manifest)
            write(folder / name, (json.dumps(whole, indent=2) + "\n").encode())


def united(path: Path, manifest: dict[str, Any]) -> dict[str, Any]:
    """Returns a manifest with what a cell's adds to it."""
    if not path.is_file():
        return manifest
    own: dict[str, Any] = json.loads(read(path))
    for key in SAME:
        if own.get(key) != manifest.get(key):
            hint = "all games of a folder have the same settings; use another --folder"
            raise ClusterError(f"{path}: {key} differs from that of the new games", hint)
    for key in UNION:
        for name, value in manifest[key].items():
            known = own[key].setdefault(name, value)
            if known != value and (key != "players" or any(known.get(it, value[it]) != value[it] for it in value)):
                raise ClusterError(f"{path}: {key}.{name} differs from that of the new games", "use another --folder")
        own[key] = dict(sorted(own[key].items()))
    return own


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds the lock that `tafl` takes, so that nobody else writes the folder."""
    with (folder / ".lock").open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ClusterError(f"{folder}: another process writes there") from error
        yield


def ranges(count: int, size: int) -> list[tuple[int, int]]:
    """Returns the ranges of openings that cells have."""
    return [(first, min(first + size, count)) for first in range(0, count, size)]


def balance(config: Path, changes: Sequence[str], folder: Path, size: int) -> Study:
    """Plans a balance study: a cell for each ruleset, player, strength and range of openings."""
    options = with_changes(changes)
    # Each cell says these itself.
    own_fields = ("openings.count", "rulesets", "players")
    others = with_changes([it for it in changes if it.partition("=")[0].strip() not in own_fields])
    try:
        document = tomllib.loads(read(config).decode())
    except (OSError, ValueError) as error:
        raise ClusterError(f"{config}: {error.strerror if isinstance(error, OSError) else error}") from error
    for change in changes:
        apply(document, change)
    check_openings(config, document)
    count = document.get("openings", {}).get("count", 200)
    rulesets, files = ruleset_files(document.get("rulesets", ["copenhagen"]), config.parent)
    files[CONFIG] = read(config)
    cells = []
    for number, player in enumerate(document.get("players", [])):
        name, place = player["player"], player["player"]
        if (config.parent / name).is_dir():
            place, of_player = player_files(config.parent / name, f"players/{number}")
            files |= of_player
        for strength in player.get("strengths") or [None]:
            entry: dict[str, Any] = {"player": place} | ({} if strength is None else {"strengths": [strength]})
            text = ", ".join(f"{key} = {json.dumps(value)}" for key, value in entry.items())
            title = f"{name}:{strength}" if strength is not None else name
            for ruleset in rulesets:
                own = [f"rulesets={json.dumps([ruleset])}", f"players=[{{{text}}}]", "openings.count={end}"]
                words = ("balance", "{root}/config.toml", *others, *with_changes(own), "--first-opening", "{first}")
                # Each player meets the reference opponent once.
                later = ("--set", "strength.openings=0")
                parts = ranges(math.ceil(player.get("share", 1.0) * count), size)
                cells += [Cell(f"{title} under {ruleset}", first, end, words, later) for first, end in parts]
    return Study(folder, tuple(cells), files, ("balance", str(config), *options))


def check_openings(config: Path, document: dict[str, Any]) -> None:
    """Refuses openings that are drawn from one player for others: a cell has one player."""
    source = document.get("openings", {}).get("source", "random")
    players = [(it["player"], it.get("strengths") or [None]) for it in document.get("players", [])]
    drawn = {(name, strength if source == "search" else None) for name, strengths in players for strength in strengths}
    if source != "random" and len(drawn) > 1:
        problem = f"openings from the {source} of one player cannot be drawn for others on a cluster"
        raise ClusterError(f"{config}: {problem}", "use ./scripts/tafl balance")


def apply(document: dict[str, Any], change: str) -> None:
    """Changes a field of a config that was read; `tafl` checks it."""
    path, _, value = change.partition("=")
    try:
        parsed: Any = tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        parsed = value
    *sections, name = path.strip().split(".")
    for section in sections:
        document = document.setdefault(section, {})
    document[name] = parsed


@dataclass(frozen=True)
class Matches:
    """What the command line of `cluster arena` says."""

    players: tuple[str, ...]
    # None: the one that the first network learned.
    rulesets: tuple[str, ...]
    openings: int
    is_gauntlet: bool
    others: tuple[str, ...]
    folder: Path
    size: int


def learned(players: Sequence[str]) -> str:
    """Returns the ruleset that `tafl arena` plays where none is named: what the first network learned first."""
    names = (player.partition("@")[0] for player in players)
    folders = (folder for name in names for folder in (Path(name).resolve(), NETS / name))
    folder = next((folder for folder in folders if (folder / "model.json").is_file()), None)
    if folder is None:
        return "copenhagen"
    rulesets = json.loads(read(folder / "model.json"))["provenance"]["rulesets"]
    if not rulesets:
        raise ClusterError(f"{folder}: it names no ruleset that was learned", "use --ruleset FILE")
    name = rulesets[0]["name"]
    own = folder.parent.parent / "rulesets" / f"{name}.toml"
    return str(own) if own.is_file() else str(name)


def arena(matches: Matches) -> Study:
    """Plans a tournament: a cell for each ruleset, pair of players and range of openings."""
    files: Files = {}
    places = []
    for number, named in enumerate(matches.players):
        player = named
        folder, _, visits = player.partition("@")
        if (Path(folder) / "checkpoints").is_dir():
            hint = f"name checkpoints, such as {folder}/checkpoints/000010"
            raise ClusterError(f"{player}: a whole run is no player here", hint)
        if Path(folder).is_dir():
            place, of_player = player_files(Path(folder), f"players/{number}")
            files |= of_player
            player = "{root}/" + place + (f"@{visits}" if visits else "")
        places.append(player)
    asked = matches.rulesets or (learned(matches.players),)
    rulesets, of_rulesets = ruleset_files(asked, Path("."))
    files |= of_rulesets
    firsts = range(1) if matches.is_gauntlet else range(len(places))
    pairs = [(first, second) for first in firsts for second in range(first + 1, len(places))]
    cells = []
    for ruleset in rulesets:
        for pair in pairs:
            names = " - ".join(matches.players[number] for number in pair)
            rules = "{root}/" + ruleset if ruleset in files else ruleset
            own = ("--ruleset", rules, "--openings", "{end}", "--first-opening", "{first}", "--bootstrap", "0")
            words = ("arena", *(places[number] for number in pair), *own, *matches.others)
            parts = ranges(matches.openings, matches.size)
            cells += [Cell(f"{names} under {ruleset}", first, end, words) for first, end in parts]
    whole = ["arena", *matches.players, "--openings", str(matches.openings), *matches.others]
    whole += [word for ruleset in asked for word in ("--ruleset", ruleset)]
    whole += ["--format", "gauntlet"] if matches.is_gauntlet else []
    return Study(matches.folder, tuple(cells), files, tuple(whole))
