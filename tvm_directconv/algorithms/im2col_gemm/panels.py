"""The products of im2col_gemm in 8 bits and half precision over interleaved panels of the lowered matrix.

Where an instruction set multiplies what it broadcasts from rows, the product is a 1x1 convolution over the
lowered matrix. Elsewhere (Neon without dot products, matrix instructions) the matrix is interleaved: stage
``panel`` [M / mr, K / group, mr, group] in the place of the matrix itself, and the filter interleaved and
block-transposed at compile time, [OC / nr, K / group, nr, group], both padded to whole blocks. With group 16
and tiles of 4x4 that is the convolution of TVM's RFC "Improve quantized convolution performance for armv8
architectures" (2020), whose K is padded likewise.

Of bytes the taps outside the image hold the input's zero point, so that all sums start from one bias.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from tvm import te, tirx
from tvm.s_tir import Schedule

from intrinsics.isa import Isa
from intrinsics.microkernel import PANEL, KernelInstance, MicroKernel, Segment
from intrinsics.tensorize import GroupedGemm, type_of_sums
from tvm_directconv.errors import AlgorithmError
from tvm_directconv.model.cost import Cost, level_holding, traffic_cycles
from tvm_directconv.model.knobs import KnobSpace, divisions, with_choice
from tvm_directconv.model.tiling import RowTiles
from tvm_directconv.problem.element_types import FLOATS, rounded
from tvm_directconv.problem.quantized_types import SHORT, QuantizedTypes
from tvm_directconv.problem.taps import Taps, bias_table
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import Machine

from ..base import KernelPlan
from ..branches import but_last
from ..byte_packing import filter_terms, pack_byte_filter
from ..epilogue import Operands, Sums, finished, kernel_call, requantized
from ..lowering import MATRIX, Block, Expansions, fold_initialization
from ..packing import as_oihw, pack_groups, te_pack_groups

OTHER_SIGN = {"uint8": "int8", "int8": "uint8"}


@dataclass(frozen=True)
class Panels:
    """The knobs: tiles of ``mr`` pixels by ``nr`` channels; ``panels`` of the matrix walked for one block of
    channels before the next."""

    mr: int
    nr: int
    panels: int


class SumAxes(NamedTuple):
    """Axes of the stage of sums, in numbers or expressions."""

    group: Any
    panel: Any
    block: Any
    pixel: Any
    lane: Any


@dataclass(frozen=True)
class PanelPlan(KernelPlan[Panels]):
    """The product of one workload in half precision over interleaved panels, and what it has in common with
    bytes.

    ``workload`` is the product, a 1x1 convolution over the lowered matrix, which is interleaved as it is
    made.
    """

    @property
    def groups(self) -> int:
        return self.workload.groups

    @property
    def pixels(self) -> int:
        return self.workload.width

    @property
    def depth(self) -> int:
        """Depth of one group's product: its channels times taps."""
        return self.workload.in_channels // self.groups

    @property
    def steps(self) -> int:
        return -(-self.depth // self.isa.channels_per_multiply)

    @property
    def group_out(self) -> int:
        return self.workload.out_channels // self.groups

    @property
    def group_blocks(self) -> int:
        return -(-self.group_out // self.knobs.nr)

    @property
    def panels(self) -> int:
        """Panels that hold pixels; in ``padded_panels`` they are rounded up to whole blocks of them."""
        return -(-self.pixels // self.knobs.mr)

    @property
    def padded_panels(self) -> int:
        return -(-self.panels // self.knobs.panels) * self.knobs.panels

    terms = 1
    """Filters that are summed."""
    moved = 0
    """What is added to the input's elements as they are interleaved."""

    @property
    def filter_dtype(self) -> str:
        return self.workload.dtype

    @property
    def panel_dtype(self) -> str:
        """Type of the interleaved matrix, which kernels multiply as it is."""
        return self.workload.dtype

    @property
    def types(self) -> str:
        """Types of the kernels, as their names spell them."""
        w = self.workload
        return "_".join(FLOATS[dtype] for dtype in (w.out_dtype, w.dtype, w.dtype))

    @property
    def panel_shape(self) -> tuple[int, ...]:
        return self.groups, self.padded_panels, self.steps, self.knobs.mr, self.isa.channels_per_multiply

    @property
    def packed_filter_shape(self) -> tuple[int, ...]:
        blocks = self.groups * self.group_blocks
        return blocks, 1, self.terms, self.steps, self.knobs.nr, self.isa.channels_per_multiply

    @property
    def sums(self) -> SumAxes:
        """Extents of the stage of sums."""
        return SumAxes(self.groups, self.padded_panels, self.group_blocks, self.knobs.mr, self.knobs.nr)

    @property
    def workspace_bytes(self) -> int:
        """The interleaved matrix, one for all threads."""
        return self.workload.element_bytes * math.prod(self.panel_shape)

    @property
    def copies_input(self) -> bool:
        return True

    @property
    def intrinsic(self) -> GroupedGemm:
        k, types = self.knobs, (self.panel_dtype, self.filter_dtype)
        return GroupedGemm(k.mr, k.nr, self.steps, self.isa.channels_per_multiply, self.terms, *types)

    # ---- the filter

    def pack(self, weights: np.ndarray) -> np.ndarray:
        oihw = as_oihw(self.workload, rounded(weights, self.workload.dtype))
        return pack_groups(self.workload, self.packed_filter_shape, [oihw])

    def te_pack(self, source: te.Tensor) -> te.Tensor:
        return te_pack_groups(self.workload, self.packed_filter_shape, source)

    # ---- the function

    def stages(self, data: te.Tensor, source: te.Tensor, outer: Conv2dWorkload) -> tirx.PrimFunc:
        """Stages panel (``source`` [1, 1, M, K of all groups] interleaved), conv and epilogue."""
        k, group, kind = self.knobs, self.isa.channels_per_multiply, type_of_sums(self.filter_dtype)
        packed = te.placeholder(self.packed_filter_shape, self.filter_dtype, name="packed_filter")
        panel = self._interleaved(source)
        term = te.reduce_axis((0, self.terms), name="term")
        ko = te.reduce_axis((0, self.steps), name="ko")
        ki = te.reduce_axis((0, group), name="ki")

        def product(*sum_at: tirx.Var) -> tirx.Expr:
            at = SumAxes(*sum_at)
            left = tirx.Cast(kind, panel[at.group, at.panel, ko, at.pixel, ki])
            block = at.group * self.group_blocks + at.block
            right = tirx.Cast(kind, packed[block, 0, term, ko, at.lane, ki])
            return te.sum(left * right, axis=[term, ko, ki])

        conv = te.compute(self.sums, product, name="conv")

        def total(n: tirx.Expr, y: tirx.Expr, x: tirx.Expr, oc: tirx.Expr) -> tirx.Expr:
            pixel = (n * outer.out_height + y) * outer.out_width + x
            within = oc % self.group_out
            tile = oc // self.group_out, pixel // k.mr, within // k.nr
            return conv(*SumAxes(*tile, pixel % k.mr, within % k.nr))

        return self._finished(outer, data, packed, total)

    def _finished(
        self, outer: Conv2dWorkload, data: te.Tensor, packed: te.Tensor, sums: Sums
    ) -> tirx.PrimFunc:
        return finished(outer, data, packed, sums)

    def _interleaved(self, matrix: te.Tensor) -> te.Tensor:
        def element(g: tirx.Var, at: tirx.Var, step: tirx.Var, m: tirx.Var, i: tirx.Var) -> tirx.Expr:
            pixel, depth = at * self.knobs.mr + m, step * self.isa.channels_per_multiply + i
            inside = tirx.all(pixel < self.pixels, depth < self.depth)
            column = g * self.depth + tirx.min(depth, self.depth - 1)
            value = matrix(0, 0, tirx.min(pixel, self.pixels - 1), column)
            if self.moved:
                value = tirx.Cast(self.panel_dtype, tirx.Cast("int32", value) + self.moved)
            return tirx.if_then_else(inside, value, tirx.const(0, self.panel_dtype))

        return te.compute(self.panel_shape, element, name="panel", attrs=MATRIX)

    def tensorize(self, sch: Schedule) -> None:
        """Loops group, block of panels (both shared by threads), block of channels, panel, tile; the matrix
        is interleaved by panels in parallel before them."""
        conv = sch.get_sblock("conv")
        group, panel, block, m, *_ = sch.get_loops(conv)
        outer, inner = sch.split(panel, [None, self.knobs.panels])
        sch.reorder(group, outer, block, inner, m)
        sch.parallel(sch.fuse(group, outer))
        fold_initialization(sch, conv, m)
        sch.tensorize(m, self.intrinsic.register())
        packing = sch.get_sblock("panel")
        sch.set_scope(packing, 0, "local")
        group, panel, *_ = sch.get_loops(packing)
        sch.parallel(sch.fuse(group, panel))

    @property
    def expansions(self) -> Expansions:
        return {self.intrinsic: self._calls}

    def _calls(self, block: Block) -> tirx.Stmt:
        """The kernel call of a tile; tails where the extents leave any."""
        at, k = SumAxes(*block.starts("C")), self.knobs

        def of_rows(mr: int) -> tirx.Stmt:
            blocks = self.group_blocks, k.nr, self.group_out % k.nr
            return but_last(at.block, *blocks, lambda channels: self._call(block, at, mr, channels))

        return but_last(at.panel, self.panels, k.mr, self.pixels % k.mr, of_rows, self.padded_panels)

    def _call(self, block: Block, at: SumAxes, mr: int, channels: int) -> tirx.Stmt:
        k, operands = self.knobs, Operands.of(self.workload, block.func)
        channel = at.group * self.group_out + at.block * k.nr
        c = at.panel * k.mr * self.workload.out_channels + channel
        panel = (at.group * self.padded_panels + at.panel) * math.prod(self.panel_shape[2:])
        filters = (at.group * self.group_blocks + at.block) * math.prod(self.packed_filter_shape[1:])
        a, b = (block.input, panel), (operands.packed, filters)
        scaled = self.workload.quantized and not self.workload.epilogue.residual
        last = channel if scaled else c  # a scale, or a residual
        return kernel_call(self._instance(mr, channels).name, operands, c, a, b, (channel, last))

    def _instance(self, mr: int, channels: int) -> KernelInstance:
        k, lanes = self.knobs, self.isa.lanes
        wide = -(-channels // lanes) * lanes
        term = self.steps * k.nr * self.isa.channels_per_multiply
        return KernelInstance(
            MicroKernel(mr, wide, PANEL, self.isa.name, self.types),
            channels,
            a_row=self.isa.channels_per_multiply,
            a_step=0,
            b_row=k.nr * self.isa.channels_per_multiply,
            b_step=0,
            c_row=self.workload.out_channels,
            segments=tuple(Segment(0, mr, 0, t * term, self.depth) for t in range(self.terms)),
            epilogue=self.workload.epilogue.of_pass(True, True),
            a_k=k.mr,
        )

    # ---- what is known of it

    def cost(self) -> Cost:
        """Tiles of whole panels, and the matrix written and read again."""
        machine, costs = self.machine, self.machine.costs
        steps = self.terms * self.steps
        tiles = RowTiles(self.isa, PANEL, steps, self.knobs.nr)
        arithmetic = self.groups * tiles.cycles(machine, self.pixels, self.group_out)
        matrix = self.workspace_bytes
        filter_bytes = self.workload.element_bytes * math.prod(self.packed_filter_shape)
        moved = {level_holding(machine, matrix): 2.0 * matrix}
        from_level = level_holding(machine, filter_bytes)
        blocks = -(-self.panels // self.knobs.panels)
        moved[from_level] = moved.get(from_level, 0.0) + filter_bytes * blocks
        beyond = {at: size for at, size in moved.items() if at > 1}
        return Cost(
            arithmetic,
            packing=matrix / costs.copy_bytes_per_cycle,
            traffic=costs.streamed_traffic * traffic_cycles(machine, beyond),
        )

    def describe(self) -> Mapping[str, Any]:
        return {"lowered_bytes": self.workspace_bytes} | asdict(self.knobs)

    def knob_spaces(self, algorithm: str) -> list[KnobSpace]:
        """Panels per block, by micro-kernel."""
        isa, spaces = self.isa, []
        for vectors in range(1, min(isa.most_vectors, -(-self.group_out // isa.lanes)) + 1):
            nr = vectors * isa.lanes
            mr = min(isa.largest_mr(nr, PANEL), self.pixels)
            if mr:
                choices = {"panels": divisions(-(-self.pixels // mr))}
                spaces.append(KnobSpace(algorithm, f"{mr}x{nr}", Panels, {"mr": mr, "nr": nr}, choices))
        return with_choice(spaces, algorithm, f"{self.knobs.mr}x{self.knobs.nr}", self.knobs)


@dataclass(frozen=True)
class BytePanelPlan(PanelPlan):
    """The product of one 8-bit workload over interleaved panels."""

    @cached_property
    def quantized(self) -> QuantizedTypes:
        assert self.workload.quantized is not None
        return self.workload.quantized

    @cached_property
    def terms(self) -> int:  # type: ignore[override]
        return filter_terms(self.quantized, self.isa)

    @property
    def filter_dtype(self) -> str:
        return self.quantized.filter_dtype if self.terms == 1 else "int8"

    @cached_property
    def moved(self) -> int:  # type: ignore[override]
        return self.isa.lhs_offset(SHORT[self.workload.dtype])

    @property
    def panel_dtype(self) -> str:
        return OTHER_SIGN[self.workload.dtype] if self.moved else self.workload.dtype

    @property
    def types(self) -> str:
        types = self.quantized.out_dtype, self.panel_dtype, self.filter_dtype
        return "_".join(SHORT[dtype] for dtype in types)

    def pack(self, weights: np.ndarray) -> np.ndarray:
        return pack_byte_filter(self.workload, self.packed_filter_shape, weights, self.isa)

    def te_pack(self, source: te.Tensor) -> te.Tensor:
        raise AlgorithmError(f"filters of bytes are packed at compile time: {self.workload}")

    def bias_table(self, weights: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
        one_tap = Taps((0,), ((0, 1),))
        zero = self.quantized.data_zero + self.moved
        return bias_table(self.workload, zero, weights, bias, (one_tap, one_tap))

    def _finished(
        self, outer: Conv2dWorkload, data: te.Tensor, packed: te.Tensor, sums: Sums
    ) -> tirx.PrimFunc:
        table = te.placeholder((1, self.workload.table_row), "int32", name="bias")
        return requantized(outer, data, packed, table, lambda *at: sums(*at) + table[0, at[-1]])

    def _instance(self, mr: int, channels: int) -> KernelInstance:
        q = self.quantized
        instance = super()._instance(mr, channels)
        return replace(
            instance, epilogue=q.stored(self.workload.epilogue, self.workload.out_channels), zero=q.out_zero
        )


def choose_panels(workload: Conv2dWorkload, isa: Isa, machine: Machine) -> Panels:
    """Tiles by the tiling model; as many panels as fill half of L2 beside a block of the filter."""
    depth, group_out = workload.in_channels // workload.groups, workload.out_channels // workload.groups
    group = isa.channels_per_multiply
    steps = -(-depth // group)
    step_bytes = workload.element_bytes * group
    tiles = RowTiles(isa, PANEL, steps)
    nr = tiles.best(machine, workload.width, group_out, reused=True, step_bytes=step_bytes).nr
    mr = min(isa.largest_mr(nr, PANEL), workload.width)
    panel = mr * steps * step_bytes
    room = max(machine.cache(2).size_bytes // 2 - nr * steps * step_bytes, panel)
    count = -(-workload.width // mr)
    blocks = -(-count // max(1, room // panel))
    return Panels(mr, nr, -(-count // blocks))
