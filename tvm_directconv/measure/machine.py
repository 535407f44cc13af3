"""What can be measured of this host for a machine file: rates, latencies, lines in flight, speed of copies.

Above the probes, whose steps are counted here in cycles of a clock that runs beside them; below the command
``tvm-directconv machines --measure``. Time is what the thread itself ran, and the least of many short calls,
so that other work on the host disturbs little; what it takes of shared caches and memory still shows.
"""

from __future__ import annotations

import datetime
import functools
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import tvm
from tvm import tirx
from tvm_ffi import structural_map

from tvm_directconv.algorithms.lowering import serial
from tvm_directconv.operators.layout import nhwc_to_nchw
from tvm_directconv.targets.host import processor_name
from tvm_directconv.targets.machine import COST_NAMES, CacheLevel, Machine, Origin
from tvm_directconv.targets.native import host_cpu
from tvm_directconv.targets.target import CompileTarget, resolve_target

from .probes import Probe, chase_probe, clock_probe, load_probe, multiply_add_probe

COMMAND = "tvm-directconv machines --measure"
CALL_SECONDS = 0.0005
"""Calls are short next to the time that the system lets a thread run, and long next to their own overhead."""
CALLS = 300
LAPS = 3
"""Rounds over a set of lines after which it lies in the cache that it is meant for."""
CHAINS_OF_REGISTERS = {16: 12}
CHAINS = 24
"""This many multiply-adds at once are more than latency times rate, and leave two registers for operands."""
MOST_MISSES = (8, 16, 24, 32, 48)
"""These numbers of chains are tried; with more than a core keeps in flight nothing is gained."""
COPIED = (1, 28, 28, 128)
"""Layout changes are timed on so large an activation, 400 KB from L2 or L3."""
HUGE_PAGE = 2 << 20
MOST_MEMORY = 1 << 30
NOT_SAVED = ("misses_in_flight",)
"""The share of traffic that arithmetic does not hide was found beside the number that is assumed. A measured
one does not go with that share, so that it is shown only."""
RATE_TOLERANCE = 0.06
"""Rates and latencies of instructions are whole numbers; a measurement so close to one is taken for it."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class MachineMeasurement:
    """Numbers measured on this host, by the names of Costs, "fma_per_cycle" and "L1_latency_cycles" and so
    on, stand beside ``machine``, the description that "-mcpu=native" uses. ``source`` says where and when."""

    machine: Machine
    measured: Mapping[str, float]
    source: str

    def rows(self) -> list[dict[str, Any]]:
        """Return a row per number: its name, the value in use, what that is from, and the measured one."""
        return [
            {"name": name, "in_use": in_use, "measured": round(self.measured[name], 2), "from": origin}
            for name, (in_use, origin) in _in_use(self.machine).items()
            if name in self.measured
        ]

    def described(self) -> Machine:
        """Return the machine with what was measured in place of what it had, but for NOT_SAVED."""
        caches = tuple(
            replace(cache, latency_cycles=max(1, round(self.measured[_latency_name(level)])))
            for level, cache in enumerate(self.machine.caches, start=1)
        )
        names = [name for name in COST_NAMES if name in self.measured and name not in NOT_SAVED]
        costs = {name: _rounded(self.measured[name]) for name in names}
        mcpu = host_cpu()[0]
        return replace(
            self.machine,
            description=f"{processor_name()}, measured",
            mcpu=(mcpu,) if mcpu else self.machine.mcpu,
            fma_per_cycle=max(1, round(self.measured["fma_per_cycle"])),
            caches=caches,
            source=f"{self.machine.source} FMAs per cycle and latencies of caches: {self.source}",
        ).with_costs(costs, {name: Origin("", self.source) for name in costs})


def measure_machine(on_progress: Progress = lambda *_: None, calls: int = CALLS) -> MachineMeasurement:
    """Measure this host by ``calls`` calls of each probe; ``on_progress`` is told what comes next, how many
    numbers there are and how many are to be.

    Raises TargetError on an architecture without a clock to measure by.
    """
    target = resolve_target("llvm -mcpu=native")
    bench = _Bench(target, calls)
    measured: dict[str, float] = {}
    for done, (name, measure) in enumerate((numbers := bench.numbers()).items()):
        on_progress(name, done, len(numbers))
        measured[name] = measure()
    clock = 1e-9 / bench.cycle_seconds
    today = datetime.datetime.now(datetime.timezone.utc).date()
    source = f"{COMMAND} on {processor_name()} at {clock:.1f} GHz, {today}."
    return MachineMeasurement(target.machine, measured, source)


class _Bench:
    """A bench runs the probes of one target, and has the memory that they walk."""

    def __init__(self, target: CompileTarget, calls: int) -> None:
        self._target, self._machine, self._calls = target, target.machine, calls
        self._clock = clock_probe(target)
        self._clock.fit(CALL_SECONDS)
        self.cycle_seconds = math.inf
        largest = self._machine.caches[-1].size_bytes
        self._memory = _Memory(min(max(4 * largest, 32 * HUGE_PAGE), MOST_MEMORY), self._machine.cache(1))

    def numbers(self) -> dict[str, Callable[[], float]]:
        """Return what there is to measure, by name: the core first, then what it shares."""
        latencies = {
            _latency_name(level): functools.partial(self.cache_latency, level)
            for level in range(1, len(self._machine.caches) + 1)
        }
        return {
            "fma_per_cycle": self.fma_per_cycle,
            "fma_latency": lambda: self._cycles(multiply_add_probe(self._target, 1)),
            "loads_per_cycle": lambda: 1 / self._cycles(load_probe(self._target)),
            **latencies,
            "memory_latency_cycles": lambda: self._cycles(self._chase(self._memory.size, 1)),
            "misses_in_flight": self.misses_in_flight,
            "copy_bytes_per_cycle": self.copy_bytes_per_cycle,
        }

    def fma_per_cycle(self) -> float:
        chains = CHAINS_OF_REGISTERS.get(self._machine.vector_registers, CHAINS)
        return 1 / self._cycles(multiply_add_probe(self._target, chains))

    def cache_latency(self, level: int) -> float:
        """Measure a set of lines twice as large as the level before holds, so that all come from this one. It
        is not larger, as a cache shared with others may leave little of it to this core."""
        size = self._machine.cache(level).size_bytes
        inner = self._machine.cache(level - 1).size_bytes if level > 1 else 0
        held = min(2 * inner, (inner + size) // 2) if inner else size // 2
        probe = self._chase(held, 1)
        for _ in range(LAPS):
            probe.run(self._memory.lines(held))
        return self._cycles(probe)

    def misses_in_flight(self) -> float:
        """Measure the most that several chains through memory gain over one."""
        alone = self._cycles(self._chase(self._memory.size, 1))
        return max(alone / self._cycles(self._chase(self._memory.size, chains)) for chains in MOST_MISSES)

    def copy_bytes_per_cycle(self) -> float:
        """Measure the layout change that networks use, on one core."""
        func = nhwc_to_nchw(COPIED, self._target)
        func = func.with_body(structural_map(func.body, [(tirx.For, serial)]))
        module = tvm.IRModule({"copy": func.with_attr("global_symbol", "copy")})
        copy = tvm.compile(module, target=self._target.tvm_target).mod["copy"]
        batch, height, width, channels = COPIED
        data = np.zeros(COPIED, np.float32)
        arrays = [tvm.runtime.tensor(data), tvm.runtime.tensor(data.reshape(batch, channels, height, width))]

        def seconds() -> float:
            start = time.thread_time()
            copy(*arrays)
            return time.thread_time() - start

        return data.nbytes / self._in_cycles(seconds)

    def _chase(self, held: int, chains: int) -> Probe:
        return chase_probe(self._target, self._memory.chains(held, chains))

    def _cycles(self, probe: Probe) -> float:
        probe.fit(CALL_SECONDS)
        return self._in_cycles(probe.step_seconds)

    def _in_cycles(self, seconds: Callable[[], float]) -> float:
        """Return the least of what calls take, by a clock whose ticks are measured between them."""
        least = math.inf
        for _ in range(self._calls):
            self.cycle_seconds = min(self.cycle_seconds, self._clock.step_seconds())
            least = min(least, seconds())
        return least / self.cycle_seconds


class _Memory:
    """Memory in which chains of pointers visit lines in random order, one of every two neighbours, since
    some CPUs fetch both. It is of huge pages where the system gives them, so that no time goes to pages."""

    def __init__(self, size: int, cache: CacheLevel) -> None:
        # numpy asks for huge pages for arrays as large as this.
        self._array = np.empty(size + HUGE_PAGE, np.uint8)
        address = self._array.__array_interface__["data"][0]
        start = -address % HUGE_PAGE
        self._words = self._array[start : start + size].view(np.int64)
        self._address, self._line = address + start, cache.line_bytes
        self._held = 0
        self._order = np.zeros(0, np.int64)
        self.size = size // 2
        """The most bytes of lines that a chain can visit."""

    def lines(self, held: int) -> int:
        """Return how many lines are visited where ``held`` bytes of them are."""
        return held // self._line

    def chains(self, held: int, count: int) -> list[int]:
        """Return addresses to begin from, at the same distance on one ring of pointers through ``held`` bytes
        of lines."""
        if held != self._held:
            self._held, self._order = held, visiting_order(self.lines(held), self._line)
            self._words[self._order // 8] = self._address + np.roll(self._order, -1)
        steps = len(self._order) // count
        return [self._address + int(self._order[chain * steps]) for chain in range(count)]


def visiting_order(lines: int, line_bytes: int) -> np.ndarray:
    """Return the offsets in bytes of so many lines in random order, one of every two neighbours."""
    rng = np.random.default_rng(0)
    return rng.permutation(line_bytes * (2 * np.arange(lines) + rng.integers(0, 2, lines)))


def _in_use(machine: Machine) -> dict[str, tuple[float, str]]:
    """Return of every number that may be measured its value in the description, and what that is from."""
    numbers: dict[str, tuple[float, str]] = {"fma_per_cycle": (machine.fma_per_cycle, machine.source)}
    for level, cache in enumerate(machine.caches, start=1):
        numbers[_latency_name(level)] = cache.latency_cycles, machine.source
    for name in COST_NAMES:
        origin = machine.origins[name]
        of_class = f"class {origin.of_class}: " if origin.of_class else ""
        numbers[name] = getattr(machine.costs, name), of_class + origin.source
    return numbers


def _latency_name(level: int) -> str:
    return f"L{level}_latency_cycles"


def _rounded(value: float) -> float:
    """Return the whole number that a measurement is near to, if it is, else three digits of it."""
    whole = max(1, round(value))
    return whole if abs(value - whole) <= RATE_TOLERANCE * whole else float(f"{value:.3g}")
