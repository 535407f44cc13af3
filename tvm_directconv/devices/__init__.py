"""Devices beside the CPU: how one is found, what its kernels are compiled from, and how they are launched."""
