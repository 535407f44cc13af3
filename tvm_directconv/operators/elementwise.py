"""Element-wise operators: any function of its inputs, n-ary sums and products.

The function is given as a Python callable from vector expressions to a vector expression, so activations
compose freely (``expressions`` has those that need more than arithmetic).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from intrinsics.epilogue import Step
from tvm_directconv.errors import WorkloadError
from tvm_directconv.problem.element_types import element_bytes
from tvm_directconv.problem.extents import is_open
from tvm_directconv.problem.steps import te_steps

from .builder import Expr, build_operator, load, store

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

VECTORS = 4
"""The innermost loop takes this many vectors at a time."""


def elementwise(
    function: Callable[..., Expr],
    shape: tuple[int, ...],
    inputs: int,
    target: CompileTarget,
    *,
    work_factor: float = 1.0,
    dtypes: Sequence[str] | None = None,
    name: str = "elementwise",
) -> tirx.PrimFunc:
    """PrimFunc (input 0, ..., input n-1, output), all of ``shape``: ``output = function(*inputs)``.

    ``function`` takes ``inputs`` vector expressions and returns one; TIR arithmetic, ``T.max``, ``T.min``,
    ``T.Select`` with vector arms and the functions of ``expressions`` stay vector code. ``dtypes`` are those
    of inputs and output, float32 if not given; vectors have the lanes of the narrowest.
    ``work_factor`` is the time of one element relative to copying it; it only steers the decision to run
    in parallel.
    """
    if inputs < 1:
        raise WorkloadError(f"{name}: an element-wise operator needs at least one input, got {inputs}")
    names = [*(f"input{i}" for i in range(inputs)), "output"]
    types = dict(zip(names, dtypes or ["float32"] * len(names), strict=True))
    with build_operator(name, target, min(types.values(), key=element_bytes)) as operator:
        *data, output = operator.arguments(dict.fromkeys(names, shape), types)
        total = math.prod(shape)
        traffic = sum(map(element_bytes, types.values())) * total * work_factor

        def emit(start: Expr, width: int) -> None:
            values = [T.Bind(load(buffer, start, width)) for buffer in data]
            store(output, start, width, function(*values))

        size = VECTORS * operator.lanes
        if is_open([total]) or total >= size:
            with operator.outer_loop(total // size, traffic) as block:
                for offset, width in operator.spans(size):
                    emit(block * size + offset, width)
        if is_open([total]):
            done = total // size * size

            def left(start: Expr, vectors: list[tuple[int, int]]) -> None:
                for offset, width in vectors:
                    emit(done + start + offset, width)

            operator.blocks(total % size, 1, left)
        elif total % size:
            for start, width in operator.spans(total, total // size * size):
                emit(start, width)
    return operator.prim_func


def add(
    shape: tuple[int, ...], inputs: int, target: CompileTarget, *, steps: Sequence[Step] = ()
) -> tirx.PrimFunc:
    """PrimFunc (inputs..., output), all of ``shape``: ``steps(sum of inputs)``."""

    def function(*values: Expr) -> Expr:
        return te_steps(steps, functools.reduce(lambda a, b: a + b, values))

    return elementwise(function, shape, inputs, target, name="add")


def multiply(
    shape: tuple[int, ...], inputs: int, target: CompileTarget, *, steps: Sequence[Step] = ()
) -> tirx.PrimFunc:
    """PrimFunc (inputs..., output), all of ``shape``: ``steps(product of inputs)``."""

    def function(*values: Expr) -> Expr:
        return te_steps(steps, functools.reduce(lambda a, b: a * b, values))

    return elementwise(function, shape, inputs, target, name="multiply")
