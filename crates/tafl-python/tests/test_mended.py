"""What researchers stumbled over."""

import unittest
import warnings

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
        self.assertEqual([str(it.message) for it in told], [f"{net.name} has not learned brandubh_changed; its values mean little there"])

    def test_very_many_pairs_have_an_interval_around_the_value(self) -> None:
        value, low, high = tf.elo([0, 0, 10_000, 0, 0])
        self.assertAlmostEqual(value, 0.0)
        self.assertAlmostEqual(low, -0.068, delta=0.002)
        self.assertAlmostEqual(high, 0.068, delta=0.002)


if __name__ == "__main__":
    unittest.main()
