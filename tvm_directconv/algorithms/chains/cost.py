"""What a chain is estimated to take, beside its layers by themselves."""

from __future__ import annotations

import math
from dataclasses import replace

from tvm_directconv.model.cost import FLOAT_BYTES, Cost, level_holding, traffic_cycles

from .geometry import Chain, of_rows

GAIN = 1.02
"""Estimates closer than this say nothing: the model is off by more."""


def chain_cost(chain: Chain) -> Cost:
    """Each part's arithmetic, and its traffic as a layer of one block's rows, as often as there are blocks;
    what goes in and comes out, where that lies; and kept rows, read and written in L2."""
    by_rows, w, machine = chain.by_rows, chain.middle.workload, chain.machine
    blocks = w.batch * w.out_height / chain.rows
    total, traffic = Cost(0.0), 0.0
    for part in by_rows.parts:
        cost = part.cost()
        rows = chain.new_rows if part is by_rows.first else chain.rows
        total = Cost(total.arithmetic + cost.arithmetic, overhead=total.overhead + cost.overhead)
        traffic += blocks * replace(part, workload=of_rows(part.workload, rows)).cost().traffic
    kept = 0.0
    if chain.first is not None:
        kept = 2 * FLOAT_BYTES * blocks * chain.kept_rows * w.width * w.in_channels
    return replace(total, traffic=traffic + _outside(chain) + traffic_cycles(machine, {2: kept}))


def separate_cycles(chain: Chain) -> float:
    """Estimated cycles of the layers by themselves."""
    return sum(part.cost().total for part in chain.parts)


def pays(chain: Chain) -> bool:
    """Whether the chain is estimated to be faster than its layers by themselves."""
    return chain_cost(chain).total * GAIN < separate_cycles(chain)


def _outside(chain: Chain) -> float:
    """Traffic of the output, and of the input where no part in front of the middle one reads it."""
    into, out = chain.parts[0].workload, chain.parts[-1].workload
    read, written = (FLOAT_BYTES * math.prod(shape) for shape in (into.input_shape, out.output_shape))
    level = level_holding(chain.machine, read + written)
    moved = written + (0 if chain.first else read)
    streamed = chain.machine.costs.streamed_traffic
    return streamed * traffic_cycles(chain.machine, {level: moved}) if level > 1 else 0.0
