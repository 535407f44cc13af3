"""Micro-kernels of RISC-V, in vectors whose length the CPU tells when the code runs."""
