"""The calls that cover one strip of bytes: those of floats, with sums that start from a table of biases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from tvm import tirx

from intrinsics.microkernel import KernelInstance, Lines, MicroKernel, Segment
from tvm_directconv.model.tiling import RowTile
from tvm_directconv.problem.extents import is_open
from tvm_directconv.problem.taps import Axis, OpenTaps

from ..branches import either
from .byte_geometry import ByteStripGeometry, run_index
from .calls import StripCalls


@dataclass(frozen=True)
class ByteStripCalls(StripCalls):
    """One strip of bytes: the kernel calls that cover it."""

    g: ByteStripGeometry

    def instance(self, kernel: MicroKernel, tile: RowTile, channels: int) -> KernelInstance:
        q = self.g.quantized
        runs = [(x, self.run(tile.x + x)) for x in range(tile.mr)]
        changes = [(x, run) for x, run in runs if x == 0 or run != runs[x - 1][1]]
        base = changes[0][1]
        offsets = tuple((x, (run - base) * self.g.workload.table_row) for x, run in changes)
        return replace(
            super().instance(kernel, tile, channels),
            epilogue=q.stored(self.g.workload.epilogue, self.g.workload.out_channels),
            bias_rows=offsets if len(offsets) > 1 else (),
            zero=q.out_zero,
        )

    def segments(self, mr: int, x: int, length: int) -> tuple[Segment, ...]:
        segments = super().segments(mr, x, length)
        if self.g.terms == 1:
            return segments
        distance = self.g.channel_groups * self.g.filter_row
        return tuple(replace(s, b=s.b + term * distance) for s in segments for term in range(self.g.terms))

    def run(self, x: int) -> int:
        """The run of pixel ``x``, of those that its rows do not tell apart."""
        columns = self.g.runs[1]
        if self.g.flattened:
            return 0
        return columns.run_of(self._columns(), x) if isinstance(columns, OpenTaps) else columns.run_of(x)

    def by_filter_rows(
        self, instance: KernelInstance, taps: tirx.Expr | int, call: Callable[[KernelInstance], tirx.Stmt]
    ) -> tirx.Stmt:
        """Return calls of kernels that know how many filter rows they visit, and multiply several at once."""
        w, rows = self.g.workload, Axis.of(self.g.workload, 0)
        if is_open([w.height, w.width]) or not self.g.knows_filter_rows(instance.kernel):
            return call(instance)
        visits = Counter(last - first for first, last in map(rows.taps_at, range(rows.outputs)))
        (usual, _), *others = visits.most_common()
        stmt = call(_of_rows(instance, usual))
        for count, _ in others:
            stmt = either(tirx.EQ(taps, count), call(_of_rows(instance, count)), stmt)
        return stmt

    def same_bias(self, tile: RowTile, other: RowTile) -> bool:
        return self.run(tile.x) == self.run(other.x)

    def extra(self, channel: tirx.Expr, at: tirx.Expr, x: int) -> tuple[tirx.Expr, tirx.Expr]:
        rows, columns = self.g.runs
        row: tirx.Expr = tirx.IntImm("int32", 0)
        if not self.g.flattened:
            row = run_index(rows, Axis.of(self.g.workload, 0), self.at.row)
        run = row * len(columns.ranges) + self.run(x)
        return self.of_run(run, channel, at)

    def of_run(self, run: tirx.Expr | int, channel: tirx.Expr, at: tirx.Expr) -> tuple[tirx.Expr, tirx.Expr]:
        """Offsets of the run's biases, and of the residual or the scales."""
        w = self.g.workload
        return run * w.table_row + channel, at if w.epilogue.residual else channel


def _of_rows(instance: KernelInstance, count: int) -> KernelInstance:
    """Return the instance that visits so many filter rows; that which counts them where there are none."""
    return replace(instance, lines=Lines(taps=count)) if count else instance
