"""Loops written as LLVM IR, compiled through TVM: what is measured is just what is written.

Each is ``i32 FUNCTION(i64 trips, ptr state)``, whose state has room for the values that go round in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import tvm
from tvm.script.ir_builder import IRBuilder
from tvm.tirx.script.builder import ir as T

from intrinsics.peak_loop import FACTOR, TERM

FUNCTION = "tvm_directconv_loop"
SLOTS = 64
SLOT_WORDS = 8
WORDS = SLOTS * SLOT_WORDS
"""The state has this many words of 64 bits, in slots that each hold a vector of 512 bits."""


def compile_loop(llvm_ir: str, target: tvm.target.Target) -> tvm.runtime.Module:
    """Return the module whose ``main(trips, state)`` calls FUNCTION; the state is int64 (WORDS,)."""
    # Written with the builder: TVMScript as text takes longer to parse than the loop to compile.
    with IRBuilder() as builder, T.prim_func(s_tir=True):
        T.func_name("main")
        trips = T.arg("trips", T.int64())
        state = T.arg("state", T.buffer((WORDS,), "int64", layout=None))
        with T.attr(0, "pragma_import_llvm", llvm_ir):
            T.evaluate(T.call_extern("int32", FUNCTION, trips, state.data))
    return tvm.compile(tvm.IRModule({"main": builder.get()}), target=target).mod


def multiply_adds(lanes: int, chains: int, rounds: int = 1, integers: bool = False) -> str:
    """Return a loop of multiply-adds of whole vectors, each after the last of its chain, ``rounds`` of each
    chain in a trip: of floats, or of 32-bit integers as a product and a sum."""
    vector, function = f"<{lanes} x {'i32' if integers else 'float'}>", f"@llvm.fmuladd.v{lanes}f32"

    def every_lane(value: float) -> str:
        if integers:
            return "<" + ", ".join([f"i32 {round(1000 * value)}"] * lanes) + ">"
        # LLVM reads a hexadecimal float as a double, whatever the type it is written for.
        bits = np.float64(np.float32(value)).view(np.uint64)
        return "<" + ", ".join([f"float 0x{bits:016X}"] * lanes) + ">"

    def step(old: str, new: str) -> list[str]:
        if integers:
            product = f"{new}.product"
            return [
                f"{product} = mul {vector} {old}, {every_lane(FACTOR)}",
                f"{new} = add {vector} {product}, {every_lane(TERM)}",
            ]
        factor, term = (f"{vector} {every_lane(value)}" for value in (FACTOR, TERM))
        return [f"{new} = call {vector} {function}({vector} {old}, {factor}, {term})"]

    names = [f"c{chain}" for chain in range(chains)]
    body = [line for old, new in links(names, rounds) for line in step(old, new)]
    # No chain may start at the fixed point 1, or LLVM sees a constant and removes it.
    text = loop_ir(dict.fromkeys(names, vector), [every_lane(2.0 + chain) for chain in range(chains)], body)
    return text if integers else f"declare {vector} {function}({vector}, {vector}, {vector})\n{text}"


def links(names: Sequence[str], rounds: int) -> list[tuple[str, str]]:
    """Return what each step of chains, in turns, reads and defines: the loop's variable first, its next value
    last."""
    values = ["", *(f".{number}" for number in range(1, rounds)), ".next"]
    return [(f"%{name}{old}", f"%{name}{new}") for old, new in pairwise(values) for name in names]


def loop_ir(
    variables: Mapping[str, str], starts: Sequence[str], body: Sequence[str], read: bool = False
) -> str:
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
