#!/usr/bin/env bash
# onnxslim 0.1.98: a product along the board's files is folded into a convolution as if it were one along its planes.
#
# Good guess: ONNX lines shapes up from the right, so a vector of 7 behind a convolution with 7 planes of 7x7 scales the
#   files. A product can be folded into weights only if it scales the planes (shape 7x1x1); the others are left alone.
# What happens: onnxslim squeezes the constant and compares its length with the number of planes. If they are equal, it
#   multiplies plane 0 by the factor of file a, and so on: for vectors along files and along ranks, behind Conv and
#   ConvTranspose. With 8 planes on the same board nothing is folded, and nothing goes wrong. onnxslim
#   prints no word, and onnx.checker and ONNX Runtime are content with the result. A sum is folded right, and a product
#   with the constant on the left is not folded. ONNX Runtime's own optimizer and OpenVINO do it right.
# Who cares: who masks or weighs edge files inside the network (here: a policy that never moves to the edge files) and has
#   as many planes as files: 7 in Brandubh, 11 in Copenhagen, 8 in chess, 19 in go.
# Seen on 2026-11-29 with onnxslim 0.1.98, onnx 1.23.2, onnxruntime 1.32.0, openvino 2026.4.1 on Python 3.11:
#   Mul, 7 planes, along files (7)    WRONG, off by 8.059; cells of the edge files not 0: 70, without onnxslim 0
#   Mul, 7 planes, along ranks (7x1)  WRONG, off by 10.369
#   Mul, 7 planes, planes (7x1x1)     right; so are 8 planes, Add, and the constant on the left
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check onnxslim==0.1.98 onnx==1.23.2 onnxruntime==1.32.0 openvino==2026.4.1 numpy==2.4.6

venv/bin/python - <<'PY'
import numpy as np
import onnx
import onnxruntime
import onnxslim
import openvino
from onnx import TensorProto, helper, numpy_helper

rng = np.random.default_rng(1)
board = rng.integers(0, 2, (1, 3, 7, 7)).astype(np.float32)


def network(operator, planes, factor, left=False):
    """A convolution and a product or sum with a constant."""
    weights = rng.normal(size=(planes, 3, 3, 3)).astype(np.float32)
    nodes = [helper.make_node("Conv", ["x", "weights"], ["planes"], pads=[1] * 4),
             helper.make_node(operator, ["factor", "planes"] if left else ["planes", "factor"], ["y"])]
    graph = helper.make_graph(nodes, "head", [helper.make_tensor_value_info("x", TensorProto.FLOAT, board.shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, planes, 7, 7])],
                              [numpy_helper.from_array(weights, "weights"), numpy_helper.from_array(factor, "factor")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    return model


def run(model, level=onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": board})[0]


inner = np.array([0, 1, 1, 1, 1, 1, 0], np.float32)  # nothing on the edge files
cases = {"Mul, 7 planes, along files (7)": ("Mul", 7, inner), "Mul, 7 planes, along ranks (7x1)": ("Mul", 7, inner[:, None]),
         "Mul, 7 planes, planes (7x1x1)": ("Mul", 7, inner[:, None, None]), "Mul, 8 planes, along files (7)": ("Mul", 8, inner),
         "Add, 7 planes, along files (7)": ("Add", 7, inner), "Mul, 7 planes, constant on the left": ("Mul", 7, inner, True)}
wrong = []
for name, case in cases.items():
    model = network(*case)
    exact, slim = run(model), onnxslim.slim(model)
    onnx.checker.check_model(slim, full_check=True)
    found = run(slim)
    assert np.allclose(run(model, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL), exact, atol=1e-4)
    compiled = openvino.Core().compile_model(openvino.Core().read_model(model.SerializeToString()), "CPU",
                                             {"INFERENCE_PRECISION_HINT": "f32"})
    assert np.allclose(compiled({"x": board})[0], exact, atol=1e-4)
    wrong.append(not np.allclose(found, exact, atol=1e-4))
    edge = int(np.count_nonzero(found[..., [0, 6]])), int(np.count_nonzero(exact[..., [0, 6]]))
    print(f"{name:36} nodes {len(slim.graph.node)}, onnxslim {'WRONG' if wrong[-1] else 'right'}, off by"
          f" {np.abs(found - exact).max():.3f}; cells of the edge files not 0: {edge[0]}, without onnxslim {edge[1]}")
assert wrong == [True, True, False, False, False, False], wrong
print("as recorded")
PY
