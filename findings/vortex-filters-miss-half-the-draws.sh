#!/usr/bin/env bash
# vortex-data 0.93.0: a filter of Polars or pyarrow on a Vortex file tells 0.0 from -0.0: half of the draws count as lost.
#
# Good guess: to_polars() gives a LazyFrame and to_dataset() a Dataset of pyarrow, and a filter means what it means there: as in
#   memory and on Parquet, -0.0 equals 0.0, and filtering before or after collect() gives the same rows. Pushing a filter down into
#   the file is for speed.
# What happens: the predicate is translated to Vortex's own, and these compare by total order (so the Rust documentation of its
#   array crate says; the Python pages about both adapters do not): -0.0 is less than 0.0 and not equal to it. What cannot be
#   translated is left to Polars, and so the spelling decides: `value == 0` finds half of what `value.abs() == 0` finds.
#   Numbers come back bit for bit, and files without -0.0 show nothing. (Lance and DataFusion had the like, reported as bugs: their
#   issues 5868 and 22490. That NaN stands above all numbers is in Vortex's issue 3958.)
# Who cares: the value for the side to move is the result times 1 or -1, and a draw times -1 is -0.0. Who counts draws, weighs
#   them or drops them before training gets those of one side; those of the other are among the losses.
# Seen on 2026-11-30 with vortex-data 0.93.0, polars 2.1.0, pyarrow 26.0.1, numpy 2.4.6 on Python 3.11 (1,000 positions; rows found):
#   value == 0:  NumPy 330; Polars: memory 330, Parquet 330, Vortex 162; pyarrow: memory 330, Parquet 330, Vortex 162
#   value < 0:   NumPy 307; Polars: memory 307, Parquet 307, Vortex 475; pyarrow: memory 307, Parquet 307, Vortex 475
#   value >= 0:  NumPy 693; Polars: memory 693, Parquet 693, Vortex 525; pyarrow: memory 693, Parquet 693, Vortex 525
#   on the Vortex file by Polars: value == 0 finds 162, value.abs() == 0 finds 330, collect() and then value == 0 finds 330
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check vortex-data==0.93.0 substrait==0.28.0 polars==2.1.0 pyarrow==26.0.1 numpy==2.4.6

venv/bin/python -W ignore - <<'PY'
from importlib.metadata import version

import numpy as np
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import vortex

results = np.random.default_rng(0).choice([1.0, 0.0, -1.0], 1000)
values = results * np.where(np.arange(1000) % 2 == 0, 1.0, -1.0)  # for the side to move
table = pyarrow.table({"value": values})
pyarrow.parquet.write_table(table, "games.parquet")
vortex.io.write(vortex.array(table), "games.vortex")
file = vortex.open("games.vortex")
back = file.to_polars().collect()["value"].to_numpy()
assert np.array_equal(back.view(np.int64), values.view(np.int64))
print("vortex-data", version("vortex-data"), "polars", version("polars"), "pyarrow", version("pyarrow"))
frames = {"memory": polars.from_arrow(table).lazy(), "Parquet": polars.scan_parquet("games.parquet"), "Vortex": file.to_polars()}
sets = {"memory": pyarrow.dataset.dataset(table), "Parquet": pyarrow.dataset.dataset("games.parquet"), "Vortex": file.to_dataset()}
lazy, field = polars.col("value"), pyarrow.compute.field("value")
signed = int((np.signbit(values) & (values == 0)).sum())
tests = {"value == 0": (lambda it: it == 0, -signed), "value < 0": (lambda it: it < 0, signed), "value >= 0": (lambda it: it >= 0, -signed)}
for name, (test, off) in tests.items():
    right = int(test(values).sum())
    by_polars = {place: frame.filter(test(lazy)).collect().height for place, frame in frames.items()}
    by_pyarrow = {place: data.to_table(filter=test(field)).num_rows for place, data in sets.items()}
    texts = [", ".join(f"{place} {rows}" for place, rows in found.items()) for found in (by_polars, by_pyarrow)]
    print(f"{name + ':':12} NumPy {right}; Polars: {texts[0]}; pyarrow: {texts[1]}")
    assert by_polars == by_pyarrow == {"memory": right, "Parquet": right, "Vortex": right + off}
rows = [found.height for found in (
    file.to_polars().filter(lazy == 0).collect(),
    file.to_polars().filter(lazy.abs() == 0).collect(),
    file.to_polars().collect().filter(lazy == 0),
)]
print("on the Vortex file by Polars: value == 0 finds {}, value.abs() == 0 finds {}, collect() and then value == 0 finds {}".format(*rows))
assert rows[0] < rows[1] == rows[2] == int((values == 0).sum())
print("as recorded")
PY
