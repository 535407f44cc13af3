"""Micro-kernels of AArch64: Neon, in float32 and 8 bits."""
