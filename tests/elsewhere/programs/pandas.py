import pandas
import tables

tables.tell(lambda file: pandas.read_parquet(file, engine="pyarrow").to_dict("records"))
