"""Taflforge on many machines: Ray places, restarts and carries what `tafl` plays and learns."""
