"""What every algorithm returns: a scheduled, lowered PrimFunc with all that is known about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from tvm import te, tirx

from ..workload import Conv2dWorkload


@dataclass(frozen=True)
class Conv2dImplementation:
    """One way to run one workload on one target, ready for ``tvm.compile``.

    ``prim_func`` takes, in order: data, packed filter, then bias (OC,) and residual if the workload's
    epilogue has them, then the output; all float32. ``workspace_bytes`` is what it allocates beyond these.
    """

    name: str
    workload: Conv2dWorkload
    prim_func: tirx.PrimFunc
    packed_filter_shape: tuple[int, ...]
    workspace_bytes: int
    tile: Mapping[str, Any]
    kernels: tuple[str, ...]

    pack: Callable[[np.ndarray], np.ndarray]
    """Filter in the workload's layout -> the packed layout ``prim_func`` reads."""
    pack_prim_func: tirx.PrimFunc
    """The same packing as a PrimFunc (filter, packed), for filters known only at run time."""


def pack_filter(workload: Conv2dWorkload, packed_shape: tuple[int, ...], weights: np.ndarray) -> np.ndarray:
    """Pack into blocks of nr output channels, [blocks, KH, KW, IC / groups, nr], zero beyond OC.

    Blocks do not cross groups. Depthwise filters have no IC axis, and their blocks run over all channels.
    """
    order = tuple("OIHW".index(axis) for axis in workload.filter_layout)
    oihw = np.transpose(weights, np.argsort(order))
    groups, nr = (1 if workload.is_depthwise else workload.groups), packed_shape[-1]
    per_group = workload.out_channels // groups
    blocks = packed_shape[0] // groups
    padded = np.zeros((groups, blocks * nr, *oihw.shape[1:]), oihw.dtype)
    padded[:, :per_group] = oihw.reshape(groups, per_group, *oihw.shape[1:])
    padded = padded.reshape(groups * blocks, nr, *oihw.shape[1:])
    return np.ascontiguousarray(padded.transpose(0, 3, 4, 2, 1).reshape(packed_shape))


def pack_filter_func(workload: Conv2dWorkload, packed_shape: tuple[int, ...]) -> tirx.PrimFunc:
    """``pack_filter`` as a TE PrimFunc."""
    groups, nr = (1 if workload.is_depthwise else workload.groups), packed_shape[-1]
    per_group = workload.out_channels // groups
    blocks = packed_shape[0] // groups
    source = te.placeholder(workload.filter_shape, workload.dtype, name="filter")

    def element(block: tirx.Var, kh: tirx.Var, kw: tirx.Var, *rest: tirx.Var) -> tirx.Expr:
        ic, lane = (0, rest[0]) if workload.is_depthwise else rest
        within = block % blocks * nr + lane
        oc = block // blocks * per_group + within
        index = {"O": oc, "I": ic, "H": kh, "W": kw}
        value = source(*(index[axis] for axis in workload.filter_layout))
        return tirx.if_then_else(within < per_group, value, tirx.const(0, workload.dtype))

    packed = te.compute(packed_shape, element, name="packed_filter")
    return te.create_prim_func([source, packed])
