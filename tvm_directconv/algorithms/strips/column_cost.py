"""What depthwise kernels of bytes are estimated to take that load a pixel once for all sums it counts in."""

from __future__ import annotations

from intrinsics.microkernel import MicroKernel
from tvm_directconv.model.tiling import channel_blocks
from tvm_directconv.targets.target import Machine

from .byte_geometry import ByteStripGeometry

MULTIPLY, LOAD, STORE = 2, 2, 7
"""Instructions on vectors, as x86's kernels have them: of a product and its sum; of a pixel, or a tap, of two
rows or one; and of an output, from the sum to the byte stored."""
OF_FMA = 2
"""Number of such instructions that begin in a cycle, for each multiply-add of float32 that could."""


def column_cycles(g: ByteStripGeometry, machine: Machine, width: int) -> float:
    """Return the cycles of a row of ``width`` output pixels, of all channels."""
    total = 0.0
    for channels, times in channel_blocks(g.group_out, g.nr):
        vectors = -(-channels // g.isa.lanes)
        for mr, tiles in g.heights(width, channels):
            kernel = MicroKernel(mr, vectors * g.isa.lanes, g.layout, g.isa.name, g.types)
            instructions = vectors * _instructions(g, kernel)
            cycles = instructions / (OF_FMA * machine.fma_per_cycle) + machine.costs.call_cycles
            total += times * tiles * cycles
    return total


def _instructions(g: ByteStripGeometry, kernel: MicroKernel) -> int:
    """Instructions of a tile on each vector of its channels."""
    w, mr = g.workload, kernel.mr
    kh, kw = w.kernel[0], w.kernel[1] * g.terms
    fit = g.keeps_taps(kernel)
    rows = -(-kh // g.isa.rows_together) if g.knows_filter_rows(kernel) else kh
    columns = (mr - 1) * w.strides[1] + (w.kernel[1] - 1) * w.dilation[1] + 1
    pixels = min(columns, mr * w.kernel[1]) if fit else mr * kw
    return rows * (MULTIPLY * mr * kw + LOAD * (pixels + kw)) + STORE * mr
