"""General and scalar registers of RISC-V micro-kernels, by their numbers' names.

x0 is zero, x2 the stack pointer, x3 and x4 the platform's, x8 and x9 the compiler's frame and base pointers.
"""

C, A, B, BIAS, RESIDUAL, TAPS_H = (f"x{i}" for i in range(10, 16))
STEP, LINE = "x16", "x17"
"""Open distances of A's filter rows and of C's lines are in these."""
BLOCKS = LINE
"""Blocks are counted here; tiles of several lines are not walked by blocks."""
COUNTER, SCRATCH, LENGTH = "x5", "x6", "x7"
LEFT, LEFT_IN_BLOCK = "x28", "x29"
"""Channels that passes have not computed yet, and those of them that lie together in C."""
B_AT, A_WALKED, B_WALKED, TAPS = "x30", "x31", "x18", "x19"
"""B within a segment; A, B and the filter rows left as a pass walks them."""
ROWS = ("x1", *(f"x{i}" for i in range(20, 28)))
"""These point to A's rows."""
GENERAL = (COUNTER, SCRATCH, LENGTH, LEFT, LEFT_IN_BLOCK, B_AT, A_WALKED, B_WALKED, TAPS, BLOCKS, STEP, *ROWS)
SCALARS = tuple(range(32, 40)) + tuple(range(42, 50)) + tuple(range(60, 64))
"""Scalar registers that no function keeps for its caller. Numbers from 32 on are theirs, those before are
vector registers'."""
REGISTERS = 32
"""Number of vector registers, and of scalar ones."""
MOST_OFFSET = 2047
"""Loads of scalars reach so many bytes beyond a pointer."""
