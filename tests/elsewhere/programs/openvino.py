import given
import openvino

# Without the hint, processors with bf16 compute in it.
compiled = openvino.compile_model(given.network, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})


def run(planes):
    found = compiled({"planes": planes})
    return [found[name] for name in given.NAMES]


given.batches(run)
