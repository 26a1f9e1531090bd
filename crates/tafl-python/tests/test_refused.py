"""Whatever is wrong with an argument is said with its name."""

import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np
import taflforge as tf

# Each call would take minutes or hours.
INTERRUPTED = """
import os, signal, threading, taflforge as tf
# A shell's background jobs begin with it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
game = tf.Game()
search = tf.Search(tf.load_net("five-rulesets"), visits=1_000_000)
for call in (
    lambda: game.perft(8),
    lambda: search.run(game),
    lambda: search.run_many([game] * 3),
    lambda: tf.Player("alphabeta:12").choose(game),
    lambda: tf.openings(count=100_000, plies=1000),
):
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        call()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


LOAD_NET = "import taflforge as tf; tf.load_net('brandubh', {!r})"


class Refused(unittest.TestCase):
    def test_what_is_wrong_with_an_argument_is_said_with_its_name(self):
        game, env, net = tf.Game(), tf.VecEnv("brandubh", 3), tf.load_net("brandubh")
        over = tf.Game.from_text("4K2/7/7/2t4/7/7/7", side="defenders", ruleset="brandubh")
        over.play("e7-g7")
        search = tf.Search(net)
        none = np.zeros(3, np.uint16)
        for call, argument, kind in [
            (lambda: tf.Game("chess"), "ruleset", ValueError),
            (lambda: tf.Game(3), "ruleset", TypeError),
            (lambda: tf.Game("no/such.toml"), "ruleset", FileNotFoundError),
            (lambda: tf.Rules("tablut", no_such=True), "no_such", ValueError),
            (lambda: tf.Rules("tablut", throne_hostile="x"), "throne_hostile", ValueError),
            (lambda: tf.Rules("tablut", throne_hostile=[]), "throne_hostile", TypeError),
            (lambda: tf.Rules("tablut", captureless_limit=-1), "captureless_limit", ValueError),
            (lambda: tf.Rules("tablut", start="7"), "start", ValueError),
            (lambda: tf.Rules("tablut", name="a b"), "name", ValueError),
            (lambda: tf.Rules.from_toml("x ="), "toml", ValueError),
            (lambda: tf.Rules().perft(100), "depth", ValueError),
            (lambda: game.play("a1"), "move", ValueError),
            (lambda: game.play("a1-a2"), "move", ValueError),
            (lambda: game.play(5000), "move", ValueError),
            (lambda: game.play(-1), "move", ValueError),
            (lambda: game.play(9), "move", ValueError),
            (lambda: game.play(2**80), "move", ValueError),
            (lambda: game.play(1.5), "move", TypeError),
            (lambda: game.play(True), "move", TypeError),
            (lambda: game.play(None), "move", TypeError),
            (lambda: game.play("\ud800"), "move", ValueError),
            (lambda: game.play("d1-d3xd4"), "move", ValueError),
            (lambda: tf.Game("brandubh").play("k1-k2"), "move", ValueError),
            (lambda: over.play("c4-c5"), "move", ValueError),
            (lambda: game.undo(1), "plies", ValueError),
            (lambda: game.observation("f64"), "dtype", ValueError),
            (lambda: game.svg(arrows=3), "arrows", TypeError),
            (lambda: game.svg({"d1-d3": 2}), "arrows", ValueError),
            (lambda: game.svg({"d1-d3": float("nan")}), "arrows", ValueError),
            (lambda: tf.Game.from_text("3t3", ruleset="brandubh"), "board", ValueError),
            (lambda: tf.Game.from_text("7/7/7/3K3/7/7/t6", ruleset="brandubh"), "board", ValueError),
            (lambda: tf.Game.from_text("7/7/7/3K3/7/7/1t5", side="white", ruleset="brandubh"), "side", ValueError),
            (lambda: tf.Game.from_text("7/7/7/3K3/7/7/1t5", chain="b1", ruleset="brandubh"), "chain", ValueError),
            (lambda: tf.Game.from_text("7/7/7/3K3/7/7/1t5", chain="k9", ruleset="brandubh"), "chain", ValueError),
            (lambda: tf.Game.from_text("7/7/7/3k3/7/7/1a5 - a 9 12", "defenders", "brandubh"), "side", ValueError),
            (lambda: tf.Game.from_text("atkf:y start:/7/7/7/3K3/7/7/1t5/", "defenders", "brandubh"), "side", ValueError),
            (lambda: tf.Game.from_text("7/7/7/3k3/7/7/1a5 - a 9 12", "attackers", "brandubh", captureless=3), "captureless", ValueError),
            (lambda: tf.Game.from_text(3), "board", TypeError),
            (lambda: tf.action("d1-e3"), "move", ValueError),
            (lambda: tf.action("k1-k2", 7), "move", ValueError),
            (lambda: tf.action("d1-d2", 8), "size", ValueError),
            (lambda: tf.move(4841), "action", ValueError),
            (lambda: tf.move(30), "action", ValueError),
            (lambda: tf.plane_meaning("x"), "plane", ValueError),
            (lambda: tf.VecEnv("brandubh", 0), "num_envs", ValueError),
            (lambda: tf.VecEnv("brandubh", 1.0), "num_envs", TypeError),
            (lambda: tf.VecEnv("brandubh", seed=-1), "seed", ValueError),
            (lambda: tf.VecEnv("brandubh", mask="dense"), "mask", ValueError),
            (lambda: tf.VecEnv("brandubh", observation=8), "observation", TypeError),
            (lambda: tf.VecEnv("brandubh", max_plies=0), "max_plies", ValueError),
            (lambda: env.step(none), "actions", ValueError),
            (lambda: env.step(none[:2]), "actions", ValueError),
            (lambda: env.step([[1], [2], [3]]), "actions", ValueError),
            (lambda: env.step([1, 2, 99999]), "actions", ValueError),
            (lambda: env.step([-1, 2, 3]), "actions", ValueError),
            (lambda: env.step([0.5, 1, 2]), "actions", TypeError),
            (lambda: env.step("abc"), "actions", TypeError),
            (lambda: env.step(None), "actions", TypeError),
            (lambda: env.reset(seed="x"), "seed", TypeError),
            (lambda: tf.load_net("no-such-net"), "net", FileNotFoundError),
            (lambda: tf.load_net(tempfile.gettempdir()), "net", ValueError),
            (lambda: tf.load_net(5), "net", TypeError),
            (lambda: net(np.zeros((1, len(tf.PLANES), 11, 11), np.uint8)), "obs", ValueError),
            (lambda: net(np.zeros((len(tf.PLANES), 7, 7), np.uint8)), "obs", TypeError),
            (lambda: net(np.zeros((1, len(tf.PLANES), 7, 7))), "obs", TypeError),
            (lambda: net([1]), "obs", TypeError),
            (lambda: net(np.full((1, len(tf.PLANES), 7, 7), np.nan, np.float32)), "obs", ValueError),
            (lambda: tf.Rules("tablut", name="copenhagen"), "name", ValueError),
            (lambda: net.policy(game), "game", ValueError),
            (lambda: net.value(over), "game", ValueError),
            (lambda: net.value("x"), "game", TypeError),
            (lambda: net.export("/dev/null/x", "onnx"), "folder", ValueError),
            (lambda: net.export("x", "pickle"), "format", ValueError),
            (lambda: tf.Search("x"), "net", TypeError),
            (lambda: tf.Search(net, visits=0), "visits", ValueError),
            (lambda: search.run(over), "game", ValueError),
            (lambda: search.run_many([game]), "games", ValueError),
            (lambda: search.run_many(3), "games", TypeError),
            (lambda: tf.Player("stockfish"), "name", ValueError),
            (lambda: tf.Player("greedy").choose(over), "game", ValueError),
            (lambda: tf.games("no-such-folder"), "path", FileNotFoundError),
            (lambda: tf.games(tempfile.gettempdir()), "path", ValueError),
            (lambda: list(tf.games(__file__)), "path", ValueError),
            (lambda: tf.games(__file__, ruleset="chess"), "ruleset", ValueError),
            (lambda: tf.samples("no-such-run"), "run", FileNotFoundError),
            (lambda: tf.samples(Path(__file__).parent), "run", ValueError),
            (lambda: tf.samples(".", batch=0), "batch", ValueError),
            (lambda: tf.samples(".", symmetries=3), "symmetries", TypeError),
            (lambda: tf.samples(3), "run", TypeError),
        ]:
            with self.subTest(argument=argument), self.assertRaises(kind) as refused:
                call()
            self.assertTrue(str(refused.exception).startswith(f"{argument}: "), refused.exception)

    def test_numbers_that_lead_off_the_board_are_illegal_moves(self):
        for ruleset in ("brandubh", "copenhagen"):
            game = tf.Game(ruleset)
            legal = [action for action in range(game.rules.actions) if game.is_legal(action)]
            self.assertEqual(legal, game.legal_actions().tolist())
        game = tf.Game("brandubh")
        self.assertEqual(game.why_illegal(701), "701 leads off the board")
        self.assertFalse(game.is_legal("k1-k2"))

    def test_what_is_given_is_told_in_its_own_words(self):
        with self.assertRaisesRegex(ValueError, "^board: 1 rank; a board has"):
            tf.Game.from_text("start")
        with self.assertRaisesRegex(ValueError, f"^actions: game 1: {2**63} is not"):
            tf.VecEnv("brandubh", 2).step(np.array([0, 2**63], np.uint64))
        with self.assertRaisesRegex(ValueError, "^folder: .*test_refused.py: it is a file, not a folder$"):
            tf.load_net("brandubh").export(__file__, "onnx")

    def test_of_a_long_word_the_beginning_is_told(self):
        word, told = "x" * 5000, '"' + "x" * 40 + '"'
        for call in (tf.Rules, tf.plane_meaning, lambda word: tf.load_net("brandubh", precision=word)):
            with self.assertRaises(ValueError) as refused:
                call(word)
            said = str(refused.exception)
            self.assertIn(told, said)
            self.assertLess(len(said), 1000)

    def test_an_array_is_refused_with_what_it_holds(self):
        for call in (tf.VecEnv("brandubh", 3).step, tf.load_net("brandubh")):
            with self.assertRaisesRegex(TypeError, r"not ndarray of float64 of shape \(2, 3\)"):
                call(np.zeros((2, 3)))

    def test_what_to_install_is_said_where_a_package_is_missing(self):
        for missing, needs, does in [
            ("gymnasium", "taflforge.gymnasium needs gymnasium: pip install gymnasium", "import taflforge.gymnasium"),
            ("pettingzoo", "taflforge.pettingzoo needs pettingzoo: pip install pettingzoo", "import taflforge.pettingzoo"),
            ("pyspiel", "taflforge.open_spiel needs open_spiel: pip install open_spiel", "import taflforge.open_spiel"),
            ("onnxruntime", 'backend="onnx" needs onnxruntime: pip install onnxruntime', LOAD_NET.format("onnx")),
            ("torch", 'backend="torch" needs torch and safetensors: pip install torch safetensors', LOAD_NET.format("torch")),
        ]:
            hidden = f"import sys; sys.modules[{missing!r}] = None; {does}"
            done = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, check=False)
            self.assertEqual(done.stderr.splitlines()[-1], f"ModuleNotFoundError: {needs}")

    def test_a_torch_that_cannot_be_loaded_is_said_with_the_argument(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "torch.py").write_text("raise OSError('libtorch.so: undefined symbol')")
            does = f"import sys; sys.path.insert(0, {folder!r}); {LOAD_NET.format('torch')}"
            done = subprocess.run([sys.executable, "-c", does], capture_output=True, text=True, check=False)
        said = "ValueError: backend: torch cannot be loaded: libtorch.so: undefined symbol"
        self.assertEqual(done.stderr.splitlines()[-1], said)

    def test_ctrl_c_ends_long_calls(self):
        done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False)
        self.assertEqual((done.stdout, done.stderr), ("interrupted\n" * 5, ""))

    def test_a_refused_step_moves_no_game(self):
        env = tf.VecEnv("brandubh", 300, seed=1)
        actions = env.sample().copy()
        before = env.obs.copy()
        actions[299] = 0
        with self.assertRaisesRegex(ValueError, "actions: game 299: "):
            env.step(actions)
        np.testing.assert_array_equal(env.obs, before)
        np.testing.assert_array_equal(env.reset()[0], before)

    def test_a_refused_turn_plays_no_ply(self):
        game = tf.Game()
        for turn in ("d1-d3-d4", "d1-d3-d3", "d1-d3-e3"):
            with self.assertRaisesRegex(ValueError, "move: "):
                game.play(turn)
            self.assertEqual((game.ply, game.side), (0, "attackers"))

    def test_threads_take_turns_or_are_refused(self):
        env, errors, steps = tf.VecEnv("copenhagen", 2000, seed=1), [], []

        def work():
            for _ in range(30):
                try:
                    env.step(env.sample())
                    steps.append(1)
                except RuntimeError as error:
                    errors.append(str(error))
                except ValueError:  # another thread has stepped since the sample
                    steps.append(0)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(errors) + len(steps), 120)
        self.assertLessEqual(set(errors), {"another thread is in a call of this environment"})
        self.assertTrue(any(steps))


if __name__ == "__main__":
    unittest.main()
