"""The instruction set that computes a workload, and how 8-bit filters are packed for it."""

from __future__ import annotations

import numpy as np

from intrinsics.isa import Isa, best_isa
from tvm_directconv.errors import InputError
from tvm_directconv.problem.element_types import FLOATS
from tvm_directconv.problem.quantized_types import RANGES, SHORT, TERMS, QuantizedTypes
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget

from .packing import as_oihw, pack_groups


def kernel_isa(workload: Conv2dWorkload, target: CompileTarget, layout: str) -> Isa:
    """The instruction set of kernels of the workload's types that read A in that layout."""
    if workload.quantized:
        return byte_isa(workload, target, layout)
    kind = FLOATS[workload.dtype]
    return best_isa(target, kind, kind, layout)


def byte_isa(workload: Conv2dWorkload, target: CompileTarget, layout: str) -> Isa:
    """The instruction set of the kernels. A filter beyond int8 is a sum of int8 filters, unless it is
    unsigned, and there are kernels as good for that."""
    q, lhs = workload.quantized, SHORT[workload.dtype]
    assert q is not None
    signed = best_isa(target, lhs, "s8", layout, q.largest_weight)
    if q.filter_dtype != "uint8":
        return signed
    unsigned = best_isa(target, lhs, "u8", layout, q.largest_weight)
    return unsigned if unsigned.features >= signed.features else signed


def filter_terms(types: QuantizedTypes, isa: Isa) -> int:
    """Filters that are summed, since 8 bits do not hold the one there is."""
    return 1 if SHORT.get(types.filter_dtype) in isa.rhs else TERMS[types.filter_dtype]


def pack_byte_filter(
    workload: Conv2dWorkload, packed_shape: tuple[int, ...], weights: np.ndarray
) -> np.ndarray:
    """A filter in the workload's layout, integers with its zero point taken off, in packed
    layout of ByteStripGeometry; InputError where its terms cannot hold it."""
    w, types = workload, workload.quantized
    assert types is not None
    count = packed_shape[2] // w.kernel[1]
    dtype = "uint8" if count == 1 and types.filter_dtype == "uint8" else "int8"
    least, most = RANGES[dtype]
    if count == 1 and dtype == "int8":
        least, most = max(least, -types.largest_weight), min(most, types.largest_weight)
    left, terms = as_oihw(w, weights), []
    for term in range(count):
        held = left if term == count - 1 else np.clip(left, least, most)
        if held.min() < least or held.max() > most:
            raise InputError(
                f"the filter holds {weights.min()} to {weights.max()}, beyond what is said of {w}"
            )
        terms.append(held.astype(dtype))
        left = left if term == count - 1 else left - held
    return pack_groups(w, packed_shape, terms)
