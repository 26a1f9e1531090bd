"""Writes all values of a run's Parquet files and measures as this project's readers have them: `values.json` beside each file.

A list of rows; NaN is "nan", numbers beyond 2^53 are texts, as JSON in JavaScript has no such numbers.
"""

import json
import math
import pathlib
import sys

import pyarrow.parquet


def plain(value):
    """Returns a value as JSON has it."""
    if isinstance(value, list):
        return [plain(it) for it in value]
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53 else value


run = pathlib.Path(sys.argv[1])
for file in [*run.glob("games/*/games.parquet"), run / "metrics.parquet"]:
    rows = pyarrow.parquet.read_table(file).to_pylist()
    text = json.dumps([{name: plain(value) for name, value in row.items()} for row in rows])
    file.with_suffix(".json").write_text(text)
