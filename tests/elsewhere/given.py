"""What engines in Python are given and give back."""

import json
import pathlib
import signal
import subprocess
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])
card = json.loads((folder / "model.json").read_text())
size = card["planes"][0]["shape"][0]
planes = np.fromfile(folder / "planes.f32", np.float32).reshape(256, -1, size, size)
network = str(folder / "network.onnx")
NAMES = "policy", "wdl", "moves_left"


def convert(*command, **options):
    """Runs a converter; what it says is no answer."""
    ended = subprocess.run(command, stdout=sys.stderr, check=False, **options)
    if ended.returncode:
        how = f"signal {signal.Signals(-ended.returncode).name}" if ended.returncode < 0 else f"status {ended.returncode}"
        sys.exit(f"the converter ended with {how}")


def give(policy, wdl, moves_left):
    """Writes the outputs for all positions."""
    outputs = [np.asarray(it, np.float32).reshape(256, -1) for it in (policy, wdl, moves_left)]
    np.concatenate(outputs, 1).tofile(folder / "found.f32")


def batches(run, count=64):
    """Gives what `run` returns for batches."""
    found = [run(np.ascontiguousarray(planes[at : at + count])) for at in range(0, 256, count)]
    give(*(np.concatenate([np.asarray(it) for it in output]) for output in zip(*found, strict=True)))
