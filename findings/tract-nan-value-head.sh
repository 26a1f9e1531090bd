#!/usr/bin/env bash
# tract 0.23.9: a network whose weights are all NaN gives a finite value, "lost with certainty".
#
# Good guess: NaN goes through a convolution, ReLU, a linear layer and tanh, and comes out as NaN, as in ONNX Runtime,
#   PyTorch and NumPy; whoever checks the output with isfinite notices that training has diverged.
# What happens: tract's tanh and sigmoid clamp their argument first, and the clamp turns NaN into the lower bound:
#   tanh(NaN) = -0.9999994 and sigmoid(NaN) = 4.5e-07. Its ReLU makes 0 of NaN. So a value head that is NaN says that
#   the side to move has lost, a probability head says 0.00004 %, and a tower of NaN below a sound head says "even".
# Who cares: an engine that plays a freshly exported checkpoint with tract; a gate between checkpoints that looks for
#   NaN in the outputs of tract sees none.
# Seen on 2026-11-29 with tract 0.23.9, onnxruntime 1.32.0, onnx 1.23.2 on x86-64 (last digits may depend on the CPU):
#   sound network           onnxruntime  0.5737  tract  0.5737
#   tower NaN, head sound   onnxruntime  nan     tract  0.0
#   tower sound, head NaN   onnxruntime  nan     tract  -0.9999994
#   all weights NaN         onnxruntime  nan     tract  -0.9999994
#   sigmoid(NaN)            onnxruntime  nan     tract  4.4703484e-07
#   softmax of a NaN        onnxruntime  nan     tract  nan
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check tract==0.23.9 onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6

venv/bin/python - <<'PY'
import math

import numpy as np
import onnx
import onnxruntime
import tract
from onnx import TensorProto, helper, numpy_helper

node = helper.make_node


def run(nodes, x, shape, **weights):
    graph = helper.make_graph(
        nodes, "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(w.astype(np.float32), name) for name, w in weights.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)])
    model.ir_version = 10
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, "net.onnx")
    reference = onnxruntime.InferenceSession("net.onnx", providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]
    runtime = tract.runtime_for_name("default")
    found = runtime.prepare(tract.onnx().load("net.onnx").into_model()).run([x])[0].to_numpy()
    return reference.ravel()[0], found.ravel()[0]


# A small value network for a board of 11x11: convolution, ReLU, linear, tanh.
rng = np.random.default_rng(1)
board = rng.integers(0, 2, (1, 3, 11, 11)).astype(np.float32)
tower = rng.normal(size=(8, 3, 3, 3)) / 5
head = rng.normal(size=(968, 1)) / 30
network = [node("Conv", ["x", "tower"], ["c"], pads=[1] * 4), node("Relu", ["c"], ["r"]), node("Flatten", ["r"], ["f"]),
           node("Gemm", ["f", "head"], ["g"]), node("Tanh", ["g"], ["y"])]
nan = math.nan
cases = {"sound network": (tower, head), "tower NaN, head sound": (tower * nan, head),
         "tower sound, head NaN": (tower, head * nan), "all weights NaN": (tower * nan, head * nan)}
seen = {name: run(network, board, [1, 1], tower=t, head=h) for name, (t, h) in cases.items()}
seen["sigmoid(NaN)"] = run([node("Sigmoid", ["x"], ["y"])], np.array([[nan]], np.float32), [1, 1])
seen["softmax of a NaN"] = run([node("Softmax", ["x"], ["y"])], np.array([[nan, 1, 2]], np.float32), [1, 3])
for name, (reference, found) in seen.items():
    print(f"{name:24} onnxruntime {reference:9.7g}  tract {found:.8g}")

sound = seen.pop("sound network")
assert np.isfinite(sound).all() and abs(sound[0] - sound[1]) < 1e-4
assert all(math.isnan(reference) for reference, _ in seen.values())
assert seen["tower NaN, head sound"][1] == 0
assert -1 <= seen["tower sound, head NaN"][1] < -0.9999
assert -1 <= seen["all weights NaN"][1] < -0.9999
assert 0 <= seen["sigmoid(NaN)"][1] < 1e-5
assert math.isnan(seen["softmax of a NaN"][1])
print("as recorded")
PY
