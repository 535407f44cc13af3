"""packed_nhwc: direct convolution on NHWC that packs blocks of the input."""
