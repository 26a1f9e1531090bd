"""Executes an export outside of tafl: `exports.py FILE FORMAT PLANES SIZE OUT`.

PLANES holds f32 numbers, [batch, planes, SIZE, SIZE]; the outputs are written to OUT one after another.
ONNX files run in ONNX Runtime, safetensors in the plain numpy below.
"""
import json
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
    for together, single in zip(outputs, alone):
        assert np.allclose(together[:1], single, atol=1e-4), "a batch of one differs"
    return outputs


def read_safetensors():
    data = open(FILE, "rb").read()
    start = 8 + int.from_bytes(data[:8], "little")
    kinds = {"F32": "<f4", "F16": "<f2"}
    tensors = {}
    for name, tensor in json.loads(data[8:start]).items():
        if name != "__metadata__":
            begin, end = tensor["data_offsets"]
            values = np.frombuffer(data[start + begin : start + end], kinds[tensor["dtype"]])
            tensors[name] = values.astype(np.float64).reshape(tensor["shape"])
    return tensors


def run_safetensors(planes):
    tensors = read_safetensors()
    relu = lambda x: np.maximum(x, 0)

    def conv(x, layer):
        weight, bias = tensors[layer + ".weight"], tensors[layer + ".bias"]
        kernel = weight.shape[2]
        pad = kernel // 2
        x = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)])
        sum = bias[:, None, None]
        for down in range(kernel):
            for right in range(kernel):
                part = x[:, :, down : down + SIZE, right : right + SIZE]
                sum = sum + np.tensordot(weight[:, :, down, right], part, (1, 1)).transpose(1, 0, 2, 3)
        return sum

    linear = lambda x, layer: x @ tensors[layer + ".weight"].T + tensors[layer + ".bias"]
    h = relu(conv(planes.astype(np.float64), "stem"))
    block = 0
    while f"blocks.{block}.first.weight" in tensors:
        t = relu(conv(h, f"blocks.{block}.first"))
        h = relu(conv(t, f"blocks.{block}.second") + h)
        block += 1

    policy = conv(h, "policy").transpose(0, 2, 3, 1)
    ends = conv(h, "destinations")
    steps = [(1, 0), (0, 1), (-1, 0), (0, -1)]
    for rank, file, move in np.ndindex(policy.shape[1:]):
        direction, distance = move // (SIZE - 1), move % (SIZE - 1) + 1
        up, right = (distance * step for step in steps[direction])
        if 0 <= rank + up < SIZE and 0 <= file + right < SIZE:
            policy[:, rank, file, move] += ends[:, direction, rank + up, file + right]
    policy = policy.reshape(len(planes), -1)
    v = relu(conv(h, "value"))
    v = np.concatenate([v.mean((2, 3)), v.max((2, 3))], 1)
    values = linear(relu(linear(v, "value.hidden")), "value.output")
    wdl = np.exp(values[:, :3] - values[:, :3].max(1, keepdims=True))
    return [
        np.concatenate([policy, values[:, 4:]], 1),
        wdl / wdl.sum(1, keepdims=True),
        40 * np.logaddexp(0, values[:, 3:4]),
    ]


channels = 11 if FORMAT == "taflzero" else 43
planes = np.fromfile(PLANES, "<f4").reshape(-1, channels, SIZE, SIZE)
outputs = run_safetensors(planes) if FORMAT == "safetensors" else run_onnx(planes)
np.concatenate([np.asarray(output, "<f4").ravel() for output in outputs]).tofile(OUT)
