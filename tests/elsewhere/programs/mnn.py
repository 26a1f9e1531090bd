import os
import sys

import given
import MNN
import MNN.expr
import MNN.nn

model = str(given.folder / "network.mnn")
convert = [f"{sys.prefix}/bin/mnnconvert", "-f", "ONNX", "--modelFile", given.network, "--MNNModel", model, "--bizCode", "tafl"]
# It upgrades a package by the first pip on the path: only by that of its own environment, and from nowhere.
kept = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
own = kept | {"PATH": f"{sys.prefix}/bin", "PIP_NO_INDEX": "1"}
given.convert(*convert, env=own)
manager = MNN.nn.create_runtime_manager(({"precision": "high", "backend": "CPU"},))
module = MNN.nn.load_module_from_file(model, ["planes"], list(given.NAMES), runtime_manager=manager)


def run(planes):
    place = MNN.expr.placeholder(list(planes.shape), MNN.expr.NCHW)
    place.write(planes)
    return [MNN.expr.convert(it, MNN.expr.NCHW).read().copy() for it in module.forward([place])]


given.batches(run)
