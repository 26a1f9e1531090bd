"""The network in 8 bits for OpenVINO: the blocks alone, without NNCF's correction of biases, which makes it worse."""

import given
import nncf
import numpy as np
import openvino

core = openvino.Core()
model = core.read_model(given.network)
calibration = np.fromfile(given.folder / "calibration.f32", np.float32).reshape(given.planes.shape)
batches = nncf.Dataset(np.split(calibration, 16), lambda planes: {"planes": planes})
names = [it.get_friendly_name() for it in model.get_ops() if it.get_type_name() not in ("Constant", "Parameter", "Result")]
others = [name for name in names if not name.startswith("blocks.")]
small = nncf.quantize(
    model,
    batches,
    subset_size=16,
    ignored_scope=nncf.IgnoredScope(names=others, validate=False),
    advanced_parameters=nncf.AdvancedQuantizationParameters(disable_bias_correction=True),
)
compiled = core.compile_model(small, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})


def run(planes):
    found = compiled({"planes": planes})
    return [found[name] for name in given.NAMES]


given.batches(run)
