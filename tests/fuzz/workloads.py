"""Convolutions drawn at random, small enough to compute in float64, odd in every way there is."""

from __future__ import annotations

import math
import random
import shutil
from functools import cache
from typing import Any

import numpy as np
import tvm
from emulation import ARCHITECTURES, CPUS, EmulatedCpu, emulate
from operator_support import CANARIES, INPUT_GUARDS, guarded
from support import BYTE_TARGETS, ISA_TARGETS, Compiled
from tvm import tirx

from intrinsics.epilogue import (
    ChannelScale,
    ChannelShift,
    Elu,
    Gelu,
    HardSwish,
    Mish,
    PRelu,
    Residual,
    Sigmoid,
    Silu,
    Step,
)
from tvm_directconv.algorithms.base import Algorithm
from tvm_directconv.errors import TargetError
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.targets.target import CompileTarget, require_host, resolve_target

CHANNELS = (1, 2, 3, 4, 5, 7, 8, 11, 15, 16, 17, 24, 31, 32, 33, 40, 48, 63, 64, 65, 96, 128, 200, 257, 512)
KERNELS = (1, 1, 1, 2, 3, 3, 3, 4, 5, 7, 11)
MOST_MULTIPLICATIONS = 20_000_000
EMULATED_SHARE = 0.15
KNOBS_SHARE = 0.3


def draw_workload(rng: random.Random) -> Conv2dWorkload:
    while True:
        workload = _any_workload(rng)
        if workload is not None and workload.flops // 2 <= MOST_MULTIPLICATIONS:
            return workload


ACTIVATIONS: tuple[tuple[type[Step], ...], ...] = (
    (),
    (),
    (Silu,),
    (Gelu,),
    (HardSwish,),
    (Elu, Mish),
    (Sigmoid,),
)


def _any_workload(rng: random.Random) -> Conv2dWorkload | None:
    channels = rng.choice(CHANNELS)
    groups, out_channels = 1, rng.choice(CHANNELS)
    kind = rng.random()
    if kind < 0.15:
        groups, out_channels = channels, channels * rng.choice((1, 1, 1, 2, 3))
    elif kind < 0.3:
        groups = rng.choice([g for g in range(1, channels + 1) if channels % g == 0])
        out_channels = groups * rng.choice((1, 2, 3, 5, 8, 16))
    square = rng.random() < 0.7
    kernel = _pair(rng, KERNELS, square)
    steps: list[Step] = [kind() for kind in rng.choice(ACTIVATIONS)]
    bias = rng.random() < 0.6
    if bias and rng.random() < 0.2:  # constants of channels lie behind the bias
        rows = rng.choice(((PRelu,), (ChannelScale, ChannelShift)))
        steps += [row((1 + at) * out_channels) for at, row in enumerate(rows)]
    if rng.random() < 0.3:
        steps.insert(rng.choice((0, len(steps))), Residual())
    epilogue = Epilogue(
        bias=bias,
        steps=steps,
        low=rng.choice((-math.inf, -math.inf, 0.0, -1.5)),
        high=rng.choice((math.inf, math.inf, 6.0)),
    )
    padding = tuple(rng.choice((0, 0, 1, 1, 2, 3, size)) for size in (*kernel, *kernel))
    if square and rng.random() < 0.5:
        padding = (kernel[0] // 2,) * 4
    try:
        return Conv2dWorkload(
            rng.choice((1, 1, 1, 2, 3)),
            rng.choice((1, 2, 3, 5, 7, 8, 13, 14, 17, 28, 31)),
            rng.choice((1, 2, 3, 5, 7, 8, 13, 14, 19, 28, 37)),
            channels,
            out_channels,
            kernel,
            _pair(rng, (1, 1, 1, 2, 2, 3), square),
            padding,
            _pair(rng, (1, 1, 1, 1, 2, 3), square),
            groups,
            filter_layout=rng.choice(("OIHW", "OIHW", "HWIO", "OHWI")),
            epilogue=epilogue,
        )
    except ValueError:
        return None  # no output


def _pair(rng: random.Random, choices: tuple[int, ...], square: bool) -> tuple[int, int]:
    first = rng.choice(choices)
    return first, first if square else rng.choice(choices)


@cache
def native_targets(of_bytes: bool) -> list[CompileTarget]:
    """A target for every instruction set that this host can run."""
    found = []
    for text in dict.fromkeys((BYTE_TARGETS if of_bytes else ISA_TARGETS).values()):
        target = resolve_target(text)
        try:
            require_host(target)
        except TargetError:
            continue
        found.append(target)
    return found


@cache
def emulated_targets() -> list[EmulatedCpu]:
    """The foreign CPUs whose emulator and linker are installed."""

    def installed(cpu: EmulatedCpu) -> bool:
        tools = ARCHITECTURES[cpu.target.arch]
        return all(map(shutil.which, (tools.compiler, tools.emulator)))

    return list(filter(installed, CPUS.values()))


def draw_target(rng: random.Random, of_bytes: bool) -> tuple[CompileTarget, EmulatedCpu | None]:
    """A target, and the CPU to emulate where it is a foreign one."""
    if emulated_targets() and rng.random() < EMULATED_SHARE:
        cpu = rng.choice(emulated_targets())
        return cpu.target, cpu
    return rng.choice(native_targets(of_bytes)), None


def draw_knobs(
    rng: random.Random, algorithm: Algorithm[Any], workload: Conv2dWorkload, target: CompileTarget
) -> Any:
    """Any valid knobs, or None for the analytical choice."""
    spaces = algorithm.knob_spaces(workload, target) if rng.random() < KNOBS_SHARE else []
    return rng.choice(list(rng.choice(spaces).points())) if spaces else None


def run(
    func: tirx.PrimFunc, arrays: list[np.ndarray], target: CompileTarget, cpu: EmulatedCpu | None
) -> np.ndarray:
    """The last of ``arrays`` after a call, made between guard zones where this host can make it."""
    if cpu is not None:
        (result,) = emulate(cpu, {"conv2d": func}, [("conv2d", arrays)])
        return result.tensors[-1]
    executable = Compiled({"conv2d": func}, target)
    *inputs, output = arrays
    zones = [guarded(array.shape, array.dtype, INPUT_GUARDS[str(array.dtype)]) for array in inputs]
    canary = CANARIES.get(str(output.dtype), -1234)
    around, inside = guarded(output.shape, output.dtype, canary)
    for (_, zone), array in zip(zones, inputs, strict=True):
        zone[...] = array
    inside[...] = output
    tensors = [tvm.runtime.from_dlpack(zone) for zone in (*(z for _, z in zones), inside)]
    executable.mod["conv2d"](*tensors)
    result = inside.copy()
    inside[...] = canary
    assert (around == canary).all(), "wrote outside its output"
    return result
