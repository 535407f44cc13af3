"""Networks for GPUs: compiled to lists of launches, run and profiled on the device."""
