#!/usr/bin/env bash
# mctx 0.0.71: in bfloat16 the value of the root melts with each simulation after the 256th; at the end all moves look alike.
#
# Good guess: bfloat16 leaves two or three digits of what the network says; the means over hundreds of leaves are kept in
#   f32, or are at least right to these digits. If each leaf is worth 0.5, so is the root.
# What happens: the tree takes its dtype from root.value, and the new mean is (mean * visits + leaf) / (visits + 1) in that
#   dtype. bfloat16 has 8 bits: a sum of 128 and a half is 128, visits of 257 are 256. From 256 visits on no leaf is
#   added any more, while the division goes on: after n simulations about 256/n of the root's value is left. The best
#   move, with more visits than the others, falls below worse ones, and muzero_policy ends with even visits. No warning.
# Who cares: AlphaZero in JAX with 400 to 1600 simulations and networks in bfloat16, the usual type on TPU: value targets
#   near 0, policy targets near uniform, and play that gets worse with more search.
# Seen on 2026-11-29 with mctx 0.0.71, jax 0.10.2 on Python 3.11 (CPU), all leaves below a move worth 0.5, 0.4 or 0.3:
#   muzero, 200 simulations:  float32 root 0.490, visits [184, 11, 5]    bfloat16 root 0.492, visits [184, 11, 5]
#   muzero, 800 simulations:  float32 root 0.494, visits [766, 23, 11]   bfloat16 root 0.160, visits [374, 374, 52]
#   muzero, 1600 simulations: float32 root 0.496, visits [1549, 34, 17]  bfloat16 root 0.080, visits [536, 532, 532]
#   gumbel, two moves worth 0.5 each, 1600 simulations: float32 root 0.5, bfloat16 root 0.080
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check mctx==0.0.71 jax==0.10.2 numpy==2.4.6

JAX_PLATFORMS=cpu venv/bin/python - <<'PY'
import functools

import jax
import jax.numpy as jnp
import mctx

POLICIES = {"muzero": functools.partial(mctx.muzero_policy, dirichlet_fraction=0.0, temperature=0.0),
            "gumbel": functools.partial(mctx.gumbel_muzero_policy, gumbel_scale=0.0)}


def search(policy, worth, dtype, simulations):
    """The root's value and the visits of its moves; every leaf below a move has the worth of that move."""
    worth = jnp.array(worth, dtype)
    logits = jnp.zeros((1, len(worth)), dtype)

    def step(params, key, action, first):
        first = jnp.where(first < 0, action, first)
        value = worth[first]
        same, zero = jnp.ones_like(value), jnp.zeros_like(value)
        return mctx.RecurrentFnOutput(reward=zero, discount=same, prior_logits=logits, value=value), first

    root = mctx.RootFnOutput(prior_logits=logits, value=worth[:1], embedding=jnp.array([-1]))
    found = POLICIES[policy](params=None, rng_key=jax.random.PRNGKey(0), root=root, recurrent_fn=step,
                             num_simulations=simulations).search_tree.summary()
    return round(float(found.value[0]), 3), found.visit_counts[0].astype(int).tolist()


seen = {}
for policy, worth in (("muzero", (0.5, 0.4, 0.3)), ("gumbel", (0.5, 0.5))):
    for simulations in (200, 800, 1600):
        for dtype in (jnp.float32, jnp.bfloat16):
            root, visits = seen[policy, simulations, dtype.__name__] = search(policy, worth, dtype, simulations)
            print(f"{policy} {worth}, {simulations} simulations: {dtype.__name__} root {root}, visits {visits}")

for simulations, falls_to in ((800, 0.16), (1600, 0.08)):
    for policy in ("muzero", "gumbel"):
        assert seen[policy, simulations, "float32"][0] > 0.48
        assert abs(seen[policy, simulations, "bfloat16"][0] - falls_to) < 0.01
assert seen["gumbel", 200, "bfloat16"][0] == 0.5 and seen["muzero", 200, "bfloat16"][0] > 0.48
assert max(seen["muzero", 1600, "float32"][1]) > 1500 and max(seen["muzero", 1600, "bfloat16"][1]) < 600
print("as recorded")
PY
