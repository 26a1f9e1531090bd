import given
import onnx
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

module = from_onnx(onnx.load(given.network), shape_dict={"planes": [64, *given.planes.shape[1:]]}, keep_params_in_input=False)
machine = relax.VirtualMachine(tvm.compile(relax.transform.LegalizeOps()(module), target="llvm"), tvm.cpu())
given.batches(lambda planes: [it.numpy() for it in machine["main"](tvm.runtime.tensor(planes))])
