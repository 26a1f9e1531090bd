"""Games of texts are read as the program reads them."""

import tempfile
import unittest
from pathlib import Path

import taflforge as tf


class Texts(unittest.TestCase):
    def read(self, text, name="games.txt", **more):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, name)
            file.write_text(text)
            return list(tf.games(file, **more))

    def test_one_game_in_many_spellings_is_the_same(self):
        for text in (
            "d1-d3 f8-h8 d11-d9,0,0,White",
            "\ufeff1. D1d3 f8h8 2. d11\u2013d9 resigned",
            '[Variant "Copenhagen"]\n\n1. d1-d3 (d1-d2) f8-h8 {good} 2. d11-d9 *',
        ):
            (record,) = self.read(text, ruleset="copenhagen")
            self.assertEqual(record.moves, ["d1-d3", "f8-h8", "d11-d9"])
            self.assertEqual(record.kind, "people")
            positions = [game.board for game, _ in record.positions()]
            self.assertEqual(positions[0], tf.Game("copenhagen").board)
        self.assertEqual(record.rules.name, "copenhagen")

    def test_a_result_away_from_the_board_is_kept(self):
        (record,) = self.read("d1-d3 f8-h8 resigned,0,0,White", ruleset="copenhagen")
        self.assertEqual((record.winner, record.reason), ("defenders", "resigned"))
        for result, turns, winner in (
            ("Black", "1. d1d3 f8h8", "attackers"),
            ("1/2-1/2", "1. d1d3 f8h8 resigned", None),
            ("*", "1. d1d3 f8h8 resigned", "defenders"),
        ):
            (record,) = self.read(f'[Result "{result}"]\n\n{turns}\n', ruleset="copenhagen")
            self.assertEqual(record.winner, winner, result)
        for text in ('[Result "0-1"]\n\n1. d1d3 f8h8\n', "d1-d3 f8-h8 0-1"):
            with self.assertRaisesRegex(ValueError, "line 1: 0-1, and programs do not agree whose win that is"):
                self.read(text, ruleset="copenhagen")

    def test_the_text_may_say_its_rules(self):
        (record,) = self.read("ruleset: brandubh\nd6-f6 d5-f5\n")
        self.assertEqual((record.rules.name, record.id), ("brandubh", 2))
        own = 'ruleset: {"name": "mine", "base": "brandubh", "escape": "edges"}\n'
        (record,) = self.read(own + "d1-f1 d3-a3 d2-f2 d4-d1\n")
        self.assertEqual((record.rules.name, record.reason), ("mine", "king-escaped"))
        with self.assertRaisesRegex(ValueError, "line 1: `ruleset` must say"):
            self.read("d6-f6 d5-f5\n")

    def test_other_rules_than_the_text_names_and_texts_without_games_are_refused(self):
        with self.assertRaisesRegex(ValueError, "line 2: it was played under brandubh, not as `ruleset` says"):
            self.read("ruleset: brandubh\nd1-d3\n", ruleset="tablut")
        start = "/3ttttt3/5t5/11/t4T4t/t3TTT3t/tt1TTKTT1tt/t3TTT3t/t4T4t/11/5t5/3ttttt3/"
        text = f"[rules:dim:11 tfr:i sw:s efe:y atkf:y start:{start}]\n\n1. d1-d3\n"
        self.assertEqual(len(self.read(text, ruleset="copenhagen")), 1)
        with self.assertRaisesRegex(ValueError, "rules are not as `ruleset` says: edge_fort, shieldwall"):
            self.read(text, ruleset="fetlar")
        for text in ("", "# nothing\n"):
            with self.assertRaisesRegex(ValueError, "no games"):
                self.read(text)

    def test_what_cannot_be_replayed_is_named_and_passed_over(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "games.csv")
            file.write_text("d1-d3,0,0,White\nd1-e9,0,0,White\nf1-f2 a1-a2,0,0,Black\nd1-d2,0,0,Black\n")
            games, found = tf.games(file, ruleset="copenhagen"), []
            while True:
                try:
                    found.append(next(games).id)
                except ValueError as error:
                    found.append(str(error).split("games.csv: ")[1].split(":")[0])
                except StopIteration:
                    break
        self.assertEqual(found, [1, "line 2", "line 3", 4])

    def test_shipped_games_are_those_that_the_program_counts(self):
        games = Path(__file__).parents[3] / "data/games/copenhagen.csv"
        records = list(tf.games(games, ruleset="copenhagen"))
        self.assertEqual(len(records), 20)
        ended = [record for record in records if record.reason not in ("resigned", "timeout", "unknown")]
        for record in ended:
            *_, (game, ply) = record.positions()
            self.assertTrue(game.play(ply.action).ends)
            self.assertEqual(game.outcome, record.winner or "draw")


if __name__ == "__main__":
    unittest.main()
