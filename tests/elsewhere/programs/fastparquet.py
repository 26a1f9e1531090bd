import pandas
import tables

tables.tell(lambda file: pandas.read_parquet(file, engine="fastparquet").to_dict("records"))
