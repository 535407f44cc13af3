"""Passes from composites to calls of kernels: precision, choice, report."""
