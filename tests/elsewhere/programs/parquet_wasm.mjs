import { tableFromIPC } from "apache-arrow";
import { readFileSync } from "node:fs";
import { readParquet } from "parquet-wasm";
import { tell } from "./tables.mjs";

await tell((path) => {
  const table = tableFromIPC(readParquet(new Uint8Array(readFileSync(path))).intoIPCStream());
  return table.toArray().map((row) => row.toJSON());
});
