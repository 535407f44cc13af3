"""Breakdown of a convolution's time: packing, micro-kernels, and the loops around them.

The breakdown of SConv (Ferrari et al., figure 10), for any algorithm. A lowered function consists of calls
of generated routines inside loops; ``instrument`` puts a tick before and after each call. A tick reads the
CPU's cycle counter and adds the time since the last tick to one of three sums, which are an operand of the
function, so that every cycle between the first and the last tick is counted exactly once. What ticks take
themselves is measured and subtracted. Each tick waits for the instructions before it, which would otherwise
overlap with those behind it: the parts are longer than in the plain function, whose time is reported too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import tvm
from tvm import tirx
from tvm.s_tir import SBlock, SBlockRealize
from tvm_ffi import structural_map

from intrinsics.registry import PACKINGS
from tvm_directconv.algorithms import ALGORITHMS, BYTE_ALGORITHMS
from tvm_directconv.algorithms.lowering import called_kernels, serial
from tvm_directconv.errors import AlgorithmError, TargetError, nearest
from tvm_directconv.locks import one_at_a_time
from tvm_directconv.problem.operands import random_operands
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget, require_host, resolve_target
from tvm_directconv.text import Tabular, TextTable, layer_label

from .timing import calls_within, seconds_per_call

PACKING, MICROKERNEL, OTHER = range(3)
LAST = 3
COUNTS = 4
SLOTS = 7
"""The operand ``ticks`` holds three sums of cycles, the counter at the last tick, then as many counts."""

COUNTERS = {
    "x86_64": ("lfence", "readcyclecounter"),
    "aarch64": ("isb", "readsteadycounter"),
    "powerpc64le": ("isync", "readcyclecounter"),
}
"""Each architecture has an instruction that waits for those before it, and a counter that LLVM reads."""

TICK = "directconv_tick"
EMPTY_TICKS = 4096
CALIBRATION_SECONDS = 0.02
ROUNDS = 7
BATCH_SECONDS = 0.005


@dataclass(frozen=True)
class Breakdown(Tabular):
    """The seconds of one call on one thread, by what they went into.

    That is packing the input, micro-kernels, and all else (loops, calls, allocation). ``plain_seconds`` is a
    call of the same function without ticks; both are of the fastest round. ``workload`` is in the layouts
    the algorithm runs it in.
    """

    workload: Conv2dWorkload
    algorithm: str
    packing: float
    microkernel: float
    other: float
    plain_seconds: float

    @property
    def total(self) -> float:
        return self.packing + self.microkernel + self.other

    @property
    def shares(self) -> dict[str, float]:
        """The parts of the total, which sum to 1."""
        parts = {"packing": self.packing, "microkernel": self.microkernel, "other": self.other}
        return {name: seconds / self.total for name, seconds in parts.items()}

    def rows(self) -> list[dict[str, Any]]:
        """Return descriptor, algorithm, seconds and shares, by name, as the only row."""
        record: dict[str, Any] = {"workload": str(self.workload), "algorithm": self.algorithm}
        record |= {"packing": self.packing, "microkernel": self.microkernel, "other": self.other}
        record |= {"total": self.total, "plain_seconds": self.plain_seconds}
        return [record | {f"{name}_share": share for name, share in self.shares.items()}]

    def table(self) -> TextTable:
        """Return its parts in percent, as the only row."""
        return breakdown_table([self])

    def as_dict(self) -> dict[str, Any]:
        """Return the only row."""
        return self.rows()[0]


def breakdown_table(parts: Sequence[Breakdown], title: str = "time by part, 1 thread") -> TextTable:
    """Return one row per layer and algorithm: its parts in percent of the time, and times in microseconds."""
    words = ("layer", "algorithm")
    table = TextTable(title, (*words, "packing %", "micro-kernel %", "other %", "us", "plain us"), words)
    for part in parts:
        shares = [f"{100 * share:.1f}" for share in part.shares.values()]
        times = f"{1e6 * part.total:.1f}", f"{1e6 * part.plain_seconds:.1f}"
        table.add_row(layer_label(part.workload), part.algorithm, *shares, *times)
    return table


@one_at_a_time
def breakdown(
    workload: Conv2dWorkload | str,
    target: str | dict | tvm.target.Target | CompileTarget = "llvm -mcpu=native",
    algorithm: str = "direct_nhwc",
) -> Breakdown:
    """Measure the parts of one call of an algorithm, in the layouts it takes and on random operands.

    Args:
        workload: The layer, or its descriptor. Filters are packed before.
        target: A target, as of ``compile``, that this host can run.
        algorithm: The algorithm's name.

    Raises:
        AlgorithmError: The algorithm is unknown or does not take the workload.
        TargetError: The host cannot run the target's code, or does not have a counter.

    Examples:
        >>> import tvm_directconv as directconv
        >>> workload = directconv.Conv2dWorkload(1, 14, 14, 32, 32, kernel=(3, 3))
        >>> parts = directconv.breakdown(workload, algorithm="im2col_gemm")
        >>> round(sum(parts.shares.values()), 6)
        1.0
    """
    workload, resolved = Conv2dWorkload.of(workload), resolve_target(target)
    require_host(resolved)
    native, func, operands = prepare(workload, resolved, algorithm)
    functions = {"conv2d": func, "ticked": instrument(func, resolved), "empty": _empty_ticks(resolved)}
    module = tvm.compile(
        tvm.IRModule({name: f.with_attr("global_symbol", name) for name, f in functions.items()}),
        target=resolved.tvm_target,
    ).mod
    plain, ticked, empty = (module[name] for name in functions)
    ticks = tvm.runtime.tensor(np.zeros(SLOTS, np.int64))

    def call_plain() -> None:
        plain(*operands)

    call_plain()
    calls = calls_within(BATCH_SECONDS, seconds_per_call(call_plain, 1))
    seconds, parts = [], []
    for _ in range(ROUNDS):
        seconds.append(seconds_per_call(call_plain, calls))
        tick_cycles = _tick_cycles(empty, ticks)
        cycles = np.zeros(3)
        for _ in range(calls):
            ticked(*operands, ticks)
            taken = ticks.numpy()
            cycles += np.maximum(taken[:LAST] - tick_cycles * taken[COUNTS:], 0)
        parts.append(cycles / calls / cycles_per_second(resolved))
    # The round least disturbed, as a whole: parts of different rounds would not belong together.
    packing, microkernel, other = (float(part) for part in min(parts, key=lambda part: float(part.sum())))
    return Breakdown(native, algorithm, packing, microkernel, other, min(seconds))


def takes(workload: Conv2dWorkload, target: CompileTarget, algorithm: str) -> bool:
    """Return whether the algorithm computes the workload, in the layouts it wants."""
    of = ALGORITHMS[algorithm]
    if workload.quantized and algorithm not in BYTE_ALGORITHMS:
        return False
    return of.applies(workload.in_layouts(*of.layouts(workload, target)))


def instrument(func: tirx.PrimFunc, target: CompileTarget) -> tirx.PrimFunc:
    """Put ticks around the generated routines of a lowered convolution, which becomes sequential.

    Its last operand is ``ticks``, int64 (7,): on return cycles of packing, micro-kernels and the rest, the
    counter's last value, and the number of ticks that went into each sum. Stages without generated routines
    (im2col's) are packing.
    """
    ticks = tirx.decl_buffer((SLOTS,), "int64", "ticks")

    def ticked(stmt: tirx.Stmt, part: int) -> tirx.Stmt:
        return tirx.SeqStmt([_tick(ticks, OTHER), stmt, _tick(ticks, part)])

    def around_call(stmt: tirx.Evaluate) -> tirx.Stmt:
        names = list(called_kernels(stmt))
        if not names:
            return stmt
        return ticked(stmt, PACKING if names[0].startswith(tuple(PACKINGS)) else MICROKERNEL)

    def stage(stmt: tirx.Stmt) -> tirx.Stmt:
        if isinstance(stmt, tirx.AttrStmt):
            return tirx.AttrStmt(stmt.node, stmt.attr_key, stmt.value, stage(stmt.body))
        if isinstance(stmt, tirx.SeqStmt):
            return tirx.SeqStmt([stage(part) for part in stmt.seq])
        return stmt if list(called_kernels(stmt)) else ticked(stmt, PACKING)

    realize = func.body
    root = realize.block
    body = structural_map(
        stage(root.body), [(tirx.Evaluate, around_call), (tirx.For, serial), (tirx.AttrStmt, serial)]
    )
    body = tirx.SeqStmt([_start(ticks), body, _tick(ticks, OTHER)])
    body = _importing(body, target)
    block = SBlock(
        root.iter_vars, [], [], root.name_hint, body, None, list(root.alloc_buffers), [], root.annotations
    )
    return tirx.PrimFunc(
        [*func.params, ticks],
        SBlockRealize(realize.iter_values, realize.predicate, block),
        func.ret_type,
        func.attrs,
    )


@cache
def cycles_per_second(target: CompileTarget) -> float:
    """Measure counter ticks per second, against the clock."""
    func = _empty_ticks(target).with_attr("global_symbol", "tick")
    tick = tvm.compile(tvm.IRModule({"tick": func}), target=target.tvm_target).mod["tick"]
    ticks = tvm.runtime.tensor(np.zeros(SLOTS, np.int64))
    tick(ticks)
    first, start = ticks.numpy()[LAST], time.perf_counter()
    while time.perf_counter() - start < CALIBRATION_SECONDS:
        pass
    tick(ticks)
    passed = time.perf_counter() - start
    return float(ticks.numpy()[LAST] - first) / passed


def tick_ir(target: CompileTarget) -> str:
    """Return LLVM IR of ``i32 directconv_tick(ticks, part)``; TargetError where no counter is known."""
    if target.arch not in COUNTERS:
        raise TargetError(
            f"{target}: no cycle counter is known for {target.arch}; there are {', '.join(COUNTERS)}"
        )
    wait, counter = COUNTERS[target.arch]
    return f"""
define i32 @{TICK}(ptr %ticks, i64 %part) alwaysinline {{
  call void asm sideeffect "{wait}", "~{{memory}}"()
  %now = call i64 @llvm.{counter}()
  call void asm sideeffect "{wait}", "~{{memory}}"()
  %last.at = getelementptr i64, ptr %ticks, i64 {LAST}
  %last = load i64, ptr %last.at
  %passed = sub i64 %now, %last
  %sum.at = getelementptr i64, ptr %ticks, i64 %part
  %sum = load i64, ptr %sum.at
  %longer = add i64 %sum, %passed
  store i64 %longer, ptr %sum.at
  %count.at = getelementptr i64, ptr %sum.at, i64 {COUNTS}
  %count = load i64, ptr %count.at
  %more = add i64 %count, 1
  store i64 %more, ptr %count.at
  store i64 %now, ptr %last.at
  ret i32 0
}}
declare i64 @llvm.{counter}()
"""


def prepare(
    workload: Conv2dWorkload, target: CompileTarget, algorithm: str
) -> tuple[Conv2dWorkload, tirx.PrimFunc, list[tvm.runtime.Tensor]]:
    """Return the workload in the algorithm's layouts, its lowered function, and random operands of that.

    The output is the last operand. Raises AlgorithmError as ``breakdown``.
    """
    if algorithm not in ALGORITHMS:
        raise AlgorithmError(
            f"no algorithm '{algorithm}'{nearest(algorithm, ALGORITHMS)}; there are {', '.join(ALGORITHMS)}"
        )
    if not takes(workload, target, algorithm):
        raise AlgorithmError(f"{algorithm} does not take {workload}")
    of = ALGORITHMS[algorithm]
    native = workload.in_layouts(*of.layouts(workload, target))
    plan = of.plan(native, target)
    data, weights, bias, residual, scale = random_operands(native)
    if native.quantized:
        bias = plan.bias_table(weights, bias)
    output = np.zeros(native.output_shape, native.out_dtype)
    arrays = [data, plan.pack(weights), bias, residual, scale, output]
    tensors = [tvm.runtime.tensor(array) for array in arrays if array is not None]
    return native, plan.schedule(plan.compute()), tensors


def _start(ticks: tirx.Buffer) -> tirx.Stmt:
    """Set sums and counts to zero; the first tick only says when to start."""
    zero = tirx.IntImm("int64", 0)
    clear = [tirx.BufferStore(ticks, zero, [slot]) for slot in range(SLOTS)]
    again = [tirx.BufferStore(ticks, zero, [slot]) for slot in (OTHER, COUNTS + OTHER)]
    return tirx.SeqStmt([*clear, _tick(ticks, OTHER), *again])


def _tick(ticks: tirx.Buffer, part: int) -> tirx.Stmt:
    return tirx.Evaluate(tirx.call_extern("int32", TICK, ticks.access_ptr("rw"), tirx.IntImm("int64", part)))


def _importing(body: tirx.Stmt, target: CompileTarget) -> tirx.Stmt:
    source = tvm.ir.StringImm(tick_ir(target))
    return tirx.AttrStmt(tirx.IntImm("int32", 0), "pragma_import_llvm", source, body)


def _empty_ticks(target: CompileTarget) -> tirx.PrimFunc:
    """Return the PrimFunc (ticks) of ticks with nothing between them."""
    ticks = tirx.decl_buffer((SLOTS,), "int64", "ticks")
    loop = tirx.For(
        tirx.Var("i", "int32"), 0, EMPTY_TICKS // 2, tirx.ForKind.SERIAL,
        tirx.SeqStmt([_tick(ticks, OTHER), _tick(ticks, MICROKERNEL)]),
    )  # fmt: skip
    block = SBlock([], [], [], "root", _importing(tirx.SeqStmt([_start(ticks), loop]), target))
    return tirx.PrimFunc([ticks], SBlockRealize([], tirx.IntImm("bool", 1), block)).with_attr("s_tir", True)


def _tick_cycles(empty: Callable[..., object], ticks: tvm.runtime.Tensor) -> float:
    """Measure the cycles a tick adds to the sum it goes into; the least of a few tries."""
    tries = []
    for _ in range(3):
        empty(ticks)
        taken = ticks.numpy()
        tries.append(taken[:LAST].sum() / taken[COUNTS:].sum())
    return float(min(tries))
