import tables
from pyspark.sql import SparkSession

session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
tables.tell(lambda file: [row.asDict() for row in session.read.parquet(file).collect()])
