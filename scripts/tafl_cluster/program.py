"""The program `tafl` on this node: whether it runs here, its versions, and processes that end with their parent."""

import json
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from .errors import ClusterError

# The exit code of a program that a signal stopped, with its work kept.
INTERRUPTED = 130

# `e_machine` of ELF files, as the specification has them, and what `uname -m` says of such a processor.
PROCESSORS = {62: "x86_64", 183: "aarch64", 243: "riscv64", 21: "ppc64le"}

# Asks the kernel to kill this process when the one that started it dies (prctl, PR_SET_PDEATHSIG), then becomes it.
DIE_WITH_PARENT = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 9)
if os.getppid() != int(sys.argv[1]):
    sys.exit(1)
os.execv(sys.argv[2], sys.argv[2:])
"""


@dataclass(frozen=True)
class Versions:
    """What must be the same on all nodes of a run, as `tafl config versions` prints it."""

    tafl: str
    encoding: int
    samples: int
    checkpoints: int
    libtorch: str
    rulesets: Mapping[str, str] = field(default_factory=dict)

    def difference(self, other: "Versions") -> str | None:
        """Returns the first thing in which another one differs, such as `tafl 0.1.0, not 0.2.0`."""
        for name in ("tafl", "encoding", "samples", "checkpoints", "libtorch"):
            own, others = getattr(self, name), getattr(other, name)
            if own != others:
                return f"{name} {others}, not {own}"
        for name, own in sorted(self.rulesets.items()):
            others = other.rulesets.get(name, "unknown")
            if own != others:
                return f"ruleset {name} with fingerprint {others}, not {own}"
        return None


@dataclass(frozen=True)
class Program:
    """Where `tafl` is on a node; relative paths are below the folder that Ray unpacked for this process."""

    binary: str
    libraries: str | None = None

    def command(self, arguments: Sequence[str]) -> list[str]:
        """Returns the command line."""
        return [str(Path(self.binary).absolute()), *arguments]

    def environment(self) -> dict[str, str]:
        """Returns the environment: libtorch is found, and Ray's limit of threads does not count."""
        environment = {key: value for key, value in os.environ.items() if key != "OMP_NUM_THREADS"}
        if self.libraries is not None:
            before = environment.get("LD_LIBRARY_PATH")
            own = str(Path(self.libraries).absolute())
            environment["LD_LIBRARY_PATH"] = f"{own}:{before}" if before else own
        return environment

    def check(self) -> None:
        """Checks that the program is there and was built for this processor."""
        path = Path(self.binary)
        try:
            with path.open("rb") as file:
                head = file.read(20)
        except OSError as error:
            hint = "omit --tafl to send this machine's program to the nodes"
            raise ClusterError(f"{path}: {error.strerror}", hint) from error
        if head[:4] != b"\x7fELF":
            return
        byte_order = "little" if head[5] == 1 else "big"
        number = int.from_bytes(head[18:20], "little" if byte_order == "little" else "big")
        built_for = PROCESSORS.get(number, f"processor {number}")
        if built_for != platform.machine():
            hint = "build tafl on such a node, and give its path there by --tafl"
            raise ClusterError(f"{path}: built for {built_for}, but this node is {platform.machine()}", hint)
        if not os.access(path, os.X_OK):
            path.chmod(0o755)

    def run(self, arguments: Sequence[str], cwd: Path | None = None) -> str:
        """Runs the program to its end and returns what it printed; raises its own error."""
        self.check()
        try:
            done = subprocess.run(
                self.command(arguments), cwd=cwd, env=self.environment(), capture_output=True, text=True, check=False
            )
        except OSError as error:
            raise ClusterError(f"{self.binary}: {error.strerror}") from error
        if done.returncode != 0:
            raise failure(self.binary, done.returncode, done.stderr)
        return done.stdout

    def versions(self, config: Path, changes: Sequence[str] = ()) -> Versions:
        """Returns what `tafl config versions` says of a config."""
        arguments = ["config", "versions", str(config), *with_changes(changes)]
        return Versions(**json.loads(self.run(arguments)))

    def start(self, arguments: Sequence[str], log: IO[bytes] | int, output: IO[bytes] | int) -> subprocess.Popen[bytes]:
        """Starts the program in a process group of its own; it dies with the thread that called this."""
        self.check()
        wrapper = [sys.executable, "-I", "-S", "-c", DIE_WITH_PARENT, str(os.getpid())]
        return subprocess.Popen(
            wrapper + self.command(arguments),
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=log,
            start_new_session=True,
        )


def with_changes(changes: Sequence[str]) -> list[str]:
    """Returns changes of a config as options."""
    return [word for change in changes for word in ("--set", change)]


def end(child: subprocess.Popen[bytes] | None, patience: float) -> None:
    """Asks a process to end, and kills it after so many seconds."""
    if child is None or child.poll() is not None:
        return
    child.send_signal(signal.SIGTERM)
    try:
        child.wait(patience)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def failure(program: str, code: int, said: str) -> ClusterError:
    """Returns why a process ended, as it said itself."""
    lines = [line for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("error: ")]
    hints = [line for line in lines if line.startswith("hint: ")]
    if errors:
        return ClusterError(errors[-1].removeprefix("error: "), hints[-1].removeprefix("hint: ") if hints else "")
    if code == -signal.SIGILL:
        return ClusterError(f"{program}: an instruction that this node's processor does not have")
    if code < 0:
        return ClusterError(f"{program}: killed by {signal.Signals(-code).name}")
    return ClusterError(lines[-1] if lines else f"{program}: exit code {code}")
