"""What elements of vectors are computed from, on terms.

The table of instructions (``x86_table`` and its neighbours) writes meanings as functions of an arithmetic and
of elements. This is the one that proofs use; the tests' interpreters have another, of numpy's arrays, so that
an entry is what a CPU does and what a proof says of it.

Elements are bits. ``signed`` and ``unsigned`` are the integers that they stand for, which are polynomials
over the elements of memory, and ``wrapped`` and ``saturated`` are the bits of an integer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .terms import Refutation, Terms

Integer = Mapping[tuple[int, ...], int]
"""A polynomial: products of atoms, in order, each with its factor."""
CHAINS = ("ld", "hole", "iter", "iadd", "undef")
"""Terms of these kinds may be sums that products are added to."""
SIGNED_PARTS = ("abs", "sign")
SIGN_BIT = 0x80
INFINITY_BITS = 0x7F800000


class TermArithmetic:
    """Operations on the numbers of terms."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.make = terms.make
        self._signed: dict[tuple[int, int], Integer] = {}
        self._unsigned: dict[tuple[int, int], Integer] = {}
        self._ends: dict[int, tuple[int, int]] = {}

    # ---- floating point: uninterpreted, but for the order of what is commutative

    def fma(self, a: int, b: int, c: int, kind: str = "") -> int:
        return self.make("fma" + kind, a, b, c) if a <= b else self.make("fma" + kind, b, a, c)

    def add(self, a: int, b: int, kind: str = "") -> int:
        return self.make("add" + kind, a, b) if a <= b else self.make("add" + kind, b, a)

    def multiply(self, a: int, b: int, kind: str = "") -> int:
        return self.make("mul" + kind, a, b) if a <= b else self.make("mul" + kind, b, a)

    def divide(self, a: int, b: int) -> int:
        return self.make("div", a, b)

    def greater(self, a: int, b: int) -> int:
        """``a`` where it is greater than ``b``, else ``b``: also where one of them is a NaN."""
        return self.make("max", b, a)

    def less(self, a: int, b: int) -> int:
        """``a`` where it is less than ``b``, else ``b``."""
        return self.make("min", b, a)

    def is_nan(self, a: int) -> int:
        """All bits where ``a`` is a NaN, else none."""
        node = self.terms.nodes[a]
        if node[0] == "const":
            return self.terms.constant(-1 if node[1] & 0x7FFFFFFF > INFINITY_BITS else 0)
        return self.make("isnan", a)

    def chosen(self, which: int, a: int, b: int) -> int:
        """``a`` where ``which`` has all bits, ``b`` where it has none."""
        node = self.terms.nodes[which]
        if node[0] == "const":
            return a if node[1] else b
        return self.make("select", which, a, b)

    def moved(self, element: int) -> int:
        """A byte whose highest bit is changed: as a number of the other sign, it is 128 more or less."""
        return self.exclusive_or(element, self.terms.constant(SIGN_BIT, 1), 1)

    def of_integer(self, x: Integer) -> int:
        """The float32 nearest to an integer of 32 bits."""
        return self.make("float", self.wrapped(x, 32))

    def to_integer(self, a: int) -> Integer:
        """The nearest integer of 32 bits, the even one of two; -2^31 where there is none."""
        return self.signed(self.make("rint", a), 32)

    def to_integer_saturated(self, a: int) -> int:
        """The nearest integer of 32 bits, the even one of two; 0 of a NaN."""
        return self.make("rints", a)

    def of_unsigned(self, a: int) -> int:
        """The float32 nearest to an unsigned integer of 32 bits, which is one of 31."""
        x = self.unsigned(a, 32)
        if self.bounds(x)[1] < 1 << 31:
            return self.of_integer(x)
        return self.make("ufloat", a)

    def of_half(self, a: int) -> int:
        """The float32 of a float16."""
        return self.make("widen", a)

    def to_half(self, a: int) -> int:
        """The nearest float16."""
        return self.make("narrow", a)

    def to_bfloat16_flushed(self, a: int) -> int:
        """The nearest bfloat16, denormal numbers taken for zeros."""
        return self.make("bf16", a)

    def to_bfloat16(self, a: int) -> int:
        """The nearest bfloat16."""
        return self.make("bf16", a)

    def dot_bfloat16_once(self, old: int, a: tuple[int, int], b: tuple[int, int]) -> int:
        """The sum of two products, as Arm's BFDOT rounds it, which is added."""
        return self.make("bfdot", *a, *b, old)

    def dot_bfloat16(self, old: int, a: tuple[int, int], b: tuple[int, int]) -> int:
        """Two multiply-adds, the odd elements' first, each rounded, denormal numbers taken for zeros."""
        (a0, a1), (b0, b1) = a, b
        first = self.make("fmabf", *sorted((a1, b1)), old)
        return self.make("fmabf", *sorted((a0, b0)), first)

    # ---- bits

    def exclusive_or(self, a: int, b: int, size: int = 4) -> int:
        if a == b:
            return self.terms.constant(0, size)
        return self._bytewise("xor", a, b, size)

    def both(self, a: int, b: int, size: int = 4) -> int:
        return self._bytewise("and", a, b, size)

    def either(self, a: int, b: int, size: int = 4) -> int:
        return self._bytewise("or", a, b, size)

    def _bytewise(self, kind: str, a: int, b: int, size: int) -> int:
        terms, parts = self.terms, []
        for one, other in zip(terms.bytes_of(a, size), terms.bytes_of(b, size), strict=True):
            if terms.nodes[one][0] == "const":
                one, other = other, one
            if terms.nodes[other][0] != "const":
                return self.make(kind, min(a, b), max(a, b))
            parts.append(self._byte_with(kind, one, terms.nodes[other][1]))
        return terms.join(tuple(parts))

    def _byte_with(self, kind: str, byte: int, bits: int) -> int:
        """A byte combined with a constant."""
        terms, node = self.terms, self.terms.nodes[byte]
        if node[0] == "const":
            value = {"xor": node[1] ^ bits, "and": node[1] & bits, "or": node[1] | bits}[kind]
            return terms.constant(value, 1)
        if bits == {"xor": 0, "and": 0xFF, "or": 0}[kind]:
            return byte
        if kind == "and" and bits == 0:
            return terms.constant(0, 1)
        if kind == "or" and bits == 0xFF:
            return terms.constant(0xFF, 1)
        if kind == "xor" and bits == SIGN_BIT:
            return int(node[1]) if node[0] == "flip" else self.make("flip", byte)
        return self.make(kind, byte, terms.constant(bits, 1))

    def shift_left(self, a: int, places: int, size: int) -> int:
        terms = self.terms
        if terms.nodes[a][0] == "const":
            return terms.constant(terms.nodes[a][1] << places, size)
        if places % 8 == 0:
            zeros = (terms.constant(0, 1),) * min(places // 8, size)
            return terms.join((zeros + terms.bytes_of(a, size))[:size])
        return self.make("shl", a, places, size)

    def shift_right(self, a: int, places: int, size: int) -> int:
        terms = self.terms
        if terms.nodes[a][0] == "const":
            return terms.constant(terms.nodes[a][1] >> places, size)
        if places % 8 == 0:
            zeros = (terms.constant(0, 1),) * min(places // 8, size)
            return terms.join((terms.bytes_of(a, size) + zeros)[-size:])
        return self.make("shr", a, places, size)

    def shift_right_signed(self, a: int, places: int, size: int) -> int:
        terms = self.terms
        node = terms.nodes[a]
        if node[0] == "const":
            value = node[1] - (1 << 8 * size) if node[1] >> 8 * size - 1 else node[1]
            return terms.constant(value >> places, size)
        if places % 8 == 0 and places // 8 == size - 1:
            return self.make("sx", terms.bytes_of(a, size)[-1], size)
        return self.make("sar", a, places, size)

    def zero_extended(self, a: int, size: int, to: int) -> int:
        return self.terms.join(self.terms.bytes_of(a, size) + (self.terms.constant(0, 1),) * (to - size))

    def sign_extended(self, a: int, to: int, size: int = 1) -> int:
        """A signed element of ``size`` bytes as one of ``to``."""
        node = self.terms.nodes[a]
        if node[0] == "const":
            return self.wrapped(self.signed(a, 8 * size), 8 * to)
        if size == 1:
            return self.make("sx", a, to)
        return self.make("sx", node[1], to) if node[0] == "sx" else self.make("extended", a, size, to)

    def or_not(self, a: int, b: int) -> int:
        """Bits of one byte, and those that another does not have."""
        return self.make("orn", a, b)

    def upper_half_of_sum(self, a: int, b: int) -> int:
        """The upper two bytes of the sum of two integers and 0x8000."""
        return self.make("raddhn", a, b)

    def is_number(self, a: int) -> int:
        """All bits where ``a`` is not a NaN, else none."""
        return self.make("ordered", a)

    def is_not_negative(self, a: int) -> int:
        """All bits where ``a`` is 0 or more as an integer, else none."""
        return self.make("nonnegative", a)

    def low_half(self, a: int) -> int:
        """The lower two bytes of four."""
        return self.terms.split(a, 4, 2)[0]

    def to_half_rounding(self, a: int, rounding: int) -> int:
        """The float16 that a conversion's number asks for: 0 is the nearest, the even one of two."""
        return self.to_half(a) if rounding & 7 == 0 else self.make("narrow", a, rounding & 7)

    # ---- integers

    def signed(self, a: int, bits: int) -> Integer:
        """The integer in two's complement."""
        found = self._signed.get((a, bits))
        if found is None:
            found = self._signed[a, bits] = self._as_signed(a, bits)
        return found

    def unsigned(self, a: int, bits: int) -> Integer:
        """The integer of the bits as they are."""
        found = self._unsigned.get((a, bits))
        if found is None:
            found = self._unsigned[a, bits] = self._as_unsigned(a, bits)
        return found

    def _as_signed(self, a: int, bits: int) -> Integer:
        node = self.terms.nodes[a]
        kind = node[0]
        if kind == "const":
            value = node[1] & (1 << bits) - 1
            return _constant(value - (1 << bits) if value >> bits - 1 else value)
        if kind == "sx":
            return self.signed(node[1], 8)
        if kind == "cat" and bits > 8 and self._zeros(node[1:], bits // 8):
            return self.unsigned(node[1], 8)
        if kind == "cat" and bits == 32 and self._zeros(node[2:], 3):
            return self.unsigned(self.terms.join(node[1:3]), 16)
        if kind == "exact":
            exact = self._polynomial(node[1])
            if self.bounds(exact)[1] < 1 << bits - 1:
                return exact
        return {(self.make("s", a, bits),): 1}

    def _as_unsigned(self, a: int, bits: int) -> Integer:
        node = self.terms.nodes[a]
        kind = node[0]
        if kind == "const":
            return _constant(node[1] & (1 << bits) - 1)
        if kind == "cat" and bits > 8 and self._zeros(node[1:], bits // 8):
            return self.unsigned(node[1], 8)
        if kind == "exact":
            exact = self._polynomial(node[1])
            if self.bounds(exact)[0] >= 0:
                return exact
        return {(self.make("u", a, bits),): 1}

    def _zeros(self, parts: tuple[int, ...], size: int) -> bool:
        zero = self.terms.constant(0, 1)
        return len(parts) == size and all(part == zero for part in parts[1:])

    def plus(self, a: Integer, b: Integer) -> Integer:
        result = dict(a)
        for product, factor in b.items():
            result[product] = result.get(product, 0) + factor
        return {product: factor for product, factor in result.items() if factor}

    def minus(self, a: Integer, b: Integer) -> Integer:
        return self.plus(a, {product: -factor for product, factor in b.items()})

    def times(self, a: Integer, b: Integer) -> Integer:
        if len(a) == 1 == len(b):
            ((one, factor),), ((other, more),) = a.items(), b.items()
            if len(one) == 1 == len(other):
                x, y = one[0], other[0]
                if self.terms.nodes[x][0] not in SIGNED_PARTS and self.terms.nodes[y][0] not in SIGNED_PARTS:
                    return {(x, y) if x <= y else (y, x): factor * more}
        result: dict[tuple[int, ...], int] = {}
        for one, factor in a.items():
            for other, more in b.items():
                product = tuple(sorted((*one, *other)))
                result[product] = result.get(product, 0) + factor * more
        return self._signs_met({product: factor for product, factor in result.items() if factor})

    def _signs_met(self, x: Integer) -> Integer:
        """Make ``|a| * (b with a's sign)`` the product of a and b."""
        nodes = self.terms.nodes
        result: dict[tuple[int, ...], int] = {}
        for product, factor in x.items():
            if len(product) == 2:
                kinds = {nodes[atom][0]: atom for atom in product}
                if kinds.keys() == {"abs", "sign"} and nodes[kinds["sign"]][1] == nodes[kinds["abs"]][1]:
                    a, b = nodes[kinds["sign"]][1:]
                    for own, more in self.times(self._polynomial(a), self._polynomial(b)).items():
                        result[own] = result.get(own, 0) + factor * more
                    continue
            result[product] = result.get(product, 0) + factor
        return {product: factor for product, factor in result.items() if factor}

    def magnitude(self, a: int) -> int:
        """The byte of the absolute value of a signed byte, unsigned."""
        return self.make("exact", self._packed({(self.make("abs", self._packed(self.signed(a, 8))),): 1}), 1)

    def with_sign(self, b: int, a: int) -> int:
        """The byte b, its sign changed where a is negative, zero where a is. A byte does not
        hold what that makes of -128."""
        integer = self.signed(b, 8)
        if self.bounds(integer)[0] <= -SIGN_BIT:
            return self.make("signed", b, a)
        sign = self.make("sign", self._packed(self.signed(a, 8)), self._packed(integer))
        return self.make("exact", self._packed({(sign,): 1}), 1)

    def wrapped(self, x: Integer, bits: int) -> int:
        """The bits of an integer modulo 2**bits."""
        if not x:
            return self.terms.constant(0, bits // 8)
        if len(x) == 1:
            ((product, factor),) = x.items()
            if not product:
                return self.terms.constant(factor, bits // 8)
            if factor == 1 and len(product) == 1:
                node = self.terms.nodes[product[0]]
                if node[0] in ("s", "u") and node[2] == bits:
                    return int(node[1])
        if bits == 32:
            return self._sum(x)
        least, most = self.bounds(x)
        if -(1 << bits - 1) <= least and most < 1 << bits - 1:
            return self.make("exact", self._packed(x), bits // 8)
        return self.make("wrap", self._packed(x), bits)

    def _sum(self, x: Integer) -> int:
        """The 32 bits of an integer, whose parts that are sums themselves are taken apart."""
        nodes, whole, base = self.terms.nodes, dict[tuple[int, ...], int](), None
        for product, factor in x.items():
            node = nodes[product[0]] if len(product) == 1 else ("",)
            if node[0] in ("s", "u") and node[2] == 32:
                inner = nodes[node[1]]
                if inner[0] == "sum":
                    for own, more in self._polynomial(inner[1]).items():
                        whole[own] = whole.get(own, 0) + factor * more
                    continue
                if inner[0] in CHAINS and factor == 1 and base is None:
                    base = int(node[1])
                    continue
                product = (self.make("s", node[1], 32),)
            whole[product] = whole.get(product, 0) + factor
        packed = self._packed({p: f for p, f in whole.items() if f})
        return self.make("sum", packed) if base is None else self.make("iadd", base, packed)

    def saturated(self, x: Integer, bits: int, signed: bool = True) -> int:
        """The bits of the nearest integer that they can hold."""
        least, most = self.bounds(x)
        ends = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        if x.keys() <= {()}:
            return self.terms.constant(min(max(least, ends[0]), ends[1]), bits // 8)
        if len(x) == 1 and ends[0] <= least and most <= ends[1]:
            ((product, factor),) = x.items()
            node = self.terms.nodes[product[0]] if len(product) == 1 and factor == 1 else ("",)
            if node[0] in ("s", "u") and node[2] == bits:
                return int(node[1])
        if ends[0] <= least and most <= ends[1]:
            return self.make("exact", self._packed(x), bits // 8)
        return self.make("sat", self._packed(x), *ends)

    def bounds(self, x: Integer) -> tuple[int, int]:
        """Return the least and the most that an integer can be."""
        least = most = 0
        for product, factor in x.items():
            low, high = 1, 1
            for atom in product:
                ends = self._ends.get(atom)
                if ends is None:
                    ends = self._ends[atom] = self._bounds_of(atom)
                corners = [low * ends[0], low * ends[1], high * ends[0], high * ends[1]]
                low, high = min(corners), max(corners)
            least += min(low * factor, high * factor)
            most += max(low * factor, high * factor)
        return least, most

    def _bounds_of(self, atom: int) -> tuple[int, int]:
        node = self.terms.nodes[atom]
        kind = node[0]
        if kind in ("s", "u"):
            known = self.ranges(node[1]) if kind == "s" else None
            if known:
                return known
            bits = node[2]
            return (-(1 << bits - 1), (1 << bits - 1) - 1) if kind == "s" else (0, (1 << bits) - 1)
        if kind == "abs":
            low, high = self.bounds(self._polynomial(node[1]))
            return 0, max(abs(low), abs(high))
        if kind == "sign":
            low, high = self.bounds(self._polynomial(node[2]))
            most = max(abs(low), abs(high))
            return -most, most
        raise Refutation(f"bounds of {self.terms.show(atom)} are not known")

    def ranges(self, element: int) -> tuple[int, int] | None:
        """Return the bounds of an element of memory, where a kernel's contract has closer ones than its type;
        a proof says which."""
        return None

    def _packed(self, x: Integer) -> tuple[Any, ...]:
        return tuple(sorted(x.items()))

    def _polynomial(self, packed: tuple[Any, ...]) -> Integer:
        return dict(packed)

    polynomial = _polynomial


def _constant(value: int) -> Integer:
    return {(): value} if value else {}
