"""From composites to calls of kernels: precision, choice, report."""
