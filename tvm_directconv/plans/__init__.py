"""Proofs of plans: that the calls of a layer's function, on its operands, add up to the convolution."""
