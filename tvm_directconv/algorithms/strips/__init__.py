"""Strips, one row of output pixels by nr channels: what direct_nhwc, blocked and im2col_gemm are made of."""
