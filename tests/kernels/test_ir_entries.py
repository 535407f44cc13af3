"""Entries of the proofs' table of LLVM IR against what LLVM makes of them for this host, and conversions by
arithmetic on bits against numpy's."""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np
import pytest
import tvm
from emulation.x86.elements import NumpyArithmetic
from support import run_together, runnable_target
from tvm import tirx
from tvm.script.ir_builder import IRBuilder
from tvm.script.ir_builder import tirx as T

from intrinsics.verification import ir_table
from intrinsics.verification.ir_table import BINARY, CASTS, COMPARISONS, SHIFTS

LANES = 16
PLACES = 13
TYPES = {"float": 4, "i32": 4, "i16": 2, "i8": 1}
SOURCES = {
    "zext": ("i8 i32", "i16 i32"), "sext": ("i8 i32", "i16 i32"), "trunc": ("i32 i8", "i32 i16"),
    "sitofp": ("i32 float",), "bitcast": ("i32 float", "float i32"),
}  # fmt: skip
"""The types that each cast is of, and makes."""


class BitNumbers(NumpyArithmetic):
    """Numpy's arithmetic, with what only LLVM IR needs."""

    def constant(self, bits: int) -> np.ndarray:
        return np.array([bits], np.uint32)

    def is_greater(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return a.view("f4") > b.view("f4")

    def is_below(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return a < b

    def is_not_below(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return a >= b

    def other_where(self, which: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.where(which, b, a)

    def both(self, a: np.ndarray, b: np.ndarray, size: int = 4) -> np.ndarray:
        return a & b

    def either(self, a: np.ndarray, b: np.ndarray, size: int = 4) -> np.ndarray:
        return a | b

    def exclusive_or(self, a: np.ndarray, b: np.ndarray, size: int = 4) -> np.ndarray:
        return a ^ b

    def sign_extended(self, a: np.ndarray, to: int, size: int = 1) -> np.ndarray:
        return a.view(f"i{size}").astype(f"i{to}").view(f"u{to}")

    def lower_part(self, a: np.ndarray, size: int, to: int) -> np.ndarray:
        return a.astype(f"u{to}")


OP = BitNumbers()


@dataclass(frozen=True)
class Case:
    """A line of LLVM IR, ``%r`` of ``%a`` and ``%b``, of these types; what a comparison says is as wide as
    what it compares."""

    name: str
    line: str
    of: str
    to: str

    def code(self) -> str:
        source, target = (f"<{LANES} x {kind}>" for kind in (self.of, self.to))
        extended = f"%s = sext <{LANES} x i1> %r to {target}" if self.name[1:4] == "cmp" else ""
        return (
            f"define i32 @{self.name}(ptr %c, ptr %x, ptr %y) {{\n"
            f"%a = load {source}, ptr %x, align 1\n%b = load {source}, ptr %y, align 1\n"
            f"%r = {self.line}\n{extended}\n"
            f"store {target} %{'s' if extended else 'r'}, ptr %c, align 1\nret i32 0\n}}\n"
        )

    def operands(self) -> list[np.ndarray]:
        rng, size = np.random.default_rng(len(self.name)), TYPES[self.of]
        a, b = (rng.integers(0, 1 << 8 * size, LANES, np.uint64).astype(f"u{size}") for _ in range(2))
        if self.of == "float":
            a[:], b[:] = (rng.standard_normal((2, LANES)) * 10).astype("f4").view("u4")
            a[:6] = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1], "f4").view("u4")
            b[3:8] = np.array([1, np.nan, 2, 0, -0.0], "f4").view("u4")
        b[-3:] = a[-3:]
        return [a, b, np.zeros(LANES, f"u{TYPES[self.to]}")]

    def expected(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        kind, size = self.name.split("_")[0], TYPES[self.of]
        if kind in BINARY:
            return BINARY[kind](OP, a, b, size)
        if kind in SHIFTS:
            return SHIFTS[kind](OP, a, PLACES, size)
        if kind in CASTS:
            return CASTS[kind](OP, a, size, TYPES[self.to])
        which = COMPARISONS[kind, self.name.split("_")[1]](OP, a, b)
        return np.where(which, 0xFFFFFFFF, 0).astype("u4")


def cases() -> list[Case]:
    found = []
    for name in (*BINARY, *SHIFTS):
        of = "float" if name[0] == "f" else "i32"
        vector = f"<{LANES} x {of}>"
        other = "%b" if name in BINARY else f"<{', '.join([f'i32 {PLACES}'] * LANES)}>"
        found.append(Case(f"{name}_{of}", f"{name} {vector} %a, {other}", of, of))
    for name, pairs in SOURCES.items():
        for of, to in (pair.split() for pair in pairs):
            line = f"{name} <{LANES} x {of}> %a to <{LANES} x {to}>"
            found.append(Case(f"{name}_{of}_{to}", line, of, to))
    for kind, comparison in COMPARISONS:
        of = "float" if kind == "fcmp" else "i32"
        line = f"{kind} {comparison} <{LANES} x {of}> %a, %b"
        found.append(Case(f"{kind}_{comparison}", line, of, "i32"))
    return found


def call_of(case: Case, arrays: list[np.ndarray]) -> tirx.PrimFunc:
    with IRBuilder() as builder, T.prim_func(s_tir=True):
        T.func_name("call")
        a, b, c = (
            T.arg(f"operand{i}", T.buffer((array.size,), str(array.dtype), layout=None))
            for i, array in enumerate(arrays)
        )
        pointers = (c.access_ptr("rw"), a.access_ptr("r"), b.access_ptr("r"))
        T.evaluate(T.call_extern("int32", case.name, *pointers))
    func: tirx.PrimFunc = builder.get()
    zero, source = tirx.IntImm("int32", 0), tvm.ir.StringImm(case.code())
    return func.with_body(tirx.AttrStmt(zero, "pragma_import_llvm", source, func.body))


def test_entries_are_what_llvm_makes_of_them() -> None:
    """In all bits, but for those of what is not a number."""
    all_cases = cases()
    assert {case.name.split("_")[0] for case in all_cases} == {*BINARY, *SHIFTS, *CASTS, "fcmp", "icmp"}
    operands = [case.operands() for case in all_cases]
    functions = [call_of(case, arrays) for case, arrays in zip(all_cases, operands, strict=True)]
    found = run_together(functions, operands, runnable_target("avx2"))
    for case, (a, b, _), got in zip(all_cases, operands, found, strict=True):
        with np.errstate(all="ignore"):
            want = case.expected(a, b)
        same = got == want
        if case.to == "float":
            same |= np.isnan(got.view("f4")) & np.isnan(want.view("f4"))
        assert same.all(), (case.name, a[~same], b[~same], got[~same], want[~same])


def drawn_floats() -> np.ndarray:
    """Floats of all exponents that float16 may have, halfway between its numbers too, and odd ones."""
    rng = np.random.default_rng(0)
    halves = np.arange(1 << 16, dtype=np.uint16).view("f2").astype("f4")
    between = (halves[:-1] + halves[1:]) / 2
    bits = [between.view("u4") + np.uint32(by) for by in (0, 1, 0xFFFFFFFF)]
    return np.concatenate([*bits, rng.integers(0, 1 << 32, 1 << 17, np.uint64).astype("u4")])


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
def test_arithmetic_on_bits_is_the_conversion_that_it_is_taken_for() -> None:
    halves = np.arange(1 << 16, dtype=np.uint16)
    floats = drawn_floats()
    pairs = [
        (ir_table.float_of_half(OP, halves).view("f4"), halves.view("f2").astype("f4")),
        (ir_table.half_of_float(OP, floats).view("f2"), floats.view("f4").astype("f2")),
        (
            ir_table.bfloat16_of_float(OP, floats).view(ml_dtypes.bfloat16),
            floats.view("f4").astype(ml_dtypes.bfloat16),
        ),
    ]
    for got, want in pairs:
        numbers = ~np.isnan(want.astype("f4"))
        assert (np.isnan(got.astype("f4")) == ~numbers).all()
        of = f"u{got.itemsize}"
        assert (got.view(of) == want.view(of))[numbers].all()
