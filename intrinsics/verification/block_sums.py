"""Whether a sum is of the specified products, of instruction sets that sum blocks of them in float16.

A float32 is the sum of what it begins with and of blocks, each of which is a sum of float16 that begins with
zero and has as many products as the instruction set says at most, or none. Where one block ends and the next
begins is the code's to choose; products come in order, from block to block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .specification import ProductRun, Specification
from .sums import FloatSums, Loop, Place
from .terms import Affine

ONE = 0x3C00
"""The float16 that a block may be multiplied by as it is added."""


@dataclass(frozen=True)
class HalfSum:
    """Products that are summed in float16."""

    items: tuple[Any, ...]


class BlockSums(FloatSums):
    """Products one by one, in order, of which blocks are summed before they are added."""

    def __init__(self, specification: Specification, no_taps: bool) -> None:
        super().__init__(specification, no_taps)
        self._halves = FloatSums(specification, no_taps)
        """Takes apart the sums of blocks."""

    def flat(self, term: int, end: int = -1) -> tuple[int, tuple[Any, ...]]:
        items, nodes = list[Any](), self.terms.nodes
        while term != end:
            node = nodes[term]
            if node[0] == "iter":
                _, symbol, count, hole, body, start = node
                inner_start, inner = self.flat(body, hole)
                if inner_start != hole:
                    break
                items += [Loop(symbol, count, inner)] if inner else []
                term = start
                continue
            found = self._block_of(node)
            if found is None:
                break
            block, term = found
            items += [block] if block.items else []
        return term, tuple(reversed(items))

    def _block_of(self, node: tuple[Any, ...]) -> tuple[HalfSum, int] | None:
        """The block that an operation adds, and what it is added to."""
        if node[0] == "add":
            pairs = [(node[1], node[2]), (node[2], node[1])]
        elif node[0] == "fma":
            one = self.terms.make("widen", self.terms.constant(ONE, 2))
            pairs = [(part, node[3]) for part, factor in (node[1:3], node[2:0:-1]) if factor == one]
        else:
            return None
        for part, base in pairs:
            block = self._block(part)
            if block is not None:
                return block, base
        return None

    def _block(self, part: int) -> HalfSum | None:
        """The block whose sum a float32 is, if it is one's."""
        kind, *operands = self.terms.nodes[part]
        if kind != "widen":
            return None
        start, items = self._halves.flat(operands[0])
        if start != self.terms.constant(0, 2):
            return None
        if self._count(items) > self.of.isa.half_terms:
            self.why = f"more than {self.of.isa.half_terms} products are summed in float16"
            return None
        return HalfSum(items)

    def _count(self, items: Sequence[Any]) -> int:
        """How many products there are."""
        return sum(
            item.count[1] * self._count(item.items) if isinstance(item, Loop) else 1
            for item in _spread(items)
        )

    def straight(self, items: Sequence[Any], places: list[Place]) -> bool:
        at = done = 0
        for item in _spread(items):
            while at < len(places) and done == places[at][0].length:
                at, done = at + 1, 0
            if at == len(places):
                self.why = "more products are added than there are"
                return False
            if not self._in_run([item], places[at][0], *self.where(places[at], None, 0), done):
                return False
            done += self._count([item])
        while at < len(places) and done == places[at][0].length:
            at, done = at + 1, 0
        if at < len(places):
            self.why = f"products are missing from the one of number {done} of a segment on"
        return at == len(places)

    def _in_run(self, items: Sequence[Any], run: ProductRun, a: Affine, b: Affine, done: int) -> bool:
        """Whether items are products of a run from the one of that number on, all of its."""
        terms = self.terms
        for item in _spread(items):
            count = self._count([item])
            if done + count > run.length or (isinstance(item, Loop) and item.count[0]):
                self.why = "a loop goes on behind the products that it should add"
                return False
            if isinstance(item, Loop):
                each, i = self._count(item.items), terms.symbol(item.symbol)
                inner_a = terms.plus(a, terms.times(i, (0, each * run.a_next)))
                inner_b = terms.plus(b, terms.times(i, (0, each * run.b_next)))
                if not self._in_run(item.items, run, inner_a, inner_b, done):
                    return False
            elif not self._is_product(item, run, a, b, done):
                return False
            done += count
        return True

    def _is_product(self, step: tuple[Any, ...], run: ProductRun, a: Affine, b: Affine, number: int) -> bool:
        terms, of = self.terms, self.of
        one = terms.load(of.a_bytes, (a[0], a[1] + number * run.a_next))
        other = terms.load(of.b_bytes, (b[0], b[1] + number * run.b_next))
        if step[0] == of.product and step[1:3] == (min(one, other), max(one, other)):
            return True
        show = terms.show
        got = " * ".join(show(part) for part in step[1:3])
        self.why = f"{got} is added, where it should be {show(one)} * {show(other)}"
        return False


def _spread(items: Sequence[Any]) -> list[Any]:
    """Items, those of blocks in the place of these."""
    return [own for item in items for own in (item.items if isinstance(item, HalfSum) else (item,))]
