"""What researchers stumbled over."""

import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np
import taflforge as tf


class Mended(unittest.TestCase):
    def test_what_is_played_is_what_is_called_legal(self) -> None:
        game = tf.Game("brandubh")
        for text in ("d1e1", "D1-E1", "d1 - e1", "d1-e1"):
            self.assertTrue(game.is_legal(text), text)
            self.assertIsNone(game.why_illegal(text))
            self.assertEqual(game.copy().play(text).move, "d1-e1")
        self.assertFalse(game.is_legal("d1-a1"))
        typed = tf.bot(lambda _: "D1E1")
        self.assertEqual(typed(game), "d1-e1")

    def test_policies_can_be_drawn_from(self) -> None:
        net, game, random = tf.load_net("brandubh"), tf.Game("brandubh"), np.random.default_rng(1)
        search = tf.Search(net, visits=8)
        for _ in range(12):
            for policy in (net.policy(game), search.run(game).policy):
                self.assertAlmostEqual(sum(policy.values()), 1.0, delta=1e-9)
                random.choice(list(policy), p=list(policy.values()))
            game.play(search.run(game).best)

    def test_arrays_of_an_environment_keep_their_memory(self) -> None:
        env = tf.VecEnv("brandubh", 4)
        reward, done = env.step(env.sample())[1:3]
        for array in (env.obs, env.side, reward, done, env.sample()):
            with self.assertRaises(ValueError):
                array.resize((1,), refcheck=False)
        env.step(env.sample())

    def test_rules_that_a_network_has_not_learned_are_told_once(self) -> None:
        net = tf.load_net("brandubh")
        foreign = tf.Game(tf.Rules("brandubh", king_armed=False))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            net.value(tf.Game("brandubh"))
            net.value(foreign)
            net.policy(foreign)
        doubt = "its values mean little there, and int8 may be far from f32"
        self.assertEqual([str(it.message) for it in told], [f"{net.name} has not learned brandubh_changed; {doubt}"])

    def test_the_side_after_the_end_is_who_won_on_the_board_or_would_be_to_move(self) -> None:
        rules = tf.Rules("brandubh", encirclement=True, edge_fort=True, captureless_limit=9)
        limited = tf.Rules(rules, captureless_limit=4)
        by_limit = tf.Rules(limited, captureless_reason="captureless")
        to_and_fro = "b2-b3 e4-e3 b3-b2 e3-e4 " * 2
        for played_by, board, plies, reason, side, winner in [
            (rules, "7/7/7/1t2K2/7/1t2t2/7", "e2-e3 e4-g4 b4-b5 g4-g7", "king-escaped", "defenders", "defenders"),
            (rules, "7/7/3t3/2tKt2/7/3t3/7", "d2-d3", "king-captured", "attackers", "attackers"),
            (rules, "7/3t3/2t1t2/1t1K1t1/2t1t2/7/3t3", "d1-d2", "encirclement", "attackers", "attackers"),
            (rules, "7/7/1t3t1/7/7/2T3T/1TK1T2", "b5-b6 g2-d2", "fort", "defenders", "defenders"),
            (rules, "7/4K2/7/T6/t3T2/T6/7", "e3-b3", "no-move", "attackers", "defenders"),
            (rules, "7/7/7/4K2/7/1t5/7", to_and_fro, "repetition", "attackers", "draw"),
            (limited, "7/7/7/4K2/7/1t5/7", to_and_fro[:24], "unfinishable", "attackers", "draw"),
            (by_limit, "7/7/7/4K2/7/1t5/7", to_and_fro[:24], "captureless", "attackers", "draw"),
        ]:
            mover = "defenders" if reason == "no-move" else "attackers"
            game = tf.Game.from_text(board, side=mover, ruleset=played_by)
            for ply in plies.split():
                game.play(ply)
            self.assertEqual((game.reason, game.side, game.outcome), (reason, side, winner))

    def test_a_game_that_nobody_won_says_so(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "games.txt")
            file.write_text("ruleset: brandubh\nd1-e1 c4-c5\n")
            [record] = tf.games(file)
        self.assertEqual(repr(record), "<Record 2 brandubh, 2 plies, nobody wins (unknown)>")

    def test_a_search_result_with_another_part_keeps_its_policy(self) -> None:
        result = tf.Search(tf.load_net("brandubh"), visits=8).run(tf.Game("brandubh"))
        other = result._replace(value=0.5)
        self.assertEqual((other.value, other.best, other.policy), (0.5, result.best, result.policy))
        self.assertEqual(result._replace(policy={}).policy, {})

    def test_very_many_pairs_have_an_interval_around_the_value(self) -> None:
        value, low, high = tf.elo([0, 0, 10_000, 0, 0])
        self.assertAlmostEqual(value, 0.0)
        self.assertAlmostEqual(low, -0.068, delta=0.002)
        self.assertAlmostEqual(high, 0.068, delta=0.002)


if __name__ == "__main__":
    unittest.main()
