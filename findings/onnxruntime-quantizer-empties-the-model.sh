#!/usr/bin/env bash
# onnxruntime 1.32.0: quantize_static takes the weights out of the model that it is given.
#
# Good guess: quantize_static(model, "small.onnx", ...) takes a ModelProto since 1.18 and writes its answer to a file, so
#   `model` is the same before and after: it can be saved, run beside the small one, or quantized again in another way.
#   Issue 23268 (the call itself failed) was mended in 1.21 by a copy, and a test was added.
# What happens: the copy is made for shape inference alone. To calibrate, quantize.py saves the caller's own model with its
#   weights beside it, which moves every weight of 1024 bytes or more out of the ModelProto, into a temporary folder that
#   is gone when the call returns. The call succeeds, the small network is right, and nothing is said. After that onnx.save
#   writes a file without weights, also without a word; running or quantizing `model` fails, and the message speaks of a
#   file in /tmp that nobody made. quantize_dynamic leaves the model as it is; so does a path in place of the model.
# Who cares: who tries which blocks of a network bear 8 bits: the second try fails; or who keeps the f32 network last.
# Seen on 2026-11-29 with onnxruntime 1.32.0, onnx 1.23.2 on Python 3.11:
#   quantize_dynamic   the model holds 4096 bytes of weights before, 4096 after
#   quantize_static    the model holds 4096 bytes of weights before,    0 after
#   onnx.save writes 4202 bytes before and 188 after; quantize_static again: ValidationError
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check onnx==1.23.2 onnxruntime==1.32.0 sympy==1.14.0 numpy==2.4.6

venv/bin/python - <<'PY'
import logging
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, quantize_dynamic, quantize_static

logging.disable(logging.WARNING)
weights = np.eye(32, dtype=np.float32)
graph = helper.make_graph([helper.make_node("MatMul", ["x", "weights"], ["y"])], "layer",
                          [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 32])],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 32])],
                          [numpy_helper.from_array(weights, "weights")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)
onnx.save(model, "before.onnx")


class Reader(CalibrationDataReader):
    def __init__(self):
        self.left = [{"x": np.ones((1, 32), np.float32)}]

    def get_next(self):
        return self.left.pop() if self.left else None


def held():
    return len(model.graph.initializer[0].raw_data)


seen = []
for name, quantize in (("quantize_dynamic", lambda: quantize_dynamic(model, "small.onnx")),
                       ("quantize_static", lambda: quantize_static(model, "small.onnx", Reader()))):
    before = held()
    quantize()
    seen += [before, held()]
    print(f"{name:18} the model holds {before} bytes of weights before, {held():4} after")
onnx.save(model, "after.onnx")
sizes = os.path.getsize("before.onnx"), os.path.getsize("after.onnx")
print(f"onnx.save wrote {sizes[0]} bytes before, {sizes[1]} after")
try:
    quantize_static(model, "small.onnx", Reader())
    again = "succeeds"
except Exception as error:
    again = type(error).__name__
    print("quantize_static again:", str(error)[:120])
assert seen == [4096, 4096, 4096, 0] and sizes[0] > 4096 and sizes[1] < 1000 and again == "ValidationError", (seen, sizes, again)
print("as recorded")
PY
