"""LowerOperators: pooling, normalization, concatenation, softmax and layout changes become scheduled kernels.

Tensors are float32 or quantized to 8 bits; 8-bit integers are only moved, compared, or have become composites
of ``FuseQuantizedOperators``. What has no kernel here is left as it is, for Relax's LegalizeOps and FuseOps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tvm
from tvm import relax, tirx

from relay_strategies.relax import composite
from relay_strategies.relax.graph import (
    PREFIX,
    Graph,
    Rewriter,
    dtype_of,
    ints,
    make_constant,
    operator_name,
    rewrite_module,
    shape_of,
)
from tvm_directconv import operators
from tvm_directconv.errors import WorkloadError
from tvm_directconv.operators import QuantizedType
from tvm_directconv.targets.target import CompileTarget, resolve_target

from .fuse_quantized_operators import QADD, QAVG_POOL2D, QCONCAT, QGLOBAL_AVG_POOL2D, QLRN, REQUANTIZE
from .lower_conv2d import OPAQUE
from .quantization import BYTES, QUANTIZE, parameters_of
from .to_nhwc import TO_NCHW, TO_NHWC


def LowerOperators(
    target: str | Mapping[str, Any] | tvm.target.Target | CompileTarget,
) -> tvm.transform.Pass:
    """The pass for ``target``; it looks at NHWC tensors and wants ``FuseAffine`` before it."""
    resolved = resolve_target(target)

    @tvm.transform.module_pass(opt_level=0, name="directconv.LowerOperators")
    def lower(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
        return rewrite_module(module, lambda f, builder: _LowerOperators(f, builder, resolved))

    return lower


FLOAT = "float32"
Shape = tuple[int, ...]
Kernel = tuple[str, tirx.PrimFunc, Sequence[relax.Expr]]
"""Name, PrimFunc and arguments of a call."""


class _LowerOperators(Rewriter):
    def __init__(self, function: relax.Function, builder: relax.BlockBuilder, target: CompileTarget) -> None:
        super().__init__(function, builder)
        self.target = target

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        new, shape = self.new(value), shape_of(var)
        if shape is None or dtype_of(var) not in (FLOAT, *BYTES) or not isinstance(new, relax.Call):
            return new
        kernel = self._kernel(new, shape)
        if kernel is None:
            return new
        name, function, arguments = kernel
        function = function.without_attr("global_symbol").with_attr("op_pattern", OPAQUE)
        result_type = relax.TensorType(shape, dtype_of(var))
        return relax.call_tir(self.add_function(function, name), list(arguments), result_type)

    def _kernel(self, call: relax.Call, shape: Shape) -> Kernel | None:
        found = composite.composite_of(self, call)
        try:
            if found is not None:
                return COMPOSITES[found.name](self, found, shape) if found.name in COMPOSITES else None
            rule = RULES.get(operator_name(call))
            return None if rule is None else rule(self, call, shape)
        except WorkloadError:
            return None  # a shape the kernel does not cover


def _lrn(rewriter: _LowerOperators, found: composite.Composite, shape: Shape) -> Kernel | None:
    attributes = found.attributes
    if int(attributes["axis"]) != 3:
        return None
    source, result = None, None
    if found.name == QLRN:
        (source,), result = _quantized_types(found)
    function = operators.lrn(
        shape,
        int(attributes["size"]),
        rewriter.target,
        alpha=float(attributes["alpha"]),
        beta=float(attributes["beta"]),
        bias=float(attributes["bias"]),
        source=source,
        result=result,
    )
    return found.name.removeprefix(PREFIX), function, found.arguments


def _channel_shuffle(rewriter: _LowerOperators, found: composite.Composite, shape: Shape) -> Kernel | None:
    if int(found.attributes["axis"]) != 3:
        return None
    groups = int(found.attributes["groups"])
    dtype = dtype_of(found.arguments[0])
    function = operators.channel_shuffle(shape, groups, rewriter.target, dtype=dtype)
    return "channel_shuffle", function, found.arguments


def _affine(rewriter: _LowerOperators, found: composite.Composite, shape: Shape) -> Kernel | None:
    low = float(found.attributes.get("low", -math.inf))
    high = float(found.attributes.get("high", math.inf))
    shapes = [shape_of(argument) or () for argument in found.arguments[:-2]]
    if len(shapes) > 1:
        function = operators.concat_affine(shapes, rewriter.target, low=low, high=high)
        return "concat_affine", function, found.arguments
    function = operators.channel_affine(shape, rewriter.target, low=low, high=high)
    return "channel_affine", function, found.arguments


def _quantized(rewriter: _LowerOperators, found: composite.Composite, shape: Shape) -> Kernel | None:
    attributes, target = found.attributes, rewriter.target
    sources, result = _quantized_types(found)
    shapes = [shape_of(argument) or () for argument in found.arguments]
    low = float(attributes.get("low", -math.inf))
    high = float(attributes.get("high", math.inf))
    if found.name == QADD:
        function = operators.quantized_add(shape, sources, result, target, low=low, high=high)
    elif found.name == QCONCAT:
        axis = int(attributes["axis"])
        function = operators.quantized_concat(shapes, axis, sources, result, target, low=low, high=high)
    elif found.name == REQUANTIZE:
        function = operators.requantize(shape, sources[0], result, target, low=low, high=high)
    elif found.name == QGLOBAL_AVG_POOL2D:
        function = operators.quantized_global_avg_pool2d(
            ints(shapes[0]), sources[0], result, target, low=low, high=high
        )
    else:
        calls = [value for _, value in Graph(found.function).bindings]
        (call,) = (value for value in calls if operator_name(value) == "relax.nn.avg_pool2d")
        pool = _pool2d(call.attrs, shapes[0])
        if pool is None or pool.output_shape != shape:
            return None
        function = operators.quantized_avg_pool2d(pool, sources[0], result, target, low=low, high=high)
    return found.name.removeprefix(PREFIX), function, found.arguments


def _quantized_types(found: composite.Composite) -> tuple[list[QuantizedType], QuantizedType]:
    """What the integers of the arguments and of the result of a quantized composite stand for."""
    attributes = found.attributes
    parameters = zip(found.arguments, attributes["scales"], attributes["zeros"], strict=True)
    sources = [QuantizedType(float(s), int(z), dtype_of(argument)) for argument, s, z in parameters]
    scale, zero, dtype = (attributes[f"out_{name}"] for name in ("scale", "zero", "dtype"))
    return sources, QuantizedType(float(scale), int(zero), str(dtype))


def _quantize(rewriter: _LowerOperators, call: relax.Call, shape: Shape) -> Kernel | None:
    """What FuseOps cannot join to the operator that makes the numbers: it is no operator, or has a kernel."""
    made = rewriter.builder.lookup_binding(call.args[0]) if isinstance(call.args[0], relax.Var) else None
    if made is not None and operator_name(made) not in ("relax.call_tir", "relax.reshape"):
        return None
    known, dtype, target = parameters_of(call), str(call.attrs.out_dtype), rewriter.target
    if known is None or dtype not in BYTES or dtype_of(call.args[0]) != FLOAT:
        return None
    if known.axis is None:
        result = QuantizedType(float(known.scale[0]), int(known.zero_point[0]), dtype)
        return "quantize", operators.quantize(shape, result, target), call.args[:1]
    if known.axis != len(shape) - 1:
        return None
    parameters = known.scale.astype(FLOAT), known.zero_point.astype("int32")
    arguments = [call.args[0], *map(make_constant, parameters)]
    return "quantize_channels", operators.quantize_channels(shape, dtype, target), arguments


def _pool2d(attrs: Any, data: Shape | None) -> operators.Pool2d | None:
    """The pooling layer of an operator's attributes and its input's shape, if it is NHWC."""
    if attrs.layout != "NHWC" or attrs.out_layout != "NHWC" or data is None:
        return None
    batch, height, width, channels = data
    return operators.Pool2d(
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


def _pool(rewriter: _LowerOperators, call: relax.Call, shape: Shape) -> Kernel | None:
    pool, dtype = _pool2d(call.attrs, shape_of(call.args[0])), dtype_of(call.args[0])
    if pool is None or pool.output_shape != shape:
        return None
    if operator_name(call) == "relax.nn.max_pool2d":
        return "max_pool2d", operators.max_pool2d(pool, rewriter.target, dtype=dtype), call.args
    if dtype != FLOAT:
        return None
    return "avg_pool2d", operators.avg_pool2d(pool, rewriter.target), call.args


def _global_pool(rewriter: _LowerOperators, call: relax.Call, shape: Shape) -> Kernel | None:
    data, attrs = shape_of(call.args[0]), call.attrs
    if data is None or len(data) != 4 or not attrs.keepdims or attrs.axis is None:
        return None
    if sorted(int(a) % 4 for a in attrs.axis) != [1, 2]:
        return None
    dtype = dtype_of(call.args[0])
    if operator_name(call) == "relax.max":
        function = operators.global_max_pool2d(ints(data), rewriter.target, dtype=dtype)
        return "global_max_pool2d", function, call.args
    if dtype != FLOAT:
        return None
    return "global_avg_pool2d", operators.global_avg_pool2d(ints(data), rewriter.target), call.args


def _softmax(rewriter: _LowerOperators, call: relax.Call, shape: Shape) -> Kernel | None:
    if int(call.attrs.axis) % len(shape) != len(shape) - 1 or dtype_of(call.args[0]) != FLOAT:
        return None
    return "softmax", operators.softmax(shape, rewriter.target), call.args


def _concat(rewriter: _LowerOperators, call: relax.Call, shape: Shape) -> Kernel | None:
    if not isinstance(call.args[0], relax.Tuple) or call.attrs.axis is None:
        return None
    shapes = [shape_of(field) for field in call.args[0].fields]
    if any(s is None for s in shapes):
        return None
    dtype = dtype_of(call.args[0].fields[0])
    axis = int(call.attrs.axis)
    function = operators.concat([s or () for s in shapes], axis, rewriter.target, dtype=dtype)
    return "concat", function, call.args[0].fields


def _permute_dims(rewriter: _LowerOperators, call: relax.Call, shape: Shape) -> Kernel | None:
    data = shape_of(call.args[0])
    axes = tuple(int(a) for a in call.attrs.axes) if call.attrs.axes is not None else ()
    if data is None or axes not in (TO_NHWC, TO_NCHW):
        return None
    make = operators.nchw_to_nhwc if axes == TO_NHWC else operators.nhwc_to_nchw
    function = make(ints(data), rewriter.target, dtype=dtype_of(call.args[0]))
    return make.__name__, function, call.args


RULES: dict[str, Callable[[_LowerOperators, relax.Call, Shape], Kernel | None]] = {
    "relax.nn.max_pool2d": _pool,
    "relax.nn.avg_pool2d": _pool,
    "relax.mean": _global_pool,
    "relax.max": _global_pool,
    "relax.nn.softmax": _softmax,
    "relax.concat": _concat,
    "relax.permute_dims": _permute_dims,
    QUANTIZE: _quantize,
}
COMPOSITES: dict[str, Callable[[_LowerOperators, composite.Composite, Shape], Kernel | None]] = {
    composite.LRN: _lrn,
    QLRN: _lrn,
    composite.CHANNEL_SHUFFLE: _channel_shuffle,
    composite.AFFINE: _affine,
    **dict.fromkeys((QADD, QAVG_POOL2D, QGLOBAL_AVG_POOL2D, QCONCAT, REQUANTIZE), _quantized),
}
