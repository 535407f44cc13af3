"""Passes that say where elements of tensors lie: NHWC from end to end, slices and concatenations in place."""
