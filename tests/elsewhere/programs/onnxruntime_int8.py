"""The network in 8 bits for ONNX Runtime: the first convolution of each block but the first and last, with a scale for each output.

Activations have one scale for all channels, so channels are first made alike: what a convolution gives is divided by a number for
each channel, and the weights that take it are multiplied by that. ReLU and sums let it pass, so the network stays the same.
"""

import given
import numpy as np
import onnx
import onnxruntime
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

model = onnx.load(given.network)
tensors = {tensor.name: tensor for tensor in model.graph.initializer}
weights = {name: onnx.numpy_helper.to_array(tensor).copy() for name, tensor in tensors.items()}
blocks = len({name.split(".")[1] for name in weights if name.startswith("blocks.")})
calibration = np.fromfile(given.folder / "calibration.f32", np.float32).reshape(given.planes.shape)


def largest(values):
    """Returns the largest number of each channel of some values, on the positions to calibrate with."""
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    probe.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for name in values)
    found = onnxruntime.InferenceSession(probe.SerializeToString()).run(values, {"planes": calibration})
    return [it.max((0, 2, 3)) for it in found]


def scale(channels):
    return np.sqrt(np.maximum(channels / channels.max(), 1e-3))


def divide(layer, by):
    weights[f"{layer}.weight"] /= by[:, None, None, None]
    weights[f"{layer}.bias"] /= by


def multiply(layer, by):
    weights[f"{layer}.weight"] *= by[None, :, None, None]


def make_alike():
    inner = largest([f"blocks.{block}.first.relu" for block in range(blocks)])
    stream = largest(["stem.relu", *(f"blocks.{block}.relu" for block in range(blocks))])
    common = scale(np.max([it / it.max() for it in stream], 0))
    divide("stem.conv", common)
    for block, channels in enumerate(inner):
        multiply(f"blocks.{block}.first.conv", common)
        divide(f"blocks.{block}.first.conv", scale(channels))
        multiply(f"blocks.{block}.second.conv", scale(channels))
        divide(f"blocks.{block}.second.conv", common)
    for head in ("destinations.conv", "policy.conv", "value.conv"):
        multiply(head, common)
    for name, tensor in tensors.items():
        tensor.CopyFrom(onnx.numpy_helper.from_array(weights[name], name))


class Reader(CalibrationDataReader):
    """Batches to calibrate with."""

    def __init__(self):
        self.batches = iter(np.split(calibration, 8))

    def get_next(self):
        batch = next(self.batches, None)
        return None if batch is None else {"planes": batch}


make_alike()
small = str(given.folder / "network.int8.onnx")
quantize_static(
    model,
    small,
    Reader(),
    quant_format=QuantFormat.QDQ,
    per_channel=True,
    activation_type=QuantType.QUInt8,
    weight_type=QuantType.QInt8,
    nodes_to_quantize=[f"blocks.{block}.first.conv" for block in range(1, blocks - 1)],
)
session = onnxruntime.InferenceSession(small)
given.batches(lambda planes: session.run(list(given.NAMES), {"planes": planes}))
