// What programs on Node are given and give back.
import { readFileSync, writeFileSync } from "node:fs";

export const folder = process.argv[2];
const numbers = (file) => new Float32Array(new Uint8Array(readFileSync(`${folder}/${file}`)).buffer);

const card = () => JSON.parse(readFileSync(`${folder}/model.json`)).planes;
export const planes = folder.includes("exports") ? numbers("planes.f32") : undefined;
export const shape = planes && [256, card().length, ...card()[0].shape];

/** Writes the outputs for all positions, each output's numbers position by position. */
export function give(outputs) {
  const widths = outputs.map((it) => it.length / 256);
  const row = widths.reduce((a, b) => a + b);
  const all = new Float32Array(256 * row);
  let first = 0;
  outputs.forEach((output, number) => {
    for (let at = 0; at < 256; at++)
      all.set(output.subarray(at * widths[number], (at + 1) * widths[number]), at * row + first);
    first += widths[number];
  });
  writeFileSync(`${folder}/found.f32`, all);
}
