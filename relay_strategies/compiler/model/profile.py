"""Profiles: the time of every call of a kernel in real runs of a network, beside the peak of the same rounds.

TVM's virtual machine calls an instrument before and after each of its calls. Rounds take turns: the peak of
multiply-adds, a run without the instrument, and one with it, so that what it costs is there to see.
"""

from __future__ import annotations

import json
import statistics
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import tvm
from tvm import relax

from tvm_directconv.errors import InputError
from tvm_directconv.measure.peak import FmaPeak
from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.runtime.compiled_model import ROUNDS
from tvm_directconv.runtime.metadata import Size
from tvm_directconv.runtime.words import target_label
from tvm_directconv.targets.target import resolve_target
from tvm_directconv.text import Tabular, TextTable, bytes_label, layer_label
from tvm_directconv.threads import away_from_handlers

from ..kernel_calls import KernelCall, kernel_kind
from ..library.weights import FETCH
from .thread_count import thread_count

BYTES = "int8"
MACHINE_CALLS = ("vm.builtin.", "shape_func")
"""What the virtual machine does itself, as allocating a tensor or finding a shape, has a name that begins
so."""

Span = tuple[str, float, float]
"""A kernel, and the seconds from a run's begin to that of the kernel's call, and to its end."""


@dataclass(frozen=True)
class CallProfile:
    """One call: what it is, and its seconds in each round.

    ``name`` is that of its layers, or of other operators, in the model, the kernel's where none is known;
    ``what`` its shape in a few words. ``begin`` is when it began in the fastest round. ``peak`` is the type
    whose peak it is held to, "" where it multiplies nothing. The rest is as of KernelCall and LayerReport.
    """

    name: str
    kernel: str
    algorithm: str
    what: str
    peak: str
    flops: int
    bytes: int
    begin: float
    seconds: tuple[float, ...]

    @property
    def how(self) -> str:
        """The algorithm of layers, what kernels of other operators are called."""
        return self.algorithm or kernel_kind(self.kernel)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def least(self) -> float:
        return min(self.seconds)

    @property
    def gflops(self) -> float:
        """The rate of the median."""
        return self.flops / self.median / 1e9


@dataclass(frozen=True)
class Profile(Tabular):
    """A network's calls in order, and the seconds of whole runs: with the instrument (``instrumented``) and
    without (``plain``), a number for each round. ``peaks`` are GFLOPS, or GOPS of 8-bit integers, of all
    ``threads`` together, by element type of layers; of a GPU, 0 threads, those of its description, which
    ``instruction`` says."""

    target: str
    size: str
    threads: int
    instruction: str
    peaks: Mapping[str, tuple[float, ...]]
    calls: tuple[CallProfile, ...]
    instrumented: tuple[float, ...]
    plain: tuple[float, ...]

    @property
    def seconds(self) -> float:
        """The sum of the calls' medians."""
        return sum(call.median for call in self.calls)

    @property
    def least(self) -> float:
        """The sum of the calls' least seconds."""
        return sum(call.least for call in self.calls)

    @property
    def flops(self) -> int:
        return sum(call.flops for call in self.calls)

    @property
    def covered(self) -> float:
        """The calls' share of a run under the instrument, the median of the rounds'; 0 without calls."""
        if not self.calls:
            return 0.0
        rounds = zip(*(call.seconds for call in self.calls), strict=True)
        return statistics.median(sum(c) / whole for c, whole in zip(rounds, self.instrumented, strict=False))

    def share(self, call: CallProfile, least: bool = False) -> float:
        """The call's share of all calls' time, that of medians or of the ``least``."""
        return call.least / self.least if least else call.median / self.seconds

    def percent_of_peak(self, call: CallProfile) -> float | None:
        """The median over rounds of the call's speed in percent of the round's peak; None where it multiplies
        nothing."""
        if not call.peak:
            return None
        rounds = zip(call.seconds, self.peaks[call.peak], strict=True)
        return statistics.median(100 * call.flops / seconds / 1e9 / peak for seconds, peak in rounds)

    def by_kind(self) -> dict[str, float]:
        """The share of a run's time, the virtual machine's own included, by kind of kernel; all layers
        together are under ""."""
        seconds: defaultdict[str, float] = defaultdict(float)
        for call in self.calls:
            seconds["" if call.algorithm else kernel_kind(call.kernel)] += call.median
        return {kind: spent / self.seconds * self.covered for kind, spent in seconds.items()}

    def totals(self) -> str:
        """Return how long runs take and how much of that is calls, and the peak, in two lines."""
        plain, instrumented = (statistics.median(s) for s in (self.plain, self.instrumented))
        peaks = ", ".join(
            f"{statistics.median(values):.0f} {_unit(kind)}" for kind, values in self.peaks.items()
        )
        threads = f"on {self.threads} thread{'s' * (self.threads > 1)}, " if self.threads else ""
        lines = [
            f"a run {_ms(plain)}, the least {_ms(min(self.plain))}; under the instrument "
            f"{_ms(instrumented)}, least {_ms(min(self.instrumented))}; calls {self.covered:.1%} of it",
            f"the calls' medians sum to {_ms(self.seconds)}, their least to {_ms(self.least)}, "
            f"{self.flops / self.least / 1e9 if self.calls else 0:.4g} GFLOPS",
            f"peak {peaks} {threads}{self.instruction}; medians of {len(self.plain)} rounds",
        ]
        return "\n".join(lines)

    def rows(self) -> list[dict[str, Any]]:
        """Return what is known of each call, and follows from its times, by name."""
        return [
            asdict(call)
            | {"median_seconds": call.median, "least_seconds": call.least, "gflops": call.gflops}
            | {"percent_of_peak": self.percent_of_peak(call), "share": self.share(call)}
            for call in self.calls
        ]

    def table(self, most: int | None = None) -> TextTable:
        """Return a row for each call, in order; the ``most`` that take longest, where that is given."""
        columns = (
            "call", "what", "algorithm or kernel", "least us", "median us", "%", "GFLOPS", "% of peak", "data"
        )  # fmt: skip
        calls = self.calls
        if most is not None and most < len(calls):
            calls = tuple(sorted(calls, key=lambda call: -call.median)[:most])
        named = f"{len(self.calls)} calls" + (f", the {len(calls)} longest" if calls != self.calls else "")
        title = f"{named}, {self.size}, {target_label(self.target)}"
        table = TextTable(title, columns, left=columns[:3], caption=self.totals())
        for call in calls:
            percent = self.percent_of_peak(call)
            times = f"{1e6 * call.least:.1f}", f"{1e6 * call.median:.1f}", f"{100 * self.share(call):.1f}"
            speed = ("", "") if percent is None else (f"{call.gflops:.1f}", f"{percent:.0f}")
            table.add_row(call.name, call.what, call.how, *times, *speed, bytes_label(call.bytes))
        return table

    def as_dict(self) -> dict[str, Any]:
        """Return all there is, and what follows from it for each call, for ``json``."""
        return asdict(self) | {"calls": self.rows(), "sum_seconds": self.seconds}

    def to_json(self, indent: int | None = 2) -> str:
        return json.dumps(self.as_dict(), indent=indent)

    def to_trace(self) -> str:
        """Return the fastest round as a trace in Chrome's format, which Perfetto reads."""
        fastest = self.instrumented.index(min(self.instrumented))
        run = {"name": "run", "cat": "run", "ts": 0.0, "dur": 1e6 * self.instrumented[fastest], "args": {}}
        events: list[dict[str, Any]] = [run]
        for call in self.calls:
            percent = self.percent_of_peak(call)
            facts: dict[str, Any] = {"kernel": call.kernel, "what": call.what, "algorithm": call.algorithm}
            facts |= {"flops": call.flops, "bytes": call.bytes, "percent_of_peak": percent}
            times = {"ts": 1e6 * call.begin, "dur": 1e6 * call.seconds[fastest]}
            kind = "layer" if call.algorithm else "operator"
            events.append({"name": call.name, "cat": kind, **times, "args": facts})
        complete = [{"ph": "X", "pid": 1, "tid": 1, **event} for event in events]
        named = {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": f"{self.size}, {self.target}"}}
        return json.dumps({"displayTimeUnit": "ms", "traceEvents": [named, *complete]})


def profiled(
    executable: Any, target: str, size: Size, inputs: Sequence[tvm.runtime.Tensor], rounds: int = ROUNDS
) -> Profile:
    """Measure the calls of one size of a model on this host. Raises InputError for less than one round.

    A thread of its own runs the model, as Python calls no signal handlers there. What a handler raises while
    TVM makes the instrument's arguments would release a shape twice, and end the process much later.
    """
    check_rounds(rounds)
    stopped: list[bool] = []
    measure = partial(_measured, executable, target, size, inputs, rounds, stopped)
    return away_from_handlers(measure, partial(stopped.append, True))


def _measured(
    executable: Any,
    target: str,
    size: Size,
    inputs: Sequence[tvm.runtime.Tensor],
    rounds: int,
    stopped: Sequence[bool],
) -> Profile:
    """Measure so many rounds; with ``stopped`` the next call of a kernel raises."""
    machine = relax.VirtualMachine(executable, tvm.cpu(), memory_cfg="pooled")
    run, threads = machine[size.function], thread_count()
    known = untimed(size)
    probes = {kind: FmaPeak(resolve_target(target), kind) for kind in _peak_types(known)}
    spans: list[Span] = []
    run_began = began = 0.0

    def tick(function: Any, name: str, before: bool, *rest: object) -> None:
        nonlocal began
        ended = time.perf_counter()
        if stopped:
            raise InterruptedError("nobody waits for the profile any more")
        if not before and name != FETCH and not name.startswith(MACHINE_CALLS):
            spans.append((name, began - run_began, ended - run_began))
        began = time.perf_counter()

    peaks: dict[str, list[float]] = {kind: [] for kind in probes}
    plain, instrumented, every = list[float](), list[float](), list[list[Span]]()
    run(*inputs)
    for _ in range(rounds):
        for kind, probe in probes.items():
            peaks[kind].append(probe.measure() * threads)
        machine.set_instrument(None)
        run(*inputs)  # the peak's loop, and the instrument, have left other things in the caches
        start = time.perf_counter()
        run(*inputs)
        plain.append(time.perf_counter() - start)
        machine.set_instrument(tick)
        run_began = time.perf_counter()
        run(*inputs)
        instrumented.append(time.perf_counter() - run_began)
        every.append(list(spans))
        spans.clear()
    calls = timed_calls(known, every, instrumented.index(min(instrumented)))
    instruction = next(iter(probes.values())).instruction
    measured = {kind: tuple(values) for kind, values in peaks.items()}
    return Profile(
        target, str(size), threads, instruction, measured, calls, tuple(instrumented), tuple(plain)
    )


def check_rounds(rounds: object) -> None:
    """Raise InputError for less than one round."""
    if not isinstance(rounds, int) or rounds < 1:
        raise InputError(f"rounds={rounds!r} is not a number of rounds: give 1 or more")


def untimed(size: Size) -> list[CallProfile]:
    """Return the calls of a size as a profile has them, without seconds."""
    return [_untimed(call, size) for call in size.report().calls]


def _untimed(call: KernelCall, size: Size) -> CallProfile:
    layers = [size.report().layers[place] for place in call.layers]
    workloads = [Conv2dWorkload.parse(layer.workload) for layer in layers]
    first, *others = [layer_label(workload) for workload in workloads] or [call.result]
    what = " -> ".join([first, *(other.partition(" -> ")[2] for other in others)])
    algorithm = f"{layers[0].algorithm}{' (chain)' * layers[0].in_chain}" if layers else ""
    kinds = {BYTES if workload.quantized else workload.dtype for workload in workloads}
    peak = "" if not call.flops else BYTES if BYTES in kinds else min(kinds, default=FLOAT32)
    return CallProfile(
        call.name or call.kernel, call.kernel, algorithm, what, peak, call.flops, call.bytes, 0.0, ()
    )


def _peak_types(calls: Sequence[CallProfile]) -> list[str]:
    """float32 where nothing multiplies bytes, too."""
    return sorted({call.peak for call in calls if call.peak}) or [FLOAT32]


def timed_calls(
    known: Sequence[CallProfile], rounds: Sequence[Sequence[Span]], fastest: int
) -> tuple[CallProfile, ...]:
    """The calls with their times. Where runs make others than those ``known``, as a Relax module with
    branches may, what their kernels are called is all that is known of them."""
    if any(len(spans) != len(known) for spans in rounds):
        known = [CallProfile(name, name, "", "", "", 0, 0, 0.0, ()) for name, *_ in rounds[fastest]]
    return tuple(
        replace(call, begin=spans[fastest][1], seconds=tuple(end - begin for _, begin, end in spans))
        for call, *spans in zip(known, *rounds, strict=True)
    )


def _unit(kind: str) -> str:
    if kind == BYTES:
        return f"GOPS of {kind}"
    return "GFLOPS" if kind == FLOAT32 else f"GFLOPS of {kind}"


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.4g} ms" if seconds >= 1e-3 else f"{1e6 * seconds:.4g} us"
