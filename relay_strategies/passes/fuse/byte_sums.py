"""Operators behind an 8-bit layer's quantization that are part of it: extremes, and a residual's addition.

Networks add two quantized tensors as real numbers, and quantize the sum. A layer that made one of them adds
the other before it stores: its result is rounded to bytes first, as it would have been.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from tvm import relax

from intrinsics.epilogue import Clip, Step, joined
from relay_strategies.passes.rewrite.activations import Activations
from relay_strategies.relax import composite
from relay_strategies.relax.arithmetic_calls import added_to
from relay_strategies.relax.epilogue_steps import apply_steps, extreme_of
from relay_strategies.relax.graph import Graph, dtype_of, shape_of
from relay_strategies.relax.quantize_calls import (
    DEQUANTIZE,
    Parameters,
    parameters_of,
    quantized_to_bytes,
    single_parameters,
)


@dataclass(frozen=True)
class Added:
    """An 8-bit tensor that is added to a layer's result, and what becomes of the sum."""

    term: relax.Expr
    of_term: Parameters
    steps: tuple[Step, ...]
    out: Parameters
    passed: list[relax.Var]
    """Variables that only the layer uses; the last is the result."""

    @property
    def attributes(self) -> dict[str, Any]:
        """The attributes of a composite that adds it."""
        return {
            "added_scale": float(np.float32(self.of_term.scale[0])),
            "added_zero": int(self.of_term.zero_point[0]),
            "sum_scale": float(np.float32(self.out.scale[0])),
            "sum_zero": int(self.out.zero_point[0]),
            "sum_steps": [str(step) for step in self.steps],
        }

    def body(self, emit: composite.Emit, real: relax.Expr, term: relax.Expr, dtype: str) -> relax.Expr:
        """The sum, as bytes, of a layer's result as real numbers and the tensor."""
        total = emit(relax.op.add(real, emit(self.of_term.dequantize(term))))
        return self.out.quantize(apply_steps(emit, self.steps, total), dtype)


def added_after(
    graph: Graph,
    activations: Activations,
    var: relax.Var,
    of_var: Parameters,
    is_claimed: Callable[[relax.Var], bool],
) -> Added | None:
    """Return what is added to a layer's bytes ``var``, with scales that are known, and quantized to bytes of
    the same type again; None where they are used otherwise, too."""
    real = graph.only_consumer(var)
    if real is None or not _is_of(graph.call(real, DEQUANTIZE), of_var):
        return None
    total = graph.only_consumer(real)
    term = None if total is None else added_to(graph.definition[total], real)
    if total is None or term is None:
        return None
    other = graph.call(term, DEQUANTIZE)
    of_term = None if other is None else single_parameters(other)
    if (
        other is None
        or of_term is None
        or not of_term.keeps_order
        or dtype_of(other.args[0]) != dtype_of(var)
    ):
        return None
    if not shape_of(var) == shape_of(other.args[0]) == shape_of(total):
        return None
    passed, steps = [real, total], list[Step]()
    while (following := graph.only_consumer(passed[-1])) is not None:
        value = graph.definition[following]
        out = quantized_to_bytes(value)
        if out is not None and str(value.attrs.out_dtype) == dtype_of(var):
            extremes, clips = extremes_after(graph, following, out)
            passed += [following, *extremes]
            if any(map(is_claimed, passed)) or not out.keeps_order:
                return None
            return Added(other.args[0], of_term, joined([*steps, *clips]), out, passed)
        found = activations.after(passed[-1])
        if found is None:
            return None
        steps += found.steps
        passed += found.variables
    return None


def _is_of(call: relax.Call | None, parameters: Parameters) -> bool:
    """Whether a call dequantizes by these parameters."""
    known = None if call is None else parameters_of(call)
    return known is not None and known.equals(parameters)


def extremes_after(graph: Graph, var: relax.Var, out: Parameters) -> tuple[list[relax.Var], list[Step]]:
    """The extremes of quantized numbers that are all that ``var`` is used for: their variables, and the clips
    before the rounding that they are as well, which does not move whole units."""
    taken, clips = [], list[Step]()
    zero, scale, shape = float(out.zero_point[0]), float(out.scale[0]), shape_of(var)
    while (following := graph.only_consumer(var)) is not None:
        found = extreme_of(graph.definition[following])
        if found is None or found[0] != var or shape_of(following) != shape:
            break
        clips.append(Clip(*((bound - zero) * scale for bound in found[1].constants)))
        taken.append(following)
        var = following
    return taken, clips
