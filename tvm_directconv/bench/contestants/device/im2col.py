"""im2col and a matrix product, which lift's paper compares with. The lowering is ours, a kernel that pads as
it gathers; the product is lift's own, scheduled by dlight, or CLBlast's: a contestant each.

The lowering is NHWC's, rows of pixels and columns of taps by channels, whose neighbours are neighbours in the
input, too. A 1x1 layer without strides is a matrix already.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from tvm import te, tirx
from tvm.s_tir import Schedule

from relay_strategies.relax.kernels import SCHEDULED
from relay_strategies.strategies.gpu import LIFT
from tvm_directconv.algorithms.lift.plan import LiftPlan
from tvm_directconv.bench.contestants.base import Prepared
from tvm_directconv.bench.problems import LayerProblem
from tvm_directconv.devices.device_program import Launches, Step
from tvm_directconv.problem.workload import Conv2dWorkload

from .base import DeviceContestant, Facts, by_events, by_wall, memory_facts, output_shape, plain
from .clblast import Gemm, missing_clblast

LOWER, MULTIPLY = "im2col", "gemm"
THREADS = 64
"""Neighbouring elements of the matrix in a group, one to a thread."""


@dataclass(frozen=True)
class Lowering:
    """The matrices of a layer: ``pixels`` x ``taps`` times ``taps`` x filters."""

    workload: Conv2dWorkload

    @property
    def pixels(self) -> int:
        w = self.workload
        return w.batch * w.out_height * w.out_width

    @property
    def taps(self) -> int:
        w = self.workload
        return w.kernel[0] * w.kernel[1] * w.in_channels

    @cached_property
    def is_identity(self) -> bool:
        w = self.workload
        return w.kernel == w.strides == (1, 1) and not any(w.padding)

    @property
    def matrix_bytes(self) -> int:
        """Return the bytes of the lowered matrix, where there is one beside the input."""
        return 0 if self.is_identity else 4 * self.pixels * self.taps

    def lower(self) -> dict[str, tirx.PrimFunc]:
        """Return what makes the matrix of the data; nothing where that is one."""
        if self.is_identity:
            return {}
        w = self.workload
        data = te.placeholder((w.batch, w.height, w.width, w.in_channels), name="data")

        def element(n: tirx.Var, y: tirx.Var, x: tirx.Var, i: tirx.Var, j: tirx.Var, c: tirx.Var) -> Any:
            row = y * w.strides[0] + i * w.dilation[0] - w.padding[0]
            column = x * w.strides[1] + j * w.dilation[1] - w.padding[1]
            inside = tirx.all(row >= 0, row < w.height, column >= 0, column < w.width)
            return tirx.if_then_else(inside, data[n, row, column, c], tirx.const(0, "float32"))

        shape = (w.batch, w.out_height, w.out_width, *w.kernel, w.in_channels)
        func = te.create_prim_func([data, te.compute(shape, element, name="matrix")])
        sch = Schedule(func)
        elements = sch.fuse(*sch.get_loops(sch.get_sblock("matrix")))
        group, thread = sch.split(elements, [None, THREADS])
        sch.bind(group, "blockIdx.x")
        sch.bind(thread, "threadIdx.x")
        return {LOWER: sch.mod["main"].with_attr(SCHEDULED, True)}

    def multiply(self) -> tirx.PrimFunc:
        """Return the product of the matrix and the filters, in the output."""
        matrix = te.placeholder((self.pixels, self.taps), name="matrix")
        filters = te.placeholder((self.taps, self.workload.out_channels), name="filters")
        tap = te.reduce_axis((0, self.taps), name="tap")
        product = te.compute(
            (self.pixels, self.workload.out_channels),
            lambda pixel, channel: te.sum(matrix[pixel, tap] * filters[tap, channel], axis=tap),
            name="product",
        )
        return te.create_prim_func([matrix, filters, product])


class Im2col(DeviceContestant):
    """The lowering; who multiplies the matrices is a class of its own."""

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        lowering = Lowering(plain(problem.workload))
        filters = np.ascontiguousarray(problem.filter.transpose(2, 3, 1, 0)).reshape(lowering.taps, -1)
        filters = self.packed(lowering, filters)
        shape = output_shape(problem.workload)
        functions = self.functions(lowering)
        program = self.program(self.scheduled(functions))
        data, filter_, output = (
            program.upload(a) for a in (problem.data, filters, np.full(shape, np.nan, np.float32))
        )
        matrix = data if lowering.is_identity else program.buffer(lowering.matrix_bytes)
        given = {LOWER: (data, matrix), MULTIPLY: (matrix, filter_, output)}
        buffers: list[Any] = []
        steps: list[Step] = []
        names: list[str] = []
        for function in functions:
            spaces = [program.buffer(size) for size in program.functions[function].workspaces]
            first, behind = len(buffers), len(buffers) + len(given[function])
            buffers += [*given[function], *spaces]
            more = program.steps(function, range(first, behind), range(behind, len(buffers)))
            steps += more
            names += [function] * len(more)
        workspace = lowering.matrix_bytes + sum(
            program.functions[function].workspace_bytes for function in functions
        )
        return self.timed(
            lowering,
            given[MULTIPLY],
            (program.bind(steps, buffers), names),
            lambda: [program.download(output, shape, np.float32)],
            memory_facts(problem, workspace, filters.nbytes),
        )

    def packed(self, lowering: Lowering, filters: np.ndarray) -> np.ndarray:
        """Return filters, taps by channels, as the product wants them."""
        return filters

    @abstractmethod
    def functions(self, lowering: Lowering) -> dict[str, tirx.PrimFunc]:
        """Return what is launched of LOWER and MULTIPLY, in order."""

    def timed(
        self,
        lowering: Lowering,
        operands: tuple[Any, Any, Any],
        launches: tuple[Launches, list[str]],
        outputs: Callable[[], list[np.ndarray]],
        facts: Facts,
    ) -> Prepared:
        """Return the launches, each under its function's name, and what else there is to do, ready to run.
        ``operands`` are the buffers of the matrix, the filters and the output."""
        return by_events(*launches, outputs, facts)


class Im2colDlight(Im2col):
    name = "im2col+dlight"

    def functions(self, lowering: Lowering) -> dict[str, tirx.PrimFunc]:
        return lowering.lower() | {MULTIPLY: lowering.multiply()}


class Im2colLift(Im2col):
    """The product is a 1x1 convolution of the matrix to lift."""

    name = "im2col+lift"

    def functions(self, lowering: Lowering) -> dict[str, tirx.PrimFunc]:
        plan = self._plan(lowering)
        multiply = plan.schedule(plan.compute()).with_attr(SCHEDULED, True)
        return lowering.lower() | {MULTIPLY: multiply}

    def packed(self, lowering: Lowering, filters: np.ndarray) -> np.ndarray:
        return self._plan(lowering).pack(np.ascontiguousarray(filters.T)[:, :, None, None])

    def _plan(self, lowering: Lowering) -> LiftPlan:
        w = lowering.workload
        product = Conv2dWorkload(w.batch, w.out_height, w.out_width, lowering.taps, w.out_channels, (1, 1))
        return LIFT.make_plan(product, self.target, None)


class Im2colClBlast(Im2col):
    name = "im2col+clblast"
    kinds = ("opencl",)

    def available(self) -> str | None:
        return super().available() or missing_clblast()

    def functions(self, lowering: Lowering) -> dict[str, tirx.PrimFunc]:
        return lowering.lower()

    def timed(
        self,
        lowering: Lowering,
        operands: tuple[Any, Any, Any],
        launches: tuple[Launches, list[str]],
        outputs: Callable[[], list[np.ndarray]],
        facts: Facts,
    ) -> Prepared:
        own, _ = launches
        extents = lowering.pixels, lowering.workload.out_channels, lowering.taps
        gemm = Gemm(own.program.queue, extents, operands)
        known = {name: int(size) + gemm.workspace_bytes for name, size in facts.items()}

        def enqueue() -> None:
            own.enqueue()
            gemm()

        return by_wall(enqueue, own.program.queue, outputs, known)
