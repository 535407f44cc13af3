"""Top floor: operator strategies, ways in, Relax passes, the compiler of networks, and the tuner."""
