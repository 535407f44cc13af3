"""What one kernel is to compute, as one composite function."""
