#!/usr/bin/env bash
# mctx 0.0.71: with values in float16 each search visits its first legal move alone, all simulations long.
#
# Good guess: float16 has three digits; a search with it differs from one in f32 by a few visits. What has not been visited
#   is tried sooner or later, whatever the first move brought.
# What happens: values of moves are scaled to 0..1 by (q - min) / max(max - min, 1e-8). In float16 1e-8 is 0, so as long as
#   all values known are equal, which they are before the first simulation, the scaled ones are 0/0. argmax takes NaN
#   for the largest and returns the first one. With one move visited, all others count as its parent's value: equal again
#   if it is worth what the network said of the root. The third move below, a win, is never looked at. Action, visits and
#   value of muzero_policy look like those of a sure network (gumbel_muzero_policy's action_weights are NaN); a warning
#   speaks of an overflow in a cast. bfloat16, with the exponents of f32, explores.
# Who cares: who runs the network in float16 on a GPU. Policy targets become "the first move in the list"; an opening
#   whose positions are worth 0 each, as at the start of training or in drawn endings, is the usual case.
# Seen on 2026-11-29 with mctx 0.0.71, jax 0.10.2 on Python 3.11 (CPU), 200 simulations, visits of four moves:
#   muzero, all worth 0: float32 [50, 50, 50, 50] bfloat16 [50, 50, 50, 50] float16 [200, 0, 0, 0]
#   muzero, the third wins: float32 [4, 4, 188, 4] bfloat16 [4, 4, 188, 4] float16 [200, 0, 0, 0]
#   muzero, the first is illegal: float32 [0, 67, 66, 67] bfloat16 [0, 67, 66, 67] float16 [0, 200, 0, 0]
#   gumbel, all worth 0: float32 [75, 75, 25, 25] bfloat16 [75, 75, 25, 25] float16 [200, 0, 0, 0], weights NaN
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


def search(policy, worth, dtype, first_is_legal):
    """The visits of four moves; every leaf below a move has the worth of that move, the root that of the first."""
    worth = jnp.array(worth, dtype)
    logits = jnp.zeros((1, len(worth)), dtype)

    def step(params, key, action, first):
        first = jnp.where(first < 0, action, first)
        value = worth[first]
        same, zero = jnp.ones_like(value), jnp.zeros_like(value)
        return mctx.RecurrentFnOutput(reward=zero, discount=same, prior_logits=logits, value=value), first

    root = mctx.RootFnOutput(prior_logits=logits, value=worth[:1], embedding=jnp.array([-1]))
    illegal = jnp.zeros_like(logits, bool).at[0, 0].set(not first_is_legal)
    found = POLICIES[policy](params=None, rng_key=jax.random.PRNGKey(0), root=root, recurrent_fn=step,
                             invalid_actions=illegal, num_simulations=200)
    return found.search_tree.summary().visit_counts[0].astype(int).tolist(), bool(jnp.isfinite(found.action_weights).all())


draw, win = (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0)
for policy in POLICIES:
    for name, worth, legal in (("all worth 0", draw, True), ("the third wins", win, True), ("the first is illegal", draw, False)):
        visits = {it.__name__: search(policy, worth, it, legal) for it in (jnp.float32, jnp.bfloat16, jnp.float16)}
        weights = "" if visits["float16"][1] else ", weights NaN"
        print(f"{policy}, {name}:", *(f"{dtype} {it}" for dtype, (it, _) in visits.items()), end=weights + "\n")
        assert visits["float16"] == ([200, 0, 0, 0] if legal else [0, 200, 0, 0], policy == "muzero")
        assert all(min(visits[dtype][0][1:]) > 0 and visits[dtype][1] for dtype in ("float32", "bfloat16"))
print("as recorded")
PY
