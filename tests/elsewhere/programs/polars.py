import polars
import tables

tables.tell(lambda file: polars.read_parquet(file).to_dicts())
