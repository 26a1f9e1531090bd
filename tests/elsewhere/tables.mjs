// Compares what a program on Node read of a run's Parquet files, value by value.
import { readFileSync, readdirSync } from "node:fs";

const run = process.argv[2];
const games = readdirSync(`${run}/games`).map((generation) => `${run}/games/${generation}/games`);

function plain(value) {
  if (typeof value === "bigint") return value > 2n ** 53n || value < -(2n ** 53n) ? `${value}` : Number(value);
  if (typeof value === "number" && Number.isNaN(value)) return "nan";
  if (value && typeof value === "object") return Array.from(value, plain);
  return value ?? null;
}

/** Prints which columns differ; `read` gives the rows of a file as objects. */
export async function tell(read) {
  const wrong = new Map();
  let values = 0;
  for (const path of [...games, `${run}/metrics`]) {
    const own = JSON.parse(readFileSync(`${path}.json`));
    const found = await read(`${path}.parquet`);
    if (own.length !== found.length) throw new Error(`${found.length} rows of ${own.length}`);
    own.forEach((row, number) => {
      for (const [name, value] of Object.entries(row)) {
        values += 1;
        const other = plain(found[number][name]);
        if (JSON.stringify(other) !== JSON.stringify(value) && !wrong.has(name)) wrong.set(name, `${value} read as ${other}`);
      }
    });
  }
  const [first] = wrong.values();
  const runs = wrong.size ? `other in ${[...wrong.keys()].join(", ")}: ${first}` : `yes, ${values} values`;
  console.log(JSON.stringify({ runs }));
}
