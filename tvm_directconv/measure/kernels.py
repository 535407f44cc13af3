"""How fast micro-kernels are on this host: each alone, on one thread, with its operands in L1.

A kernel walks one filter row over and over, so that its tile stays in registers throughout: what is timed is
its inner loop. In turns with it runs the loop of independent multiplications of its instruction set, which no
kernel can beat.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import tvm
from tvm import tirx

from intrinsics.isa import ISAS, Isa
from intrinsics.microkernel import BYTES, DEPTHWISE, PANEL, KernelInstance, MicroKernel, Segment
from intrinsics.registry import registered_kernels
from tvm_directconv.algorithms.lowering import attach_kernels
from tvm_directconv.errors import TargetError
from tvm_directconv.problem.element_types import FLOATS, numpy_type
from tvm_directconv.targets.target import CompileTarget, require_host

from .peak import FmaPeak
from .timing import seconds_per_call, trips_within

MOST_CHANNELS = 256
"""The most channels of a filter row: loops over them are long by then."""
CHANNELS_STEP = 16
"""Filter rows have a multiple of this, which is one of what any instruction sums at once."""
SHARE_OF_L1 = 3 / 4
DEPTHWISE_TAPS = 9
ROUNDS = 5
BLOCK_SECONDS = 0.002
DTYPES = {"u8": "uint8", "s8": "int8", **{name: dtype for dtype, name in FLOATS.items()}}


@dataclass(frozen=True)
class KernelTiming:
    """One kernel's best speed in billions of operations per second, multiplications and additions (of floats
    GFLOPS, of 8-bit integers GOPS), and the percent that is of the most its instruction set can multiply; of
    portable kernels, of the most that LLVM's vectors can."""

    kernel: str
    gops: float
    percent_of_peak: float


def time_kernels(target: CompileTarget, isa: Isa | None = None) -> list[KernelTiming]:
    """Every registered kernel of one instruction set, or of all that the target has.

    Raises TargetError where this host cannot run the target's code, or the target lacks the instruction set.
    """
    require_host(target)
    if isa is not None and not isa.runs_on(target):
        missing = ", ".join(sorted(isa.features - target.features)) or isa.arch
        raise TargetError(f"kernels of {isa.name} use {missing}, which '{target}' lacks")
    isas = [isa] if isa else [each for each in ISAS.values() if each.runs_on(target)]
    return [timing for each in isas for timing in _time_isa(each, target)]


def _time_isa(isa: Isa, target: CompileTarget) -> list[KernelTiming]:
    instances = [repeated_row(kernel, isa, target) for kernel in registered_kernels(isa)]
    functions = {f"kernel{i}": _function(instance, f"kernel{i}") for i, instance in enumerate(instances)}
    module = tvm.compile(tvm.IRModule(functions), target=target.tvm_target).mod
    peak, timings = FmaPeak(target, isa=isa), []
    for name, instance in zip(functions, instances, strict=True):
        timer = _Timer(module[name], instance)
        rounds = [(timer.measure(), peak.measure()) for _ in range(ROUNDS)]
        best, most = (max(speeds) for speeds in zip(*rounds, strict=True))
        timings.append(KernelTiming(instance.kernel.name, best, 100 * best / most))
    return timings


def repeated_row(kernel: MicroKernel, isa: Isa, target: CompileTarget) -> KernelInstance:
    """The kernel on a filter row that fits L1, and that every next row is again. A depthwise one has as many
    taps as a 3x3 filter, another one segment of channels."""
    mr, nr, group = kernel.mr, kernel.nr, isa.channels_per_step(kernel.layout)
    if kernel.layout == DEPTHWISE:
        a_row, a_k = nr, 1
        segments = tuple(Segment(0, mr, tap * nr, tap * nr, 1) for tap in range(DEPTHWISE_TAPS))
    else:
        room = SHARE_OF_L1 * target.machine.cache(1).size_bytes / BYTES[kernel.lhs]
        fitting = int(room / (mr + nr)) // CHANNELS_STEP * CHANNELS_STEP
        channels = max(CHANNELS_STEP, min(MOST_CHANNELS, fitting))
        a_row, a_k = (group, mr) if kernel.layout == PANEL else (channels, 1)
        segments = (Segment(0, mr, 0, 0, channels),)
    return KernelInstance(kernel, nr, a_row, 0, isa.filter_row(nr, kernel.layout), 0, nr, segments, a_k=a_k)


def _depth(instance: KernelInstance) -> int:
    """How many products a filter row adds to each element of the tile."""
    return sum(segment.length for segment in instance.segments)


def _operands(instance: KernelInstance) -> list[np.ndarray]:
    """(C, A, B, scale): as much of A and B as a filter row has, and C to hold any type."""
    kernel, rng = instance.kernel, np.random.default_rng(0)
    depth = _depth(instance)
    of_a = (kernel.mr - 1 + depth) * kernel.nr if kernel.layout == DEPTHWISE else kernel.mr * depth
    lhs, rhs = (numpy_type(DTYPES[kind]) for kind in kernel.types.split("_")[1:])
    c, scale = np.zeros(kernel.mr * kernel.nr, "float32"), np.ones(kernel.nr, "float32")
    return [c, *(rng.integers(0, 64, n).astype(d) for n, d in ((of_a, lhs), (depth * kernel.nr, rhs))), scale]


def _function(instance: KernelInstance, name: str) -> tirx.PrimFunc:
    """A call of the kernel on its operands, for a number of filter rows."""
    operands, rows = _operands(instance), tirx.Var("rows", "int64")
    names = ("c", "a", "b", "scale")
    buffers = [tirx.decl_buffer(x.shape, str(x.dtype), of) for of, x in zip(names, operands, strict=True)]
    c, a, b, scale = (buffer.access_ptr("rw") for buffer in buffers)
    call = tirx.Evaluate(tirx.call_extern("int32", instance.name, c, a, b, c, scale, rows))
    return tirx.PrimFunc([*buffers, rows], attach_kernels(call)).with_attr("global_symbol", name)


class _Timer:
    """One kernel, called for as many filter rows as take a block's time."""

    def __init__(self, function: tvm.runtime.Function, instance: KernelInstance) -> None:
        self._call = function
        self._operands = [tvm.runtime.tensor(array) for array in _operands(instance)]
        self._operations = 2 * instance.kernel.mr * instance.kernel.nr * _depth(instance)
        # The best of several, since one alone may have been interrupted.
        self._rows = trips_within(BLOCK_SECONDS, lambda rows: min(self._time(rows) for _ in range(ROUNDS)))

    def measure(self) -> float:
        """Billions of operations per second."""
        return self._operations * self._rows / self._time(self._rows) / 1e9

    def _time(self, rows: int) -> float:
        return seconds_per_call(lambda: self._call(*self._operands, rows), 1)
