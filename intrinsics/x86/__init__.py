"""Micro-kernels of x86-64: AVX-512 and AVX2, in float32 and 8 bits."""
