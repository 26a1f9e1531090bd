"""The package's types, checked by mypy: the package itself, and what its users write."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

EXAMPLE = Path(__file__).parents[1] / "examples" / "bot.py"
USE = """
import taflforge as tf
from taflforge.gymnasium import TaflEnv

net = tf.load_net("brandubh")
policy: dict[str, float] = net.policy(tf.Game("brandubh"))
win, draw, loss = tf.load_net("brandubh", backend="onnx").value(tf.Game("brandubh"))
result = tf.match(net, "greedy", openings=2, ruleset="brandubh")
low: float = result.elo.low
observation, info = TaflEnv("brandubh", opponent=net).reset(seed=1)
obs, reward, done, step = tf.VecEnv("brandubh", 4).step(observation)
reveal_type(step.side)
"""
INTEGERS = """
import numpy as np
import taflforge as tf

two = np.int64(2)
game = tf.Game.from_text("3t3/7/7/3K3/7/7/7", ruleset="brandubh", captureless=two)
game.play(game.legal_actions()[0])
game.undo(np.uint8(1))
tf.action("d1-d3", size=np.int32(7)), tf.move(np.uint16(0), np.int64(7)), tf.Rules("brandubh").perft(two)
env = tf.VecEnv("brandubh", two, seed=two, max_plies=two)
env.step([int(it) for it in env.sample()])
tf.elo(np.arange(5)), tf.openings("brandubh", two, two, two), tf.Player("random", two)
search = tf.Search(tf.load_net("brandubh"), two)
search.run_many(tf.Game("brandubh") for _ in range(2))
tf.match("random", "random", two, "brandubh", visits=two, seed=two, opening_plies=two, max_plies=np.int64(9))
"""
WRONG = """
import taflforge as tf

tf.Game("brandubh").play(1.5)
tf.match("greedy", 3)
tf.no_such_name
tf.load_net("brandubh", backend="jax")
class Mine(tf.Game): ...
"""


def mypy(folder: str, *what: str | Path) -> str:
    """Returns what mypy says in a folder, where it finds the package as users do: installed."""
    options = ["--strict", "--allow-subclassing-any", "--ignore-missing-imports", "--follow-imports=silent", "--cache-dir", os.devnull]
    command = [sys.executable, "-m", "mypy", *options, *map(str, what)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


class Types(unittest.TestCase):
    def test_the_package_and_its_use_are_typed(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            files = {Path(folder, f"{name}.py"): text for name, text in (("use", USE), ("integers", INTEGERS), ("wrong", WRONG))}
            for file, text in files.items():
                file.write_text(text)
            said = mypy(folder, "-p", "taflforge") + mypy(folder, EXAMPLE, *files)
            exec(INTEGERS, {})
        # numpy's own stubs are not judged.
        errors = [line for line in said.splitlines() if ": error: " in line and "/numpy/" not in line]
        self.assertEqual({line.rsplit("/", 1)[-1].split(": ")[0] for line in errors}, {f"wrong.py:{it}" for it in range(4, 9)}, said)
        self.assertIn('Revealed type is "numpy.ndarray', said)


if __name__ == "__main__":
    unittest.main()
