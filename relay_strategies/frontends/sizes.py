"""How large one tensor of a network may be: a model of a few bytes can ask for more than any memory has."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import tvm_ffi
from tvm import relax

from relay_strategies.relax.graph import bindings, operator_name, shape_of
from tvm_directconv.errors import ModelError
from tvm_directconv.problem.extents import typical

MAX_TENSOR_BYTES = 2 << 30


def refuse_size(shape: Sequence[int], element_bytes: int, what: str, most: int | None) -> None:
    """Raise ModelError where ``what`` has a negative dimension or is larger than ``most`` bytes, for None
    MAX_TENSOR_BYTES. Open dimensions count as typical."""
    shape = typical(tuple(shape))
    if any(size < 0 for size in shape):
        raise ModelError(f"{what} has shape {tuple(shape)}")
    limit = MAX_TENSOR_BYTES if most is None else most
    needed = math.prod(shape) * element_bytes
    if needed > limit:
        raise ModelError(
            f"{what} of shape {tuple(shape)} takes {needed} bytes, more than the {limit} that a tensor may "
            "have; max_tensor_bytes= allows more"
        )


def refuse_sizes(functions: Iterable[relax.Function], most: int | None) -> None:
    """Raise ModelError for the first tensor of Relax functions that is larger than ``most`` bytes."""

    def look(var: relax.Var, value: relax.Expr) -> None:
        shape = shape_of(var)
        if shape is not None and var.ty.dtype:
            what = operator_name(value) or "a result"
            refuse_size(shape, tvm_ffi.dtype(str(var.ty.dtype)).itemsize, f"'{what}'", most)

    def look_at(body: relax.SeqExpr) -> None:
        for binding in bindings(body):
            look(binding.var, binding.value if isinstance(binding, relax.VarBinding) else binding.var)
            if isinstance(binding, relax.VarBinding) and isinstance(binding.value, relax.If):
                look_at(binding.value.true_branch)
                look_at(binding.value.false_branch)

    for function in functions:
        for param in function.params:
            look(param, param)
        look_at(function.body)
