"""8-bit filters: which instruction set computes with them, and how they are packed for it."""

from __future__ import annotations

import numpy as np

from intrinsics.isa import Isa, best_isa
from tvm_directconv.errors import InputError
from tvm_directconv.problem.quantization import RANGES, SHORT
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget

from .packing import as_oihw


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


def pack_byte_filter(
    workload: Conv2dWorkload, packed_shape: tuple[int, ...], weights: np.ndarray
) -> np.ndarray:
    """A filter in the workload's layout, integers with its zero point taken off, in packed
    layout of ByteStripGeometry; InputError where its terms cannot hold it."""
    w, types = workload, workload.quantized
    assert types is not None
    blocks, _, columns, *_ = packed_shape
    steps, nr, group = packed_shape[3:] if len(packed_shape) == 6 else (1, packed_shape[3], 1)
    count = columns // w.kernel[1]
    dtype = "uint8" if count == 1 and types.filter_dtype == "uint8" else "int8"
    least, most = RANGES[dtype]
    if count == 1 and dtype == "int8":
        least, most = max(least, -types.largest_weight), min(most, types.largest_weight)
    groups = 1 if w.is_depthwise else w.groups
    per_group = w.out_channels // groups
    padded = np.zeros((groups, blocks // groups * nr, steps * group, *w.kernel, count), dtype)
    left = as_oihw(w, weights)
    left = left.reshape(groups, per_group, *left.shape[1:])
    for term in range(count):
        held = left if term == count - 1 else np.clip(left, least, most)
        if held.min() < least or held.max() > most:
            raise InputError(
                f"the filter holds {weights.min()} to {weights.max()}, beyond what is said of {w}"
            )
        padded[:, :per_group, : left.shape[2], ..., term] = held
        left = left if term == count - 1 else left - held
    split = padded.reshape(blocks, nr, steps, group, *w.kernel, count)
    return np.ascontiguousarray(split.transpose(0, 4, 5, 6, 2, 1, 3).reshape(packed_shape))
