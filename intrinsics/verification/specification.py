"""What a kernel's name says that it computes: which elements, in which order, read and stored where.

Written from the contract (``microkernel``), and from nothing that emits code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property

from intrinsics.engines import MatrixTiles, PairsOfRows
from intrinsics.epilogue import Operations
from intrinsics.isa import ISAS
from intrinsics.microkernel import BYTES, DEPTHWISE, OPEN, KernelInstance, Segment

from .term_arithmetic import TermArithmetic
from .terms import Affine, Terms

ANY_LENGTH = ("riscv64",)
"""Architectures whose vectors are of any length, so that a lane is one of any number."""
TILE_ROW = 64
"""Bytes of channels that a tile's row has."""
PAIRS = {"x86_64": "fmabf", "aarch64": "bfdot", "powerpc64le": "bfdot"}
"""Kinds of terms that add products of pairs of bfloat16: one product each, or both at once."""


@dataclass(frozen=True)
class ProductRun:
    """Products of consecutive channels: bytes from A, as a filter row begins, to the first, and to the next
    group of channels, and likewise of B; the channels, and how many of them are a group."""

    a: int
    a_next: int
    b: int
    b_next: int
    length: int
    group: int = 1

    @property
    def groups(self) -> int:
        return -(-self.length // self.group)


class Specification:
    """The meaning of one instance, on terms."""

    def __init__(self, instance: KernelInstance, terms: Terms, op: TermArithmetic) -> None:
        self.instance, self.terms, self.op = instance, terms, op
        self.kernel = kernel = instance.kernel
        self.isa = ISAS[kernel.isa]
        destination, lhs, rhs = kernel.types.split("_")
        self.lhs, self.rhs, self.destination = lhs, rhs, destination
        self.unit, self.a_bytes, self.b_bytes = BYTES[destination], BYTES[lhs], BYTES[rhs]
        self.group = self.isa.channels_per_step(kernel.layout)
        """Channels that lie side by side in B."""

        pairs = "hfdot" if lhs == "f16" else PAIRS.get(self.isa.arch, "")
        self.in_blocks = bool(self.isa.half_terms) and kernel.layout != DEPTHWISE
        """Whether blocks of products are summed in float16."""
        self.in_tiles = self.isa.engine.tile_rows > 1
        """Whether whole rows of tiles are multiplied at once."""
        self.step = TILE_ROW // self.a_bytes if self.in_tiles else self.group
        """Channels whose products are added at once, or one after the other to one element."""
        self.product = ("fmah" if self.in_blocks else "fma") if self.group == 1 else pairs
        """The kind of terms that add products of floating point, or of tiles."""
        if self.in_tiles:
            self.product = "tdpbf" if lhs == "bf16" else f"tdp{lhs[0]}{rhs[0]}"
        self.lane: Affine = (0, 0)
        """Lanes from those that are asked for to the one that is meant, where it is a symbol."""
        self.lanes: Sequence[int] = range(instance.channels)
        """Lanes that are compared."""

    # ---- pointers and symbols

    def parts(self) -> list[tuple[Specification, int]]:
        """Return this and its number of channels, or where vectors are of any length, for each block of
        channels the specification of a lane of any number, and how many lanes there are."""
        instance = self.instance
        if self.isa.arch not in ANY_LENGTH:
            return [(self, instance.channels)]
        width, parts = instance.c_block[0] or instance.channels, list[tuple[Specification, int]]()
        for at, first in enumerate(range(0, instance.channels, width)):
            part = copy(self)
            part.lane, part.lanes = self.terms.symbol(f"lane{at}"), (first,)
            parts.append((part, min(width, instance.channels - first)))
        return parts

    def pointer(self, name: str, offset: int = 0) -> Affine:
        return self.terms.symbol(f"*{name}")[0], offset

    def in_lane(self, name: str, offset: int, size: int) -> Affine:
        """The address of what is so many bytes from an operand in the first of the lanes, which are as far
        apart as ``size`` bytes."""
        pointer = self.pointer(name, offset)
        return self.terms.plus(pointer, self.terms.times(self.lane, (0, size))) if self.lane[0] else pointer

    @property
    def operands(self) -> tuple[Affine, Affine]:
        """Return where A and B begin, for the lane that is meant."""
        moved = self.kernel.layout == DEPTHWISE
        a = self.in_lane("a", 0, self.a_bytes) if moved else self.pointer("a")
        return a, self.in_lane("b", 0, self.b_bytes * self.group)

    @property
    def taps(self) -> Affine:
        return self.terms.symbol("taps_h")

    @cached_property
    def a_step(self) -> Affine:
        """Bytes from a filter row's elements of A to the next."""
        step = self.instance.a_step
        if step is OPEN:
            return self.terms.times(self.terms.symbol("step"), (0, self.a_bytes))
        return (0, step * self.a_bytes)

    @property
    def b_step(self) -> Affine:
        return (0, self.instance.b_step * self.b_bytes)

    @property
    def of_bytes(self) -> bool:
        """Whether sums are of integers."""
        return self.isa.of_bytes

    @property
    def adds_zeros(self) -> bool:
        """Whether rows that a segment leaves out may add products of zero, since all rows are multiplied at
        once."""
        return self.in_tiles or (not self.of_bytes and isinstance(self.isa.engine, MatrixTiles | PairsOfRows))

    @property
    def moved(self) -> int:
        """What is added to activations before they are multiplied."""
        return 0 if self.kernel.layout == DEPTHWISE else self.isa.lhs_offset(self.lhs)

    @property
    def masks(self) -> int:
        """Bytes from a row of weights to what activations are exclusive-or'd with before they are multiplied
        as unsigned bytes, 0 where they are not."""
        doubled = self.isa.complements and self.kernel.layout != DEPTHWISE
        return self.instance.b_row // 2 if doubled else 0

    # ---- products

    @property
    def unrolled(self) -> bool:
        """Whether a tile visits filter rows of a known number, which are then not counted."""
        return bool(self.instance.lines.taps)

    def runs(self, segments: tuple[Segment, ...], m: int, j: int) -> list[ProductRun]:
        """The products of row m's lane j in one filter row, in order."""
        instance = self.instance
        x = m % instance.width
        runs = []
        for segment in segments:
            if x not in segment.rows:
                continue
            a, b, a_next = self._places(segment, m, x, j)
            runs.append(
                ProductRun(
                    a * self.a_bytes,
                    a_next * self.a_bytes,
                    b * self.b_bytes,
                    self.step // self.group * instance.b_row * self.b_bytes,
                    segment.length,
                    self.step,
                )
            )
        return runs

    def _places(self, segment: Segment, m: int, x: int, j: int) -> tuple[int, int, int]:
        """Elements to the first of A and of B, and to A's next group."""
        instance = self.instance
        a = segment.a + (x * instance.a_row if self.unrolled else instance.a_offset(m))
        b = segment.b + j * self.group
        if self.kernel.layout == DEPTHWISE:
            return a + j // instance.group * segment.length, b, 1
        return a, b, self.step * instance.a_k

    def line_of(self, m: int) -> Affine:
        """Bytes from the first line's elements of A to those of row m's line."""
        y, lines = m // self.instance.width, self.instance.lines
        if self.instance.a_step is OPEN:
            return self.terms.times(self.a_step, (0, y * lines.a))
        return (0, y * lines.a * self.a_bytes)

    # ---- what sums begin with, and what becomes of them

    def start(self, m: int, j: int) -> int:
        """The term that row m's lane j begins with."""
        instance, terms = self.instance, self.terms
        if instance.accumulate:
            return terms.load(4, self.c_address(m, j))
        if not instance.epilogue.bias:
            return terms.constant(0)
        if instance.bias_by_row:
            return terms.load(4, self.pointer("bias", 4 * m))
        return terms.load(4, self.in_lane("bias", 4 * (instance.bias_offset(m) + j), 4))

    def c_address(self, m: int, j: int, of: str = "c") -> Affine:
        """The address of row m's lane j in C, or in the residual."""
        instance = self.instance
        at: Affine = self.in_lane(of, instance.c_offset(m, j) * self.unit, self.unit)
        if instance.lines.c is OPEN:
            y = m // instance.width
            at = self.terms.plus(at, self.terms.times(self.terms.symbol("line"), (0, y * self.unit)))
        return at

    def residual(self, m: int, j: int) -> int:
        return self.value(self.destination, self.c_address(m, j, "residual"))

    def value(self, kind: str, address: Affine) -> int:
        """The float32 of an element of memory, or its bits."""
        loaded = self.terms.load(BYTES[kind], address)
        if kind == "f16":
            return self.op.of_half(loaded)
        if kind == "bf16":
            zero = self.terms.constant(0, 1)
            return self.terms.join((zero, zero, *self.terms.bytes_of(loaded, 2)))
        if kind in ("u8", "s8"):
            read = self.op.unsigned if kind == "u8" else self.op.signed
            return self.op.of_integer(read(loaded, 8))
        return loaded

    def elements(self) -> Iterator[tuple[int, int]]:
        """Row and lane of every element of C that is stored."""
        for m in range(self.kernel.mr):
            for j in self.lanes:
                yield m, j

    def scaled(self, total: int, j: int) -> int:
        """What steps are applied to, of the term of a sum: of bytes, the sum as float32 times lane j's scale,
        which is one of the steps where the fifth operand is a residual."""
        if not self.of_bytes or self.destination == "i32":
            return total
        value = self.terms.make("float", total)
        if self.instance.epilogue.residual:
            return value
        return self.terms.make("mul", value, self.terms.load(4, self.in_lane("residual", 4 * j, 4)))


class StepsOnTerms(Operations[int]):
    """The operations of epilogue steps, for one element."""

    def __init__(self, specification: Specification, m: int, j: int) -> None:
        self.of, self.m, self.j = specification, m, j
        self.make = specification.terms.make

    def _operand(self, value: int | float) -> int:
        from intrinsics.epilogue.step import float_bits

        return self.of.terms.constant(int(float_bits(value), 16)) if isinstance(value, float) else value

    def maximum(self, a: int, b: int | float) -> int:
        return self.make("max", a, self._operand(b))

    def minimum(self, a: int, b: int | float) -> int:
        return self.make("min", a, self._operand(b))

    def add(self, a: int, b: int | float) -> int:
        return self.make("add", a, self._operand(b))

    def multiply(self, a: int, b: int | float) -> int:
        return self.make("mul", a, self._operand(b))

    def multiply_add(self, a: int, b: int | float, c: int | float) -> int:
        return self.make("muladd", a, self._operand(b), self._operand(c))

    def divide(self, a: int, b: int) -> int:
        return self.make("div", a, b)

    def power_of_two(self, a: int) -> int:
        return self.make("shl", a, 23, 4)

    def channel(self, at: int) -> int:
        return self.of.terms.load(4, self.of.in_lane("bias", 4 * (at + self.j), 4))

    def add_residual(self, a: int) -> int:
        return self.make("add", a, self.of.residual(self.m, self.j))
