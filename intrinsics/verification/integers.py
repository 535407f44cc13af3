"""Integers that bits of elements stand for: polynomials over the elements of memory, with bounds."""

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


class Integers:
    """Integers of the elements of vectors, as polynomials, and the bits of integers."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.make = terms.make
        self._signed: dict[tuple[int, int], Integer] = {}
        self._unsigned: dict[tuple[int, int], Integer] = {}
        self._ends: dict[int, tuple[int, int]] = {}

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
            if self.bounds(exact)[0] >= -(1 << bits - 1) and self.bounds(exact)[1] < 1 << bits - 1:
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
            if self.bounds(exact)[0] >= 0 and self.bounds(exact)[1] < 1 << bits:
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
        if -(1 << bits - 1) <= least and most < 1 << bits:
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
