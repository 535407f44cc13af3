"""Compilation of a network or a layer: compile, what it returns, and how it is written to a file."""
