#!/usr/bin/env bash
# IREE 3.13.0: an ONNX power knows no negative numbers; the sign of the side to move, (-1) ** ply, is -9223372036854775808.
#
# Good guess: ONNX's Pow is that of NumPy and C: (-3) ** 2 is 9, (-1) ** ply is 1 or -1. Integers are multiplied as integers.
# What happens: a power whose exponent is an input, or differs from number to number, comes out as by logarithms in f32: for a
#   negative x it is NaN, whole exponents and those of type int64 included. Integers go the same way: NaN is cast back to int64 as
#   the least number that there is, odd or even alike, and 3 ** 16 is 15 too large. Nothing is said. One exponent for all, written into
#   the file, is right: that is how x ** 2 is exported, so that tests pass. (Issue 19996, closed, calls a negative base of its own powf
#   invalid and led to that exception; torch-mlir's pull request 3894 says that integer powers go by floats.)
# Who cares: who turns values to the side to move inside the network, feeds an exponent (a temperature) at run time, or has
#   a table of exponents: NaN from there on, or, where integers are cast on to floats, values of -9e18 that are finite.
# Seen on 2026-12-01 with iree-base-compiler and -runtime 3.13.0, onnx 1.23.2, onnxruntime 1.32.0 on Python 3.11, llvm-cpu for a
#   generic x86-64 (what NaN is as an integer, and the last line's digits, may depend on it):
#   (-1) ** ply, int64             onnxruntime [1, -1, 1, -1]  IREE four times -9223372036854775808
#   (-1) ** ply, f32               onnxruntime [1.0, -1.0, 1.0, -1.0]  IREE [nan, nan, nan, nan]
#   n ** 2, int64                  onnxruntime [49, 1, 0, 49]  IREE [-9223372036854775808, -9223372036854775808, 0, 49]
#   x ** 2, f32                    onnxruntime [9.0, 0.25, 0.0, 4.0]  IREE [nan, nan, 0.0, 4.0]
#   x ** 2, in the file            onnxruntime [9.0, 0.25, 0.0, 4.0]  IREE [9.0, 0.25, 0.0, 4.0]
#   x ** (2, 3, 2, 3), in the file onnxruntime [9.0, -0.125, 0.0, 8.0]  IREE [nan, nan, 0.0, 8.0]
#   3 ** (2, 16, 25), int64        onnxruntime [9, 43046721, 847288609443]  IREE [9, 43046736, 847288598528]
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check \
    iree-base-compiler==3.13.0 iree-base-runtime==3.13.0 onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6

venv/bin/python - <<'PY'
import subprocess

import iree.compiler
import iree.runtime
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

node, config = helper.make_node, iree.runtime.Config("local-sync")


def run(base, exponent, constant=False):
    """base ** exponent by ONNX Runtime and IREE; the exponent is an input as well, unless it is to be a constant."""
    given = {"base": np.array(base), "exponent": np.array(exponent)}
    held = {"exponent": given.pop("exponent")} if constant else {}
    kinds = {name: helper.np_dtype_to_tensor_dtype(it.dtype) for name, it in given.items()}
    graph = helper.make_graph([node("Pow", ["base", "exponent"], ["y"])], "power",
                              [helper.make_tensor_value_info(name, kinds[name], it.shape) for name, it in given.items()],
                              [helper.make_tensor_value_info("y", kinds["base"], given["base"].shape)],
                              [numpy_helper.from_array(it, name) for name, it in held.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, "net.onnx")
    session = onnxruntime.InferenceSession("net.onnx", providers=["CPUExecutionProvider"])
    subprocess.run(["venv/bin/iree-import-onnx", "net.onnx", "-o", "net.mlir"], check=True, capture_output=True)
    built = iree.compiler.compile_file("net.mlir", input_type="onnx", target_backends=["llvm-cpu"],
                                       extra_args=["--iree-llvmcpu-target-cpu=generic"])
    context = iree.runtime.SystemContext(config=config)
    context.add_vm_module(iree.runtime.VmModule.copy_buffer(context.instance, built))
    return [y.tolist() for y in (session.run(None, given)[0], context.modules.module["power"](*given.values()).to_host())]


f32, i64, least, nan = np.float32, np.int64, -2**63, None
cases = {"(-1) ** ply, int64": ((i64([-1] * 4), i64([0, 1, 2, 3])), [least] * 4),
         "(-1) ** ply, f32": ((f32([-1] * 4), f32([0, 1, 2, 3])), [nan] * 4),
         "n ** 2, int64": ((i64([-7, -1, 0, 7]), i64([2] * 4)), [least, least, 0, 49]),
         "x ** 2, f32": ((f32([-3, -0.5, 0, 2]), f32([2] * 4)), [nan, nan, 0, 4]),
         "x ** 2, in the file": ((f32([-3, -0.5, 0, 2]), f32([2] * 4), True), [9, 0.25, 0, 4]),
         "x ** (2, 3, 2, 3), in the file": ((f32([-3, -0.5, 0, 2]), f32([2, 3, 2, 3]), True), [nan, nan, 0, 8])}
for name, (case, expected) in cases.items():
    right, found = run(*case)
    print(f"{name:30} onnxruntime {right}  IREE {found}")
    assert np.all(np.array(right) == case[0].astype(float) ** case[1]) and [nan if it != it else it for it in found] == expected, name
right, found = run(i64([3] * 3), i64([2, 16, 25]))
print(f"{'3 ** (2, 16, 25), int64':30} onnxruntime {right}  IREE {found}")
assert right == [9, 3**16, 3**25] and found[0] == 9 and all(a != b and abs(a / b - 1) < 1e-5 for a, b in zip(right[1:], found[1:]))
print("as recorded")
PY
