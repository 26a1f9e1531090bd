"""Environments for PettingZoo: `from taflforge.pettingzoo import hnefatafl_v0`."""
