"""Convolutions of few channels per group, depthwise ones first: lanes of a vector span several groups."""
