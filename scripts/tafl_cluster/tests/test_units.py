"""The parts without a cluster: shards, versions, the rule for workers, the view, configs."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from rich.console import Console

from tafl_cluster import bundle, train
from tafl_cluster.cli import main, program
from tafl_cluster.engine import Place
from tafl_cluster.errors import ClusterError
from tafl_cluster.intake import Intake
from tafl_cluster.messages import Problem, TrainerState, WorkerState
from tafl_cluster.program import Program, Versions, failure
from tafl_cluster.run_files import run_id, shards_entered
from tafl_cluster.shard import Shard, ShardName, read, sealed, sha256
from tafl_cluster.view import head, span, table
from tafl_cluster.workers_rule import wanted_workers

from .support import SMALL, SMOKE, Runs

NAME = ShardName("000003", "w001-0123456789abcdef-000007")


def shard(content: bytes = b"games") -> Shard:
    return Shard(NAME, content, sha256(content))


def test_a_shard_is_taken_once_and_damage_is_named(tmp_path: Path) -> None:
    intake = Intake(tmp_path)
    assert intake.take("w001", shard()) == "taken"
    assert intake.take("w001", shard()) == "known"
    assert sealed(tmp_path / "workers/w001", "w001") == [NAME]
    wrong = Shard(ShardName("000004", NAME.name), b"other", shard().sum)
    assert intake.take("w001", wrong) == "its SHA-256 is not that of what was sent"
    assert intake.reasons == {f"w001: {wrong.name}": "its SHA-256 is not that of what was sent"}
    kept = list(tmp_path.glob("cluster/refused/*.games"))
    assert [path.read_bytes() for path in kept] == [b"other"]
    # After a start all is known again, what was removed since it was learned from included.
    (tmp_path / "manifest.json").write_text(json.dumps({"files": {"workers/w2/games/000001/gone.parquet": {}}}))
    again = Intake(tmp_path)
    again.know()
    assert again.has("w001", NAME)
    assert again.has("w2", ShardName("000001", "gone"))


@pytest.mark.parametrize(
    "name",
    [
        ShardName("000003", "w002-0123456789abcdef-000007"),
        ShardName("000003", "../w001-0123456789abcdef-000007"),
        ShardName("../../..", NAME.name),
        ShardName("000003", "w001-0123456789abcdef-7"),
        ShardName("000003", "w001"),
    ],
)
def test_no_name_leads_elsewhere(tmp_path: Path, name: ShardName) -> None:
    intake = Intake(tmp_path)
    verdict = intake.take("w001", Shard(name, b"", sha256(b"")))
    assert verdict == "its name is not one of this worker's shards"
    assert not list(tmp_path.rglob("*.parquet"))


def test_versions_are_compared_by_name() -> None:
    own = Versions("0.1.0", 4, 3, 5, "2.11.0", {"brandubh": "aa"})
    assert own.difference(own) is None
    assert own.difference(Versions("0.2.0", 4, 3, 5, "2.11.0", {"brandubh": "aa"})) == "tafl 0.2.0, not 0.1.0"
    assert own.difference(Versions("0.1.0", 3, 3, 5, "2.11.0", {"brandubh": "aa"})) == "encoding 3, not 4"
    other = Versions("0.1.0", 4, 3, 5, "2.11.0", {"brandubh": "bb"})
    assert own.difference(other) == "ruleset brandubh with fingerprint bb, not aa"


def test_a_program_for_another_processor_is_refused(tmp_path: Path) -> None:
    head_of = bytearray(Path(sys.executable).resolve().read_bytes()[:64])
    head_of[18:20] = (183 if head_of[18] == 62 else 62).to_bytes(2, "little")
    path = tmp_path / "tafl"
    path.write_bytes(head_of)
    with pytest.raises(ClusterError, match=r"tafl: built for \w+, but this node is \w+"):
        Program(str(path)).check()
    with pytest.raises(ClusterError, match="No such file or directory"):
        Program(str(tmp_path / "none")).check()


def test_a_process_ends_with_the_one_that_started_it(tmp_path: Path) -> None:
    path = tmp_path / "tafl"
    path.write_text("#!/bin/sh\necho $$\nexec sleep 1000\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    starts = f"Program({str(path)!r}).start([], 2, sys.stdout); input()"
    start = f"import sys; from tafl_cluster.program import Program; {starts}"
    parent = subprocess.Popen([sys.executable, "-c", start], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    until = time.monotonic() + 60.0
    while is_alive(child):
        assert time.monotonic() < until
        time.sleep(0.05)


def is_alive(process: int) -> bool:
    """Returns whether a process runs; one that ended may wait for someone to take note."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_what_a_process_said_is_its_error() -> None:
    said = "working\nerror: the disk is full\nhint: buy one\n"
    assert failure("tafl", 2, said).lines() == "error: the disk is full\nhint: buy one"
    assert failure("tafl", -9, "").message == "tafl: killed by SIGKILL"
    assert failure("tafl", -4, "").message.endswith("an instruction that this node's processor does not have")


def metrics(waited: float, samples: float) -> dict[str, float]:
    return {
        "seconds": 200.0,
        "before/seconds": 100.0,
        "loop/samples": 1000.0 + samples,
        "before/loop/samples": 1000.0,
        "loop/training_waited_s": waited,
    }


@pytest.mark.parametrize(
    ("waited", "samples", "workers", "wanted"),
    [
        # It waits a third of the time: half as many again.
        (33.4, 600.0, 8, 12),
        # Hardly: as many as there are.
        (5.0, 600.0, 8, 8),
        # More comes than is learned from: fewer.
        (0.0, 1000.0, 10, 6),
        # Never more than twice as many at once, nor more than there may be, nor none.
        (99.0, 600.0, 8, 16),
        (99.0, 600.0, 60, 64),
        (0.0, 60000.0, 1, 1),
    ],
)
def test_workers_follow_the_reuse(waited: float, samples: float, workers: int, wanted: int) -> None:
    assert wanted_workers(workers, metrics(waited, samples), 600.0, 64) == wanted


def test_workers_stay_while_nothing_is_measured() -> None:
    assert wanted_workers(5, {}, 600.0, 64) == 5
    assert wanted_workers(5, metrics(0.0, 0.0), 600.0, 64) == 5


def test_the_view_names_what_goes_wrong() -> None:
    state = TrainerState("demo", "/data/demo", "abc", checkpoint=7, generations=40, steps=7000, taken=12, refused=1)
    state.elo = {"attackers": 12.3, "defenders": -4.0}
    state.storage = "unreachable for 42 s"
    worker = WorkerState("w000", "node1", 1.0, 6, 123.4, 12, 1, "playing")
    silent = WorkerState("w001", "node2", 95.0, None, 0.0, 0, 0, "silent", Problem("gone"))
    state.workers = [worker, silent]
    console = Console(record=True, width=200, file=open(os.devnull, "w"))  # noqa: SIM115
    console.print(head(state, 2), table(state))
    text = console.export_text()
    for part in (
        "checkpoint 7 of 40",
        "1 of 2 workers",
        "123 positions/s",
        "12 taken, 1 refused",
        "unreachable for 42 s",
    ):
        assert part in text
    assert "attackers +12, defenders -4" in text
    lines = [line.split() for line in text.splitlines()]
    assert ["w000", "node1", "playing", "6", "1", "123", "12", "1", "1", "s", "ago"] in lines
    assert span(95.0) == "2 min"


def test_a_config_brings_what_it_names(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        ruleset = tmp_path / folder / "own.toml"
        ruleset.parent.mkdir()
        ruleset.write_text(f'base = "brandubh"\nname = "own-{folder}"\n')
    config = tmp_path / "c.toml"
    rulesets = 'rulesets = ["a/own.toml", "b/own.toml"]'
    config.write_text(f'name = "c"\n{rulesets}\n[loop.asynchronous]\n[ladder]\npool = ["random"]\n')
    job = bundle.of_run(program(), config, (), None)
    assert job.name == "c"
    assert sorted(job.files) == ["config.toml", "rulesets/1/own.toml", "rulesets/own.toml"]
    assert sorted(job.versions.rulesets) == ["own-a", "own-b"]
    unpacked = job.unpack(tmp_path / "elsewhere")
    assert program().versions(unpacked, job.changes) == job.versions


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["train", "none.toml"], "none.toml: no such file"),
        (["train", str(SMOKE)], f"{SMOKE}: it has no [loop.asynchronous], so no worker can play for it"),
        (["train", str(SMOKE), "--set", "search.visits=x"], "search.visits"),
        (["train", str(SMOKE), "--set", SMALL[4], "--set", "device=cuda"], 'device = "cuda:0" needs --trainer-gpus 1'),
        (
            ["train", str(SMOKE), "--set", SMALL[4], "--trainer-gpus", "1"],
            "--trainer-gpus 1: the config trains on the CPU",
        ),
        (
            ["train", str(SMOKE), "--set", SMALL[4], "--address", "127.0.0.1:1"],
            "127.0.0.1:1: cannot be reached: ",
        ),
        (
            ["train", str(SMOKE), "--set", SMALL[4], "--address", "ray://127.0.0.1:1"],
            "ray://127.0.0.1:1: cannot be reached: ",
        ),
        (
            ["train", str(SMOKE), "--set", SMALL[4], "--address", "here:x"],
            "expected auto, HOST:PORT or ray://HOST:PORT",
        ),
        (["arena", "a", "b", "--folder", "f", "--sprt", "0,10"], "--sprt: not on a cluster"),
        (["fetch", "ftp://x/y", "/nowhere/at/all"], "--storage ftp://x/y: expected file://, s3://, gs://"),
        (["fetch", "s3://key:secret@x/y", "/tmp/no/such"], "credentials are read from the environment only"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], expected: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    said = capfd.readouterr().err.splitlines()
    lines = [line for line in said if line.startswith("error: ")]
    assert len(lines) == 1, said
    assert expected in lines[0]
    assert len(said) <= said.index(lines[0]) + 2, said
    assert not any("Traceback" in line for line in said)


def test_nobody_waits_for_a_pipe_in_the_place_of_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "manifest.json"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path):
        with pytest.raises(OSError, match=r"not a regular file|Is a directory"):
            read(path)
    with pytest.raises(OSError, match="not a regular file"):
        shards_entered(tmp_path)


def test_a_run_has_one_id_for_all_who_ask_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        for number in range(20):
            ids = set(threads.map(run_id, [tmp_path / str(number)] * 8))
            assert len(ids) == 1, ids


def test_a_signal_that_ends_ray_too_is_a_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    class Gone:
        def __init__(self, *_: object) -> None:
            pass

        def set_workers(self, wanted: int) -> None:
            pass

        def look(self) -> None:
            signal.raise_signal(signal.SIGTERM)
            raise ClusterError("the trainer cannot be started: ActorDiedError")

    monkeypatch.setattr(train, "Launcher", Gone)
    monkeypatch.setattr(train, "room", lambda _: 1)
    job = bundle.Bundle("gone", {}, (), {}, Versions("", 0, 0, 0, ""))
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        assert train.train(Runs(tmp_path, "gone").options(1), job, Place(program(), True, "here")) == 130
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    said = capfd.readouterr()
    assert (said.out + said.err).endswith("stopped\nhint: the same command continues the run\n")


def test_without_ray_it_says_how_to_get_it(tmp_path: Path) -> None:
    # A Python that finds this package and no other.
    hide = "import sys; sys.modules['ray'] = None; from tafl_cluster.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", hide, "train", str(SMOKE), "--set", SMALL[4]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "error: Ray is not installed (ray)",
        "hint: ./scripts/cluster installs it; else: pip install -r scripts/cluster.txt",
    ]
