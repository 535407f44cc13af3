"""Whether what was stored is what is specified: terms are walked side by side, down to sums of products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from intrinsics.epilogue import Step

from .block_sums import BlockSums
from .narrowing import RANGES, bfloat16_candidates, narrowed_byte, steps_left
from .specification import Specification, StepsOnTerms
from .state import State
from .sums import FloatSums, IntegerSums, Sums
from .terms import Refutation, Terms
from .tile_sums import TileSums

COMMUTATIVE = ("add", "mul")


class Comparison:
    """Compares one path's stores with the specification."""

    def __init__(self, specification: Specification, state: State) -> None:
        self.of, self.state = specification, state
        self.terms: Terms = specification.terms
        self._same: dict[tuple[int, int], bool] = {}
        self.sum = self.terms.make("expected", "sum")
        self._begin(specification)

    def _begin(self, specification: Specification) -> None:
        self.of = specification
        kind: type[Sums]
        of_floats = BlockSums if specification.in_blocks else FloatSums
        kind = IntegerSums if specification.of_bytes else of_floats
        if specification.in_tiles:
            kind = TileSums
        self.sums = kind(specification, specification.taps in self.state.zero)

    def check(self) -> None:
        """Refutation unless every element is stored as specified, and nothing else is."""
        terms, stored, parts = self.terms, dict(self.state.stored), self.of.parts()
        if self.state.lanes and self.state.lanes != tuple(count for _, count in parts):
            raise Refutation("other channels are walked than the tile has")
        for part, _ in parts:
            self._begin(part)
            for m, j in part.elements():
                address = part.c_address(m, j)
                cell = stored.pop(address, None)
                where = f"row {m}, lane {j} of C (at {terms.text(address)})"
                if cell is None:
                    raise Refutation(f"{where} is not stored")
                self._check_element(cell.value, m, j, where, cell.line)
        for address, cell in stored.items():
            raise Refutation(
                f"{terms.text(address)} is stored to, which is outside of the tile", line=cell.line
            )

    def _check_element(self, found: Any, m: int, j: int, where: str, line: int) -> None:
        self._same.clear()
        self.sums.why = ""
        if not self._is_element(found, m, j):
            raise Refutation(
                f"{where} is not what it should be" + (f": {self.sums.why}" if self.sums.why else ""),
                line=line,
                expected=self.terms.show(self.expected(m, j, self.of.instance.epilogue.steps)),
                found=self.terms.show(found),
            )

    def _is_element(self, found: int, m: int, j: int) -> bool:
        """Whether a term is an element as it is stored."""
        steps, kind = self.of.instance.epilogue.steps, self.of.destination
        if kind == "i32":
            return self._matches(found, self.sum, m, j)
        if kind in RANGES:
            narrowed = narrowed_byte(self.terms, found)
            left = steps_left(self.of, narrowed) if narrowed else None
            if narrowed is None or left is None:
                self.sums.why = "it is not narrowed to a byte as it should be"
                return False
            return self._matches(narrowed.value, self.expected(m, j, left), m, j)
        expected = self.expected(m, j, steps)
        if kind == "f16":
            node = self.terms.nodes[found]
            return node[0] == "narrow" and len(node) == 2 and self._matches(node[1], expected, m, j)
        if kind == "bf16":
            candidates = bfloat16_candidates(self.terms, found, self._rounded)
            return any(self._matches(value, expected, m, j) for value in candidates)
        return self._matches(found, expected, m, j)

    def _rounded(self, value: int) -> list[int]:
        """The sum of a float's bits, of the last bit that bfloat16 has, and of 0x7fff, as code may compute
        it."""
        op, one = self.of.op, self.terms.constant(1)
        last = op.shift_right(op.shift_left(value, 15, 4), 31, 4)
        total = op.wrapped(op.plus(op.signed(value, 32), op.signed(last, 32)), 32)
        addend = op.wrapped(
            op.plus(op.signed(op.both(op.shift_right(value, 16, 4), one), 32), {(): 0x7FFF}), 32
        )
        return [
            op.wrapped(op.plus(op.signed(total, 32), {(): 0x7FFF}), 32),
            op.wrapped(op.plus(op.signed(addend, 32), op.signed(value, 32)), 32),
        ]

    def expected(self, m: int, j: int, steps: Sequence[Step]) -> int:
        """The term of these steps of an element of C, over ``sum`` for its products."""
        operations = StepsOnTerms(self.of, m, j)
        value = self.of.scaled(self.sum, j)
        for step in steps:
            value = step.apply(value, operations)
        return value

    # ---- terms

    def _matches(self, found: int, expected: int, m: int, j: int) -> bool:
        known = self._same.get((found, expected))
        if known is None:
            known = self._same[found, expected] = self._compare(found, expected, m, j)
        return known

    def _compare(self, found: int, expected: int, m: int, j: int) -> bool:
        if expected == self.sum:
            return self.sums.is_sum(found, m, j)
        if found == expected:
            return True
        nodes = self.terms.nodes
        kind, *operands = nodes[expected]
        own, *others = nodes[found]
        if kind == "muladd":
            a, b, c = operands
            if own == "fma":
                x, y, z = others
                return self._matches(z, c, m, j) and self._either((x, y), (a, b), m, j)
            # An instruction set, or a constant that has no register, may make two operations of it.
            product = self.terms.make("mul", a, b)
            return own == "add" and self._either(others, (product, c), m, j)
        if kind in ("max", "min") and own != kind:
            return all(self._matches(found, operand, m, j) for operand in operands)  # of two that are equal
        if kind != own or kind in ("const", "ld"):
            return False
        if kind in COMMUTATIVE:
            return self._either(others, operands, m, j)
        if kind in ("max", "min", "div", "float"):
            return all(self._matches(f, e, m, j) for f, e in zip(others, operands, strict=True))
        if kind == "shl":
            return others[1:] == operands[1:] and self._matches(others[0], operands[0], m, j)
        return False

    def _either(self, found: Sequence[int], expected: Sequence[int], m: int, j: int) -> bool:
        """Whether a commutative operation's operands are these, in one order or the other."""
        (x, y), (a, b) = found, expected
        return (self._matches(x, a, m, j) and self._matches(y, b, m, j)) or (
            self._matches(x, b, m, j) and self._matches(y, a, m, j)
        )
