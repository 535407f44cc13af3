"""The peak of one core in multiply-adds, of floats or of 8-bit integers, measured beside what is held to it:
a throttled machine shows.

A loop of independent multiply-adds with nothing else in it, written as LLVM IR and compiled through TVM, so
no C compiler is needed. It is the instruction set's own where it has one: inline assembly, which no optimizer
can shorten or spill. Elsewhere it is of LLVM's vectors, which become the target's own instructions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import tvm

from intrinsics.isa import ISAS, Isa, best_isa
from intrinsics.microkernel import PANEL, ROW
from tvm_directconv.problem.element_types import FLOATS, HALVES
from tvm_directconv.targets.target import CompileTarget, require_host, resolve_target

from .loops import FUNCTION, WORDS, compile_loop, multiply_adds
from .timing import seconds_per_call, trips_within

CHAINS_32_REGISTERS = 24
"""Enough chains to cover latency x issue (5 x 2 at most on today's cores), with registers left for
operands."""
CHAINS_16_REGISTERS = 12
LARGEST_WEIGHT = 127
"""The largest weight of symmetrically quantized filters, for which kernels of bytes are chosen."""

BLOCK_SECONDS = 0.002
BLOCKS = 3


@dataclass(frozen=True)
class PeakCode:
    """LLVM IR of ``i32 FUNCTION(i64 trips, ptr sink)``, the operations of a trip (multiplications and
    additions), and what it is made of, in words."""

    llvm_ir: str
    operations: int
    instruction: str


class FmaPeak:
    """The probe compiled for one target; ``measure()`` may be called as often as wanted.

    ``instruction`` says what is timed: what multiplies most of all that the target has for ``dtype``,
    "float32", "bfloat16", "float16" or "int8", or what the instruction set ``isa`` has. Raises TargetError if
    this host cannot run the target's code.
    """

    def __init__(
        self,
        target: str | Mapping[str, Any] | tvm.target.Target | CompileTarget,
        dtype: str = "float32",
        isa: Isa | None = None,
    ) -> None:
        resolved = resolve_target(target)
        require_host(resolved)
        code = peak_code(resolved, dtype) if isa is None else code_of(isa, resolved)
        self.instruction = code.instruction
        self._operations = code.operations
        self._run = compile_peak(code, resolved.tvm_target)["main"]
        self._sink = tvm.runtime.tensor(np.zeros(WORDS, np.int64))
        self._trips = trips_within(BLOCK_SECONDS, self._time)

    def measure(self) -> float:
        """GFLOPS, or GOPS of integers, of the best of a few blocks of some milliseconds, on the caller's
        CPU."""
        best = min(self._time(self._trips) for _ in range(BLOCKS))
        return self._operations * self._trips / best / 1e9

    def _time(self, trips: int) -> float:
        return seconds_per_call(lambda: self._run(trips, self._sink), 1)


def peak_code(target: CompileTarget, dtype: str = "float32") -> PeakCode:
    """The loop of the instruction set that kernels of that type are best of: of float32, the best whose
    vectors are not wider than the target's; of bytes, the one whose instructions multiply most."""
    of_bytes = dtype not in FLOATS
    if dtype in HALVES:
        isas = [best_isa(target, FLOATS[dtype], FLOATS[dtype])]
    elif of_bytes:
        isas = [best_isa(target, "u8", "s8", layout, LARGEST_WEIGHT) for layout in (ROW, PANEL)]
    else:
        usable = (isa for isa in ISAS.values() if isa.of_floats and isa.runs_on(target))
        isas = [isa for isa in usable if isa.vector_bits <= target.machine.vector_bits][:1]
    with_loops = [isa for isa in isas if isa.loop is not None]
    if not with_loops:
        return vector_code(target, of_bytes)
    return code_of(max(with_loops, key=lambda isa: isa.loop.products_per_line if isa.loop else 0), target)


def code_of(isa: Isa, target: CompileTarget) -> PeakCode:
    """The loop of one instruction set."""
    loop = isa.loop
    if loop is None:
        return vector_code(target, isa.of_bytes)
    return PeakCode(loop.llvm_ir(FUNCTION, isa.thread_setup), loop.operations, loop.instruction)


def vector_code(target: CompileTarget, integers: bool = False) -> PeakCode:
    """The loop with LLVM's vectors: multiply-adds of floats, or of 32-bit integers as a product and a sum."""
    machine = target.machine
    lanes = max(machine.vector_bits, 32) // 32
    if integers:
        chains, instruction = CHAINS_16_REGISTERS, f"mul + add v{lanes}i32"
    else:
        chains = CHAINS_32_REGISTERS if machine.vector_registers >= 32 else CHAINS_16_REGISTERS
        instruction = f"llvm.fmuladd.v{lanes}f32"
    llvm_ir = multiply_adds(lanes, chains, integers=integers)
    return PeakCode(llvm_ir, 2 * lanes * chains, f"{chains} x {instruction}")


def compile_peak(code: PeakCode, target: tvm.target.Target) -> tvm.runtime.Module:
    """The module whose ``main(trips, sink)`` runs the loop."""
    return compile_loop(code.llvm_ir, target)
