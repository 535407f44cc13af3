"""What a chain is estimated to take, beside its layers by themselves."""

from __future__ import annotations

import math
from dataclasses import replace

from tvm_directconv.model.cost import FLOAT_BYTES, Cost, level_holding, traffic_cycles

from .geometry import Chain, of_rows

MOVED_PER_CYCLE = 16
"""Bytes of kept rows moved per cycle, from L2 to L2. It was found with rows of 20 to 43 KiB on a Zen 3, as
the difference between a chain's first part with and without moving."""


def chain_cost(chain: Chain) -> Cost:
    """Each part's arithmetic, and its traffic as a layer of one block's rows, as often as there are blocks;
    what goes in and comes out, where that lies; and kept rows, moved."""
    by_rows, w = chain.by_rows, chain.middle.workload
    blocks = w.batch * w.out_height / chain.rows
    total, traffic = Cost(0.0), 0.0
    for part in by_rows.parts:
        cost = part.cost()
        rows = chain.new_rows if part is by_rows.first else chain.rows
        total = Cost(total.arithmetic + cost.arithmetic, overhead=total.overhead + cost.overhead)
        traffic += blocks * replace(part, workload=of_rows(part.workload, rows)).cost().traffic
    kept = 0.0
    if chain.first is not None:
        kept = FLOAT_BYTES * blocks * chain.kept_rows * w.width * w.in_channels
    return replace(total, packing=kept / MOVED_PER_CYCLE, traffic=traffic + _outside(chain))


def separate_cycles(chain: Chain) -> float:
    """Estimated cycles of the layers by themselves."""
    return sum(part.cost().total for part in chain.parts)


def _outside(chain: Chain) -> float:
    """Traffic of the output, and of the input where no part in front of the middle one reads it."""
    into, out = chain.parts[0].workload, chain.parts[-1].workload
    read, written = (FLOAT_BYTES * math.prod(shape) for shape in (into.input_shape, out.output_shape))
    level = level_holding(chain.machine, read + written)
    moved = written + (0 if chain.first else read)
    streamed = chain.machine.costs.streamed_traffic
    return streamed * traffic_cycles(chain.machine, {level: moved}) if level > 1 else 0.0
