"""Micro-kernels in plain LLVM vectors, for any target."""
