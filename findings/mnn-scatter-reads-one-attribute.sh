#!/usr/bin/env bash
# MNN 3.6.1: its converter reads one attribute of ScatterElements, the first in the file: `axis` or `reduction`, never both.
#
# Good guess: attributes have names, and their order in the file means nothing. By axis=1 and reduction="add" (opset 16) numbers are
#   put along the columns, and what lands on one square is added up, as by PyTorch's scatter_add. A converter that does not know an
#   attribute says so, as this one does of operators.
# What happens: if `axis` stands first, as onnx.helper sorts it, `reduction` is lost: the last number put on a square replaces the others.
#   If `reduction` stands first it is heeded, and now `axis` is lost: the numbers go along the rows, to the squares of other
#   positions. Nets with one of the two attributes are right. ScatterND never adds, in any order. Shapes are right, and the converter
#   says "Converted Success!". (That TVM ignores `reduction` was its issue 19435.)
# Who cares: who sums a policy by the square that a move starts from, or counts visits, inside the network: squares with many moves
#   lose most of their weight on the phone; rows no longer sum to 1, which a softmax behind it hides.
# Seen on 2026-12-01 with mnn 3.6.1, onnx 1.23.2, onnxruntime 1.32.0 on Python 3.11 (three positions, a row each, with three moves):
#   onnxruntime, all three                 [[0.0, 0.8, 0.2], [0.3, 0.0, 0.7], [0.0, 0.0, 1.0]]
#   MNN, ScatterElements, axis, reduction  [[0.0, 0.3, 0.2], [0.1, 0.0, 0.7], [0.0, 0.0, 0.8]]
#   MNN, ScatterElements, reduction, axis  [[0.2, 0.0, 0.1], [0.5, 0.3, 0.0], [0.1, 0.8, 1.0]]
#   MNN, ScatterND, reduction              [[0.0, 0.3, 0.2], [0.1, 0.0, 0.7], [0.0, 0.0, 0.8]]
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
from onnx import TensorProto, helper, numpy_helper

# The converter as `mnnconvert` calls it, without what that asks pip for (see mnn-converter-calls-pip.sh).
CONVERT = "import _tools; _tools.mnnconvert('x -f ONNX --modelFile net.onnx --MNNModel net.mnn --bizCode tafl'.split())"
onnxruntime.set_default_logger_severity(3)
node = helper.make_node


def run(put, squares):
    """What ONNX Runtime and MNN make of these priors, put on the squares of empty boards."""
    graph = helper.make_graph([put], "put", [helper.make_tensor_value_info("priors", TensorProto.FLOAT, PRIORS.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3, 3])],
                              [numpy_helper.from_array(np.zeros((3, 3), np.float32), "empty"),
                               numpy_helper.from_array(squares, "squares")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, "net.onnx")
    session = onnxruntime.InferenceSession("net.onnx", providers=["CPUExecutionProvider"])
    subprocess.run([sys.executable, "-c", CONVERT], check=True, capture_output=True)
    given = expr.placeholder(PRIORS.shape, expr.NCHW)
    given.write(PRIORS.ravel().tolist())
    found = MNN.nn.load_module_from_file("net.mnn", ["priors"], ["y"]).forward([given])[0]
    return [np.round(y.astype(float), 1) for y in (session.run(None, {"priors": PRIORS})[0], expr.convert(found, expr.NCHW).read())]


def elements(*order, **attributes):
    made = node("ScatterElements", ["empty", "squares", "priors"], ["y"], **attributes)
    made.attribute.sort(key=lambda it: order.index(it.name))
    return made


# Three positions on three squares, with three moves each: from which square, and how likely.
SQUARES = np.array([[1, 1, 2], [0, 2, 0], [2, 2, 2]])
PRIORS = np.array([[0.5, 0.3, 0.2], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]], np.float32)
cells = np.stack([np.arange(3)[:, None] + 0 * SQUARES, SQUARES], axis=-1)
scatter_nd = node("ScatterND", ["empty", "squares", "priors"], ["y"], reduction="add")
cases = {"ScatterElements, axis, reduction": (elements("axis", "reduction", axis=1, reduction="add"), SQUARES),
         "ScatterElements, reduction, axis": (elements("reduction", "axis", axis=1, reduction="add"), SQUARES),
         "ScatterND, reduction": (scatter_nd, cells)}
last, sums, across = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3))
for (position, move), square in np.ndenumerate(SQUARES):
    last[position, square] = PRIORS[position, move]
    sums[position, square] += PRIORS[position, move]
    across[square, move] += PRIORS[position, move]
print(f"onnxruntime, all three                 {sums.round(1).tolist()}")
for (name, case), expected in zip(cases.items(), (last, across, last)):
    right, found = run(*case)
    print(f"MNN, {name:33} {found.tolist()}")
    assert np.allclose(right, sums) and np.allclose(found, expected), name
print("as recorded")
PY
