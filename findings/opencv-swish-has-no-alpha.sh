#!/usr/bin/env bash
# OpenCV 5.0.0: cv2.dnn knows the Swish of ONNX's opset 24, but not its alpha: every Swish is that of alpha 1.
#
# Good guess: Swish(x) is x * sigmoid(alpha * x), and alpha is its only attribute; a reader that knows the operator knows that, or
#   refuses what it cannot do. cv2.dnn does obey alpha in Elu and Celu.
# What happens: the attribute is not looked at. Shape and signs are right, far from 0 the numbers are close as well, and with alpha 1
#   they are right, which is the default and what a test takes. The same function spelled as Mul, Sigmoid and Mul is right.
# Who cares: who plays a network by OpenCV in which Swish stands for GELU (alpha 1.702), or with a trained alpha: each layer is a
#   little off, and the value of the position is another one.
# Seen on 2026-12-01 with opencv-python-headless 5.0.0.93, onnxruntime 1.32.0, openvino 2026.4.1, onnx 1.23.2 (Swish of -2, -1, 1, 2):
#   alpha 1:     onnxruntime -0.2384 -0.2689 0.7311 1.7616  openvino the same  opencv -0.2384 -0.2689 0.7311 1.7616
#   alpha 1.702: onnxruntime -0.0643 -0.1542 0.8458 1.9357  openvino the same  opencv -0.2384 -0.2689 0.7311 1.7616
#   alpha 0.5:   onnxruntime -0.5379 -0.3775 0.6225 1.4621  openvino the same  opencv -0.2384 -0.2689 0.7311 1.7616
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check \
  opencv-python-headless==5.0.0.93 onnx==1.23.2 onnxruntime==1.32.0 openvino==2026.4.1 numpy==2.4.6

venv/bin/python -W ignore - <<'PY'
import cv2
import numpy as np
import onnxruntime
import openvino
from onnx import TensorProto, checker, helper, numpy_helper

core = openvino.Core()
core.set_property("CPU", {"INFERENCE_PRECISION_HINT": "f32"})
values = np.array([[-2, -1, 1, 2]], np.float32)


def run(nodes, constants=()):
    """What ONNX Runtime, OpenVINO and OpenCV make of the values."""
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4]) for name in ("given", "out")]
    graph = helper.make_graph(nodes, "layer", ends[:1], ends[1:], list(constants))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)], ir_version=10)
    checker.check_model(model, full_check=True)
    data = model.SerializeToString()
    net = cv2.dnn.readNetFromONNX(np.frombuffer(data, np.uint8))
    net.setInput(values)
    return [
        onnxruntime.InferenceSession(data).run(None, {"given": values})[0],
        next(iter(core.compile_model(core.read_model(data, b""), "CPU")(values).values())),
        net.forward(),
    ]


def text(row):
    return " ".join(f"{number:.4f}" for number in row.flat)


print("opencv", cv2.__version__, "onnxruntime", onnxruntime.__version__, "openvino", openvino.__version__)
for alpha in (1, 1.702, 0.5):
    exact = values / (1 + np.exp(-alpha * values))
    right, other, found = run([helper.make_node("Swish", ["given"], ["out"], alpha=float(alpha))])
    assert np.allclose(right, exact, atol=1e-4) and np.allclose(other, exact, atol=1e-4)
    print(f"{f'alpha {alpha}:':12} onnxruntime {text(right)}  openvino the same  opencv {text(found)}")
    assert np.allclose(found, values / (1 + np.exp(-values)), atol=1e-4)
    factor = numpy_helper.from_array(np.array(alpha, np.float32), "alpha")
    nodes = [helper.make_node(*node) for node in (
        ("Mul", ["given", "alpha"], ["scaled"]), ("Sigmoid", ["scaled"], ["gate"]), ("Mul", ["given", "gate"], ["out"]))]
    assert all(np.allclose(it, exact, atol=1e-4) for it in run(nodes, [factor]))
print("as recorded")
PY
