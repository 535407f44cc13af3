"""The choice of chains: their layers, rows at a time, and whether they are worth it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.problem.storage import WHOLE
from tvm_directconv.problem.workload import Conv2dWorkload

from ..base import KernelPlan
from ..layer_geometry import flattens
from ..spans.plan import SpanPlan
from ..strips.plan import StripPlan
from ..strips.sharing import alike_blocks, blocks_of, even_rows
from .geometry import Chain

SHARE_OF_L2 = 0.5
"""What the middle part works on takes no more of L2; filters, input and output pass beside it."""

GAIN = 1.01
"""Chains estimated to gain less were found no faster."""


def pays(cycles: float, separate_cycles: float) -> bool:
    """Whether a chain of so many estimated cycles is faster than its layers by themselves, by enough."""
    return GAIN * cycles < separate_cycles


def chain_of(first: Any, middle: Any, last: Any, rows: int = 0) -> Chain | None:
    """The chain of layers with these plans, the result of each the data of the next, ``first`` or ``last``
    None where there is none; ``rows`` at a time, or as many as fit L2.

    None where they make no chain: other kinds of plans or types, parts of tensors, a residual before the end,
    rows too long for L2, or but one block of rows.
    """
    ends = [part for part in (first, last) if part is not None]
    if not ends or not isinstance(middle, SpanPlan) or not all(map(_by_strips, ends)):
        return None
    if not all(_of_whole_floats(part.workload) for part in (*ends, middle)):
        return None
    if any(part.workload.epilogue.residual for part in (first, middle if last else None) if part is not None):
        return None
    if last is not None and not flattens(last.workload):
        return None
    chain = Chain(first, middle, last, rows or 1)
    if not rows:
        chain = replace(chain, rows=_rows_that_fit(chain))
    return chain if chain.rows and middle.workload.batch * chain.blocks > 1 else None


def _by_strips(plan: KernelPlan[Any]) -> bool:
    """Whether a plan is by strips that are each the whole of their sums."""
    return isinstance(plan, StripPlan) and plan.geometry.passes == 1


def _of_whole_floats(workload: Conv2dWorkload) -> bool:
    """Whether a layer reads and writes whole tensors of float32 in NHWC."""
    w = workload
    return (
        w.storage == WHOLE and w.dtype == w.out_dtype == FLOAT32 and w.data_layout == w.out_layout == "NHWC"
    )


def _rows_that_fit(chain: Chain) -> int:
    """Return as many rows as fit L2 and leave several blocks, or fewer, down to half of that, that threads
    share better; whole tiles of the middle part where there is room, and 0 where there is none for a row."""
    w, lines = chain.middle.workload, chain.middle.knobs.lines
    room = SHARE_OF_L2 * chain.machine.cache(2).size_bytes
    several = w.out_height if w.batch > 1 else -(-w.out_height // 2)
    fitting = [rows for rows in range(1, several + 1) if replace(chain, rows=rows).block_bytes <= room]
    if not fitting:
        return 0
    choices = [rows for rows in fitting if 2 * rows > fitting[-1]]
    whole = [rows for rows in choices if rows % lines == 0]
    cut = alike_blocks if lines == 1 else blocks_of
    return even_rows(w.out_height, whole or choices, [w.out_channels], w.batch, cut)
