"""Studies and tournaments on three nodes: the same games as on one machine."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest
from ray.cluster_utils import Cluster

from tafl_cluster.cli import program
from tafl_cluster.engine import Place
from tafl_cluster.errors import ClusterError
from tafl_cluster.studies import Cell, Done, Matches, Study, apply, arena, balance, play, ranges, united

from .support import ROOT, of_a_user

BALANCE = ROOT / "configs/balance/smoke.toml"
PLACE = Place(program(), True, "the tests' cluster")


def games(folder: Path, pattern: str) -> dict[str, list[dict[str, Any]]]:
    """Returns all rows of files by cell, however many files a cell has."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(folder.glob(pattern)):
        cell = re.sub(r"[-_][0-9]{6}$", "", path.stem)
        found.setdefault(cell, []).extend(parquet.read_table(path).to_pylist())
    return {cell: sorted(rows, key=lambda row: (row["game_id"], row["ply"])) for cell, rows in found.items()}


def alone(study: Study, folder: Path) -> None:
    program().run([*study.together, "--folder", str(folder)])


def test_a_balance_study_has_the_same_games_as_on_one_machine(cluster: Cluster, tmp_path: Path) -> None:
    # With fewer openings first: what is there is not played again.
    fewer = balance(BALANCE, ("openings.count=7",), tmp_path / "many", 5)
    assert play(fewer, PLACE, 1, program()) == 0
    study = balance(BALANCE, (), tmp_path / "many", 5)
    # Two rulesets, three players, two ranges of openings.
    assert len(study.cells) == 12
    missing = [part for cell in study.cells for part in Done.of(study.folder).missing(cell)]
    assert [(part.first, part.end) for part in missing] == 6 * [(7, 8)]
    assert play(study, PLACE, 1, program()) == 0
    alone(study, tmp_path / "one")
    one, many = (games(tmp_path / name, "games/000000/*.parquet") for name in ("one", "many"))
    assert len(one) == 6
    assert sum(len(rows) for rows in one.values()) >= 400
    assert one == many
    strengths = [games(tmp_path / name / "strength", "games/*.parquet") for name in ("one", "many")]
    assert strengths[0] == strengths[1]
    summaries = [json.loads((tmp_path / name / "summary.json").read_bytes()) for name in ("one", "many")]
    for summary in summaries:
        for cell in summary["cells"]:
            cell.pop("games_files", None)
    assert summaries[0] == summaries[1]
    program().run(["run", "verify", str(tmp_path / "many")])


def test_a_tournament_has_the_same_games_as_on_one_machine(cluster: Cluster, tmp_path: Path) -> None:
    network = str(ROOT / "data/nets/brandubh") + "@visits=4"
    players = (network, "greedy", "random")
    others = ("--seed", "3", "--opening-plies", "4")
    # Without --ruleset it is the one that the network learned.
    matches = Matches(players, (), 6, False, others, tmp_path / "many", 4)
    study = arena(matches)
    assert all("under brandubh" in cell.name for cell in study.cells)
    assert len(study.cells) == 6
    assert play(study, PLACE, 1, program()) == 0
    alone(study, tmp_path / "one")
    one, many = (games(tmp_path / name, "games/*.parquet") for name in ("one", "many"))
    assert [len({row["game_id"] for row in rows}) for rows in one.values()] == [12, 12, 12]
    assert one == many
    # Once more: nothing is left to play.
    files = sorted((tmp_path / "many/games").iterdir())
    assert play(study, PLACE, 1, program()) == 0
    assert sorted((tmp_path / "many/games").iterdir()) == files


def test_a_cell_that_fails_is_named(cluster: Cluster, tmp_path: Path) -> None:
    study = arena(Matches(("greedy", "wizard"), ("brandubh",), 2, False, (), tmp_path / "many", 4))
    with pytest.raises(ClusterError, match="wizard"):
        play(study, PLACE, 1, program())


def test_games_with_other_settings_are_not_mixed(tmp_path: Path) -> None:
    manifest = {"format": 3, "kind": "study", "program": "1", "settings": {"seed": 1}}
    empty: dict[str, Any] = {"rulesets": {}, "players": {}, "files": {}}
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(manifest | empty | {"files": {"b": 1}}))
    merged = united(path, manifest | empty | {"files": {"a": 2}})
    assert merged["files"] == {"a": 2, "b": 1}
    with pytest.raises(ClusterError, match="settings differs"):
        united(path, manifest | empty | {"settings": {"seed": 2}})
    with pytest.raises(ClusterError, match=r"files\.b differs"):
        united(path, manifest | empty | {"files": {"b": 2}})
    # What an older card does not tell is not known.
    path.write_text(json.dumps(manifest | empty | {"players": {"a": {"kind": "x"}}}))
    merged = united(path, manifest | empty | {"players": {"a": {"kind": "x", "precision": "int8"}}})
    assert merged["players"] == {"a": {"kind": "x"}}
    with pytest.raises(ClusterError, match=r"players\.a differs"):
        united(path, manifest | empty | {"players": {"a": {"kind": "y", "precision": "int8"}}})


def test_ranges_and_changes() -> None:
    assert ranges(10, 4) == [(0, 4), (4, 8), (8, 10)]
    document: dict[str, Any] = {"openings": {"count": 3}}
    apply(document, "openings.count=50")
    apply(document, "name=x")
    assert document == {"openings": {"count": 50}, "name": "x"}


def test_each_player_plays_its_share_of_the_openings_that_it_can_draw(tmp_path: Path) -> None:
    config = tmp_path / "study.toml"
    first = '[[players]]\nplayer = "rollouts"\nstrengths = [2]\nshare = 0.25\n'
    config.write_text(f'rulesets = ["brandubh"]\n[openings]\ncount = 10\n{first}[[players]]\nplayer = "greedy"\n')
    study = balance(config, (), tmp_path, 5)
    assert [(cell.first, cell.end) for cell in study.cells] == [(0, 3), (0, 5), (5, 10)]
    with pytest.raises(ClusterError, match="openings from the policy of one player cannot be drawn for others"):
        balance(config, ('openings.source="policy"',), tmp_path, 5)
    players = '[{player="a", strengths=[2, 8]}]'
    policy = (f"players={players}", 'openings.source="policy"')
    assert len(balance(config, policy, tmp_path, 5).cells) == 4
    with pytest.raises(ClusterError, match="the search of one player"):
        balance(config, (policy[0], "openings.source=search"), tmp_path, 5)


def test_only_openings_that_are_missing_are_played(tmp_path: Path) -> None:
    cell = Cell("a", 0, 20, ("arena", "{first}", "{end}"))
    done = Done(tmp_path, {cell.key: [[10, 15], [0, 5], [30, 40]]}, set())
    assert [(part.first, part.end) for part in done.missing(cell)] == [(5, 10), (15, 20)]
    assert done.missing(cell)[0].arguments(tmp_path) == ["arena", "5", "10"]
    assert done.missing(Cell("a", 11, 14, cell.words)) == []
    (tmp_path / "manifest.json").write_text('{"files": {"games/x.parquet": {}}}')
    with pytest.raises(ClusterError, match=r"games/x.parquet was not played by this command"):
        Done.of(tmp_path)


BRANDUBH = ("--set", "rulesets=['brandubh']", "--set", "players=[{ player = 'greedy' }]", "--set", "openings.count=2")


@pytest.mark.parametrize(
    "words",
    [
        ("balance", str(BALANCE), *BRANDUBH),
        ("arena", "greedy", "random", "--ruleset", "brandubh", "--openings", "2"),
    ],
)
def test_the_commands_start_ray_in_the_environment_of_a_user(words: tuple[str, ...], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tafl_cluster", *words, "--folder", str(tmp_path / "played")]
    done = subprocess.run(command, env=of_a_user(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    program().run(["run", "verify", str(tmp_path / "played")])
