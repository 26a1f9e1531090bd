#!/usr/bin/env bash
# trueskill 0.4.5: with draw_probability=0 a draw between equals makes both players less certain than before the game.
#
# Good guess: a result never takes information away (tau adds a hundredth per game), so sigma falls, as it does with the
#   default of 10 % draws; if a draw is held to be impossible, the library raises FloatingPointError, as
#   its documentation says of results too unlikely to compute.
# What happens: the draw margin comes out as 2.2e-07 instead of 0, because the inverse normal distribution is an
#   approximation, and the difference of two almost equal probabilities divides by another such difference. Nothing is
#   raised; what is left is rounding noise: sigma rises from 8.333 to 9.588. Unequal players look sensible, and so
#   nobody suspects. From 1e-04 to 1e-08, ever rarer draws make the answer wander: 6.454, 6.304, 10.511 (the last
#   digits of noise may depend on the C library; that sigma rises does not).
#   With backend="scipy" the same call raises the FloatingPointError.
# Who cares: tafl has few draws, so 0 is the honest setting; one drawn game of a match by move limit spoils two ratings.
# Seen on 2026-11-29 with trueskill 0.4.5 (and scipy 1.17.1) on Python 3.11, sigma of both after a draw:
#   25 against 25 from 8.333: draw_probability 0.1 6.458, 0.0001 6.454, 1e-06 6.304, 1e-08 10.511, 0 9.588
#   25 against 30 from 8:     draw_probability 0.1 6.234, 0 6.232 (sensible)
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check trueskill==0.4.5 scipy==1.17.1 numpy==2.4.6

venv/bin/python - <<'PY'
import trueskill


def drawn(probability, first=(25, 25 / 3), second=(25, 25 / 3), backend=None):
    env = trueskill.TrueSkill(draw_probability=probability, backend=backend)
    after = env.rate_1vs1(env.Rating(*first), env.Rating(*second), drawn=True)
    assert abs(after[0].sigma - after[1].sigma) < 1e-6
    return round(after[0].sigma, 3)


print("draw margin for draw_probability=0:", trueskill.calc_draw_margin(0, 2))
assert 0 < trueskill.calc_draw_margin(0, 2) < 1e-6
equals = {probability: drawn(probability) for probability in (0.1, 1e-4, 1e-6, 1e-8, 0)}
print("equal players, sigma 8.333 before:", equals)
assert equals[0.1] == 6.458 and equals[1e-4] == 6.454
assert 8.334 < equals[1e-8] < 20 and 8.334 < equals[0] < 20
unequal = [drawn(probability, (25, 8), (30, 8)) for probability in (0.1, 0)]
print("25 against 30, sigma 8 before:", unequal)
assert unequal == [6.234, 6.232]
try:
    drawn(0, backend="scipy")
except FloatingPointError as error:
    print("scipy:", type(error).__name__)
else:
    raise AssertionError("scipy's backend raised nothing")
print("as recorded")
PY
