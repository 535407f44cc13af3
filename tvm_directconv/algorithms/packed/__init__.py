"""packed_nhwc: direct convolution that packs blocks of the input."""
