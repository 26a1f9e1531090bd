#!/usr/bin/env bash
# jax2onnx 0.17.1: jax.nn.one_hot(-1), "no move yet", becomes a move on the last square of the board.
#
# Good guess: the exported network computes what JAX computes; the exporter has a check for that. JAX documents one_hot of an index
#   outside of the classes as all zeros, and -1 for what is not there is the usual mark.
# What happens: one_hot is turned into ONNX's OneHot, which counts negative indices from the end: -1 is the last class, -2 the one before.
#   Indices that are too large, or below minus the number of classes, are zeros in both. Written out as jnp.arange(n) == index, which is how
#   JAX computes it, it is exported right. No word; the exporter's own allclose(), fed with moves, finds nothing.
# Who cares: planes or embeddings of the last moves: at the start of each game the network outside of JAX sees moves on the corner
#   square that nobody has made. Padding of -1 in lists of moves or pieces adds up there as well.
# Seen on 2026-12-01 with jax2onnx 0.17.1, jax 0.10.2, onnx 1.23.2, onnxruntime 1.32.0 on Python 3.11 (classes that are hot, of 9):
#   one_hot     index   4: JAX [4]  exported [4]
#   one_hot     index  -1: JAX []   exported [8]
#   one_hot     index  -3: JAX []   exported [6]
#   one_hot     index   9: JAX []   exported []
#   one_hot     index -10: JAX []   exported []
#   written out index  -1: JAX []   exported []
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check \
    jax2onnx==0.17.1 jax==0.10.2 onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6

JAX_PLATFORMS=cpu venv/bin/python -W ignore - <<'PY'
import jax
import jax.numpy as jnp
import numpy as np
import onnxruntime
from jax2onnx import to_onnx

SQUARES = 9
onnxruntime.set_default_logger_severity(3)
planes = {"one_hot": lambda moves: jax.nn.one_hot(moves, SQUARES),
          "written out": lambda moves: (jnp.arange(SQUARES) == moves[:, None]).astype(jnp.float32)}
moves = np.array([4, 0, 8, -1, -3, 9, -10], np.int32)
found = {}
for name, function in planes.items():
    model = to_onnx(function, [jax.ShapeDtypeStruct(moves.shape, moves.dtype)])
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    exported = session.run(None, {session.get_inputs()[0].name: moves})[0]
    for move, *rows in zip(moves.tolist(), np.asarray(function(jnp.asarray(moves))), exported):
        found[name, move] = right, seen = [np.flatnonzero(row).tolist() for row in rows]
        print(f"{name:12}index {move:3}: JAX {str(right):4} exported {seen}")
        assert right == [move] * (0 <= move < SQUARES)
wrong = {key: seen for key, (right, seen) in found.items() if right != seen}
assert wrong == {("one_hot", -1): [8], ("one_hot", -3): [6]}, wrong
print("as recorded")
PY
