#!/usr/bin/env bash
# MNN 3.6.1: a bool is whatever integer it was cast from; a Hnefatafl board of 121 squares has 132 empty ones.
#
# Good guess: ONNX says that Cast to bool makes 0 false and everything else true; cast on to numbers, true is 1. The converter says
#   which operators it does not know (IsNaN, Hardmax and others), and Cast is not among them.
# What happens: Cast to bool cuts off the fraction and keeps the rest, sign and all: -1 stays -1, and 0.5 becomes 0, false. Not
#   computes 1 - x. So of a board with 1 for the own men and -1 for the other side's, "occupied" is the board itself, and the sum
#   of it is the difference of men instead of their number; "not occupied" is 2 on each square of the other side. Where
#   looks for 0 alone, and so a test that masks with such a bool sees nothing but the fractions. Comparisons give 0 and 1, and
#   board != 0 is right. The converter says "Converted Success!".
# Who cares: who exports x.bool() in a network or its features (count of men left, empty squares, masks) to a phone by MNN.
# Seen on 2026-12-01 with mnn 3.6.1, onnx 1.23.2, onnxruntime 1.32.0 on Python 3.11 (24 men are -1, 13 are 1; numbers of squares):
#   occupied, bool(board)      onnxruntime   37  MNN  -11
#   empty, not bool(board)     onnxruntime   84  MNN  132
#   squares where 0.5 is true  onnxruntime  121  MNN    0
#   occupied, board != 0       onnxruntime   37  MNN   37
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


def run(nodes, x):
    """The answers of ONNX Runtime and MNN: how many of a board's squares are true."""
    nodes = [*nodes, node("Cast", ["true"], ["numbers"], to=TensorProto.FLOAT), node("ReduceSum", ["numbers"], ["y"], keepdims=0)]
    graph = helper.make_graph(nodes, "count", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [])],
                              [helper.make_tensor("zero", TensorProto.FLOAT, [], [0])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, "net.onnx")
    session = onnxruntime.InferenceSession("net.onnx", providers=["CPUExecutionProvider"])
    subprocess.run([sys.executable, "-c", CONVERT], check=True, capture_output=True)
    given = expr.placeholder(x.shape, expr.NCHW)
    given.write(x.ravel().tolist())
    found = MNN.nn.load_module_from_file("net.mnn", ["x"], ["y"]).forward([given])[0]
    return [float(np.ravel(y)[0]) for y in (session.run(None, {"x": x})[0], expr.convert(found, expr.NCHW).read())]


# The start of Hnefatafl, 24 attackers against 13 defenders, and an even plane of probabilities.
board = np.zeros(121, np.float32)
board[:24], board[24:37] = -1, 1
board, even = board.reshape(1, 1, 11, 11), np.full((1, 1, 11, 11), 0.5, np.float32)
boolean = node("Cast", ["x"], ["bool"], to=TensorProto.BOOL)
seen = {"occupied, bool(board)": run([node("Cast", ["x"], ["true"], to=TensorProto.BOOL)], board),
        "empty, not bool(board)": run([boolean, node("Not", ["bool"], ["true"])], board),
        "squares where 0.5 is true": run([node("Cast", ["x"], ["true"], to=TensorProto.BOOL)], even),
        "occupied, board != 0": run([node("Equal", ["x", "zero"], ["bool"]), node("Not", ["bool"], ["true"])], board)}
for name, (right, found) in seen.items():
    print(f"{name:26} onnxruntime {right:4.0f}  MNN {found:4.0f}")
assert list(seen.values()) == [[37, -11], [84, 132], [121, 0], [37, 37]], seen
print("as recorded")
PY
