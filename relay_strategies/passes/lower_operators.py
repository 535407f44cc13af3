"""LowerOperators: pooling, normalization, concatenation, softmax and layout changes become scheduled kernels.

What has no kernel here is left as it is, for Relax's LegalizeOps and FuseOps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tvm
from tvm import relax, tirx

from tvm_directconv import operators
from tvm_directconv.errors import WorkloadError
from tvm_directconv.target import CompileTarget, resolve_target

from . import composite
from .graph import Rewriter, dtype_of, ints, operator_name, rewrite_module, shape_of
from .lower_conv2d import OPAQUE
from .to_nhwc import TO_NCHW, TO_NHWC


def LowerOperators(
    target: str | Mapping[str, Any] | tvm.target.Target | CompileTarget,
) -> tvm.transform.Pass:
    """The pass for ``target``; it looks at NHWC float32 tensors and wants ``FuseAffine`` before it."""
    resolved = resolve_target(target)

    @tvm.transform.module_pass(opt_level=0, name="directconv.LowerOperators")
    def lower(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
        return rewrite_module(module, lambda f, builder: _LowerOperators(f, builder, resolved))

    return lower


Shape = tuple[int, ...]
Kernel = tuple[str, tirx.PrimFunc, Sequence[relax.Expr]]
"""Name, PrimFunc and arguments of a call."""


class _LowerOperators(Rewriter):
    def __init__(self, function: relax.Function, builder: relax.BlockBuilder, target: CompileTarget) -> None:
        super().__init__(function, builder)
        self.target = target

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        new, shape = self.new(value), shape_of(var)
        if shape is None or dtype_of(var) != "float32" or not isinstance(new, relax.Call):
            return new
        kernel = self._kernel(new, shape)
        if kernel is None:
            return new
        name, function, arguments = kernel
        function = function.without_attr("global_symbol").with_attr("op_pattern", OPAQUE)
        result_type = relax.TensorType(shape, "float32")
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
    function = operators.lrn(
        shape,
        int(attributes["size"]),
        rewriter.target,
        alpha=float(attributes["alpha"]),
        beta=float(attributes["beta"]),
        bias=float(attributes["bias"]),
    )
    return "lrn", function, found.arguments


def _channel_shuffle(rewriter: _LowerOperators, found: composite.Composite, shape: Shape) -> Kernel | None:
    if int(found.attributes["axis"]) != 3:
        return None
    groups = int(found.attributes["groups"])
    return "channel_shuffle", operators.channel_shuffle(shape, groups, rewriter.target), found.arguments


def _affine(rewriter: _LowerOperators, found: composite.Composite, shape: Shape) -> Kernel | None:
    low = float(found.attributes.get("low", -math.inf))
    high = float(found.attributes.get("high", math.inf))
    shapes = [shape_of(argument) or () for argument in found.arguments[:-2]]
    if len(shapes) > 1:
        function = operators.concat_affine(shapes, rewriter.target, low=low, high=high)
        return "concat_affine", function, found.arguments
    function = operators.channel_affine(shape, rewriter.target, low=low, high=high)
    return "channel_affine", function, found.arguments


def _pool(rewriter: _LowerOperators, call: relax.Call, shape: Shape) -> Kernel | None:
    attrs, data = call.attrs, shape_of(call.args[0])
    if attrs.layout != "NHWC" or attrs.out_layout != "NHWC" or data is None:
        return None
    batch, height, width, channels = data
    pool = operators.Pool2d(
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
    if pool.output_shape != shape:
        return None
    name = operator_name(call).removeprefix("relax.nn.")
    make = operators.max_pool2d if name == "max_pool2d" else operators.avg_pool2d
    return name, make(pool, rewriter.target), call.args


def _global_pool(rewriter: _LowerOperators, call: relax.Call, shape: Shape) -> Kernel | None:
    data, attrs = shape_of(call.args[0]), call.attrs
    if data is None or len(data) != 4 or not attrs.keepdims or attrs.axis is None:
        return None
    if sorted(int(a) % 4 for a in attrs.axis) != [1, 2]:
        return None
    is_mean = operator_name(call) == "relax.mean"
    make = operators.global_avg_pool2d if is_mean else operators.global_max_pool2d
    return make.__name__, make(ints(data), rewriter.target), call.args


def _softmax(rewriter: _LowerOperators, call: relax.Call, shape: Shape) -> Kernel | None:
    if int(call.attrs.axis) % len(shape) != len(shape) - 1:
        return None
    return "softmax", operators.softmax(shape, rewriter.target), call.args


def _concat(rewriter: _LowerOperators, call: relax.Call, shape: Shape) -> Kernel | None:
    if not isinstance(call.args[0], relax.Tuple) or call.attrs.axis is None:
        return None
    shapes = [shape_of(field) for field in call.args[0].fields]
    if any(s is None for s in shapes):
        return None
    function = operators.concat([s or () for s in shapes], int(call.attrs.axis), rewriter.target)
    return "concat", function, call.args[0].fields


def _permute_dims(rewriter: _LowerOperators, call: relax.Call, shape: Shape) -> Kernel | None:
    data = shape_of(call.args[0])
    axes = tuple(int(a) for a in call.attrs.axes) if call.attrs.axes is not None else ()
    if data is None or axes not in (TO_NHWC, TO_NCHW):
        return None
    make = operators.nchw_to_nhwc if axes == TO_NHWC else operators.nhwc_to_nchw
    return make.__name__, make(ints(data), rewriter.target), call.args


RULES: dict[str, Callable[[_LowerOperators, relax.Call, Shape], Kernel | None]] = {
    "relax.nn.max_pool2d": _pool,
    "relax.nn.avg_pool2d": _pool,
    "relax.mean": _global_pool,
    "relax.max": _global_pool,
    "relax.nn.softmax": _softmax,
    "relax.concat": _concat,
    "relax.permute_dims": _permute_dims,
}
COMPOSITES: dict[str, Callable[[_LowerOperators, composite.Composite, Shape], Kernel | None]] = {
    composite.LRN: _lrn,
    composite.CHANNEL_SHUFFLE: _channel_shuffle,
    composite.AFFINE: _affine,
}
