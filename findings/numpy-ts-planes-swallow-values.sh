#!/usr/bin/env bash
# numpy-ts 1.7.0: joined to planes of int8, values between -1 and 1 become 0, and where(mask, counts, -1) marks by 255.
#
# Good guess: as in NumPy, against which the package says 20,000 tests compare it: concatenate, stack and where give the type that holds
#   both, float32 for int8 and float32, int16 for uint8 and int8. Its own add, multiply and maximum do.
# What happens: whatever joins or chooses takes the type of the first array and cuts the others down to it: concatenate, stack, hstack,
#   vstack, append, insert, union1d, block, where, select, choose. Floats lose their fraction, 200 becomes -56, and 1e300 behind float32
#   Infinity. Turned around, with the floats in front, all is right. clip(stones, -0.5, 0.5) is 0 everywhere. Nothing is said, unless one
#   of the two is a 64-bit integer: that raises an error.
# Who cares: who builds a position's input in Node or a browser from the planes of the stones, int8, and behind them planes of floats
#   (repetitions, share of moves left, last value): the network sees a board on which these are always 0.
# Seen on 2026-12-01 with numpy-ts 1.7.0 on Node 20 (it asks for 22), numpy 2.4.6 on Python 3.11 (stones 1 -1 0; shares 0.25 0.5 0.75):
#   concatenate stones, shares   NumPy 1 -1 0 0.25 0.5 0.75   numpy-ts 1 -1 0 0 0 0
#   concatenate shares, stones   NumPy 0.25 0.5 0.75 1 -1 0   numpy-ts 0.25 0.5 0.75 1 -1 0
#   where legal, stones, shares  NumPy 1 0.5 0                numpy-ts 1 0 0
#   where legal, counts, marks   NumPy 200 -1 7               numpy-ts 200 255 7
#   maximum stones, shares       NumPy 1 0.5 0.75             numpy-ts 1 0.5 0.75
# Needs Node with npm.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check numpy==2.4.6
npm install --silent --no-audit --no-fund --ignore-scripts numpy-ts@1.7.0
cat > ours.mjs <<'JS'
import * as np from "numpy-ts";
const [stones, shares, legal] = [np.array([1, -1, 0], "int8"), np.array([0.25, 0.5, 0.75], "float32"), np.array([true, false, true], "bool")];
const where = [np.where(legal, stones, shares), np.where(legal, np.array([200, 3, 7], "uint8"), np.array([-1, -1, -1], "int8"))];
const found = [np.concatenate([stones, shares]), np.concatenate([shares, stones]), ...where, np.maximum(stones, shares)];
console.log(JSON.stringify(found.map((it) => it.tolist())));
JS
venv/bin/python - <<'PY'
import json, subprocess
import numpy as np
found = json.loads(subprocess.check_output(["node", "ours.mjs"]))
stones, shares, legal = np.array([1, -1, 0], "int8"), np.array([0.25, 0.5, 0.75], "float32"), np.array([True, False, True])
where = [np.where(legal, stones, shares), np.where(legal, np.array([200, 3, 7], "uint8"), np.array([-1, -1, -1], "int8"))]
right = [it.tolist() for it in (np.concatenate([stones, shares]), np.concatenate([shares, stones]), *where, np.maximum(stones, shares))]
names = ["concatenate stones, shares", "concatenate shares, stones", "where legal, stones, shares", "where legal, counts, marks"]
for name, *both in zip([*names, "maximum stones, shares"], right, found):
    print("{:28} NumPy {:22} numpy-ts {}".format(name, *(" ".join(f"{it:g}" for it in numbers) for numbers in both)))
assert [one == other for one, other in zip(right, found)] == [False, True, False, False, True]
assert [found[0], found[2], found[3]] == [[1, -1, 0, 0, 0, 0], [1, 0, 0], [200, 255, 7]]
print("as recorded")
PY
