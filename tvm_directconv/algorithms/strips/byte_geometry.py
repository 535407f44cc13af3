"""Strips of 8-bit convolutions, whose sums start from a table.

The bias operand is the int32 table of ``quantization.bias_table``, a row for each set of taps that an output
pixel visits; scales are float32, one per output channel.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from tvm import tirx

from intrinsics.microkernel import DEPTHWISE, MicroKernel
from tvm_directconv.problem.quantized_types import SHORT, QuantizedTypes
from tvm_directconv.problem.taps import Axis, OpenTaps, Taps, bias_table, visited_taps

from ..byte_packing import activation_zeros, filter_terms
from ..packing import as_oihw
from .grouped_geometry import GroupedStripGeometry

BESIDE_TAPS = 3
"""Depthwise kernels that keep taps in registers have other uses for so many."""
LEAST_ROWS = 3
"""Least pixels of a tile for which loading each once gains more than loading all taps costs."""
ONE_RUN = Taps((0,), ((0, 0),))
"""The taps where all positions start from the same bias."""


@dataclass(frozen=True)
class ByteStripGeometry(GroupedStripGeometry):
    """Geometry of the strips of one 8-bit workload."""

    open_axes: tuple[bool, bool] = (False, False)
    """Whether runs are those of any height, and of any width."""

    @cached_property
    def quantized(self) -> QuantizedTypes:
        assert self.workload.quantized is not None
        return self.workload.quantized

    @cached_property
    def terms(self) -> int:  # type: ignore[override]
        return filter_terms(self.quantized, self.isa)

    @cached_property
    def filter_dtype(self) -> str:
        return self.quantized.filter_dtype if self.terms == 1 else "int8"

    @property
    def types(self) -> str:  # type: ignore[override]
        types = self.quantized.out_dtype, self.workload.dtype, self.filter_dtype
        return "_".join(SHORT[dtype] for dtype in types)

    def most_rows(self, vectors: int) -> int:
        """Return the most rows with which the taps of a filter row have registers, where kernels keep them
        there: beside these, accumulators leave the mask's, a pixel's and its products'."""
        most = super().most_rows(vectors)
        if not (self.depthwise and self.isa.bytes_by_columns):
            return most
        of_row = self.isa.row_registers(vectors * self.isa.lanes, DEPTHWISE)
        taps = self.workload.kernel[1] * self.terms * of_row
        left = (self.isa.vector_registers - self.beside_taps - taps) // of_row
        return min(most, left) if left >= LEAST_ROWS else most

    def knows_filter_rows(self, kernel: MicroKernel) -> bool:
        """Return whether calls of a kernel are of instances for each number of filter rows: of depthwise ones
        that multiply several at once, and have registers for the taps of as many."""
        several = self.isa.rows_together > 1 and self.workload.kernel[0] > 1
        return self.depthwise and several and self.keeps_taps(kernel)

    def keeps_taps(self, kernel: MicroKernel) -> bool:
        """Return whether a depthwise kernel has registers for the taps of a filter row."""
        taps = self.workload.kernel[1] * self.terms
        of_row = self.isa.row_registers(kernel.nr, DEPTHWISE)
        return of_row * (kernel.mr + taps) + self.beside_taps <= self.isa.vector_registers

    @property
    def beside_taps(self) -> int:
        """Registers that depthwise kernels have other uses for where they keep taps: more where four rows'
        bytes are brought together."""
        return BESIDE_TAPS + (2 if self.isa.rows_together > 2 else 0)

    @cached_property
    def moved(self) -> int:  # type: ignore[override]
        return 0 if self.depthwise else self.isa.lhs_offset(SHORT[self.workload.dtype])

    @cached_property
    def zero(self) -> int:
        """The input's zero point as kernels multiply it."""
        return self.quantized.data_zero + self.moved

    @property
    def starts_alike(self) -> bool:
        """Whether the sums of all pixels start from the same bias, whatever taps they visit."""
        return not self.zero and (self.depthwise or not self.isa.complements)

    @cached_property
    def runs(self) -> tuple[Taps | OpenTaps, Taps | OpenTaps]:
        """Rows and columns of the output that start from the same bias."""
        if self.starts_alike:
            return ONE_RUN, ONE_RUN
        rows, columns = (
            OpenTaps.of(self.workload, axis) if is_open else visited_taps(self.workload, axis)
            for axis, is_open in enumerate(self.open_axes)
        )
        return rows, columns

    @property
    def table_shape(self) -> tuple[int, int]:
        """Shape of the bias operand."""
        return len(self.runs[0].ranges) * len(self.runs[1].ranges), self.workload.table_row

    def table(self, weights: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
        """The bias operand of a filter in the workload's layout, its zero point taken off."""
        runs: tuple[Taps | OpenTaps, Taps | OpenTaps] = self.runs
        if self.starts_alike:
            runs = Taps((0,), ((0, self.workload.kernel[0]),)), Taps((0,), ((0, self.workload.kernel[1]),))
        oihw = as_oihw(self.workload, weights)
        zeros: np.ndarray | int = self.zero
        if self.isa.complements and not self.depthwise:
            zeros = activation_zeros(self.workload, self.zero, oihw)
        return bias_table(self.workload, zeros, oihw, bias, runs)


def run_index(taps: Taps | OpenTaps, axis: Axis, position: tirx.Expr) -> tirx.Expr:
    """Return the run that a position of an axis is in, as an expression."""
    if isinstance(taps, OpenTaps):
        return taps.index(axis, position)
    index: tirx.Expr = tirx.IntImm("int32", 0)
    for start in taps.starts[1:]:
        index = index + tirx.Cast("int32", position >= start)
    return index
