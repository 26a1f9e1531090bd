#!/usr/bin/env bash
# pyarrow 26.0.1: asking a Parquet file for its NaN rows finds none if the other values of the row group are equal.
#
# Good guess: filter=is_nan(column) on a file gives the rows that it gives on the same table in memory. The Parquet
#   format says that min and max say nothing about NaN, and Arrow's issue 28074 about it was closed as fixed in 2023.
# What happens: that fix covers row groups with min < max. With min == max the reader takes "all values equal min" for
#   granted, NaN included, and drops the group unread: is_nan finds nothing, as does "not equal min". And the negated
#   range ~(column < 1) loses NaN rows of every row group that has statistics, though NaN < 1 is false.
#   Polars finds the rows. (That DuckDB loses more of them is reported: its issue 25521.)
# Who cares: whoever scans self-play samples for NaN before training. Value targets of a batch of drawn or unfinished
#   games are all 0.0, exactly the case in which the check says "clean".
# Seen on 2026-11-29 with pyarrow 26.0.1 and polars 2.1.0 (rows of NaN: 2 in group 0, 5 in group 1, 6 all alone):
#   is_nan(value)      in memory [2, 5, 6]  pyarrow from the file [5, 6]  polars from the file [2, 5, 6]
#   value != 0.0       in memory [2, 3, 4, 5, 6]  pyarrow from the file [3, 4, 5, 6]
#   ~(value < 1)       in memory [2, 5, 6]  pyarrow from the file [6]
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check pyarrow==26.0.1 polars==2.1.0 numpy==2.4.6

venv/bin/python - <<'PY'
import math

import polars
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

nan = math.nan
# Three row groups: equal values and a NaN; different values and a NaN; only NaN.
table = pa.table({"row": pa.array(range(7)),
                  "value": pa.array([0.0, 0.0, nan, 0.5, 0.25, nan, nan], pa.float32())})
pq.write_table(table, "samples.parquet", row_group_size=3)
for group in range(2):
    statistics = pq.read_metadata("samples.parquet").row_group(group).column(1).statistics
    print("row group", group, "min", statistics.min, "max", statistics.max)

value = pc.field("value")
found = {}
for name, expression in {"is_nan(value)": pc.is_nan(value), "value != 0.0": value != 0.0, "~(value < 1)": ~(value < 1)}.items():
    memory = table.filter(expression)["row"].to_pylist()
    dataset = ds.dataset("samples.parquet").to_table(filter=expression)["row"].to_pylist()
    read_table = pq.read_table("samples.parquet", filters=expression)["row"].to_pylist()
    assert dataset == read_table and len(dataset) == ds.dataset("samples.parquet").count_rows(filter=expression)
    found[name] = memory, dataset
    print(f"{name:14} in memory {memory}  pyarrow from the file {dataset}")
peer = polars.scan_parquet("samples.parquet").filter(polars.col("value").is_nan()).collect()["row"].to_list()
print("is_nan(value)  polars from the file", peer)

assert found["is_nan(value)"] == ([2, 5, 6], [5, 6])
assert found["value != 0.0"] == ([2, 3, 4, 5, 6], [3, 4, 5, 6])
assert found["~(value < 1)"] == ([2, 5, 6], [6])
assert peer == [2, 5, 6]
# The rows are in the file.
assert [math.isnan(v) for v in pq.read_table("samples.parquet")["value"].to_pylist()].count(True) == 3
print("as recorded")
PY
