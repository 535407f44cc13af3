"""Compilation of a network or a layer to code: compile, what it returns, and how it is written to a file."""
