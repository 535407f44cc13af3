"""Micro-kernels of POWER: VSX and the matrix unit (MMA), in float32 and 8 bits."""
