#!/usr/bin/env bash
# OpenCV 5.0.0: cv2.dnn's LogSoftmax is minus infinity from 88 below the best move on, and its ReduceLogSumExp plus infinity above 88.
#
# Good guess: both operators exist because the logarithm of a softmax must not be taken in two steps: a move 100 below the best has
#   the logarithm -100, which float32 holds easily. Runtimes take the maximum away first.
# What happens: OpenCV takes the softmax, in which exp flushes to 0 what float32 has no normal number for, and then its logarithm.
#   ReduceLogSumExp does not take the maximum away at all: it is infinite for logits above 88, and minus infinity for a row in which
#   all are at -88 or below. No warning. Softmax itself is right, and nobody looks at the logarithms of moves that are never played: they
#   come out in a loss, where 0 times minus infinity is NaN. (onnx's own evaluator had the like below -103: its pull request 8423.)
# Who cares: who measures the cross-entropy of a network with a log-softmax head by OpenCV: one move that search never tried and
#   the network is sure of makes the mean of all games NaN.
# Seen on 2026-12-01 with opencv-python-headless 5.0.0.93, onnxruntime 1.32.0, openvino 2026.4.1, onnx 1.23.2 on x86-64:
#   LogSoftmax of 0 and  -80: onnxruntime  -80.0  openvino  -80.0  opencv  -80.0
#   LogSoftmax of 0 and  -87: onnxruntime  -87.0  openvino  -87.0  opencv  -87.0
#   LogSoftmax of 0 and  -90: onnxruntime  -90.0  openvino  -90.0  opencv   -inf
#   LogSoftmax of 0 and -100: onnxruntime -100.0  openvino -100.0  opencv   -inf
#   cross-entropy of the last with the target 1 and 0: onnxruntime 0.0  openvino 0.0  opencv nan
#   ReduceLogSumExp of   88 twice: onnxruntime   88.7  openvino   88.7  opencv   88.7
#   ReduceLogSumExp of   90 twice: onnxruntime   90.7  openvino   90.7  opencv    inf
#   ReduceLogSumExp of -100 twice: onnxruntime  -99.3  openvino  -99.3  opencv   -inf
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


def run(op, logits):
    """What ONNX Runtime, OpenVINO and OpenCV give for one row of logits."""
    if op == "LogSoftmax":
        node, constants, size = helper.make_node(op, ["logits"], ["logs"], axis=1), [], 2
    else:  # the axes as an input, which all three read
        node, constants, size = helper.make_node(op, ["logits", "axes"], ["logs"]), [numpy_helper.from_array(np.array([1]), "axes")], 1
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, n]) for name, n in (("logits", 2), ("logs", size))]
    graph = helper.make_graph([node], "head", ends[:1], ends[1:], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    checker.check_model(model, full_check=True)
    data, row = model.SerializeToString(), np.array([logits], np.float32)
    net = cv2.dnn.readNetFromONNX(np.frombuffer(data, np.uint8))
    net.setInput(row)
    return [
        onnxruntime.InferenceSession(data).run(None, {"logits": row})[0][0],
        next(iter(core.compile_model(core.read_model(data, b""), "CPU")(row).values()))[0],
        net.forward()[0],
    ]


def show(title, numbers, width=6):
    texts = [f"{name} {number:{width}.1f}" for name, number in zip(("onnxruntime", "openvino", "opencv"), numbers)]
    print(f"{title}: {'  '.join(texts)}")


print("opencv", cv2.__version__, "onnxruntime", onnxruntime.__version__, "openvino", openvino.__version__)
for gap in (80, 87, 90, 100):
    rows = run("LogSoftmax", [0, -gap])
    show(f"LogSoftmax of 0 and {-gap:4}", [row[1] for row in rows])
    assert np.allclose([row[1] for row in rows[:2]], -gap)
    assert rows[2][1] == -np.inf if gap > 88 else np.isclose(rows[2][1], -gap)
losses = [-(np.array([1, 0], np.float32) * row).sum() + 0.0 for row in rows]
show("cross-entropy of the last with the target 1 and 0", losses, 0)
assert np.allclose(losses[:2], 0) and np.isnan(losses[2])
for logit, wrong in ((88, None), (90, np.inf), (-100, -np.inf)):
    sums = [row[0] for row in run("ReduceLogSumExp", [logit, logit])]
    show(f"ReduceLogSumExp of {logit:4} twice", sums)
    assert np.allclose(sums[:2], logit + np.log(2))
    assert sums[2] == wrong if wrong else np.isclose(sums[2], logit + np.log(2))
print("as recorded")
PY
