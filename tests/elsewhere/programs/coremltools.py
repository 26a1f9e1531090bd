"""Converts alone: predictions need macOS."""

import json
import sys

import coremltools
import given
import torch

sys.path.insert(0, str(given.folder / "pytorch"))
import model

network = model.load(given.folder / "weights.safetensors").float().eval()
traced = torch.jit.trace(network, torch.from_numpy(given.planes[:1]))
converted = coremltools.convert(
    traced,
    inputs=[coremltools.TensorType("planes", (1, *given.planes.shape[1:]))],
    outputs=[coremltools.TensorType(name) for name in given.NAMES],
    minimum_deployment_target=coremltools.target.iOS16,
)
converted.save(str(given.folder / "network.mlpackage"))
print(json.dumps({"runs": "converted; runs on macOS alone"}))
