"""A convolution, a grouped one of its result, and a 1x1 convolution of that, in one, by blocks of rows.

Such chains are the inverted residuals of Sandler et al., "MobileNetV2: Inverted residuals and linear
bottlenecks": what is expanded is several times as large as what goes in and comes out, leaves L2, and is read
once. Here a block of output rows goes through all parts before the next one, and rows between them lie in a
workspace that fits L2. Rows that the next block reads again are kept, not computed again. The first or the
last part may be missing: a squeeze-and-excite gate needs all rows at once.

The parts are the plans that the layers have by themselves: the same micro-kernels, packed filters and
epilogues, and so the same results, bit by bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from tvm import tirx

from tvm_directconv.model.cost import FLOAT_BYTES
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import Machine

from ..lowering import Workspace
from ..spans.plan import SpanPlan
from ..strips.plan import StripPlan
from ..strips.sharing import alike_blocks, blocks_of


@dataclass(frozen=True)
class Chain:
    """Parts that follow each other, ``rows`` output rows at a time: ``first`` makes the rows that ``middle``
    reads, and ``last`` reads the rows that it makes."""

    first: StripPlan | None
    middle: SpanPlan
    last: StripPlan | None
    rows: int

    @property
    def parts(self) -> tuple[StripPlan | SpanPlan, ...]:
        return tuple(part for part in (self.first, self.middle, self.last) if part is not None)

    @property
    def machine(self) -> Machine:
        return self.middle.machine

    @property
    def blocks(self) -> int:
        """Blocks of rows of one image."""
        return len(self._extents)

    @cached_property
    def _extents(self) -> list[int]:
        """How many rows each block has: sizes that differ by one, so that threads' shares are even; whole
        tiles and what is left, where tiles have several rows."""
        cut = alike_blocks if self.middle.knobs.lines == 1 else blocks_of
        return cut(self.middle.workload.out_height, self.rows)

    def start(self, block: Any) -> Any:
        """The first output row of a block, or the one behind the last of the block before."""
        height = self.middle.workload.out_height
        if self.middle.knobs.lines == 1:
            return block * height // self.blocks
        return tirx.min(block * self.rows, height)

    @property
    def extents(self) -> list[int]:
        """How many rows blocks have, each number once, the largest first."""
        return sorted(set(self._extents), reverse=True)

    # ---- rows of the middle part's input

    @property
    def reach(self) -> int:
        """What one output row reads, rows that dilation leaves out included."""
        w = self.middle.workload
        return (w.kernel[0] - 1) * w.dilation[0] + 1

    @property
    def block_rows(self) -> int:
        """What a block reads at most."""
        w = self.middle.workload
        return min(w.height, self.reach + (self.rows - 1) * w.strides[0])

    @property
    def new_rows(self) -> int:
        """What a block reads beyond the rows of the one before, where both are inside the image."""
        w = self.middle.workload
        return min(w.height, self.rows * w.strides[0])

    @property
    def kept_rows(self) -> int:
        """What two blocks read both."""
        return max(0, self.block_rows - self.new_rows)

    def rows_read(self, row: tirx.Expr, end: tirx.Expr) -> tuple[tirx.Expr, tirx.Expr]:
        """The first row that the output rows from ``row`` up to ``end`` read, and the one behind the last."""
        w = self.middle.workload
        top = row * w.strides[0] - w.padding[0]
        bottom = (end - 1) * w.strides[0] - w.padding[0] + self.reach
        begin = tirx.min(tirx.max(top, 0), w.height)
        return begin, tirx.max(tirx.min(bottom, w.height), begin)

    # ---- memory

    @property
    def before(self) -> Workspace | None:
        """Rows between the first part and the middle."""
        w = self.middle.workload
        return Workspace("before", self.block_rows * w.width * w.in_channels) if self.first else None

    @property
    def behind(self) -> Workspace | None:
        """Rows between the middle part and the last."""
        w = self.middle.workload
        return Workspace("behind", self.rows * w.out_width * w.out_channels) if self.last else None

    @property
    def begun(self) -> Workspace | None:
        """Whether the thread has done a block: 0 or 1."""
        return Workspace("begun", 1) if self.first else None

    @property
    def workspaces(self) -> Sequence[Workspace]:
        """What each thread allocates."""
        return [space for space in (self.before, self.begun, self.behind) if space is not None]

    @property
    def workspace_bytes(self) -> int:
        return sum(workspace.bytes for workspace in self.workspaces)

    @property
    def block_bytes(self) -> int:
        """What the middle part reads and writes for a block, wherever that lies."""
        w = self.middle.workload
        written = self.rows * w.out_width * w.out_channels
        return FLOAT_BYTES * (self.block_rows * w.width * w.in_channels + written)

    # ---- the parts, by rows

    def of_batch(self, images: int) -> Chain:
        """Return the chain of so many images."""
        first, middle, last = (
            None if part is None else replace(part, workload=replace(part.workload, batch=images))
            for part in (self.first, self.middle, self.last)
        )
        return replace(self, first=first, middle=middle, last=last)  # type: ignore[arg-type]

    @property
    def by_rows(self) -> Chain:
        """The chain with plans whose strips and blocks are rows of the chain's."""

        def strips(part: StripPlan | None) -> StripPlan | None:
            if part is None:
                return None
            return replace(part, knobs=replace(part.knobs, strip=part.workload.out_width, rows=1))

        middle = replace(self.middle, knobs=replace(self.middle.knobs, rows=self.rows))
        return replace(self, first=strips(self.first), middle=middle, last=strips(self.last))


def of_rows(workload: Conv2dWorkload, rows: int) -> Conv2dWorkload:
    """A layer of so many rows of its output alone, whose taps are all inside the image."""
    w = workload
    height = (rows - 1) * w.strides[0] + (w.kernel[0] - 1) * w.dilation[0] + 1
    return replace(w, batch=1, height=height, padding=(0, w.padding[1], 0, w.padding[3]))
