import * as ort from "onnxruntime-web";
import { readFileSync } from "node:fs";
import { folder, give, planes, shape } from "./given.mjs";

ort.env.wasm.numThreads = 1;
const session = await ort.InferenceSession.create(readFileSync(`${folder}/network.onnx`), { executionProviders: ["wasm"] });
const found = await session.run({ planes: new ort.Tensor("float32", planes, shape) });
give(["policy", "wdl", "moves_left"].map((name) => found[name].data));
