"""Networks, by each of their backends."""

import importlib.util
import json
import os
import shutil
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np
import taflforge as tf


def positions(ruleset: str, count: int) -> list[tf.Game]:
    """Returns positions of a random game."""
    game, found = tf.Game(ruleset), []
    drawn = np.random.default_rng(1)
    while len(found) < count:
        found.append(game.copy())
        game.play(int(drawn.choice(game.legal_actions())))
        if game.outcome is not None:
            game = tf.Game(ruleset)
    return found


class Names(unittest.TestCase):
    def test_every_network_that_is_named_is_in_the_package(self) -> None:
        for name in tf.NETS:
            self.assertGreater(tf.load_net(name).parameters, 0)

    def test_a_checkpoint_here_comes_before_a_network_of_its_name(self) -> None:
        other, own, before = tf.load_net("tablut"), tf.load_net("copenhagen"), Path.cwd()
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(other.folder, Path(folder, "brandubh"))
            Path(folder, "copenhagen").mkdir()
            os.chdir(folder)
            try:
                self.assertEqual([tf.load_net(name).name for name in ("brandubh", "copenhagen")], [other.name, own.name])
            finally:
                os.chdir(before)


class Backends(unittest.TestCase):
    def test_onnx_computes_what_rust_computes(self) -> None:
        for name, ruleset in (("brandubh", "brandubh"), ("five-rulesets", "copenhagen")):
            with self.subTest(name):
                rust, onnx = tf.load_net(name), tf.load_net(name, backend="onnx")
                games = positions(ruleset, 8)
                planes = np.stack([game.observation("f32") for game in games])
                for ours, its in zip(rust(planes), onnx(planes), strict=True):
                    np.testing.assert_allclose(its, ours, rtol=1e-3, atol=1e-3)
                for game in games:
                    ours, its = rust.policy(game), onnx.policy(game)
                    self.assertEqual(list(its), list(ours))
                    np.testing.assert_allclose(list(its.values()), list(ours.values()), atol=1e-4)
                    np.testing.assert_allclose(onnx.value(game), rust.value(game), atol=1e-4)
                bytes_in = np.stack([game.observation() for game in games])
                np.testing.assert_allclose(onnx(bytes_in)[1], rust(bytes_in)[1], atol=1e-4)

    def test_onnx_warns_of_rules_that_were_not_learned(self) -> None:
        onnx, other = tf.load_net("brandubh", backend="onnx"), tf.Game(tf.Rules("brandubh", king_armed=False, name="other"))
        for call in (onnx.policy, tf.load_net("brandubh", backend="onnx").value):
            with self.assertWarnsRegex(UserWarning, f"{onnx.name} has not learned other"):
                call(other)

    def test_onnx_asks_no_run_for_the_rules_of_a_network(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            moved = Path(shutil.copytree(tf.load_net("brandubh").folder, Path(folder, "moved"), ignore=lambda *_: ["run.toml"]))
            card = json.loads((moved / "model.json").read_text())
            card["provenance"]["rulesets"] = [{"name": "own", "fingerprint": "0123456789abcdef"}]
            (moved / "model.json").write_text(json.dumps(card))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = tf.load_net(moved, backend="onnx").value(tf.Game("brandubh"))
            np.testing.assert_allclose(value, tf.load_net("brandubh").value(tf.Game("brandubh")), atol=1e-4)
            with self.assertRaisesRegex(ValueError, "net: .*own"):
                tf.load_net(moved).export(folder, "onnx")

    @unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed")
    def test_torch_computes_what_rust_computes_and_learns(self) -> None:
        import torch

        rust, module = tf.load_net("brandubh"), tf.load_net("brandubh", backend="torch")
        planes = np.stack([game.observation("f32") for game in positions("brandubh", 4)])
        with torch.no_grad():
            outputs = module(torch.from_numpy(planes))
        for ours, its in zip(rust(planes), outputs, strict=True):
            np.testing.assert_allclose(its.numpy().reshape(ours.shape), ours, rtol=1e-3, atol=1e-3)
        with self.assertRaisesRegex(ValueError, "planes: "):
            module(torch.from_numpy(planes * 255))
        logits, wdl, _ = module.train()(torch.from_numpy(planes))
        (logits.mean() + wdl[:, 0].mean()).backward()
        self.assertTrue(any(it.grad is not None and it.grad.abs().sum() > 0 for it in module.parameters()))

    def test_int8_computes_nearly_the_same(self) -> None:
        exact, rounded = tf.load_net("brandubh"), tf.load_net("brandubh", precision="int8")
        self.assertEqual((exact.precision, rounded.precision), ("f32", "int8"))
        self.assertEqual(repr(rounded), f"<Net {rounded.name} in int8>")
        games = positions("brandubh", 64)
        planes = np.stack([game.observation() for game in games])
        difference = np.abs(exact(planes)[1] - rounded(planes)[1])
        self.assertTrue(0 < difference.mean() < 0.05, difference.mean())
        best = [max(policy, key=lambda move: policy[move]) for game in games for policy in (exact.policy(game), rounded.policy(game))]
        agreed = sum(ours == its for ours, its in zip(best[::2], best[1::2], strict=True))
        self.assertGreaterEqual(agreed, 48)

    def test_planes_in_uint8_cost_int8_no_more_than_its_rounding(self) -> None:
        exact, rounded = tf.load_net("five-rulesets"), tf.load_net("five-rulesets", precision="int8")
        games = positions("copenhagen", 64)
        bytes_in, floats = (np.stack([game.observation(dtype) for game in games]) for dtype in ("u8", "f32"))
        of_exact = exact(floats)[2]
        of_bytes, of_floats = (np.abs(rounded(planes)[2] - of_exact).mean() for planes in (bytes_in, floats))
        self.assertLess(of_bytes, 1.3 * of_floats)

    def test_an_export_of_int8_is_that_of_f32(self) -> None:
        written = []
        for precision in ("f32", "int8"):
            with tempfile.TemporaryDirectory() as folder:
                tf.load_net("brandubh", precision=precision).export(folder, "safetensors")
                written.append(next(Path(folder).glob("*.safetensors")).read_bytes())
        self.assertEqual(*written)

    def test_wrong_arguments_are_named(self) -> None:
        for arguments, kind, name in [
            (("brandubh", "jax"), ValueError, "backend: 'jax' is none of rust, onnx, torch"),
            (("nobody", "onnx"), FileNotFoundError, "net: nobody does not exist; the networks in the package are five-rulesets"),
            (("brandubh", "int8"), ValueError, "backend: 'int8' is none of rust, onnx, torch; did you mean precision='int8'"),
            (("brandubh", "rust", "fp16"), ValueError, 'precision: "fp16" is none of f32, int8, auto'),
            (("brandubh", "onnx", "int8"), ValueError, "precision: 'int8' is for the backend rust, onnx computes in f32"),
            (("brandub",), FileNotFoundError, 'did you mean "brandubh"'),
            ((3, "onnx"), TypeError, "net: "),
        ]:
            with self.subTest(arguments), self.assertRaisesRegex(kind, name):
                tf.load_net(*arguments)
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex((ValueError, FileNotFoundError), "net: "):
            tf.load_net(folder, "torch")
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(ValueError, "holds no network; a run that begins with"):
            weights = Path(folder, "weights.safetensors")
            weights.touch()
            tf.load_net(weights)
        onnx = tf.load_net("brandubh", backend="onnx")
        with self.assertRaisesRegex(TypeError, "obs: "):
            onnx([1, 2])
        with self.assertRaisesRegex(TypeError, "obs: "):
            onnx(np.zeros((1, len(tf.PLANES), 7, 7)))
        with self.assertRaisesRegex(ValueError, "obs: "):
            onnx(np.zeros((1, len(tf.PLANES), 9, 9), np.uint8))
        with self.assertRaisesRegex(ValueError, "obs: a number is not finite"):
            onnx(np.full((1, len(tf.PLANES), 7, 7), np.nan, np.float32))
        ones, mixed = np.ones((1, len(tf.PLANES), 7, 7), np.uint8), np.full((2, len(tf.PLANES), 7, 7), 255, np.uint8)
        mixed[1] = 1
        for scaled in (
            ones,
            mixed,
            np.full((1, len(tf.PLANES), 7, 7), 255, np.float32),
            np.full((1, len(tf.PLANES), 7, 7), -0.5, np.float32),
        ):
            for net in (onnx, tf.load_net("brandubh")):
                with self.assertRaisesRegex(ValueError, "obs: .* planes"):
                    net(scaled)
        over = tf.Game.from_text("4K2/7/7/2t4/7/7/7", side="defenders", ruleset="brandubh")
        over.play("e7-g7")
        for net in (onnx, tf.load_net("brandubh")):
            for call in (net.policy, net.value):
                for game, kind in ((over, ValueError), (tf.Game("tablut"), ValueError), ("brandubh", TypeError)):
                    with self.assertRaisesRegex(kind, "game: "):
                        call(game)


class Functions(unittest.TestCase):
    """Searches with functions in place of networks."""

    def test_a_function_searches_as_the_network_that_it_asks(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            own = Path(shutil.copytree(tf.load_net("brandubh").folder, Path(folder, "own")))
            run = (own / "run.toml").read_text()
            # A function's draws count 0.
            (own / "run.toml").write_text(run.replace("attackers_draw_value = -0.3\n", ""))
            net, batches = tf.load_net(own), []

            def asks(obs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
                batches.append(obs)
                logits, wdl, _ = net(obs)
                return logits, wdl

            games = positions("brandubh", 6)
            of_net, of_function = tf.Search(net, 24), tf.Search(asks, 24)
            self.assertIs(of_function.net, asks)
            wanted = of_net.run_many(games)
            self.assertEqual([(it, it.policy) for it in of_function.run_many(games)], [(it, it.policy) for it in wanted])
        np.testing.assert_array_equal(batches[0], np.stack([game.observation("f32") for game in games]))
        batches.clear()
        alone = of_function.run(games[0])
        self.assertEqual((alone, alone.policy), (wanted[0], wanted[0].policy))
        self.assertGreater(max(map(len, batches)), 1)
        match = tf.match(of_function, "random", openings=1, ruleset="brandubh", max_plies=6)
        self.assertEqual(match.players[0], "asks, 24 visits")

    def test_probabilities_and_single_values_are_of_the_side_to_move(self) -> None:
        game = tf.Game("brandubh")
        wanted = int(game.legal_actions()[5])

        def believes_in_attackers(obs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            share = np.zeros((len(obs), game.rules.actions))
            share[:, wanted] = 1
            to_move = obs[:, tf.PLANES.index("attackers_to_move"), 0, :1]
            with np.errstate(divide="ignore"):
                return np.log(share), 1.6 * to_move - 0.8

        result = tf.Search(believes_in_attackers, 1).run(game)
        self.assertEqual(tf.action(result.best, 7), wanted)
        self.assertAlmostEqual(result.value, 0.8, places=4)
        game.play(result.best)
        # Proven losses are -1.
        self.assertLess(tf.Search(believes_in_attackers, 8).run(game).value, -0.7)

    def test_what_a_function_does_wrong_is_said(self) -> None:
        actions = tf.Rules("brandubh").actions
        logits, values = np.zeros((1, actions)), np.zeros(1)
        raised = RuntimeError("lost")
        logits_of = {"nan": np.full((1, actions), np.nan), "shape": np.zeros((1, 7))}
        for said, kind, reason in [
            (3, TypeError, "net: it returned int, not logits and values"),
            ((logits_of["shape"], values), ValueError, r"net: .*logits of shape \[1, 7\], not \[1, "),
            ((logits_of["nan"], values), ValueError, "net: .*no number"),
            ((logits, np.full(1, 1.5)), ValueError, "net: .*from -1 to 1"),
            ((logits, np.ones((1, 3))), ValueError, "net: .*probabilities"),
            ((logits, np.zeros((1, 2))), ValueError, r"net: .*values of shape \[1, 2\]"),
            (raised, RuntimeError, "lost"),
        ]:

            def wrong(_obs: np.ndarray, said: object = said) -> object:
                if isinstance(said, Exception):
                    raise said
                return said

            with self.subTest(reason), self.assertRaisesRegex(kind, reason):
                tf.Search(wrong).run(tf.Game("brandubh"))
        with self.assertRaisesRegex(ValueError, "games: boards of 7x7 and of 9x9"):
            tf.Search(wrong).run_many([tf.Game("brandubh"), tf.Game("tablut")])


if __name__ == "__main__":
    unittest.main()
