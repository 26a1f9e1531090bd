"""What Python sees is what the rules, the trainer and the records of the repository say.

Needs the package installed, or PYTHONPATH; run from anywhere: python3 -m unittest discover crates/tafl-python/tests
"""

import ast
import copy
import csv
import importlib.util
import json
import pickle
import random
import tempfile
import unittest
from pathlib import Path

import numpy as np
import taflforge as tf

ROOT = Path(__file__).parents[3]
NET_OF = {"brandubh": "brandubh"}


def random_positions(ruleset, count, seed):
    """Yields games on their way, by the moves of some random ones that capture most, which brings chains about."""
    draw = random.Random(seed)
    game = tf.Game(ruleset)
    for _ in range(count):
        if game.outcome:
            game = tf.Game(ruleset)
        yield game
        few = draw.choices(game.legal_actions(), k=5)
        game.play(max(few, key=lambda action: len(game.copy().play(action).captured)))


def exported(net, folder):
    """Returns the card of a network's export and the module that encodes positions for it, which knows nothing of ours."""
    tf.load_net(net).export(folder, "safetensors")
    spec = importlib.util.spec_from_file_location("tafl_planes", Path(folder) / "tafl_planes.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return json.loads((Path(folder) / "model.json").read_text()), module


class Agreement(unittest.TestCase):
    def test_leaves_are_those_that_five_engines_agree_on(self):
        counted = 0
        for line in (ROOT / "tests/fixtures/rules/perft.tsv").read_text().splitlines():
            name, board, side, *leaves = line.split("\t")
            if line.startswith("#"):
                continue
            rules = tf.Rules("berserk-2024", chain="forced") if name == "berserk" else tf.Rules(name)
            game = tf.Game.from_text(f"atkf:{'y' if side == 'a' else 'n'} start:/{board}/", ruleset=rules)
            for depth in (1, 2) if name != "berserk" else (1,):
                self.assertEqual(game.perft(depth), int(leaves[depth - 1]), line)
                counted += 1
        self.assertGreater(counted, 30)

    def test_games_of_people_replay_to_their_ends(self):
        with (ROOT / "data/games/copenhagen.csv").open() as file:
            for turns, *_, winner in csv.reader(file):
                game = tf.Game("copenhagen")
                for turn in turns.split():
                    if "-" in turn:
                        game.play(turn)
                self.assertEqual(len(game.turns), game.ply)
                if game.outcome:
                    self.assertEqual(game.outcome, {"White": "defenders", "Black": "attackers"}[winner])

    def test_stored_games_replay_to_their_records(self):
        games = chains = 0
        for file in sorted((ROOT / "data/balance/published/games/000000").glob("*berserk*"))[:3]:
            for record in tf.games(file):
                game = tf.Game(record.rules)
                for position, ply in record.positions():
                    self.assertTrue(position.is_legal(ply.action))
                    self.assertTrue(position.is_legal(ply.move))
                    chains += position.chain is not None
                    game = position
                    game.play(ply.move)
                if record.reason not in ("capped", "adjudicated"):
                    self.assertEqual((game.outcome, game.reason), (record.winner or "draw", record.reason))
                games += 1
        self.assertGreater(games, 20)
        self.assertGreater(chains, 20)

    def test_planes_and_masks_are_the_trainer_s(self):
        chains = 0
        for number, ruleset in enumerate(tf.RULESETS):
            with tempfile.TemporaryDirectory() as folder:
                card, planes = exported(NET_OF.get(ruleset, "five-rulesets"), folder)
                if ruleset not in [it["name"] for it in card["rulesets"]]:
                    as_planes(card, ruleset)
                for game in random_positions(ruleset, 160, number):
                    chains += game.chain is not None
                    expected = planes.encode(
                        card,
                        ruleset,
                        game.board,
                        game.side,
                        chain=game.chain,
                        last_move=game.history[-1] if game.ply else None,
                        occurrences=game.occurrences,
                        captureless=game.captureless,
                    )
                    found = game.observation("f32")
                    np.testing.assert_array_equal(found, expected)
                    np.testing.assert_array_equal(game.observation(), np.rint(expected * 255).astype(np.uint8))
                    legal = game.legal_moves()
                    self.assertEqual([planes.index(move, game.rules.size) for move in legal], game.legal_actions().tolist())
                    self.assertEqual(game.legal_mask().nonzero()[0].tolist(), game.legal_actions().tolist())
        self.assertGreater(chains, 5)

    def test_many_games_are_single_games(self):
        for ruleset in tf.RULESETS:
            for mask in ("bool", "packed", "csr"):
                env = tf.VecEnv(ruleset, 70, seed=3, mask=mask, observation="f32" if mask == "csr" else "u8", max_plies=90)
                singles = [tf.Game(ruleset) for _ in range(70)]
                for _ in range(100):
                    actions = env.sample()
                    _, reward, done, info = env.step(actions)
                    ended = 0
                    for index, game in enumerate(singles):
                        mover = game.side
                        game.play(actions[index])
                        over = game.outcome is not None or game.ply == 90
                        self.assertEqual((bool(done[index]), index in info.reason), (over, over))
                        self.assertEqual(info.mover[index], mover == "defenders")
                        won = 0 if game.outcome in (None, "draw") else 1 if game.outcome == mover else -1
                        self.assertEqual(reward[index], won)
                        if over:
                            self.assertEqual(info.reason[index], game.reason or "capped")
                            np.testing.assert_array_equal(info.final_obs[ended], game.observation(DTYPES[env.obs.dtype.name]))
                            ended += 1
                            singles[index] = tf.Game(ruleset)
                    self.assertEqual(len(info.final_obs), ended)
                for index, game in enumerate(singles):
                    np.testing.assert_array_equal(env.obs[index], game.observation(DTYPES[env.obs.dtype.name]))
                    self.assertEqual(env.side[index], game.side == "defenders")
                    self.assertEqual(legal_of(env, index).tolist(), game.legal_actions().tolist())

    def test_arrays_of_a_seed_are_always_the_same(self):
        one, other = (tf.VecEnv("brandubh", 200, seed=7, observation=None, mask=None) for _ in range(2))
        first = one.sample().copy()
        np.testing.assert_array_equal(other.sample(), first)
        for _ in range(50):
            np.testing.assert_array_equal(one.step(one.sample())[1], other.step(other.sample())[1])
        one.reset(seed=7)
        np.testing.assert_array_equal(one.sample(), first)

    def test_a_batch_is_evaluated_as_its_positions(self):
        net = tf.load_net("brandubh")
        games = [game.copy() for game in random_positions("brandubh", 40, 5)]
        logits, wdl, moves_left = net(np.stack([game.observation("f32") for game in games]))
        of_bytes = net(np.stack([game.observation() for game in games]))
        np.testing.assert_allclose(of_bytes[0], logits, atol=0.05)
        self.assertEqual((logits.shape, moves_left.shape), ((40, 1177), (40,)))
        for index, game in enumerate(games):
            np.testing.assert_allclose(net.value(game), wdl[index], atol=1e-6)
            legal = logits[index][game.legal_actions()].astype(float)
            shares = np.exp(legal - legal.max())
            np.testing.assert_allclose(list(net.policy(game).values()), shares / shares.sum(), atol=1e-5)

    def test_many_searches_are_single_searches(self):
        search = tf.Search(tf.load_net("brandubh"), visits=20)
        games = [game.copy() for game in random_positions("brandubh", 6, 5)]
        for game, found in zip(games, search.run_many(games), strict=True):
            again = pickle.loads(pickle.dumps(search.run(game)))
            self.assertEqual((found, found.policy), (again, again.policy))
            self.assertAlmostEqual(sum(found.policy.values()), 1, places=4)
            self.assertTrue(game.is_legal(found.best))
            self.assertTrue(-1 <= found.value <= 1 and max(found.visits.values()) > 0)

    def test_a_proven_win_has_all_of_the_policy(self):
        game = tf.Game.from_text("4K2/7/7/2t4/7/7/7", side="defenders", ruleset="brandubh")
        found = tf.Search(tf.load_net("brandubh")).run(game)
        self.assertEqual(max(found.policy, key=found.policy.get), found.best)
        self.assertTrue(game.play(found.best).ends)

    def test_games_are_copied_pickled_and_undone(self):
        for ruleset in ("berserk-2017", "tablut"):
            for game in random_positions(ruleset, 60, 1):
                twins = [game.copy(), copy.copy(game), copy.deepcopy(game), pickle.loads(pickle.dumps(game))]
                for twin in twins:
                    self.assertEqual(twin, game)
                    self.assertEqual((twin.board, twin.turns, twin.occurrences), (game.board, game.turns, game.occurrences))
                moved = twins[0]
                moved.play(moved.legal_moves()[0])
                self.assertNotEqual(moved, game)
                moved.undo()
                self.assertEqual(moved, game)
        self.assertEqual(pickle.loads(pickle.dumps(tf.Rules("tablut", throne_hostile=False))).fields["throne_hostile"], False)

    def test_boards_are_written_as_they_are_read(self):
        for ruleset in tf.RULESETS:
            for game in random_positions(ruleset, 40, 2):
                texts = [(game.to_uci_fen(), {}), (game.board, {"side": game.side, "chain": game.chain, "captureless": game.captureless})]
                if not game.chain:
                    texts.append((game.to_opentafl(), {"captureless": game.captureless}))
                for text, more in texts:
                    again = tf.Game.from_text(text, ruleset=ruleset, **more)
                    self.assertEqual((again.key, again.chain, again.captureless), (game.key, game.chain, game.captureless), text)

    def test_the_stub_names_what_there_is(self):
        core = importlib.import_module("taflforge._core")
        stub = ast.parse(Path(core.__file__).with_name("_core.pyi").read_text())
        named = {node.name for node in stub.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
        there = {name for name, found in vars(core).items() if callable(found)}
        self.assertEqual(named, there)
        for node in (node for node in stub.body if isinstance(node, ast.ClassDef)):
            members = {member.name for member in node.body if isinstance(member, ast.FunctionDef)}
            found = set(vars(getattr(core, node.name)))
            self.assertLessEqual(members, found, node.name)
            self.assertLessEqual({name for name in found if not name.startswith("_")}, members, node.name)

    def test_numbers_and_moves_are_each_other_s(self):
        for size in (7, 9, 11):
            actions = tf.Rules({7: "brandubh", 9: "tablut", 11: "fetlar"}[size]).actions
            numbers = [number for number in range(actions) if on_board(number, size)]
            self.assertEqual([tf.action(tf.move(number, size), size) for number in numbers], numbers)
            self.assertEqual(len(numbers), size * size * 2 * (size - 1) + 1)
        self.assertEqual(tf.move(4840), "end")


DTYPES = {"uint8": "u8", "float32": "f32"}


def as_planes(card, ruleset):
    """Turns a card into one of another ruleset: what all squares have in common is taken from our own planes."""
    game = tf.Game(ruleset)
    first, size = game.observation("f32"), game.rules.size
    uniform = {
        name: float(plane.min()) for name, plane in zip(tf.PLANES, first, strict=True) if plane.min() and name != "attackers_to_move"
    }
    limit, throne = (game.rules.fields[field] for field in ("captureless_limit", "throne"))
    card["planes"] = [{"name": name, "shape": [size, size]} for name in tf.PLANES]
    card["rulesets"] = [{"name": ruleset, "uniform": uniform, "captureless_limit": None if limit == "none" else limit, "throne": throne}]


def legal_of(env, index):
    """Returns the legal actions of a game of many."""
    mask = env.mask
    if isinstance(mask, tf.Csr):
        return mask.actions[mask.starts[index] : mask.starts[index + 1]]
    if mask.dtype == np.bool_:
        return mask[index].nonzero()[0]
    return np.unpackbits(mask[index], count=env.num_actions).nonzero()[0]


def on_board(number, size):
    """Returns whether a number is a move's."""
    try:
        tf.move(number, size)
    except ValueError:
        return False
    return True


if __name__ == "__main__":
    unittest.main()
