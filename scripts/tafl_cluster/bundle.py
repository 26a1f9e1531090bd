"""What nodes need of a config: the config itself, rulesets and networks that it names by path."""

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import ClusterError
from .program import Program, Versions, with_changes
from .shard import read, write

CHECKPOINT = ("model.json", "weights.safetensors", "run.toml")
CONFIG = "config.toml"

Files = dict[str, bytes]


@dataclass(frozen=True)
class Bundle:
    """Files by relative path, and what must be changed in the config so that it finds them."""

    name: str
    files: Files
    changes: tuple[str, ...]
    config: dict[str, Any]
    versions: Versions

    def unpack(self, folder: Path) -> Path:
        """Writes all files; returns the config's path."""
        unpack(self.files, folder)
        return folder / CONFIG


def unpack(files: Files, folder: Path) -> None:
    """Writes files into a folder."""
    for name, content in files.items():
        write(folder / name, content)


def checkpoint_files(folder: Path, prefix: str) -> Files:
    """Returns the files of a checkpoint."""
    paths = [folder / name for name in CHECKPOINT]
    return {f"{prefix}/{path.name}": read(path) for path in paths if path.is_file()}


def player_files(folder: Path, prefix: str) -> tuple[str, Files]:
    """Returns a checkpoint that plays matches, with the config of its run; and its folder among the files."""
    folder = folder.resolve()
    run = folder.parent.parent
    if (folder / "run.toml").is_file() or not (run / CONFIG).is_file():
        place = f"{prefix}/{folder.name}"
        return place, checkpoint_files(folder, place)
    of_run = f"{prefix}/{run.name}"
    place = f"{of_run}/{folder.parent.name}/{folder.name}"
    files = {f"{of_run}/{CONFIG}": read(run / CONFIG)}
    for path in run.glob("rulesets/*.toml"):
        files[f"{of_run}/rulesets/{path.name}"] = read(path)
    return place, files | checkpoint_files(folder, place)


def ruleset_files(rulesets: Sequence[str], folder: Path) -> tuple[list[str], Files]:
    """Returns rulesets as they are named within a bundle, and the files of those that are given by path."""
    names: list[str] = []
    files: Files = {}
    for ruleset in rulesets:
        path = folder / ruleset
        if not ruleset.endswith(".toml") or not path.is_file():
            names.append(ruleset)
            continue
        content = read(path)
        place = f"rulesets/{path.name}"
        if files.get(place, content) != content:
            # Files of one name in two folders.
            place = f"rulesets/{len(names)}/{path.name}"
        names.append(place)
        files[place] = content
    return names, files


def of_run(program: Program, config: Path, changes: Sequence[str], name: str | None) -> Bundle:
    """Reads the config of an asynchronous run; `tafl` finds what is wrong with it."""
    text = program.run(["config", "show", str(config), *with_changes(changes)])
    versions = program.versions(config, changes)
    fields = tomllib.loads(text)
    if "asynchronous" not in fields["loop"]:
        hint = "add --set loop.asynchronous.checkpoint_steps=100, or a section [loop.asynchronous] to the config"
        raise ClusterError(f"{config}: it has no [loop.asynchronous], so no worker can play for it", hint)
    folder = config.parent
    files: Files = {CONFIG: text.encode()}
    rulesets, of_rulesets = ruleset_files(fields["rulesets"], folder)
    pool = []
    for player in fields["ladder"]["pool"]:
        if not (folder / player).is_dir():
            pool.append(player)
            continue
        pool.append(f"pool/{Path(player).name}")
        files |= checkpoint_files(folder / player, pool[-1])
    own = (f"rulesets={json.dumps(rulesets)}", f"ladder.pool={json.dumps(pool)}")
    return Bundle(name or fields["name"], files | of_rulesets, own, fields, versions)
