"""Loops that a core's numbers are read off, in LLVM IR compiled through TVM, so that no C compiler is needed.

Below machine.py, which says what their times mean. Source: the usual probes. Rate and latency of an
instruction from many chains and from one (Fog, "Instruction tables"); latency of a cache from a chain of
pointers in random order (McVoy and Staelin, "lmbench", 1996), lines in flight from many such chains.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import tvm

from tvm_directconv.errors import TargetError
from tvm_directconv.targets.target import CompileTarget

from .loops import SLOT_WORDS, SLOTS, compile_loop, links, loop_ir, multiply_adds
from .timing import trips_within

UNROLLED = 32
"""A trip has at least this many steps, so that the loop itself takes a small part of it."""
CHAINED_ADD = {"x86_64": ("addq $1, $0", ",~{flags}"), "aarch64": ("add $0, $0, $1", "")}
"""This adds $1 to $0, which takes a cycle on every CPU of the architecture; beside it is what it destroys.
Adding a constant would not do, as some CPUs have done that before it is issued."""


class Probe:
    """A probe is a loop compiled for a target; one trip round it does ``steps`` of what it is about.

    ``starts`` are the first words of its slots, and what it leaves in them is where the next call begins.
    """

    def __init__(self, text: str, steps: int, target: CompileTarget, starts: Sequence[int] = ()) -> None:
        state = np.zeros((SLOTS, SLOT_WORDS), np.int64)
        state[: len(starts), 0] = starts
        self._state = tvm.runtime.tensor(state.reshape(-1))
        self._run = compile_loop(text, target.tvm_target)["main"]
        self._steps, self._trips = steps, 1

    def fit(self, seconds: float) -> None:
        """Set the trips of a call, so that it takes about so long."""
        self._trips = trips_within(seconds, self._time)

    def step_seconds(self) -> float:
        """Return the seconds of a step, over one call."""
        return self._time(self._trips) / (self._trips * self._steps)

    def run(self, steps: int) -> None:
        """Do at least so many steps, untimed."""
        self._run(-(-steps // self._steps), self._state)

    def state(self) -> np.ndarray:
        """Return the first words of the slots."""
        return self._state.numpy().reshape(SLOTS, SLOT_WORDS)[:, 0]

    def _time(self, trips: int) -> float:
        """Return the seconds of a call, without the time that others had the CPU."""
        start = time.thread_time()
        self._run(trips, self._state)
        return time.thread_time() - start


def clock_probe(target: CompileTarget) -> Probe:
    """Return a probe whose steps are cycles. Raises TargetError where no instruction is known to take one."""
    if target.arch not in CHAINED_ADD:
        known = ", ".join(CHAINED_ADD)
        raise TargetError(f"there is no clock to measure cycles by on {target.arch}, only on {known}")
    add, destroyed = CHAINED_ADD[target.arch]
    adds = "\\0A\\09".join([add] * UNROLLED)
    body = [f'%sum.next = call i64 asm sideeffect "{adds}", "=&r,r,0{destroyed}"(i64 %trips, i64 %sum)']
    return Probe(loop_ir({"sum": "i64"}, ["0"], body), UNROLLED, target)


def multiply_add_probe(target: CompileTarget, chains: int) -> Probe:
    """Return a probe whose steps are multiply-adds of whole vectors, each after the last of its chain."""
    rounds = -(-UNROLLED // chains)
    text = multiply_adds(target.machine.vector_bits // 32, chains, rounds)
    return Probe(text, rounds * chains, target)


def load_probe(target: CompileTarget) -> Probe:
    """Return a probe whose steps are loads of whole vectors that hit L1 and wait for nothing."""
    vector = f"<{target.machine.vector_bits // 32} x float>"
    body = []
    for slot in range(UNROLLED):
        body.append(f"%at{slot} = getelementptr i64, ptr %state, i64 {SLOT_WORDS * slot}")
        # Volatile, or the loads of what is never used would go.
        body.append(f"%loaded{slot} = load volatile {vector}, ptr %at{slot}, align 4")
    return Probe(loop_ir({}, [], body), UNROLLED, target)


def chase_probe(target: CompileTarget, starts: Sequence[int]) -> Probe:
    """Return a probe whose steps are loads of pointers, each from where the last one of its chain points. The
    chains begin at the addresses ``starts``."""
    names = [f"p{chain}" for chain in range(len(starts))]
    rounds = -(-UNROLLED // len(starts))
    body = [f"{new} = load ptr, ptr {old}" for old, new in links(names, rounds)]
    text = loop_ir(dict.fromkeys(names, "ptr"), [f"%{name}.first" for name in names], body, read=True)
    return Probe(text, rounds * len(starts), target, starts)
