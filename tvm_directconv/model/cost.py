"""What one call of a convolution is estimated to take on one core: the model by which algorithms are chosen.

The estimate is a sum of cycles, each term of which an algorithm states from its own loops: arithmetic at the
micro-kernels' rate, packing, lines moved from beyond L1, calls and tails, changes of layout. It says which
algorithm is faster, in a form that can be printed and doubted; it does not predict a time.

A line from a cache level costs its latency over the number of lines a core keeps in flight: the transfer is
overlapped with others, as hardware prefetching and out-of-order execution do on the regular streams of a
convolution, and partly with arithmetic. What these things cost is in the machine's file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields

from tvm_directconv.targets.target import Machine

FLOAT_BYTES = 4
CAST_INSTRUCTIONS = {"bfloat16": 8, "float16": 2}
"""Instructions with which kernels other than convolutions round a vector of float32 and widen it again."""


@dataclass(frozen=True)
class Cost:
    """The estimated cycles on one core are told by their causes; ``total`` decides."""

    arithmetic: float
    """Micro-kernels take this many cycles with operands in L1, tails included."""
    packing: float = 0.0
    """Packing the input takes this many cycles."""
    traffic: float = 0.0
    """Micro-kernels wait this many cycles for lines from beyond L1."""
    overhead: float = 0.0
    """Calls, and partial sums stored and loaded again, take this many cycles."""
    layout: float = 0.0
    """Copies into and out of the layout that the algorithm wants take this many cycles."""

    @property
    def total(self) -> float:
        """Return the cycles of all causes."""
        return sum(getattr(self, f.name) for f in fields(self))

    def as_dict(self) -> dict[str, float]:
        """Return cycles by cause and in total, rounded, for reports."""
        return {name: round(value) for name, value in (asdict(self) | {"total": self.total}).items()}


def traffic_cycles(machine: Machine, bytes_from: Mapping[int, float]) -> float:
    """Return the cycles waited for {cache level: bytes}; the level behind the last is memory."""
    costs, line = machine.costs, machine.cache(1).line_bytes
    total = 0.0
    for level, moved in bytes_from.items():
        total += moved / line * latency_cycles(machine, level) / costs.misses_in_flight
    return costs.exposed_traffic * total


def latency_cycles(machine: Machine, level: int) -> float:
    """Return the cycles until a line from a cache level, or from memory behind the last, can be used."""
    if level > len(machine.caches):
        return machine.costs.memory_latency_cycles
    return machine.cache(level).latency_cycles


def level_holding(machine: Machine, bytes_held: float, share: float = 0.5) -> int:
    """Return the first cache level of which ``bytes_held`` fill at most ``share``, or else memory's."""
    for level in range(1, len(machine.caches) + 1):
        if bytes_held <= share * machine.cache(level).size_bytes:
            return level
    return len(machine.caches) + 1


def copy_cycles(machine: Machine, copies: Iterable[float]) -> float:
    """Return the cycles of copies of so many bytes each with their order changed."""
    costs = machine.costs
    return sum(costs.copy_call_cycles + size / costs.copy_bytes_per_cycle for size in copies)


def pass_cycles(machine: Machine, moved_bytes: float) -> float:
    """Return the cycles of one pass over tensors of so many bytes in all, in order: loads and stores, and
    lines from beyond L1."""
    issued = 8 * moved_bytes / (machine.vector_bits * machine.costs.loads_per_cycle)
    level = level_holding(machine, moved_bytes)
    moved = {level: moved_bytes} if level > 1 else {}
    return issued + machine.costs.streamed_traffic * traffic_cycles(machine, moved)


def cast_cycles(machine: Machine, elements: float, half: str) -> float:
    """Return the cycles of rounding so many float32 in registers to half precision, or widening them."""
    return 32 * elements / machine.vector_bits * CAST_INSTRUCTIONS[half] / machine.fma_per_cycle
