"""The end of every convolution, once: as the last stage of its TE definition, and as operands of kernel
calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tvm import te, tirx

from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.problem.quantized_types import RANGES
from tvm_directconv.problem.steps import te_steps
from tvm_directconv.problem.workload import Conv2dWorkload, nhwc

from .lowering import FOLDED

Sums = Callable[[tirx.Expr, tirx.Expr, tirx.Expr, tirx.Expr], tirx.Expr]
"""The sum of output pixel (n, y, x), channel oc."""


def finished(
    workload: Conv2dWorkload, data: te.Tensor, packed: te.Tensor | None, sums: Sums
) -> tirx.PrimFunc:
    """The function (data, packed[, bias][, residual], output) whose last stage finishes ``sums``; with packed
    None, ``data`` are all that the sums are made of."""
    e, kind = workload.epilogue, workload.out_dtype
    bias = te.placeholder(workload.bias_shape, FLOAT32, name="bias")
    residual = te.placeholder(workload.output_shape, kind, name="residual")

    def element(*at: tirx.Var) -> tirx.Expr:
        n, y, x, oc = nhwc(workload.out_layout, *at)
        if workload.storage.out_part is not None:
            oc = oc - workload.storage.out_part[0]
        value = sums(n, y, x, oc)
        value = value + bias[oc] if e.bias else value
        added = cast(residual(*at), kind, FLOAT32) if e.residual else None
        value = te_steps(e.steps, value, FLOAT32, added, lambda elements: bias[oc + elements])
        value = cast(value, FLOAT32, kind)
        if workload.storage.out_part is None:
            return value
        inside = tirx.all(oc >= 0, oc < workload.out_channels)
        return tirx.if_then_else(inside, value, tirx.const(0.0, kind))  # left as it is

    output = te.compute(workload.stored_output_shape, element, name="epilogue", attrs=FOLDED)
    extra = [t for t, used in ((bias, e.bias), (residual, e.residual)) if used]
    return te.create_prim_func([data, *([] if packed is None else [packed]), *extra, output])


def requantized(
    workload: Conv2dWorkload, data: te.Tensor, packed: te.Tensor | None, table: te.Tensor, sums: Sums
) -> tirx.PrimFunc:
    """The function (data, packed, bias table[, scale or residual], output) whose last stage stores int32
    ``sums``, to which the table has been added, as the quantized workload says; packed may be None as it is
    of ``finished``."""
    q, e = workload.quantized, workload.epilogue
    assert q is not None
    scale = te.placeholder((workload.out_channels,), FLOAT32, name="scale")
    residual = te.placeholder(workload.output_shape, workload.out_dtype, name="residual")

    def element(*at: tirx.Var) -> tirx.Expr:
        n, y, x, oc = nhwc(workload.out_layout, *at)
        total = sums(n, y, x, oc)
        if q.out_dtype == "int32":
            return total
        if e.residual:
            factor = tirx.reinterpret(FLOAT32, table[0, workload.out_channels + oc])
            added = tirx.Cast(FLOAT32, residual(*at))
        else:
            factor, added = scale[oc], None
        value = te_steps(e.steps, tirx.Cast(FLOAT32, total) * factor, FLOAT32, added)
        if q.out_dtype == "float32":
            return value
        low, high = (tirx.const(float(bound), "float32") for bound in RANGES[q.out_dtype])
        rounded = tirx.nearbyint(value) + tirx.const(float(q.out_zero), "float32")
        return tirx.Cast(q.out_dtype, tirx.max(tirx.min(rounded, high), low))

    output = te.compute(workload.output_shape, element, name="epilogue", attrs=FOLDED)
    extra = [residual] if e.residual else [] if q.out_dtype == "int32" else [scale]
    return te.create_prim_func([data, *([] if packed is None else [packed]), table, *extra, output])


def cast(value: tirx.Expr, dtype: str, to: str) -> tirx.Expr:
    """``value`` of type ``dtype`` as one of type ``to``: as it is where these are the same."""
    return value if dtype == to else tirx.Cast(to, value)


class Operands(NamedTuple):
    """The buffers of a convolution's function by role; None for those it has not."""

    data: tirx.Buffer
    packed: tirx.Buffer
    bias: tirx.Buffer | None
    last: tirx.Buffer | None
    """The residual; of quantized workloads without one the scale."""
    output: tirx.Buffer

    @staticmethod
    def of(workload: Conv2dWorkload, func: tirx.PrimFunc) -> Operands:
        data, packed, *extra, output = func.params
        has_bias = workload.quantized is not None or workload.epilogue.bias
        bias = extra.pop(0) if has_bias else None
        return Operands(data, packed, bias, extra[0] if extra else None, output)


Place = tuple[tirx.Buffer, tirx.Expr]
"""A buffer, and an offset in it in elements."""


def kernel_call(
    name: str,
    operands: Operands,
    c: tirx.Expr,
    a: Place,
    b: Place,
    extra: Sequence[tirx.Expr],
    taps: tirx.Expr | int = 1,
    ahead: tirx.Expr | None = None,
    step: tirx.Expr | None = None,
    line: tirx.Expr | None = None,
) -> tirx.Stmt:
    """The call of a micro-kernel that stores at ``c`` in the output; ``extra`` are the offsets of its fourth
    and fifth operand, the bias, and the residual or scale, and ``ahead`` of what it fetches of the filter,
    if it does. ``step`` and ``line`` are the distances that the kernel leaves open, in elements: of A from a
    filter row to the next, and of C from a line of the tile to the next."""

    def pointer(buffer: tirx.Buffer, offset: tirx.Expr, mask: str = "r") -> tirx.Expr:
        # How much is behind it matters of buffers that TVM allocates. Of others' open extents it is a long
        # expression that TVM simplifies at every call.
        alike = [operand for operand in operands if operand is not None and type(operand) is type(buffer)]
        given = any(operand.same_as(buffer) for operand in alike)
        if given and not all(isinstance(extent, tirx.IntImm) for extent in buffer.shape):
            return buffer.access_ptr(mask, offset=offset, extent=1)
        return buffer.access_ptr(mask, offset=offset)

    pointers = [pointer(operands.output, c, "w"), pointer(*a), pointer(*b)]
    for buffer, offset in zip((operands.bias, operands.last), extra, strict=True):
        # An operand the epilogue lacks is never read; any pointer will do.
        pointers.append(pointers[0] if buffer is None else pointer(buffer, offset))
    visited = tirx.IntImm("int64", taps) if isinstance(taps, int) else tirx.Cast("int64", taps)
    distances = [tirx.Cast("int64", distance) for distance in (step, line) if distance is not None]
    fetched = [] if ahead is None else [operands.packed.access_ptr("r", offset=ahead)]
    return tirx.Evaluate(tirx.call_extern("int32", name, *pointers, visited, *distances, *fetched))
