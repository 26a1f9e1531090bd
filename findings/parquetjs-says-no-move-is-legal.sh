#!/usr/bin/env bash
# @dsnp/parquetjs 1.8.9 (npm): in a Parquet file with pages of version 2 every boolean is false, and large unsigned numbers are negative.
#
# Good guess: a mask of legal moves is read as it was written, or the reader says that it does not know the encoding, as it does of others.
#   Its own files with useDataPageV2 come back right. A column that the reader's schema calls UINT_32 or UINT_64 has no minus.
# What happens: writers of version 2 put booleans down by RLE, where version 1 has plain bits; the reader unpacks runs of 0 bits each, and
#   that is false, whatever is in the file. Nulls stay nulls, the number of rows is right, nothing is said. Unsigned columns are read
#   as signed ones in both versions: a seed of 4,000,000,000 is -294,967,296. (Upstream's issue 113, open since January 2024, notes
#   that a test file with RLE booleans "fails", not how; pull request 122 of its ancestor says the like of UINT_32. The newest one on
#   npm, 1.9.3, has no code in it: issue 206.)
# Who cares: who packs games by pyarrow or Rust's Arrow with version 2 and shows them by Node: no move was legal, no game was ever won.
# Seen on 2026-12-01 with @dsnp/parquetjs 1.8.9 (asks for Node 24), hyparquet 1.33.0 on Node 20, pyarrow 26.0.1, arro3-io 0.9.1,
#   duckdb 2.0.1 on Python 3.11 (six rows, legal, seed and key):
#   pyarrow 1  hyparquet T T F T - T, 4000000000 18446744073709551615   parquetjs T T F T - T, -294967296 -1
#   pyarrow 2  hyparquet T T F T - T, 4000000000 18446744073709551615   parquetjs F F F F - F, -294967296 -1
#   arro3 1    hyparquet T T F T - T, 4000000000 18446744073709551615   parquetjs T T F T - T, -294967296 -1
#   arro3 2    hyparquet T T F T - T, 4000000000 18446744073709551615   parquetjs F F F F - F, -294967296 -1
# Needs Node with npm.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check pyarrow==26.0.1 arro3-io==0.9.1 duckdb==2.0.1
npm install --silent --no-audit --no-fund --ignore-scripts @dsnp/parquetjs@1.8.9 hyparquet@1.33.0
cat > read.mjs <<'JS'
import { readFileSync } from "node:fs";
import { parquetReadObjects } from "hyparquet";
import parquetjs from "@dsnp/parquetjs";
const bytes = readFileSync(process.argv[2]);
const rows = [];
const cursor = (await parquetjs.ParquetReader.openBuffer(bytes)).getCursor();
for (let row; (row = await cursor.next()); ) rows.push(row);
const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
const text = (read) => read.map((row) => ({ true: "T", false: "F" })[row.legal] ?? "-").join(" ") + `, ${read[0].seed} ${read[0].key}`;
console.log(`hyparquet ${text(await parquetReadObjects({ file }))}   parquetjs ${text(rows)}`);
JS
venv/bin/python - <<'PY'
import subprocess
import arro3.io, duckdb, pyarrow as pa, pyarrow.parquet as pq
games = pa.table({"legal": pa.array([True, True, False, True, None, True]), "seed": pa.array([4_000_000_000] * 6, pa.uint32()),
                  "key": pa.array([2**64 - 1] * 6, pa.uint64())})
right, wrong = "T T F T - T, ", "F F F F - F, "
for version in (1, 2):
    pq.write_table(games, f"pyarrow {version}", data_page_version=f"{version}.0", compression="none")
    arro3.io.write_parquet(games, f"arro3 {version}", writer_version=f"parquet_{version}_0", compression="uncompressed")
for name in ("pyarrow 1", "pyarrow 2", "arro3 1", "arro3 2"):
    assert pq.read_table(name).cast(games.schema).equals(games)
    assert duckdb.sql(f"FROM read_parquet('{name}')").fetchall()[1] == (True, 4_000_000_000, 2**64 - 1)
    line = subprocess.check_output(["node", "read.mjs", name], text=True).strip()
    print(f"{name:10} {line}")
    mask = wrong if name.endswith("2") else right
    assert line == f"hyparquet {right}4000000000 {2**64 - 1}   parquetjs {mask}-294967296 -1"
print("as recorded")
PY
