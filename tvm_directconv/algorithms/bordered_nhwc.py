"""bordered_nhwc: direct convolution on NHWC that copies the input with its border; a workspace of that copy.

direct_nhwc's strips, on an input around which padding lies as zeros, or as the zero point of bytes. Vectors
gain nothing by it: a pixel whose tap is outside costs them no instruction. A matrix unit loads sixteen pixels
at once, and beside a border, or the end of a row, direct_nhwc has to copy these to a tile first, for each tap
and block of output channels. Of a bordered input all tiles are loaded as they lie: they go on from one row to
the next over its border, whose sums nothing stores, and end behind the last pixel. The taps of a filter row
are one run of elements, and only the last tile of a run is not full: what it has of other pixels is
multiplied by zeros. (Where that is infinite, or NaN, the sum is NaN: in more outputs than those
whose taps visit it.)

Georganas et al., "Anatomy of high-performance deep learning convolutions on SIMD architectures" (section II),
pad activations for the same reason.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from tvm import te, tirx
from tvm.s_tir import Schedule

from intrinsics.isa import Isa
from intrinsics.microkernel import ROW
from tvm_directconv.model.cost import Cost, pass_cycles
from tvm_directconv.model.knobs import KnobSpace
from tvm_directconv.problem.taps import Axis
from tvm_directconv.problem.workload import MOST_ELEMENTS, Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget

from .accuracy import BY_NAME, EXACT
from .base import Algorithm, KernelPlan
from .byte_packing import kernel_isa
from .direct_nhwc import choose_tile
from .lowering import FOLDED, MATRIX, Expansions
from .packing import as_oihw, tap
from .strips.geometry import Strides, StripGeometry, Tile
from .strips.plan import StripPlan, strip_plan

BORDERED = "bordered"


@dataclass(frozen=True)
class Bordered:
    """A bordered copy: the extents of an image in it, and the convolution of it, in terms of other channels
    where a filter row's taps are one run of elements, which tiles read past as far as they are whole."""

    height: int
    width: int
    workload: Conv2dWorkload
    stored: Strides | None
    """Offsets of pixels whose channels are runs."""

    @staticmethod
    def of(workload: Conv2dWorkload, isa: Isa) -> Bordered:
        w = workload
        height, width = (axis.visited for axis in (Axis.of(w, 0), Axis.of(w, 1)))
        plain = replace(
            w, height=height, width=width, padding=(0, 0, 0, 0), storage=replace(w.storage, data_part=None)
        )
        run, whole = w.kernel[1] * w.in_channels, isa.tile_rows * isa.channels_per_step(ROW)
        contiguous = w.groups == 1 and w.dilation[1] == 1 and w.kernel[0] > 1
        few = w.batch * height * w.out_width * (run + whole) <= MOST_ELEMENTS
        if isa.tile_rows == 1 or not contiguous or not few:
            return Bordered(height, width, plain, None)
        runs = replace(
            plain,
            width=w.out_width,
            in_channels=-(-run // whole) * whole,
            kernel=(w.kernel[0], 1),
            strides=(w.strides[0], 1),
            filter_layout="OIHW",
        )
        row, pixel = width * w.in_channels, w.strides[1] * w.in_channels
        stored = Strides(height * row, row, pixel, 1, runs.in_channels, 0)
        return Bordered(height, width, runs, stored)


@dataclass(frozen=True)
class BorderedPlan(KernelPlan[Tile]):
    """A convolution by strips of a bordered copy. Its workspace is the copy: all rows and columns of all
    images that any tap visits, and behind them what a last tile of one pixel reads."""

    @cached_property
    def bordered(self) -> Bordered:
        return Bordered.of(self.workload, self.isa)

    @cached_property
    def inner(self) -> StripPlan:
        """The strips, of a workload without padding."""
        b = self.bordered
        return strip_plan(b.workload, self.isa, self.machine, self.knobs, b.stored)

    @property
    def geometry(self) -> StripGeometry:
        return self.inner.geometry

    @property
    def sums_in_order(self) -> bool:
        return self.inner.sums_in_order

    @property
    def copy_shape(self) -> tuple[int, int, int]:
        """Rows of all images, columns and channels."""
        w, b, g = self.workload, self.bordered, self.geometry
        behind = (self.isa.tile_rows - 1) * g.pixel_step + g.group_in - w.in_channels // w.groups
        return w.batch * b.height + -(-behind // (b.width * w.in_channels)), b.width, w.in_channels

    # ---- the function

    def compute(self) -> tirx.PrimFunc:
        """Stage bordered, then those of the strips."""
        data = te.placeholder(self.workload.stored_input_shape, self.workload.dtype, name="data")
        return self.stages(data, data, self.workload)

    def stages(self, data: te.Tensor, source: te.Tensor, outer: Conv2dWorkload) -> tirx.PrimFunc:
        w, b = self.workload, self.bordered
        copy = te.compute(self.copy_shape, self._element(source), name=BORDERED, attrs=MATRIX)

        def element(n: tirx.Var, y: tirx.Var, x: tirx.Var, c: tirx.Var) -> tirx.Expr:
            if b.stored is None:
                return copy[n * b.height + y, x, c]
            column, channel = x * w.strides[1] + c // w.in_channels, c % w.in_channels
            value = copy[n * b.height + y, column, channel]
            return tirx.if_then_else(c < w.kernel[1] * w.in_channels, value, tirx.const(0, w.dtype))

        images = te.compute(b.workload.input_shape, element, name="images", attrs=FOLDED)
        return self.inner.stages(data, images, outer)

    def _element(self, data: te.Tensor) -> Any:
        w, height = self.workload, self.bordered.height
        (top, left, _, _), (first, _) = w.padding, w.data_slice
        border = tirx.const(w.quantized.data_zero if w.quantized else 0, w.dtype)

        def element(row: tirx.Var, column: tirx.Var, channel: tirx.Var) -> tirx.Expr:
            image, y = (row // height, row % height) if w.batch > 1 else (tirx.IntImm("int32", 0), row)
            y, x = y - top, column - left
            inside = tirx.all(y >= 0, y < w.height, x >= 0, x < w.width, image < w.batch)
            return tirx.if_then_else(inside, data[image, y, x, first + channel], border)

        return element

    def tensorize(self, sch: Schedule) -> None:
        """Rows of the copy in parallel, by vectors as far as pixels are whole ones; then the strips."""
        self.inner.tensorize(sch)
        block = sch.get_sblock(BORDERED)
        sch.set_scope(block, 0, "local")
        row, _, channel = sch.get_loops(block)
        sch.parallel(row)
        sch.vectorize(sch.split(channel, [None, self._copied_at_once])[1])

    @property
    def _copied_at_once(self) -> int:
        w = self.workload
        return math.gcd(w.in_channels, self.isa.vector_bytes // w.element_bytes)

    @property
    def expansions(self) -> Expansions:
        return self.inner.expansions

    @property
    def workspace_bytes(self) -> int:
        """The copy, one for all threads."""
        return self.workload.element_bytes * math.prod(self.copy_shape)

    # ---- the filter

    @property
    def packed_filter_shape(self) -> tuple[int, ...]:
        return self.inner.packed_filter_shape

    def pack(self, weights: np.ndarray) -> np.ndarray:
        return self.inner.pack(self._of_runs(weights))

    def te_pack(self, source: te.Tensor) -> te.Tensor:
        w, inner = self.workload, self.bordered.workload
        if self.bordered.stored is None:
            return self.inner.te_pack(source)

        def element(oc: tirx.Var, c: tirx.Var, kh: tirx.Var, kw: tirx.Var) -> tirx.Expr:
            value = tap(w, source, O=oc, I=c % w.in_channels, H=kh, W=c // w.in_channels)
            return tirx.if_then_else(c < w.kernel[1] * w.in_channels, value, tirx.const(0, w.dtype))

        return self.inner.te_pack(te.compute(inner.filter_shape, element, name="filter_of_runs"))

    def bias_table(self, weights: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
        return self.inner.bias_table(self._of_runs(weights), bias)

    def _of_runs(self, weights: np.ndarray) -> np.ndarray:
        """The filter as the inner workload has it: zeros behind a run."""
        w, inner = self.workload, self.bordered.workload
        if self.bordered.stored is None:
            return weights
        runs = as_oihw(w, weights).transpose(0, 3, 1, 2).reshape(w.out_channels, -1, w.kernel[0], 1)
        behind = inner.in_channels - runs.shape[1]
        return np.pad(runs, ((0, 0), (0, behind), (0, 0), (0, 0)))

    # ---- what is known of it

    @property
    def figures(self) -> Mapping[str, float]:
        return self.inner.figures

    def cost(self) -> Cost:
        """The strips', and the copy: a pass over what it reads and writes, of which a pixel's channels are
        read and written at once, and no less than a vector."""
        strips, piece = self.inner.cost(), self._copied_at_once * self.workload.element_bytes
        copied = 2 * self.workspace_bytes
        packing = pass_cycles(self.machine, copied) * max(1.0, self.isa.vector_bytes / piece)
        return replace(strips, packing=strips.packing + packing)

    def describe(self) -> Mapping[str, Any]:
        return {"copied_bytes": self.workspace_bytes} | dict(self.inner.describe())

    def knob_spaces(self, algorithm: str) -> list[KnobSpace]:
        return self.inner.knob_spaces(algorithm)


class BorderedNhwc(Algorithm[Tile]):
    """Everything in NHWC, floats of both precisions and bytes, but depthwise and 1x1 layers."""

    name = "bordered_nhwc"
    needs = "NHWC data, a filter of more than one tap, and more than one channel per group"
    of_bytes = True
    of_parts = True

    def accuracy(self, workload: Conv2dWorkload, target: CompileTarget) -> str:
        """Return the accuracy: the definition's; but vectors, which gain nothing, are used only by name."""
        return EXACT if kernel_isa(workload, target, ROW).tile_rows > 1 else BY_NAME

    def layouts(self, workload: Conv2dWorkload, target: CompileTarget) -> tuple[str, str]:
        return "NHWC", "NHWC"

    def applies(self, workload: Conv2dWorkload) -> bool:
        w = workload
        several = w.kernel != (1, 1) and not w.is_depthwise
        return several and w.data_layout == w.out_layout == "NHWC"

    def make_plan(self, workload: Conv2dWorkload, target: CompileTarget, knobs: Tile | None) -> BorderedPlan:
        isa = kernel_isa(workload, target, ROW)
        copy = Bordered.of(workload, isa)
        tile = knobs or choose_tile(copy.workload, isa, target.machine, bordered=True, stored=copy.stored)
        return BorderedPlan(workload, isa, target.machine, tile)


ALGORITHMS = (BorderedNhwc(),)
