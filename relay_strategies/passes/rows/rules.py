"""What operators read of their operands' rows, and the operators on a block of rows.

An operator takes part if its result is images (N, H, W, C) and each row of one reads some rows of the same
image of the operands: convolutions, pools, element-wise operators, residuals, concatenations of channels,
transposed convolutions and resizes by whole factors. A block is the same operator on the rows that it reads
of one image, with what padding is left to it, and so has kernels as any other has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tvm import relax, te

from relay_strategies.operators import operator_of
from relay_strategies.operators.attributes import from_attributes
from relay_strategies.operators.layouts import Broadcasting, Elementwise
from relay_strategies.operators.phases import interleaved
from relay_strategies.operators.spatial import SpatialKind
from relay_strategies.relax import composite
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.graph import (
    COMPOSITE,
    Graph,
    Rewriter,
    constant,
    dtype_of,
    ints,
    operator_name,
    shape_of,
)
from relay_strategies.relax.movement_calls import PERMUTE, axes_of, concatenation_of
from relay_strategies.relax.rows import pure_view_call
from tvm_directconv.operators.interleave import Interleaving
from tvm_directconv.problem.element_types import element_bytes

CONVOLUTION, RESIZE = "relax.nn.conv2d", "relax.image.resize2d"
TO_NHWC = (0, 2, 3, 1)
BYTES = ("relax.quantize", "relax.dequantize")


@dataclass(frozen=True)
class Reads:
    """Output row y reads ``reach`` rows of an operand, from y // ``factor`` x ``stride`` - ``before`` on;
    rows outside of the operand's ``height`` are padding."""

    height: int
    stride: int = 1
    before: int = 0
    reach: int = 1
    factor: int = 1

    def all(self, begin: int, end: int) -> tuple[int, int]:
        """Return the rows that output rows ``begin`` to before ``end`` read, padding included."""
        first, last = (row // self.factor * self.stride - self.before for row in (begin, end - 1))
        return first, last + self.reach

    def rows(self, begin: int, end: int) -> tuple[int, int]:
        """Return those of them that there are."""
        first, last = self.all(begin, end)
        return max(first, 0), min(last, self.height)

    def padding(self, begin: int, end: int) -> tuple[int, int]:
        """Return how many rows of padding are above and below these."""
        first, last = self.all(begin, end)
        return max(-first, 0), max(last - self.height, 0)


Make = Callable[[Rewriter, Sequence[relax.Expr], int, int, int], relax.Call]
"""A function that makes output rows of an operator's operands, from a first one to before a last one of an
image by its number: of those with rows it is given the rows that it reads, of those with as many images of a
row, that image's."""


@dataclass(frozen=True)
class RowRule:
    """An operator whose result is ``batch`` images of ``height`` rows: its ``operands``, what it ``reads`` of
    each, None where that is all of it, and how a block is made. Blocks are of a multiple of ``step`` rows."""

    height: int
    operands: tuple[relax.Expr, ...]
    reads: tuple[Reads | None, ...]
    make: Make
    step: int = 1
    batch: int = 1


def row_rule(rewriter: Rewriter, var: relax.Var, value: relax.Expr) -> RowRule | None:
    """Return the rule of a call; None for one that cannot be computed by rows."""
    shape = shape_of(var)
    if not isinstance(value, relax.Call) or shape is None or len(shape) != 4:
        return None
    rule = _rule(rewriter, value, shape)
    return None if rule is None else replace(rule, batch=shape[0])


def _rule(rewriter: Rewriter, value: relax.Call, shape: Sequence[int]) -> RowRule | None:
    found = composite.composite_of(rewriter, value)
    if found is not None:
        of_composite = _interleaving if found.name == composite.INTERLEAVE else _composite
        return of_composite(found, value, shape)
    spatial, concatenation = operator_of(value).spatial, concatenation_of(value)
    if concatenation is not None:
        at = tuple(concatenation.tensors)
        of_channels = concatenation.axis == 3
        return _pointwise(at, shape, lambda _, given: relax.op.concat(given, 3)) if of_channels else None
    if spatial is not None and spatial.kind in (SpatialKind.MAXIMUM, SpatialKind.AVERAGE):
        return _pool(value, shape[1])
    if operator_name(value) == PERMUTE and axes_of(value) == TO_NHWC:
        return _from_nchw(value, shape)
    if operator_name(value) == RESIZE:
        return _resize(value, shape)
    if _is_pointwise(value):
        return _pointwise(tuple(value.args), shape, lambda _, given: replaced(value, given))
    return None


def _is_pointwise(value: relax.Expr) -> bool:
    return isinstance(operator_of(value).layout, Elementwise | Broadcasting) or operator_name(value) in BYTES


def _operand_rows(operand: relax.Expr, of: Sequence[int]) -> Reads | None:
    """What an element-wise operator, whose result has that shape, reads of an operand, None for one without
    rows."""
    (batch, height, *_), shape = of, shape_of(operand) or ()
    varies = len(shape) == 4 and tuple(shape[:2]) == (batch, height) and constant(operand) is None
    return Reads(height) if varies and height > 1 else None


def _pointwise(
    operands: tuple[relax.Expr, ...],
    of: Sequence[int],
    make: Callable[[Rewriter, Sequence[relax.Expr]], relax.Call],
) -> RowRule | None:
    reads = tuple(_operand_rows(operand, of) for operand in operands)
    shapes = (shape_of(operand) or () for operand, read in zip(operands, reads, strict=True) if read is None)
    if not any(reads) or any(len(shape) > 2 and shape[-3] != 1 for shape in shapes):
        return None
    return RowRule(of[1], operands, reads, lambda rewriter, given, *_: make(rewriter, given))


def _pool(call: relax.Call, height: int) -> RowRule | None:
    attrs, (data,) = call.attrs, call.args
    top, left, _, right = ints(attrs.padding)
    if attrs.ceil_mode or attrs.layout != "NHWC":
        return None
    reach = (ints(attrs.pool_size)[0] - 1) * ints(attrs.dilation)[0] + 1
    read = Reads((shape_of(data) or ())[1], ints(attrs.strides)[0], top, reach)

    def make(rewriter: Rewriter, given: Sequence[relax.Expr], begin: int, end: int, _: int) -> relax.Call:
        above, below = read.padding(begin, end)
        return replaced(call, given, padding=[above, left, below, right])

    return _checked(RowRule(height, (data,), (read,), make))


def _resize(call: relax.Call, shape: Sequence[int]) -> RowRule | None:
    """Nearest rows, and rows between two of half-pixel centers, at whole factors."""
    attrs, data = call.attrs, call.args[0]
    source = shape_of(data) or ()
    factor = shape[1] // source[1]
    nearest = attrs.method == "nearest_neighbor" and factor * source[1] == shape[1]
    nearest = nearest and attrs.coordinate_transformation_mode == "asymmetric"
    if not nearest or attrs.rounding_method != "floor" or attrs.layout != "NHWC" or list(attrs.roi):
        return None

    def make(rewriter: Rewriter, given: Sequence[relax.Expr], begin: int, end: int, _: int) -> relax.Call:
        return replaced(call, [given[0], relax.ShapeExpr([end - begin, shape[2]])])

    return RowRule(shape[1], (data,), (Reads(source[1], factor=factor),), make, factor)


def _from_nchw(call: relax.Call, shape: Sequence[int]) -> RowRule:
    """Rows of planes that are there whole: a block is made of what begins with its first row's first
    pixel."""
    (data,), (_, height, width, channels) = call.args, shape
    plane = height * width

    def make(rewriter: Rewriter, given: Sequence[relax.Expr], begin: int, end: int, image: int) -> relax.Call:
        dtype, wanted = dtype_of(data), (1, end - begin, width, channels)
        kind = relax.TensorType(((channels - 1) * plane + (end - begin) * width,), dtype)
        first = (image * channels * plane + begin * width) * element_bytes(dtype)
        planes = rewriter.emit(pure_view_call(given[0], first, kind), "planes")
        source = te.placeholder(tuple(kind.shape), dtype, "planes")
        rows = te.compute(wanted, lambda n, y, x, c: source[c * plane + y * width + x], "rows")
        kernel = te.create_prim_func([source, rows]).without_attr("global_symbol")
        function = rewriter.add_function(kernel, "rows_to_nhwc")
        return relax.call_tir(function, [planes], relax.TensorType(wanted, dtype))

    return RowRule(height, (data,), (None,), make)


def _interleaving(found: composite.Composite, call: relax.Call, shape: Sequence[int]) -> RowRule | None:
    """Pixels of a transposed convolution: a row of each operand becomes several."""
    what = from_attributes(Interleaving, found.attributes)
    factor, positions = what.strides[1], what.positions[1]
    (batch, height, *_), axis = shape, int(found.attributes["axis"])
    whole = (batch, factor * positions) == (what.batch, height)
    if not whole or what.positions[0] != 1 or what.size[0] != 1 or axis != 3:
        return None

    def make(rewriter: Rewriter, given: Sequence[relax.Expr], begin: int, end: int, _: int) -> relax.Call:
        rows = replace(
            what,
            batch=1,
            positions=(1, (end - begin) // factor, what.positions[2]),
            size=(1, end - begin, what.size[2]),
        )
        return interleaved(rewriter, given, rows, axis, call)

    reads = (Reads(positions, factor=factor),) * len(found.arguments)
    return RowRule(height, found.arguments, reads, make, factor)


def _composite(found: composite.Composite, call: relax.Call, of: Sequence[int]) -> RowRule | None:
    """A function of element-wise operators, and perhaps one convolution of its first operand."""
    values = [value for _, value in Graph(found.function).bindings if isinstance(value, relax.Call)]
    convolutions = [value for value in values if operator_name(value) == CONVOLUTION]
    others = [value for value in values if operator_name(value) != CONVOLUTION]
    if len(convolutions) > 1 or found.name in (composite.DENSE, composite.QDENSE):
        return None
    joins = [value for value in others if (joined := concatenation_of(value)) and joined.axis == 3]
    slices = [value for value in others if operator_name(value) == "relax.strided_slice"]
    if not all(_is_pointwise(value) or value in joins or _of_vector(value, slices) for value in others):
        return None
    attributes = {k: v for k, v in found.attributes.items() if k not in (COMPOSITE, "Primitive")}
    again = _Again(found, attributes, call)
    if not convolutions:
        return _pointwise(found.arguments, of, lambda rewriter, given: again.call(rewriter, given, ()))
    attrs = convolutions[0].attrs
    top, left, _, right = ints(attrs.padding)
    data, *rest = found.arguments
    shape, filter_shape = shape_of(data) or (), shape_of(found.arguments[1]) or ()
    weight = dict(zip(str(attrs.kernel_layout), filter_shape, strict=True))
    reach = (weight["H"] - 1) * ints(attrs.dilation)[0] + 1
    if attrs.data_layout != "NHWC" or shape[0] != of[0]:
        return None
    read = Reads(shape[1], ints(attrs.strides)[0], top, reach)

    def make(rewriter: Rewriter, given: Sequence[relax.Expr], begin: int, end: int, _: int) -> relax.Call:
        above, below = read.padding(begin, end)
        return again.call(rewriter, given, (above, left, below, right))

    reads = (read, *(_operand_rows(operand, of) for operand in rest))
    alone = [each for each, rows in zip(rest, reads[1:], strict=True) if rows is None]
    if of[0] > 1 and not (
        constant(rest[0]) is not None and all(_is_of_any_image(each, of[0]) for each in alone[1:])
    ):
        return None
    return _checked(RowRule(of[1], found.arguments, reads, make))


def _is_of_any_image(operand: relax.Expr, batch: int) -> bool:
    """Whether an operand without rows is the same for all images, or has one row for each."""
    shape = shape_of(operand) or ()
    return len(shape) < 4 or constant(operand) is not None or tuple(shape[:2]) == (batch, 1)


def _of_vector(value: relax.Call, slices: Sequence[relax.Call]) -> bool:
    """Whether a call takes a part of a vector, such as a bias."""
    return value in slices and len(shape_of(value.args[0]) or ()) == 1


def _checked(rule: RowRule) -> RowRule | None:
    """The rule, if every output row reads a row that there is."""
    (read, *_) = rule.reads
    assert read is not None
    rows = (read.rows(row, row + 1) for row in range(rule.height))
    return rule if rule.height > 1 and all(begin < end for begin, end in rows) else None


@dataclass
class _Again:
    """A call of a composite on other rows, by functions that are made once."""

    found: composite.Composite
    attributes: Mapping[str, object]
    like: relax.Call
    made: dict[tuple[object, ...], relax.Expr] = field(default_factory=dict)

    def call(
        self, rewriter: Rewriter, operands: Sequence[relax.Expr], padding: tuple[int, ...]
    ) -> relax.Call:
        """Return it on these operands, its convolution with that ``padding``, if it has one."""

        def body(emit: composite.Emit, params: Sequence[relax.Var]) -> relax.Expr:
            def changed(value: relax.Expr) -> relax.Expr:
                of_layer = operator_name(value) == CONVOLUTION
                return emit(replaced(value, value.args, padding=padding) if of_layer else value)

            return composite.inlined(changed, self.found.function, params)

        key = padding, *map(shape_of, operands)
        if key not in self.made:
            name, attributes = self.found.name, self.attributes
            self.made[key] = composite.make_composite(rewriter, name, operands, body, attributes).op
        return relax.Call(self.made[key], list(operands), span=self.like.span)
