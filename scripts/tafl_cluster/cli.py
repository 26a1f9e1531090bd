"""The command line."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .engine import Wanted, joined
from .errors import ClusterError
from .program import INTERRUPTED, Program

if TYPE_CHECKING:
    from .bundle import Bundle

ROOT = Path(__file__).resolve().parents[2]
DATA = "data folder, on the trainer's node; default: data/ of this repository, or TAFL_DATA"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; prints errors as one line, with at most one line of advice."""
    parser = build()
    options, others = parser.parse_known_args(arguments)
    if others and options.command != "arena":
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    options.others = others
    if getattr(options, "tafl", None) and not options.address:
        parser.error("--tafl is the program on the nodes of a cluster, which --address names")
    try:
        run: Callable[[argparse.Namespace], int] = options.run_command
        return run(options)
    except ClusterError as error:
        print(error.lines(), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return INTERRUPTED


def build() -> argparse.ArgumentParser:
    """Returns the parser of all commands."""
    parser = argparse.ArgumentParser(prog="cluster", description="Taflforge on many machines, by Ray.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_train(commands)
    add_balance(commands)
    add_arena(commands)
    fetch = commands.add_parser("fetch", help="write the run of a storage into a folder, verified")
    fetch.add_argument("storage", metavar="URI")
    fetch.add_argument("folder", type=Path, metavar="FOLDER")
    fetch.set_defaults(run_command=run_fetch)
    return parser


def common(parser: argparse.ArgumentParser) -> None:
    """Adds what all commands that play have."""
    parser.add_argument(
        "--address", help="auto, HOST:PORT or ray://HOST:PORT of a cluster; default: this machine alone"
    )
    parser.add_argument("--tafl", metavar="PATH", help="tafl on the nodes; default: this machine's is sent to them")


def add_train(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `train`."""
    parser = commands.add_parser("train", help="train a run with workers; the same command continues it")
    parser.add_argument("config", type=Path, metavar="CONFIG", help="config of an asynchronous run")
    parser.add_argument(
        "--set", action="append", default=[], metavar="FIELD=VALUE", help="change a field of the config"
    )
    parser.add_argument("--run", metavar="NAME", help="name of the run; default: the config's")
    parser.add_argument("--data", type=Path, metavar="DIR", help=DATA)
    workers = "how many; or auto: as many as the trainer's reuse needs, auto:MOST with a limit (default: auto)"
    parser.add_argument("--workers", type=count, default=(None, None), metavar="N", help=workers)
    parser.add_argument("--worker-cpus", type=positive, default=1, metavar="N", help="CPUs of a worker (default: 1)")
    parser.add_argument("--worker-gpus", type=share, default=0.0, metavar="N", help="GPUs of a worker, such as 0.25")
    parser.add_argument(
        "--trainer-cpus", type=positive, default=1, metavar="N", help="CPUs of the trainer (default: 1)"
    )
    parser.add_argument("--trainer-gpus", type=share, default=0.0, metavar="N", help="GPUs of the trainer")
    parser.add_argument("--storage", metavar="URI", help="copy of the run: file://, s3:// or gs://")
    parser.add_argument("--scratch", metavar="DIR", help="folder of workers on their nodes; default: below /tmp")
    parser.add_argument("--shard-seconds", type=positive, default=60, metavar="S", help="age of a shard (default: 60)")
    parser.add_argument("--start-timeout", type=float, default=600.0, metavar="S", help="wait for nodes (default: 600)")
    common(parser)
    parser.set_defaults(run_command=run_train)


def add_balance(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `balance`."""
    parser = commands.add_parser("balance", help="play a balance study, its cells as tasks")
    parser.add_argument("config", type=Path, metavar="CONFIG")
    parser.add_argument("--set", action="append", default=[], metavar="FIELD=VALUE")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="the study's; default: data/balance/CONFIG's name")
    cells(parser)
    parser.set_defaults(run_command=run_balance)


def add_arena(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `arena`."""
    text = "All other options are those of `tafl arena`."
    parser = commands.add_parser("arena", help="play a tournament, its matches as tasks", epilog=text)
    parser.add_argument("players", nargs="+", metavar="PLAYER")
    rulesets = "default: the first that the first network learned"
    parser.add_argument("--ruleset", action="append", metavar="RULESET", help=rulesets)
    parser.add_argument("--openings", type=positive, default=20, metavar="N", help="openings per match (default: 20)")
    parser.add_argument("--format", choices=("round-robin", "gauntlet"), default="round-robin")
    parser.add_argument("--folder", type=Path, required=True, metavar="DIR", help="the tournament's")
    cells(parser)
    parser.set_defaults(run_command=run_arena)


def cells(parser: argparse.ArgumentParser) -> None:
    """Adds what commands with cells have."""
    size = "openings that one task plays (default: 50)"
    parser.add_argument("--task-openings", type=positive, default=50, metavar="N", help=size)
    parser.add_argument("--task-cpus", type=positive, default=1, metavar="N", help="CPUs of a task (default: 1)")
    common(parser)


def positive(text: str) -> int:
    """Reads a number of at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text}: at least 1 is needed")
    return number


def share(text: str) -> float:
    """Reads a number of GPUs, or a part of one."""
    number = float(text)
    if not 0.0 <= number <= 1024.0:
        raise argparse.ArgumentTypeError(f"{text}: expected 0 or more")
    return number


def count(text: str) -> tuple[int | None, int | None]:
    """Reads a number of workers: `8`, `auto` or `auto:50`."""
    word, _, most = text.partition(":")
    if word == "auto":
        return None, positive(most) if most else None
    return positive(text), None


def program() -> Program:
    """Returns `tafl` as ./scripts/cluster built it: in one file."""
    binary = Path(os.environ.get("TAFL_BINARY", ROOT / "target/release/tafl-torch"))
    libtorch = Path(os.environ.get("LIBTORCH") or ROOT / ".libtorch")
    return Program(str(binary), str(libtorch / "lib"))


def wanted(options: argparse.Namespace) -> Wanted:
    """Returns where to work."""
    return Wanted(options.address, program(), options.tafl)


def data_folder(options: argparse.Namespace) -> Path:
    """Returns the data folder."""
    given: Path | None = options.data
    return given or Path(os.environ.get("TAFL_DATA", ROOT / "data"))


def exists(path: Path) -> Path:
    """Checks that a config is there before anything is started."""
    if not path.is_file():
        raise ClusterError(f"{path}: no such file")
    return path


def run_train(options: argparse.Namespace) -> int:
    """Runs `cluster train`."""
    from .bundle import of_run
    from .storage import opened

    # What can be found out without Ray is found out first: it takes seconds to start.
    job = of_run(program(), exists(options.config), options.set, options.run)
    check_devices(job, options)
    if options.storage:
        opened(options.storage)
    with joined(wanted(options)) as place:
        from .train import Options, train

        workers, most = options.workers
        found = Options(
            config=options.config,
            data=data_folder(options),
            workers=workers,
            most_workers=most,
            worker_cpus=options.worker_cpus,
            worker_gpus=options.worker_gpus,
            trainer_cpus=options.trainer_cpus,
            trainer_gpus=options.trainer_gpus,
            storage=options.storage,
            scratch=options.scratch,
            shard_seconds=options.shard_seconds,
            start_timeout=options.start_timeout,
        )
        return train(found, job, place)


def check_devices(job: "Bundle", options: argparse.Namespace) -> None:
    """Checks that the trainer has the device that the config names."""
    device, gpus = str(job.config["device"]), options.trainer_gpus
    if device.startswith("cuda") and gpus == 0:
        raise ClusterError(f'{options.config}: device = "{device}" needs --trainer-gpus 1')
    if not device.startswith("cuda") and gpus > 0:
        raise ClusterError(f"--trainer-gpus {gpus:g}: the config trains on the CPU", "add --set device=cuda")


def run_balance(options: argparse.Namespace) -> int:
    """Runs `cluster balance`."""
    from .studies import balance

    config = exists(options.config)
    folder = options.folder or Path(os.environ.get("TAFL_DATA", ROOT / "data")) / "balance" / config.stem
    study = balance(config, options.set, folder, options.task_openings)
    return run_study(options, study)


def run_arena(options: argparse.Namespace) -> int:
    """Runs `cluster arena`."""
    from .studies import Matches, arena

    refused = [word for word in options.others if word.partition("=")[0] in ("--sprt", "--engine", "--openings-file")]
    if refused:
        raise ClusterError(f"{refused[0]}: not on a cluster", "use ./scripts/tafl arena")
    matches = Matches(
        tuple(options.players),
        tuple(options.ruleset or ()),
        options.openings,
        options.format == "gauntlet",
        tuple(options.others),
        options.folder,
        options.task_openings,
    )
    return run_study(options, arena(matches))


def run_study(options: argparse.Namespace, study: object) -> int:
    """Plays a study."""
    from .studies import Study, play

    assert isinstance(study, Study)
    with joined(wanted(options)) as place:
        return play(study, place, options.task_cpus, program())


def run_fetch(options: argparse.Namespace) -> int:
    """Runs `cluster fetch`."""
    from .storage import Storage, explained

    if options.folder.exists():
        raise ClusterError(f"{options.folder}: is there already", "name a folder that is not")
    options.folder.absolute().parent.mkdir(parents=True, exist_ok=True)
    try:
        index, complaints = Storage(options.storage).restore(options.folder, to_go_on=False)
    except OSError as error:
        raise explained(options.storage, error) from error
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    print(f"{options.folder}: run {index.run}, {len(index.files)} files of copy {index.serial}")
    return 0
