"""``lift`` on a GPU beside what else there is for it, on VGG-16's layers: what the paper's table 3 compares.

As harness.py does for CPUs, with the same rounds and processes; contestants are those of contestants/device.
There is no peak of multiply-adds beside the times: what counts is the device's other contestants.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

import tvm

from relay_strategies.strategies.records import Records
from tvm_directconv.devices import cuda_driver
from tvm_directconv.devices.opencl import choose_device, label_of
from tvm_directconv.errors import BenchmarkError
from tvm_directconv.measure.cpus import choose_cpus
from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu import GpuTarget, resolve_gpu_target
from tvm_directconv.targets.native_gpu import native_gpu
from tvm_directconv.targets.target import resolve_target

from .contestants import Setting
from .contestants.base import check_known
from .contestants.device import ON_DEVICES, on_device, taking_part
from .harness import QUICK_LAYERS, layer_counts, take_rounds
from .host import describe_host
from .lift_result import DEVICE, LiftResult
from .problems import LayerProblem
from .quantized_problems import Problem
from .rounds import Effort

NATIVE_DEVICE = "opencl -device=native"
VGG16 = tuple(
    Conv2dWorkload(1, size, size, channels, filters, (3, 3), padding=(1, 1, 1, 1))
    for channels, size, filters in (
        *((3, 224, 64), (64, 224, 64), (64, 112, 128), (128, 112, 128), (128, 56, 256)),
        *((256, 56, 256), (256, 28, 512), (512, 28, 512), (512, 14, 512)),
    )
)
"""The nine distinct convolutions of VGG-16."""


def bench_lift(
    layers: Sequence[Conv2dWorkload | str] | None = None,
    target: str | Mapping[str, object] | tvm.target.Target | GpuTarget = NATIVE_DEVICE,
    threads: int = 1,
    rounds: int = 7,
    contestants: Sequence[str] | None = None,
    *,
    quick: bool = False,
    records: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> LiftResult:
    """Time single convolutions on the GPU at hand, by default VGG-16's.

    ``layers`` are as for ``bench_layers``, ``target`` is one of GPUs whose device is here; PoCL's kernels run
    on as many of the host's cores as ``threads`` says. Without ``contestants`` all take part that there are
    for its kind. ``quick`` takes few, short rounds, and VGG-16's layers at half their height and width.
    ``records`` are a file of ``tune``'s, whose points take part as lift-tuned. All else is as of
    ``bench_layers``. Raises BenchmarkError, TargetError, TuningError, WorkloadError or ModelError on bad
    input, DeviceError where there is no such device.
    """
    resolved = resolve_gpu_target(target)
    device = _device(resolved)
    if records is not None:
        Records.load(records, must_exist=True)
    names = _names(contestants, resolved, records is not None)
    effort = QUICK_LAYERS if quick else Effort(rounds, block_seconds=0.02, least_calls=2)
    problems = _problems(layers, quick, progress)
    cpus, host = choose_cpus(threads), describe_host() | {DEVICE: device}
    if quick and layers is None:
        host["layers"] = "at half height and width"
    tuned = None if records is None else os.fspath(records)
    team = {name: on_device(name, str(resolved), tuned) for name in names}
    setting = Setting(resolve_target("llvm -mcpu=native"), threads)
    _, comparisons = take_rounds(lambda: problems, team, setting, cpus, effort, progress, with_peak=False)
    return LiftResult(str(resolved), threads, cpus, "", host, comparisons)


def _device(target: GpuTarget) -> str:
    """What reports call the device at hand. Raises BenchmarkError where it is none of the target's."""
    if target.kind == "cuda":
        return cuda_driver.driver().name
    wanted, at_hand = target.machine.device, native_gpu()
    if wanted and wanted != at_hand.device:
        raise BenchmarkError(
            f"the target is a device of '{wanted}', and the OpenCL device at hand is {at_hand.description}; "
            f"time '{NATIVE_DEVICE}'"
        )
    return label_of(choose_device())


def _names(given: Sequence[str] | None, target: GpuTarget, tuned: bool) -> tuple[str, ...]:
    there = taking_part(target.kind, tuned)
    for name in given or ():
        check_known(name, ON_DEVICES, there)
    return there if given is None else tuple(dict.fromkeys(given))


def _problems(
    layers: Sequence[Conv2dWorkload | str] | None, quick: bool, progress: bool | None
) -> list[Problem]:
    counts: dict[Conv2dWorkload, dict[str, int]]
    if layers is None:
        smaller = [replace(w, height=w.height // 2, width=w.width // 2) for w in VGG16]
        counts = {w: {"vgg16": 1} for w in (smaller if quick else VGG16)}
    else:
        counts = layer_counts(layers, True, None, None, progress)
    for workload in counts:
        if workload.quantized or workload.dtype != FLOAT32:
            raise BenchmarkError(f"'{workload}': contestants on GPUs are compared in float32")
    return [LayerProblem(workload, models) for workload, models in counts.items()]
