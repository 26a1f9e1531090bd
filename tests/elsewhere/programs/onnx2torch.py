import given
import torch
from onnx2torch import convert

module = convert(given.network).eval()
with torch.no_grad():
    given.batches(lambda planes: [it.numpy() for it in module(torch.from_numpy(planes))])
