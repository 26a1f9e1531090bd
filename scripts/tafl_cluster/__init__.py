"""Taflforge on many machines: Ray places, restarts and carries what `tafl` plays and learns."""

import os

# Ray reads these when it is imported, and then alone: nothing is told to anyone, and nobody gets in without the token.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_AUTH_MODE", "token")
