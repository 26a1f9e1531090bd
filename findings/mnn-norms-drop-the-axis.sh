#!/usr/bin/env bash
# MNN 3.6.1: five of ONNX's ten reductions drop the axis that they ought to keep, and a batch is normalized by other positions' sums.
#
# Good guess: ONNX says that keepdims is 1 where it is not written, for all reductions alike, and writers leave out what is the
#   default. So x - ReduceLogSumExp(x) along the moves is the logarithm of a softmax, one row per position.
# What happens: for ReduceL1, L2, LogSum, LogSumExp and SumSquare the converter takes a missing keepdims for 0; for Sum, Mean, Max, Min and
#   Prod it takes it for 1. Without the axis the sums of the positions lie along the moves: where a batch has as many positions as
#   moves, move j of every position is divided by the sum of position j. Nothing is said, shapes are right. One position alone,
#   as in a test, is right, and so is keepdims=1 written out, as PyTorch's exporter does.
# Who cares: who writes the head of a network by onnx.helper, or shrinks a file by leaving out defaults, and runs it in batches.
# Seen on 2026-12-01 with mnn 3.6.1, onnx 1.23.2, onnxruntime 1.32.0 on Python 3.11 (log softmax of four moves; sums of exp of a row):
#   1 position, keepdims not written   onnxruntime [1.0]                 MNN [1.0]
#   4 positions, keepdims not written  onnxruntime [1.0, 1.0, 1.0, 1.0]  MNN [6.3, 7.2, 45.8, 0.8]
#   4 positions, keepdims=1            onnxruntime [1.0, 1.0, 1.0, 1.0]  MNN [1.0, 1.0, 1.0, 1.0]
#   keepdims not written: right Sum Mean Max Min Prod, wrong L1 L2 LogSum LogSumExp SumSquare
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check mnn==3.6.1 onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6

venv/bin/python - <<'PY'
import subprocess
import sys

import MNN
import MNN.expr as expr
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

# The converter as `mnnconvert` calls it, without what that asks pip for (see mnn-converter-calls-pip.sh).
CONVERT = "import _tools; _tools.mnnconvert('x -f ONNX --modelFile net.onnx --MNNModel net.mnn --bizCode tafl'.split())"
onnxruntime.set_default_logger_severity(3)
node = helper.make_node


def run(operator, x, **attributes):
    """What ONNX Runtime and MNN give for x minus the reduction of x along the moves."""
    axes = [helper.make_tensor("axes", TensorProto.INT64, [1], [1])] if operator == "Sum" else []
    attributes |= {} if axes else {"axes": [1]}
    graph = helper.make_graph(
        [node(f"Reduce{operator}", ["x", *(it.name for it in axes)], ["r"], **attributes), node("Sub", ["x", "r"], ["y"])], "moves",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, x.shape)], axes)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, "net.onnx")
    session = onnxruntime.InferenceSession("net.onnx", providers=["CPUExecutionProvider"])
    subprocess.run([sys.executable, "-c", CONVERT], check=True, capture_output=True)
    given = expr.placeholder(x.shape, expr.NCHW)
    given.write(x.ravel().tolist())
    found = MNN.nn.load_module_from_file("net.mnn", ["x"], ["y"]).forward([given])[0]
    return session.run(None, {"x": x})[0], np.array(expr.convert(found, expr.NCHW).read())


logits = np.array([[1, 2, 3, 4], [4, 4, 4, 4], [0, 0, 0, 6], [-3, -1, 0, 2]], np.float32)
sums = []
for name, x, attributes in (("1 position, keepdims not written", logits[:1], {}), ("4 positions, keepdims not written", logits, {}),
                            ("4 positions, keepdims=1", logits, {"keepdims": 1})):
    right, found = (np.exp(y).sum(1).astype(float).round(1).tolist() for y in run("LogSumExp", x, **attributes))
    print(f"{name:34} onnxruntime {str(right):21} MNN {found}")
    assert right == [1] * len(x)
    sums.append(found)
assert sums == [[1], [6.3, 7.2, 45.8, 0.8], [1, 1, 1, 1]], sums
alike = {name: np.allclose(*run(name, np.abs(logits) + 1), rtol=1e-4)
         for name in ("Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "LogSum", "LogSumExp", "SumSquare")}
print("keepdims not written:", ", ".join(f"{word} {' '.join(name for name, it in alike.items() if it == sound)}"
                                         for word, sound in (("right", True), ("wrong", False))))
assert list(alike.values()) == [True] * 5 + [False] * 5
print("as recorded")
PY
