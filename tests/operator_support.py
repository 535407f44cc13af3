"""What the operator tests share: guarded runs of one kernel, drawn arrays, ONNX Runtime on one operator.

Every array a kernel sees lies between guard zones: NaN around float inputs, so that a read outside shows in
the result, and a pattern around the output, so that a write outside is seen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import tvm
from hypothesis import strategies as st
from onnx import helper
from reference import run_onnx_runtime
from support import ISA_TARGETS, Compiled
from tvm import tirx

from intrinsics.isa import best_isa
from tvm_directconv.targets.target import CompileTarget, resolve_target

ALIGNMENT = 64
"""Bytes TVM aligns tensors to."""
GUARD = 256
"""Elements on each side of an array."""
CANARIES = {"float32": -1234.5, "uint8": 91, "int8": -91, "int64": -91}
INPUT_GUARDS = {"float32": np.nan, "uint8": 213, "int8": -113, "int32": 10**9}
CHANNELS = st.sampled_from([1, 2, 3, 4, 7, 8, 13, 16, 17, 31, 32, 37, 64, 96, 131])
SIZES = st.integers(1, 9)

OF_THE_HOST = best_isa(resolve_target("llvm -mcpu=native")).name

isas = pytest.mark.parametrize(
    "isa",
    [pytest.param(isa, marks=[] if isa == OF_THE_HOST else pytest.mark.slow) for isa in ISA_TARGETS],
)
"""Operators, which LLVM makes of loops, by each instruction set; in the quick part by the host's best."""


def compile_kernel(func: tirx.PrimFunc, target: CompileTarget) -> Compiled:
    """``func`` alone, callable as ``kernel``."""
    return Compiled({"kernel": func}, target)


def run(
    func: tirx.PrimFunc,
    inputs: Sequence[np.ndarray],
    shape: Sequence[int],
    target: CompileTarget,
    what: object,
    dtype: str = "float32",
) -> np.ndarray:
    """Compiles and calls ``func`` on guarded arrays; fails if it wrote outside its output of ``dtype``."""
    executable = compile_kernel(func, target)
    arrays = [guarded(array.shape, array.dtype, INPUT_GUARDS[str(array.dtype)]) for array in inputs]
    for (_, inside), array in zip(arrays, inputs, strict=True):
        inside[...] = array
    canary = CANARIES[dtype]
    around, output = guarded(tuple(shape), np.dtype(dtype), canary)
    executable["kernel"](
        *(tvm.runtime.from_dlpack(inside) for _, inside in arrays), tvm.runtime.from_dlpack(output)
    )
    result = output.copy()
    output[...] = canary
    assert (around == canary).all(), f"{what}: wrote outside its output"
    return result


def guarded(shape: tuple[int, ...], dtype: np.dtype, guard: float) -> tuple[np.ndarray, np.ndarray]:
    """(the whole allocation, the aligned array of ``shape`` within), all filled with ``guard``."""
    size = math.prod(shape)
    raw = np.empty(size + 2 * GUARD + ALIGNMENT, dtype)
    first = -raw.ctypes.data % ALIGNMENT // raw.itemsize
    whole = raw[first : first + size + 2 * GUARD]
    whole[...] = guard
    return whole, whole[GUARD : GUARD + size].reshape(shape)


def draw(*shape: int, seed: int = 0, scale: float = 1.0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, np.float32) * np.float32(scale)


def onnx_runtime(
    operator: str, inputs: Sequence[np.ndarray], opset: int = 22, **attributes: Any
) -> np.ndarray:
    names = [f"x{i}" for i in range(len(inputs))]
    graph = helper.make_graph(
        [helper.make_node(operator, names, ["y"], **attributes)],
        "one_operator",
        [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
            for n, x in zip(names, inputs, strict=True)
        ],
        [helper.make_empty_tensor_value_info("y")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    return run_onnx_runtime(model, dict(zip(names, inputs, strict=True)))[0]
