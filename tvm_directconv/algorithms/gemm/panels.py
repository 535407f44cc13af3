"""The products of im2col_gemm in 8 bits: over rows of the lowered matrix, or over interleaved panels of it.

Where an instruction set multiplies what it broadcasts from rows, the product is a 1x1 convolution over the
lowered matrix. Elsewhere (Neon without dot products, matrix instructions) the matrix is interleaved: stage
``panel`` [M / mr, K / group, mr, group] in the place of the matrix itself, and the filter interleaved and
block-transposed at compile time, [OC / nr, K / group, nr, group], both padded to whole blocks. With group 16
and tiles of 4x4 that is the convolution of TVM's RFC "Improve quantized convolution performance for armv8
architectures" (2020), whose K is padded likewise.

In both the taps outside the image hold the input's zero point, so that all sums start from one bias.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from tvm import te, tirx
from tvm.s_tir import SBlock, Schedule

from intrinsics.isa import Isa
from intrinsics.microkernel import PANEL, KernelInstance, MicroKernel, Segment, TileEpilogue
from intrinsics.tensorize import ByteGemm
from tvm_directconv.algorithms.strips.bytes import te_requantized
from tvm_directconv.model.cost import STREAMED, Cost, level_holding, traffic_cycles
from tvm_directconv.model.knobs import KnobSpace, divisions, with_choice
from tvm_directconv.model.tiling import MAX_VECTORS, best_nr, row_cycles
from tvm_directconv.problem.quantization import SHORT, TERMS, QuantizedTypes, Taps, bias_table
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import Machine

PANEL_BUFFER = "panel"
OTHER_SIGN = {"uint8": "int8", "int8": "uint8"}
PACKED_BYTES_PER_CYCLE = 4
"""Of the interleaved matrix; estimated."""


@dataclass(frozen=True)
class Panels:
    """The knobs: tiles of ``mr`` pixels by ``nr`` channels; ``panels`` of the matrix walked for one block of
    channels before the next."""

    mr: int
    nr: int
    panels: int


@dataclass(frozen=True)
class BytePanelPlan:
    """Geometry of the product of one 8-bit workload over interleaved panels.

    ``workload`` is the product, a 1x1 convolution over the lowered matrix, whose input only has the shape.
    """

    workload: Conv2dWorkload
    isa: Isa
    knobs: Panels

    @cached_property
    def quantized(self) -> QuantizedTypes:
        assert self.workload.quantized is not None
        return self.workload.quantized

    @property
    def groups(self) -> int:
        return self.workload.groups

    @property
    def pixels(self) -> int:
        return self.workload.width

    @property
    def depth(self) -> int:
        """Of one group: its channels times taps."""
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

    @cached_property
    def terms(self) -> int:
        dtype = self.quantized.filter_dtype
        return 1 if SHORT.get(dtype) in self.isa.rhs else TERMS[dtype]

    @property
    def filter_dtype(self) -> str:
        return self.quantized.filter_dtype if self.terms == 1 else "int8"

    @cached_property
    def moved(self) -> int:
        return self.isa.lhs_offset(SHORT[self.workload.dtype])

    @property
    def panel_dtype(self) -> str:
        """Of the interleaved matrix, which kernels multiply as it is."""
        return OTHER_SIGN[self.workload.dtype] if self.moved else self.workload.dtype

    @property
    def panel_shape(self) -> tuple[int, ...]:
        return self.groups, self.padded_panels, self.steps, self.knobs.mr, self.isa.channels_per_multiply

    @property
    def packed_filter_shape(self) -> tuple[int, ...]:
        blocks = self.groups * self.group_blocks
        return blocks, 1, self.terms, self.steps, self.knobs.nr, self.isa.channels_per_multiply

    def table(self, weights: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
        """The bias operand of a filter [OC, K, 1, 1]."""
        one_tap = Taps((0,), ((0, 1),))
        zero = self.quantized.data_zero + self.moved
        return bias_table(self.workload, zero, weights, bias, (one_tap, one_tap))

    @property
    def intrinsic(self) -> ByteGemm:
        k = self.knobs
        return ByteGemm(
            k.mr,
            k.nr,
            self.steps,
            self.isa.channels_per_multiply,
            self.terms,
            self.panel_dtype,
            self.filter_dtype,
        )

    # ---- kernel calls

    def expand(self, func: tirx.PrimFunc, tile: SBlock) -> tirx.Stmt:
        """The kernel call of a tile; tails where the extents leave any."""
        group, panel, block = (tile.writes[0].region[axis].min for axis in range(3))
        short, tail = self.pixels % self.knobs.mr, self.group_out % self.knobs.nr
        rows, columns = min(self.knobs.mr, self.pixels), min(self.knobs.nr, self.group_out)

        def of_rows(mr: int) -> tirx.Stmt:
            full = self._call(func, group, panel, block, mr, columns)
            if not tail or self.group_out < self.knobs.nr:
                return full
            last = self._call(func, group, panel, block, mr, tail)
            return tirx.IfThenElse(tirx.EQ(block, self.group_blocks - 1), last, full)

        stmt = of_rows(rows)
        if short and self.panels > 1:
            stmt = tirx.IfThenElse(tirx.EQ(panel, self.panels - 1), of_rows(short), stmt)
        if self.padded_panels > self.panels:
            stmt = tirx.IfThenElse(panel < self.panels, stmt, None)
        return stmt

    def _call(
        self,
        func: tirx.PrimFunc,
        group: tirx.Expr,
        panel: tirx.Expr,
        block: tirx.Expr,
        mr: int,
        channels: int,
    ) -> tirx.Stmt:
        _, packed, table, *scale, output = func.params
        of_panel = next(b for b in func.body.block.alloc_buffers if b.name.startswith(PANEL_BUFFER))
        instance = self._instance(mr, channels)
        channel = group * self.group_out + block * self.knobs.nr
        panel_size = math.prod(self.panel_shape[2:])
        block_size = math.prod(self.packed_filter_shape[1:])
        pointers = [
            output.access_ptr("w", offset=panel * self.knobs.mr * self.workload.out_channels + channel),
            of_panel.access_ptr("r", offset=(group * self.padded_panels + panel) * panel_size),
            packed.access_ptr("r", offset=(group * self.group_blocks + block) * block_size),
            table.access_ptr("r", offset=channel),
        ]
        # Sums that are stored as they are have no scale, and any pointer will do.
        pointers.append(scale[0].access_ptr("r", offset=channel) if scale else pointers[0])
        return tirx.Evaluate(tirx.call_extern("int32", instance.name, *pointers, tirx.IntImm("int64", 1)))

    def _instance(self, mr: int, channels: int) -> KernelInstance:
        k, q, lanes = self.knobs, self.quantized, self.isa.lanes
        types = "_".join(SHORT[dtype] for dtype in (q.out_dtype, self.panel_dtype, self.filter_dtype))
        wide = -(-channels // lanes) * lanes
        low, high = q.stored_bounds(self.workload.epilogue.low, self.workload.epilogue.high)
        term = self.steps * k.nr * self.isa.channels_per_multiply
        return KernelInstance(
            MicroKernel(mr, wide, PANEL, self.isa.name, types),
            channels,
            a_row=self.isa.channels_per_multiply,
            a_step=0,
            b_row=k.nr * self.isa.channels_per_multiply,
            b_step=0,
            c_row=self.workload.out_channels,
            segments=tuple(Segment(0, mr, 0, t * term, self.depth) for t in range(self.terms)),
            epilogue=TileEpilogue(bias=True, low=low, high=high),
            a_k=k.mr,
            zero=q.out_zero,
        )

    def cost(self, machine: Machine) -> Cost:
        """Tiles of whole panels, and the matrix written and read again."""
        steps = self.terms * self.steps
        arithmetic = self.groups * row_cycles(
            self.isa, machine, self.pixels, self.group_out, self.knobs.nr, PANEL, steps
        )
        matrix = math.prod(self.panel_shape)
        level = level_holding(machine, matrix)
        filter_bytes = math.prod(self.packed_filter_shape)
        moved = {level: 2.0 * matrix}
        from_level = level_holding(machine, filter_bytes)
        blocks = -(-self.panels // self.knobs.panels)
        moved[from_level] = moved.get(from_level, 0.0) + filter_bytes * blocks
        beyond = {at: size for at, size in moved.items() if at > 1}
        return Cost(
            arithmetic,
            packing=matrix / PACKED_BYTES_PER_CYCLE,
            traffic=STREAMED * traffic_cycles(machine, beyond),
        )


def choose_panels(workload: Conv2dWorkload, isa: Isa, machine: Machine) -> Panels:
    """Tiles by the tiling model; as many panels as fill half of L2 beside a block of the filter."""
    depth, group_out = workload.in_channels // workload.groups, workload.out_channels // workload.groups
    steps = -(-depth // isa.channels_per_multiply)
    nr = best_nr(
        isa,
        machine,
        workload.width,
        group_out,
        PANEL,
        steps,
        reused=True,
        step_bytes=isa.channels_per_multiply,
    )
    mr = min(isa.largest_mr(nr, PANEL), workload.width)
    panel = mr * steps * isa.channels_per_multiply
    room = max(machine.cache(2).size_bytes // 2 - nr * steps * isa.channels_per_multiply, panel)
    count = -(-workload.width // mr)
    blocks = -(-count // max(1, room // panel))
    return Panels(mr, nr, -(-count // blocks))


def panel_spaces(plan: BytePanelPlan, algorithm: str) -> list[KnobSpace]:
    """What a tuner may choose, by micro-kernel: panels per block."""
    isa, spaces = plan.isa, []
    for vectors in range(1, min(MAX_VECTORS, -(-plan.group_out // isa.lanes)) + 1):
        nr = vectors * isa.lanes
        mr = min(isa.largest_mr(nr, PANEL), plan.pixels)
        if mr:
            choices = {"panels": divisions(-(-plan.pixels // mr))}
            spaces.append(KnobSpace(algorithm, f"{mr}x{nr}", Panels, {"mr": mr, "nr": nr}, choices))
    return with_choice(spaces, algorithm, f"{plan.knobs.mr}x{plan.knobs.nr}", plan.knobs)


def te_byte_panels(
    plan: BytePanelPlan, data: te.Tensor, matrix: te.Tensor, outer: Conv2dWorkload
) -> tirx.PrimFunc:
    """The product in TE: (data, packed filter, bias table[, scale], output).

    ``matrix`` [1, 1, M, K of all groups] is what is interleaved; stages panel, conv and epilogue.
    """
    p, w, k = plan, plan.workload, plan.knobs
    packed = te.placeholder(p.packed_filter_shape, p.filter_dtype, name="packed_filter")
    table = te.placeholder((1, w.out_channels), "int32", name="bias")
    scale = te.placeholder((w.out_channels,), "float32", name="scale")

    def interleaved(g: tirx.Var, at: tirx.Var, step: tirx.Var, m: tirx.Var, i: tirx.Var) -> tirx.Expr:
        pixel, depth = at * k.mr + m, step * p.isa.channels_per_multiply + i
        inside = tirx.all(pixel < p.pixels, depth < p.depth)
        value = matrix(0, 0, tirx.min(pixel, p.pixels - 1), g * p.depth + tirx.min(depth, p.depth - 1))
        if p.moved:
            value = tirx.Cast(p.panel_dtype, tirx.Cast("int32", value) + p.moved)
        return tirx.if_then_else(inside, value, tirx.const(0, p.panel_dtype))

    panel = te.compute(p.panel_shape, interleaved, name=PANEL_BUFFER)
    term = te.reduce_axis((0, p.terms), name="term")
    ko = te.reduce_axis((0, p.steps), name="ko")
    ki = te.reduce_axis((0, p.isa.channels_per_multiply), name="ki")

    def product(g: tirx.Var, at: tirx.Var, b: tirx.Var, m: tirx.Var, n: tirx.Var) -> tirx.Expr:
        left = tirx.Cast("int32", panel[g, at, ko, m, ki])
        right = tirx.Cast("int32", packed[g * p.group_blocks + b, 0, term, ko, n, ki])
        return te.sum(left * right, axis=[term, ko, ki])

    shape = (p.groups, p.padded_panels, p.group_blocks, k.mr, k.nr)
    conv = te.compute(shape, product, name="conv")

    def finished(n: tirx.Var, y: tirx.Var, x: tirx.Var, oc: tirx.Var) -> tirx.Expr:
        pixel = (n * outer.out_height + y) * outer.out_width + x
        within = oc % p.group_out
        total = conv[oc // p.group_out, pixel // k.mr, within // k.nr, pixel % k.mr, within % k.nr]
        return te_requantized(w, total + table[0, oc], scale, oc)

    output = te.compute(outer.output_shape, finished, name="epilogue")
    extra = [] if p.quantized.out_dtype == "int32" else [scale]
    return te.create_prim_func([data, packed, table, *extra, output])


def tensorized_panels(func: tirx.PrimFunc, plan: BytePanelPlan) -> Schedule:
    """Loops group, block of panels (both shared by threads), block of channels, panel, tile; the matrix is
    interleaved by panels in parallel before them."""
    sch = Schedule(func)
    conv = sch.get_sblock("conv")
    group, panel, block, m, *_ = sch.get_loops(conv)
    outer, inner = sch.split(panel, [None, plan.knobs.panels])
    sch.reorder(group, outer, block, inner, m)
    sch.parallel(sch.fuse(group, outer))
    sch.decompose_reduction(conv, m)
    sch.tensorize(m, plan.intrinsic.register())
    packing = sch.get_sblock(PANEL_BUFFER)
    sch.set_scope(packing, 0, "local")
    group, panel, *_ = sch.get_loops(packing)
    sch.parallel(sch.fuse(group, panel))
    return sch
