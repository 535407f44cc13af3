"""What the strips of a convolution are estimated to take."""

from __future__ import annotations

import math
from dataclasses import dataclass

from intrinsics.microkernel import MicroKernel
from tvm_directconv.model.cost import Cost, latency_cycles, level_holding, traffic_cycles
from tvm_directconv.model.tiling import RowTiles, channel_blocks, tile_cycles
from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.targets.target import Machine

from .byte_geometry import ByteStripGeometry
from .column_cost import column_cycles
from .geometry import StripGeometry, pixels_read, taps_inside
from .tiles import tile_counts, tile_steps, tiles_inside

WIDE_VECTORS, WIDE_TILES = 4, 2
"""Vectors of micro-kernels whose runs of channels are long: wider ones gained nothing. Tiles are of types
whose vectors are stored in a quarter of a line, or in half."""


def strip_cost(g: StripGeometry, machine: Machine) -> Cost:
    """Every strip's tiles with operands in L1, less the taps outside the image; beside it the traffic of row
    blocks and panels; and reading each micro-kernel's instructions for the first time in a call."""
    overhead = machine.costs.first_call_cycles * _kernels(g)
    return Cost(_arithmetic(g, machine), traffic=_traffic(g, machine), overhead=overhead)


@dataclass(frozen=True)
class Runs:
    """Runs of pixels that tiles cover one behind the other: how many of an image, pixels of each, and of the
    last where it is shorter, else 0."""

    count: int
    width: int
    last: int

    @staticmethod
    def of(g: StripGeometry) -> Runs:
        if g.across:
            return Runs(-(-g.rows // g.tile.rows), g.run, g.rows % g.tile.rows * g.strip)
        if g.flattened:
            return Runs(g.rows, min(g.strip, g.pixels), g.pixels % g.strip if g.rows > 1 else 0)
        return Runs(g.rows, g.workload.out_width, 0)


def _arithmetic(g: StripGeometry, machine: Machine) -> float:
    w, runs = g.workload, Runs.of(g)
    pixel_bytes = 0 if g.depthwise else w.element_bytes * w.strides[1] * g.source.pixel
    # Tiles are multiplied whole, however few of their channels there are.
    of_tap = g.channel_steps if g.isa.tile_rows == 1 else g.isa.tile_rows * tile_steps(g)
    steps = w.kernel[0] * w.kernel[1] * of_tap

    def cycles(width: int) -> float:
        if isinstance(g, ByteStripGeometry) and g.depthwise and g.isa.rows_together > 1:
            return column_cycles(g, machine, width)
        if g.over_border:
            return g.groups * _cycles_over_border(g, machine, width, steps)
        tiles = RowTiles(g.isa, g.layout, steps, g.nr, g.tile.mr, pixel_bytes)
        return g.groups * tiles.cycles(machine, width, g.group_out)

    total = runs.count * cycles(runs.width)
    if runs.last:
        total += cycles(runs.last) - cycles(runs.width)
    if g.isa.tile_rows == 1:
        return g.batch * total * taps_inside(w)
    return g.batch * total * tiles_inside(g) + _waiting_for_tiles(g, machine)


def _cycles_over_border(g: StripGeometry, machine: Machine, width: int, steps: int) -> float:
    """Return the cycles of a run of pixels between whose rows tiles have empty ones."""
    total = 0.0
    for channels, times in channel_blocks(g.group_out, g.nr):
        lanes = -(-channels // g.isa.lanes) * g.isa.lanes
        for tile in g.covered(width, channels):
            kernel = MicroKernel(g.tile_height(tile), lanes, g.layout, g.isa.name)
            total += times * tile_cycles(g.isa, machine, kernel, steps)
    return total


def _waiting_for_tiles(g: StripGeometry, machine: Machine) -> float:
    """Cycles that tiles take longer than they are multiplied in: where loads take longer even from L1, for
    lines that come from L2, and for tiles of pixels that are copied before they are loaded."""
    rows, costs, waiting = g.isa.tile_rows, machine.costs, 0.0
    for channels, times in channel_blocks(g.group_out, g.nr):
        counts, vectors = tile_counts(g, channels), -(-channels // g.isa.lanes)
        filters = vectors / max(1, g.most_rows(vectors) // rows)
        multiplied = rows * vectors / machine.rate(g.isa.name)
        in_l1 = max(0.0, rows * (1 + filters) / costs.loads_per_cycle - multiplied)
        of_pixels, of_filter = _shares_from_l2(g, machine, channels)
        lines = rows * (of_pixels + of_filter * filters)
        waiting += times * counts.visited * (in_l1 + costs.tile_line_cycles * lines)
        waiting += times * counts.copied * costs.tile_copy_cycles
    return g.batch * g.groups * tile_steps(g) * waiting


def _shares_from_l2(g: StripGeometry, machine: Machine, channels: int) -> tuple[float, float]:
    """The shares of the lines of tiles of pixels, and of the filter, that calls find in L2. What neighbouring
    pixels both read a call finds in L1; of both, L1 keeps what fits beside what passes by."""
    w, l1 = g.workload, machine.cache(1)
    room = l1.size_bytes * (1 - machine.costs.ways_passing / l1.ways)
    vectors = -(-channels // g.isa.lanes)
    panel = w.element_bytes * math.prod(g.packed_filter_shape) / g.blocks * channels / g.nr
    of_call = w.element_bytes * g.most_rows(vectors) * g.pixel_step * w.kernel[0]
    image = w.element_bytes * g.source.image
    of_pixels = min(1.0, g.pixel_step / (g.group_in * w.kernel[1]))
    return 0.0 if panel + image <= room else of_pixels, 0.0 if panel + of_call <= room else 1.0


def _traffic(g: StripGeometry, machine: Machine) -> float:
    """A panel is read from where it lies once per row block, or once where it goes before the images, and
    stays in L2 for the rows of the block; the block's input rows are read once per panel, from L2 where they,
    or all images', fit it beside the panel. Beyond L2, stores wait that are apart from those before."""
    w, costs = g.workload, machine.costs
    filter_bytes = w.element_bytes * math.prod(g.packed_filter_shape)
    input_bytes = w.element_bytes * math.prod(w.input_shape) * pixels_read(w)
    output_bytes = w.out_bytes * math.prod(w.output_shape)
    row_blocks = -(-g.batch * g.rows // g.tile.rows)
    panel_bytes, block_bytes = filter_bytes / g.blocks, input_bytes / row_blocks
    runs = Runs.of(g)
    tiles = sum(times for _, times in g.heights(runs.width, min(g.nr, g.group_out)))
    calls = g.batch * runs.count * tiles
    often, passing = (1, input_bytes) if g.panels_first else (row_blocks, block_bytes)
    of_rows, of_panels = block_bytes * row_blocks * g.blocks, panel_bytes * g.blocks * calls
    moved: dict[int, float] = {}
    for level, size in (
        (level_holding(machine, filter_bytes + input_bytes), filter_bytes * often),
        (level_holding(machine, passing + panel_bytes), of_rows),
    ):
        if level > 1:
            moved[level] = moved.get(level, 0.0) + size
    traffic = costs.streamed_traffic * traffic_cycles(machine, moved)
    level = level_holding(machine, panel_bytes, costs.panel_share_of_l2)
    if level > 1:
        # Those that L2 does not hold come in the order of their addresses.
        share = costs.streamed_traffic if level == 2 else costs.streamed_panels
        traffic += share * traffic_cycles(machine, {level: of_panels})
    traffic += _waiting_for_blocks(g, machine, passing, panel_bytes, of_rows)
    level = level_holding(machine, input_bytes + output_bytes)
    if g.isa.tile_rows > 1:
        traffic += costs.tile_store_cycles * _scattered_runs(g, WIDE_TILES)
    elif level > 2 and w.dtype == FLOAT32:
        traffic += costs.scattered_store_cycles * _scattered_runs(g, WIDE_VECTORS)
    if level > 1:
        # Parts of pixels are not a stream that a prefetcher follows.
        whole = g.nr >= w.out_channels or g.result.block_step
        share = costs.streamed_traffic if whole else 1.0
        traffic += share * traffic_cycles(machine, {level: output_bytes})
    return traffic


def _waiting_for_blocks(
    g: StripGeometry, machine: Machine, passing: float, panel_bytes: float, of_rows: float
) -> float:
    """Cycles of a pass over blocked channels whose pixels are beyond L2: from one block to the next they are
    not a stream that a prefetcher follows, so that broadcasts wait; of every filter row, where L2 does not
    keep the rows that a dilated filter lies on."""
    w, share = g.workload, g.pass_channels / g.group_in
    level = level_holding(machine, share * (passing + panel_bytes))
    if g.in_blocks == 1 or level <= 2:
        return 0.0
    window = (w.dilation[0] * (w.kernel[0] - 1) + 1) * w.element_bytes * w.width * w.in_channels
    kept = level_holding(machine, share * (window + panel_bytes), 1.0) <= 2
    again = 1.0 if kept else w.kernel[0] * taps_inside(w)
    lines = max(1.0, again) * of_rows / machine.cache(1).line_bytes
    return lines * latency_cycles(machine, level) / machine.costs.broadcast_misses_in_flight


def _scattered_runs(g: StripGeometry, vectors: int) -> int:
    """Runs of channels that are stored apart from each other, beyond those of micro-kernels of so many
    vectors; none where all channels of a pixel are stored at once."""
    w = g.workload
    if w.out_layout != "NHWC" or g.depthwise or g.groups > 1:
        return 0

    def runs(nr: int) -> int:
        blocks = -(-w.out_channels // nr)
        return blocks if blocks > 1 else 0

    wide = vectors * g.isa.lanes
    return w.batch * w.out_height * w.out_width * max(0, runs(g.nr) - runs(wide))


def _kernels(g: StripGeometry) -> int:
    """How many micro-kernels there are: of every width and height, and across row ends one for each column
    that a tile begins at, and those of the first and last rows."""
    runs, found = Runs.of(g), 0
    widths = {runs.width, runs.last} - {0}
    for channels, _ in channel_blocks(g.group_out, g.nr):
        if g.across:
            tiles = [tile for width in widths for tile in g.covered(width, channels)]
            found += len({(tile.mr, tile.x % g.strip) for tile in tiles}) + min(2, len(tiles))
        else:
            found += len({mr for width in widths for mr, _ in g.heights(width, channels)})
    return found
