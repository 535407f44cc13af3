"""The lowered matrix written by runs: a filter row's taps are one run of an NHWC input where all are inside.

Few channels make short taps: three bytes each, of an image. Copied one by one, as the matrix's definition
(``lowered.py``) has them, a 7x7 layer's take as long as half of its product; a row of seven is two vectors,
of which the second may overlap the first. At the image's sides, elements are copied one by one.
"""

from __future__ import annotations

from collections.abc import Callable

from tvm import tirx
from tvm.s_tir import SBlock
from tvm_ffi import structural_map, structural_walk

from tvm_directconv.problem.workload import Conv2dWorkload

from ..branches import either, loop
from .lowered import LOWERED


def has_runs(workload: Conv2dWorkload) -> bool:
    """Whether neighbouring taps of a filter row lie side by side in the input as in the matrix."""
    w = workload
    contiguous = w.data_layout == "NHWC" and w.groups == 1 and w.dilation[1] == 1
    return contiguous and w.kernel[1] > 1 and w.storage.data_part is None


def run_pieces(workload: Conv2dWorkload, vector_bytes: int) -> tuple[int, list[int]]:
    """(elements of a vector, where the vectors of a run begin); the last may overlap the one before."""
    run = workload.kernel[1] * workload.in_channels
    lanes = vector_bytes // workload.element_bytes
    while lanes > run:
        lanes //= 2
    return lanes, [*range(0, run - lanes, lanes), run - lanes]


def by_runs(func: tirx.PrimFunc, workload: Conv2dWorkload, vector_bytes: int) -> tirx.PrimFunc:
    """A scheduled function whose loops over the matrix's elements are replaced."""

    def replaced(loop: tirx.For) -> tirx.Stmt:
        matrix = _matrix(loop) if loop.kind == tirx.ForKind.PARALLEL else None
        return loop if matrix is None else _Copies(workload, vector_bytes, func.params[0], matrix).rows()

    return func.with_body(structural_map(func.body, [(tirx.For, replaced)]))


def _matrix(loop: tirx.For) -> tirx.Buffer | None:
    """The matrix, where the loop writes it."""
    found: list[tirx.Buffer] = []

    def collect(block: SBlock) -> None:
        if block.name_hint == LOWERED:
            structural_walk(block.body, (tirx.BufferStore, lambda store: found.append(store.buffer)))

    structural_walk(loop, (SBlock, collect))
    return found[0] if found else None


class _Copies:
    """The loops that write the matrix. Indices of an innermost axis run on into what lies behind it."""

    def __init__(
        self, workload: Conv2dWorkload, vector_bytes: int, data: tirx.Buffer, matrix: tirx.Buffer
    ) -> None:
        self._workload, self._data, self._matrix = workload, data, matrix
        self._lanes, self._pieces = run_pieces(workload, vector_bytes)
        self._fill = workload.quantized.data_zero if workload.quantized else 0

    def rows(self) -> tirx.Stmt:
        """All rows of output pixels, in parallel."""
        w, row = self._workload, tirx.Var("row", "int32")
        left, stride = w.padding[1], w.strides[1]
        first = min(-(-left // stride), w.out_width)
        end = min((w.width - w.kernel[1] + left) // stride + 1, w.out_width)
        image, y = tirx.floordiv(row, w.out_height), tirx.floormod(row, w.out_height)

        def pixels(begin: int, count: int, copied: Callable[..., tirx.Stmt]) -> list[tirx.Stmt]:
            return [loop(count, lambda x: copied(image, y, x + begin))] if count > 0 else []

        body = [
            *pixels(0, first, self._elements),
            *pixels(first, end - first, self._runs),
            *pixels(max(first, end), w.out_width - max(first, end), self._elements),
        ]
        return tirx.For(row, 0, w.batch * w.out_height, tirx.ForKind.PARALLEL, _sequence(body))

    def _runs(self, image: tirx.Expr, y: tirx.Expr, x: tirx.Expr) -> tirx.Stmt:
        """A pixel's filter rows, by vectors: its columns are all inside."""
        w = self._workload
        column = x * w.strides[1] - w.padding[1]

        def vectors(kh: tirx.Expr, of_piece: Callable[[tirx.Ramp], tirx.Expr]) -> tirx.Stmt:
            parts = [tirx.Ramp(piece, 1, self._lanes) for piece in self._pieces]
            return _sequence([self._store(of_piece(part), image, y, x, kh, part) for part in parts])

        def of_row(kh: tirx.Expr) -> tirx.Stmt:
            in_y = self._row(y, kh)
            inside = tirx.all(in_y >= 0, in_y < w.height)
            read = vectors(kh, lambda part: tirx.BufferLoad(self._data, [image, in_y, column, part]))
            return either(inside, read, vectors(kh, lambda part: tirx.Broadcast(self._zero, self._lanes)))

        return loop(w.kernel[0], of_row)

    def _elements(self, image: tirx.Expr, y: tirx.Expr, x: tirx.Expr) -> tirx.Stmt:
        """A pixel's filter rows, element by element."""
        w = self._workload

        def element(kh: tirx.Expr, kw: tirx.Expr, channel: tirx.Expr) -> tirx.Stmt:
            in_y, in_x = self._row(y, kh), x * w.strides[1] - w.padding[1] + kw
            inside = tirx.all(in_y >= 0, in_y < w.height, in_x >= 0, in_x < w.width)
            read = tirx.BufferLoad(self._data, [image, in_y, in_x, channel])
            value = tirx.if_then_else(inside, read, self._zero)
            return self._store(value, image, y, x, kh, kw * w.in_channels + channel)

        kernel_h, kernel_w = w.kernel
        return loop(
            kernel_h,
            lambda kh: loop(kernel_w, lambda kw: loop(w.in_channels, lambda c: element(kh, kw, c))),
        )

    @property
    def _zero(self) -> tirx.Expr:
        return tirx.const(self._fill, self._workload.dtype)

    def _row(self, y: tirx.Expr, kh: tirx.Expr) -> tirx.Expr:
        """The input's row, inside or not."""
        w = self._workload
        return y * w.strides[0] - w.padding[0] + kh * w.dilation[0]

    def _store(self, value: tirx.Expr, *at: tirx.Expr) -> tirx.Stmt:
        image, y, x, kh, k = at
        return tirx.BufferStore(self._matrix, value, [image, y, x, 0, kh, 0, k])


def _sequence(parts: list[tirx.Stmt]) -> tirx.Stmt:
    return parts[0] if len(parts) == 1 else tirx.SeqStmt(parts)
