import duckdb
import tables


def read(file):
    found = duckdb.sql(f"select * from '{file}'")
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


tables.tell(read)
