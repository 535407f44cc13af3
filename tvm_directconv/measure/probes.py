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

from .loops import compile_loop

FUNCTION = "tvm_directconv_probe"
SLOTS = 64
SLOT_WORDS = 8
WORDS = SLOTS * SLOT_WORDS
"""The state of a probe has this many words of 64 bits, in slots that each hold a vector of 512 bits."""
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
        self._run = compile_loop(text, FUNCTION, (WORDS, "int64"), target.tvm_target)["main"]
        self._steps, self._trips = steps, 1

    def fit(self, seconds: float) -> None:
        """Set the trips of a call, so that it takes about so long."""
        while (taken := self._time()) < seconds / 2:
            self._trips = max(2 * self._trips, int(self._trips * seconds / max(taken, seconds / 1000)))

    def step_seconds(self) -> float:
        """Return the seconds of a step, over one call."""
        return self._time() / (self._trips * self._steps)

    def run(self, steps: int) -> None:
        """Do at least so many steps, untimed."""
        self._run(-(-steps // self._steps), self._state)

    def state(self) -> np.ndarray:
        """Return the first words of the slots."""
        return self._state.numpy().reshape(SLOTS, SLOT_WORDS)[:, 0]

    def _time(self) -> float:
        """Return the seconds of a call, without the time that others had the CPU."""
        start = time.thread_time()
        self._run(self._trips, self._state)
        return time.thread_time() - start


def clock_probe(target: CompileTarget) -> Probe:
    """Return a probe whose steps are cycles. Raises TargetError where no instruction is known to take one."""
    if target.arch not in CHAINED_ADD:
        known = ", ".join(CHAINED_ADD)
        raise TargetError(f"there is no clock to measure cycles by on {target.arch}, only on {known}")
    add, destroyed = CHAINED_ADD[target.arch]
    adds = "\\0A\\09".join([add] * UNROLLED)
    body = [f'%sum.next = call i64 asm sideeffect "{adds}", "=&r,r,0{destroyed}"(i64 %trips, i64 %sum)']
    return Probe(_loop({"sum": "i64"}, ["0"], body), UNROLLED, target)


def multiply_add_probe(target: CompileTarget, chains: int) -> Probe:
    """Return a probe whose steps are multiply-adds of whole vectors, each after the last of its chain."""
    lanes = target.machine.vector_bits // 32
    vector, function = f"<{lanes} x float>", f"@llvm.fmuladd.v{lanes}f32"
    # c <- 0.999 c + 0.001 stays near 1: no denormal or infinity ever slows a unit down.
    factor, term = (f"{vector} {_every_lane(value, lanes)}" for value in (0.999, 0.001))
    names = [f"c{chain}" for chain in range(chains)]
    rounds = -(-UNROLLED // chains)
    body = [
        f"{new} = call {vector} {function}({vector} {old}, {factor}, {term})"
        for step in range(rounds)
        for name in names
        for old, new in [_links(name, step, rounds)]
    ]
    starts = [_every_lane(2.0 + chain, lanes) for chain in range(chains)]
    text = _loop(dict.fromkeys(names, vector), starts, body)
    return Probe(
        f"declare {vector} {function}({vector}, {vector}, {vector})\n{text}", rounds * chains, target
    )


def load_probe(target: CompileTarget) -> Probe:
    """Return a probe whose steps are loads of whole vectors that hit L1 and wait for nothing."""
    vector = f"<{target.machine.vector_bits // 32} x float>"
    body = []
    for slot in range(UNROLLED):
        body.append(f"%at{slot} = getelementptr i64, ptr %state, i64 {SLOT_WORDS * slot}")
        # Volatile, or the loads of what is never used would go.
        body.append(f"%loaded{slot} = load volatile {vector}, ptr %at{slot}, align 4")
    return Probe(_loop({}, [], body), UNROLLED, target)


def chase_probe(target: CompileTarget, starts: Sequence[int]) -> Probe:
    """Return a probe whose steps are loads of pointers, each from where the last one of its chain points. The
    chains begin at the addresses ``starts``."""
    names = [f"p{chain}" for chain in range(len(starts))]
    rounds = -(-UNROLLED // len(starts))
    body = [
        f"{new} = load ptr, ptr {old}"
        for step in range(rounds)
        for name in names
        for old, new in [_links(name, step, rounds)]
    ]
    text = _loop(dict.fromkeys(names, "ptr"), [f"%{name}.first" for name in names], body, read=True)
    return Probe(text, rounds * len(starts), target, starts)


def _links(name: str, step: int, steps: int) -> tuple[str, str]:
    """Return what a step of a chain reads and defines: the loop's variable first, its next value last."""
    old = f"%{name}.{step}" if step else f"%{name}"
    return old, f"%{name}.next" if step == steps - 1 else f"%{name}.{step + 1}"


def _every_lane(value: float, lanes: int) -> str:
    # LLVM reads a hexadecimal float as a double, whatever the type it is written for.
    bits = np.float64(np.float32(value)).view(np.uint64)
    return "<" + ", ".join([f"float 0x{bits:016X}"] * lanes) + ">"


def _loop(variables: dict[str, str], starts: list[str], body: list[str], read: bool = False) -> str:
    """Return LLVM IR of ``i32 FUNCTION(i64 trips, ptr state)``: a loop over ``body``, which defines of each
    variable %name the value %name.next. Variables end in slots of the state, and may ``read`` these first."""
    slots = [
        f"%{name}.slot = getelementptr i64, ptr %state, i64 {SLOT_WORDS * slot}"
        for slot, name in enumerate(variables)
    ]
    firsts = [f"%{name}.first = load {kind}, ptr %{name}.slot" for name, kind in variables.items()]
    phis = [
        f"%{name} = phi {kind} [ {start}, %entry ], [ %{name}.next, %loop ]"
        for (name, kind), start in zip(variables.items(), starts, strict=True)
    ]
    stores = [f"store {kind} %{name}.next, ptr %{name}.slot, align 8" for name, kind in variables.items()]
    return "\n".join(
        [
            f"define i32 @{FUNCTION}(i64 %trips, ptr %state) {{",
            "entry:",
            *slots,
            *(firsts if read else []),
            "br label %loop",
            "loop:",
            "%left = phi i64 [ %trips, %entry ], [ %fewer, %loop ]",
            *phis,
            *body,
            "%fewer = sub i64 %left, 1",
            "%more = icmp ne i64 %fewer, 0",
            "br i1 %more, label %loop, label %done",
            "done:",
            *stores,
            "ret i32 0",
            "}",
        ]
    )
