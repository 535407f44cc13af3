"""What schedules need to know of a CPU: its vectors, its caches, and what things cost on it.

Ground for the analytical models, which take every number about a CPU from here. The numbers themselves
are in machine files (machine_files.py reads them). A CPU as a table of numbers is BLIS's idea (its
``config`` folder); here each number also says where it comes from.
"""

from __future__ import annotations

from dataclasses import dataclass, field

ARCHITECTURES = ("x86_64", "aarch64", "powerpc64le", "generic")


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
    """What a core takes for the things a convolution does, in cycles and shares of transfers.

    The first numbers belong to the core and its memory, and manuals or a probe tell them. The others are
    coefficients of the analytical models: each was found by timing the loops that its sentence names.
    """

    loads_per_cycle: float = 2
    """Vector loads of the machine's full width that a core starts per cycle."""
    fma_latency: float = 4
    """Cycles from one multiply-add to the next one on the same accumulator, forwarding included."""
    misses_in_flight: float = 12
    """Lines that a core has on their way from beyond L1 at once, in the regular streams of a convolution."""
    broadcast_misses_in_flight: float = 5
    """The same of broadcasts that miss L1 because their lines evict each other. On Zen 5 each of them took
    2.7 cycles, where L2 has a latency of 14."""
    memory_latency_cycles: float = 400
    """Load-to-use of a load that no cache holds."""

    exposed_traffic: float = 0.25
    """Share of a transfer from beyond L1 that arithmetic does not hide; from 1x1 layers with operands in L2
    and L3."""
    streamed_traffic: float = 0.3
    """What is left of that share where the next panel is prefetched and rows are regular streams."""
    streamed_panels: float = 0.2
    """What is left of that share for filter panels, which come in the order of their addresses, so that
    prefetching finds them; half a latency for each panel's begin is counted beside it."""
    panel_share_of_l2: float = 2 / 3
    """The most of L2 that a reused filter panel may fill and still stay there beside the input. On 512 to
    512 channels 3x3, 590 KB of 1 MB stayed and 885 KB did not."""
    ways_passing: int = 3
    """Ways of L1 that the filter takes, its lines passing by and caches not evicting exactly the oldest."""

    call_cycles: float = 30
    """Entering and leaving a micro-kernel's tile, without its loads and stores."""
    first_call_cycles: float = 1000
    """Reading a micro-kernel's instructions for the first time in a call of a layer, as between other
    layers; from layers that take less than 50 us."""
    copy_bytes_per_cycle: float = 4
    """Speed of a copy that changes the order of elements, read and write counted once; from changes of
    layout in L2 and L3."""
    copy_call_cycles: float = 1000
    """What one such copy takes, however small."""
    partial_sum_cycles: float = 0.6
    """Loading and storing a vector of partial sums again, so far as the sum itself does not hide it. With
    the cycles of a call it was 23 to 50 cycles for 28 vectors."""
    partial_sum_call_cycles: float = 20
    """What each call on partial sums takes beside its vectors; three tiles of 5x64 took 5 % more than one of
    14x32."""
    packing_call_cycles: float = 15
    """Packing a panel, whatever its size; from panels of 3 channels."""
    packing_element_cycles: float = 0.05
    """Packing one element of a panel, beside its share of a vector; from panels of 6 to 16 rows in L1, on 4,
    8 and 16 lanes."""
    packing_vector_cycles: float = 0.85
    """Packing one vector of a panel's elements, from the same panels."""
    hidden_packing: float = 0.25
    """Share of packing that runs beside the micro-kernel before it, for the first panel of a block."""
    window_packing_cycles: float = 2.0
    """Packing a vector of windows: a load, a shift and a store, with masks at the borders."""
    lowered_pieces_per_cycle: float = 0.5
    """Pieces of a lowered matrix (im2col) that are written per cycle, each a short row of channels."""
    interleaved_bytes_per_cycle: float = 4
    """Bytes of an interleaved matrix of 8-bit numbers that are written per cycle."""
    least_parallel_cycles: float = 50_000
    """Work of a parallel piece next to which beginning it and allocating its workspace are little."""


@dataclass(frozen=True)
class Machine:
    """What schedules need to know of a CPU.

    ``arch`` is one of ARCHITECTURES. ``features`` are LLVM's names of its SIMD features, not all it
    has. ``fma_per_cycle`` counts vector FMAs issued per cycle at ``vector_bits``. ``caches`` are L1
    data, L2 and, where there is one, L3. ``mcpu`` are LLVM's names of the CPUs described, none for
    a class of CPUs.
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
    mcpu: tuple[str, ...] = ()
    costs: Costs = field(default_factory=Costs)

    def cache(self, level: int) -> CacheLevel:
        """The cache of a level counted from 1; the last there is, where the machine has fewer."""
        return self.caches[min(level, len(self.caches)) - 1]
