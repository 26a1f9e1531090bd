"""The environments, by the tests of PettingZoo, Gymnasium and OpenSpiel."""

import copy
import pickle
import unittest
import warnings
from typing import Any

import gymnasium
import numpy as np
import pyspiel
import taflforge as tf
import taflforge.open_spiel
from gymnasium.utils.env_checker import check_env
from open_spiel.python.algorithms import mcts
from open_spiel.python.observation import make_observation
from pettingzoo.test import api_test, seed_test
from taflforge.gymnasium import IDS, TaflEnv
from taflforge.pettingzoo import hnefatafl_v0

# Plies after which a Berserk game is inside a chain that the same side goes on with.
CHAIN = "berserk-2017"


def to_a_chain(seed: int = 0) -> tf.Game:
    """Returns a Berserk game in which a side is to move again."""
    for attempt in range(seed, seed + 200):
        drawn = np.random.default_rng(attempt)
        game = tf.Game(CHAIN)
        while game.outcome is None and game.ply < 300:
            if game.chain is not None:
                return game
            game.play(int(drawn.choice(game.legal_actions())))
    raise AssertionError("no chain in 200 games")


class PettingZoo(unittest.TestCase):
    def test_it_passes_pettingzoos_own_test_under_all_rulesets(self) -> None:
        for ruleset in tf.RULESETS:
            with self.subTest(ruleset), warnings.catch_warnings():
                # It takes more than three dimensions for no picture, and the other agent's mask is empty.
                warnings.simplefilter("ignore")
                api_test(hnefatafl_v0.env(ruleset=ruleset, render_mode="ansi"), num_cycles=300)
        seed_test(lambda: hnefatafl_v0.env(ruleset="brandubh"), num_cycles=50)

    def test_a_side_moves_again_within_a_chain(self) -> None:
        game = to_a_chain()
        env = hnefatafl_v0.raw_env(CHAIN)
        env.reset()
        for move in game.history:
            env.step(tf.action(move))
        self.assertEqual(env.agent_selection, game.side)
        again = tf.Game(CHAIN)
        for move in game.history[:-1]:
            again.play(move)
        self.assertEqual(env.agent_selection, again.side, "the side did not change")
        mask = env.observe(env.agent_selection)["action_mask"]
        np.testing.assert_array_equal(np.flatnonzero(mask), game.legal_actions())

    def test_rewards_illegal_moves_and_cuts(self) -> None:
        env = hnefatafl_v0.env(ruleset="brandubh", max_plies=np.int64(3), render_mode="svg")
        env.reset(seed=1)
        self.assertTrue(env.render().startswith("<svg"))
        for agent in env.agent_iter():
            observation, _, terminated, truncated, info = env.last()
            env.step(None if terminated or truncated else env.action_space(agent).sample(observation["action_mask"]))
        self.assertEqual((env.unwrapped.game.ply, truncated, info), (3, True, {"reason": "capped"}))
        env.reset()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            env.step(0)
        self.assertEqual(env.unwrapped.rewards, {"attackers": -1.0, "defenders": 0})
        raw = hnefatafl_v0.raw_env("brandubh")
        raw.reset()
        with self.assertRaisesRegex(ValueError, "move: "):
            raw.step(0)
        total = dict.fromkeys(raw.agents, 0)
        drawn = np.random.default_rng(3)
        for agent in raw.agent_iter():
            observation, reward, terminated, truncated, _ = raw.last()
            total[agent] += reward
            legal = np.flatnonzero(observation["action_mask"])
            raw.step(None if terminated or truncated else int(drawn.choice(legal)))
        outcome = raw.game.outcome
        self.assertEqual(total, {side: 0 if outcome == "draw" else 1 if side == outcome else -1 for side in total})

    def test_copies_keep_the_game(self) -> None:
        env = hnefatafl_v0.env(ruleset="brandubh")
        env.reset()
        env.step(tf.action("d1-e1", size=7))
        for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
            self.assertEqual((twin.unwrapped.game, twin.agent_selection), (env.unwrapped.game, "defenders"))
            twin.step(int(np.flatnonzero(twin.last()[0]["action_mask"])[0]))
            self.assertEqual((twin.unwrapped.game.ply, env.unwrapped.game.ply), (2, 1))

    def test_wrong_arguments_are_named(self) -> None:
        for settings, kind in [
            ({"ruleset": "chess"}, ValueError),
            ({"render_mode": "human"}, ValueError),
            ({"max_plies": 0}, ValueError),
            ({"max_plies": "ten"}, TypeError),
        ]:
            with self.subTest(settings), self.assertRaisesRegex(kind, f"{next(iter(settings))}: "):
                hnefatafl_v0.env(**settings)


def rewards_of_random_play(env: gymnasium.Env[Any, Any], seed: int) -> list[float]:
    env.reset(seed=seed)
    env.action_space.seed(seed)
    rewards, over = [], False
    while not over:
        _, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        rewards.append(float(reward))
        over = terminated or truncated
    return rewards


class Gymnasium(unittest.TestCase):
    def test_every_ruleset_passes_gymnasiums_own_test(self) -> None:
        self.assertEqual(list(IDS), list(tf.RULESETS))
        for name in IDS.values():
            for side in ("attackers", "defenders", "random"):
                with self.subTest(name, side=side), warnings.catch_warnings():
                    warnings.simplefilter("error")
                    check_env(gymnasium.make(name, side=side).unwrapped)
        self.assertIsInstance(gymnasium.make("taflforge.gymnasium:taflforge/Copenhagen-v0").unwrapped, TaflEnv)
        gymnasium.make("taflforge/Brandubh-v0", ruleset="brandubh")
        with self.assertRaisesRegex(ValueError, "^ruleset: taflforge/Brandubh-v0 plays brandubh; "):
            gymnasium.make("taflforge/Brandubh-v0", ruleset="tablut")

    def test_opponents_are_names_networks_and_functions(self) -> None:
        def last(game: tf.Game) -> str:
            return game.legal_moves()[-1]

        net = tf.load_net("brandubh")
        for opponent in ("greedy", "alphabeta:1", "rollouts:4", "brandubh", net, tf.Search(net, 2), last, tf.bot(last)):
            with self.subTest(opponent):
                env = gymnasium.make("taflforge/Brandubh-v0", opponent=opponent, side="defenders", visits=2, max_episode_steps=12)
                self.assertEqual(rewards_of_random_play(env, 1), rewards_of_random_play(env, 1))

    def test_steps_are_those_of_the_game(self) -> None:
        env = TaflEnv("brandubh", lambda game: game.legal_moves()[0], side="defenders")
        observation, info = env.reset(seed=1)
        self.assertEqual((env.game.ply, env.game.side), (1, "defenders"))
        np.testing.assert_array_equal(observation, env.game.observation())
        np.testing.assert_array_equal(info["action_mask"], env.action_masks())
        while env.game.outcome is None:
            before = env.game.copy()
            action = int(env.action_space.sample())
            observation, reward, terminated, truncated, info = env.step(np.int64(action))
            before.play(action)
            self.assertEqual(before.history, env.game.history[: before.ply])
            self.assertEqual((terminated, truncated), (env.game.outcome is not None, False))
        self.assertEqual(reward, {"attackers": -1.0, "defenders": 1.0, "draw": 0.0}[env.game.outcome])
        self.assertEqual(info["reason"], env.game.reason)
        with self.assertRaisesRegex(ValueError, "action: the game is over"):
            env.step(0)
        env.reset(seed=2)
        with self.assertRaisesRegex(TypeError, "action: a whole number is wanted, not float"):
            env.step(3.7)  # type: ignore[arg-type]

    def test_boards_are_drawn_in_all_modes(self) -> None:
        drawn = {mode: TaflEnv("tablut", render_mode=mode) for mode in ("ansi", "svg", "rgb_array", None)}
        for env in drawn.values():
            env.reset(seed=1)
        self.assertIn("attackers to move", drawn["ansi"].render())
        self.assertTrue(drawn["svg"].render().startswith("<svg"))
        pixels = drawn["rgb_array"].render()
        self.assertEqual((pixels.shape, pixels.dtype), ((288, 288, 3), np.uint8))
        # The king stands in the middle, in gold, and nobody on a1.
        self.assertEqual(pixels[144, 144].tolist(), [240, 195, 40])
        self.assertEqual(pixels[272, 16].tolist(), [236, 220, 185])
        self.assertIsNone(drawn[None].render())

    def test_many_environments_step_together(self) -> None:
        envs = gymnasium.make_vec("taflforge/Tablut-v0", num_envs=2, vectorization_mode="sync", opponent="greedy")
        observations, infos = envs.reset(seed=1)
        self.assertEqual(observations.shape, (2, len(tf.PLANES), 9, 9))
        observations, *_ = envs.step(np.array([np.flatnonzero(mask)[0] for mask in infos["action_mask"]]))
        self.assertEqual(observations.dtype, np.uint8)

    def test_many_environments_draw_by_their_masks(self) -> None:
        envs = gymnasium.make_vec("taflforge/Brandubh-v0", num_envs=2, vectorization_mode="sync")
        _, info = envs.reset(seed=1)
        envs.action_space.seed(1)
        has_ended = np.zeros(2, bool)
        while not has_ended.all():
            mask = info["action_mask"]
            over = ~mask.any(axis=1)
            actions = envs.action_space.sample(mask=tuple(mask.astype("int8")))
            self.assertTrue((over | mask[[0, 1], actions]).all())
            _, _, terminated, _, info = envs.step(actions)
            np.testing.assert_array_equal(terminated, ~info["action_mask"].any(axis=1))
            self.assertFalse((over & terminated).any())
            has_ended |= terminated

    def test_wrong_arguments_are_named(self) -> None:
        for settings, kind in [
            ({"ruleset": "chess"}, ValueError),
            ({"opponent": "chess"}, ValueError),
            ({"opponent": 3}, TypeError),
            ({"opponent": "brandubh", "ruleset": "tablut"}, ValueError),
            ({"opponent": tf.Search(tf.load_net("brandubh")), "ruleset": "tablut"}, ValueError),
            ({"side": "white"}, ValueError),
            ({"opponent": "brandubh", "visits": 0}, ValueError),
            ({"render_mode": "human"}, ValueError),
        ]:
            name = "visits" if "visits" in settings else next(iter(settings))
            with self.subTest(settings), self.assertRaisesRegex(kind, f"{name}: "):
                TaflEnv(**({"ruleset": "brandubh"} | settings))  # type: ignore[arg-type]

    def test_an_illegal_action_loses(self) -> None:
        for action in (0, 701, 5000, -1):  # 701 leads off the board
            env = TaflEnv("brandubh")
            env.reset()
            _, reward, terminated, _, info = env.step(action)
            self.assertEqual((reward, terminated, info["reason"][:9]), (-1.0, True, "illegal: "))
            with self.assertRaisesRegex(ValueError, "action: the game is over"):
                env.step(int(env.action_space.sample()))

    def test_an_opponent_that_resigns_loses(self) -> None:
        for side in ("attackers", "defenders"):
            env = TaflEnv("brandubh", lambda _: "resign", side=side)
            env.reset()
            _, reward, terminated, _, info = env.step(int(env.action_space.sample()))
            self.assertEqual((reward, terminated, info["reason"]), (1.0, True, "resigned"))

    def test_an_opponent_may_end_the_game_before_the_first_step(self) -> None:
        env = TaflEnv(tf.Rules("brandubh", captureless_limit=1, name="short"), "random", "defenders")
        _, info = env.reset(seed=1)
        self.assertEqual((env.game.outcome, info["reason"]), ("draw", "unfinishable"))
        for action in (int(env.action_space.sample()), 0):
            env.reset(seed=1)
            _, reward, terminated, _, info = env.step(action)
            self.assertEqual((reward, terminated, info["reason"]), (0.0, True, "unfinishable"))

    def test_copies_go_on_by_themselves(self) -> None:
        net = tf.load_net("brandubh")
        for opponent in ("random", tf.Player("rollouts:4", 3), net, tf.Search(net, 2)):
            env = TaflEnv("brandubh", opponent, visits=2)
            env.reset(seed=1)
            env.step(int(env.action_space.sample()))
            # Not after the copies: their opponents must not share their random numbers.
            twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), env]
            for twin in twins:
                for _ in range(3):
                    twin.step(int(np.flatnonzero(twin.action_masks())[0]))
            self.assertEqual([it.game.history for it in twins], [env.game.history] * 3, opponent)

    def test_an_opponent_that_fails_leaves_the_game_as_it_was(self) -> None:
        def fails(game: tf.Game) -> str:
            if failures:
                raise failures.pop()
            return game.legal_moves()[0]

        for failure in (RuntimeError, KeyboardInterrupt):
            failures: list[type[BaseException]] = []
            env = TaflEnv("brandubh", fails)
            env.reset(seed=1)
            action = int(env.action_space.sample())
            failures.append(failure)
            with self.assertRaises(failure):
                env.step(action)
            self.assertEqual((env.game.ply, env.game.side), (0, "attackers"))
            _, _, _, _, info = env.step(action)
            self.assertEqual((env.game.ply, env.game.history[0]), (2, tf.move(action, 7)))
            np.testing.assert_array_equal(info["action_mask"], env.game.legal_mask())
            first = TaflEnv("brandubh", fails, side="defenders")
            failures.append(failure)
            with self.assertRaises(failure):
                first.reset(seed=1)
            with self.assertRaisesRegex(ValueError, "action: no game has begun; call reset"):
                first.step(action)
            first.reset(seed=1)
            self.assertEqual(first.game.side, "defenders")

    def test_opponents_without_a_seed_play_differently(self) -> None:
        def openings() -> list[str]:
            env = TaflEnv("brandubh", "random", side="defenders")
            firsts = []
            for _ in range(20):
                env.reset()
                firsts.append(env.game.history[0])
            return firsts

        self.assertNotEqual(openings(), openings())


class OpenSpiel(unittest.TestCase):
    def test_it_passes_openspiels_own_test_under_all_rulesets(self) -> None:
        for ruleset in tf.RULESETS:
            with self.subTest(ruleset):
                game = pyspiel.load_game(f"python_hnefatafl(ruleset={ruleset},max_plies=200)")
                pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)

    def test_states_are_copied_and_read_back(self) -> None:
        game = pyspiel.load_game(f"python_hnefatafl(ruleset={CHAIN})")
        state = game.new_initial_state()
        for move in to_a_chain().history:
            state.apply_action(state.string_to_action(move))
        self.assertEqual(state.current_player(), ("attackers", "defenders").index(state.game_so_far.side))
        clone = state.clone()
        clone.apply_action(clone.legal_actions()[0])
        self.assertNotEqual(str(clone), str(state))
        _, again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
        for other in (again, copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
            self.assertEqual((str(other), other.history()), (str(state), state.history()))

    def test_observations_are_the_trainers_planes(self) -> None:
        game = pyspiel.load_game("python_hnefatafl(ruleset=brandubh)")
        state = game.new_initial_state()
        state.apply_action(state.legal_actions()[0])
        observation = make_observation(game)
        observation.set_from(state, 0)
        np.testing.assert_array_equal(observation.dict["observation"], state.game_so_far.observation("f32"))
        np.testing.assert_array_equal(state.observation_tensor(1), state.game_so_far.observation("f32").ravel())
        self.assertEqual(game.observation_tensor_shape(), [len(tf.PLANES), 7, 7])

    def test_openspiels_search_wins_what_can_be_won_at_once(self) -> None:
        game = pyspiel.load_game("python_hnefatafl(ruleset=brandubh)")
        state = game.new_initial_state()
        state.game_so_far = tf.Game.from_text("7/7/7/7/7/K6/3t3", side="defenders", ruleset="brandubh")
        wins = [action for action in state.legal_actions() if state.child(action).is_terminal()]
        bot = mcts.MCTSBot(game, 2, 200, mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)), random_state=np.random.RandomState(1))
        self.assertIn(bot.step(state), wins)

    def test_wrong_parameters_are_named(self) -> None:
        with self.assertRaisesRegex(Exception, "ruleset: "):
            pyspiel.load_game("python_hnefatafl(ruleset=chess)")
        with self.assertRaisesRegex(ValueError, "max_plies: "):
            taflforge.open_spiel.HnefataflGame({"max_plies": 0})


if __name__ == "__main__":
    unittest.main()
