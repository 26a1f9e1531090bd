"""Compares what a program read of a run's Parquet files, value by value."""

import decimal
import json
import math
import numbers
import pathlib
import sys

run = pathlib.Path(sys.argv[1])
FILES = [*sorted(run.glob("games/*/games.parquet")), run / "metrics.parquet"]


def plain(value):
    """Returns a value of a program as `values.py` wrote it."""
    if isinstance(value, bytes):
        return value.decode()
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(it) for it in value]
    if isinstance(value, bool):
        return value
    if isinstance(value, numbers.Integral | decimal.Decimal):
        return str(int(value)) if abs(int(value)) > 2**53 else int(value)
    if isinstance(value, float):
        return "nan" if math.isnan(value) else value
    return value


def same(own, found):
    """Returns whether a value is the one of the file; a missing one may be NaN or none, as pandas has it."""
    if own is None:
        return found is None or found == "nan" or str(found) in ("<NA>", "NaT")
    if isinstance(own, list):
        return isinstance(found, list) and len(own) == len(found) and all(map(same, own, found))
    if isinstance(own, bool) or isinstance(found, bool):
        return own is found
    if isinstance(own, str) and isinstance(found, float):
        return own.lstrip("-").isdigit() and float(own) == found and int(found) == int(own)
    return own == found


def tell(read):
    """Prints how many values differ, and of which columns; `read` gives the rows of a file as dictionaries."""
    wrong, values = {}, 0
    for file in FILES:
        own, found = json.loads(file.with_suffix(".json").read_text()), read(str(file))
        if len(own) != len(found):
            sys.exit(f"{len(found)} rows of {len(own)}")
        for row, other in zip(own, found, strict=True):
            for name, value in row.items():
                values += 1
                if not same(value, plain(other[name])):
                    wrong.setdefault(name, (value, plain(other[name])))
    first = next(iter(wrong.items()), None)
    differ = first and f"other in {', '.join(wrong)}: {first[1][0]} read as {first[1][1]}"
    print(json.dumps({"runs": differ or f"yes, {values} values"}))
