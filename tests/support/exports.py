"""Executes an export outside of tafl: `exports.py FILE FORMAT PLANES SIZE OUT`.

PLANES holds f32 numbers, [batch, planes, SIZE, SIZE]; the outputs are written to OUT one after another.
ONNX files run in ONNX Runtime, safetensors in the plain numpy below, which follows the list of operations in the file, others in PyTorch.
"""

import json
import os
import sys

import numpy as np

FILE, FORMAT, PLANES, SIZE, OUT = sys.argv[1:]
SIZE = int(SIZE)


def run_onnx(planes):
    import onnxruntime

    session = onnxruntime.InferenceSession(FILE)
    outputs = session.run(None, {"planes": planes})
    # The batch is dynamic: one position by itself gives the same.
    alone = session.run(None, {"planes": planes[:1]})
    for together, single in zip(outputs, alone, strict=True):
        assert np.allclose(together[:1], single, atol=1e-4), "a batch of one differs"
    return outputs


def run_torch(planes):
    import torch

    sys.path.insert(0, os.path.dirname(FILE))
    if FORMAT == "pytorch":
        import model

        network = model.load(FILE)
        assert not network.training, "it plays unless it is told to learn"
    else:
        network = torch.jit.load(FILE)
    planes = torch.from_numpy(planes)
    with torch.no_grad():
        outputs = [output.numpy() for output in network(planes)]
        twice = network.double()(planes.double())
    for output, double in zip(outputs, twice, strict=True):
        assert np.allclose(output, double, rtol=1e-3, atol=1e-3), "64-bit numbers differ"
    # All that play uses can learn.
    network.float()
    sum(output.sum() for output in network(planes)).backward()
    unused = [name for name, weight in network.named_parameters() if weight.grad is None]
    assert all(name.startswith("reply.") for name in unused), unused
    return outputs


def read_safetensors():
    """Returns the operations and the tensors of the file."""
    with open(FILE, "rb") as file:
        data = file.read()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    kinds, tensors = {"F32": "<f4", "F16": "<f2"}, {}
    operations = json.loads(header.pop("__metadata__")["graph"])
    for name, tensor in header.items():
        begin, end = tensor["data_offsets"]
        values = np.frombuffer(data[start + begin : start + end], kinds[tensor["dtype"]])
        tensors[name] = values.astype(np.float64).reshape(tensor["shape"])
    return operations, tensors


def convolution(x, weight, bias):
    kernel = weight.shape[2]
    pad = kernel // 2
    x = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    sum = bias[:, None, None]
    for down in range(kernel):
        for right in range(kernel):
            part = x[:, :, down : down + SIZE, right : right + SIZE]
            sum = sum + np.tensordot(weight[:, :, down, right], part, (1, 1)).transpose(1, 0, 2, 3)
    return sum


def destinations(x):
    steps = [(1, 0), (0, 1), (-1, 0), (0, -1)]
    found = np.zeros((len(x), SIZE, SIZE, 4, SIZE - 1))
    for rank, file, direction, distance in np.ndindex(found.shape[1:]):
        up, right = ((distance + 1) * step for step in steps[direction])
        if 0 <= rank + up < SIZE and 0 <= file + right < SIZE:
            found[:, rank, file, direction, distance] = x[:, direction, rank + up, file + right]
    return found.reshape(len(x), -1)


def softmax(x):
    x = np.exp(x - x.max(1, keepdims=True))
    return x / x.sum(1, keepdims=True)


def compute(kind, sizes, x, weight, bias):
    """Returns what an operation makes of its inputs."""
    return {
        "convolution": lambda: convolution(x[0], weight, bias),
        "relu": lambda: np.maximum(x[0], 0),
        "add": lambda: x[0] + x[1],
        "pool": lambda: np.concatenate([x[0].mean((2, 3)), x[0].max((2, 3))], 1),
        "linear": lambda: x[0] @ weight.T + bias,
        "squares": lambda: x[0].transpose(0, 2, 3, 1).reshape(len(x[0]), -1),
        "destinations": lambda: destinations(x[0]),
        "columns": lambda: x[0][:, sizes["first"] : sizes["first"] + sizes["count"]],
        "concat": lambda: np.concatenate(x, 1),
        "softplus": lambda: np.logaddexp(0, x[0]),
        "softmax": lambda: softmax(x[0]),
        "times": lambda: sizes * x[0],
    }[kind]()


def run_safetensors(planes):
    operations, tensors = read_safetensors()
    values = {"planes": planes.astype(np.float64)}
    for operation in operations:
        name, kind, x = operation["name"], operation["kind"], [values[it] for it in operation["from"]]
        kind, sizes = next(iter(kind.items())) if isinstance(kind, dict) else (kind, None)
        weight, bias = (tensors.get(f"{name}.{part}") for part in ("weight", "bias"))
        values[name] = compute(kind, sizes, x, weight, bias)
    return [values[name] for name in ("policy", "wdl", "moves_left")]


channels = 11 if FORMAT == "taflzero" else 48
planes = np.fromfile(PLANES, "<f4").reshape(-1, channels, SIZE, SIZE)
runs = {"safetensors": run_safetensors, "pytorch": run_torch, "torchscript": run_torch}
outputs = runs.get(FORMAT, run_onnx)(planes)
np.concatenate([np.asarray(output, "<f4").ravel() for output in outputs]).tofile(OUT)
