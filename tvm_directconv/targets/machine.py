"""What schedules need to know of a CPU: its vectors, its caches, and what things cost on it.

Ground for the analytical models, which take every number about a CPU from here. The numbers themselves
are in machine files (machine_files.py reads them). A CPU as a table of numbers is BLIS's idea (its
``config`` folder); here each number also says where it comes from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

GENERIC = "generic"
"""Any CPU at all, and the architecture of CPUs of which none is described."""
ARCHITECTURES = ("x86_64", "aarch64", "powerpc64le", GENERIC)


@dataclass(frozen=True)
class CacheLevel:
    """One data or unified cache as one core sees it.

    ``size_bytes`` is what one core can reach: the whole of a cache it shares with others.
    ``latency_cycles`` is load-to-use of an integer load that hits here.
    """

    size_bytes: int
    ways: int
    line_bytes: int
    latency_cycles: int


@dataclass(frozen=True)
class Costs:
    """What a core takes for the things a convolution does: cycles, rates per cycle and shares.

    The first five numbers belong to the core and its memory, and manuals or a probe tell them. The others
    are coefficients of the analytical models: each was found by timing the loops that its sentence names.
    """

    loads_per_cycle: float
    """Vector loads of the machine's full width that a core starts per cycle."""
    fma_latency: float
    """Cycles from one multiply-add to the next one on the same accumulator, forwarding included."""
    misses_in_flight: float
    """Lines that a core has on their way from beyond L1 at once, in the regular streams of a convolution."""
    broadcast_misses_in_flight: float
    """The same of broadcasts that miss L1 because their lines evict each other: the latency of L2 over the
    cycles that each such broadcast was found to take."""
    memory_latency_cycles: float
    """Load-to-use of a load that no cache holds."""

    exposed_traffic: float
    """Share of a transfer from beyond L1 that arithmetic does not hide; found with 1x1 layers whose operands
    are in L2 and L3. It goes with the misses in flight that it was found beside."""
    streamed_traffic: float
    """What is left of that share where the next panel is prefetched and rows are regular streams."""
    streamed_panels: float
    """What is left of that share for filter panels, which come in the order of their addresses, so that
    prefetching finds them; half a latency for the beginning of each panel is counted beside it."""
    panel_share_of_l2: float
    """The most of L2 that a reused filter panel may fill and still stay there beside the input; found with
    panels of 3x3 layers of growing size."""
    ways_passing: int
    """Ways of L1 that the filter takes as its lines pass by and as caches evict not exactly the oldest."""

    call_cycles: float
    """Entering and leaving a micro-kernel's tile, without its loads and stores."""
    first_call_cycles: float
    """Reading a micro-kernel's instructions for the first time in a call of a layer, as between other
    layers; found with layers that take less than 50 us."""
    copy_bytes_per_cycle: float
    """Speed of a copy that changes the order of elements, read and write counted once; found with changes of
    layout in L2 and L3."""
    copy_call_cycles: float
    """What one such copy takes, however small."""
    partial_sum_cycles: float
    """Loading and storing a vector of partial sums again, so far as the sum itself does not hide it."""
    partial_sum_call_cycles: float
    """What each micro-kernel call on partial sums takes beside its vectors."""
    packing_call_cycles: float
    """Packing a panel, whatever its size; found with panels of 3 channels."""
    packing_element_cycles: float
    """Packing one element of a panel, beside its share of a vector; found with panels of 6 to 16 rows in L1,
    on 4, 8 and 16 lanes."""
    packing_vector_cycles: float
    """Packing one vector of a panel's elements; found with the same panels."""
    hidden_packing: float
    """Share of packing that runs beside the micro-kernel before it, for the first panel of a block."""
    window_packing_cycles: float
    """Packing a vector of windows: a load, a shift and a store, with masks at the borders."""
    lowered_pieces_per_cycle: float
    """Pieces of a lowered matrix (im2col) that are written per cycle, each a short row of channels."""
    interleaved_bytes_per_cycle: float
    """Bytes of an interleaved matrix of 8-bit numbers that are written per cycle."""
    least_parallel_cycles: float
    """Work of a parallel piece next to which beginning it and allocating its workspace are little."""


COST_NAMES = tuple(cost.name for cost in fields(Costs))
SHARES = frozenset({
    "exposed_traffic", "streamed_traffic", "streamed_panels", "panel_share_of_l2", "hidden_packing",
})  # fmt: skip
"""The costs that are shares of something, at most 1."""


@dataclass(frozen=True)
class Origin:
    """Where a machine's cost comes from.

    ``of_class`` names the class of CPUs it was taken from, and is empty where the machine's own file
    gives it. ``source`` is what the file gives as its source: a manual, or what was measured, where and when.
    """

    of_class: str
    source: str


@dataclass(frozen=True)
class Machine:
    """What schedules need to know of a CPU.

    ``arch`` is one of ARCHITECTURES. ``features`` are LLVM's names of its SIMD features, not all it
    has. ``fma_per_cycle`` counts vector FMAs issued per cycle at ``vector_bits``. ``caches`` are L1
    data, L2 and, where there is one, L3. ``mcpu`` are LLVM's names of the CPUs described, none for
    a class of CPUs. ``origins`` says of each cost where it comes from.
    """

    name: str
    description: str
    arch: str
    features: frozenset[str]
    vector_bits: int
    vector_registers: int
    fma_per_cycle: int
    caches: tuple[CacheLevel, ...]
    source: str
    mcpu: tuple[str, ...]
    costs: Costs
    origins: Mapping[str, Origin] = field(compare=False)

    def cache(self, level: int) -> CacheLevel:
        """The cache of a level counted from 1; the last there is, where the machine has fewer."""
        return self.caches[min(level, len(self.caches)) - 1]

    def own_costs(self) -> tuple[str, ...]:
        """The names of the costs that the machine's own file gives; the others are those of its class."""
        return tuple(name for name in COST_NAMES if not self.origins[name].of_class)

    def with_costs(self, values: Mapping[str, Any], origins: Mapping[str, Origin]) -> Machine:
        """The machine with those of its costs replaced, and where they come from."""
        return replace(self, costs=replace(self.costs, **values), origins={**self.origins, **origins})
