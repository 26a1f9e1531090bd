#!/usr/bin/env bash
# MNN 3.6.1: `mnnconvert` has the first pip on the path upgrade a package, at each call, for reports that it never sends.
#
# Good guess: a converter reads one file and writes another; what it needs came with its wheel; `mnnconvert --help` tells
#   all that it does, and it needs no network.
# What happens: on import MNN.tools looks for `aliyun.log`, which the wheel does not ask for. If it is missing, a shell runs
#   `pip install -U aliyun-log-python-sdk`: by the pip that stands first on the path, not that of its own Python. Called by
#   its full path, as services do, the converter changes the system's packages (the SDK brings over fifteen), and does so
#   at each call, twice, as its own environment still has none. Once the package is there, each call fetches a key
#   from a server to report the conversion; the report imports MNN.version, which the wheel lacks, and that exception is
#   swallowed: nothing is ever sent. No option or variable turns this off.
# Who cares: who converts networks on a server, in a pinned environment, or without network (each call then waits for pip).
# Seen on 2026-11-29 with MNN 3.6.1, onnx 1.23.2 on Python 3.11 (pip, package and server are stubs here):
#   without the package: converted True, pip was asked 2 times: install -U aliyun-log-python-sdk
#   with the package:    converted True, 1 request to a server for a key, 0 reports
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check MNN==3.6.1 onnx==1.23.2 numpy==2.4.6

venv/bin/python - <<'PY'
import onnx
from onnx import TensorProto, helper

board = [1, 2, 7, 7]
graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "board",
                          [helper.make_tensor_value_info("x", TensorProto.FLOAT, board)],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, board)])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
onnx.checker.check_model(model, full_check=True)
onnx.save(model, "board.onnx")
PY

# A pip that only writes down what it is asked.
mkdir first
printf '#!/bin/sh\necho "$*" >> "%s/asked"\n' "$work" > first/pip
chmod +x first/pip
convert=(-f ONNX --modelFile board.onnx --MNNModel board.mnn --bizCode tafl)
PATH="$work/first:$PATH" venv/bin/mnnconvert "${convert[@]}" > log 2>&1 || { cat log; exit 1; }
echo "without the package: converted $([ -s board.mnn ] && echo True), pip was asked $(wc -l < asked) times: $(sort -u asked)"
[ "$(sort -u asked)" = "install -U aliyun-log-python-sdk" ]

# The package and its server, replaced by stubs.
rm board.mnn
cat > stubs.py <<'PY'
import io
import json
import pathlib
import sys
import types
import urllib.request

asked, sent = [], []


def server(request):
    asked.append(request)
    key = {"AccessKeyId": "", "AccessKeySecret": "", "SecurityToken": "", "Expiration": "2099-01-01T00:00:00Z"}
    return io.BytesIO(json.dumps({"Credentials": key}).encode())


log = types.SimpleNamespace(LogClient=lambda *_: types.SimpleNamespace(put_logs=sent.append),
                            PutLogsRequest=lambda *given: given)
item = types.SimpleNamespace()
item.LogItem = lambda: types.SimpleNamespace(set_time=lambda _: None, set_contents=lambda _: None)
sys.modules.update({"aliyun": types.SimpleNamespace(log=log), "aliyun.log": log, "aliyun.log.logitem": item})
urllib.request.urlopen = server

from MNN.tools.mnnconvert import main

main()
converted = pathlib.Path("board.mnn").exists()
print(f"with the package:    converted {converted}, {len(asked)} request to a server for a key, {len(sent)} reports", file=sys.stderr)
assert (converted, len(asked), len(sent)) == (True, 1, 0)
sys.modules["MNN.version"] = types.SimpleNamespace(__version__="3.6.1")
main()
assert len(sent) == 1, "with the module that lacks it reports"
print("as recorded", file=sys.stderr)
PY
venv/bin/python stubs.py "${convert[@]}" 2>&1 > log | grep -v "^The device"
