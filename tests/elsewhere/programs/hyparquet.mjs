import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { tell } from "./tables.mjs";

await tell(async (path) => parquetReadObjects({ file: await asyncBufferFromFile(path), compressors }));
