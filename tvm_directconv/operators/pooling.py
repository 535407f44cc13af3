"""Max and average pooling of NHWC activations.

Rows of output whose windows lie inside the input's height are computed a few at a time: each input row
they need is reduced over the kernel width once, in registers, and every output combines the rows it
covers. A 3x3 window at stride 1 then loads 4.5 vectors an output instead of 9, and reads each input row
from the outer caches 1.5 times instead of 3. Border columns get the same code over the taps they have.
Border rows (and kernels too large to unroll) take one output at a time over the range of taps that exist:
the range is a loop bound, never a test per element. Windows follow ONNX's MaxPool and AveragePool.

Tensors are float32 or quantized to 8 bits. The maximum of 8-bit numbers is exact. Averages sum integers, in
16-bit lanes where the window is small enough, and requantize once.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from intrinsics.epilogue import Step
from tvm_directconv.errors import WorkloadError
from tvm_directconv.problem.element_types import element_bytes
from tvm_directconv.problem.extents import Extent, given_to_tvm, is_open, larger

from .builder import STACK_BYTES, Expr, Operator, build_operator, load, splat, store
from .quantized_type import QuantizedType, integer_accumulator
from .reductions import Maximum, Mean, QuantizedMean, Reduction

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

TILE_ROWS = 4
"""This many output rows are computed together: the best of 1, 2, 4 and 7, measured on maps of 14x14x512 to
113x113x64."""
MAX_TILE_LOADS = 96
"""An unrolled tile loads at most this many vectors; kernels that need more take the path with tap loops."""
MAX_BORDER_COLUMNS = 8
"""Up to this many border columns get unrolled code of their own."""
GENERAL_VECTORS = 8
"""This many vectors of channels are reduced together on the path with tap loops."""


@dataclass(frozen=True)
class Pool2d:
    """One pooling layer: NHWC input shape, window and its placement.

    ``padding`` is (top, left, bottom, right). With ``ceil_mode`` a last window that sticks out below or
    to the right is kept if it starts inside the input or its top-left padding. ``count_include_pad`` is
    only read by average pooling: padded positions then count in the divisor (those beyond the padding
    never do).
    """

    batch: int
    height: int
    width: int
    channels: int
    kernel: tuple[int, int]
    strides: tuple[int, int] = (1, 1)
    padding: tuple[int, int, int, int] = (0, 0, 0, 0)
    dilation: tuple[int, int] = (1, 1)
    ceil_mode: bool = False
    count_include_pad: bool = False

    def __post_init__(self) -> None:
        for name, length in (("kernel", 2), ("strides", 2), ("padding", 4), ("dilation", 2)):
            value = tuple(int(v) for v in getattr(self, name))
            if len(value) != length:
                raise WorkloadError(f"pooling {name} must have {length} numbers, got {value}")
            object.__setattr__(self, name, value)
        for name in ("batch", "height", "width", "channels", "kernel", "strides", "dilation"):
            value = getattr(self, name)
            if isinstance(value, Extent):
                continue
            if (min(value) if isinstance(value, tuple) else value) < 1:
                raise WorkloadError(f"pooling {name} must be at least 1, got {value}")
        if min(self.padding) < 0:
            raise WorkloadError(f"pooling padding must not be negative, got {self.padding}")
        if self.out_height < 1 or self.out_width < 1:
            raise WorkloadError(f"{self}: the window does not fit the padded input, the output is empty")

    @property
    def out_height(self) -> int:
        return self._out_extent(0, self.height, self.padding[0], self.padding[2])

    @property
    def out_width(self) -> int:
        return self._out_extent(1, self.width, self.padding[1], self.padding[3])

    @property
    def input_shape(self) -> tuple[int, int, int, int]:
        return self.batch, self.height, self.width, self.channels

    @property
    def output_shape(self) -> tuple[int, int, int, int]:
        return self.batch, self.out_height, self.out_width, self.channels

    def _out_extent(self, axis: int, extent: int, before: int, after: int) -> int:
        stride = self.strides[axis]
        room = extent + before + after - (self.kernel[axis] - 1) * self.dilation[axis] - 1
        if not self.ceil_mode:
            return max(room // stride + 1, 0)
        count = -(-room // stride) + 1
        return count - 1 if (count - 1) * stride >= extent + before else count


def max_pool2d(pool: Pool2d, target: CompileTarget, *, dtype: str = "float32") -> tirx.PrimFunc:
    """PrimFunc (data NHWC, output NHWC) of ``dtype``, float32, uint8 or int8.

    A window without any tap inside the input gives -infinity, or the least integer.
    """
    with build_operator("max_pool2d", target, dtype) as operator:
        _Pooling(operator, pool, Maximum(dtype)).emit()
    return operator.prim_func


def avg_pool2d(pool: Pool2d, target: CompileTarget) -> tirx.PrimFunc:
    """PrimFunc (data NHWC, output NHWC); a window without any tap inside the input gives 0."""
    with build_operator("avg_pool2d", target) as operator:
        _Pooling(operator, pool, Mean()).emit()
    return operator.prim_func


def quantized_avg_pool2d(
    pool: Pool2d,
    source: QuantizedType,
    result: QuantizedType,
    target: CompileTarget,
    *,
    steps: Sequence[Step] = (),
) -> tirx.PrimFunc:
    """PrimFunc (data NHWC of ``source``, output NHWC of ``result``): the mean of the real numbers.

    ``saturate(round(sum of (data - zero_point) * (scale / (result scale * count))) + result zero_point)``;
    padding that counts is zero as a real number, and so is a window without any tap inside the input.
    ``steps`` are of real numbers.
    """
    with build_operator("quantized_avg_pool2d", target, source.dtype) as operator:
        accumulator = integer_accumulator(math.prod(pool.kernel))
        _Pooling(operator, pool, QuantizedMean(source, result, accumulator, steps)).emit()
    return operator.prim_func


@dataclass(frozen=True)
class _Axis:
    """Placement of the windows along height or width."""

    extent: int
    kernel: int
    stride: int
    before: int
    after: int
    dilation: int
    outputs: int

    @property
    def inside(self) -> tuple[int, int]:
        """The range of outputs all of whose taps are inside the input."""
        reach = (self.kernel - 1) * self.dilation + 1
        first = min(self.outputs, -(-self.before // self.stride))
        last = (self.extent - reach + self.before) // self.stride + 1
        return first, larger(first, min(last, self.outputs))

    def origin(self, output: Expr) -> Expr:
        """Input position of a window's first tap; negative in the padding."""
        return output * self.stride - self.before

    def taps(self, origin: Expr, extent: Expr) -> tuple[Expr, Expr]:
        """Range of the taps that fall inside the input, of that ``extent``."""
        first = T.max(_ceil_div(0 - origin, self.dilation), 0)
        last = T.min(_ceil_div(extent - origin, self.dilation), self.kernel)
        return T.Bind(first), T.Bind(T.max(last, first))

    def counted_taps(self, origin: Expr) -> Expr:
        """How many taps fall inside the padded input; only ``ceil_mode`` places any outside."""
        return T.min(_ceil_div(self.extent + self.after - origin, self.dilation), self.kernel)

    def taps_of(self, output: int) -> list[int]:
        """``taps`` of an output known now."""
        positions = ((k, self.origin(output) + k * self.dilation) for k in range(self.kernel))
        return [k for k, position in positions if 0 <= position < self.extent]

    def is_known(self, output: int) -> bool:
        """Return whether ``taps_of`` an output is the same at all sizes."""
        return not is_open(
            [self.origin(output) + k * self.dilation - self.extent for k in range(self.kernel)]
        )

    def counted_taps_of(self, output: int) -> int:
        room = self.extent + self.after - self.origin(output)
        return min(-(-room // self.dilation), self.kernel)


class _Pooling:
    """Emits one pooling function; holds what its code paths share."""

    def __init__(self, operator: Operator, pool: Pool2d, reduction: Reduction) -> None:
        self.operator, self.pool, self.reduction = operator, pool, reduction
        widening = element_bytes(reduction.accumulator) // operator.element_bytes
        self.registers = operator.vector_registers // 2 // widening
        """Vectors of the operator's lanes that fit half of the register file as accumulators."""
        top, left, bottom, right = pool.padding
        (kh, kw), (sh, sw), (dh, dw) = pool.kernel, pool.strides, pool.dilation
        self.rows = _Axis(pool.height, kh, sh, top, bottom, dh, pool.out_height)
        self.columns = _Axis(pool.width, kw, sw, left, right, dw, pool.out_width)
        shapes = {"data": pool.input_shape, "output": pool.output_shape}
        self.data, self.output = operator.arguments(shapes, {"output": reduction.dtype})

    def emit(self) -> None:
        pool = self.pool
        first, last = self.rows.inside
        height = self._tile_height(TILE_ROWS if is_open([last - first]) else last - first)
        if height == 0:
            last = first
        tiles, rest = divmod(last - first, max(height, 1))
        # Of an open height rows are left over one by one.
        last_tiles, last_height = (rest, 1) if is_open([rest]) else (min(rest, 1), rest)
        counts = [tiles, last_tiles, first, pool.out_height - last]
        sizes = [*(pool.height, pool.width, pool.out_height, pool.out_width), *self.columns.inside]
        elements = math.prod(pool.input_shape) + math.prod(pool.output_shape)
        traffic = self.operator.element_bytes * elements
        with self.operator.outer_loop(pool.batch * sum(counts), traffic) as image_task:
            kept = self._kept([*sizes, last, rest, sum(counts), *counts])
            self.sizes, (end, left, tasks, *numbers) = kept[: len(sizes)], kept[len(sizes) :]

            def tile(image: Expr, number: Expr) -> None:
                self._tile(image, number * height + first, height)

            def last_tile(image: Expr, number: Expr) -> None:
                self._tile(image, end - left + number, last_height)

            def upper_row(image: Expr, number: Expr) -> None:
                self._outputs(image, number, 0, self.sizes[3])

            def lower_row(image: Expr, number: Expr) -> None:
                self._outputs(image, number + end, 0, self.sizes[3])

            image = T.Bind(image_task // tasks)
            work = zip(counts, numbers, (tile, last_tile, upper_row, lower_row), strict=True)
            known = [(number, make) for count, number, make in work if is_open([count]) or count]
            _dispatch(image, T.Bind(image_task % tasks), known)

    def _kept(self, sizes: Sequence[int]) -> list[Any]:
        """Return sizes as they are, but open ones kept in memory: TVM's simplifier would write out what they
        are wherever they are used."""
        if not is_open(sizes):
            return list(sizes)
        kept = self.operator.accumulators(len(sizes), 1, "int32")
        for number, size in enumerate(sizes):
            store(kept, number, 1, given_to_tvm(size))
        return [load(kept, at, 1) if is_open([size]) else size for at, size in enumerate(sizes)]

    def _tile_height(self, rows: int) -> int:
        """Output rows per unrolled tile; 0 where a tile would be too large."""
        for height in range(min(TILE_ROWS, rows), 0, -1):
            used = len(self._tile_rows(height))
            if used <= self.registers and used * self.pool.kernel[1] <= MAX_TILE_LOADS:
                return height
        return 0

    def _tile_rows(self, height: int) -> list[int]:
        """Input rows, counted from the first, that ``height`` rows of output read."""
        axis = self.rows
        return sorted(
            {o * axis.stride + k * axis.dilation for o in range(height) for k in range(axis.kernel)}
        )

    def _tile(self, image: Expr, row: Expr, height: int) -> None:
        """``height`` output rows from ``row`` on, whose row taps are all inside the input."""
        row = T.Bind(row)
        columns = self.columns
        (first, last), (begin, end) = columns.inside, self.sizes[4:]
        behind = columns.outputs - last
        after = [] if is_open([behind]) else [last + column for column in range(behind)]
        is_known = not is_open([behind]) and (not is_open([last]) or all(map(columns.is_known, after)))
        border = [*range(first), *(after if is_known else [])]
        if len(border) <= MAX_BORDER_COLUMNS:
            if not is_known:
                with T.serial(row, row + height) as output_row:
                    self._outputs(image, output_row, end, self.sizes[3])
            for column in border:
                counted = (
                    columns.counted_taps_of(column)
                    if self.pool.count_include_pad
                    else len(columns.taps_of(column))
                )
                self._tile_column(image, row, height, column, columns.taps_of(column), counted)
        else:
            with T.serial(row, row + height) as output_row:
                self._outputs(image, output_row, 0, begin)
                if is_open([behind]) or behind:
                    self._outputs(image, output_row, end, self.sizes[3])
        if is_open([last]) or first < last:
            with T.serial(begin, end) as column:
                taps = list(range(columns.kernel))
                self._tile_column(image, row, height, column, taps, columns.kernel)

    def _tile_column(
        self, image: Expr, row: Expr, height: int, column: Expr, taps: list[int], counted: int
    ) -> None:
        """One column of ``height`` outputs over the given column taps."""
        pool, axis = self.pool, self.rows
        high, wide, out_high, out_wide = self.sizes[:4]
        pixel = (image * high + axis.origin(row)) * wide + self.columns.origin(column)
        corner = T.Bind(pixel * pool.channels)
        out_pixel = (image * out_high + row) * out_wide + column
        out_corner = T.Bind(out_pixel * pool.channels)
        finish = self.reduction.finishing(len(taps) * axis.kernel, counted * axis.kernel)

        def block(channel: Expr, spans: list[tuple[int, int]]) -> None:
            for offset, width in spans:
                reduced = {}
                for r in self._tile_rows(height):
                    pixels = [r * wide + k * pool.dilation[1] for k in taps]
                    starts = [corner + channel + (offset + p * pool.channels) for p in pixels]
                    values = [self._load(start, width) for start in starts]
                    reduced[r] = T.Bind(self._combined(values, width))
                for o in range(height):
                    rows = [o * axis.stride + k * axis.dilation for k in range(axis.kernel)]
                    value = self._combined([reduced[r] for r in rows], width)
                    start = out_corner + channel + (offset + o * out_wide * pool.channels)
                    store(self.output, start, width, finish(value, width))

        self.operator.blocks(pool.channels, 1, block)

    def _outputs(self, image: Expr, row: Expr, first: Expr, last: Expr) -> None:
        """Outputs ``[first, last)`` of any row, each over the range of taps that exist."""
        if isinstance(last, int) and first == last:
            return
        pool, (high, wide, out_high, out_wide) = self.pool, self.sizes[:4]
        top = T.Bind(self.rows.origin(row))
        row_taps = self.rows.taps(top, high)
        with T.serial(first, last) as column:
            left = T.Bind(self.columns.origin(column))
            column_taps = self.columns.taps(left, wide)
            taps = counted = (row_taps[1] - row_taps[0]) * (column_taps[1] - column_taps[0])
            if pool.count_include_pad:
                counted = self.rows.counted_taps(top) * self.columns.counted_taps(left)
            finish = self.reduction.finishing(taps, counted)
            out_pixel = (image * out_high + row) * out_wide + column
            out_corner = T.Bind(out_pixel * pool.channels)

            def block(channel: Expr, spans: list[tuple[int, int]]) -> None:
                width = spans[0][1]
                sums = self.operator.accumulators(len(spans), width, self.reduction.accumulator)
                for number in range(len(spans)):
                    store(sums, number * width, width, self._identity(width))
                with T.serial(*row_taps) as i, T.serial(*column_taps) as j:
                    in_row = (image * high + top + i * pool.dilation[0]) * wide
                    pixel = in_row + left + j * pool.dilation[1]
                    for number, (offset, _) in enumerate(spans):
                        value = self._load(pixel * pool.channels + channel + offset, width)
                        value = self.reduction.combine(load(sums, number * width, width), value)
                        store(sums, number * width, width, value)
                for number, (offset, _) in enumerate(spans):
                    value = finish(load(sums, number * width, width), width)
                    store(self.output, out_corner + channel + offset, width, value)

            widest = STACK_BYTES // (self.operator.lanes * element_bytes(self.reduction.accumulator))
            vectors = min(GENERAL_VECTORS, self.registers, widest)
            self.operator.blocks(pool.channels, vectors, block)

    def _load(self, start: Expr, width: int) -> Expr:
        return self.reduction.widened(load(self.data, start, width), width)

    def _identity(self, width: int) -> Expr:
        return splat(self.reduction.identity, width, self.reduction.accumulator)

    def _combined(self, values: list[Expr], width: int) -> Expr:
        return functools.reduce(self.reduction.combine, values) if values else self._identity(width)


def _dispatch(image: Expr, task: Expr, work: Sequence[tuple[Expr, Callable[[Expr, Expr], None]]]) -> None:
    """Run the entry of ``work``, (number of tasks, emitter), that ``task`` falls into."""
    count, emit = work[0]
    if len(work) == 1:
        emit(image, task)
        return
    with T.If(task < count):
        with T.Then():
            emit(image, task)
        with T.Else():
            _dispatch(image, task - count, work[1:])


def _ceil_div(numerator: Expr, divisor: int) -> Expr:
    return numerator if divisor == 1 else T.floordiv(numerator + (divisor - 1), divisor)
