"""Windows that slide over a map: pooling and resizing, and the average of an 8-bit map."""

from __future__ import annotations

from typing import Any

from tvm import relax

from relay_strategies.relax.composite import QAVG_POOL2D, Composite
from relay_strategies.relax.epilogue_steps import FLOAT, steps_of
from relay_strategies.relax.graph import Graph, Rewriter, dtype_of, ints, operator_name, shape_of
from tvm_directconv.operators.pooling import Pool2d, avg_pool2d, max_pool2d, quantized_avg_pool2d
from tvm_directconv.operators.regions import roi_align
from tvm_directconv.operators.resizing import resize2d
from tvm_directconv.operators.sampling import PADDINGS, grid_sample
from tvm_directconv.targets.target import CompileTarget

from . import linear
from .bytes import composite_name, quantized_types
from .layouts import NCHW, NHWC, Moves
from .operator import CompositeOperator, Kernel, Operator, Shape, Values
from .spatial import Spatial, SpatialKind

LARGE_WINDOW = 12
"""Elements of a window that need not be compared, from which it is taken by axes."""


def _whole_map(rewriter: Rewriter, call: relax.Call) -> relax.Expr | None:
    """A window over the whole map is a mean, also one that reaches beyond: what is there does not count."""
    shape, attrs = shape_of(call.args[0]), call.attrs
    if shape is None or attrs.layout not in (NCHW, NHWC):
        return None
    axes = [attrs.layout.index(letter) for letter in "HW"]
    if [(shape_of(call) or ())[axis] for axis in axes] != [1, 1]:
        return None
    if operator_name(call) == "relax.nn.avg_pool2d":
        extents = [shape[axis] for axis in axes]
        whole = all(size >= extent for size, extent in zip(ints(attrs.pool_size), extents, strict=True))
        if not whole or any(ints(attrs.padding)) or any(d != 1 for d in ints(attrs.dilation)):
            return None
    return relax.op.mean(call.args[0], axes, keepdims=True)


def _by_axes(rewriter: Rewriter, call: relax.Call) -> relax.Expr | None:
    """The largest of a large window is the largest of its columns' largest: windows of one row, then of one
    column, compare less, where that is enough less to store what is between."""
    attrs = call.attrs
    (height, width), (down, _) = ints(attrs.pool_size), ints(attrs.strides)
    if height * width - (width * down + height) < LARGE_WINDOW or width == 1:
        return None
    top, left, bottom, right = ints(attrs.padding)
    result, rest = call.args[0], (bool(attrs.ceil_mode), False, attrs.layout, attrs.out_layout)
    for axis, padding in ((1, (0, left, 0, right)), (0, (top, 0, bottom, 0))):
        window, strides, dilation = (
            [number if at == axis else 1 for at, number in enumerate(ints(numbers))]
            for numbers in (attrs.pool_size, attrs.strides, attrs.dilation)
        )
        result = relax.op.nn.max_pool2d(result, window, strides, padding, dilation, *rest)
        if axis == 1:
            result = rewriter.emit(result)
    return result


def _is_nhwc(attrs: Any) -> bool:
    return bool(attrs.layout == attrs.out_layout == NHWC)


def _pool2d(call: relax.Call, data: Shape | None, result: Shape) -> Pool2d | None:
    """The pooling layer of an NHWC call's attributes and its input's shape, if it has that result."""
    attrs = call.attrs
    if not _is_nhwc(attrs) or data is None:
        return None
    batch, height, width, channels = data
    pool = Pool2d(
        batch,
        height,
        width,
        channels,
        ints(attrs.pool_size),
        strides=ints(attrs.strides),
        padding=ints(attrs.padding),
        dilation=ints(attrs.dilation),
        ceil_mode=bool(attrs.ceil_mode),
        count_include_pad=bool(attrs.count_include_pad),
    )
    return pool if pool.output_shape == result else None


def _maximum(call: relax.Call, shape: Shape, target: CompileTarget) -> Kernel | None:
    pool = _pool2d(call, shape_of(call.args[0]), shape)
    if pool is None:
        return None
    return Kernel("max_pool2d", max_pool2d(pool, target, dtype=dtype_of(call.args[0])), call.args)


def _average(call: relax.Call, shape: Shape, target: CompileTarget) -> Kernel | None:
    pool = _pool2d(call, shape_of(call.args[0]), shape)
    if pool is None or dtype_of(call.args[0]) != FLOAT:
        return None
    return Kernel("avg_pool2d", avg_pool2d(pool, target), call.args)


def _quantized_average(found: Composite, shape: Shape, target: CompileTarget) -> Kernel | None:
    (source,), result = quantized_types(found)
    calls = [value for _, value in Graph(found.function).bindings]
    (call,) = (value for value in calls if operator_name(value) == "relax.nn.avg_pool2d")
    pool = _pool2d(call, shape_of(found.arguments[0]), shape)
    if pool is None:
        return None
    function = quantized_avg_pool2d(pool, source, result, target, steps=steps_of(found.attributes))
    return Kernel(composite_name(found), function, found.arguments)


def _resize(call: relax.Call, shape: Shape, target: CompileTarget) -> Kernel | None:
    """Resize float32 maps bilinearly."""
    data, attrs = shape_of(call.args[0]), call.attrs
    if data is None or attrs.method != "linear" or dtype_of(call.args[0]) != FLOAT:
        return None
    function = resize2d(data, shape, attrs.layout, attrs.coordinate_transformation_mode, target)
    return Kernel("resize2d", function, [call.args[0]])


def _sampled(call: relax.Call, shape: Shape, target: CompileTarget) -> Kernel | None:
    """Sample float32 maps bilinearly. Reflection and other methods are left to TVM."""
    data, attrs = shape_of(call.args[0]), call.attrs
    if data is None or len(data) != 4 or attrs.method != "bilinear" or attrs.layout != "NCHW":
        return None
    if attrs.padding_mode not in PADDINGS or {dtype_of(a) for a in call.args} != {FLOAT}:
        return None
    function = grid_sample(data, shape[2:], str(attrs.padding_mode), bool(attrs.align_corners), target)
    return Kernel("grid_sample", function, list(call.args))


def _regions(call: relax.Call, shape: Shape, target: CompileTarget) -> Kernel | None:
    """Take means of boxes of float32 maps; largest elements are left to TVM."""
    data, boxes, attrs = shape_of(call.args[0]), shape_of(call.args[1]), call.attrs
    if data is None or boxes is None or attrs.layout != "NHWC" or attrs.mode != "avg":
        return None
    if {dtype_of(argument) for argument in call.args} != {FLOAT}:
        return None
    how = float(attrs.spatial_scale), int(attrs.sample_ratio), bool(attrs.aligned)
    return Kernel("roi_align", roi_align(data, boxes[0], (shape[1], shape[2]), *how, target), list(call.args))


POOL = Moves(names=("layout", "out_layout"), wanted=True, by_block=True)
OPERATORS = (
    Operator(
        "relax.nn.max_pool2d",
        layout=POOL,
        values=Values.LARGEST,
        simplify=_by_axes,
        kernel=_maximum,
        linear=linear.maximum,
        spatial=Spatial(SpatialKind.MAXIMUM, 2),
    ),
    Operator(
        "relax.nn.avg_pool2d",
        layout=POOL,
        spatial=Spatial(SpatialKind.AVERAGE, 2),
        simplify=_whole_map,
        kernel=_average,
        linear=linear.average,
        between_bytes=lambda call: QAVG_POOL2D if _is_nhwc(call.attrs) else None,
    ),
    Operator(
        "relax.nn.adaptive_avg_pool2d",
        layout=Moves(names=("layout", "out_layout"), wanted=True),
        simplify=_whole_map,
    ),
    *(
        Operator(f"relax.nn.{name}_pool{n}d", spatial=Spatial(kind, n))
        for name, kind in (
            ("max", SpatialKind.MAXIMUM),
            ("avg", SpatialKind.AVERAGE),
            ("adaptive_avg", SpatialKind.ADAPTIVE_AVERAGE),
        )
        for n in (1, 3)
    ),
    Operator("relax.image.grid_sample", kernel=_sampled),
    Operator("relax.vision.roi_align", layout=Moves(names=("layout",), wanted=True), kernel=_regions),
    Operator(
        "relax.image.resize2d",
        layout=Moves(names=("layout",), either=lambda attrs: attrs.method != "cubic"),
        kernel=_resize,
    ),
)
COMPOSITES = (CompositeOperator(QAVG_POOL2D, kernel=_quantized_average),)
