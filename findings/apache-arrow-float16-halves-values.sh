#!/usr/bin/env bash
# apache-arrow 21.2.0 (npm): Float16 columns halve values, unmask moves and spoil small priors.
#
# Good guess: vectorFromArray() stores the nearest half.
# What happens: a rounding's carry is OR-ed into the exponent, overflow keeps exponents, small numbers are shifted modulo 32.
# Seen on 2026-11-30, node 20.20.2: 0.49999 gives 0.25, -1.9999 -1, mask -1e9 -3.72, 1e-8 -Infinity, 1e-9 4.2e-5.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm pack --silent apache-arrow@21.2.0
tar xzf apache-arrow-21.2.0.tgz package/Arrow.es2015.min.js # one file with all that it needs

cat > check.cjs <<'JS'
const assert = require("assert");
const { Float16, vectorFromArray } = require("./package/Arrow.es2015.min.js");

function nearest(x) { // the even one of two
  const size = Math.abs(x), step = 2 ** (Math.max(Math.floor(Math.log2(size)), -14) - 10);
  if (size >= 65520) return Math.sign(x) * Infinity;
  const low = Math.floor(size / step), rest = size / step - low;
  return Math.sign(x) * step * (low + (rest > 0.5 || (rest === 0.5 && low % 2) ? 1 : 0));
}
const stored = (values) => [...vectorFromArray(values, new Float16())];
const right = [0.3, -1, 0.9999, 70000.1, 1e-4, 1e-7], wrong = [0.49999, -1.9999, 70000, -1e9, 1e-8, 1e-9];
const got = stored(wrong);
wrong.forEach((x, i) => console.log(`${x}: ${got[i]}, nearest ${nearest(x)}`));
assert.deepStrictEqual(stored(right), right.map(nearest));
assert.deepStrictEqual(got, [0.25, -1, 2.134765625, -3.724609375, -Infinity, 704 / 2 ** 24]);
assert.deepStrictEqual(wrong.map(nearest), [0.5, -2, Infinity, -Infinity, 0, 0]);
let state = 1;
const priors = Array.from({ length: 10000 }, () => Math.exp(-24 * (state = state * 48271 % 2147483647) / 2147483647));
const packed = stored(priors), far = (x, i) => !(Math.abs(packed[i] - nearest(x)) <= Math.max(2 ** -24, x / 1000));
console.log(`priors from 1 to exp(-24): ${priors.filter(far).length} of 10000 wrong, ${packed.filter((x) => x !== x).length} NaN`);
assert(priors.filter(far).length > 2000);
console.log("as recorded");
JS
node check.cjs
