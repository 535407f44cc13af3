"""Entries of the proofs' table of RISC-V's vector instructions against qemu, at every length of vectors."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
import tvm
from emulation import CPUS, EmulatedCpu, emulate
from emulation.x86.elements import NumpyArithmetic
from tvm import tirx
from tvm.script.ir_builder import IRBuilder
from tvm.script.ir_builder import tirx as T

from intrinsics.emit.asm import AsmBody, llvm_function
from intrinsics.riscv.rvv import QEMU
from intrinsics.verification.riscv_table import MASKS, MERGES, SHIFTS, VECTORWISE, Vectorwise

pytestmark = [pytest.mark.emulated]

COUNT = 61
"""Elements of each operand: the last pass is a part of a vector, whatever its length."""
PLACES = {1: 3, 2: 5, 4: 16}
"""Places that elements of so many bytes are shifted by."""
FORMS = {
    "vfadd": "vv vf", "vfmul": "vv vf", "vfdiv": "vv vf", "vfmacc": "vv vf", "vfmadd": "vv vf",
    "vfwmacc": "vv vf", "vwmacc": "vv vx", "vfcvt.f.x": "v", "vfcvt.x.f": "v", "vfwcvt.f.f": "v",
    "vfncvt.f.f": "w", "vzext.vf2": "", "vsext.vf2": "", "vzext.vf4": "", "vsext.vf4": "",
    "vadd": "vv vx", "vand": "vi", "vsll": "vi", "vsrl": "vi", "vnsrl": "wi", "vmv.v": "v", "vfmv.v": "f",
}  # fmt: skip
"""Each entry's forms that kernels have."""
SIZES = {"vzext.vf2": (2, 4), "vsext.vf2": (2, 4), "vnsrl": (1, 2)}
"""Elements' bytes of entries of several, but for 1, 2 and 4."""
FLOATING = ("vf", "vm", "vfm")


class RiscvNumbers(NumpyArithmetic):
    """Numpy's arithmetic, as RISC-V has it where x86 has another."""

    def to_integer_saturated(self, a: np.ndarray) -> np.ndarray:
        ends = np.iinfo(np.int32)
        rounded = np.rint(a.view("f4").astype(np.float64))
        known = np.where(np.isnan(rounded), ends.max, np.clip(rounded, ends.min, ends.max))
        return known.astype(np.int32).view("u4")

    def is_greater(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return a.view("f4") > b.view("f4")

    def differ(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return a.view("f4") != b.view("f4")

    def other_where(self, which: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.where(which, b, a)

    def both(self, a: np.ndarray, b: np.ndarray, size: int = 4) -> np.ndarray:
        return a & b

    def zero_extended(self, a: np.ndarray, size: int, to: int) -> np.ndarray:
        return a.astype(f"u{to}")

    def sign_extended(self, a: np.ndarray, to: int, size: int = 1) -> np.ndarray:
        return a.view(f"i{size}").astype(f"i{to}").view(f"u{to}")

    def low_half(self, a: np.ndarray, size: int = 4) -> np.ndarray:
        return a.astype(f"u{size // 2}")


@dataclass(frozen=True)
class Case:
    """An instruction on elements of ``size`` bytes: a mask's is followed by the merge that it is for."""

    name: str
    form: str
    size: int

    @property
    def meaning(self) -> Vectorwise:
        return VECTORWISE.get(self.name) or Vectorwise(MASKS[self.name])

    @property
    def mnemonic(self) -> str:
        return f"{self.name}.{self.form}" if self.form else self.name

    @property
    def label(self) -> str:
        return f"{self.mnemonic}_{self.size}".replace(".", "_")

    @property
    def source_bytes(self) -> int:
        places = self.meaning.source
        return self.size << places if places >= 0 else self.size >> -places

    @property
    def target_bytes(self) -> int:
        return self.size << self.meaning.target

    def operands(self) -> list[np.ndarray]:
        """C, which holds the old value, and both sources: numbers and odd ones, or any bits."""
        rng = np.random.default_rng(len(self.label))
        sizes = (self.target_bytes, self.source_bytes, self.source_bytes)
        arrays = [rng.integers(0, 1 << 8 * size, COUNT, np.uint64).astype(f"u{size}") for size in sizes]
        if not self.name.startswith(("vf", "vm")) or self.name == "vmv.v":
            return arrays
        for array in arrays:
            of = array.itemsize
            if of > 1:
                odd = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.5, 2.5, -3.5], f"f{of}")
                numbers = (100 * rng.standard_normal(COUNT)).astype(f"f{of}")
                numbers[rng.permutation(COUNT)[:16]] = np.tile(odd, 2)
                numbers[rng.integers(0, COUNT, 6)] = rng.standard_normal(6).astype(f"f{of}") * 1e-5
                array[:] = numbers.view(array.dtype)
        return arrays

    @property
    def lines(self) -> list[str]:
        """What is done to as many elements as vectors hold, with C in x10 and the sources in x11 and x12."""
        bits, ours, theirs = 8 * self.size, 8 * self.target_bytes, 8 * self.source_bytes
        vector, last = "v8", {"f": "f0", "x": "x28", "i": "3"}.get(self.form[-1:], "v16")
        if self.name in SHIFTS:
            last = str(PLACES[self.size])
        known = [vector, last] if self.form in ("vv", "vf", "vx", "vi", "wi") else [vector]
        if self.form == "f":
            known = [last]
        if self.meaning.old:
            known.reverse()
        merged = "v16, v0" if self.form == "vv" else "f0, v0"
        lines = [f"{self.mnemonic} v24, {', '.join(known)}"]
        if self.name in MASKS:
            merge = "vmerge.vvm" if self.form == "vv" else "vfmerge.vfm"
            other = vector if self.name == "vmfne" else last
            lines = [f"{self.mnemonic} v0, {vector}, {other}", f"{merge} v24, v8, {merged}"]
        scalar = {4: "flw", 2: "flh"}.get(self.size) if last == "f0" else None
        loads = [f"{scalar} f0, 0(x12)"] if scalar else []
        loads += [{1: "lb", 2: "lh", 4: "lw"}[self.size] + " x28, 0(x12)"] if last == "x28" else []
        moves = [f"slli x29, x5, {(n // 8).bit_length() - 1}" for n in (ours, theirs, theirs)]
        return [
            *loads,
            f"li x6, {COUNT}",
            "1:",
            f"vsetvli x5, x6, e{bits}, m1, ta, ma",
            f"vle{theirs}.v v8, (x11)",
            f"vle{theirs}.v v16, (x13)",
            f"vle{ours}.v v24, (x10)",
            *lines,
            f"vse{ours}.v v24, (x10)",
            *itertools.chain.from_iterable(
                (move, f"add {pointer}, {pointer}, x29")
                for move, pointer in zip(moves, ("x10", "x11", "x13"), strict=True)
            ),
            "sub x6, x6, x5",
            "bnez x6, 1b",
        ]

    def code(self) -> str:
        body = AsmBody()
        for line in self.lines:
            body(line)
        registers = [f"x{i}" for i in range(10, 16)]
        clobbers = [*(f"v{i}" for i in range(32)), "f0", "x5", "x6", "x28", "x29"]
        parameters = ("c", "a", "b", "bias", "residual", "taps_h")
        features = frozenset({"v", "zvfh"})
        return llvm_function(self.label, body, registers, clobbers, features, ("vl", "vtype"), parameters)

    def expected(self, old: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        op, compute = RiscvNumbers(), self.meaning.compute
        other = b if self.form in ("vv", "vvm") else np.full_like(b, b[0])
        if self.form == "vi":
            other = np.full_like(b, 3)
        if self.name in MASKS:
            which = compute(op, a, a if self.name == "vmfne" else other)
            return MERGES["vmerge"](op, which, a, other)
        also = [PLACES[self.size]] if self.name in SHIFTS else []
        also += [self.size] if not self.meaning.size else []
        known = [other] if self.form == "f" else [a]
        if self.form in ("vv", "vf", "vx", "vi") and self.name not in SHIFTS:
            known = [other, a] if self.meaning.old else [a, other]
        return compute(op, *([old] if self.meaning.old else []), *known, *also)


CASES = [
    Case(name, form, size)
    for name, meaning in VECTORWISE.items()
    for form in (FORMS[name].split() or [""])
    for size in ((meaning.size,) if meaning.size else SIZES.get(name, (1, 2, 4)))
] + [Case(name, form, 4) for name in MASKS for form in (("vv",) if name == "vmfne" else ("vv", "vf"))]


def call_of(case: Case, arrays: Sequence[np.ndarray]) -> tirx.PrimFunc:
    with IRBuilder() as builder, T.prim_func(s_tir=True):
        T.func_name("call")
        c, a, b = (
            T.arg(f"operand{i}", T.buffer((array.size,), str(array.dtype), layout=None))
            for i, array in enumerate(arrays)
        )
        pointers = [c.access_ptr("rw"), a.access_ptr("r"), b.access_ptr("r"), b.access_ptr("r")]
        T.evaluate(T.call_extern("int32", case.label, *pointers, c.access_ptr("rw"), T.int64(1)))
    func: tirx.PrimFunc = builder.get()
    zero = tirx.IntImm("int32", 0)
    return func.with_body(tirx.AttrStmt(zero, "pragma_import_llvm", tvm.ir.StringImm(case.code()), func.body))


def test_entries_are_what_a_cpu_does() -> None:
    """In all bits, but for those of what is not a number."""
    assert FORMS.keys() == VECTORWISE.keys()
    models = tuple(f"{model},Zfh=true" for model in QEMU)
    cpu = EmulatedCpu(f"{CPUS['rvv'].target_string},+zvfh", models[0], models[1:])
    operands = [case.operands() for case in CASES]
    functions = {case.label: call_of(case, arrays) for case, arrays in zip(CASES, operands, strict=True)}
    calls = [(case.label, arrays) for case, arrays in zip(CASES, operands, strict=True)]
    for case, arrays, done in zip(CASES, operands, emulate(cpu, functions, calls), strict=True):
        with np.errstate(all="ignore"):
            want = case.expected(*arrays)
        got = done.tensors[0]
        same = got == want
        if want.itemsize > 1 and case.name.startswith("vf"):
            of = f"f{want.itemsize}"
            same |= np.isnan(got.view(of)) & np.isnan(want.view(of))
        assert same.all(), (case, got[~same][:3], want[~same][:3])
