"""The instruction set that computes a workload, and how 8-bit filters are packed for it."""

from __future__ import annotations

import math

import numpy as np

from intrinsics.isa import Isa, best_isa
from tvm_directconv.errors import InputError
from tvm_directconv.problem.element_types import FLOATS
from tvm_directconv.problem.extents import is_open
from tvm_directconv.problem.quantized_types import RANGES, SHORT, TERMS, QuantizedTypes
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.runtime.repacking import exceed
from tvm_directconv.targets.target import CompileTarget

from .packing import as_oihw, pack_groups

FEW_PIXELS = 8
"""Filters of layers of fewer pixels take longer to be read than multiplied, and are best short."""


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
    extents = [workload.batch, workload.out_height, workload.out_width]
    few = not is_open(extents) and math.prod(extents) < FEW_PIXELS
    signed = best_isa(target, lhs, "s8", layout, q.largest_weight, short=few)
    if q.filter_dtype != "uint8":
        return signed
    unsigned = best_isa(target, lhs, "u8", layout, q.largest_weight)
    return unsigned if unsigned.features >= signed.features else signed


def filter_terms(types: QuantizedTypes, isa: Isa) -> int:
    """Filters that are summed, since 8 bits do not hold the one there is."""
    return 1 if SHORT.get(types.filter_dtype) in isa.rhs else TERMS[types.filter_dtype]


def complemented(oihw: np.ndarray) -> np.ndarray:
    """Return which weights are multiplied as negatives, by the complements of their activations, so that sums
    of pairs of channels fit 16 bits: bool, of the shape (O, I, H, W) of the integers, within 127, given.

    Of pairs that may ``exceed`` these, it is the second weight.
    """
    second = np.zeros(oihw.shape, bool)
    one, other = (oihw[:, at : oihw.shape[1] // 2 * 2 : 2] for at in (0, 1))
    second[:, 1::2] = exceed(one, other)
    return second


def activation_zeros(workload: Conv2dWorkload, zero: int, weights: np.ndarray) -> np.ndarray:
    """Return the input's zero point as each weight meets it, where some are ``complemented``: integers of the
    shape of ``weights`` (O, I, H, W), given ``zero``, that of the input."""
    moved = 128 if workload.dtype == "int8" else 0
    # What is multiplied is 255 - (a + moved), by -w.
    return np.where(complemented(weights), zero + moved - 255, zero + moved)


def _with_masks(workload: Conv2dWorkload, packed_shape: tuple[int, ...], weights: np.ndarray) -> np.ndarray:
    """Pack int8 weights in OIHW that instruction sets with ``complements`` multiply."""
    flipped = complemented(weights)
    masks = np.where(flipped, 255, 0) ^ (128 if workload.dtype == "int8" else 0)
    *outer, rows, group = packed_shape
    of_one = (*outer, rows // 2, group)
    parts = [np.where(flipped, -weights, weights).astype(np.int8), masks.astype(np.uint8).view(np.int8)]
    return np.concatenate([pack_groups(workload, of_one, [part]) for part in parts], axis=-2)


def pack_byte_filter(
    workload: Conv2dWorkload, packed_shape: tuple[int, ...], weights: np.ndarray, isa: Isa
) -> np.ndarray:
    """A filter in the workload's layout, integers with its zero point taken off, in packed
    layout of ByteStripGeometry for that instruction set; InputError where its terms cannot hold it."""
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
    if isa.complements and not w.is_depthwise:
        return _with_masks(w, packed_shape, terms[0])
    return pack_groups(w, packed_shape, terms)
