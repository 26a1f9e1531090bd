"""Tests of the package, called by ./scripts/test."""
