"""Copies of a run: what is damaged, missing, foreign or old; in a folder and in S3."""

import json
from pathlib import Path

import pytest

from tafl_cluster.errors import ClusterError
from tafl_cluster.storage import KEPT_INDEXES, Storage, explained, marked, opened

from .s3 import S3

FILES = {
    "config.toml": b"name = 'demo'",
    "manifest.json": b"{}",
    "checkpoints/000001/model.json": b"card",
    "checkpoints/000001/weights.safetensors": b"weights",
    "workers/w0/games/000001/a.parquet": b"games",
}


def run(folder: Path) -> Path:
    path = folder / "run"
    for name, content in FILES.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    for name in ("in-progress/x.jsonl", ".lock", "checkpoints/000002.partial/x", "games/000001/a.parquet.ab12.tmp"):
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(b"not for others")
    return path


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    named = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    return {name: content for name, content in named.items() if not name.startswith("cluster/")}


def address(kind: str, folder: Path, s3: S3) -> str:
    return f"file://{folder}/copy" if kind == "file" else s3.uri(folder.name)


def objects(kind: str, folder: Path, s3: S3) -> dict[str, Path | str]:
    """Returns where each stored file is."""
    if kind == "file":
        root = folder / "copy"
        return {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
    return {name.removeprefix(f"{folder.name}/"): name for name in s3.names(f"{folder.name}/") if name[-1] != "/"}


def overwrite(place: Path | str, content: bytes, s3: S3) -> None:
    if isinstance(place, Path):
        place.write_bytes(content)
    else:
        s3.replace(place, content)


@pytest.mark.parametrize("kind", ["file", "s3"])
def test_a_run_comes_back_as_it_was(kind: str, tmp_path: Path, s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = Storage(address(kind, tmp_path, s3))
    storage.check()
    assert storage.newest() is None
    source = run(tmp_path)
    assert storage.push(source, "demo") == set(FILES)
    before = objects(kind, tmp_path, s3)
    # Nothing new, nothing written.
    storage.push(source, "demo")
    assert objects(kind, tmp_path, s3) == before
    index, complaints = Storage(storage.uri).restore(tmp_path / "other")
    assert (index.run, index.serial, complaints) == ("demo", 1, [])
    assert contents(tmp_path / "other") == FILES
    assert marked(tmp_path / "other", storage.uri, index) == 1

    # Changed files have versions, of which few stay.
    for number in range(2, 8):
        (source / "manifest.json").write_text(json.dumps({"number": number}))
        storage.push(source, "demo")
    versions = [name for name in objects(kind, tmp_path, s3) if name.startswith("files/manifest.json/")]
    indexes = [name for name in objects(kind, tmp_path, s3) if name.startswith("index/")]
    assert len(versions) == len(indexes) == KEPT_INDEXES
    assert storage.newest() == storage.last

    # Another process takes over, and sends only what is new; the first one notices.
    later = Storage(storage.uri)
    newest = later.newest()
    assert newest is not None
    later.know(newest)
    (source / "manifest.json").write_bytes(b"later")
    sent: list[str] = []

    def put(name: str, content: bytes) -> None:
        sent.append(name)
        Storage.put(later, name, content)

    monkeypatch.setattr(later, "put", put)
    later.push(source, "demo")
    assert [name.split("/")[:2] for name in sorted(sent)] == [["files", "manifest.json"], ["index", later.names()[0]]]
    (source / "manifest.json").write_bytes(b"earlier")
    with pytest.raises(ClusterError, match="another process writes there"):
        storage.push(source, "demo")


def test_a_run_killed_while_it_was_stored_is_not_older_than_its_copy(
    tmp_path: Path, s3: S3, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = Storage(address("file", tmp_path, s3))
    source = run(tmp_path)
    storage.push(source, "demo")
    Storage(storage.uri).restore(tmp_path / "elsewhere")
    (source / "manifest.json").write_bytes(b"newer")

    def put_and_die(name: str, content: bytes) -> None:
        Storage.put(storage, name, content)
        if name.startswith("index/"):
            raise KeyboardInterrupt

    monkeypatch.setattr(storage, "put", put_and_die)
    with pytest.raises(KeyboardInterrupt):
        storage.push(source, "demo")
    newest = Storage(storage.uri).newest()
    assert newest is not None
    assert marked(source, storage.uri, newest) == newest.serial == 2
    assert marked(tmp_path / "elsewhere", storage.uri, newest) == 1


def test_a_run_that_removes_samples_while_it_is_stored_is_stored_again(
    tmp_path: Path, s3: S3, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = Storage(address("file", tmp_path, s3))
    source = run(tmp_path)

    def put_and_prune(name: str, content: bytes) -> None:
        Storage.put(storage, name, content)
        if name.startswith("files/manifest.json/"):
            (source / "manifest.json").write_bytes(b"pruned")
            (source / "workers/w0/games/000001/a.parquet").write_bytes(b"less")

    monkeypatch.setattr(storage, "put", put_and_prune)
    storage.push(source, "demo")
    Storage(storage.uri).restore(tmp_path / "other")
    found = contents(tmp_path / "other")
    assert (found["manifest.json"], found["workers/w0/games/000001/a.parquet"]) == (b"pruned", b"less")
    # Nothing of the first attempt is left.
    assert len([name for name in objects("file", tmp_path, s3) if name.startswith("files/manifest.json/")]) == 1


def test_a_checkpoint_that_was_left_out_is_stored_later(
    tmp_path: Path, s3: S3, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = Storage(address("file", tmp_path, s3))
    source = run(tmp_path)
    (source / "checkpoints/000002").mkdir()
    (source / "checkpoints/000002/model.json").write_bytes(b"two")
    with monkeypatch.context() as patch:
        # As if it were removed between the look for files and their copy.
        gone = "checkpoints/000001/weights.safetensors"
        patch.setattr(storage, "store", lambda run, path: None if path == gone else Storage.store(storage, run, path))
        assert "checkpoints/000001/model.json" not in storage.push(source, "demo")
    storage.push(source, "demo")
    Storage(storage.uri).restore(tmp_path / "other")
    assert contents(tmp_path / "other") == FILES | {"checkpoints/000002/model.json": b"two"}


@pytest.mark.parametrize("kind", ["file", "s3"])
def test_what_is_damaged_is_not_believed(kind: str, tmp_path: Path, s3: S3) -> None:
    storage = Storage(address(kind, tmp_path, s3))
    source = run(tmp_path)
    storage.push(source, "demo")
    (source / "config.toml").write_bytes(b"name = 'newer'")
    storage.push(source, "demo")
    stored = objects(kind, tmp_path, s3)
    newest = max(name for name in stored if name.startswith("index/"))

    # A shard is left out, and said to be.
    shard = next(name for name in stored if name.startswith("files/workers/w0/games"))
    overwrite(stored[shard], b"gAmes", s3)
    _, complaints = Storage(storage.uri).restore(tmp_path / "one")
    assert complaints == [f"workers/w0/games/000001/a.parquet: damaged in {storage.uri}; left out"]
    assert (tmp_path / "one/config.toml").read_bytes() == b"name = 'newer'"

    # Of what a run needs, the copy before is taken.
    config = next(name for name in stored if name.startswith("files/config.toml") and name not in first_of(storage))
    overwrite(stored[config], b"name = 'nEwer'", s3)
    index, complaints = Storage(storage.uri).restore(tmp_path / "two")
    assert index.serial == 1
    assert complaints[0].startswith("config.toml: damaged in copy 2")
    assert (tmp_path / "two/config.toml").read_bytes() == FILES["config.toml"]

    # An index that is not what its name says does not count.
    overwrite(stored[newest], b"{}", s3)
    found = Storage(storage.uri).newest()
    assert found is not None
    assert found.serial == 1

    weights = next(name for name in stored if "weights" in name)
    overwrite(stored[weights], b"", s3)
    with pytest.raises(ClusterError, match=r"no sound copy of a run: checkpoints/000001/weights.* damaged"):
        Storage(storage.uri).restore(tmp_path / "three")
    assert not (tmp_path / "three").exists()

    # Who does not go on with the run gets what is sound; the damaged index is named.
    index, complaints = Storage(storage.uri).restore(tmp_path / "three", to_go_on=False)
    lost = "checkpoints/000001/weights.safetensors: damaged in"
    assert [text for text in complaints if text.startswith(lost)][-1].endswith("; checkpoint 1 is left out")
    assert complaints[0] == f"{newest}: damaged in {storage.uri}"
    assert set(contents(tmp_path / "three")) == {"config.toml", "manifest.json"}


def test_a_damaged_index_ends_no_copies(tmp_path: Path) -> None:
    storage = Storage(f"file://{tmp_path}/copy")
    source = run(tmp_path)
    for number in range(KEPT_INDEXES + 2):
        (source / "config.toml").write_text(str(number))
        storage.push(source, "demo")
        if number == 0:
            (tmp_path / "copy/index" / storage.names()[0]).write_bytes(b"{")
    index, _ = Storage(storage.uri).restore(tmp_path / "other")
    assert index.serial == KEPT_INDEXES + 2
    assert len(storage.names()) == KEPT_INDEXES
    assert len(list((tmp_path / "copy/files/config.toml").iterdir())) == KEPT_INDEXES


def test_of_a_damaged_checkpoint_nothing_stays(tmp_path: Path, s3: S3) -> None:
    storage = Storage(address("file", tmp_path, s3))
    source = run(tmp_path)
    storage.push(source, "demo")
    for name in ("model.json", "weights.safetensors"):
        path = source / f"checkpoints/000002/{name}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"two")
    storage.push(source, "demo")
    stored = objects("file", tmp_path, s3)

    def damage(part: str) -> None:
        place = next(name for name in stored if name.startswith(f"files/checkpoints/{part}"))
        overwrite(stored[place], b"", s3)

    # It is the newest: the copy before is taken, and has nothing of it.
    damage("000002/weights")
    index, _ = Storage(storage.uri).restore(tmp_path / "one")
    assert index.serial == 1
    assert contents(tmp_path / "one") == FILES

    # An older one is left out.
    overwrite(stored[next(name for name in stored if name.startswith("files/checkpoints/000002/weights"))], b"two", s3)
    damage("000001/weights")
    index, complaints = Storage(storage.uri).restore(tmp_path / "two")
    expected = f"checkpoints/000001/weights.safetensors: damaged in {storage.uri}; checkpoint 1 is left out"
    assert (index.serial, complaints) == (2, [expected])
    found = contents(tmp_path / "two")
    assert {name for name in found if name.startswith("checkpoints")} == {
        f"checkpoints/000002/{name}" for name in ("model.json", "weights.safetensors")
    }


def first_of(storage: Storage) -> set[str]:
    """Returns the files of the oldest copy."""
    oldest = list(storage.indexes())[-1]
    return {f"files/{path}/{entry.sha256}" for path, entry in oldest.files.items()}


def test_what_cannot_be_used_is_said_in_words(tmp_path: Path, s3: S3) -> None:
    with pytest.raises(ClusterError, match="there is no such bucket"):
        Storage(s3.uri("x").replace("runs/x", "none/x")).check()
    refused = OSError("When listing objects: AWS Error ACCESS_DENIED during ListObjectsV2 operation")
    assert explained("s3://x", refused).message == "--storage s3://x: no credentials, or they may not write there"
    gone = OSError("AWS Error NO_SUCH_BUCKET during ListObjectsV2 operation (Request ID: 7XQ403B2)")
    assert explained("s3://x", gone).message == "--storage s3://x: there is no such bucket"
    with pytest.raises(ClusterError, match="expected file://, s3://, gs://"):
        opened(str(tmp_path))
    storage = Storage(f"file://{tmp_path}/copy")
    with pytest.raises(ClusterError, match="no sound copy of a run"):
        storage.restore(tmp_path / "other")


def test_a_copy_is_a_state_that_the_run_was_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The trainer goes on meanwhile: it makes checkpoints, and removes what only the last two need."""
    source = run(tmp_path)
    read = Path.read_bytes

    def make(number: int) -> None:
        for name in ("model.json", "weights.safetensors", "optimizer.safetensors"):
            path = source / f"checkpoints/{number:06}/{name}"
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"{name} {number}")
        (source / f"checkpoints/{number - 2:06}/optimizer.safetensors").unlink(missing_ok=True)

    last = 2
    make(last)

    def later(path: Path) -> bytes:
        nonlocal last
        if path.is_relative_to(source) and last < 9:
            last += 1
            make(last)
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", later)
    storage = Storage(f"file://{tmp_path}/copy")
    storage.push(source, "demo")
    monkeypatch.undo()
    storage.restore(tmp_path / "other")
    numbers = sorted(path.name for path in (tmp_path / "other/checkpoints").iterdir())
    names = {path.name for path in (tmp_path / "other/checkpoints" / numbers[-1]).iterdir()}
    assert names == {"model.json", "weights.safetensors", "optimizer.safetensors"}
    for number in numbers:
        assert (tmp_path / "other/checkpoints" / number / "weights.safetensors").is_file()
