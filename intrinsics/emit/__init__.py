"""Text of generated routines: LLVM IR around inline assembly, and the order in which operands are walked."""
