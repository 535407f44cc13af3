"""TurnColumns: layers of maps one pixel wide as those of maps one pixel high.

(N, C, H, 1) becomes (N, C, 1, H), which moves nothing: exporters write layers along one dimension either way,
and micro-kernels compute several pixels of a row at once.
"""

from __future__ import annotations

from functools import partial

from tvm import relax

from relay_strategies.operators import operator_of
from relay_strategies.operators.layouts import Reduces
from relay_strategies.operators.spatial import OF_IMAGES, SpatialKind
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.graph import constant, ints, make_constant, rewrite_pass, shape_of

from .as_images import ImageRewriter
from .layout_rewriter import Shape

TURNED = (0, 1, 3, 2)
"""Each axis's place after the turn."""


class _TurnColumns(ImageRewriter):
    rank = 4
    layouts = "NCHW", "NHWC"

    def enter(self, data: relax.Expr, shape: Shape) -> relax.Expr:
        return self.permuted(data, list(TURNED))

    def to_plain(self, stored: relax.Expr, layout: str, shape: Shape) -> relax.Expr:
        return self.permuted(stored, list(TURNED))

    def enter_last(self, data: relax.Expr, shape: Shape) -> relax.Expr:
        return self.permuted(data, [0, 3, 2, 1])

    def leave_last(self, image: relax.Expr, shape: Shape) -> relax.Expr:
        return self.permuted(image, [0, 3, 2, 1])

    def axis(self, axis: int) -> int:
        return TURNED[axis]

    def operands(self, var: relax.Var, value: relax.Call) -> list[relax.Expr] | None:
        return self.broadcast(value, self._turned)

    def _turned(self, argument: relax.Expr, wide: Shape) -> relax.Expr:
        array = constant(argument)
        if array is None:
            return self.permuted(self.reshaped(self.new(argument), wide), list(TURNED))
        return make_constant(array if array.size == 1 else array.reshape(wide).transpose(TURNED))

    def reduced(self, value: relax.Call, kind: Reduces, axes: list[int]) -> relax.Expr | None:
        moved = sorted(map(self.axis, axes))
        return replaced(value, [self.image(value.args[0])], axis=kind.attribute(moved), keepdims=True)

    def _layer(self, var: relax.Var, value: relax.Call) -> bool:
        spatial = operator_of(value).spatial
        if spatial is None or spatial.dimensions != 2 or not _is_column(value, spatial.kind):
            return False
        return super()._layer(var, value)


TurnColumns = rewrite_pass("TurnColumns", _TurnColumns)
"""Turn layers of maps one pixel wide; wants ``Simplify`` behind it."""


def _is_column(call: relax.Call, kind: SpatialKind) -> bool:
    """Whether a layer's maps and windows are one pixel wide, and its maps higher."""
    data, attrs = shape_of(call.args[0]), call.attrs
    layout = str(attrs.data_layout if hasattr(attrs, "data_layout") else attrs.layout)
    if data is None or layout not in _TurnColumns.layouts or kind is SpatialKind.ADAPTIVE_AVERAGE:
        return False
    if kind is SpatialKind.CONVOLUTION:
        filters = shape_of(call.args[1])
        width = None if filters is None else filters[str(attrs.kernel_layout).index("W")]
    else:
        width = ints(attrs.pool_size)[1]
    height, wide = (data[layout.index(letter)] for letter in "HW")
    _, left, _, right = ints(attrs.padding)
    return width == wide == 1 and not left and not right and height != 1


def _along_rows(values: tuple[int, int]) -> tuple[int, int]:
    """What holds of the rows' one column, whose stride and dilation reach nothing else."""
    return 1, values[0]


def _convolution(rewriter: _TurnColumns, call: relax.Call, data: relax.Expr) -> relax.Expr:
    attrs = call.attrs
    weight = rewriter.ordered(rewriter.new(call.args[1]), str(attrs.kernel_layout), "OIWH")
    top, _, bottom, _ = ints(attrs.padding)
    made = relax.op.nn.conv2d(
        data,
        weight,
        _along_rows(ints(attrs.strides)),
        (0, top, 0, bottom),
        _along_rows(ints(attrs.dilation)),
        int(attrs.groups),
        out_dtype=attrs.out_dtype or None,
    )
    return relax.Call(made.op, made.args, made.attrs, made.ty_args, call.span)


def _pool(rewriter: _TurnColumns, call: relax.Call, data: relax.Expr, kind: SpatialKind) -> relax.Expr:
    attrs = call.attrs
    top, _, bottom, _ = ints(attrs.padding)
    return OF_IMAGES[kind](
        data,
        _along_rows(ints(attrs.pool_size)),
        _along_rows(ints(attrs.strides)),
        (0, top, 0, bottom),
        _along_rows(ints(attrs.dilation)),
        bool(attrs.ceil_mode),
        bool(attrs.count_include_pad),
    )


_TurnColumns.layers = {
    SpatialKind.CONVOLUTION: _convolution,
    SpatialKind.MAXIMUM: partial(_pool, kind=SpatialKind.MAXIMUM),
    SpatialKind.AVERAGE: partial(_pool, kind=SpatialKind.AVERAGE),
}
