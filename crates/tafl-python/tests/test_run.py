"""The samples of a run are the positions of its games. TAFLFORGE_RUN names the folder of a run."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
import taflforge as tf
from program import TAFL

RUN = os.environ.get("TAFLFORGE_RUN")
HANDICAPS = [number for number, name in enumerate(tf.PLANES) if name.endswith(("_random", "_alphabeta"))]


@unittest.skipUnless(RUN, "TAFLFORGE_RUN is not set")
class Run(unittest.TestCase):
    def test_samples_are_positions_of_the_games(self):
        learned = {}
        for record in tf.games(RUN):
            for game, ply in record.positions():
                if ply.policy or record.kind in ("taught", "partner"):
                    learned[game.observation("f32").tobytes()] = (game, ply)
        seen = 0
        for batch in tf.samples(RUN, batch=50, symmetries=False, seed=1):
            even = np.ascontiguousarray(batch.planes)
            even[:, HANDICAPS] = 0  # which are the record's, not the game's
            for planes, policy, wdl, mask in zip(even, batch.policy, batch.wdl, batch.mask, strict=True):
                found = learned.get(planes.tobytes())
                self.assertTrue(found, "not a position of the games")
                game, ply = found
                np.testing.assert_array_equal(mask, game.legal_mask())
                moves = {tf.move(int(action), game.rules.size) for action in policy.nonzero()[0]}
                self.assertEqual(moves, ply.policy.keys() if ply.policy else {ply.move})
                self.assertAlmostEqual(float(wdl.sum()), 1, places=5)
                seen += 1
        self.assertGreater(seen, 100)

    def test_what_nobody_searched_has_no_search(self):
        taught = [ply for record in tf.games(RUN) if record.kind == "taught" for ply in record.plies]
        self.assertGreater(len(taught), 10)
        self.assertEqual({(ply.policy, ply.wdl, ply.visits) for ply in taught}, {(None, None, None)})

    def test_samples_are_the_trainers_window_when_old_ones_are_gone(self):
        def count(run):
            return sum(len(batch.planes) for batch in tf.samples(run))

        whole = count(RUN)
        with tempfile.TemporaryDirectory() as folder:
            run = Path(folder, "run")
            shutil.copytree(RUN, run)
            done = subprocess.run([TAFL, "run", "prune", run, "--samples"], capture_output=True, text=True, check=True)
            self.assertNotIn("nothing", done.stdout + done.stderr)
            self.assertEqual(count(run), whole)
            shutil.rmtree(run / "games" / "000000")
            self.assertEqual(count(run), whole)

    def test_folders_within_a_run_are_games_too(self):
        all_of_it = [record.id for record in tf.games(RUN)]
        self.assertEqual([record.id for record in tf.games(Path(RUN, "games"))], all_of_it)
        first = [record.id for record in tf.games(Path(RUN, "games", "000000"))]
        self.assertEqual(first, all_of_it[: len(first)])
        self.assertEqual({record.kind for record in tf.games(Path(RUN, "arena"))}, {"match"})
        with self.assertRaisesRegex(ValueError, "net: .*checkpoints"):
            tf.load_net(RUN)

    def test_epochs_and_seeds_decide_what_comes(self):
        def of(**more):
            return [batch.wdl for batch in tf.samples(RUN, batch=64, **more)]

        once, twice = of(seed=1), of(seed=1, epochs=2)
        self.assertEqual(len(twice), 2 * len(once))
        np.testing.assert_array_equal(np.concatenate(of(seed=1)), np.concatenate(once))
        self.assertFalse(np.array_equal(of(seed=2)[0], once[0]))

    def test_symmetries_change_planes_and_moves_together(self):
        plain, turned = (next(iter(tf.samples(RUN, batch=64, seed=3, symmetries=on))) for on in (False, True))
        np.testing.assert_array_equal(plain.wdl, turned.wdl)
        np.testing.assert_array_equal(plain.mask.sum(1), turned.mask.sum(1))
        np.testing.assert_allclose(plain.planes.sum((2, 3)), turned.planes.sum((2, 3)))
        self.assertFalse(np.array_equal(plain.planes, turned.planes))
        self.assertEqual(plain.planes.transpose(0, 2, 3, 1).flags.c_contiguous, True)


if __name__ == "__main__":
    unittest.main()
