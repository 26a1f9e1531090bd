"""Prints how far what an engine found (`found.f32`) is from ONNX Runtime, and how many of the best moves agree."""

import json
import pathlib
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])
legal = np.fromfile(folder / "legal.bool", bool).reshape(256, -1)
shape = len(legal), legal.shape[1] + 4
expected, found = (np.fromfile(folder / name, np.float32).reshape(shape) for name in ("expected.f32", "found.f32"))
# As `tafl export` does: by the largest magnitude of each output, or 1 if that is less.
outputs = np.split(expected, [-4, -1], 1), np.split(found, [-4, -1], 1)
apart = [float(np.abs(a - b).max() / max(1, np.abs(a).max())) for a, b in zip(*outputs, strict=True)]
best = [np.where(legal, policy, -np.inf).argmax(1) for policy in (outputs[0][0], outputs[1][0])]
wdl = float(np.abs(outputs[0][1] - outputs[1][1]).mean())
print(json.dumps({"difference": max(apart), "best": float((best[0] == best[1]).mean()), "wdl": wdl}))
