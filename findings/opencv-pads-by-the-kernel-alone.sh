#!/usr/bin/env bash
# OpenCV 5.0.0: cv2.dnn pads by the kernel alone: with auto_pad, layers of stride 2 and windows of two look one square beside.
#
# Good guess: SAME_UPPER puts the odd row of padding behind the board, SAME_LOWER before it, and how many rows there are follows
#   from board, stride and kernel, as ONNX writes. What a reader does not know it refuses.
# What happens: both words mean the same to cv2.dnn: (kernel - 1) / 2 rows before the board, rounded down, whatever the board and
#   the stride, in convolutions and both pools. Odd kernels of stride 1 are right by that, and so most networks; at stride 2 they
#   are right on odd boards only, by SAME_UPPER, which is how Keras pads. Even kernels take SAME_LOWER for SAME_UPPER. The shape
#   is as it should be, and nothing is said. With the same numbers in `pads` OpenCV agrees with the others. (Models that OpenCV
#   reads from TensorFlow itself come another way; not looked at here.)
# Who cares: who plays a network by OpenCV on an even board: behind such a layer every plane stands one square beside the stones.
# Seen on 2026-12-01 with opencv-python-headless 5.0.0.93, onnxruntime 1.32.0, openvino 2026.4.1, onnx 1.23.2 on x86-64 (squares of
#   the board are numbered from 1; what the first output is, and how many of all outputs are as in ONNX Runtime):
#   MaxPool 3,     10x10, stride 2, SAME_UPPER  onnxruntime   23  openvino   23  opencv   12 (1 of 25); by pads   23 (25 of 25)
#   Conv 3,        10x10, stride 2, SAME_UPPER  onnxruntime  108  openvino  108  opencv   26 (0 of 25); by pads  108 (25 of 25)
#   Conv 3,        11x11, stride 2, SAME_UPPER  onnxruntime   28  openvino   28  opencv   28 (36 of 36); by pads   28 (36 of 36)
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


def model(op, kernel, size, stride, **padding):
    """One layer on a square board, a convolution with all weights 1."""
    out = -(-size // stride)
    attributes = dict(kernel_shape=[kernel, kernel], strides=[stride, stride], **padding)
    weights = [numpy_helper.from_array(np.ones((1, 1, kernel, kernel), np.float32), "weights")] if op == "Conv" else []
    node = helper.make_node(op, ["board", *(tensor.name for tensor in weights)], ["planes"], **attributes)
    board = helper.make_tensor_value_info("board", TensorProto.FLOAT, [1, 1, size, size])
    planes = helper.make_tensor_value_info("planes", TensorProto.FLOAT, [1, 1, out, out])
    graph = helper.make_graph([node], "layer", [board], [planes], weights)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    checker.check_model(made, full_check=True)
    return made.SerializeToString()


def by_opencv(data, board):
    net = cv2.dnn.readNetFromONNX(np.frombuffer(data, np.uint8))
    net.setInput(board)
    return net.forward()


def compare(op, kernel, size, stride, word):
    board = np.arange(1, size * size + 1, dtype=np.float32).reshape(1, 1, size, size)
    rows = max((-(-size // stride) - 1) * stride + kernel - size, 0)
    before = rows // 2 if word == "SAME_UPPER" else rows - rows // 2
    data = model(op, kernel, size, stride, auto_pad=word)
    right = onnxruntime.InferenceSession(data).run(None, {"board": board})[0]
    other = next(iter(core.compile_model(core.read_model(data, b""), "CPU")(board).values()))
    found = by_opencv(data, board)
    pads = by_opencv(model(op, kernel, size, stride, pads=[before, before, rows - before, rows - before]), board)
    assert np.allclose(right, other) and right.shape == found.shape
    equal, equal_pads = (int(np.isclose(right, it, rtol=1e-4).sum()) for it in (found, pads))
    first = [f"{it.flat[0]:4.4g}" for it in (right, other, found, pads)]
    print("{:14} {}x{}, stride {}, {}  onnxruntime {}  openvino {}  opencv {} ({} of {}); by pads {} ({} of {})".format(
        f"{op} {kernel},", size, size, stride, word, *first[:3], equal, right.size, first[3], equal_pads, right.size))
    assert equal_pads == right.size
    return equal == right.size


print("opencv", cv2.__version__, "onnxruntime", onnxruntime.__version__, "openvino", openvino.__version__)
for op in ("MaxPool", "AveragePool", "Conv"):
    assert not compare(op, 3, 10, 2, "SAME_UPPER")
    assert compare(op, 3, 11, 2, "SAME_UPPER")
    assert not compare(op, 2, 11, 1, "SAME_LOWER")
    assert compare(op, 2, 11, 1, "SAME_UPPER")
    assert compare(op, 3, 10, 1, "SAME_LOWER")
print("as recorded")
PY
