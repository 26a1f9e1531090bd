#!/usr/bin/env bash
# onnx 1.23.2: the reference evaluator's AveragePool and LpPool with ceil_mode=1 shift every window.
#
# Good guess: ceil_mode=1 only adds a last window that reaches over the far edge; the first window starts at cell 0, as
#   in MaxPool, and onnx.reference, the oracle to which exporters and runtimes compare, pools the cells that they pool.
# What happens: onnx.reference works out how many cells the last window lacks and puts half of them in front of the
#   board. If it lacks one, half is none and all is well (the cases of the ONNX test suite). If it lacks two or more,
#   each window begins early: the first pools fewer cells of the board, and cells move to the next window.
#   MaxPool of the same evaluator does not shift, nor do ONNX Runtime and OpenVINO.
# Who cares: who pools an 11x11 board by regions of 5x5, and takes the difference for a fault of the runtime or export.
# Seen on 2026-11-29 with onnx 1.23.2, onnxruntime 1.32.0, openvino 2026.4.1 on Python 3.11:
#   [6 5 4 3 2 1], windows of 4: AveragePool  onnx.reference [5.0, 2.5]  onnxruntime [4.5, 1.5]  openvino [4.5, 1.5]
#   [6 5 4 3 2 1], windows of 4: MaxPool      all three [6.0, 2.0]
#   [1 1 1 1 1 1], windows of 4: LpPool, p=1  onnx.reference says that the norm of the first four ones is 3.0
#   11x11, one stone on row 4, column 4, regions of 5x5: onnx.reference finds it in region (1, 1), the others in (0, 0)
#   [5 4 3 2 1],   windows of 3: AveragePool  all three [4.0, 1.5] (one cell lacks)
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check onnx==1.23.2 onnxruntime==1.32.0 openvino==2026.4.1 numpy==2.4.6

venv/bin/python - <<'PY'
import numpy as np
import onnx
import onnxruntime
import openvino
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator


def pool(operator, cells, window, **attributes):
    """The answers of the reference evaluator, ONNX Runtime and OpenVINO; windows do not overlap."""
    x = np.array(cells, np.float32)[None, None]
    size = [window] * (x.ndim - 2)
    node = helper.make_node(operator, ["x"], ["y"], kernel_shape=size, strides=size, ceil_mode=1, **attributes)
    shape = [1, 1, *(-(-n // window) for n in x.shape[2:])]
    graph = helper.make_graph([node], "pool", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)])
    model.ir_version = 10
    onnx.checker.check_model(model, full_check=True)
    data = model.SerializeToString()
    answers = {"onnx.reference": ReferenceEvaluator(model).run(None, {"x": x})[0]}
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    answers["onnxruntime"] = session.run(None, {"x": x})[0]
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(data), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    answers["openvino"] = compiled({"x": x})[0]
    return {name: np.round(y[0, 0], 4).tolist() for name, y in answers.items()}


falling = [6, 5, 4, 3, 2, 1]
average = pool("AveragePool", falling, 4)
largest = pool("MaxPool", falling, 4)
norms = pool("LpPool", [1] * 6, 4, p=1)
print("AveragePool", average)
print("MaxPool    ", largest)
print("LpPool     ", norms)
assert average == {"onnx.reference": [5.0, 2.5], "onnxruntime": [4.5, 1.5], "openvino": [4.5, 1.5]}
assert set(map(tuple, largest.values())) == {(6.0, 2.0)}
assert norms["onnx.reference"][0] == 3.0 and norms["onnxruntime"][0] == norms["openvino"][0] == 4.0

# One stone on a board, pooled by regions of 5x5: 3x3 regions, the last ones cut off at one row or column.
board = np.zeros((11, 11))
board[4, 4] = 1
places = {}
for name, regions in pool("AveragePool", board, 5).items():
    places[name] = [tuple(map(int, place)) for place in np.argwhere(regions)]
    print(name, "finds the stone of row 4, column 4 in the region", places[name])
assert places == {"onnx.reference": [(1, 1)], "onnxruntime": [(0, 0)], "openvino": [(0, 0)]}

one_lacks = pool("AveragePool", [5, 4, 3, 2, 1], 3)
print("AveragePool, one cell lacks", one_lacks)
assert set(map(tuple, one_lacks.values())) == {(4.0, 1.5)}
print("as recorded")
PY
