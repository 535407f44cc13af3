"""Top floor: operator strategies per target, Relax passes, importers, and the compiler of whole networks."""

from . import arm_cpu, generic, power, x86

__all__ = ["arm_cpu", "generic", "power", "x86"]
