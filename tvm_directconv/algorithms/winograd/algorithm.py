"""winograd_nhwc: convolutions of 3x3 and 5x5 by fewer multiplications than the definition has.

Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks" (CVPR 2016): F(m x m, r x r) computes
tiles of m x m output pixels from ones of m + r - 1 by m + r - 1 input pixels. Both, and the filter, are
transformed by small matrices (``intrinsics/winograd/``); in between there is one matrix product of channels
for each point of a tile, which are ((m + r - 1) / mr)^2 of the multiplications: of 3x3 4/9, 1/4 and 16/81 for
m = 2, 4 and 6, of 5x5 9/25 for m = 2.

Loops, from the outside: groups, parts of their output channels and blocks of tiles, all three in parallel;
the block of tiles is gathered and transformed; some output channels after the other are multiplied, point by
point, panel by panel, and transformed to the output.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from tvm import te, tirx
from tvm.s_tir import Schedule

from intrinsics.isa import best_isa
from intrinsics.microkernel import ROW
from tvm_directconv.model.cost import Cost
from tvm_directconv.model.knobs import KnobSpace
from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget

from ..accuracy import BY_NAME, FAST, STANDARD, STANDARD_GROWTH
from ..base import Algorithm, KernelPlan
from ..epilogue import Operands
from ..lowering import Expansions, Workspace, called_in_parallel
from . import compute
from .calls import WinogradCalls
from .cost import winograd_cost
from .geometry import TileBlocks, WinogradGeometry
from .knobs import choose_blocks, knob_spaces

PREFIX = "winograd_nhwc"
MOST_BY_ITSELF = 4
"""Larger tiles are used only by name: their errors are ten times the definition's and more."""


@dataclass(frozen=True)
class WinogradPlan(KernelPlan[TileBlocks]):
    """A convolution by tiles of ``outputs`` by ``outputs`` pixels."""

    outputs: int

    @cached_property
    def geometry(self) -> WinogradGeometry:
        return WinogradGeometry(self.workload, self.isa, self.outputs, self.knobs)

    def stages(self, data: te.Tensor, source: te.Tensor, outer: Conv2dWorkload) -> tirx.PrimFunc:
        return compute.te_winograd(self.geometry, source, data, outer)

    def schedule(self, func: tirx.PrimFunc) -> tirx.PrimFunc:
        """The function with the loops of the module's docstring in place of the stages."""
        g = self.geometry
        index = tirx.Var("piece", "int32")
        calls = WinogradCalls(g, Operands.of(self.workload, func), index)
        piece = tirx.For(index, 0, g.pieces, tirx.ForKind.PARALLEL, calls.statement())
        return called_in_parallel(func, piece, self.workspaces)

    def tensorize(self, sch: Schedule) -> None:
        raise AssertionError("the stages of a tile are not blocks of loops that a schedule could cut")

    @property
    def expansions(self) -> Expansions:
        return {}

    @property
    def workspaces(self) -> list[Workspace]:
        return [self.geometry.transformed, self.geometry.products]

    @property
    def packed_filter_shape(self) -> tuple[int, ...]:
        return self.geometry.packed_filter_shape

    def pack(self, weights: np.ndarray) -> np.ndarray:
        return compute.pack(self.geometry, weights)

    def te_pack(self, source: te.Tensor) -> te.Tensor:
        return compute.te_pack(self.geometry, source)

    def cost(self) -> Cost:
        return winograd_cost(self.geometry, self.machine)

    def knob_spaces(self, algorithm: str) -> list[KnobSpace]:
        return knob_spaces(self.geometry, algorithm)

    @property
    def growth(self) -> float:
        """The bound of the error over that of sums as the definition has them, as if pixels were equal."""
        return self.relative_error / super().relative_error

    @property
    def error_reach(self) -> int:
        """Outputs of a tile have shares in the errors of all of its pixels."""
        return self.outputs - 1

    @property
    def sums_in_order(self) -> bool:
        return False

    @property
    def relative_error(self) -> float:
        f, w = self.geometry.filtering, self.workload
        terms = self.geometry.group_in + f.roundings + w.epilogue.bias + w.epilogue.residual
        return f.amplification * self.isa.sum_error(terms, ROW)


class Winograd(Algorithm[TileBlocks]):
    """F(outputs x outputs, taps x taps) of everything in NHWC that it is for."""

    of_parts = True
    amplifies = True

    def __init__(self, outputs: int, taps: int = 3) -> None:
        self.outputs, self.taps = outputs, taps
        filters = "" if taps == 3 else f"_of_{taps}x{taps}"
        self.name = f"{PREFIX}_{outputs}x{outputs}{filters}"  # type: ignore[misc]
        filters = f"filters of {taps}x{taps} without strides or dilation"
        self.needs = f"float32 in NHWC, {filters}, and more than one channel per group"  # type: ignore[misc]

    def layouts(self, workload: Conv2dWorkload, target: CompileTarget) -> tuple[str, str]:
        return "NHWC", "NHWC"

    def applies(self, workload: Conv2dWorkload) -> bool:
        w = workload
        plain = w.kernel == (self.taps, self.taps) and w.strides == w.dilation == (1, 1)
        return plain and w.dtype == FLOAT32 and w.data_layout == w.out_layout == "NHWC" and not w.is_depthwise

    def accuracy(self, workload: Conv2dWorkload, target: CompileTarget) -> str:
        isa = best_isa(target)
        # Errors are the same by any knobs, of which a choice takes long.
        plan = self.make_plan(workload, target, TileBlocks.least(isa))
        if plan.growth <= STANDARD_GROWTH:
            return STANDARD
        return FAST if self.outputs <= MOST_BY_ITSELF else BY_NAME

    def make_plan(
        self, workload: Conv2dWorkload, target: CompileTarget, knobs: TileBlocks | None
    ) -> WinogradPlan:
        isa = best_isa(target)
        if knobs is None:
            least = WinogradGeometry(workload, isa, self.outputs, TileBlocks.least(isa))
            knobs = choose_blocks(least, target.machine)
        return WinogradPlan(workload, isa, target.machine, knobs, self.outputs)


ALGORITHMS = (Winograd(2), Winograd(4), Winograd(6), Winograd(2, taps=5))
