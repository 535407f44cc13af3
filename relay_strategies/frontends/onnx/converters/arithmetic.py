"""Arithmetic whose operands differ in type, or whose results are defined where a machine's are not."""

from __future__ import annotations

import math

import numpy as np
from onnx import helper
from tvm import relax

from relay_strategies.functional import activations
from relay_strategies.relax import functions
from relay_strategies.relax.graph import constant, dtype_of, shape_of
from tvm_directconv.operators import definitions

from .node import Converter, Node


def _pow(node: Node) -> relax.Expr:
    """The result is of the base's type; integers are computed in float64."""
    base, exponent = node.data(0), node.data(1)
    kind = dtype_of(base)
    if kind == dtype_of(exponent) and kind.startswith("float"):
        return node.by_tvm()
    computed = kind if kind.startswith("float") else "float64"
    operands = [node.emit(relax.op.astype(operand, computed)) for operand in (base, exponent)]
    return relax.op.astype(node.emit(relax.op.power(*operands)), kind)


def _mod(node: Node) -> relax.Expr:
    """A remainder of floats has the divisor's sign; by an infinite divisor it is the dividend."""
    data, divisor = node.data(0), node.data(1)
    kind = dtype_of(data)
    if node.attributes.get("fmod", 0) or not kind.startswith("float"):
        return node.by_tvm()
    zero = relax.const(0, kind)
    rest = node.emit(relax.op.mod(data, divisor))
    signs = [node.emit(relax.op.less(value, zero)) for value in (rest, divisor)]
    differ = node.emit(relax.op.logical_xor(*signs))
    other = node.emit(relax.op.logical_and(differ, node.emit(relax.op.not_equal(rest, zero))))
    return relax.op.where(other, node.emit(relax.op.add(rest, divisor)), rest)


def _clip(node: Node) -> relax.Expr:
    """The smaller of the upper bound and the larger of data and lower bound, in the data's shape: bounds are
    scalars, and some exporters' are of one element. A bound of NaN bounds nothing, as in ONNX Runtime."""
    result, kind = node.data(), dtype_of(node.data())
    bounds = ((1, "min", relax.op.maximum, -math.inf), (2, "max", relax.op.minimum, math.inf))
    for index, name, operator, unbounded in bounds:
        given = node.attributes.get(name)
        bound = node.input(index) if given is None else relax.const(given, kind)
        if bound is None:
            continue
        extents = (shape_of(bound) if given is None else None) or ()
        if math.prod(extents) != 1:
            raise node.error(f"its bound {name} is to be a scalar, not of shape {list(extents)}")
        known = constant(bound)
        if known is None:
            bound = node.emit(relax.op.reshape(bound, ()))
            if kind.startswith(("float", "bfloat")):
                missing = node.emit(relax.op.isnan(bound))
                bound = node.emit(relax.op.where(missing, relax.const(unbounded, kind), bound))
        elif np.isnan(known).all():
            continue
        else:
            bound = relax.const(known.reshape(()), kind)
        result = node.emit(operator(result, bound))
    return result


def _bit_shift(node: Node) -> relax.Expr:
    """A shift by as many bits as there are, or by fewer than none, leaves none of them but the sign."""
    data, amount = node.data(0), node.data(1)
    kind = dtype_of(data)
    direction = node.text("direction", "")
    if direction not in ("LEFT", "RIGHT"):
        raise node.error(f"direction '{direction}' is none of ONNX's")
    bits = np.iinfo(kind).bits
    inside = node.emit(relax.op.less(amount, relax.const(bits, kind)))
    if kind.startswith("int"):
        not_negative = node.emit(relax.op.greater_equal(amount, relax.const(0, kind)))
        inside = node.emit(relax.op.logical_and(inside, not_negative))
    kept = node.emit(relax.op.where(inside, amount, relax.const(bits - 1, kind)))
    if direction == "RIGHT" and kind.startswith("int"):
        return relax.op.right_shift(data, kept)
    shift = relax.op.left_shift if direction == "LEFT" else relax.op.right_shift
    return relax.op.where(inside, node.emit(shift(data, kept)), relax.const(0, kind))


def _is_inf(node: Node) -> relax.Expr:
    data = node.data()
    kinds = [
        sign * np.inf
        for name, sign in (("detect_positive", 1), ("detect_negative", -1))
        if node.attributes.get(name, 1)
    ]
    if not kinds:
        return relax.op.zeros(node.shape(), "bool")
    found = [node.emit(relax.op.equal(data, relax.const(kind, dtype_of(data)))) for kind in kinds]
    return found[0] if len(found) == 1 else relax.op.logical_or(*found)


def _selu(node: Node) -> relax.Expr:
    alpha = float(node.attributes.get("alpha", 1.67326319217681884765625))
    gamma = float(node.attributes.get("gamma", 1.05070102214813232421875))
    return functions.elu(node.emit, node.data(), alpha, gamma)


def _thresholded_relu(node: Node) -> relax.Expr:
    """The data where it is larger than alpha; 0 elsewhere, infinities and NaN included."""
    data, kind = node.data(), dtype_of(node.data())
    alpha = relax.const(node.attributes.get("alpha", 1.0), kind)
    return relax.op.where(node.emit(relax.op.greater(data, alpha)), data, relax.const(0, kind))


def _prelu(node: Node) -> relax.Expr:
    """Before opset 7 a slope of one axis is one per channel."""
    data, slope, rank = node.data(), node.data(1), len(node.shape())
    if node.opset < 7 and len(node.shape(1)) == 1:
        slope = node.emit(relax.op.reshape(slope, (-1, *[1] * (rank - 2))))
    return activations.prelu(node, data, slope)


def _sum(node: Node) -> relax.Expr:
    """Add one by one; TVM's converter stacks and reduces."""
    total, *rest = (node.data(index) for index in range(len(node.inputs)))
    for term in rest:
        total = node.emit(relax.op.add(total, term))
    return total


def _bit_cast(node: Node) -> relax.Expr:
    """The same bits as numbers of another type, of as many bits."""
    data, given = node.data(), dtype_of(node.data())
    kind = str(helper.tensor_dtype_to_np_dtype(int(node.attributes.get("to", 1))))
    if kind == given:
        return data
    if kind == "bool" or np.dtype(given).itemsize != np.dtype(kind).itemsize:
        raise node.refusal(f"elements of {given} as {kind} are not supported")
    if given == "bool":
        data = node.emit(relax.op.astype(data, "uint8"))
    return data if kind == dtype_of(data) else node.builder.call_te(definitions.reinterpreted, data, kind)


def _sign(node: Node) -> relax.Expr:
    """Convert unsigned integers here; TVM's Sign converter does not support them."""
    kind = dtype_of(node.data())
    if not kind.startswith("uint"):
        return node.by_tvm()
    return relax.op.minimum(node.data(), relax.const(1, kind))


CONVERTERS: dict[str, Converter] = {
    "BitCast": _bit_cast,
    "BitShift": _bit_shift,
    "Clip": _clip,
    "Elu": lambda node: functions.elu(node.emit, node.data(), float(node.attributes.get("alpha", 1.0))),
    "IsInf": _is_inf,
    "Mish": lambda node: functions.mish(node.data()),
    "Mod": _mod,
    "Pow": _pow,
    "PRelu": _prelu,
    "Selu": _selu,
    "Sign": _sign,
    "Softplus": lambda node: relax.op.nn.softplus(node.data()),
    "Sum": _sum,
    "ThresholdedRelu": _thresholded_relu,
}
