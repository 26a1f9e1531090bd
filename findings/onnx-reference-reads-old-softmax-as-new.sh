#!/usr/bin/env bash
# onnx 1.23.2: the reference evaluator computes Softmax, LogSoftmax and Hardmax of opsets 7 to 12 by the rule of 13.
#
# Good guess: onnx.reference, to which exporters and runtimes are compared, picks the definition that the model's opset names.
#   Before 13 that is: all axes from `axis` (1, if missing) on are one row, so a policy head of planes over a board gives
#   one distribution over all moves. And onnx.version_converter, which writes the step to 13 out with Flatten and Reshape
#   for Softmax and LogSoftmax, does so for the third operator that changed in the same way.
# What happens: the evaluator has one definition for all opsets. Without `axis` it normalizes along the files alone, with
#   axis=1 along the planes alone: of 3 planes of 4x4 the "probabilities" of one position sum to 12 or 16. No word, although
#   the evaluator keeps several definitions of other operators. The converter lifts Hardmax unchanged:
#   one best move before, twelve or sixteen after. (That OpenVINO and TVM mistook Softmax is reported: 37823, 20183.)
# Who cares: who checks an older network, or a runtime that reads it right, by the reference, and "mends" what is right.
# Seen on 2026-11-29 with onnx 1.23.2, onnxruntime 1.32.0 on Python 3.11 (sum of a position's outputs; LogSoftmax: of their
#   exponentials; converted: to opset 18, in ONNX Runtime; the same for opsets 7 and 12):
#   Softmax    opset 11, no axis: onnxruntime  1  onnx.reference 12  converted  1
#   Softmax    opset 11, axis 1:  onnxruntime  1  onnx.reference 16  converted  1
#   LogSoftmax as Softmax
#   Hardmax    opset 11, no axis: onnxruntime  1  onnx.reference 12  converted 12
#   Hardmax    opset 11, axis 1:  onnxruntime  1  onnx.reference 16  converted 16
#   all three, opset 13, axis 1:  onnxruntime 16  onnx.reference 16
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6

venv/bin/python - <<'PY'
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, version_converter
from onnx.reference import ReferenceEvaluator

SHAPE = 2, 3, 4, 4  # positions, planes, ranks, files
planes = np.random.default_rng(1).normal(size=SHAPE).astype(np.float32)


def head(operator, opset, attributes):
    graph = helper.make_graph([helper.make_node(operator, ["x"], ["y"], **attributes)], "policy",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, SHAPE)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=6)
    onnx.checker.check_model(model, full_check=True)
    return model


def run(model):
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"x": planes})[0]


def total(operator, y):
    return round(float((np.exp(y) if operator == "LogSoftmax" else y)[0].sum()))


for operator in ("Softmax", "LogSoftmax", "Hardmax"):
    for opset, attributes in ((7, {"axis": 1}), (11, {}), (11, {"axis": 1}), (12, {"axis": 1}), (13, {"axis": 1})):
        model = head(operator, opset, attributes)
        found = [total(operator, y) for y in (run(model), ReferenceEvaluator(model).run(None, {"x": planes})[0],
                                              run(version_converter.convert_version(model, 18)))]
        axis = f"axis {attributes['axis']}: " if attributes else "no axis:"
        print(f"{operator:10} opset {opset:2}, {axis} onnxruntime {found[0]:2}  onnx.reference {found[1]:2}  converted {found[2]:2}")
        reference = 16 if attributes else 12
        before = 16 if opset == 13 else 1
        assert found == [before, reference, reference if operator == "Hardmax" else before]
print("as recorded")
PY
