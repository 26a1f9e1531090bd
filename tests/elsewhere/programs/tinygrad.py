import given
from tinygrad import Tensor
from tinygrad.nn.onnx import OnnxRunner

runner = OnnxRunner(given.network)


def run(planes):
    found = runner({"planes": Tensor(planes)})
    return [found[name].numpy() for name in given.NAMES]


given.batches(run)
