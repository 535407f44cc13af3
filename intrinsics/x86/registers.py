"""The general registers of x86 kernels: their parameters, and two that hold nothing for long."""

C, A, B, BIAS, RESIDUAL, TAPS_H = "rdi", "rsi", "rdx", "rcx", "r8", "r9"
COUNTER, SCRATCH = "rax", "r10"
STEP, LINE = "r14", "r15"
"""Registers of open distances: of A's filter rows, and of C's lines."""
AHEAD = "r13"
"""Register that points to what kernels that fetch the filter ahead of its use fetch next."""
