"""Recurrent products in bytes: what a step rounds its state to, and the tiles that multiply it.

The state of all sequences has one scale and zero point in a step, which follow from its extremes as ONNX's
DynamicQuantizeLinear has it: what ONNX Runtime's DynamicQuantizeLSTM computes. Sums are exact integers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from tvm import tirx
from tvm.tirx.script.builder import ir as T

from intrinsics.isa import best_isa
from intrinsics.microkernel import ROW
from tvm_directconv.model.tiling import RowTiles
from tvm_directconv.problem.extents import typical

from .builder import VECTORS, Expr, Operator, load, reduce_lanes, splat, store, vector_type
from .matrices import Matrix
from .matrix_tiles import ProductTiles

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

MOST = 255
"""Bytes are numbers from 0 to this."""


class ByteTiles(ProductTiles):
    """The tiles of products of unsigned bytes, rows (``rows``, ``depth``), by constant signed ones within
    ``largest_weight``. Sums are int32."""

    def __init__(
        self, rows: int, columns: int, depth: int, target: CompileTarget, largest_weight: int
    ) -> None:
        self.half, self.types = "", "i32_u8_s8"
        self.rows, self.columns, self.depth = rows, columns, depth
        # Few rows read the matrix as fast as memory gives it, so that it is best short.
        self.isa = best_isa(target, "u8", "s8", ROW, largest_weight, short=True, tiles=False)
        self.group = self.isa.channels_per_step(ROW)
        of_row = RowTiles(self.isa, ROW, -(-depth // self.group))
        best = of_row.best(target.machine, typical(rows), columns, reused=True, step_bytes=self.group)
        self.nr, self.highest = best.nr, 0

    @property
    def moved(self) -> int:
        """What kernels add to a byte of a row before they multiply it."""
        return self.isa.lhs_offset("u8")

    def _types_into(self, output: Matrix) -> str:
        return self.types

    def packed(self, panel: np.ndarray, width: int) -> np.ndarray:
        """Return a panel (depth, columns) as kernels of that width read it, zeros behind its ends: for each
        group of rows the ``width`` columns, of each the group's elements side by side."""
        depth, columns = panel.shape
        whole = np.pad(panel, ((0, self.row_elements - depth), (0, width - columns)))
        groups = whole.reshape(-1, self.group, width)
        return np.ascontiguousarray(groups.transpose(0, 2, 1)).ravel()


class RoundedState(NamedTuple):
    """Buffers of a step: the state's bytes, its scale (1,) and zero point (1,), and the sums of its product
    (batch, gates x hidden); and of the matrix, the scales and sums of its columns (gates x hidden)."""

    bytes: tirx.Buffer
    scale: tirx.Buffer
    zero: tirx.Buffer
    products: tirx.Buffer
    scales: tirx.Buffer
    sums: tirx.Buffer

    @staticmethod
    def of(state: int, gates: int, scales: tirx.Buffer, sums: tirx.Buffer) -> RoundedState:
        """Allocate the buffers of a state of so many elements, and products of so many."""
        sizes = {"uint8": state, "float32": 1, "int32": 1}
        one, scale, zero = (T.alloc_buffer((n,), dtype, scope="local") for dtype, n in sizes.items())
        return RoundedState(one, scale, zero, T.alloc_buffer((gates,), "int32", scope="local"), scales, sums)

    def product(self, place: Expr, column: Expr, width: int) -> Expr:
        """Return what the state contributes to neighbours among the gates, ``place`` in the products."""
        zero = T.broadcast(load(self.zero, 0, 1), width) if width > 1 else load(self.zero, 0, 1)
        scale = splat(load(self.scale, 0, 1), width)
        total = load(self.products, place, width) - zero * load(self.sums, column, width)
        return T.cast(total, vector_type("float32", width)) * (scale * load(self.scales, column, width))

    def round(self, operator: Operator, state: tirx.Buffer, size: int, moved: int) -> None:
        """Emit the rounding of a state. The zero point is that of bytes ``moved`` by so much."""
        lanes = min(operator.lanes, size)
        least, most = (T.alloc_buffer((lanes,), "float32", layout=None) for _ in range(2))
        for extreme in (least, most):
            store(extreme, 0, lanes, splat(0.0, lanes))

        def extremes(start: Expr, spans: list[tuple[int, int]]) -> None:
            for offset, width in spans:
                value = load(state, start + offset, width)
                store(least, 0, width, T.min(load(least, 0, width), value))
                store(most, 0, width, T.max(load(most, 0, width), value))

        operator.blocks(size, VECTORS, extremes)
        low = T.Bind(reduce_lanes(load(least, 0, lanes), lanes, T.min))
        high = T.Bind(reduce_lanes(load(most, 0, lanes), lanes, T.max))
        scale = T.Select(T.EQ(low, high), T.float32(1), (high - low) / T.float32(MOST))
        store(self.scale, 0, 1, scale)
        zero = T.nearbyint(T.min(T.float32(0) - low / load(self.scale, 0, 1), T.float32(MOST)))
        store(self.zero, 0, 1, T.cast(zero, "int32"))

        def narrow(start: Expr, spans: list[tuple[int, int]]) -> None:
            for offset, width in spans:
                unit = splat(load(self.scale, 0, 1), width)
                number = T.nearbyint(load(state, start + offset, width) / unit)
                number = number + splat(T.cast(load(self.zero, 0, 1), "float32"), width)
                number = T.min(T.max(number, splat(0.0, width)), splat(float(MOST), width))
                whole = T.cast(number, vector_type("int32", width))
                store(self.bytes, start + offset, width, T.cast(whole, vector_type("uint8", width)))

        operator.blocks(size, VECTORS, narrow)
        if moved:
            store(self.zero, 0, 1, load(self.zero, 0, 1) + moved)
