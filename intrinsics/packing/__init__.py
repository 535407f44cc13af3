"""Generated routines that pack operands: micro-panels of pixels, and windows of a feature map."""
