"""What every algorithm offers, and what comes of it: a lowered PrimFunc with all that is known about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from tvm import te, tirx

from tvm_directconv.model.cost import Cost
from tvm_directconv.model.knobs import KnobSpace
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget


class Algorithm(Protocol):
    """The functions of an algorithm's module.

    ``knobs`` is the algorithm's own frozen dataclass; None asks its analytical model. But for ``layouts``,
    the workload is in layouts the algorithm takes.
    """

    NAME: str
    PLEVEL: int

    def layouts(self, workload: Conv2dWorkload, target: CompileTarget) -> tuple[str, str]:
        """(data_layout, out_layout) to run the workload in: its own where the algorithm takes them."""

    def applies(self, workload: Conv2dWorkload) -> bool:
        """Whether the algorithm computes the workload."""

    def compute(self, workload: Conv2dWorkload, target: CompileTarget, knobs: Any = None) -> tirx.PrimFunc:
        """The convolution in TE: (data, packed filter[, bias][, residual], output)."""

    def schedule(
        self, func: tirx.PrimFunc, workload: Conv2dWorkload, target: CompileTarget, knobs: Any = None
    ) -> tirx.PrimFunc:
        """``compute``'s function scheduled, tensorized and lowered to micro-kernel calls."""

    def pack(
        self, workload: Conv2dWorkload, packed_shape: tuple[int, ...], weights: np.ndarray
    ) -> np.ndarray:
        """The filter in the layout of ``compute``'s second operand, of that shape."""

    def pack_func(self, workload: Conv2dWorkload, packed_shape: tuple[int, ...]) -> tirx.PrimFunc:
        """``pack`` as a PrimFunc (filter, packed)."""

    def describe(
        self, workload: Conv2dWorkload, target: CompileTarget, knobs: Any = None
    ) -> Mapping[str, Any]:
        """The knobs in use and what the model thought, for reports; JSON's types only."""

    def workspace_bytes(self, workload: Conv2dWorkload, target: CompileTarget, knobs: Any = None) -> int:
        """What one thread allocates beyond input, output and packed filter."""

    def cost(self, workload: Conv2dWorkload, target: CompileTarget, knobs: Any = None) -> Cost:
        """Estimated cycles of one call on one core."""

    def knob_spaces(self, workload: Conv2dWorkload, target: CompileTarget) -> list[KnobSpace]:
        """The knobs a tuner may choose, one space for each micro-kernel, the analytical choice among them;
        no space where another algorithm's are the same schedules."""


class ByteAlgorithm(Algorithm, Protocol):
    """An algorithm that also computes quantized workloads."""

    def bias_table(
        self,
        workload: Conv2dWorkload,
        target: CompileTarget,
        weights: np.ndarray,
        bias: np.ndarray | None,
        knobs: Any = None,
    ) -> np.ndarray:
        """The int32 operand that sums start from; ``weights`` are less their zero point."""


@dataclass(frozen=True)
class Conv2dImplementation:
    """One way to run one workload on one target, ready for ``tvm.compile``. ``workload`` is in the layouts
    it runs in, which may differ from those asked for.

    ``prim_func`` takes, in order: data, packed filter, then bias (OC,) and residual if the workload's
    epilogue has them, then the output; all float32. Of a quantized workload: data, packed filter, int32 bias
    table, float32 scale (OC,) unless sums are stored as they are, output. ``workspace_bytes`` is what it
    allocates beyond these.
    """

    name: str
    workload: Conv2dWorkload
    prim_func: tirx.PrimFunc
    packed_filter_shape: tuple[int, ...]
    workspace_bytes: int
    tile: Mapping[str, Any]
    kernels: tuple[str, ...]

    cost: Cost | None
    """The estimate ``algorithm="auto"`` compares; None where the implementation has none."""

    estimates: Mapping[str, float]
    """Total estimated cycles of every implementation there was, by name; filled in where one was chosen."""

    pack: Callable[[np.ndarray], np.ndarray]
    """Filter in the workload's layout -> the packed layout ``prim_func`` reads."""
    pack_prim_func: tirx.PrimFunc | None
    """The same packing as a PrimFunc (filter, packed), for filters known only at run time."""
    bias_table: Callable[[np.ndarray, np.ndarray | None], np.ndarray] | None = None
    """Of a quantized workload: (filter less its zero point, int32 bias or None) -> the third operand."""


def pack_filter(workload: Conv2dWorkload, packed_shape: tuple[int, ...], weights: np.ndarray) -> np.ndarray:
    """Pack into blocks of nr output channels, [blocks, KH, KW, IC / groups, nr], zero beyond OC.

    Blocks do not cross groups. Depthwise filters have no IC axis, and their blocks run over all channels.
    A shape of six extents also has blocks of input channels: [blocks, IC blocks, KH, KW, block, nr].
    """
    order = tuple("OIHW".index(axis) for axis in workload.filter_layout)
    oihw = np.transpose(weights, np.argsort(order))
    groups, nr = (1 if workload.is_depthwise else workload.groups), packed_shape[-1]
    per_group = workload.out_channels // groups
    blocks = packed_shape[0] // groups
    in_blocks, in_block = (packed_shape[1], packed_shape[4]) if len(packed_shape) == 6 else (1, oihw.shape[1])
    padded = np.zeros((groups, blocks * nr, in_blocks * in_block, *workload.kernel), oihw.dtype)
    padded[:, :per_group, : oihw.shape[1]] = oihw.reshape(groups, per_group, *oihw.shape[1:])
    split = padded.reshape(groups * blocks, nr, in_blocks, in_block, *workload.kernel)
    return np.ascontiguousarray(split.transpose(0, 2, 4, 5, 3, 1).reshape(packed_shape))


def pack_filter_func(workload: Conv2dWorkload, packed_shape: tuple[int, ...]) -> tirx.PrimFunc:
    """``pack_filter`` as a TE PrimFunc (filter, packed)."""
    source = te.placeholder(workload.filter_shape, workload.dtype, name="filter")
    return te.create_prim_func([source, te_pack_filter(workload, packed_shape, source)])


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
        index = {"O": oc, "I": ic, "H": kh, "W": kw}
        value = source(*(index[axis] for axis in workload.filter_layout))
        inside = tirx.all(within < per_group, ic < group_in)
        return tirx.if_then_else(inside, value, tirx.const(0, workload.dtype))

    return te.compute(packed_shape, element, name="packed_filter")
