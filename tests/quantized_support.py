"""What tests of the passes on quantized networks share: small Relax modules, and what became of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tvm
from graph_support import run_by_plain_tvm
from tvm import relax

from relay_strategies import passes
from relay_strategies.relax.graph import COMPOSITE, dtype_of, operator_name

Emit = Callable[[relax.Expr], relax.Var]
Body = Callable[[Emit, Sequence[relax.Var]], relax.Expr]


def module_of(body: Body, *inputs: np.ndarray) -> tvm.IRModule:
    """A Relax module whose main is ``body`` of inputs like those given."""
    builder = relax.BlockBuilder()
    params = [relax.Var(f"x{i}", relax.TensorType(a.shape, str(a.dtype))) for i, a in enumerate(inputs)]
    with builder.function("main", params):
        with builder.dataflow():
            result = builder.emit_output(body(builder.emit, params))
        builder.emit_func_output(result)
    return builder.get()


def const(value: Any, dtype: str = "float32") -> relax.Expr:
    return relax.const(np.asarray(value, dtype))


def dequantize(data: relax.Expr, scale: Any = 0.05, zero: Any = 100, axis: int = 0) -> relax.Expr:
    return relax.op.dequantize(data, const(scale), const(zero, dtype_of(data)), axis=axis)


def quantize_to(data: relax.Expr, scale: float = 0.05, zero: int = 100, dtype: str = "uint8") -> relax.Expr:
    return relax.op.quantize(data, const(scale), const(zero, dtype), axis=0, out_dtype=dtype)


def integers(dtype: str, *shape: int, seed: int = 0) -> np.ndarray:
    limits = np.iinfo(dtype)
    return np.random.default_rng([seed, *shape]).integers(limits.min, limits.max + 1, shape).astype(dtype)


def applied(module: tvm.IRModule, *steps: tvm.transform.Pass) -> tvm.IRModule:
    for step in steps:
        module = step(module)
        relax.analysis.well_formed(module)
    return module


def assert_same(before: tvm.IRModule, after: tvm.IRModule, *inputs: np.ndarray) -> None:
    pairs = zip(run_by_plain_tvm(before, inputs), run_by_plain_tvm(after, inputs), strict=True)
    for wanted, got in pairs:
        assert len(np.unique(wanted)) > 3, "the values say nothing"
        np.testing.assert_array_equal(got, wanted)


def calls(module: tvm.IRModule, name: str) -> list[relax.Call]:
    bindings = [b for block in module["main"].body.blocks for b in block.bindings]
    return [b.value for b in bindings if operator_name(b.value) == f"relax.{name}"]


def composites(module: tvm.IRModule, name: str) -> list[tuple[relax.Call, dict[str, Any]]]:
    """The calls of a composite operator with its attributes."""
    found = []
    for block in module["main"].body.blocks:
        for binding in block.bindings:
            value = binding.value
            if isinstance(value, relax.Call) and isinstance(value.op, tvm.ir.GlobalVar):
                attributes = dict(module[value.op].attrs)
                if attributes.get(COMPOSITE) == name:
                    found.append((value, attributes))
    return found


def steps_through(last: tvm.transform.Pass) -> list[tvm.transform.Pass]:
    """The compiler's graph passes up to ``last``, which looks at no target."""
    steps = passes.graph_passes("llvm")
    names = [step.info.name for step in steps]
    return steps[: names.index(last.info.name) + 1]
