"""What the strips of a convolution are estimated to take."""

from __future__ import annotations

import math

from tvm_directconv.model.cost import Cost, level_holding, traffic_cycles
from tvm_directconv.model.tiling import channel_blocks, row_cycles, tile_heights
from tvm_directconv.targets.target import Machine

from .geometry import StripGeometry, pixels_read, taps_inside


def strip_cost(g: StripGeometry, machine: Machine) -> Cost:
    """Every strip's tiles with operands in L1, less the taps outside the image; beside it the traffic of row
    blocks and panels; and reading each micro-kernel's instructions for the first time in a call."""
    widths = {strip_width(g)} | ({last_width(g)} if last_width(g) else set())
    kernels = {kernel for width in widths for kernel in _kernels(g, width)}
    overhead = machine.costs.first_call_cycles * len(kernels)
    return Cost(_arithmetic(g, machine), traffic=_traffic(g, machine), overhead=overhead)


def strip_width(g: StripGeometry) -> int:
    return min(g.strip, g.pixels) if g.flattened else g.workload.out_width


def last_width(g: StripGeometry) -> int:
    """Of the last strip where that is shorter than the others, else 0."""
    return g.pixels % g.strip if g.flattened else 0


def _arithmetic(g: StripGeometry, machine: Machine) -> float:
    w = g.workload
    pixel_bytes = 0 if g.depthwise else w.element_bytes * w.strides[1] * g.source.pixel
    steps = w.kernel[0] * w.kernel[1] * g.channel_steps
    rows, last = g.batch * g.rows, last_width(g)

    def cycles(width: int) -> float:
        tile = (g.layout, steps, g.tile.mr, pixel_bytes)
        return g.groups * row_cycles(g.isa, machine, width, g.group_out, g.nr, *tile)

    row = cycles(strip_width(g))
    total = rows * row
    if last and rows > 1:
        total += cycles(last) - row
    return total * taps_inside(w)


def _traffic(g: StripGeometry, machine: Machine) -> float:
    """A panel is read from where it lies once per row block, and stays in L2 for the rows of the block; the
    block's input rows are read once per panel, from L2 where they fit it beside the panel."""
    w, costs = g.workload, machine.costs
    filter_bytes = w.element_bytes * math.prod(g.packed_filter_shape)
    input_bytes = w.element_bytes * math.prod(w.input_shape) * pixels_read(w)
    output_bytes = w.out_bytes * math.prod(w.output_shape)
    rows = g.batch * g.rows
    row_blocks = -(-rows // g.tile.rows)
    panel_bytes, block_bytes = filter_bytes / g.blocks, input_bytes / row_blocks
    vectors = -(-min(g.nr, g.group_out) // g.isa.lanes)
    tiles = sum(count for _, count in tile_heights(strip_width(g), g.most_rows(vectors)))
    moved: dict[int, float] = {}
    for level, size in (
        (level_holding(machine, filter_bytes + input_bytes), filter_bytes * row_blocks),
        (level_holding(machine, block_bytes + panel_bytes), block_bytes * row_blocks * g.blocks),
        (level_holding(machine, panel_bytes, costs.panel_share_of_l2), panel_bytes * g.blocks * rows * tiles),
    ):
        if level > 1:
            moved[level] = moved.get(level, 0.0) + size
    traffic = costs.streamed_traffic * traffic_cycles(machine, moved)
    level = level_holding(machine, input_bytes + output_bytes)
    if level > 1:
        # Parts of pixels are no stream that a prefetcher follows.
        whole = g.nr >= w.out_channels or g.result.block_step
        share = costs.streamed_traffic if whole else 1.0
        traffic += share * traffic_cycles(machine, {level: output_bytes})
    return traffic


def _kernels(g: StripGeometry, width: int) -> set[tuple[int, int]]:
    """Vectors and pixels of the micro-kernels of a strip."""
    blocks = (-(-channels // g.isa.lanes) for channels, _ in channel_blocks(g.group_out, g.nr))
    return {(v, mr) for v in blocks for mr, _ in tile_heights(width, g.most_rows(v))}
