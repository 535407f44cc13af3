"""Filters packed as kernels read them, at compile time in numpy, or at run time in TE."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from tvm import te, tirx

from tvm_directconv.memory import copy_all, large_zeros
from tvm_directconv.problem.workload import Conv2dWorkload


def as_oihw(workload: Conv2dWorkload, weights: np.ndarray) -> np.ndarray:
    """A filter in the workload's layout, in OIHW."""
    return weights.transpose([workload.filter_layout.index(axis) for axis in "OIHW"])


def tap(workload: Conv2dWorkload, source: te.Tensor, **at: tirx.Expr) -> tirx.Expr:
    """One element of a filter in the workload's layout, by the axes ``O``, ``I``, ``H``, ``W``."""
    return source(*(at[axis] for axis in workload.filter_layout))


def pack_filter(workload: Conv2dWorkload, packed_shape: tuple[int, ...], weights: np.ndarray) -> np.ndarray:
    """Pack into blocks of nr output channels, [blocks, KH, KW, IC / groups, nr], zero beyond OC.

    Blocks do not cross groups. Depthwise filters do not have an IC axis, and their blocks run over all
    channels. A shape of six extents also has blocks of input channels: [blocks, IC blocks, KH, KW, block,
    nr]."""
    oihw = as_oihw(workload, weights)
    groups, nr = (1 if workload.is_depthwise else workload.groups), packed_shape[-1]
    per_group = workload.out_channels // groups
    blocks = packed_shape[0] // groups
    in_blocks, in_block = (packed_shape[1], packed_shape[4]) if len(packed_shape) == 6 else (1, oihw.shape[1])
    packed = large_zeros((groups, blocks, in_blocks, *workload.kernel, in_block, nr), oihw.dtype)
    own = oihw.reshape(groups, per_group, *oihw.shape[1:])
    to_fill = packed.transpose(0, 1, 6, 2, 5, 3, 4)  # groups, blocks, nr, in_blocks, in_block, KH, KW
    parts = []
    for out, ic in itertools.product(range(0, per_group, nr), range(0, oihw.shape[1], in_block)):
        part = own[:, out : out + nr, ic : ic + in_block]
        parts.append((to_fill[:, out // nr, : part.shape[1], ic // in_block, : part.shape[2]], part))
    copy_all(parts)
    return packed.reshape(packed_shape)


def pack_groups(
    workload: Conv2dWorkload, packed_shape: tuple[int, ...], terms: Sequence[np.ndarray]
) -> np.ndarray:
    """Pack filters in OIHW that are summed into [blocks, KH, KW * terms, steps, nr, group], zero beyond OC
    and IC: groups of consecutive input channels, which kernels multiply at once.

    Depthwise filters do not have channels: [blocks, KH, KW * terms, nr].
    """
    blocks, (first, *_) = packed_shape[0], terms
    steps, nr, group = packed_shape[3:] if len(packed_shape) == 6 else (1, packed_shape[3], 1)
    groups = 1 if workload.is_depthwise else workload.groups
    per_group, group_in = workload.out_channels // groups, first.shape[1]
    extents = (groups, blocks // groups * nr, steps * group, *workload.kernel, len(terms))
    padded = np.zeros(extents, first.dtype)
    for number, term in enumerate(terms):
        padded[:, :per_group, :group_in, ..., number] = term.reshape(groups, per_group, *first.shape[1:])
    split = padded.reshape(blocks, nr, steps, group, *workload.kernel, len(terms))
    return np.ascontiguousarray(split.transpose(0, 4, 5, 6, 2, 1, 3).reshape(packed_shape))


def te_pack_groups(workload: Conv2dWorkload, packed_shape: tuple[int, ...], source: te.Tensor) -> te.Tensor:
    """``pack_groups`` of one term in TE."""
    if workload.is_depthwise:
        return te_pack_filter(workload, packed_shape, source)
    *outer, steps, nr, group = packed_shape
    flat = te_pack_filter(workload, (*outer, steps * group, nr), source)
    return te.compute(
        packed_shape, lambda b, h, v, k, i, g: flat[b, h, v, k * group + g, i], name="packed_groups"
    )


def te_pack_filter(workload: Conv2dWorkload, packed_shape: tuple[int, ...], source: te.Tensor) -> te.Tensor:
    """``pack_filter`` in TE."""
    groups, nr = (1 if workload.is_depthwise else workload.groups), packed_shape[-1]
    per_group, group_in = workload.out_channels // groups, workload.in_channels // workload.groups
    blocks = packed_shape[0] // groups

    def element(block: tirx.Var, *rest: tirx.Var) -> tirx.Expr:
        if workload.is_depthwise:
            (kh, kw, lane), ic = rest, tirx.IntImm("int32", 0)
        elif len(packed_shape) == 6:
            outer, kh, kw, inner, lane = rest
            ic = outer * packed_shape[4] + inner
        else:
            kh, kw, ic, lane = rest
        within = block % blocks * nr + lane
        oc = block // blocks * per_group + within
        inside = tirx.all(within < per_group, ic < group_in)
        value = tap(workload, source, O=oc, I=ic, H=kh, W=kw)
        return tirx.if_then_else(inside, value, tirx.const(0, workload.dtype))

    return te.compute(packed_shape, element, name="packed_filter")
