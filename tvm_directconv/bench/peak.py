"""The peak of one core in multiply-adds, of float32 or of 8-bit integers, measured beside the contestants: a
throttled machine shows.

A loop of independent multiply-adds with nothing else in it, written as LLVM IR and compiled through
TVM, so no C compiler is needed. On AVX-512 and AVX2 the adds are inline assembly, which no
optimizer can shorten or spill; elsewhere they are ``llvm.fmuladd`` on vectors, which becomes the
target's own fused instruction.

Source: the usual peak probe (latency x throughput independent chains), as in Dolbeau, "Theoretical
peak FLOPS per instruction set", 2018.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import tvm
from tvm.script import tirx as T

from tvm_directconv.targets.target import require_host, resolve_target

from .byte_peak import best_loop, loop_ir

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

FUNCTION = "tvm_directconv_fma_peak"

# Enough chains to cover latency x issue (5 x 2 at most on today's cores) with two registers left
# for operands.
CHAINS_32_REGISTERS = 24
CHAINS_16_REGISTERS = 12

# c <- 0.999 c + 0.001 stays near 1: no denormal or infinity ever slows a unit down.
FACTOR_BITS = np.float32(0.999).view(np.uint32)
TERM_BITS = np.float32(0.001).view(np.uint32)

BLOCK_SECONDS = 0.002
BLOCKS = 3


class FmaPeak:
    """The probe compiled for one target; ``measure()`` may be called as often as wanted.

    ``instruction`` says what is timed. Raises TargetError if this host cannot run the target's
    code.
    """

    def __init__(
        self, target: str | dict | tvm.target.Target | CompileTarget, dtype: str = "float32"
    ) -> None:
        resolved = resolve_target(target)
        require_host(resolved)
        kernel = peak_kernel if dtype == "float32" else byte_peak_kernel
        text, self.flops_per_trip, self.instruction = kernel(resolved)
        self._run = compile_peak(text, resolved.tvm_target)["main"]
        self._sink = tvm.runtime.tensor(np.zeros(16, np.float32))
        self._trips = 1000
        while (seconds := self._time(self._trips)) < BLOCK_SECONDS:
            self._trips *= 2
        self._trips = max(1, round(self._trips * BLOCK_SECONDS / seconds))

    def measure(self) -> float:
        """GFLOPS of the best of a few blocks of some milliseconds, on the caller's CPU."""
        best = min(self._time(self._trips) for _ in range(BLOCKS))
        return self.flops_per_trip * self._trips / best / 1e9

    def _time(self, trips: int) -> float:
        start = time.perf_counter()
        self._run(trips, self._sink)
        return time.perf_counter() - start


def peak_kernel(target: CompileTarget) -> tuple[str, int, str]:
    """LLVM IR of ``i32 FUNCTION(i64 trips, ptr sink)``, its FLOPs per trip, and what it issues."""
    machine = target.machine
    if "avx512f" in target.features and machine.vector_bits >= 512:
        text = _x86_kernel("zmm", CHAINS_32_REGISTERS, "vpbroadcastd %eax, {0}")
        return text, 2 * 16 * CHAINS_32_REGISTERS, f"{CHAINS_32_REGISTERS} x vfmadd213ps zmm"
    if {"avx2", "fma"} <= target.features:
        move = "vmovd %eax, {1}\\0A\\09vpbroadcastd {1}, {0}"
        text = _x86_kernel("ymm", CHAINS_16_REGISTERS, move)
        return text, 2 * 8 * CHAINS_16_REGISTERS, f"{CHAINS_16_REGISTERS} x vfmadd213ps ymm"
    lanes = max(machine.vector_bits, 32) // 32
    chains = CHAINS_32_REGISTERS if machine.vector_registers >= 32 else CHAINS_16_REGISTERS
    text = _portable_kernel(lanes, chains)
    return text, 2 * lanes * chains, f"{chains} x llvm.fmuladd.v{lanes}f32"


def byte_peak_kernel(target: CompileTarget) -> tuple[str, int, str]:
    """``peak_kernel`` of 8-bit integers: multiply-adds of the instruction set's kernels, additions counted
    as operations too."""
    loop = best_loop(target)
    if loop is not None:
        return loop_ir(loop, FUNCTION), loop.operations, loop.instruction
    lanes = max(target.machine.vector_bits, 32) // 32
    text = _portable_kernel(lanes, CHAINS_16_REGISTERS, integers=True)
    return text, 2 * lanes * CHAINS_16_REGISTERS, f"{CHAINS_16_REGISTERS} x mul + add v{lanes}i32"


def compile_peak(text: str, target: tvm.target.Target) -> tvm.runtime.Module:
    """The module whose ``main(trips, sink)`` calls the loop of that IR."""

    # fmt: off
    @T.prim_func(s_tir=True)
    def fma_peak(trips: T.int64, sink: T.Buffer((16,), "float32")):  # type: ignore[no-untyped-def, valid-type]
        with T.attr(0, "pragma_import_llvm", text):
            T.evaluate(T.call_extern("int32", FUNCTION, trips, sink.data))
    # fmt: on

    return tvm.compile(tvm.IRModule({"main": fma_peak}), target=target).mod


def _x86_kernel(kind: str, chains: int, broadcast: str) -> str:
    """``broadcast`` moves %eax into every lane of {0}, and may use {1}, the low 128 bits of {0}."""
    factor, term = chains, chains + 1
    lines = []
    for register, bits in ((factor, FACTOR_BITS), (term, TERM_BITS)):
        lines.append(f"movl $$0x{bits:08x}, %eax")
        lines.append(broadcast.format(f"%{kind}{register}", f"%xmm{register}"))
    lines += [f"vmovaps %{kind}{factor}, %{kind}{chain}" for chain in range(chains)]
    lines.append("1:")
    lines += [f"vfmadd213ps %{kind}{term}, %{kind}{factor}, %{kind}{chain}" for chain in range(chains)]
    lines += ["decq $0", "jnz 1b", f"vmovss %xmm{chains - 1}, ($1)"]
    body = "\\0A\\09".join(lines)
    clobbers = ",".join(["~{rax}", *(f"~{{{kind}{r}}}" for r in range(chains + 2)), "~{memory}", "~{cc}"])
    return f"""
define i32 @{FUNCTION}(i64 %trips, ptr %sink) {{
  %left = call i64 asm sideeffect "{body}", "=r,r,0,{clobbers}"(ptr %sink, i64 %trips)
  ret i32 0
}}
"""


def _portable_kernel(lanes: int, chains: int, integers: bool = False) -> str:
    """With LLVM's vectors: multiply-adds of floats, or of 32-bit integers as a product and a sum."""
    vector = f"<{lanes} x {'i32' if integers else 'float'}>"

    def every_lane(value: float) -> str:
        if integers:
            return "<" + ", ".join([f"i32 {round(1000 * value)}"] * lanes) + ">"
        # LLVM reads a hexadecimal float as a double, whatever the type it is written for.
        bits = np.float64(np.float32(value)).view(np.uint64)
        return "<" + ", ".join([f"float 0x{bits:016X}"] * lanes) + ">"

    # No chain may start at the fixed point 1, or LLVM sees a constant and removes it.
    phis = [
        f"  %c{i} = phi {vector} [ {every_lane(2 + i)}, %entry ], [ %next{i}, %loop ]" for i in range(chains)
    ]
    adds = [
        f"  %next{i} = call {vector} @llvm.fmuladd.v{lanes}f32("
        f"{vector} %c{i}, {vector} {every_lane(0.999)}, {vector} {every_lane(0.001)})"
        for i in range(chains)
    ]
    if integers:
        adds = [
            f"  %product{i} = mul {vector} %c{i}, {every_lane(0.999)}\n"
            f"  %next{i} = add {vector} %product{i}, {every_lane(0.001)}"
            for i in range(chains)
        ]
    sum_ = "add" if integers else "fadd"
    sums = [
        f"  %sum{i} = {sum_} {vector} {f'%sum{i - 1}' if i > 1 else '%next0'}, %next{i}"
        for i in range(1, chains)
    ]
    return "\n".join(
        [
            *([] if integers else [f"declare {vector} @llvm.fmuladd.v{lanes}f32({', '.join([vector] * 3)})"]),
            f"define i32 @{FUNCTION}(i64 %trips, ptr %sink) {{",
            "entry:",
            "  br label %loop",
            "loop:",
            "  %left = phi i64 [ %trips, %entry ], [ %fewer, %loop ]",
            *phis,
            *adds,
            "  %fewer = sub i64 %left, 1",
            "  %more = icmp ne i64 %fewer, 0",
            "  br i1 %more, label %loop, label %done",
            "done:",
            *sums,
            f"  %first = extractelement {vector} %sum{chains - 1}, i32 0",
            f"  store {'i32' if integers else 'float'} %first, ptr %sink",
            "  ret i32 0",
            "}",
        ]
    )
