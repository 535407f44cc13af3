"""Normalization: batch normalization, softmax, and local response normalization, which is a composite."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from tvm import relax

from relay_strategies.relax.arithmetic_calls import ADD, MULTIPLY
from relay_strategies.relax.composite import L2_NORM, LRN, QLRN, Composite, Emit, make_composite
from relay_strategies.relax.epilogue_steps import FLOAT
from relay_strategies.relax.functions import defined
from relay_strategies.relax.graph import (
    Rewriter,
    constant,
    dtype_of,
    extents_of,
    is_filled,
    make_constant,
    operator_name,
    scalar,
    shape_of,
)
from relay_strategies.relax.scales import Affine, affine_of
from tvm_directconv.operators import stable_definitions
from tvm_directconv.operators.lrn import lrn as lrn_kernel
from tvm_directconv.operators.normalization import (
    GroupNormalization,
    RowNormalization,
    normalize_groups,
    normalize_rows,
)
from tvm_directconv.operators.normalization import l2_norm as l2_norm_kernel
from tvm_directconv.operators.softmax import log_softmax, softmax
from tvm_directconv.targets.target import CompileTarget

from .bytes import composite_name, quantized_types
from .layouts import Moves, Normalizes
from .operator import CompositeOperator, Kernel, Operator, Shape, Simplifier


def _batch_norm(rewriter: Simplifier, call: relax.Call) -> relax.Expr | None:
    """Make a multiplication and an addition per channel of one with constant statistics."""
    data, *statistics = call.args
    found = [constant(value) for value in statistics]
    arrays = [array.astype(np.float64) for array in found if array is not None]
    if call.attrs.training or len(arrays) != 4:
        return None
    gamma, beta, mean, variance = arrays
    scale = (gamma if call.attrs.scale else 1.0) / np.sqrt(variance + float(call.attrs.epsilon))
    shift = (beta if call.attrs.center else 0.0) - mean * scale
    shape = [1] * len(shape_of(data) or ())
    shape[int(call.attrs.axis)] = scale.size
    own = Affine(scale.reshape(shape), np.broadcast_to(shift, scale.shape).reshape(shape))
    known = rewriter.normalized.get(data)
    both = None if known is None else own.joined(known[1])
    if known is not None and both is not None:
        data, own = known[0], both
    return relax.Tuple([_normalized(rewriter, data, own), call.args[3], call.args[4]])


def _normalized(rewriter: Simplifier, data: relax.Expr, affine: Affine) -> relax.Var:
    dtype = dtype_of(data)
    scaled = rewriter.emit(relax.op.multiply(data, make_constant(affine.scale.astype(dtype))))
    result = rewriter.emit(relax.op.add(scaled, make_constant(affine.shift.astype(dtype))))
    rewriter.normalized[result] = data, affine
    return result


def part_of_normalization(rewriter: Simplifier, call: relax.Call) -> relax.Expr | None:
    """A scale or shift of a batch normalization's result as part of that: its own constants are rounded at
    compile time, in no order that the standard knows."""
    known, then = rewriter.normalized.get(call.args[0]), affine_of(call)
    both = None if known is None or then is None else then.joined(known[1])
    if known is None or both is None or both.shape != known[1].shape:
        return None
    return _normalized(rewriter, known[0], both)


def _prelu(rewriter: Rewriter, call: relax.Call) -> relax.Expr | None:
    """Make a leaky ReLU of one with the same constant slope for all channels."""
    slope = constant(call.args[1])
    if slope is None or not slope.size or np.any(slope != slope.flat[0]):
        return None
    return relax.op.nn.leakyrelu(call.args[0], float(slope.flat[0]))


def _softmax(call: relax.Call, shape: Shape, target: CompileTarget) -> Kernel | None:
    if dtype_of(call.args[0]) != FLOAT:
        return None
    return Kernel("softmax", softmax(shape, target, axis=int(call.attrs.axis)), call.args)


def _log_softmax(call: relax.Call, shape: Shape, target: CompileTarget) -> Kernel | None:
    if dtype_of(call.args[0]) != FLOAT:
        return None
    axis = int(call.attrs.axis) % len(shape)
    function = log_softmax(shape, axis, target)
    return None if function is None else Kernel("log_softmax", function, call.args)


# ---- by a row's own statistics


def _axes_and_epsilon(call: relax.Call) -> tuple[list[int], float]:
    return [int(axis) for axis in call.attrs.axes], float(call.attrs.epsilon)


def _groups(call: relax.Call) -> tuple[int, int]:
    """The number of groups and the axis of channels. An instance's groups are its channels."""
    channel = int(call.attrs.channel_axis)
    grouped = operator_name(call) == "relax.nn.group_norm"
    return int(call.attrs.num_groups) if grouped else extents_of(call.args[0])[channel], channel


def _layer_norm(call: relax.Call, shape: Shape, target: CompileTarget) -> Kernel | None:
    """Normalize over the last axes: LayerNorm, and where rows are not centered RMSNorm."""
    axes, rank = sorted(int(axis) % len(shape) for axis in call.attrs.axes), len(shape)
    if axes != list(range(rank - len(axes), rank)):
        return None
    centered = operator_name(call) == "relax.nn.layer_norm"
    return _of_rows(call, shape, math.prod(shape[axes[0] :]), target, centered=centered)


def _group_norm(call: relax.Call, shape: Shape, target: CompileTarget) -> Kernel | None:
    """Normalize over all axes but the batch and the channels, which are first or last of them. In NCHW a
    group's channels lie side by side; an instance's groups are its channels."""
    rank, name = len(shape), operator_name(call).rpartition(".")[2]
    axis = int(call.attrs.channel_axis) % rank
    if sorted({int(over) % rank for over in call.attrs.axes} | {axis}) != list(range(1, rank)):
        return None
    groups, _ = _groups(call)
    channels = shape[axis] // groups
    if axis == 1:
        row = channels * math.prod(shape[2:])
        return _of_rows(call, shape, row, target, channels=channels, groups=groups)
    found = _parameters(call) if axis == rank - 1 else None
    if found is None:
        return None
    what = GroupNormalization(
        shape, groups, float(call.attrs.epsilon), scaled="scale" in found, shifted="shift" in found
    )
    return Kernel(name, normalize_groups(what, target, name), [call.args[0], *found.values()])


def _of_rows(call: relax.Call, shape: Shape, row: int, target: CompileTarget, **more: Any) -> Kernel | None:
    """The kernel that normalizes rows."""
    given = _parameters(call)
    if given is None:
        return None
    shapes = {name: shape_of(expr) for name, expr in given.items()}
    epsilon = float(call.attrs.epsilon)
    what = RowNormalization(shape, row, epsilon, shapes.get("scale"), shapes.get("shift"), **more)
    name = operator_name(call).rpartition(".")[2]
    return Kernel(name, normalize_rows(what, target, name), [call.args[0], *given.values()])


def _parameters(call: relax.Call) -> dict[str, relax.Expr] | None:
    """The scale and the shift, but those that change nothing; None where not all are floats."""
    _, scale, *shift = call.args
    if any(dtype_of(argument) != FLOAT for argument in call.args):
        return None
    given: dict[str, relax.Expr] = {}
    if getattr(call.attrs, "scale", True) and not is_filled(scale, 1.0):
        given["scale"] = scale
    if shift and call.attrs.center and not is_filled(shift[0], 0.0):
        given["shift"] = shift[0]
    return given


def l2_norm(rewriter: Rewriter, data: relax.Expr, axis: int, epsilon: float) -> relax.Call:
    """``data / max(|data|, epsilon)``, the lengths being those along ``axis``."""

    def body(emit: Emit, params: Sequence[relax.Var]) -> relax.Expr:
        (x,) = params
        total = emit(relax.op.sum(emit(relax.op.multiply(x, x)), [axis], keepdims=True))
        length = emit(relax.op.maximum(emit(relax.op.sqrt(total)), relax.const(epsilon, FLOAT)))
        return relax.op.divide(x, length)

    return make_composite(rewriter, L2_NORM, [data], body, {"axis": axis, "epsilon": epsilon})


def _l2_norm(found: Composite, shape: Shape, target: CompileTarget) -> Kernel | None:
    axis, epsilon = int(found.attributes["axis"]), float(found.attributes["epsilon"])
    return Kernel("l2_norm", l2_norm_kernel(shape, axis, epsilon, target), found.arguments)


# ---- local response normalization


def lrn(
    rewriter: Rewriter, data: relax.Expr, size: int, alpha: float, beta: float, bias: float, axis: int
) -> relax.Call:
    """Local response normalization across the channels of a 4-D tensor, which are at ``axis`` (1 or 3).

    ``data / (bias + alpha * mean(data^2 over size channels))^beta``, as ONNX defines it.
    """
    window = [size, 1, 1] if axis == 1 else [1, 1, size]
    half = [extent // 2 for extent in window]

    def body(emit: Emit, params: Sequence[relax.Var]) -> relax.Expr:
        (x,) = params
        shape = shape_of(x)
        assert shape is not None
        squares = emit(relax.op.expand_dims(emit(relax.op.multiply(x, x)), 1))
        mean = emit(relax.op.nn.avg_pool3d(squares, window, padding=[*half, *half], count_include_pad=True))
        scaled = emit(relax.op.multiply(emit(relax.op.reshape(mean, shape)), relax.const(alpha, FLOAT)))
        base = emit(relax.op.add(scaled, relax.const(bias, FLOAT)))
        return relax.op.divide(x, emit(relax.op.power(base, relax.const(beta, FLOAT))))

    attributes = {"size": size, "alpha": alpha, "beta": beta, "bias": bias, "axis": axis}
    return make_composite(rewriter, LRN, [data], body, attributes)


def normalization_of(rewriter: Rewriter, call: relax.Call) -> relax.Expr | None:
    """A division that is ``x / (bias + alpha * avg_pool3d(x * x))^beta``, channels being the pooled depth."""
    data, shape = call.args[0], shape_of(call.args[0])
    found = rewriter.produced_chain(
        call.args[1],
        *("relax.power", ADD, MULTIPLY),
        *("relax.reshape", "relax.nn.avg_pool3d", "relax.reshape", MULTIPLY),
    )
    if found is None or shape is None or len(shape) != 4:
        return None
    power, base, scaled, _, pool, _, square = found
    alpha, bias, beta = scalar(scaled.args[1]), scalar(base.args[1]), scalar(power.args[1])
    attrs = pool.attrs
    size = int(attrs.pool_size[0])
    plain = (
        all(operand == data for operand in square.args)
        and [int(v) for v in attrs.pool_size] == [size, 1, 1]
        and size % 2 == 1
        and [int(v) for v in attrs.padding] == [size // 2, 0, 0, size // 2, 0, 0]
        and all(int(v) == 1 for v in (*attrs.strides, *attrs.dilation))
        and attrs.count_include_pad
        and attrs.layout == "NCDHW"
        and shape_of(pool.args[0]) == (shape[0], 1, *shape[1:])
    )
    if not plain or alpha is None or bias is None or beta is None:
        return None
    return lrn(rewriter, data, size, alpha, beta, bias, axis=1)


def _lrn_again(
    rewriter: Rewriter, data: Sequence[relax.Expr], attributes: Mapping[str, Any], axis: int
) -> relax.Call:
    alpha, beta, bias = (float(attributes[name]) for name in ("alpha", "beta", "bias"))
    return lrn(rewriter, data[0], int(attributes["size"]), alpha, beta, bias, axis)


def _lrn(found: Composite, shape: Shape, target: CompileTarget) -> Kernel | None:
    attributes = found.attributes
    if int(attributes["axis"]) != 3:
        return None
    source, result = None, None
    if found.name == QLRN:
        (source,), result = quantized_types(found)
    alpha, beta, bias = (float(attributes[name]) for name in ("alpha", "beta", "bias"))
    size = int(attributes["size"])
    function = lrn_kernel(
        shape, size, target, alpha=alpha, beta=beta, bias=bias, source=source, result=result
    )
    return Kernel(composite_name(found), function, found.arguments)


ALONG_AXIS = Moves(axis="axis")
SOFTMAX = Moves(axis="axis", last=True)
OPERATORS = (
    Operator("relax.nn.batch_norm", simplify=_batch_norm),
    Operator("relax.nn.softmax", layout=SOFTMAX, kernel=_softmax),
    Operator(
        "relax.nn.log_softmax",
        layout=ALONG_AXIS,
        kernel=_log_softmax,
        legalize=defined(stable_definitions.log_softmax, "log_softmax", lambda call: [int(call.attrs.axis)]),
    ),
    Operator("relax.nn.prelu", layout=ALONG_AXIS, simplify=_prelu),
    Operator(
        "relax.nn.layer_norm",
        layout=Normalizes(),
        kernel=_layer_norm,
        legalize=defined(stable_definitions.layer_norm, "layer_norm", _axes_and_epsilon),
    ),
    Operator("relax.nn.rms_norm", kernel=_layer_norm),
    *(
        Operator(
            f"relax.nn.{name}",
            layout=Normalizes(channels="channel_axis"),
            kernel=_group_norm,
            legalize=defined(
                stable_definitions.group_norm, name, lambda call: (*_groups(call), *_axes_and_epsilon(call))
            ),
        )
        for name in ("group_norm", "instance_norm")
    ),
)
COMPOSITES = (
    CompositeOperator(L2_NORM, kernel=_l2_norm),
    CompositeOperator(LRN, kernel=_lrn, rebuild=_lrn_again, wants_nhwc=True),
    CompositeOperator(QLRN, kernel=_lrn),
)
