"""im2col_gemm: the input lowered to a matrix, then a blocked product."""
