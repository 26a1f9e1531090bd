"""Starting Ray on this machine, or joining a cluster; what the nodes get of this machine."""

import logging
import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import ClusterError, reason
from .program import Program

CLIENT = "ray://"
PORTS = {CLIENT: 10001, "": 6379}
PATIENCE_S = 10.0
NAMESPACE = "taflforge"
MOST_STARTS = 3
# Ray's object store here: a checkpoint and the shards on their way are far smaller.
LOCAL_STORE_BYTES = 512 << 20


@dataclass(frozen=True)
class Place:
    """Where the command works, and where its nodes find the program."""

    program: Program
    is_local: bool
    address: str


@dataclass(frozen=True)
class Wanted:
    """Where to work: an address, or nothing for this machine; this machine's program, or its path on the nodes."""

    address: str | None
    program: Program
    on_nodes: str | None


@contextmanager
def joined(wanted: Wanted) -> Iterator[Place]:
    """Joins a cluster, or starts Ray for the time of this process."""
    try:
        import ray
    except ImportError as error:
        hint = "./scripts/cluster installs it; else: pip install -r scripts/cluster.txt"
        raise ClusterError(f"Ray is not installed ({error.name})", hint) from error
    with tempfile.TemporaryDirectory(prefix="tafl-cluster-") as stage:
        try:
            if wanted.address is None:
                start_here(ray)
                yield Place(wanted.program, True, "this machine")
            else:
                program = staged(wanted, Path(stage))
                join(ray, wanted.address, stage)
                yield Place(program, False, wanted.address)
        finally:
            ray.shutdown()


def start_here(ray: Any) -> None:
    """Starts Ray for this process alone: on the loopback device, without a dashboard, behind a new token."""
    if os.environ["RAY_AUTH_MODE"] == "token":
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    error: Exception | None = None
    # Ray gives up after half a minute, which a machine that is busy may need.
    for _ in range(MOST_STARTS):
        try:
            ray.init(
                address="local",
                namespace=NAMESPACE,
                include_dashboard=False,
                log_to_driver=False,
                logging_level=logging.ERROR,
                object_store_memory=LOCAL_STORE_BYTES,
                _node_ip_address="127.0.0.1",
            )
        except Exception as failed:  # Ray raises many kinds.
            error = failed
            ray.shutdown()
        else:
            return
    raise ClusterError(f"Ray does not start on this machine: {reason(error or Exception())}") from error


def join(ray: Any, address: str, stage: str) -> None:
    """Joins a cluster that is there."""
    knock(address)
    try:
        ray.init(
            address=address,
            namespace=NAMESPACE,
            runtime_env={"working_dir": stage},
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    except Exception as error:  # Ray raises many kinds.
        hint = "is Ray of the same version there, and RAY_AUTH_TOKEN or ~/.ray/auth_token that of the cluster?"
        if address == "auto":
            hint = "`ray start --head` starts Ray; omit --address to use this machine alone"
        raise ClusterError(f"--address {address}: {reason(error)}", hint) from error


def knock(address: str) -> None:
    """Checks that someone listens at an address, which Ray would take minutes to find out."""
    if address in ("auto", "local"):
        return
    scheme = CLIENT if address.startswith(CLIENT) else ""
    host, _, port = address.removeprefix(scheme).partition(":")
    if not host or (port and not port.isdigit()):
        raise ClusterError(f"--address {address}: expected auto, HOST:PORT or ray://HOST:PORT")
    try:
        with socket.create_connection((host, int(port or PORTS[scheme])), timeout=PATIENCE_S):
            pass
    except OSError as error:
        hint = "is the head node up, and is the port open to this machine?"
        raise ClusterError(f"--address {address}: cannot be reached: {error}", hint) from error


def staged(wanted: Wanted, stage: Path) -> Program:
    """Puts this package, and the program unless the nodes have it, into the folder that Ray sends to the nodes."""
    package = Path(__file__).parent
    shutil.copytree(package, stage / package.name, ignore=shutil.ignore_patterns("tests", "examples", "__pycache__"))
    if wanted.on_nodes is not None:
        return Program(wanted.on_nodes)
    wanted.program.check()
    (stage / "bin").mkdir()
    shutil.copy2(wanted.program.binary, stage / "bin/tafl")
    if wanted.program.libraries is None:
        return Program("bin/tafl")
    (stage / "lib").mkdir()
    for library in Path(wanted.program.libraries).glob("*.so*"):
        # A link would arrive as a copy, and `libtorch.so` is a script of the linker.
        if not library.is_symlink() and is_elf(library):
            shutil.copy2(library, stage / "lib" / library.name)
    return Program("bin/tafl", "lib")


def is_elf(path: Path) -> bool:
    """Returns whether a file is a program or a library."""
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"
