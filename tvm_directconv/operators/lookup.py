"""Any function of one 8-bit number: a table of its 256 results, looked up in registers.

Between 8-bit tensors an activation has no more than 256 results, whatever it is made of. Instruction sets
look up as many as a register or a few of them hold, 16 to 128, by the low bits of each element; the other
bits say which of the results belong. On x86 without VBMI, ``pshufb`` gives zero for elements whose sign is
set: what is looked up are the differences (exclusive or) of neighbouring parts of the table, and each
element, less 16 at every part, meets those up to its own. Where nothing of the kind is known, elements are
looked up one by one.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from .builder import Expr, build_operator, held, load, shuffle, store, vector_type
from .quantized_type import check_dtype

if TYPE_CHECKING:
    from tvm_directconv.targets.target import CompileTarget

RESULTS = 256
VECTORS = 4
"""The innermost loop takes this many vectors at a time."""
CHUNK = 1 << 15
"""Threads share pieces of so many elements."""
WORK_FACTOR = 3
"""An element takes this many times as long as copying it, for the decision to run in parallel."""

Find = Callable[[Expr], Expr]
"""A function that takes a vector of unsigned 8-bit numbers and returns what the table has for them."""


@dataclass(frozen=True)
class Lookup:
    """How an instruction set looks up ``lanes`` elements, by what ``prepare`` makes of a table."""

    lanes: int
    prepare: Callable[[tirx.Buffer, int], Find]


def lookup(shape: Sequence[int], source: str, result: str, target: CompileTarget) -> tirx.PrimFunc:
    """PrimFunc (data of dtype ``source``, table (256,) and output of ``result``), both 8-bit types:
    ``output = table[data - the smallest number of source]``; data and output have ``shape``."""
    check_dtype("lookup", source)
    check_dtype("lookup", result)
    total, how = math.prod(shape), lookup_of(target)
    with build_operator("lookup", target, result) as operator:
        shapes = {"data": shape, "table": (RESULTS,), "output": shape}
        arguments = operator.arguments(shapes, {"data": source})
        # Kernels see bits: the smallest number of int8 is 128 moved by its sign.
        data, table, output = (
            T.decl_buffer((math.prod(b.shape),), "uint8", data=b.data, layout=None) for b in arguments
        )
        sign = 0 if source == "uint8" else 128

        def numbers(start: Expr, width: int) -> Expr:
            value = load(data, start, width)
            return T.Bind(value ^ tirx.const(sign, vector_type("uint8", width)) if sign else value)

        if how is None or total < how.lanes:
            with T.serial(0, total) as index:
                store(output, index, 1, table[T.cast(numbers(index, 1), "int32")])
        else:
            vectors = min(VECTORS, total // how.lanes)
            size = vectors * how.lanes
            blocks = -(-total // size)
            each = -(-blocks // -(-total // CHUNK))
            with operator.outer_loop(-(-blocks // each), 2 * WORK_FACTOR * total) as chunk:
                find = how.prepare(table, how.lanes)
                with T.serial(0, T.min(each, blocks - chunk * each)) as index:
                    # The last block reaches back.
                    start = T.Bind(T.min((chunk * each + index) * size, total - size))
                    places = [start + v * how.lanes for v in range(vectors)]
                    values = [numbers(place, how.lanes) for place in places]
                    for place, value in zip(places, values, strict=True):
                        store(output, place, how.lanes, find(value))
    return operator.prim_func


def lookup_of(target: CompileTarget) -> Lookup | None:
    """How code for ``target`` looks up; None where that is one by one."""
    features, most = target.features, target.machine.vector_bits // 8
    for arch, feature, lanes, prepare in LOOKUPS:
        if target.arch == arch and feature in features and lanes <= most:
            return Lookup(lanes, prepare)
    return None


def _bytes(value: int, lanes: int) -> Expr:
    return T.broadcast(tirx.const(value, "uint8"), lanes)


def _parts(table: tirx.Buffer, size: int, lanes: int) -> list[Expr]:
    """Parts of ``size`` results each, repeated over ``lanes``."""
    parts = [load(table, start, size) for start in range(0, RESULTS, size)]
    if lanes == size:
        return [T.Bind(part) for part in parts]
    return [T.Bind(shuffle([part] * (lanes // size), range(lanes))) for part in parts]


def _by_differences(name: str, table: tirx.Buffer, lanes: int) -> Find:
    """pshufb: in each 16 bytes, by the low 4 bits of elements that are not negative."""
    kind, call = vector_type("uint8", lanes), tirx.call_llvm_pure_intrin
    parts = _parts(table, 16, lanes)
    half = len(parts) // 2
    steps = [parts[i] if i % half == 0 else T.Bind(parts[i] ^ parts[i - 1]) for i in range(len(parts))]

    def find(value: Expr) -> Expr:
        found = None
        for first in (0, half):
            number = value if first == 0 else value ^ _bytes(128, lanes)
            for at in range(first, first + half):
                if at > first:
                    number = held(call(kind, "llvm.ssub.sat", number, _bytes(16, lanes)))
                part = call(kind, name, steps[at], number)
                found = T.Bind(part if found is None else found ^ part)
        return found

    return find


def _by_halves(table: tirx.Buffer, lanes: int) -> Find:
    """vpermi2b: 128 results by the low 7 bits; the sign chooses one of two."""
    kind, parts = vector_type("uint8", lanes), _parts(table, lanes, lanes)

    def find(value: Expr) -> Expr:
        low, high = (
            tirx.call_llvm_pure_intrin(kind, "llvm.x86.avx512.vpermi2var.qi.512", a, value, b)
            for a, b in (parts[:2], parts[2:])
        )
        return T.Select(value < _bytes(128, lanes), low, high)

    return find


def _by_quarters(table: tirx.Buffer, lanes: int) -> Find:
    """tbl, tbx: 64 results of four registers; elements beyond them leave what there is."""
    kind, parts = vector_type("uint8", lanes), _parts(table, lanes, lanes)
    quarters = [parts[i : i + 4] for i in range(0, len(parts), 4)]

    def find(value: Expr) -> Expr:
        found = tirx.call_llvm_pure_intrin(kind, "llvm.aarch64.neon.tbl4", *quarters[0], value)
        for at, quarter in enumerate(quarters[1:], 1):
            number = value - _bytes(64 * at, lanes)
            found = tirx.call_llvm_pure_intrin(kind, "llvm.aarch64.neon.tbx4", found, *quarter, number)
        return found

    return find


def _by_pairs(table: tirx.Buffer, lanes: int) -> Find:
    """vperm: 32 results of two registers by the low 5 bits, counted from the end on little-endian CPUs; the
    other three bits choose."""
    kind, words = vector_type("uint8", lanes), "int32x4"
    parts = [T.Bind(T.reinterpret(words, part)) for part in _parts(table, lanes, lanes)]

    def find(value: Expr) -> Expr:
        counted = T.Bind(value ^ _bytes(255, lanes))
        found = [
            T.reinterpret(
                kind, tirx.call_llvm_pure_intrin(words, "llvm.ppc.altivec.vperm", high, low, counted)
            )
            for low, high in zip(parts[::2], parts[1::2], strict=True)
        ]
        for bit in (32, 64, 128):
            chosen = T.Bind(value & _bytes(bit, lanes))
            pairs = zip(found[::2], found[1::2], strict=True)
            found = [T.Bind(T.Select(chosen == _bytes(0, lanes), low, high)) for low, high in pairs]
        return found[0]

    return find


LOOKUPS: tuple[tuple[str, str, int, Callable[[tirx.Buffer, int], Find]], ...] = (
    ("x86_64", "avx512vbmi", 64, _by_halves),
    ("x86_64", "avx512bw", 64, functools.partial(_by_differences, "llvm.x86.avx512.pshuf.b.512")),
    ("x86_64", "avx2", 32, functools.partial(_by_differences, "llvm.x86.avx2.pshuf.b")),
    ("x86_64", "ssse3", 16, functools.partial(_by_differences, "llvm.x86.ssse3.pshuf.b.128")),
    ("aarch64", "neon", 16, _by_quarters),
    ("powerpc64le", "altivec", 16, _by_pairs),
)
"""(Architecture, feature, lanes, preparation), the best first."""
