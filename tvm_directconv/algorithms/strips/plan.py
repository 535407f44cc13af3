"""Plans whose work is strips, in float32, half precision and bytes; direct_nhwc, blocked and im2col_gemm
choose their tiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from tvm import te, tirx
from tvm.s_tir import Schedule

from intrinsics.isa import Isa
from tvm_directconv.model.cost import Cost
from tvm_directconv.model.knobs import KnobSpace
from tvm_directconv.problem.element_types import rounded
from tvm_directconv.problem.extents import is_open, typical
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import Machine

from ..base import KernelPlan
from ..byte_packing import pack_byte_filter
from ..lowering import Block, Expansions
from ..packing import as_oihw, pack_groups, te_pack_groups
from .across import AcrossByteCalls, AcrossCalls, expand_across
from .byte_calls import ByteStripCalls
from .byte_geometry import ByteStripGeometry
from .calls import expand
from .compute import te_byte_strips, te_half_strips, te_strips, tensorize
from .cost import strip_cost
from .geometry import Strides, StripGeometry, Tile
from .grouped_geometry import GroupedStripGeometry
from .knobs import strip_spaces
from .open_rows import open_rows
from .tiles import tile_products


@dataclass(frozen=True)
class StripPlan(KernelPlan[Tile]):
    """A convolution by strips; it needs no workspace, whatever the workload."""

    stored: Strides | None = None
    """Strides of the input's elements, if they are not the workload's."""

    @cached_property
    def geometry(self) -> StripGeometry:
        return StripGeometry(self.workload, self.isa, self.knobs, self.stored)

    def stages(self, data: te.Tensor, source: te.Tensor, outer: Conv2dWorkload) -> tirx.PrimFunc:
        return te_strips(self.geometry, data, source, outer)

    def schedule(self, func: tirx.PrimFunc) -> tirx.PrimFunc:
        if self.geometry.flattened or not is_open([self.workload.width]):
            return super().schedule(func)
        fixed = replace(self.workload, width=typical(self.workload.width))
        tile = replace(self.knobs, strip=fixed.out_width)
        opened = replace(self, knobs=replace(self.knobs, prefetch=False))
        typical_rows = replace(self, workload=fixed, knobs=tile).geometry
        return open_rows(opened.geometry, opened.sharing_operands(typical_rows), func)

    def sharing_operands(self, geometry: StripGeometry) -> StripGeometry:
        """Return a ``geometry`` of another width whose kernels take this plan's operands."""
        return geometry

    @property
    def sums_in_order(self) -> bool:
        return super().sums_in_order or not self.knobs.c_ib

    def tensorize(self, sch: Schedule) -> None:
        tensorize(sch, self.geometry)

    @property
    def expansions(self) -> Expansions:
        return {self.geometry.intrinsic: self.expanded}

    def expanded(self, block: Block) -> tirx.Stmt | None:
        """The kernel calls of a tensorized block."""
        g = self.geometry
        return expand_across(g, block, AcrossCalls) if g.across else expand(g, block)

    @property
    def packed_filter_shape(self) -> tuple[int, ...]:
        return self.geometry.packed_filter_shape

    def cost(self) -> Cost:
        return self._cost

    @cached_property
    def _cost(self) -> Cost:
        return strip_cost(self.geometry, self.machine)

    @property
    def figures(self) -> Mapping[str, float]:
        tiles = tile_products(self.geometry)
        if tiles is None:
            return super().figures
        return {**super().figures, "tile_products": tiles.issued, "full_tile_products": round(tiles.needed)}

    def knob_spaces(self, algorithm: str) -> list[KnobSpace]:
        return strip_spaces(self.geometry, algorithm)


@dataclass(frozen=True)
class HalfStripPlan(StripPlan):
    """A convolution in half precision by strips. Its filter is rounded as it is packed."""

    @cached_property
    def geometry(self) -> GroupedStripGeometry:
        return GroupedStripGeometry(self.workload, self.isa, self.knobs, self.stored)

    def stages(self, data: te.Tensor, source: te.Tensor, outer: Conv2dWorkload) -> tirx.PrimFunc:
        return te_half_strips(self.geometry, data, source, outer)

    def pack(self, weights: np.ndarray) -> np.ndarray:
        oihw = as_oihw(self.workload, rounded(weights, self.workload.dtype))
        return pack_groups(self.workload, self.packed_filter_shape, [oihw])

    def te_pack(self, source: te.Tensor) -> te.Tensor:
        return te_pack_groups(self.workload, self.packed_filter_shape, source)


@dataclass(frozen=True)
class ByteStripPlan(StripPlan):
    """A convolution of bytes by strips."""

    @cached_property
    def geometry(self) -> ByteStripGeometry:
        w = self.workload
        # Tiles across rows are of the runs of one height.
        height, width = (not self.knobs.across and is_open([size]) for size in (w.height, w.width))
        return ByteStripGeometry(w, self.isa, self.knobs, self.stored, (height, width))

    def sharing_operands(self, geometry: StripGeometry) -> StripGeometry:
        return replace(geometry, open_axes=self.geometry.open_axes)  # type: ignore[call-arg]

    def stages(self, data: te.Tensor, source: te.Tensor, outer: Conv2dWorkload) -> tirx.PrimFunc:
        return te_byte_strips(self.geometry, data, source, outer)

    def expanded(self, block: Block) -> tirx.Stmt | None:
        g = self.geometry
        return expand_across(g, block, AcrossByteCalls) if g.across else expand(g, block, ByteStripCalls)

    def pack(self, weights: np.ndarray) -> np.ndarray:
        return pack_byte_filter(self.workload, self.packed_filter_shape, weights, self.isa)

    def bias_table(self, weights: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
        return self.geometry.table(weights, bias)


def strip_plan(
    workload: Conv2dWorkload, isa: Isa, machine: Machine, tile: Tile, stored: Strides | None = None
) -> StripPlan:
    """The plan of the workload's types."""
    kind = ByteStripPlan if workload.quantized else HalfStripPlan if workload.is_half else StripPlan
    return kind(workload, isa, machine, tile, stored)
