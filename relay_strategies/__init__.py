"""Top floor: operator strategies, ways in, Relax passes, the compiler of networks, and the tuner."""

import intrinsics as _  # noqa: F401  # it has TVM's threads sleep while there is nothing to do
