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
"""This names the machine that is any CPU at all, and the architecture of all that are not described."""
KEYS = {
    "x86": ("x86_64", "i386"),
    "arm_cpu": ("aarch64", "arm", "thumb"),
    "power": ("powerpc64le", "powerpc64", "powerpc"),
    "riscv": ("riscv64", "riscv32"),
}
"""The architectures that each key of strategies makes sense for. Machines are described, and kernels written,
of the first; the others get portable kernels only."""
ARCHITECTURES = (*(architectures[0] for architectures in KEYS.values()), GENERIC)


@dataclass(frozen=True)
class CacheLevel:
    """A level is one data or unified cache as one core sees it.

    ``size_bytes`` is what one core can reach: the whole of a cache it shares with others.
    ``latency_cycles`` is load-to-use of an integer load that hits here.
    """

    size_bytes: int
    ways: int
    line_bytes: int
    latency_cycles: int


@dataclass(frozen=True)
class Costs:
    """Costs are what a core takes for the things a convolution does: cycles, rates per cycle and shares.

    The first five numbers belong to the core and its memory, and manuals or a probe tell them. The others are
    coefficients of the analytical models, found by timing the loops that their sentences name.
    """

    loads_per_cycle: float
    """A core starts this many vector loads of the machine's full width per cycle."""
    fma_latency: float
    """A multiply-add follows another one on the same accumulator after this many cycles, with forwarding."""
    misses_in_flight: float
    """A core has this many lines on their way from beyond L1 at once in the streams of a convolution."""
    broadcast_misses_in_flight: float
    """A core has this many on their way of the broadcasts that miss L1 because their lines evict each other.
    It is the latency of L2 over the cycles that each such broadcast was found to take."""
    memory_latency_cycles: float
    """What a load brings from memory can be used after this many cycles."""

    exposed_traffic: float
    """Arithmetic does not hide this share of a transfer from beyond L1. It was found with 1x1 layers whose
    operands are in L2 and L3, and goes with the misses in flight that it was found beside."""
    streamed_traffic: float
    """This part is left of that share where the next panel is prefetched and rows are regular streams."""
    streamed_panels: float
    """This part is left of that share for filter panels in L2, and where strips read them from beyond it,
    which come in the order of their addresses, so that prefetching finds them. Beside it packed_nhwc counts
    half a latency for the beginning of each panel."""
    panel_share_of_l2: float
    """A reused filter panel stays in L2 beside the input if it fills no more than this of it. It was found
    with panels of 3x3 layers of growing size."""
    ways_passing: int
    """The filter takes this many ways of L1 as it passes by, for caches evict not exactly the oldest line."""

    call_cycles: float
    """Entering and leaving a micro-kernel's tile takes this many cycles, without its loads and stores."""
    first_call_cycles: float
    """Reading a micro-kernel's instructions for the first time in a call of a layer takes this many cycles,
    as between other layers. It was found with layers that take less than 50 us."""
    scattered_store_cycles: float
    """Each run of a pixel's channels that is stored beyond L2, apart from the one before, takes this many
    cycles. It was found with layers of 64 channels by micro-kernels of 16, and of all 64, and decides
    the tiles of 84 of 228 measured layers on Zen 4."""
    copy_bytes_per_cycle: float
    """A copy that changes the order of elements moves this many bytes per cycle, read and write counted once.
    It was found with changes of layout in L2 and L3. An interleaved matrix is written at the same rate."""
    copy_call_cycles: float
    """Each such copy takes this many cycles beside that, however small it is: without it, layers of a few
    pixels have their layouts changed for nothing."""
    partial_sum_cycles: float
    """Loading and storing a vector of partial sums again takes this many cycles not hidden by the sum."""
    partial_sum_call_cycles: float
    """Each micro-kernel call on partial sums takes this many cycles beside its vectors."""
    packing_call_cycles: float
    """Packing a panel takes this many cycles, whatever its size. It was found with panels of 3 channels."""
    packing_element_cycles: float
    """Packing an element of a panel takes this many cycles beside its share of a vector. It was found with
    panels of 6 to 16 rows in L1, on 4, 8 and 16 lanes."""
    packing_vector_cycles: float
    """Packing a vector of a panel's elements takes this many cycles. It was found with the same panels."""
    hidden_packing: float
    """This share of packing the first panel of a block runs beside the micro-kernel before it."""
    window_packing_cycles: float
    """Packing a vector of windows takes this many cycles: a load, a shift, a store, masks at borders."""
    row_visit_cycles: float
    """A row of windows that is read where it lies comes after this many cycles, less those of its
    multiply-adds, for the one before is in another page. It was found with 1x1 layers of 4 and 8 filters."""
    lowered_pieces_per_cycle: float
    """This many pieces of a lowered matrix (im2col) are written per cycle, each a short row of channels.
    Without it, first layers of 8 bits would be lowered."""
    tile_line_cycles: float
    """A row of a matrix unit's tile that is loaded from L2 delays the multiplications by so many cycles. It
    was found with 1x1 and 3x3 layers whose filters and inputs are in L2, and decides the tiles of most layers
    in bfloat16."""
    tile_copy_cycles: float
    """A tile that is copied, row by row, before it is loaded delays them by so many: the load waits for
    the copy. It was found with 3x3 layers across row ends, beside the same ones whose input has a border, and
    decides where inputs get one."""
    tile_store_cycles: float
    """Each pixel's run of channels that a matrix unit's tiles of one vector store apart from the next takes
    so many cycles: those of two fill a line together, or half of one. It was found with 1x1 layers of 256 to
    1024 output channels, and decides the tiles of one layer in twelve."""
    least_parallel_cycles: float
    """Beginning a parallel piece and allocating its workspace are little next to this many cycles."""


COST_NAMES = tuple(cost.name for cost in fields(Costs))
SHARES = frozenset({
    "exposed_traffic", "streamed_traffic", "streamed_panels", "panel_share_of_l2", "hidden_packing",
})  # fmt: skip
"""These costs are shares of something, at most 1."""


@dataclass(frozen=True)
class Origin:
    """An origin tells where a machine's cost comes from.

    ``of_class`` names the class of CPUs it was taken from, and is empty where the machine's own file
    gives it. ``source`` is what the file gives as its source: a manual, or what was measured, where and when.
    """

    of_class: str
    source: str


@dataclass(frozen=True)
class Rate:
    """A rate is how often instructions of an instruction set multiply, where float32's multiply-adds do once,
    and where that is known from. Of AMX's products of tiles it is one if they take 16 cycles."""

    isa: str
    value: float
    source: str


@dataclass(frozen=True)
class Machine:
    """A machine is a CPU as schedules need to know it.

    ``arch`` is one of ARCHITECTURES. ``features`` are LLVM's names of its SIMD features, not all it
    has. ``fma_per_cycle`` counts vector FMAs issued per cycle at ``vector_bits``. ``caches`` are L1
    data, L2 and, where there is one, L3. ``mcpu`` are LLVM's names of the CPUs described, none for
    a class of CPUs. ``origins`` says of each cost where it comes from. ``rates`` are of instruction
    sets that are known to multiply more or less often than float32's.
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
    rates: tuple[Rate, ...] = ()

    def cache(self, level: int) -> CacheLevel:
        """Return the cache of a level counted from 1, or the last one where the machine has fewer."""
        return self.caches[min(level, len(self.caches)) - 1]

    def rate(self, isa: str) -> float:
        """Return how often an instruction set multiplies, where float32's multiply-adds do once."""
        return next((rate.value for rate in self.rates if rate.isa == isa), 1.0)

    def own_costs(self) -> tuple[str, ...]:
        """Return the names of the costs that the machine's own file gives; the others are its class's."""
        return tuple(name for name in COST_NAMES if not self.origins[name].of_class)

    def with_costs(self, values: Mapping[str, Any], origins: Mapping[str, Origin]) -> Machine:
        """Return the machine with these of its costs replaced, and where they come from."""
        return replace(self, costs=replace(self.costs, **values), origins={**self.origins, **origins})
