"""Passes that make one composite function of all that one kernel is to compute."""
