#!/usr/bin/env bash
# jax-js 0.1.25: the gradient of a sigmoid is NaN from -89 on, that of ELU from 89 on, and that of a weight's square at 0.
#
# Good guess: what is finite and smooth has a finite gradient, as in JAX, whose API jax-js keeps; its README ticks "NaN/Inf numerics".
# What happens: sigmoid, silu and elu give the right value far from 0 and NaN as its gradient: 1 / (1 + exp(-x)) and exp(x) - 1 are
#   differentiated as written, and infinity times 0 is NaN, also where `where` had chosen the other branch. softplus is log(1 + exp(x)),
#   infinite from 89 on. power(x, k) is exp(k * log|x|): its gradient at 0 is NaN and 0 ** 0 is NaN. square(x), or x times x, is right.
#   A single number is computed in 64 bits and comes out right further on (sigmoid), so that a test of one number passes.
# Who cares: who trains in Node or a browser: a logit of 89 that overshot once, or a penalty by power(w, 2) over biases that start at 0,
#   and after one step the network is NaN, while the loss that was printed beside it looks sound.
# Seen on 2026-12-01 with @jax-js/jax 0.1.25 (wasm) on Node 20, jax 0.10.2 on Python 3.11 (value and gradient):
#   sigmoid at -100:  JAX 0 and 0    jax-js 0 and nan       silu at -100:     JAX 0 and 0      jax-js 0 and nan
#   elu at 100:       JAX 100 and 1  jax-js 100 and nan     softplus at 100:  JAX 100 and 1    jax-js inf and nan
#   x ** 2 at 0:      JAX 0 and 0    jax-js 0 and nan       square at 0, and all of them at 40 or -40: the same in both
# Needs Node with npm.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check jax==0.10.2
npm install --silent --no-audit --no-fund --ignore-scripts @jax-js/jax@0.1.25
cat > ours.mjs <<'JS'
import { init, defaultDevice, grad, nn, numpy as np } from "@jax-js/jax";
await init("wasm");
defaultDevice("wasm");
const layers = { sigmoid: nn.sigmoid, silu: nn.silu, elu: nn.elu, softplus: nn.softplus, "x ** 2": (x) => np.power(x, 2), square: np.square };
const pair = ([name, at]) => [layers[name](np.array([at, 1])).js()[0], grad((x) => np.sum(layers[name](x)))(np.array([at, 1])).js()[0]];
for (const layer of JSON.parse(process.argv[2])) console.log(...pair(layer));
JS
venv/bin/python - <<'PY'
import json, subprocess
import jax
import numpy as np
LAYERS = {name: getattr(jax.nn, name) for name in ("sigmoid", "silu", "elu", "softplus")} | {"x ** 2": lambda x: x**2, "square": jax.numpy.square}
CASES = [("sigmoid", -100), ("silu", -100), ("elu", 100), ("softplus", 100), ("x ** 2", 0), ("square", 0)]
CASES += [("sigmoid", -40), ("silu", -40), ("elu", 40), ("softplus", 40), ("x ** 2", 40)]
lines = subprocess.check_output(["node", "ours.mjs", json.dumps(CASES)], text=True).splitlines()
for (name, at), line in zip(CASES, lines, strict=True):
    right, found = [float(it(float(at))) + 0.0 for it in (LAYERS[name], jax.grad(LAYERS[name]))], [float(it) + 0.0 for it in line.split()]
    print(f"{f'{name} at {at}:':17} JAX {right[0]:.3g} and {right[1]:.3g}   jax-js {found[0]:.3g} and {found[1]:.3g}")
    wrong = (name, at) in CASES[:5]
    assert np.isnan(found[1]) if wrong else np.isclose(found[1], right[1], rtol=1e-3)
    assert np.isinf(found[0]) if wrong and name == "softplus" else np.isclose(found[0], right[0], rtol=1e-3)
print("as recorded")
PY
