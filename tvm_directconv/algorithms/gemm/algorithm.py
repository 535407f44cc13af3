"""im2col_gemm: the input lowered to a matrix, then a blocked product with the filter; the baseline.

Every window is written out (im2row in NHWC, im2col in NCHW), so that a convolution becomes one matrix product
per group: what the papers behind the other algorithms compare with, and the design of TVM's own int8
convolution on Arm. The product is a 1x1 convolution over the lowered matrix, and is computed as such, with
the same micro-kernels and cache blocks: in NHWC rows of the matrix are read in place (direct_nhwc's strips),
in NCHW it is packed in panels (sconv's tiles, which for 1x1 filters are BLIS's loops). A 1x1 convolution
without stride or padding needs no lowering at all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from tvm import te, tirx
from tvm.s_tir import Schedule

from intrinsics.isa import ISAS, Isa, best_isa
from intrinsics.microkernel import PANEL, ROW
from tvm_directconv.algorithms import direct_nhwc
from tvm_directconv.algorithms.base import pack_filter, te_pack_filter
from tvm_directconv.algorithms.lowering import lower
from tvm_directconv.algorithms.sconv import algorithm as sconv
from tvm_directconv.algorithms.sconv.plan import SconvPlan, Slices
from tvm_directconv.algorithms.strips.bytes import ByteStripPlan, byte_isa, pack_byte_filter, te_byte_strips
from tvm_directconv.algorithms.strips.plan import StripPlan, Tile, flattens
from tvm_directconv.algorithms.strips.schedule import strip_spaces, te_strips, tensorized, unravel
from tvm_directconv.errors import AlgorithmError
from tvm_directconv.model.cost import STREAMED, Cost, level_holding, traffic_cycles
from tvm_directconv.model.knobs import KnobSpace
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget

from .panels import BytePanelPlan, Panels, choose_panels, panel_spaces, te_byte_panels, tensorized_panels

NAME = "im2col_gemm"
PLEVEL = 10
LOWERED = "lowered"
COPIES_PER_CYCLE = 0.5
"""Pieces of the lowered matrix written per cycle; measured with short rows of channels, as in NHWC."""

Knobs = Tile | Slices | Panels


def _lowered_buffer(func: tirx.PrimFunc) -> tirx.Buffer:
    """The lowered matrix; the input itself where there is none."""
    allocated = func.body.block.alloc_buffers
    return next((buffer for buffer in allocated if buffer.name.startswith(LOWERED)), func.params[0])


@dataclass(frozen=True)
class LoweredStrips(StripPlan):
    """Strips over the lowered matrix."""

    def data(self, func: tirx.PrimFunc) -> tirx.Buffer:
        return _lowered_buffer(func)


@dataclass(frozen=True)
class LoweredByteStrips(ByteStripPlan):
    """Strips of bytes over the lowered matrix."""

    def data(self, func: tirx.PrimFunc) -> tirx.Buffer:
        return _lowered_buffer(func)


@dataclass(frozen=True)
class LoweredTiles(SconvPlan):
    """Tiles of the lowered matrix."""

    def data(self, func: tirx.PrimFunc) -> tirx.Buffer:
        return _lowered_buffer(func)


def layouts(workload: Conv2dWorkload, target: CompileTarget) -> tuple[str, str]:
    """NHWC or NCHW, as the workload has it; NHWC in place of a blocked layout."""
    layout = "NCHW" if workload.data_layout == "NCHW" and not workload.quantized else "NHWC"
    return layout, layout


def applies(workload: Conv2dWorkload) -> bool:
    """Everything in NHWC, and in NCHW, but depthwise layers: they are no matrix product."""
    if workload.quantized and workload.data_layout != "NHWC":
        return False
    same = workload.data_layout == workload.out_layout
    return same and workload.data_layout in ("NHWC", "NCHW") and not workload.is_depthwise


def product(workload: Conv2dWorkload) -> Conv2dWorkload:
    """The 1x1 convolution over the lowered matrix that the workload becomes."""
    w = workload
    depth = w.in_channels * w.kernel[0] * w.kernel[1]
    pixels = w.out_height * w.out_width
    batch, width = (1, w.batch * pixels) if w.data_layout == "NHWC" else (w.batch, pixels)
    return Conv2dWorkload(
        batch, 1, width, depth, w.out_channels, (1, 1), groups=w.groups, data_layout=w.data_layout,
        epilogue=w.epilogue, dtype=w.dtype, quantized=w.quantized,
    )  # fmt: skip


def compute(workload: Conv2dWorkload, target: CompileTarget, knobs: Knobs | None = None) -> tirx.PrimFunc:
    """The convolution in TE, unscheduled: (data, packed filter[, bias][, residual], output).

    Stage lowered, then those of direct_nhwc (NHWC) or sconv (NCHW) for the product. ``knobs`` are that
    algorithm's; None asks its analytical model, here and in the functions below.
    """
    plan = plan_product(workload, target, knobs)
    data = te.placeholder(workload.input_shape, workload.dtype, name="data")
    source = _matrix(workload, data if flattens(workload) else _lower(workload, data))
    if isinstance(plan, BytePanelPlan):
        return te_byte_panels(plan, data, source, workload)
    if isinstance(plan, ByteStripPlan):
        return te_byte_strips(plan, data, source, workload)
    if isinstance(plan, StripPlan):
        return te_strips(plan, data, source, workload)
    return sconv.te_tiles(plan, data, source, workload)


def _lower(workload: Conv2dWorkload, data: te.Tensor) -> te.Tensor:
    """Every window written out: [N, OH, OW, group, KH, KW, channel] in NHWC, [N, IC, KH, KW, OH, OW] in
    NCHW."""
    w = workload
    (stride_h, stride_w), (dilation_h, dilation_w), (top, left, _, _) = w.strides, w.dilation, w.padding
    group_in = w.in_channels // w.groups
    output = w.out_height, w.out_width
    zero = tirx.const(w.quantized.data_zero if w.quantized else 0, w.dtype)

    def element(
        n: tirx.Expr, oy: tirx.Expr, ox: tirx.Expr, c: tirx.Expr, kh: tirx.Expr, kw: tirx.Expr
    ) -> tirx.Expr:
        y, x = oy * stride_h + kh * dilation_h - top, ox * stride_w + kw * dilation_w - left
        at = (n, y, x, c) if w.data_layout == "NHWC" else (n, c, y, x)
        inside = tirx.all(y >= 0, y < w.height, x >= 0, x < w.width)
        return tirx.if_then_else(inside, data[at], zero)

    if w.data_layout == "NHWC":
        return te.compute(
            (w.batch, *output, w.groups, *w.kernel, group_in),
            lambda n, y, x, g, kh, kw, c: element(n, y, x, g * group_in + c, kh, kw),
            name=LOWERED,
        )
    return te.compute(
        (w.batch, w.in_channels, *w.kernel, *output),
        lambda n, c, kh, kw, y, x: element(n, y, x, c, kh, kw),
        name=LOWERED,
    )


def _matrix(workload: Conv2dWorkload, lowered: te.Tensor) -> te.Tensor:
    """The lowered input, or the input of a 1x1 layer, as the product reads it."""
    shape = [int(extent) for extent in lowered.shape]
    pixels = 3 if workload.data_layout == "NHWC" else 1

    def element(*at: tirx.Expr) -> tirx.Expr:
        if workload.data_layout == "NHWC":
            _, _, pixel, k = at
            index = [*unravel(pixel, shape[:pixels]), *unravel(k, shape[pixels:])]
        else:
            n, k, _, pixel = at
            index = [n, *unravel(k, shape[1:-2]), *unravel(pixel, shape[-2:])]
        return lowered(*index)

    return te.compute(product(workload).input_shape, element, name="matrix_view")


def schedule(
    func: tirx.PrimFunc, workload: Conv2dWorkload, target: CompileTarget, knobs: Knobs | None = None
) -> tirx.PrimFunc:
    """Schedule and tensorize ``compute``'s function, and lower the product to micro-kernel calls."""
    plan = plan_product(workload, target, knobs)
    if isinstance(plan, BytePanelPlan):
        sch = tensorized_panels(func, plan)
        sch.compute_inline("matrix_view")
        if not flattens(workload):
            sch.compute_inline(LOWERED)
        return lower(sch.mod, plan.expand)
    if isinstance(plan, StripPlan):
        sch, workspace = tensorized(func, plan), []
    else:
        sch, workspace = sconv.tensorized(Schedule(func), plan), plan.workspace
    if not flattens(workload):
        _schedule_lowering(sch, workload, plan)
    return lower(sch.mod, plan.expand, workspace)


def _schedule_lowering(sch: Schedule, workload: Conv2dWorkload, plan: StripPlan | SconvPlan) -> None:
    """Rows (or columns) of the matrix in parallel, copied by vectors as far as they are contiguous."""
    lowered = sch.get_sblock(LOWERED)
    sch.set_scope(lowered, 0, "local")
    *outer, last = sch.get_loops(lowered)
    # Runs of NHWC are a tap's channels; of NCHW a row of the output, contiguous in the input at stride 1.
    nhwc = workload.data_layout == "NHWC"
    sch.parallel(sch.fuse(*outer[: 3 if nhwc else 2]))
    if nhwc or workload.strides[1] == 1:
        sch.vectorize(sch.split(last, [None, _copied_at_once(workload, plan.isa)])[1])


def _copied_at_once(workload: Conv2dWorkload, isa: Isa) -> int:
    """Elements of a run that one instruction copies into the lowered matrix."""
    nhwc = workload.data_layout == "NHWC"
    run = workload.in_channels // workload.groups if nhwc else workload.out_width
    most = isa.vector_bytes // workload.element_bytes
    return max(elements for elements in range(1, most + 1) if run % elements == 0)


def pack(workload: Conv2dWorkload, packed_shape: tuple[int, ...], weights: np.ndarray) -> np.ndarray:
    """The filter as the product's algorithm packs it."""
    matrix = _filter_matrix(workload, weights)
    inner = product(workload)
    if workload.quantized:
        return pack_byte_filter(inner, packed_shape, matrix)
    packing = pack_filter if workload.data_layout == "NHWC" else sconv.pack
    return packing(inner, packed_shape, matrix)


def bias_table(
    workload: Conv2dWorkload,
    target: CompileTarget,
    weights: np.ndarray,
    bias: np.ndarray | None,
    knobs: Knobs | None = None,
) -> np.ndarray:
    """The third operand of a quantized workload's function."""
    plan = plan_product(workload, target, knobs)
    assert isinstance(plan, ByteStripPlan | BytePanelPlan)
    return plan.table(_filter_matrix(workload, weights), bias)


def _filter_matrix(workload: Conv2dWorkload, weights: np.ndarray) -> np.ndarray:
    """[OC, K, 1, 1], K in the lowered matrix's order."""
    oihw = np.transpose(weights, [workload.filter_layout.index(axis) for axis in "OIHW"])
    ordered = oihw.transpose(0, 2, 3, 1) if workload.data_layout == "NHWC" else oihw
    return ordered.reshape(workload.out_channels, -1, 1, 1)


def pack_func(workload: Conv2dWorkload, packed_shape: tuple[int, ...]) -> tirx.PrimFunc:
    """``pack`` as a TE PrimFunc (filter, packed)."""
    w, inner = workload, product(workload)
    (kh, kw), group_in = w.kernel, w.in_channels // w.groups
    source = te.placeholder(w.filter_shape, w.dtype, name="filter")

    def element(oc: tirx.Var, k: tirx.Var, a: tirx.Var, b: tirx.Var) -> tirx.Expr:
        if w.data_layout == "NHWC":
            index = {"O": oc, "H": k // (group_in * kw), "W": k // group_in % kw, "I": k % group_in}
        else:
            index = {"O": oc, "I": k // (kh * kw), "H": k // kw % kh, "W": k % kw}
        return source(*(index[axis] for axis in w.filter_layout))

    matrix = te.compute(inner.filter_shape, element, name="filter_matrix")
    packing = te_pack_filter if w.data_layout == "NHWC" else sconv.te_pack
    return te.create_prim_func([source, packing(inner, packed_shape, matrix)])


def workspace_bytes(workload: Conv2dWorkload, target: CompileTarget, knobs: Knobs | None = None) -> int:
    """The lowered matrix, one for all threads; in NCHW also each thread's packed panels."""
    plan = plan_product(workload, target, knobs)
    if isinstance(plan, BytePanelPlan):
        return math.prod(plan.panel_shape)
    matrix = 0 if flattens(workload) else _matrix_bytes(workload)
    return matrix + (0 if isinstance(plan, StripPlan) else sum(space.bytes for space in plan.workspace))


def _matrix_bytes(workload: Conv2dWorkload) -> int:
    w = workload
    return w.element_bytes * w.batch * w.out_height * w.out_width * w.in_channels * w.kernel[0] * w.kernel[1]


def describe(
    workload: Conv2dWorkload, target: CompileTarget, knobs: Knobs | None = None
) -> Mapping[str, Any]:
    """The product's knobs, and the size of the lowered matrix."""
    plan = plan_product(workload, target, knobs)
    if isinstance(plan, BytePanelPlan):
        return {"lowered_bytes": math.prod(plan.panel_shape)} | asdict(plan.knobs)
    inner = direct_nhwc if isinstance(plan, StripPlan) else sconv
    told = inner.describe(plan.workload, target, plan.tile if isinstance(plan, StripPlan) else plan.knobs)
    return {"lowered_bytes": 0 if flattens(workload) else _matrix_bytes(workload)} | dict(told)


def cost(workload: Conv2dWorkload, target: CompileTarget, knobs: Knobs | None = None) -> Cost:
    """The product's, and the matrix written and read again."""
    plan = plan_product(workload, target, knobs)
    if isinstance(plan, BytePanelPlan):
        return plan.cost(target.machine)
    if isinstance(plan, StripPlan):
        inner = plan.cost(target.machine)
    else:
        inner = sconv.cost(plan.workload, target, plan.knobs)
    if flattens(workload):
        return inner
    matrix = _matrix_bytes(workload)
    copies = matrix / plan.isa.vector_bytes
    if workload.data_layout == "NHWC":
        copies = matrix / (workload.element_bytes * _copied_at_once(workload, plan.isa))
    level = level_holding(target.machine, matrix)
    moved = STREAMED * traffic_cycles(target.machine, {level: 2.0 * matrix}) if level > 1 else 0.0
    return replace(inner, packing=inner.packing + copies / COPIES_PER_CYCLE, traffic=inner.traffic + moved)


def knob_spaces(workload: Conv2dWorkload, target: CompileTarget) -> list[KnobSpace]:
    """What a tuner may choose: the knobs of the product. What needs no lowering is the product's own
    algorithm, which has these already."""
    plan = plan_product(workload, target)
    if isinstance(plan, BytePanelPlan):
        return panel_spaces(plan, NAME)
    if flattens(workload):
        return []
    if isinstance(plan, StripPlan):
        return strip_spaces(plan, NAME)
    return [replace(space, algorithm=NAME) for space in sconv.knob_spaces(plan.workload, target)]


@lru_cache(maxsize=1024)
def plan_product(
    workload: Conv2dWorkload, target: CompileTarget, knobs: Knobs | None = None
) -> StripPlan | SconvPlan | BytePanelPlan:
    if not applies(workload):
        raise AlgorithmError(
            f"{NAME} needs NHWC or NCHW, and more than one channel per group; the workload is {workload}"
        )
    if workload.quantized:
        return _plan_bytes(workload, target, knobs)
    inner, isa = product(workload), best_isa(target.features)
    if workload.data_layout == "NHWC":
        tile = knobs if isinstance(knobs, Tile) else direct_nhwc.choose_tile(inner, isa, target.machine)
        return LoweredStrips(inner, isa, tile)
    slices = knobs if isinstance(knobs, Slices) else sconv.choose_slices(inner, isa, target.machine)
    return LoweredTiles(inner, isa, slices)


def _plan_bytes(
    workload: Conv2dWorkload, target: CompileTarget, knobs: Knobs | None
) -> LoweredByteStrips | BytePanelPlan:
    """Panels where there are kernels for them as good as those for rows."""
    inner = product(workload)
    rows, panels = (_byte_isa(inner, target, layout) for layout in (ROW, PANEL))
    order = list(ISAS)
    if panels is not None and (rows is None or order.index(panels.name) <= order.index(rows.name)):
        chosen = knobs if isinstance(knobs, Panels) else choose_panels(inner, panels, target.machine)
        return BytePanelPlan(inner, panels, chosen)
    assert rows is not None
    tile = knobs if isinstance(knobs, Tile) else direct_nhwc.choose_tile(inner, rows, target.machine)
    return LoweredByteStrips(inner, rows, tile)


def _byte_isa(workload: Conv2dWorkload, target: CompileTarget, layout: str) -> Isa | None:
    try:
        return byte_isa(workload, target.features, layout)
    except StopIteration:
        return None
