"""Looking at one layer or kernel: where its time goes, and what LLVM's model of a CPU says of it."""
