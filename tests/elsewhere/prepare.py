"""Writes what programs are given: 256 positions of games that a network plays with itself, and what ONNX Runtime makes of them.

`calibration.f32` has as many positions of other games, for those who quantize.
"""

import pathlib
import random
import sys

import numpy as np
import onnxruntime
import taflforge

POSITIONS = 256


def positions(network, rulesets, seed):
    """Returns planes and legal moves of each third position; moves are drawn from the network's policy."""
    chance, planes, legal, games = random.Random(seed), [], [], 0
    while len(planes) < POSITIONS:
        game, games = taflforge.Game(rulesets[games % len(rulesets)]), games + 1
        for ply in range(120):
            if game.outcome or len(planes) == POSITIONS:
                break
            seen, moves = game.observation("f32"), game.legal_actions()
            if ply % 3 == 2:
                planes.append(seen)
                legal.append(moves)
            logits = network(seen[None])[0][0][moves]
            game.play(int(chance.choices(moves, np.exp(logits - logits.max()))[0]))
    return np.array(planes, np.float32), legal


def main():
    stored, rulesets, *exports = sys.argv[1:]
    network = taflforge.load_net(stored)
    planes, legal = positions(network, rulesets.split(","), 1)
    others, _ = positions(network, rulesets.split(","), 2)
    for folder in map(pathlib.Path, exports):
        session = onnxruntime.InferenceSession(folder / "network.onnx", providers=["CPUExecutionProvider"])
        outputs = session.run(["policy", "wdl", "moves_left"], {"planes": planes})
        mask = np.zeros(outputs[0].shape, bool)
        for row, moves in zip(mask, legal, strict=True):
            row[moves] = True
        planes.tofile(folder / "planes.f32")
        others.tofile(folder / "calibration.f32")
        np.concatenate(outputs, 1).tofile(folder / "expected.f32")
        mask.tofile(folder / "legal.bool")


main()
