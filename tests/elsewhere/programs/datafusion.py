import datafusion
import tables

tables.tell(lambda file: datafusion.SessionContext().read_parquet(file).to_pylist())
