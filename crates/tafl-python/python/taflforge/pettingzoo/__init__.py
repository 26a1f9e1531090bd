"""Environments for PettingZoo: `from taflforge.pettingzoo import hnefatafl_v0`."""

from .._packages import needed

with needed("taflforge.pettingzoo", "pettingzoo"):
    import pettingzoo  # noqa: F401 (to say here that it is missing)
