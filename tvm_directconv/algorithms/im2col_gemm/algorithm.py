"""im2col_gemm: the input lowered to a matrix, then a blocked product with the filter; the baseline.

Every window is written out (im2row in NHWC, im2col in NCHW), so that a convolution becomes one matrix product
per group: what the papers behind the other algorithms compare with, and the design of TVM's own int8
convolution on Arm. The product is a 1x1 convolution over the lowered matrix, and is planned as such, with the
same micro-kernels and cache blocks: in NHWC rows of the matrix are read in place (direct_nhwc's strips), in
NCHW it is packed in panels (sconv's tiles, which for 1x1 filters are BLIS's loops). A 1x1 convolution without
stride or padding needs no lowering at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from tvm import te, tirx
from tvm.s_tir import Schedule

from intrinsics.isa import ISAS, Isa, best_isa
from intrinsics.microkernel import PANEL, ROW
from tvm_directconv.model.cost import Cost, level_holding, traffic_cycles
from tvm_directconv.model.knobs import KnobSpace
from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget

from .. import direct_nhwc
from ..base import Algorithm, KernelPlan
from ..byte_packing import kernel_isa
from ..layer_geometry import flattens
from ..lowering import Expansions, Workspace
from ..packing import as_oihw
from ..sconv.algorithm import SconvPlan, choose_slices, has_channels_as_rows
from ..sconv.geometry import Slices
from ..strips.geometry import Tile
from ..strips.plan import strip_plan
from .lowered import LOWERED, MATRIX_VIEW, filter_matrix_view, lowered, matrix_view
from .panels import BytePanelPlan, PanelPlan, Panels, choose_panels
from .runs import by_runs, has_runs, run_pieces

Knobs = Tile | Slices | Panels


@dataclass(frozen=True)
class GemmPlan(KernelPlan[Knobs]):
    """A convolution as the product that ``product`` plans; the knobs are the product's."""

    product: KernelPlan[Any]

    @property
    def lowers(self) -> bool:
        """Whether a matrix is written and then read by the product."""
        return not flattens(self.workload) and not self.product.copies_input

    @property
    def matrix_bytes(self) -> int:
        """Bytes of the lowered matrix, 0 if it is not made."""
        w = self.workload
        pixels, taps = w.batch * w.out_height * w.out_width, w.kernel[0] * w.kernel[1]
        return w.element_bytes * pixels * w.in_channels * taps if self.lowers else 0

    @property
    def sums_in_order(self) -> bool:
        return super().sums_in_order or self.workload.data_layout == "NHWC"

    # ---- the function

    def compute(self) -> tirx.PrimFunc:
        """Stage lowered, then those of the product."""
        w = self.workload
        data = te.placeholder(w.input_shape, w.dtype, name="data")
        source = data if flattens(w) else lowered(w, data)
        return self.product.stages(data, matrix_view(w, source, self.product.workload.input_shape), w)

    def stages(self, data: te.Tensor, source: te.Tensor, outer: Conv2dWorkload) -> tirx.PrimFunc:
        return self.product.stages(data, source, outer)

    def schedule(self, func: tirx.PrimFunc) -> tirx.PrimFunc:
        scheduled = super().schedule(func)
        return by_runs(scheduled, self.workload, self.isa.vector_bytes) if self._by_runs else scheduled

    @property
    def _by_runs(self) -> bool:
        """Whether the matrix is written by filter rows, whose taps alone fill no vector."""
        short = self.workload.element_bytes * self._copied_at_once < self.isa.vector_bytes
        return self.lowers and short and has_runs(self.workload)

    def tensorize(self, sch: Schedule) -> None:
        """Rows (or columns) of the matrix in parallel, copied by vectors as far as they are contiguous; then
        the product."""
        self.product.tensorize(sch)
        if self.product.copies_input:
            sch.compute_inline(MATRIX_VIEW)
            if not flattens(self.workload):
                sch.compute_inline(LOWERED)
        if not self.lowers:
            return
        block = sch.get_sblock(LOWERED)
        sch.set_scope(block, 0, "local")
        *outer, last = sch.get_loops(block)
        # Runs of NHWC are a tap's channels; of NCHW a row of the output, contiguous in the input at stride 1.
        nhwc = self.workload.data_layout == "NHWC"
        sch.parallel(sch.fuse(*outer[: 3 if nhwc else 2]))
        if nhwc or self.workload.strides[1] == 1:
            sch.vectorize(sch.split(last, [None, self._copied_at_once])[1])

    @property
    def _copied_at_once(self) -> int:
        """Elements of a run that one instruction copies into the lowered matrix."""
        w = self.workload
        run = w.in_channels // w.groups if w.data_layout == "NHWC" else w.out_width
        most = self.isa.vector_bytes // w.element_bytes
        return max(elements for elements in range(1, most + 1) if run % elements == 0)

    @property
    def expansions(self) -> Expansions:
        return self.product.expansions

    @property
    def workspaces(self) -> list[Workspace]:
        return list(self.product.workspaces)

    @property
    def workspace_bytes(self) -> int:
        """The lowered matrix, one for all threads; beside it what each thread of the product allocates."""
        return self.matrix_bytes + self.product.workspace_bytes

    # ---- the filter

    @property
    def packed_filter_shape(self) -> tuple[int, ...]:
        return self.product.packed_filter_shape

    def pack(self, weights: np.ndarray) -> np.ndarray:
        return self.product.pack(self._filter_matrix(weights))

    def te_pack(self, source: te.Tensor) -> te.Tensor:
        shape = self.product.workload.filter_shape
        return self.product.te_pack(filter_matrix_view(self.workload, source, shape))

    def bias_table(self, weights: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
        return self.product.bias_table(self._filter_matrix(weights), bias)

    def _filter_matrix(self, weights: np.ndarray) -> np.ndarray:
        """[OC, K, 1, 1], K in the lowered matrix's order."""
        oihw = as_oihw(self.workload, weights)
        ordered = oihw.transpose(0, 2, 3, 1) if self.workload.data_layout == "NHWC" else oihw
        return ordered.reshape(self.workload.out_channels, -1, 1, 1)

    # ---- what is known of it

    @property
    def figures(self) -> Mapping[str, float]:
        return self.product.figures

    def cost(self) -> Cost:
        """The product's, and the matrix written and read again."""
        product, costs = self.product.cost(), self.machine.costs
        if not self.lowers:
            return product
        piece: float = self.isa.vector_bytes
        if self._by_runs:
            run = self.workload.in_channels * self.workload.kernel[1]
            _, pieces = run_pieces(self.workload, self.isa.vector_bytes)
            piece = self.workload.element_bytes * run / len(pieces)
        elif self.workload.data_layout == "NHWC":
            piece = self.workload.element_bytes * self._copied_at_once
        elif self.workload.strides[1] > 1:
            piece = self.workload.element_bytes  # neighbours in the matrix are none in the image
        packing = self.matrix_bytes / piece / costs.lowered_pieces_per_cycle
        level = level_holding(self.machine, self.matrix_bytes)
        moved = {level: 2.0 * self.matrix_bytes} if level > 1 else {}
        traffic = costs.streamed_traffic * traffic_cycles(self.machine, moved)
        return replace(product, packing=product.packing + packing, traffic=product.traffic + traffic)

    def describe(self) -> Mapping[str, Any]:
        """The product's knobs, and the size of the lowered matrix."""
        return {"lowered_bytes": self.matrix_bytes} | dict(self.product.describe())

    def knob_spaces(self, algorithm: str) -> list[KnobSpace]:
        """The knobs of the product. What needs no lowering is the product's own algorithm, which has these
        already."""
        if flattens(self.workload) and not self.product.copies_input:
            return []
        return self.product.knob_spaces(algorithm)


class Im2colGemm(Algorithm[Knobs]):
    """Everything in NHWC, and float32 in NCHW as far as ``sconv`` multiplies it, but depthwise layers, which
    are not matrix products."""

    name = "im2col_gemm"
    needs = "NHWC or NCHW, and more than one channel per group"
    of_bytes = True

    def layouts(self, workload: Conv2dWorkload, target: CompileTarget) -> tuple[str, str]:
        """NHWC or NCHW, as the workload has it; NHWC in place of a layout that it is not computed in."""
        layout = "NCHW" if workload.data_layout == "NCHW" and has_channels_as_rows(workload) else "NHWC"
        return layout, layout

    def applies(self, workload: Conv2dWorkload) -> bool:
        known = ("NHWC", "NCHW") if has_channels_as_rows(workload) else ("NHWC",)
        same = workload.data_layout == workload.out_layout
        return same and workload.data_layout in known and not workload.is_depthwise

    def make_plan(self, workload: Conv2dWorkload, target: CompileTarget, knobs: Knobs | None) -> GemmPlan:
        planned = _plan_product(_product(workload), target, knobs)
        return GemmPlan(workload, planned.isa, target.machine, planned.knobs, planned)


ALGORITHMS = (Im2colGemm(),)


def _product(workload: Conv2dWorkload) -> Conv2dWorkload:
    """The 1x1 convolution over the lowered matrix that the workload becomes."""
    w = workload
    depth = w.in_channels * w.kernel[0] * w.kernel[1]
    pixels = w.out_height * w.out_width
    batch, width = (1, w.batch * pixels) if w.data_layout == "NHWC" else (w.batch, pixels)
    return Conv2dWorkload(
        batch, 1, width, depth, w.out_channels, (1, 1), groups=w.groups, data_layout=w.data_layout,
        epilogue=w.epilogue, dtype=w.dtype, quantized=w.quantized, to_float32=w.to_float32,
    )  # fmt: skip


def _plan_product(workload: Conv2dWorkload, target: CompileTarget, knobs: Knobs | None) -> KernelPlan[Any]:
    machine = target.machine
    if workload.dtype != FLOAT32:
        return _plan_grouped_product(workload, target, knobs)
    isa = best_isa(target)
    if workload.data_layout == "NCHW":
        slices = knobs if isinstance(knobs, Slices) else choose_slices(workload, isa, machine)
        return SconvPlan(workload, isa, machine, slices)
    tile = knobs if isinstance(knobs, Tile) else direct_nhwc.choose_tile(workload, isa, machine)
    return strip_plan(workload, isa, machine, tile)


def _plan_grouped_product(
    workload: Conv2dWorkload, target: CompileTarget, knobs: Knobs | None
) -> KernelPlan[Any]:
    """Panels where there are kernels for them as good as those for rows, in half precision where there are
    better ones: rows need no interleaving."""
    rows, panels = (_kernel_isa(workload, target, layout) for layout in (ROW, PANEL))
    order = list(ISAS)
    of_panels = BytePanelPlan if workload.quantized else PanelPlan
    equals = 0 if workload.is_half else 1
    if panels is not None and (rows is None or order.index(panels.name) < order.index(rows.name) + equals):
        chosen = knobs if isinstance(knobs, Panels) else choose_panels(workload, panels, target.machine)
        return of_panels(workload, panels, target.machine, chosen)
    assert rows is not None
    tile = knobs if isinstance(knobs, Tile) else direct_nhwc.choose_tile(workload, rows, target.machine)
    return strip_plan(workload, rows, target.machine, tile)


def _kernel_isa(workload: Conv2dWorkload, target: CompileTarget, layout: str) -> Isa | None:
    try:
        return kernel_isa(workload, target, layout)
    except StopIteration:
        return None
