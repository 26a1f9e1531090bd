#!/usr/bin/env bash
# nncf 3.4.0: nncf.quantize's correction of biases makes the bias that it should remove five times larger; of an ONNX model that
# OpenVINO read it does nothing, without a word.
#
# Good guess: fast bias correction is on by default because it helps: it compares each layer's mean output before and
#   after quantization and adds the difference to the bias. With it the outputs' means are nearer, or at worst as near.
#   It depends on the network, not on the library that holds it.
# What happens: of convolutions and ReLU the means of the output planes end up five times as far from those of the exact
#   network as without the correction, and the error as a whole doubles (each layer is compared on one board of its
#   channels' means). OpenVINO reads an ONNX convolution's bias as a Reshape of a constant; NNCF takes that for a
#   convolution without bias and corrects nothing. Once constants are folded it corrects, with the same errors as in ONNX.
# Who cares: who quantizes a policy-value network with the defaults and gives up 8 bits as too coarse: win, draw and loss
#   of one were 0.02 off instead of 0.004. Who compares both libraries blames the wrong one.
# Seen on 2026-11-29 with nncf 3.4.0, onnx 1.23.2, onnxruntime 1.32.0, openvino 2026.4.1 on Python 3.11 (errors of the
#   outputs, whose deviation is 0.23; last digits may depend on the CPU):
#   onnx      default: 3 biases changed, mean error of a plane at most 0.0137, all errors 0.0128   not corrected: 0.0024, 0.0067
#   openvino  default: 0 biases changed, mean error of a plane at most 0.0025, all errors 0.0067   not corrected: 0.0025, 0.0067
#   folded    default: 3 biases changed, mean error of a plane at most 0.0136, all errors 0.0128   not corrected: 0.0025, 0.0067
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check nncf==3.4.0 onnx==1.23.2 onnxruntime==1.32.0 openvino==2026.4.1 numpy==2.4.6

venv/bin/python - 2> log <<'PY' || { cat log >&2; exit 1; }
import logging

import nncf
import numpy as np
import onnxruntime
import openvino
from onnx import TensorProto, helper, numpy_helper
from openvino.passes import ConstantFolding, Manager

nncf.set_log_level(logging.ERROR)
PLANES, CHANNELS, SIZE, LAYERS = 8, 16, 11, 4


def network():
    """Convolutions with ReLU between them and weights as they are drawn before training."""
    chance, tensors, nodes, value, inputs = np.random.default_rng(1), [], [], "x", PLANES
    for layer in range(LAYERS + 1):
        weight = chance.normal(size=(CHANNELS, inputs, 3, 3)) * np.sqrt(2 / (9 * inputs))
        bias = chance.normal(size=CHANNELS) * 0.1
        for name, numbers in (("weight", weight), ("bias", bias)):
            tensors.append(numpy_helper.from_array(numbers.astype(np.float32), f"{name}{layer}"))
        output = "y" if layer == LAYERS else f"conv{layer}"
        nodes.append(helper.make_node("Conv", [value, f"weight{layer}", f"bias{layer}"], [output], name=f"conv{layer}",
                                      kernel_shape=[3, 3], pads=[1, 1, 1, 1]))
        if layer < LAYERS:
            nodes.append(helper.make_node("Relu", [output], [f"relu{layer}"], name=f"relu{layer}"))
        value, inputs = f"relu{layer}", CHANNELS
    shapes = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", planes, SIZE, SIZE])
              for name, planes in (("x", PLANES), ("y", CHANNELS))]
    model = helper.make_model(helper.make_graph(nodes, "network", shapes[:1], shapes[1:], tensors),
                              opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    return model


def stones(seed):
    """Boards on which a tenth of the squares is taken."""
    return (np.random.default_rng(seed).random((256, PLANES, SIZE, SIZE)) < 0.1).astype(np.float32)


def read(form, data):
    """The network in ONNX, as OpenVINO reads it, or that with its constants folded."""
    if form == "onnx":
        return network()
    model = openvino.Core().read_model(data)
    if form == "folded":
        passes = Manager()
        passes.register_pass(ConstantFolding())
        passes.run_passes(model)
    return model


def biases(form, model):
    """The biases of a quantized network, layer by layer."""
    if form == "onnx":
        tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
        return [tensors[node.input[2]].ravel() for node in model.graph.node if node.op_type == "Conv"]
    found = []
    for add in (it for it in model.get_ordered_ops() if it.get_type_name() == "Add"):
        node = add.input_value(1).get_node()
        while node.get_type_name() != "Constant":
            node = node.input_value(0).get_node()
        found.append(node.data.ravel().copy())
    return found


def quantized(form, disable):
    """Biases, the largest mean error of an output plane, and the root of the mean square of all errors, on other boards."""
    data = network().SerializeToString()
    batches = nncf.Dataset(np.split(stones(1), 16), lambda boards: {"x": boards})
    options = nncf.AdvancedQuantizationParameters(disable_bias_correction=disable)
    small = nncf.quantize(read(form, data), batches, advanced_parameters=options)
    boards = stones(2)
    exact = onnxruntime.InferenceSession(data).run(None, {"x": boards})[0]
    if form == "onnx":
        found = onnxruntime.InferenceSession(small.SerializeToString()).run(None, {"x": boards})[0]
    else:
        found = openvino.Core().compile_model(small, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})({"x": boards})["y"]
    error = found - exact
    return biases(form, small), float(np.abs(error.mean((0, 2, 3))).max()), float(np.sqrt((error**2).mean()))


for form in ("onnx", "openvino", "folded"):
    (kept, plain_mean, plain_errors), (corrected, mean, errors) = quantized(form, True), quantized(form, False)
    assert len(kept) == len(corrected) == LAYERS + 1, "not a bias for each layer"
    changed = sum(not np.array_equal(a, b) for a, b in zip(kept, corrected, strict=True))
    print(f"{form:9} default: {changed} biases changed, mean error of a plane at most {mean:.4f}, all errors {errors:.4f}   "
          f"not corrected: {plain_mean:.4f}, {plain_errors:.4f}")
    if form == "openvino":
        assert changed == 0 and (mean, errors) == (plain_mean, plain_errors), "the model as read is corrected now"
    else:
        assert changed > 0, "no bias is corrected"
        assert mean > 3 * plain_mean, "the correction no longer shifts the means"
        assert errors > 1.5 * plain_errors, "the correction no longer makes the error larger"
print("as recorded")
PY
