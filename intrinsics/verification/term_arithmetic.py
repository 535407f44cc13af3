"""What elements of vectors are computed from, on terms.

The table of instructions (``x86_table`` and its neighbours) writes meanings as functions of an arithmetic and
of elements. This is the one that proofs use; the tests' interpreters have another, of numpy's arrays, so that
an entry is what a CPU does and what a proof says of it.

Elements are bits. ``signed`` and ``unsigned`` are the integers that they stand for, which are polynomials
over the elements of memory, and ``wrapped`` and ``saturated`` are the bits of an integer.
"""

from __future__ import annotations

from .integers import SIGN_BIT, Integer, Integers

INFINITY_BITS = 0x7F800000


class TermArithmetic(Integers):
    """Operations on the numbers of terms."""

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

    def is_greater(self, a: int, b: int) -> int:
        """All bits where ``a`` is greater than ``b``, else none."""
        return self.make("greater", a, b)

    def other_where(self, which: int, a: int, b: int) -> int:
        """``b`` where ``which`` has all bits, else ``a``: an extreme where ``which`` compares the two."""
        if a == b:
            return a
        if self.terms.nodes[which] == ("greater", a, b):
            return self.less(b, a)
        if self.terms.nodes[which] == ("greater", b, a):
            return self.greater(b, a)
        return self.chosen(which, b, a)

    def is_nan(self, a: int) -> int:
        """All bits where ``a`` is a NaN, else none."""
        node = self.terms.nodes[a]
        if node[0] == "const":
            return self.terms.constant(-1 if node[1] & 0x7FFFFFFF > INFINITY_BITS else 0)
        return self.make("isnan", a)

    def differ(self, a: int, b: int) -> int:
        """All bits where a float differs from another, as a NaN does from itself, else none."""
        return self.is_nan(a) if a == b else self.make("differ", a, b)

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
        """The nearest integer of 32 bits, the even one of two; of a NaN an architecture's own."""
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

    def dot_bfloat16_once(self, old: int, a: tuple[int, ...], b: tuple[int, ...]) -> int:
        """The sum of products, as Arm's BFDOT and BFMMLA round it, which is added."""
        return self.make("bfdot", old, *a, *b)

    def dot_half(self, old: int, a: tuple[int, ...], b: tuple[int, ...]) -> int:
        """The sum of products of float16, which is added."""
        return self.make("hfdot", old, *a, *b)

    def rounded_to_integer(self, a: int) -> int:
        """The float32 that is the nearest integer, the even one of two."""
        return self.make("round", a)

    def truncated_saturated(self, a: int) -> int:
        """The integer of 32 bits that is left of a float32."""
        node = self.terms.nodes[a]
        return self.make("rints", node[1]) if node[0] == "round" else self.make("trunc", a)

    def lower_half_only(self, half: int) -> int:
        """A word of two bytes, before which nothing is known."""
        unknown = self.terms.unknown
        return self.terms.join((*self.terms.bytes_of(half, 2), unknown(), unknown()))

    def equal_halves(self, word: int) -> int:
        """The half of a word that is twice there."""
        low, high = self.terms.split(word, 4, 2)
        return low if low == high else self.terms.unknown()

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

    def low_half(self, a: int, size: int = 4) -> int:
        """The lower half of so many bytes."""
        return self.terms.split(a, size, size // 2)[0]

    def lower_part(self, a: int, size: int, to: int) -> int:
        """The lower bytes of so many."""
        return self.terms.join(self.terms.bytes_of(a, size)[:to])

    def constant(self, bits: int) -> int:
        """The four bytes of a number."""
        return self.terms.constant(bits)

    def is_below(self, a: int, b: int) -> int:
        """All bits where ``a`` is less than ``b`` as an unsigned integer, else none."""
        return self.make("below", a, b)

    def is_not_below(self, a: int, b: int) -> int:
        """All bits where ``a`` is not less than ``b`` as an unsigned integer, else none."""
        return self.make("notbelow", a, b)

    def to_half_rounding(self, a: int, rounding: int) -> int:
        """The float16 that a conversion's number asks for: 0 is the nearest, the even one of two."""
        return self.to_half(a) if rounding & 7 == 0 else self.make("narrow", a, rounding & 7)
