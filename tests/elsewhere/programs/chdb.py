import json

import chdb
import tables


def read(file):
    settings = "output_format_json_quote_64bit_integers = 0, output_format_json_quote_denormals = 1"
    text = chdb.query(f"select * from file('{file}', Parquet) format JSONEachRow settings {settings}", "JSONEachRow")
    return [json.loads(line) for line in str(text).splitlines()]


tables.tell(read)
