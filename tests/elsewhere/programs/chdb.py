import chdb
import tables

# As an Arrow table: its text rounds f32.
tables.tell(lambda file: chdb.query(f"select * from file('{file}', Parquet)", "ArrowTable").to_pylist())
