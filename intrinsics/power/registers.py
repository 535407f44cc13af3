"""The general registers of POWER kernels: their parameters, and those that count or hold nothing for long."""

C, A, B, BIAS, RESIDUAL, TAPS_H = (str(i) for i in range(3, 9))
INDEX, COUNTER, BLOCKS, SCRATCH = "9", "10", "11", "12"
STEP, LINE = "29", BLOCKS
"""Open distances are in these. Tiles of several lines are not walked by blocks."""
VECTOR_BYTES = 16
