"""Terms: what a register, or an element of memory, holds as a function of a kernel's operands.

Equal terms are the same number (hash-consing), so that comparing two is comparing integers. A term is a tuple
of its kind and its operands. Floating-point operations are uninterpreted, so that two terms are equal only if
they round the same values in the same order; integers are polynomials over the bytes that were loaded, which
are compared as such. Addresses, and all that general registers hold, are affine: a constant and multiples of
symbols (pointers, distances, counters of loops and products of these).

Kinds of terms, with operands in this order:

    const(bits, size)   ld(size, key, offset)   cat(bytes...)   halves(low, high)   byte(term, index)
    undef(name)   hole(loop, register, lane)   iter(symbol, count, hole, body, start)
    fma(a, b, c) add(a, b) mul(a, b) div(a, b) max(a, b) min(a, b), and others of ``term_arithmetic``
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

Affine = tuple[int, int]
"""The number of a key (the multiples of symbols), and a constant."""
Key = tuple[tuple[tuple[str, ...], int], ...]
"""Products of symbols, in order, each with its factor."""
WORD = (1 << 64) - 1
TERMS_IN = {
    "byte": 1,
    "sx": 1,
    "s": 1,
    "u": 1,
    "shl": 1,
    "shr": 1,
    "sar": 1,
    "sat": 0,
    "wrap": 0,
    "narrow": 1,
}
"""How many operands of a term of these kinds are terms; all of those of others are."""
MOST_SHOWN = 3
HALF_SUMS = ("fmah", "iter")
"""Terms of these kinds, of two bytes, may be sums, two of which lie in a word."""
VECTOR_LENGTH = "vl"
"""The symbol of how many channels a pass has, where that depends on the CPU."""


class Refutation(Exception):
    """What is computed is not what the name says, or cannot be shown to be."""

    def __init__(self, message: str, **found: object) -> None:
        super().__init__(message)
        self.found = found


class NotCovered(Exception):
    """A family of kernels, an instruction or a form of code that proofs do not know."""


class Terms:
    """All terms of one proof."""

    def __init__(self) -> None:
        self.nodes: list[tuple] = []
        self._index: dict[Hashable, int] = {}
        self.keys: list[Key] = [()]
        self._keys: dict[Key, int] = {(): 0}
        self._sums: dict[tuple[int, int], int] = {}
        self._multiples: dict[tuple[int, int], int] = {}
        self._symbols: dict[str, Affine] = {}
        self._words: dict[tuple[int, int], int] = {}
        self._splits: dict[tuple[int, int, int], tuple[int, ...]] = {}

    def make(self, *node: Hashable) -> int:
        """Return the number of a term."""
        found = self._index.get(node)
        if found is None:
            found = self._index[node] = len(self.nodes)
            self.nodes.append(node)
        return found

    def unknown(self) -> int:
        """Return a term that nothing is known of, and that no other is equal to."""
        return self.make("undef", len(self.nodes))

    def constant(self, bits: int, size: int = 4) -> int:
        return self.make("const", bits & (1 << 8 * size) - 1, size)

    def load(self, size: int, address: Affine) -> int:
        return self.make("ld", size, address[0], address[1])

    # ---- bytes

    def bytes_of(self, term: int, size: int) -> tuple[int, ...]:
        """Return the terms of the bytes of a term of ``size`` bytes, the least first."""
        node = self.nodes[term]
        kind = node[0]
        if kind == "const":
            return tuple(self.constant(node[1] >> 8 * i, 1) for i in range(size))
        if kind == "ld":
            return tuple(self.make("ld", 1, node[2], node[3] + i) for i in range(size))
        if kind == "cat":
            return node[1:]
        if kind == "halves":
            return self.bytes_of(node[1], 2) + self.bytes_of(node[2], 2)
        return (term,) if size == 1 else tuple(self.make("byte", term, i, size) for i in range(size))

    def join(self, parts: tuple[int, ...]) -> int:
        """Return the term of these bytes, the least first; the inverse of ``bytes_of``."""
        if len(parts) == 1:
            return parts[0]
        nodes = self.nodes
        first = nodes[parts[0]]
        kind, size = first[0], len(parts)
        if kind == "const" and all(nodes[part][0] == "const" for part in parts):
            return self.constant(sum(nodes[part][1] << 8 * i for i, part in enumerate(parts)), size)
        if kind == "ld":
            _, _, key, at = first
            if all(nodes[part] == ("ld", 1, key, at + i) for i, part in enumerate(parts)):
                return self.make("ld", size, key, at)
        if first == ("byte", first[1], 0, size) and all(
            nodes[part] == ("byte", first[1], i, size) for i, part in enumerate(parts)
        ):
            return int(first[1])
        return self.make("cat", *parts)

    def word(self, low: int, high: int) -> int:
        """Return the four bytes of two terms of two."""
        found = self._words.get((low, high))
        if found is None:
            if self.nodes[low][0] in HALF_SUMS and self.nodes[high][0] in HALF_SUMS:
                found = self.make("halves", low, high)
                self._splits[found, 4, 2] = low, high
            else:
                found = self.join(self.bytes_of(low, 2) + self.bytes_of(high, 2))
            self._words[low, high] = found
        return found

    def split(self, term: int, size: int, part: int) -> tuple[int, ...]:
        """Return the parts, of ``part`` bytes each, of a term of ``size`` bytes."""
        if size == part:
            return (term,)
        found = self._splits.get((term, size, part))
        if found is None:
            found = self._splits[term, size, part] = self._split(term, size, part)
        return found

    def _split(self, term: int, size: int, part: int) -> tuple[int, ...]:
        node = self.nodes[term]
        if node[0] == "sx" and (size, part) == (4, 2):
            return self.make("sx", node[1], 2), self.make("byte", term, 2, 4)
        single = self.bytes_of(term, size)
        return tuple(self.join(single[at : at + part]) for at in range(0, size, part))

    # ---- affine values

    def key(self, products: dict[tuple[str, ...], int]) -> int:
        """Return the number of these multiples of symbols."""
        key = tuple(sorted((symbols, factor) for symbols, factor in products.items() if factor))
        found = self._keys.get(key)
        if found is None:
            found = self._keys[key] = len(self.keys)
            self.keys.append(key)
        return found

    def symbol(self, name: str) -> Affine:
        """Return the value that is this symbol."""
        found = self._symbols.get(name)
        if found is None:
            found = self._symbols[name] = self.key({(name,): 1}), 0
        return found

    def plus(self, a: Affine, b: Affine) -> Affine:
        if b[0] == 0:
            return a[0], a[1] + b[1]
        if a[0] == 0:
            return b[0], a[1] + b[1]
        known = self._sums.get((a[0], b[0]))
        if known is None:
            products = dict(self.keys[a[0]])
            for symbols, factor in self.keys[b[0]]:
                products[symbols] = products.get(symbols, 0) + factor
            known = self._sums[a[0], b[0]] = self.key(products)
        return known, a[1] + b[1]

    def times(self, a: Affine, b: Affine) -> Affine:
        """Return the product, in which products of symbols are symbols."""
        if b[0] == 0:
            a, b = b, a
        if a[0] == 0:
            known = self._multiples.get((a[1], b[0]))
            if known is None:
                known = self.key({s: f * a[1] for s, f in self.keys[b[0]]})
                self._multiples[a[1], b[0]] = known
            return known, a[1] * b[1]
        products: dict[tuple[str, ...], int] = {}
        both = [[((), value[1]), *self.keys[value[0]]] for value in (a, b)]
        for left, factor in both[0]:
            for right, other in both[1]:
                symbols = tuple(sorted((*left, *right)))
                products[symbols] = products.get(symbols, 0) + factor * other
        constant = products.pop((), 0)
        return self.key(products), constant

    def minus(self, a: Affine, b: Affine) -> Affine:
        return self.plus(a, self.times((0, -1), b))

    def symbols(self, value: Affine) -> set[str]:
        return {name for symbols, _ in self.keys[value[0]] for name in symbols}

    def replaced(self, value: Affine, name: str, by: Affine) -> Affine:
        """Return the value with a symbol replaced."""
        result: Affine = (0, value[1])
        for symbols, factor in self.keys[value[0]]:
            product: Affine = (0, factor)
            for symbol in symbols:
                product = self.times(product, by if symbol == name else self.symbol(symbol))
            result = self.plus(result, product)
        return result

    def text(self, value: Affine) -> str:
        """Return an affine value as people write it."""
        parts = [
            "*".join([*([str(factor)] if factor != 1 else []), *symbols])
            for symbols, factor in self.keys[value[0]]
        ]
        if value[1] or not parts:
            parts.append(str(value[1]))
        return " + ".join(parts).replace("+ -", "- ")

    def show(self, term: int, depth: int = 4) -> str:
        """Return a term as people write it, nested so deep."""
        kind, *operands = self.nodes[term]
        if kind == "const":
            return f"0x{operands[0]:x}"
        if kind == "ld":
            return f"{8 * operands[0]} bits at [{self.text((operands[1], operands[2]))}]"
        if kind in ("undef", "hole", "expected"):
            return f"{kind} {' '.join(map(str, operands))}"
        if depth == 0:
            return "..."
        if kind == "iter":
            symbol, count, _, body, start = operands
            inner = self.show(body, depth - 1)
            return f"for {symbol} in range({self.text(count)}): {inner}, from {self.show(start, depth - 1)}"
        shown = []
        for at, operand in enumerate(operands):
            if isinstance(operand, tuple):
                shown.append(self._show_polynomial(operand, depth - 1))
            elif at < TERMS_IN.get(kind, len(operands)):
                shown.append(self.show(operand, depth - 1))
            else:
                shown.append(str(operand))
        return f"{kind}({', '.join(shown)})"

    def _show_polynomial(self, packed: tuple[Any, ...], depth: int) -> str:
        parts = []
        for product, factor in packed[:MOST_SHOWN]:
            factors = [str(factor)] if factor != 1 or not product else []
            parts.append(" * ".join([*factors, *(self.show(atom, depth) for atom in product)]))
        return " + ".join(parts) + (" + ..." if len(packed) > MOST_SHOWN else "")
