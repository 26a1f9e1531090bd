import pathlib
import sys

import given
import ncnn
import numpy as np

size, planes = given.size, given.planes.shape[1]
shape = f"inputshape=[1,{planes},{size},{size}]f32"
# By default it stores weights in 16 bits.
given.convert(f"{sys.prefix}/bin/pnnx", "network.onnx", shape, "fp16=0", cwd=given.folder)
net = ncnn.Net()
net.opt.use_fp16_packed = net.opt.use_fp16_storage = net.opt.use_fp16_arithmetic = net.opt.use_bf16_storage = False
text = pathlib.Path(given.folder / "network.ncnn.param")
if net.load_param(str(text)) or net.load_model(str(given.folder / "network.ncnn.bin")):
    sys.exit("the converted network does not load")


def run(planes):
    extractor = net.create_extractor()
    extractor.input(net.input_names()[0], ncnn.Mat(planes[0]).clone())
    found = [extractor.extract(name) for name in net.output_names()]
    if any(code for code, _ in found):
        sys.exit("the converted network does not run")
    return [np.array(it).reshape(1, -1) for _, it in found]


given.batches(run, 1)
