#!/usr/bin/env bash
# DuckDB 2.0.1: with `parquet_version v2` a column of 32-bit seeds is unreadable in pyarrow, and other numbers in ClickHouse.
#
# Good guess: v2 packs integers as differences (DELTA_BINARY_PACKED), which Parquet has had for years. A reader either knows this
#   encoding and gives the numbers that were written, or says that it does not know it.
# What happens: differences of 32-bit numbers need 33 bits unless they wrap around. Parquet says that they wrap, and (since 2024)
#   that INT32 takes 32 bits at most. DuckDB computes in 64 bits and writes 33. Its own reader and Polars put up with that.
#   pyarrow says "Unexpected end of stream", as of a file cut short; ClickHouse (chdb) says nothing: the first number is right, all
#   others are noise. Small numbers never show it: seeds of 31 bits are right everywhere, as are 64-bit columns, the default v1,
#   and pyarrow's own differences of the same seeds. (Arrow's Go writer had the same fault until its pull request 1027.)
# Who cares: who logs self-play games with a u32 seed or position key and packs the log by DuckDB: DuckDB finds every number again
#   when the file is checked; a game replayed later from the seed that ClickHouse gives is another game.
# Seen on 2026-11-30 with duckdb 2.0.1, pyarrow 26.0.1, polars 2.1.0, chdb 4.4.0 on Python 3.11 (1,000 rows; how many are wrong):
#   DuckDB v1, INTEGER                      not packed   duckdb 0, polars 0, pyarrow 0, clickhouse 0
#   DuckDB v2, INTEGER                      33 bits      duckdb 0, polars 0, pyarrow OSError, clickhouse 999
#   DuckDB v2, UINTEGER                     33 bits      duckdb 0, polars 0, pyarrow OSError, clickhouse 999
#   DuckDB v2, INTEGER from 0 to 2^31 - 1   32 bits      duckdb 0, polars 0, pyarrow 0, clickhouse 0
#   DuckDB v2, BIGINT, the seeds of row 3   33 bits      duckdb 0, polars 0, pyarrow 0, clickhouse 0
#   pyarrow,   int32, the seeds of row 2    32 bits      duckdb 0, polars 0, pyarrow 0, clickhouse 0
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check \
    duckdb==2.0.1 pyarrow==26.0.1 polars==2.1.0 chdb==4.4.0 chdb-core==26.9.0 numpy==2.4.6

venv/bin/python - <<'PY'
import random

import chdb
import duckdb
import polars
import pyarrow
import pyarrow.parquet

FILE = "games.parquet"
GAMES = list(range(1000))
READERS = {"duckdb": lambda: [row[0] for row in duckdb.sql(f"SELECT seed FROM '{FILE}' ORDER BY game").fetchall()],
           "polars": lambda: polars.read_parquet(FILE).sort("game")["seed"].to_list(),
           "pyarrow": lambda: pyarrow.parquet.read_table(FILE).sort_by("game")["seed"].to_pylist(),
           "clickhouse": lambda: [int(line) for line in str(chdb.query(
               f"SELECT seed FROM file('{FILE}', 'Parquet') ORDER BY game", "CSV")).split()]}


def seeds(low, high):
    draw = random.Random(14)
    return [draw.randrange(low, high) for _ in GAMES]


def bits():
    """The widest difference in the column, from the head of its first block; None if the encoding is another one."""
    column = pyarrow.parquet.ParquetFile(FILE).metadata.row_group(0).column(1)
    if "DELTA_BINARY_PACKED" not in column.encodings:
        return None
    with open(FILE, "rb") as file:
        file.seek(column.data_page_offset)
        page = file.read(column.total_compressed_size)
    # Size of a block (DuckDB 2048, pyarrow 128), parts of it, 1000 values; then the first value and the least difference in groups
    # of 7 bits, and one byte of width per part.
    heads = (b"\x80\x10\x08\xe8\x07", b"\x80\x01\x04\xe8\x07")
    at = next(page.index(head) + len(head) for head in heads if head in page)
    for _ in range(2):
        while page[at] & 0x80:
            at += 1
        at += 1
    return max(page[at:at + 4])


def check(name, values, width, wrong):
    print(f"{name:<39} {f'{bits()} bits' if bits() else 'not packed':<12}", end=" ")
    found = {}
    for reader, read in READERS.items():
        try:
            found[reader] = sum(a != b for a, b in zip(read(), values, strict=True))
        except OSError as error:
            assert "Unexpected end of stream" in str(error), error
            found[reader] = "OSError"
    print(", ".join(f"{reader} {it}" for reader, it in found.items()))
    assert bits() == width
    expected = {"pyarrow": "OSError", "clickhouse": 999} if wrong else {}
    assert found == dict.fromkeys(READERS, 0) | expected, found


def by_duckdb(name, version, type_, values, width, wrong=False):
    duckdb.execute(f"CREATE OR REPLACE TABLE games AS SELECT unnest(?) AS game, unnest(?)::{type_} AS seed", [GAMES, values])
    # Not compressed, so that bits() can look inside; with the default compression the readers find the same.
    duckdb.execute(f"COPY games TO '{FILE}' (FORMAT parquet, PARQUET_VERSION {version}, COMPRESSION uncompressed)")
    check(f"DuckDB {version}, {name}", values, width, wrong)


signed, unsigned = seeds(-2**31, 2**31), seeds(0, 2**32)
by_duckdb("INTEGER", "v1", "INTEGER", signed, None)
by_duckdb("INTEGER", "v2", "INTEGER", signed, 33, wrong=True)
by_duckdb("UINTEGER", "v2", "UINTEGER", unsigned, 33, wrong=True)
by_duckdb("INTEGER from 0 to 2^31 - 1", "v2", "INTEGER", seeds(0, 2**31), 32)
by_duckdb("BIGINT, the seeds of row 3", "v2", "BIGINT", unsigned, 33)
pyarrow.parquet.write_table(pyarrow.table({"game": GAMES, "seed": pyarrow.array(signed, pyarrow.int32())}), FILE,
                            use_dictionary=False, compression="none", column_encoding={"seed": "DELTA_BINARY_PACKED"})
check("pyarrow,   int32, the seeds of row 2", signed, 32, wrong=False)
print("as recorded")
PY
