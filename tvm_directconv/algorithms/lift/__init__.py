"""Direct convolution for GPUs as Lift generates it (Mogers et al., GPGPU 2020): tiles of sliding windows and
groups of filters to workgroups, windows and chunks of their terms to threads."""
