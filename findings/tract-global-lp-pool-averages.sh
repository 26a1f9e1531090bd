#!/usr/bin/env bash
# tract 0.23.9: GlobalLpPool gives the root of the mean, not of the sum: the length of (3, 4) is 3.54.
#
# Good guess: ONNX defines GlobalLpPool as LpPool over the whole board, and LpPool as the Lp norm of the window:
#   (3, 4) gives 5 for p=2 and 7 for p=1, in every runtime.
# What happens: tract divides by the number of cells before it takes the root. A board of n cells comes out too small
#   by the factor n^(1/p): 11 for 11x11 and p=2, 121 for p=1. ONNX Runtime and OpenVINO give the norm. Nothing warns,
#   and for a board with a single cell all agree. tract's ReduceL2 over the same axes is right.
# Who cares: who pools a policy-value tower globally; the layer after it sees numbers 11 times too small.
# Seen on 2026-11-29 with tract 0.23.9, onnxruntime 1.32.0, openvino 2026.4.1, onnx 1.23.2:
#   (3, 4), p=1           onnxruntime   7.0000  openvino   7.0000  tract  3.5000
#   (3, 4), p=2           onnxruntime   5.0000  openvino   5.0000  tract  3.5355
#   11x11 ones, p=1       onnxruntime 121.0000  openvino 121.0000  tract  1.0000
#   11x11 ones, p=2       onnxruntime  11.0000  openvino  11.0000  tract  1.0000
#   (3, 4) by ReduceL2    onnxruntime   5.0000  openvino   5.0000  tract  5.0000
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check tract==0.23.9 onnx==1.23.2 onnxruntime==1.32.0 openvino==2026.4.1 numpy==2.4.6

venv/bin/python - <<'PY'
import numpy as np
import onnx
import onnxruntime
import openvino
import tract
from onnx import TensorProto, helper


def run(x, operator, **attributes):
    """The answers of ONNX Runtime, OpenVINO and tract."""
    graph = helper.make_graph([helper.make_node(operator, ["x"], ["y"], **attributes)], "pool",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, 1, 1])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, "pool.onnx")
    session = onnxruntime.InferenceSession("pool.onnx", providers=["CPUExecutionProvider"])
    compiled = openvino.Core().compile_model("pool.onnx", "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    prepared = tract.runtime_for_name("default").prepare(tract.onnx().load("pool.onnx").into_model())
    return [round(float(np.ravel(y)[0]), 4)
            for y in (session.run(None, {"x": x})[0], compiled({"x": x})[0], prepared.run([x])[0].to_numpy())]


pair = np.array([3, 4], np.float32).reshape(1, 1, 2, 1)
board = np.ones((1, 1, 11, 11), np.float32)
seen = {"(3, 4), p=1": run(pair, "GlobalLpPool", p=1), "(3, 4), p=2": run(pair, "GlobalLpPool", p=2),
        "11x11 ones, p=1": run(board, "GlobalLpPool", p=1), "11x11 ones, p=2": run(board, "GlobalLpPool", p=2),
        "(3, 4) by ReduceL2": run(pair, "ReduceL2", axes=[2, 3])}
for name, (ort, ov, found) in seen.items():
    print(f"{name:21} onnxruntime {ort:8.4f}  openvino {ov:8.4f}  tract {found:7.4f}")
assert list(seen.values()) == [[7, 7, 3.5], [5, 5, 3.5355], [121, 121, 1], [11, 11, 1], [5, 5, 5]]
print("as recorded")
PY
