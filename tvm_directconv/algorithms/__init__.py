"""Convolution algorithms, one file each: TE compute, schedule, knobs, workspace, and when it applies."""
