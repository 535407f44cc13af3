"""Building a library: kernels compiled, a program of them, its weights, and the file it is linked to."""
