"""Matches in this process."""

import contextlib
import json
import random
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
import taflforge as tf
from program import TAFL
from taflforge.bots import Limits
from taflforge.matches import MatchGame, MatchResult, Tally


@tf.bot
def anyone(game: tf.Game) -> str:
    """Depends on the position alone, so that a match repeats."""
    return random.Random(game.key).choice(game.legal_moves())


class Matches(unittest.TestCase):
    def test_both_players_have_both_sides_of_each_opening(self) -> None:
        result = tf.match(anyone, "greedy", openings=3, ruleset="brandubh", seed=5)
        self.assertEqual(result.players, ("anyone", "greedy"))
        self.assertEqual([(it.opening, it.attackers) for it in result.games], [(i, j) for i in range(3) for j in (0, 1)])
        drawn = tf.openings("brandubh", 3, plies=4, seed=5)
        self.assertEqual([it.game.history[:4] for it in result.games[::2]], drawn)
        self.assertEqual([it.game.history[:4] for it in result.games[1::2]], drawn)
        for it in result.games:
            self.assertEqual(it.reason, it.game.reason)
            side = None if it.winner is None else "attackers" if it.winner == it.attackers else "defenders"
            self.assertEqual(side or "draw", it.game.outcome)
        both = [sum(counts) for counts in zip(result.tally(0, "attackers"), result.tally(0, "defenders"), strict=True)]
        self.assertEqual(tuple(both), result.tally())
        self.assertEqual(result.tally(1), tuple(reversed(result.tally(0))))

    def test_openings_and_elo_are_those_of_the_arena(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            arena = ["arena", "random", "greedy", "--ruleset", "brandubh", "--openings", "3", "--seed", "5", "--json"]
            command = [TAFL, *arena, "--data", folder, "--folder", f"{folder}/match"]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            played = [record.moves[:4] for record in tf.games(Path(folder, "match"))]
        [said] = json.loads(done.stdout)["matches"]
        self.assertEqual(played, [moves for moves in tf.openings("brandubh", 3, seed=5) for _ in (0, 1)])
        for ours, its in zip(tf.elo(said["pairs"]), said["elo"].values(), strict=True):
            self.assertAlmostEqual(ours, its, places=6)

    def test_games_apart_from_their_own_ruleset_are_given_it(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            own = Path(folder, "own.toml")
            own.write_text('base = "brandubh"\nking_armed = false\n')
            arena = ["arena", "random", "greedy", "--ruleset", str(own), "--openings", "1"]
            command = [TAFL, *arena, "--data", folder, "--folder", f"{folder}/match"]
            subprocess.run(command, capture_output=True, check=True)
            [games] = Path(folder, "match", "games").iterdir()
            apart = games.rename(Path(folder, "apart.parquet"))
            with self.assertRaisesRegex(ValueError, "ruleset own.*; `ruleset` takes"):
                list(tf.games(apart))
            with self.assertRaisesRegex(ValueError, 'the given "tablut".*; without `ruleset`'):
                list(tf.games(apart, ruleset="tablut"))
            same = own.rename(Path(folder, "same.toml"))
            self.assertEqual(len(list(tf.games(apart, ruleset=same))), 2)

    def test_a_match_repeats_from_its_seed(self) -> None:
        def moves(seed: int) -> list[list[str]]:
            return [it.game.history for it in tf.match("random", anyone, 2, "tablut", seed=seed).games]

        self.assertEqual(moves(1), moves(1))
        self.assertNotEqual(moves(1), moves(2))

    def test_two_players_of_one_name_are_not_the_same(self) -> None:
        games = [it.game.history for it in tf.match("random", "random", np.int64(4), "brandubh").games]
        self.assertNotEqual(games[::2], games[1::2])

    def test_networks_and_searches_play_as_they_search(self) -> None:
        search = tf.Search(tf.load_net("brandubh"), visits=8)
        result = tf.match("brandubh", search, openings=2, ruleset="brandubh", visits=8, seed=3, max_plies=20)
        for one, other in zip(result.games[::2], result.games[1::2], strict=True):
            # The same search under two names: both games of an opening are the same.
            self.assertEqual(one.game.history, other.game.history)
        before = tf.Game("brandubh")
        for move in result.games[0].game.history[:5]:
            before.play(move)
        self.assertEqual(result.games[0].game.history[5], search.run(before).best)

    def test_names_tell_networks_apart_and_no_folder_hides_a_player(self) -> None:
        net, search = tf.load_net("brandubh"), tf.Search(tf.load_net("brandubh"), 2)
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            shutil.copytree(net.folder, "greedy")
            result = tf.match("greedy", search, openings=1, ruleset="brandubh", max_plies=6)
        self.assertEqual(result.players, ("greedy", f"{net.name}, 2 visits"))

    def test_what_was_played_before_an_exception_is_kept(self) -> None:
        def fails(game: tf.Game, _limits: Limits) -> str:
            if game.ply > 8:
                raise RuntimeError("lost")
            return "resign" if game.history[:4] == first else game.legal_moves()[0]

        first = tf.openings("tablut", 3, 4, 1)[0]
        with self.assertRaisesRegex(RuntimeError, "lost") as raised:
            tf.match(fails, anyone, openings=3, ruleset="tablut")
        played = raised.exception.match  # type: ignore[attr-defined]
        self.assertEqual([it.reason for it in played.games], ["resigned"] * 2)
        self.assertIn("2 of 6 games", raised.exception.__notes__[0])
        self.assertTrue({"match", "bot", "load_net"} <= set(dir(tf)))

    def test_ctrl_c_keeps_what_was_played(self) -> None:
        def interrupted(game: tf.Game) -> str:
            if game.history[:4] != first:
                raise KeyboardInterrupt
            return "resign"

        first = tf.openings("tablut", 3, 4, 1)[0]
        with self.assertRaises(KeyboardInterrupt) as raised:
            tf.match(interrupted, anyone, openings=3, ruleset="tablut")
        played = raised.exception.match  # type: ignore[attr-defined]
        self.assertLessEqual(len(played.games), 2)
        self.assertIn("of 6 games were over in pairs", raised.exception.__notes__[0])
        # Nothing was over in pairs, and it can be looked at.
        none = MatchResult(("a", "b"), "tablut", [])
        self.assertEqual((none.tally(), str(none.score)), ((0, 0, 0), "nan"))
        self.assertLess(none.elo.low, none.elo.high)
        self.assertIn("0 games", str(none))

    def test_there_may_be_fewer_openings_than_asked_for(self) -> None:
        result = tf.match(anyone, anyone, openings=3, ruleset="brandubh", opening_plies=0)
        self.assertEqual([it.opening for it in result.games], [0, 0])

    def test_games_are_cut_and_resigned(self) -> None:
        def resigns(game: tf.Game, limits: Limits) -> str:
            asked.append(limits.nodes)
            return "resign" if game.ply >= 6 else game.legal_moves()[0]

        asked: list[int | None] = []
        result = tf.match(resigns, anyone, openings=2, ruleset="copenhagen", visits=9)
        self.assertEqual({it.reason for it in result.games}, {"resigned"})
        self.assertEqual((result.tally(), set(asked)), ((0, 0, 4), {9}))
        cut = tf.match(anyone, anyone, openings=2, ruleset="copenhagen", max_plies=5)
        self.assertEqual([(it.reason, it.game.ply, it.winner) for it in cut.games], [("capped", 5, None)] * 4)
        self.assertEqual((cut.score, cut.tally()), (0.5, Tally(0, 4, 0)))

    def test_elo_counts_pairs(self) -> None:
        def result(points: list[int | None]) -> MatchResult:
            games = [MatchGame(i // 2, i % 2, tf.Game(), winner, "king-captured") for i, winner in enumerate(points)]
            return MatchResult(("a", "b"), "copenhagen", games)

        # Each side won each game of its own: nobody is stronger, and sure of it.
        even, all_won = result([0, 1] * 20), result([0, 0] * 20)
        self.assertAlmostEqual(even.elo.value, 0)
        self.assertLess(even.elo.high, 60)
        self.assertGreater(all_won.elo.low, 300)
        self.assertEqual(all_won.elo, tf.elo([0, 0, 0, 0, 20]))
        self.assertIn("Elo +0 (", str(even))
        # As crates/tafl-arena has it: about 70 for a score of 0.6.
        self.assertAlmostEqual(tf.elo([50, 100, 400, 300, 150])[0], 70.4, delta=0.5)

    def test_wrong_arguments_are_named(self) -> None:
        for arguments, kind, name in [
            ({"a": "chess"}, ValueError, "a: "),
            ({"b": 3}, TypeError, "b: "),
            ({"b": lambda: 1}, TypeError, "b: "),
            ({"a": tf.load_net("brandubh", backend="onnx")}, TypeError, 'a: a Net with backend="rust" is wanted, not OnnxNet'),
            ({"openings": 0}, ValueError, "openings: "),
            ({"openings": 1.0}, TypeError, "openings: "),
            ({"a": "brandubh", "ruleset": "copenhagen"}, ValueError, "a: the network brandubh.* plays on a board of 7x7"),
            ({"openings": "many"}, TypeError, "openings: "),
            ({"ruleset": "chess"}, ValueError, "ruleset: "),
            ({"a": "brandubh", "visits": 0}, ValueError, "visits: "),
            ({"seed": -1}, ValueError, "seed: "),
            ({"opening_plies": -1}, ValueError, "opening_plies: "),
            ({"opening_plies": 9, "max_plies": 9}, ValueError, "max_plies: "),
            ({"a": lambda _: "a1-a1"}, ValueError, "<lambda> returned 'a1-a1'"),
        ]:
            with self.subTest(arguments), self.assertRaisesRegex(kind, name):
                tf.match(**({"a": "greedy", "b": "random", "ruleset": "brandubh", "openings": 1} | arguments))  # type: ignore[arg-type]
        self.assertEqual(tf.elo(np.arange(5)), tf.elo([0, 1, 2, 3, 4]))
        for pairs, kind, reason in [([1, 2], ValueError, "2 counts"), ([0, 0, -1, 0, 0], ValueError, "-1 is not"), (3, TypeError, "int")]:
            with self.assertRaisesRegex(kind, f"pairs: .*{reason}"):
                tf.elo(pairs)  # type: ignore[arg-type]
        with self.assertRaisesRegex(ValueError, "count: "):
            tf.openings("brandubh", 0)


if __name__ == "__main__":
    unittest.main()
