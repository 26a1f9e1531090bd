#!/usr/bin/env bash
# candle-onnx 0.11.1: MaxPool and AveragePool without `strides` step by the whole window, and `ceil_mode` is not read.
#
# Good guess: ONNX says that strides are 1 along each axis if the attribute is missing, and writers leave out what is the
#   default (onnx.helper, and any exporter that does not repeat defaults). What candle does not know it refuses: of pools
#   it says so about dilations and pads.
# What happens: without strides candle calls its own pooling, where a missing step is the size of the window, as in PyTorch.
#   A 4x4 board in windows of 2 comes out as 2x2, not as 3x3; behind a mean nothing tells that cells were left out, and
#   the value is another one. ceil_mode=1 is not looked at: the last row and file of 5x5 are dropped. No error, no word.
#   With strides written out, also as 1, and without ceil_mode it agrees with ONNX Runtime and OpenVINO.
# Who cares: who plays a policy-value network with a pool in it by candle and finds it weaker than in training.
# Seen on 2026-11-29 with candle-onnx 0.11.1, onnxruntime 1.32.0, openvino 2026.4.1, onnx 1.23.2, Rust 1.95:
#   MaxPool, windows of 2, no strides      onnxruntime 3x3, openvino 3x3, candle 2x2
#   AveragePool, windows of 2, no strides  onnxruntime 3x3, openvino 3x3, candle 2x2
#   the mean of the first                  onnxruntime 14.6667, openvino 14.6667, candle 15.5000
#   MaxPool, windows of 2, strides 1       onnxruntime 3x3, openvino 3x3, candle 3x3
#   MaxPool of 5x5, strides 2, ceil_mode   onnxruntime 3x3, openvino 3x3, candle 2x2
# Needs protoc (Debian: protobuf-compiler) and compiles candle: some three minutes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir src
cat > Cargo.toml <<'TOML'
[package]
name = "pools"
version = "0.0.0"
edition = "2024"

[dependencies]
candle-core = "=0.11.1"
candle-onnx = "=0.11.1"

[profile.dev]
debug = false
TOML
cat > src/main.rs <<'RS'
use candle_core::{Device, Tensor};
use std::collections::HashMap;

/// Prints the shape and the numbers that each network makes of its board.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    for file in std::env::args().skip(1) {
        let size = if file.contains('5') { 5 } else { 4 };
        let numbers: Vec<f32> = (0..size * size).map(|cell| (cell * cell % 17) as f32).collect();
        let board = Tensor::from_vec(numbers, (1, 1, size, size), &Device::Cpu)?;
        let found = candle_onnx::simple_eval(&candle_onnx::read_file(&file)?, HashMap::from([("x".to_owned(), board)]))?;
        println!("[{:?}, {:?}]", found["y"].dims(), found["y"].flatten_all()?.to_vec1::<f32>()?);
    }
    Ok(())
}
RS
cargo build --quiet
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check onnx==1.23.2 onnxruntime==1.32.0 openvino==2026.4.1 numpy==2.4.6
venv/bin/python - <<'PY'
import json
import subprocess

import numpy as np
import onnx
import onnxruntime
import openvino
from onnx import TensorProto, helper

pool = {"kernel_shape": [2, 2]}
cases = {
    "MaxPool, windows of 2, no strides": ("max4", 4, "MaxPool", pool, False),
    "AveragePool, windows of 2, no strides": ("average4", 4, "AveragePool", pool, False),
    "the mean of the first": ("mean4", 4, "MaxPool", pool, True),
    "MaxPool, windows of 2, strides 1": ("strides4", 4, "MaxPool", {**pool, "strides": [1, 1]}, False),
    "MaxPool of 5x5, strides 2, ceil_mode": ("ceil5", 5, "MaxPool", {**pool, "strides": [2, 2], "ceil_mode": 1}, False),
}
apart = []
for name, (file, size, operator, attributes, mean) in cases.items():
    nodes = [helper.make_node(operator, ["x"], ["pooled" if mean else "y"], **attributes)]
    nodes += [helper.make_node("ReduceMean", ["pooled"], ["y"], axes=[2, 3])] if mean else []
    graph = helper.make_graph(nodes, "pool", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, size, size])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, None, None])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, f"{file}.onnx")
    x = (np.arange(size * size) ** 2 % 17).astype(np.float32).reshape(1, 1, size, size)
    ort = onnxruntime.InferenceSession(f"{file}.onnx", providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]
    settings = {"INFERENCE_PRECISION_HINT": "f32"}
    ov = openvino.Core().compile_model(f"{file}.onnx", "CPU", settings)({"x": x})[0]
    assert ort.shape == ov.shape and np.allclose(ort, ov), name
    said = subprocess.run(["target/debug/pools", f"{file}.onnx"], check=True, capture_output=True, text=True).stdout
    shape, numbers = json.loads(said)
    found = np.array(numbers, np.float32).reshape(shape)

    def seen(y):
        return f"{y.mean():.4f}" if mean else "x".join(map(str, y.shape[2:]))

    apart.append(found.shape != ort.shape or not np.allclose(found, ort))
    print(f"{name:38} onnxruntime {seen(ort)}, openvino {seen(ov)}, candle {seen(found)}")
assert apart == [True, True, True, False, True], apart
print("as recorded")
PY
