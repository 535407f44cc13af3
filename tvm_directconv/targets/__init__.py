"""What code is compiled for: target strings, what LLVM knows of CPUs, and machines as data."""
