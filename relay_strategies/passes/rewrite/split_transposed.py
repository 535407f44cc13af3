"""SplitTransposed: transposed convolutions of one, two or three dimensions as ordinary ones of their phases.

With stride s, each s-th position of the output is an ordinary convolution of the input with some of the taps;
phases that see the same window of the input are one convolution with as many times the channels. Where the
kernel is as large as the stride (U-Net) that is a single 1x1 convolution. Their results are interleaved
behind the element-wise operators that follow, so that bias and activation stay in the convolutions'
epilogues. Taps that only meet the zeros between the input's elements are never multiplied.

Of few outputs a float32 one in two dimensions is a 1x1 convolution to every tap of every output, and the sum
of these where they fall (``Columns``). Where the filter takes every channel to a tap of its own (col2im), the
data are these products themselves.

TVM's own definition spreads the input out with those zeros and multiplies them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from tvm import relax

from relay_strategies.operators import layouts, operator_of
from relay_strategies.operators.columns import summed
from relay_strategies.operators.phases import interleaved
from relay_strategies.operators.spatial import SpatialKind
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.graph import (
    Graph,
    Rewriter,
    constant,
    dtype_of,
    ints,
    make_constant,
    operator_name,
    rewrite_pass,
    shape_of,
)
from relay_strategies.relax.movement_calls import RESHAPE, slice_call
from relay_strategies.relax.quantize_calls import DEQUANTIZE, QUANTIZE, channel_axis
from tvm_directconv.operators.interleave import Interleaving
from tvm_directconv.problem.columns import MOST_TAPS, Columns, columns_that_pay
from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.problem.phases import Window, phases_of, windows

CONVOLUTIONS: dict[int, Callable[..., relax.Call]] = {
    1: relax.op.nn.conv1d,
    2: relax.op.nn.conv2d,
    3: relax.op.nn.conv3d,
}
"""Ordinary convolutions by their number of dimensions."""
CHANNELS = 1
"""Phases have their channels at this axis."""
MOST_PHASES = 1 << 12
"""Layers of more phases, which no network has, are left to TVM's own definition."""


@dataclass(frozen=True)
class _Phases:
    """A tensor that is still in phases: where they are, and what they make."""

    tensors: tuple[relax.Var, ...]
    what: Interleaving


class _SplitTransposed(Rewriter):
    def __init__(self, function: relax.Function, builder: relax.BlockBuilder) -> None:
        super().__init__(function, builder)
        self._phases: dict[relax.Var, _Phases] = {}

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        entry = operator_of(value)
        if (
            entry.spatial is not None
            and entry.spatial.kind is SpatialKind.TRANSPOSED
            and _is_split(var, value)
        ):
            return self._split(var, value)
        layout = entry.layout
        # Quantized, phases are put together in bytes; dequantized, they would be in floats again.
        follows = isinstance(layout, layouts.Elementwise | layouts.Broadcasting)
        follows |= operator_name(value) == QUANTIZE and channel_axis(value) is None
        if follows and self._follow(var, value):
            return None
        return self.new(value)

    def made(self, var: relax.Var) -> relax.Expr | None:
        if var not in self._phases:
            return None
        phases = self._phases[var]
        return self.emit(
            interleaved(self, phases.tensors, phases.what, CHANNELS, phases.tensors[0]), var.name
        )

    def _split(self, var: relax.Var, call: relax.Call) -> relax.Expr | None:
        letters = "DHW"[-(len(shape_of(var) or ()) - 2) :]
        plain, layout, attrs = f"NC{letters}", str(call.attrs.data_layout), call.attrs
        data = self._ordered(self.new(call.args[0]), layout, plain)
        weight = self._ordered(self.new(call.args[1]), str(attrs.kernel_layout), f"IO{letters}")
        out_layout = str(attrs.out_layout) or layout
        extents = dict(zip(out_layout, shape_of(var) or (), strict=True))
        size = [extents[letter] for letter in letters]
        apart = _columns_apart(call, data, weight, size)
        columns = apart or _columns(self, call, data, weight, size)
        if columns is not None:
            products = data if apart else self.emit(_products(self, call, data, weight))
            return self._ordered(self.emit(summed(self, products, columns, call)), plain, out_layout)
        phases = _convolutions(self, call, data, weight, size)
        if out_layout == plain and math.prod(phases.what.strides) > 1:
            self._phases[var] = phases
            return None
        whole = phases.tensors[0]
        if math.prod(phases.what.strides) > 1:
            whole = self.emit(interleaved(self, phases.tensors, phases.what, CHANNELS, whole))
        return self._ordered(whole, plain, out_layout)

    def _ordered(self, data: relax.Expr, source: str, result: str) -> relax.Expr:
        if source == result:
            return data
        return self.emit(relax.op.permute_dims(data, [source.index(letter) for letter in result]))

    def _follow(self, var: relax.Var, value: relax.Call) -> bool:
        """Compute an element-wise operator on phases, where other operands are constants per channel."""
        found = [
            self._phases[arg] for arg in value.args if isinstance(arg, relax.Var) and arg in self._phases
        ]
        shape = shape_of(var)
        alike = [phases.what == found[0].what for phases in found]
        if not found or not all(alike) or shape is None:
            return False
        operands: list[Sequence[relax.Expr]] = []
        for argument in value.args:
            if isinstance(argument, relax.Var) and argument in self._phases:
                operands.append(self._phases[argument].tensors)
            else:
                spread = _spread(self, argument, found[0], len(shape))
                if spread is None:
                    return False
                operands.append(spread)
        tensors = tuple(self.emit(replaced(value, each)) for each in zip(*operands, strict=True))
        self._phases[var] = _Phases(tensors, found[0].what)
        return True


SplitTransposed = rewrite_pass("SplitTransposed", _SplitTransposed)
"""Make convolutions of transposed ones; wants ``Simplify`` before it."""


def _is_split(var: relax.Var, call: relax.Call) -> bool:
    shape = shape_of(var)
    if shape is None or any(shape_of(argument) is None for argument in call.args):
        return False
    return math.prod(ints(call.attrs.strides)) <= MOST_PHASES or math.prod(shape) <= MOST_PHASES


def _spread(rewriter: Rewriter, argument: relax.Expr, phases: _Phases, rank: int) -> list[relax.Expr] | None:
    """Return an argument for each of the tensors: a number, an attribute, or one number per channel.

    Return None if it varies otherwise, or is neither a constant nor a dequantized one, as biases are.
    """
    if not isinstance(argument.ty, relax.TensorType):
        return [argument] * len(phases.tensors)
    shape, what = shape_of(argument), phases.what
    if shape is None or len(shape) > rank or not _is_stored(rewriter.graph, argument):
        return None
    if math.prod(shape) == 1:
        return [rewriter.new(argument)] * len(phases.tensors)
    if (1,) * (rank - len(shape)) + shape != (1, what.channels) + (1,) * (rank - 2):
        return None
    found: list[relax.Expr] = []
    for tensor in phases.tensors:
        held = (shape_of(tensor) or (0, 0))[CHANNELS] // what.channels
        numbers = np.repeat(np.arange(what.channels).reshape(what.groups, 1, -1), held, axis=1)
        axis = CHANNELS - rank + len(shape)
        found.append(
            rewriter.emit(
                relax.op.take(rewriter.new(argument), make_constant(numbers.ravel()), axis=axis, mode="clip")
            )
        )
    return found


def _is_stored(graph: Graph, argument: relax.Expr) -> bool:
    """Whether it is a constant, or one dequantized and reshaped."""
    while (call := graph.call(argument, DEQUANTIZE, RESHAPE)) is not None:
        argument = call.args[0]
    return constant(graph.resolve(argument)) is not None


def _columns(
    rewriter: Rewriter, call: relax.Call, data: relax.Expr, weight: relax.Expr, size: Sequence[int]
) -> Columns | None:
    """The columns of a transposed convolution, where they take less than its phases. Quantized phases are
    convolutions of bytes."""
    if len(size) != 2 or dtype_of(data) != FLOAT32 or int(call.attrs.groups) > 1:
        return None
    if rewriter.graph.call(rewriter.graph.resolve(call.args[0]), DEQUANTIZE) is not None:
        return None
    batch, inputs, *image = shape_of(data) or ()
    _, outputs, *kernel = shape_of(weight) or ()
    return columns_that_pay(
        (batch, inputs, *image),
        (inputs, outputs, *kernel),
        size,
        ints(call.attrs.strides),
        ints(call.attrs.padding)[:2],
        ints(call.attrs.dilation),
    )


def _columns_apart(
    call: relax.Call, data: relax.Expr, weight: relax.Expr, size: Sequence[int]
) -> Columns | None:
    """The columns that the data are themselves, of a filter that takes each of a group's channels to a tap of
    its own."""
    groups, shape, filters = int(call.attrs.groups), shape_of(data), constant(weight)
    if len(size) != 2 or dtype_of(data) != FLOAT32 or shape is None or filters is None:
        return None
    taps = math.prod(filters.shape[2:])
    if taps > MOST_TAPS or filters.shape[:2] != (groups * taps, 1):
        return None
    if not np.array_equal(filters.reshape(-1, taps), np.tile(np.eye(taps, dtype=filters.dtype), (groups, 1))):
        return None
    extents = shape[2:], filters.shape[2:]
    attributes = (ints(each)[:2] for each in (call.attrs.strides, call.attrs.dilation, call.attrs.padding))
    axes = zip(*extents, *attributes, size, strict=True)
    return Columns(shape[0], groups, *zip(*axes, strict=True))


def _products(rewriter: Rewriter, call: relax.Call, data: relax.Expr, weight: relax.Expr) -> relax.Expr:
    """The 1x1 convolution that makes the columns (N, O x taps, H, W), of a filter (I, O, KH, KW)."""
    inputs, outputs, *kernel = shape_of(weight) or ()
    moved = rewriter.emit(relax.op.permute_dims(weight, [1, 2, 3, 0]))
    shape = (outputs * math.prod(kernel), inputs, 1, 1)
    made = relax.op.nn.conv2d(data, rewriter.emit(relax.op.reshape(moved, shape)))
    return relax.Call(made.op, made.args, made.attrs, made.ty_args, call.span)


def _convolutions(
    rewriter: Rewriter, call: relax.Call, data: relax.Expr, weight: relax.Expr, size: Sequence[int]
) -> _Phases:
    """The convolutions of a transposed one of ``data`` (N, C, ...) with ``weight`` (I, O, ...)."""
    attrs, dimensions = call.attrs, len(size)
    batch, *_ = shape_of(data) or ()
    _, each, *kernel = shape_of(weight) or ()
    strides, groups = ints(attrs.strides), int(attrs.groups)
    before = ints(attrs.padding)[:dimensions]
    positions = [-(-extent // stride) for extent, stride in zip(size, strides, strict=True)]
    along = zip(kernel, strides, ints(attrs.dilation), before, size, strict=True)
    axes = [windows(*axis) for axis in along]
    counts = tuple(phases_of(stride, extent) for stride, extent in zip(strides, size, strict=True))
    tensors: list[relax.Var] = []
    order: list[int] = []
    for seen in itertools.product(*axes):
        numbers = itertools.product(*(window.phases for window in seen))
        order.extend(int(np.ravel_multi_index(number, counts)) for number in numbers)
        tensors.append(rewriter.emit(_convolution(rewriter, call, data, weight, seen, positions)))
    outer = (1,) * (3 - dimensions)
    what = Interleaving(
        batch,
        each * groups,
        outer + counts,
        outer + tuple(positions),
        outer + tuple(size),
        tuple(order),
        groups,
    )
    return _Phases(tuple(tensors), what)


def _convolution(
    rewriter: Rewriter,
    call: relax.Call,
    data: relax.Expr,
    weight: relax.Expr,
    seen: Sequence[Window],
    positions: Sequence[int],
) -> relax.Expr:
    """Make one convolution of the phases that see the same windows; zeros where those hold padding alone."""
    batch, _, *sizes = shape_of(data) or ()
    groups, dimensions = int(call.attrs.groups), len(sizes)
    held = math.prod(len(window.phases) for window in seen)
    around = list(zip(seen, sizes, positions, strict=True))
    inside = [window.inside(extent, count) for window, extent, count in around]
    spans = [span for span in inside if span is not None]
    if len(spans) < dimensions:
        each = (shape_of(weight) or (0, 0))[1]
        return relax.op.zeros((batch, held * each * groups, *positions), dtype_of(data))
    if spans != [(0, extent) for extent in sizes]:
        begins, ends = zip(*spans, strict=True)
        data = rewriter.emit(slice_call(data, list(range(2, dimensions + 2)), begins, ends))
    padding = [window.padding(extent, count) for window, extent, count in around]
    letters = "DHW"[-dimensions:]
    made = CONVOLUTIONS[dimensions](
        data,
        _filter(rewriter, weight, seen, groups),
        padding=[pair[0] for pair in padding] + [pair[1] for pair in padding],
        dilation=[window.dilation for window in seen],
        groups=groups,
        data_layout=f"NC{letters}",
        kernel_layout=f"OI{letters}",
    )
    return relax.Call(made.op, made.args, made.attrs, made.ty_args, call.span)


def _filter(rewriter: Rewriter, weight: relax.Expr, seen: Sequence[Window], groups: int) -> relax.Expr:
    """(groups x phases x outputs, inputs, ...): the taps of each phase, of a filter (I, O, ...)."""
    inputs, each, *kernel = shape_of(weight) or ()
    split: list[int] = []
    for axis, (window, extent) in enumerate(zip(seen, kernel, strict=True)):
        taps = np.array(window.taps, np.int64)
        if taps.ravel().tolist() != list(range(extent)):
            weight = rewriter.emit(
                relax.op.take(weight, make_constant(taps.ravel()), axis=axis + 2, mode="clip")
            )
        split.extend(taps.shape)
    whole = rewriter.emit(relax.op.reshape(weight, (groups, inputs // groups, each, *split)))
    phases, taps_of = range(3, 3 + len(split), 2), range(4, 4 + len(split), 2)
    moved = rewriter.emit(relax.op.permute_dims(whole, [0, *phases, 2, 1, *taps_of]))
    outputs = groups * each * math.prod(split[::2])
    return rewriter.emit(relax.op.reshape(moved, (outputs, inputs // groups, *split[1::2])))
