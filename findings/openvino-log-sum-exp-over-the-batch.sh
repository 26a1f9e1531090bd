#!/usr/bin/env bash
# OpenVINO 2026.4.1: ReduceLogSumExp, ReduceLogSum and ReduceL1 of opsets 13 to 17 add up the whole batch, whatever the axes.
#
# Good guess: in these opsets `axes` is an attribute (ReduceSum alone took it as an input early, in 13), and whoever reads the
#   attribute of ReduceL2 reads that of ReduceL1. A missing axis would at least give a shape that the next layer refuses.
# What happens: for three of the ten reductions OpenVINO looks for a second input, as opset 18 has it, finds none and reduces over
#   everything, to one number. With keepdims that number fits into whatever subtracts it: logits - ReduceLogSumExp(logits), the
#   usual log-softmax by hand, keeps its shape, and each position's chances depend on who else is in the batch. With a
#   batch of one the last axis is all there is, and all is well: a test of one position sees nothing. Opsets 11, 12 and 18 are
#   read rightly. (OpenVINO's issue 38238 and pull request 38241 of September 2026 say the same of ReduceL1 and the others; both
#   were open when this was written, and 2026.4.1 has the fault.)
# Who cares: who searches with OpenVINO: 16 positions in a batch share out one hundred per cent among all their moves.
# Seen on 2026-12-01 with openvino 2026.4.1, onnxruntime 1.32.0, onnx 1.23.2, numpy 2.4.6 on Python 3.11 (the sum of the chances of
#   the first position's moves; 16 positions of 200 moves each, in batches of 1, 2 and 16):
#   opset 12: onnxruntime 1.0000 1.0000 1.0000  openvino 1.0000 1.0000 1.0000
#   opset 13: onnxruntime 1.0000 1.0000 1.0000  openvino 1.0000 0.4902 0.0608
#   opset 17: onnxruntime 1.0000 1.0000 1.0000  openvino 1.0000 0.4902 0.0608
#   opset 18: onnxruntime 1.0000 1.0000 1.0000  openvino 1.0000 1.0000 1.0000
#   opset 13, ReduceL1 of a 2x4 batch: onnxruntime [1.0032 3.6115]  openvino [4.6146]
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check openvino==2026.4.1 onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6

venv/bin/python -W ignore - <<'PY'
import numpy as np
import onnxruntime
import openvino
from onnx import TensorProto, checker, helper, numpy_helper

ALL = "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSumSquare".split()
core = openvino.Core()
core.set_property("CPU", {"INFERENCE_PRECISION_HINT": "f32"})


def both(nodes, opset, values, constants=()):
    """What ONNX Runtime and OpenVINO make of the nodes."""
    given = helper.make_tensor_value_info("given", TensorProto.FLOAT, ["batch", values.shape[1]])
    out = helper.make_tensor_value_info("out", TensorProto.FLOAT, ["rows", "columns"])
    graph = helper.make_graph(nodes, "head", [given], [out], list(constants))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    checker.check_model(model)
    data = model.SerializeToString()
    right = onnxruntime.InferenceSession(data).run(None, {"given": values})[0]
    found = next(iter(core.compile_model(core.read_model(data, b""), "CPU")(values).values()))
    return right, found


def reduction(op, opset, name):
    """The operator along the last axis, with the constants that it needs."""
    if opset < 18:
        return helper.make_node(op, ["given"], [name], axes=[1], keepdims=1), []
    return helper.make_node(op, ["given", "axes"], [name], keepdims=1), [numpy_helper.from_array(np.array([1]), "axes")]


print("openvino", openvino.__version__, "onnxruntime", onnxruntime.__version__)
logits = np.random.default_rng(0).normal(size=(16, 200)).astype(np.float32)
for opset in (12, 13, 17, 18):
    node, constants = reduction("ReduceLogSumExp", opset, "total")
    nodes = [node, helper.make_node("Sub", ["given", "total"], ["logs"]), helper.make_node("Exp", ["logs"], ["out"])]
    sums = [[float(it[0].sum()) for it in both(nodes, opset, logits[:batch], constants)] for batch in (1, 2, 16)]
    texts = [" ".join(f"{row[which]:.4f}" for row in sums) for which in (0, 1)]
    print(f"opset {opset}: onnxruntime {texts[0]}  openvino {texts[1]}")
    assert np.allclose([row[0] for row in sums], 1, atol=1e-4)
    assert np.allclose([row[1] for row in sums], 1, atol=1e-4) == (opset in (12, 18))
    assert opset in (12, 18) or sums[0][1] > 0.999 > 0.6 > sums[1][1] > 0.2 > sums[2][1]
wrong = []
for op in ALL:
    node, constants = reduction(op, 13, "out")
    right, found = both([node], 13, np.abs(logits[:2, :4]))
    if right.shape != found.shape:
        wrong.append(op)
        print(f"opset 13, {op} of a 2x4 batch: onnxruntime {np.round(right.ravel(), 4)}  openvino {np.round(found.ravel(), 4)}")
print("wrong in opset 13:", ", ".join(wrong))
assert wrong == ["ReduceL1", "ReduceLogSum", "ReduceLogSumExp"]
print("as recorded")
PY
