import sys

import given
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

sys.path.insert(0, str(given.folder / "pytorch"))
import model

network = model.load(given.folder / "weights.safetensors").float().eval()
program = torch.export.export(network, (torch.from_numpy(given.planes[:64]),))
lowered = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()]).to_executorch()
forward = Runtime.get().load_program(lowered.buffer).load_method("forward")
given.batches(lambda planes: [it.numpy().copy() for it in forward.execute([torch.from_numpy(planes)])])
