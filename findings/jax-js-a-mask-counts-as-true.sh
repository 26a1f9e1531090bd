#!/usr/bin/env bash
# jax-js 0.1.25: the sum of a mask is `true`: 37 legal moves are one, and a third of them is 0. Numbers picked by a mask are other ones.
#
# Good guess: jax-js keeps the API of NumPy and JAX, where the sum of booleans is their number, and array[mask] the numbers that the mask
#   marks. Its own mean, cumsum and countNonzero of a mask are those of NumPy.
# What happens: sum() of booleans stays a boolean, "any": it does not equal 3, it is less than 5 whatever was counted, and times a float
#   it becomes a uint32, so that times 1/3 or 0.5 gives 0. dot() of two masks is a boolean as well. slice(mask), the indexing of jax-js, takes
#   true and false for the indices 1 and 0: as many numbers as the mask is long, each of them the first or the second of the array.
#   No error, shapes are those expected of a sum; division by such a sum alone is refused. sum(mask.astype("int32")) is right.
# Who cares: who counts men, legal moves or hits by sum(), as one does in NumPy: the accuracy of a batch is 0 or "true", never a number.
# Seen on 2026-12-01 with @jax-js/jax 0.1.25 (wasm) on Node 20, jax 0.10.2 on Python 3.11 (moves 10 20 30 40, all but the first legal):
#   JAX:    sum(mask) 3     equals 3 true   times 0.5 1.5  mean(mask) 0.75  moves[mask] [20, 30, 40]
#   jax-js: sum(mask) true  equals 3 false  times 0.5 0    mean(mask) 0.75  moves[mask] [10, 20, 20, 20]
# Needs Node with npm.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check jax==0.10.2
npm install --silent --no-audit --no-fund --ignore-scripts @jax-js/jax@0.1.25
cat > ours.mjs <<'JS'
import { init, defaultDevice, numpy as np } from "@jax-js/jax";
await init("wasm");
defaultDevice("wasm");
const mask = () => np.array([false, true, true, true]);
const found = [np.sum(mask()), np.equal(np.sum(mask()), 3), np.sum(mask()).mul(0.5), np.mean(mask()), np.array([10, 20, 30, 40]).slice(mask())];
console.log(JSON.stringify(found.map((it) => it.js())));
JS
venv/bin/python - <<'PY'
import json, subprocess
import jax.numpy as jnp
found = json.loads(subprocess.check_output(["node", "ours.mjs"]))
mask = jnp.array([False, True, True, True])
right = [it.tolist() for it in (mask.sum(), mask.sum() == 3, mask.sum() * 0.5, mask.mean(), jnp.array([10, 20, 30, 40])[mask])]
for name, numbers in (("JAX:   ", right), ("jax-js:", found)):
    print(name, *map("{} {:6}".format, ("sum(mask)", "equals 3", "times 0.5", "mean(mask)", "moves[mask]"), map(json.dumps, numbers)))
assert json.dumps([right, found]) == "[[3, true, 1.5, 0.75, [20, 30, 40]], [true, false, 0, 0.75, [10, 20, 20, 20]]]"
print("as recorded")
PY
