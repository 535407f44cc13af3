"""Operators of several tensors that broadcast against each other, and the composites of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from tvm import relax, te, topi
from tvm.target import Target

from relay_strategies.relax.calls import replaced
from relay_strategies.relax.composite import AFFINE, QADD, QAFFINE, QMUL, Composite
from relay_strategies.relax.epilogue_steps import steps_of
from relay_strategies.relax.graph import (
    Rewriter,
    constant,
    dtype_of,
    make_constant,
    operator_name,
    scalar,
    shape_of,
)
from relay_strategies.relax.scales import LARGEST_SHIFT
from tvm_directconv.operators.concat import concat_affine
from tvm_directconv.operators.definitions import difference, remainder
from tvm_directconv.operators.quantized_elementwise import quantized_add, quantized_affine, quantized_multiply
from tvm_directconv.targets.target import CompileTarget

from . import linear
from .bytes import composite_name, quantized_types
from .clips import simplified_clip
from .layouts import Broadcasting
from .normalization import normalization_of, part_of_normalization
from .operator import CompositeOperator, Kernel, Legalize, Operator, Shape, Simplifier, Simplify, on_arrays


def _scales(rule: Simplify) -> Simplify:
    """``rule``, and then what follows a normalization as part of it."""

    def simplified(rewriter: Simplifier, call: relax.Call) -> relax.Expr | None:
        result = rule(rewriter, call)
        made = call if result is None else rewriter.builder.normalize(result)
        part = part_of_normalization(rewriter, made) if isinstance(made, relax.Call) else None
        return result if part is None else part

    return simplified


def _broadcasting(name: str, function: Callable[..., np.ndarray] | None = None, **more: Any) -> Operator:
    """An entry; ``function`` is the operator on arrays, for constants."""
    evaluate = None if function is None else on_arrays(function)
    values = {"evaluate": evaluate} | more | {"simplify": _narrowed(more.get("simplify"))}
    return Operator(f"relax.{name}", layout=Broadcasting(), **values)


def _narrowed(rule: Simplify | None) -> Simplify:
    """``rule`` after operands that were broadcast for the operator are taken as they were: it does that
    itself."""

    def simplified(rewriter: Simplifier, call: relax.Call) -> relax.Expr | None:
        wide = [rewriter.produced(argument, "relax.broadcast_to") for argument in call.args]
        narrow = replaced(call, [a if w is None else w.args[0] for a, w in zip(call.args, wide, strict=True)])
        narrow = rewriter.builder.normalize(narrow)
        same = any(w is not None for w in wide) and shape_of(narrow) == shape_of(call)
        call = narrow if same else call
        result = None if rule is None else rule(rewriter, call)
        return call if result is None and same else result

    return simplified


# ---- simplification: the constant comes second; subtraction is addition, and division by what has an exact
# reciprocal multiplication


def _add(rewriter: Rewriter, call: relax.Call) -> relax.Expr | None:
    first, second = call.args
    if constant(first) is not None:
        return relax.op.add(second, first)
    value = constant(second)
    large = value is not None and value.ndim and value.size and abs(value.flat[0]) > LARGEST_SHIFT
    if not large or value is None or np.any(value != value.flat[0]) or shape_of(first) != shape_of(call):
        return None
    # As a number, which the kernel's code shows, it is not joined with a product before it.
    return relax.op.add(first, make_constant(value.flat[0].reshape(())))


def _multiply(rewriter: Rewriter, call: relax.Call) -> relax.Expr | None:
    first, second = call.args
    return relax.op.multiply(second, first) if constant(first) is not None else None


def _subtract(rewriter: Rewriter, call: relax.Call) -> relax.Expr | None:
    value = constant(call.args[1])
    return None if value is None else relax.op.add(call.args[0], make_constant(-value))


def _divide(rewriter: Rewriter, call: relax.Call) -> relax.Expr | None:
    value = constant(call.args[1])
    if value is None:
        return normalization_of(rewriter, call)
    inverse = _reciprocal(value)
    return None if inverse is None else relax.op.multiply(call.args[0], make_constant(inverse))


def _reciprocal(value: np.ndarray) -> np.ndarray | None:
    """Return the reciprocals of ``value`` if products with them equal the quotients bit for bit, else None.

    Zeros, infinities and those powers of two whose reciprocals are normal numbers have such reciprocals.
    """
    if not np.issubdtype(value.dtype, np.floating):
        return None
    with np.errstate(divide="ignore", over="ignore"):
        inverse = 1 / value
    smallest = np.finfo(value.dtype).tiny
    normal = (np.abs(np.frexp(value)[0]) == 0.5) & np.isfinite(inverse) & (np.abs(inverse) >= smallest)
    return inverse if np.all(normal | (value == 0) | np.isinf(value)) else None


def _power(rewriter: Rewriter, call: relax.Call) -> relax.Expr | None:
    """An exponent of a single number as one without dimensions: it is part of the kernel's code then, which
    needs no libm for most of them."""
    base, exponent = call.args
    value = constant(exponent)
    if value is None or value.size != 1 or not value.ndim or shape_of(base) != shape_of(call):
        return None
    return replaced(call, [base, make_constant(value.reshape(()))])


def _compare(rewriter: Rewriter, call: relax.Call) -> relax.Expr | None:
    """Truth values as the bytes 0 and 1: LLVM gets them from TVM as floats to compare, and refuses. A float
    is asked whether it is itself to find a NaN: TVM's simplifier says that it always is."""
    first, second = call.args
    if first == second and "float" in dtype_of(first):
        is_nan = relax.op.isnan(first)
        if operator_name(call) == "relax.not_equal":
            return is_nan
        if operator_name(call) == "relax.equal":
            return relax.op.logical_not(rewriter.emit(is_nan))
    if any(dtype_of(argument) != "bool" for argument in call.args):
        return None
    return replaced(call, [rewriter.emit(relax.op.astype(argument, "uint8")) for argument in call.args])


def _quotient(call: relax.Call, arrays: Sequence[np.ndarray]) -> np.ndarray:
    if np.issubdtype(arrays[0].dtype, np.floating):
        return np.divide(*arrays)
    raise NotImplementedError("integer division rounds differently in numpy")


# ---- definitions in TE: TVM's simplifier takes floats for real numbers in a few places, and is shown none


def _difference(builder: relax.BlockBuilder, call: relax.Call) -> relax.Expr:
    known = all(shape_of(argument) is not None for argument in call.args)
    if not known or "float" not in dtype_of(call):
        return builder.call_te(topi.subtract, *call.args)
    return builder.call_te(difference, *call.args, primfunc_name_hint="subtract")


def _remainder(builder: relax.BlockBuilder, call: relax.Call) -> relax.Expr:
    known = all(shape_of(argument) is not None for argument in call.args)
    target = Target.current(allow_none=True)
    if not known or dtype_of(call) != "float32" or target is None or target.kind.name != "llvm":
        return builder.call_te(topi.mod, *call.args)  # GPUs may lack float64
    return builder.call_te(remainder, *call.args, primfunc_name_hint="mod")


def _zeros(function: Callable[..., te.Tensor]) -> Legalize:
    """Write products and quotients as TVM does, but for operands that are zero: TVM's simplifier makes zeros
    of their products with NaN and infinity, and refuses to divide by them. ``function`` has zeros in tensors.
    """

    def legalize(builder: relax.BlockBuilder, call: relax.Call) -> relax.Expr:
        rule = call.op.get_attr("FLegalize")
        if "float" in dtype_of(call) and any(scalar(argument) == 0 for argument in call.args):
            return builder.call_te(function, *call.args)
        return rule(builder, call)

    return legalize


# ---- kernels


def _affine(found: Composite, shape: Shape, target: CompileTarget) -> Kernel | None:
    steps = steps_of(found.attributes)
    shapes = [shape_of(argument) or () for argument in found.arguments[:-2]]
    name = "concat_affine" if len(shapes) > 1 else "channel_affine"
    return Kernel(name, concat_affine(shapes, target, steps=steps), found.arguments)


def _quantized_add(found: Composite, shape: Shape, target: CompileTarget) -> Kernel | None:
    types = quantized_types(found)
    function = quantized_add(shape, *types, target, steps=steps_of(found.attributes))
    return Kernel(composite_name(found), function, found.arguments)


def _quantized_multiply(found: Composite, shape: Shape, target: CompileTarget) -> Kernel | None:
    other = shape_of(found.arguments[1]) or ()
    function = quantized_multiply(
        shape, other, *quantized_types(found), target, steps=steps_of(found.attributes)
    )
    return Kernel(composite_name(found), function, found.arguments)


def _quantized_affine(found: Composite, shape: Shape, target: CompileTarget) -> Kernel | None:
    (source,), result = quantized_types(found)
    function = quantized_affine(shape, source, result, target, steps=steps_of(found.attributes))
    return Kernel(composite_name(found), function, found.arguments)


OPERATORS = (
    _broadcasting("add", np.add, simplify=_scales(_add), linear=linear.add),
    _broadcasting("bitwise_and", np.bitwise_and),
    _broadcasting("bitwise_or", np.bitwise_or),
    _broadcasting("bitwise_xor", np.bitwise_xor),
    _broadcasting("divide", evaluate=_quotient, simplify=_scales(_divide), legalize=_zeros(topi.divide)),
    _broadcasting("equal", np.equal, simplify=_compare),
    _broadcasting("floor_divide"),
    _broadcasting("floor_mod"),
    _broadcasting("greater", np.greater, simplify=_compare),
    _broadcasting("greater_equal", np.greater_equal, simplify=_compare),
    _broadcasting("left_shift", np.left_shift),
    _broadcasting("less", np.less, simplify=_compare),
    _broadcasting("less_equal", np.less_equal, simplify=_compare),
    _broadcasting("logical_and", np.logical_and),
    _broadcasting("logical_or", np.logical_or),
    _broadcasting("logical_xor", np.logical_xor),
    _broadcasting("maximum", np.maximum, simplify=simplified_clip),
    _broadcasting("minimum", np.minimum, simplify=simplified_clip),
    _broadcasting("mod", legalize=_remainder),
    _broadcasting(
        "multiply",
        np.multiply,
        simplify=_scales(_multiply),
        legalize=_zeros(topi.multiply),
        linear=linear.multiply,
    ),
    _broadcasting("not_equal", np.not_equal, simplify=_compare),
    _broadcasting("power", np.power, simplify=_power),
    _broadcasting("right_shift", np.right_shift),
    _broadcasting(
        "subtract", np.subtract, simplify=_scales(_subtract), legalize=_difference, linear=linear.subtract
    ),
    _broadcasting("where", np.where),
)
COMPOSITES = (
    CompositeOperator(AFFINE, kernel=_affine),
    CompositeOperator(QADD, kernel=_quantized_add),
    CompositeOperator(QAFFINE, kernel=_quantized_affine),
    CompositeOperator(QMUL, kernel=_quantized_multiply),
)
