"""What a convolution whose lanes span groups is estimated to take."""

from __future__ import annotations

from tvm_directconv.model.cost import FLOAT_BYTES, Cost, level_holding, traffic_cycles
from tvm_directconv.model.tiling import tile_heights
from tvm_directconv.targets.target import Machine
from tvm_directconv.problem.workload import Conv2dWorkload
from intrinsics.isa import Isa

from ..strips.geometry import pixels_read, taps_inside
from .geometry import SpanGeometry, taps_fit


def span_cost(g: SpanGeometry, machine: Machine) -> Cost:
    """Every tile with operands in L1, less the taps outside the image; beside it the input's rows, read again
    for every tile of lines unless L1 keeps them, the filter, read again for every tile of pixels, and the
    output; and reading each micro-kernel's instructions for the first time in a call."""
    return Cost(_arithmetic(g, machine), traffic=_traffic(g, machine), overhead=0.0)


def block_widths(workload: Conv2dWorkload, isa: Isa) -> tuple[int, ...]:
    """Channels of a block: all, or powers of two of them."""
    whole = -(-workload.out_channels // isa.lanes) * isa.lanes
    return tuple(nr for nr in (32, 64, 128, 256) if nr < whole and nr % isa.lanes == 0) + (whole,)


def _lines_of(g: SpanGeometry) -> tuple[int, int]:
    """How many times lines are computed together, and rows alone, of an image."""
    first, last = g.inside
    times = (last - first) // g.tile.lines if g.tile.lines > 1 else 0
    return times, g.workload.out_height - times * g.tile.lines


def _arithmetic(g: SpanGeometry, machine: Machine) -> float:
    w = g.workload
    times, alone = _lines_of(g)
    vectors = -(-w.out_channels // g.isa.lanes)

    def row(lines: int, most: int) -> float:
        return sum(n * tile_cycles(g, machine, lines, width) for width, n in tile_heights(w.out_width, most))

    inside = taps_inside(w) if not times else 1.0
    return (
        w.batch * vectors * (times * row(g.tile.lines, g.tile.width) + alone * inside * row(1, g.tile.single))
    )


def tile_cycles(g: SpanGeometry, machine: Machine, lines: int, width: int) -> float:
    """The cycles of one call: of the multiply-adds, of the loads, or of the longest chain of sums."""
    w, costs = g.workload, machine.costs
    (kh, kw), steps = w.kernel, w.kernel[0] * w.kernel[1] * g.group
    products = lines * width * steps
    columns = min((width - 1) * w.strides[1] + (kw - 1) * w.dilation[1] + 1, width * kw)
    rows = (lines - 1) * w.strides[0] + kh if lines > 1 else kh
    loads: float
    if taps_fit(w, g.isa, lines, width):
        loads = rows * columns + steps
    elif g.group == 1 and lines == 1:
        loads = steps + products
    else:
        loads = rows * columns + products
    permuted = 0 if g.group == 1 else rows * columns * g.group / 2
    cycles = max(
        products / machine.fma_per_cycle + permuted / 2,
        loads / costs.loads_per_cycle,
        steps * costs.fma_latency,
    )
    return cycles + 2 * lines * width + costs.call_cycles


def _traffic(g: SpanGeometry, machine: Machine) -> float:
    w, tile, costs = g.workload, g.tile, machine.costs
    input_bytes = FLOAT_BYTES * w.batch * w.height * w.width * w.in_channels * pixels_read(w)
    output_bytes = FLOAT_BYTES * w.batch * w.out_height * w.out_width * w.out_channels
    filter_bytes = FLOAT_BYTES * w.kernel[0] * w.kernel[1] * g.group * w.out_channels
    nr = min(tile.nr, w.out_channels)
    rows_held = w.kernel[0] * w.width * nr * FLOAT_BYTES
    kh, stride, lines = w.kernel[0], w.strides[0], tile.lines
    again = max(1.0, (kh + (lines - 1) * stride) / (lines * stride))
    moved: dict[int, float] = {}

    def move(level: int, size: float) -> None:
        if level > 1:
            moved[level] = moved.get(level, 0.0) + size

    home = level_holding(machine, input_bytes + output_bytes)
    move(home, input_bytes + output_bytes)
    # Rows that do not stay in L1 come from L2 for the next lines.
    move(
        max(2, level_holding(machine, rows_held)) if level_holding(machine, rows_held, 0.75) > 1 else 1,
        (again - 1) * input_bytes,
    )
    tiles = -(-w.out_width // tile.width) * -(-w.out_height // lines) * w.batch
    columns = (tile.width - 1) * w.strides[1] + w.kernel[1]
    held = nr * FLOAT_BYTES * (w.kernel[0] * w.kernel[1] * g.group + (kh + lines - 1) * columns)
    move(level_holding(machine, held, 0.75), filter_bytes * tiles)
    return costs.streamed_traffic * traffic_cycles(machine, moved)
