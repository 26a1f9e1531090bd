import sys

import given
import iree.compiler
import iree.runtime
import onnx

model = onnx.load(given.network)
model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 64
onnx.save(model, given.folder / "batch.onnx")
text = str(given.folder / "network.mlir")
given.convert(sys.executable, "-m", "iree.compiler.tools.import_onnx", given.folder / "batch.onnx", "-o", text)
code = iree.compiler.compile_file(text, target_backends=["llvm-cpu"], extra_args=["--iree-llvmcpu-target-cpu=host"])
config = iree.runtime.Config("local-task")
context = iree.runtime.SystemContext(config=config)
context.add_vm_module(iree.runtime.VmModule.copy_buffer(config.vm_instance, code))
function = context.modules.module[model.graph.name]
given.batches(lambda planes: [it.to_host() for it in function(planes)])
