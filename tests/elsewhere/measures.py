"""Compares what a program read of a run's TensorBoard files with the run's `metrics.parquet`."""

import json
import pathlib
import struct
import sys

run = pathlib.Path(sys.argv[1])
folder = run / "tensorboard"


def tell(found):
    """Prints whether (tag, step, value) are those of the run; TensorBoard's numbers are f32."""

    def single(value):
        return "nan" if value == "nan" or value != value else struct.unpack("f", struct.pack("f", value))[0]

    own = json.loads((run / "metrics.json").read_text())
    # The last of a name and step counts.
    own = {(it["name"], it["step"]): single(it["value"]) for it in own}
    found = {(tag, int(step)): single(float(value)) for tag, step, value in found}
    other = sorted(name for name in own.keys() | found.keys() if own.get(name) != found.get(name))
    differ = other and f"{len(other)} of {len(own)} differ: {other[0]} {own.get(other[0])} read as {found.get(other[0])}"
    print(json.dumps({"runs": differ or f"yes, {len(own)} values"}))
