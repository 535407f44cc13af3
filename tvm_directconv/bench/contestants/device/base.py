"""What contestants on a device share: its target, the conventions of their facts, and time by its clock."""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import tvm

from relay_strategies.passes.device import ScheduleOnDevice
from tvm_directconv.bench.contestants.base import CannotSolve, Contestant, Prepared
from tvm_directconv.bench.problems import LayerProblem
from tvm_directconv.devices.cuda import program_for
from tvm_directconv.devices.device_program import DeviceProgram, Launches
from tvm_directconv.devices.source import DeviceKernels, lower_kernels
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu import GpuTarget, resolve_gpu_target

WORKSPACE, EVERYTHING = "workspace_bytes", "all_bytes"
"""Facts: memory of the device beyond data, filter and output, and with them."""
SECONDS_OF, BYTES_OF = "seconds of ", "bytes of "
"""Facts about a kernel: its least mean seconds in a block of calls, and what it leaves for the next."""
WALL = "time from the first launch to the end of the last, by the host's clock"

Facts: TypeAlias = Mapping[str, str | int | float]


class DeviceContestant(Contestant):
    """A contestant on the device of a target, on single layers in float32."""

    kinds: tuple[str, ...] = ("opencl", "cuda")
    target_text = "opencl -device=native"
    records: str | None = None

    def available(self) -> str | None:
        if self.target.kind not in self.kinds:
            return f"runs on {' and '.join(self.kinds)} alone"
        return super().available()

    @cached_property
    def target(self) -> GpuTarget:
        return resolve_gpu_target(self.target_text)

    @abstractmethod
    def prepare_layer(self, problem: LayerProblem) -> Prepared: ...

    def scheduled(self, functions: Mapping[str, tvm.tirx.PrimFunc]) -> DeviceKernels:
        """Return functions as TVM's own rules schedule them."""
        module = tvm.IRModule({name: f.with_attr("global_symbol", name) for name, f in functions.items()})
        return lower_kernels(ScheduleOnDevice(self.target)(module), self.target.tvm_target)

    def program(self, kernels: DeviceKernels) -> DeviceProgram:
        return program_for(kernels)


def by_events(
    launches: Launches, names: Sequence[str], outputs: Callable[[], list[np.ndarray]], facts: Facts
) -> Prepared:
    """Return launches that are timed by the device's own clock, each kernel under its name of ``names``."""
    known: dict[str, str | int | float] = dict(facts)

    def timer(calls: int) -> float:
        # Each call is launched before the one before it has ended.
        taken = launches.run(calls)
        for name in dict.fromkeys(names):
            seconds = sum(each for kernel, each in zip(names, taken, strict=True) if kernel == name)
            known[SECONDS_OF + name] = min(seconds, float(known.get(SECONDS_OF + name, seconds)))
        return sum(taken)

    return Prepared(launches.run, outputs, timer, known)


def by_wall(
    enqueue: Callable[[], object], queue: Any, outputs: Callable[[], list[np.ndarray]], facts: Facts
) -> Prepared:
    """Return what leaves no event of each of its kernels, timed by the host's clock."""

    def run(calls: int = 1) -> None:
        for _ in range(calls):
            enqueue()
        queue.finish()

    def timer(calls: int) -> float:
        start = time.perf_counter()
        run(calls)
        return (time.perf_counter() - start) / calls

    return Prepared(run, outputs, timer, facts, note=WALL)


def memory_facts(
    problem: LayerProblem, workspace: int, filter_bytes: int | None = None
) -> dict[str, str | int | float]:
    """Return what a contestant's memory comes to, whose filter may be packed."""
    w = problem.workload
    given = problem.data.nbytes + (problem.filter.nbytes if filter_bytes is None else filter_bytes)
    output = w.out_bytes * math.prod(w.output_shape)
    return {WORKSPACE: workspace, EVERYTHING: given + output + workspace}


def plain(workload: Conv2dWorkload) -> Conv2dWorkload:
    """Return the workload; CannotSolve for groups."""
    if workload.groups != 1:
        raise CannotSolve("groups are not compared")
    return workload


def output_shape(workload: Conv2dWorkload) -> tuple[int, ...]:
    """Return the output's shape in NHWC."""
    return workload.in_layouts("NHWC").output_shape
