#!/usr/bin/env bash
# ncnn 1.0.20261020: behind the usual mask, log(mask) clamped from below, a policy of 16 moves or more plays illegal moves alone.
#
# Good guess: log(0) is -inf, the clamp makes the lowest finite float of it, and after the softmax an illegal move has probability 0.
#   RLlib's example of masked actions is written so, and people copy it. Whoever tests the exported network on a small game finds it right.
# What happens: UnaryOp's log(0) is NaN. Clip, which elsewhere hands a NaN on, gives one of its bounds, and which one depends on
#   the order of operands in the loop that gets the number: the loop over 16 numbers at a time (AVX-512) gives the upper bound, those
#   for 8, 4 and single ones the lower bound. pnnx writes 3.4e38 for the bound that is missing. So in each full 16 the illegal moves
#   are raised to 3.4e38 instead of lowered, share all the probability evenly, and the legal ones get 0. No NaN is seen at the end,
#   no word, rows sum to 1. With 15 moves two errors cancel and all is right; so, by those loops, on a CPU without AVX-512.
#   (Issue 1284, still open, knows NaN from sigmoid; sigmoid is right by now, logarithm and division are not: 1/0 is NaN as well.)
# Who cares: who plays by ncnn on PCs or servers with a network trained in RLlib: one machine plays well, another one, with AVX-512,
#   proposes nothing but illegal moves. A mask of (mask - 1) * 1e9 has no logarithm in it.
# Seen on 2026-12-01 with ncnn 1.0.20261020, pnnx 20261020, onnx 1.23.2, onnxruntime 1.32.0 on Python 3.11 (each third move is illegal):
#   15 moves: onnxruntime illegal moves 0.000, largest is move 14; ncnn log(0) nan, illegal moves 0.000, largest is move 14
#   16 moves: onnxruntime illegal moves 0.000, largest is move 15; ncnn log(0) nan, illegal moves 1.000, largest is move 1
#   40 moves: onnxruntime illegal moves 0.000, largest is move 39; ncnn log(0) nan, illegal moves 1.000, largest is move 1
# Needs a CPU with AVX-512.
set -euo pipefail
grep -qw avx512f /proc/cpuinfo || { echo "this needs a CPU with AVX-512" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check ncnn==1.0.20261020 onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6
venv/bin/pip install -q --disable-pip-version-check --no-deps pnnx==20261020
convert=(venv/lib/python3*/site-packages/pnnx/pnnx) # its wrapper imports PyTorch, which an ONNX file does not need

venv/bin/python - "${convert[0]}" <<'PY'
import subprocess
import sys

import ncnn
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

node = helper.make_node
lowest = numpy_helper.from_array(np.array(np.finfo(np.float32).min), "lowest")
nodes = [node("Log", ["mask"], ["log"]), node("Clip", ["log", "lowest"], ["clamped"]),
         node("Add", ["logits", "clamped"], ["masked"]), node("Softmax", ["masked"], ["policy"], axis=-1)]
found = []
for moves in (15, 16, 40):
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, moves]) for name in ("logits", "mask", "policy", "log")]
    model = helper.make_model(helper.make_graph(nodes, "masked", tensors[:2], tensors[2:], [lowest]),
                              opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, "net.onnx")
    logits, mask = np.linspace(0, 2, moves, dtype=np.float32), (np.arange(moves) % 3 != 1).astype(np.float32)
    session = onnxruntime.InferenceSession("net.onnx", providers=["CPUExecutionProvider"])
    right = session.run(["policy"], {"logits": logits[None], "mask": mask[None]})[0][0]
    shapes = f"inputshape=[1,{moves}]f32,[1,{moves}]f32"
    subprocess.run([sys.argv[1], "net.onnx", shapes, "fp16=0"], check=True, capture_output=True)
    net = ncnn.Net()
    assert net.load_param("net.ncnn.param") == 0 and net.load_model("net.ncnn.bin") == 0
    run = net.create_extractor()
    assert run.input("in0", ncnn.Mat(logits).clone()) == 0 and run.input("in1", ncnn.Mat(mask).clone()) == 0
    policy, log = (np.array(run.extract(name)[1]).ravel() for name in ("out0", "out1"))
    assert np.isclose(right.sum(), 1) and np.isclose(policy.sum(), 1)
    illegal = [float(it[mask == 0].sum()) for it in (right, policy)]
    print(f"{moves} moves: onnxruntime illegal moves {illegal[0]:.3f}, largest is move {right.argmax()}; "
          f"ncnn log(0) {log[1]:.0f}, illegal moves {illegal[1]:.3f}, largest is move {policy.argmax()}")
    found.append((*np.round(illegal, 3).tolist(), bool(np.isnan(log[mask == 0]).all())))
assert found == [(0, 0, True), (0, 1, True), (0, 1, True)], found
print("as recorded")
PY
