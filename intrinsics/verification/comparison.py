"""Whether what was stored is what is specified: terms are walked side by side, sums product by product.

A sum is a chain of products, among which are loops of products (``iter``). The specification's is a list of
runs, each of consecutive products, in loops over blocks and filter rows. Products are met in order; a loop
over a segment meets as many of a run as all of its iterations have, for a symbolic number of the iteration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .execution import Execution
from .specification import Run, Specification, StepsOnTerms
from .state import State
from .terms import Affine, Refutation, Terms

COMMUTATIVE = ("add", "mul")
SPINE = ("fma", "fmabf", "iadd")


@dataclass(frozen=True)
class Loop:
    """Items of a sum that are repeated."""

    symbol: str
    count: Affine
    items: tuple[Any, ...]


class Comparison:
    """Compares one path's stores with the specification."""

    def __init__(self, specification: Specification, execution: Execution, state: State) -> None:
        self.of, self.execution, self.state = specification, execution, state
        self.terms: Terms = specification.terms
        self._same: dict[tuple[int, int], bool] = {}
        self._keys: dict[Any, int] = {}
        self.sum = -1
        self.why = ""
        self.no_taps = specification.taps in state.zero

    def check(self) -> None:
        """Refutation unless every element is stored as specified, and nothing else is."""
        of, terms, stored = self.of, self.terms, dict(self.state.stored)
        for m, j in of.elements():
            address = of.c_address(m, j)
            cell = stored.pop(address, None)
            where = f"row {m}, lane {j} of C (at {terms.text(address)})"
            if cell is None:
                raise Refutation(f"{where} is not stored")
            self._check_element(cell.value, m, j, where, cell.line)
        for address, cell in stored.items():
            raise Refutation(f"{terms.text(address)} is stored to, which is outside of the tile", line=cell.line)

    def _check_element(self, found: Any, m: int, j: int, where: str, line: int) -> None:
        expected = self.expected(m, j)
        self._same.clear()
        self.why = ""
        if not self._matches(found, expected, m, j):
            raise Refutation(
                f"{where} is not what it should be" + (f": {self.why}" if self.why else ""),
                line=line,
                expected=self.terms.show(expected),
                got=self.terms.show(found),
            )

    def expected(self, m: int, j: int) -> int:
        """The term of an element of C, over ``sum`` for its products."""
        steps = StepsOnTerms(self.of, m, j)
        value = self.sum = self.terms.make("expected", "sum")
        for step in self.of.instance.epilogue.steps:
            value = step.apply(value, steps)
        return value

    # ---- terms

    def _matches(self, found: int, expected: int, m: int, j: int) -> bool:
        known = self._same.get((found, expected))
        if known is None:
            known = self._same[found, expected] = self._compare(found, expected, m, j)
        return known

    def _compare(self, found: int, expected: int, m: int, j: int) -> bool:
        if expected == self.sum:
            return self._is_sum(found, m, j)
        if found == expected:
            return True
        nodes = self.terms.nodes
        kind, *operands = nodes[expected]
        own, *others = nodes[found]
        if kind == "muladd":
            a, b, c = operands
            if own == "fma":
                x, y, z = others
                return self._matches(z, c, m, j) and self._either(x, y, a, b, m, j)
            # An instruction set, or a constant that has no register, may make two operations of it.
            product = self.terms.make("mul", a, b)
            return own == "add" and self._either(*others, product, c, m, j)
        if kind != own or kind in ("const", "ld"):
            return False
        if kind in COMMUTATIVE:
            return self._either(*others, *operands, m, j)
        if kind in ("max", "min", "div"):
            return all(self._matches(f, e, m, j) for f, e in zip(others, operands, strict=True))
        if kind == "shl":
            return others[1:] == operands[1:] and self._matches(others[0], operands[0], m, j)
        return False

    def _either(self, x: int, y: int, a: int, b: int, m: int, j: int) -> bool:
        """Whether a commutative operation's operands are these, in one order or the other."""
        return (self._matches(x, a, m, j) and self._matches(y, b, m, j)) or (
            self._matches(x, b, m, j) and self._matches(y, a, m, j)
        )

    # ---- sums

    def _is_sum(self, found: int, m: int, j: int) -> bool:
        start, items = self._flat(found)
        expected = self.of.start(m, j)
        if start != expected:
            self.why = f"the sum begins with {self.terms.show(start)}, not with {self.terms.show(expected)}"
            return False
        return self._has_products(items, m, j)

    def _flat(self, term: int, end: int = -1) -> tuple[int, tuple[Any, ...]]:
        """Return what a sum begins with, and its products in order: nodes, and loops of them."""
        items: list[Any] = []
        nodes = self.terms.nodes
        while term != end:
            node = nodes[term]
            if node[0] in SPINE:
                items.append(node)
                term = node[1] if node[0] == "iadd" else node[3]
            elif node[0] == "iter":
                _, symbol, count, hole, body, start = node
                inner_start, inner = self._flat(body, hole)
                if inner_start != hole:
                    return term, tuple(reversed(items))
                items.append(Loop(symbol, count, inner))
                term = start
            else:
                break
        return term, tuple(reversed(items))

    def _has_products(self, items: tuple[Any, ...], m: int, j: int) -> bool:
        """Whether these are the specified products, in the order of blocks and filter rows."""
        of, instance = self.of, self.of.instance
        line = of.line_of(m)
        if of.unrolled:
            rows = []
            for h in range(instance.lines.taps):
                a = self.terms.plus(line, self.terms.times(of.a_step, (0, h)))
                rows.append((of.runs(instance.segments, m, j), a, (0, h * of.b_step[1])))
            return self._straight(items, rows)
        segments, tails = instance.segments, instance.tail_segments
        if self.no_taps or not (segments or tails):
            return self._none(items)
        if instance.blocks == 1 and not tails:
            return self._rows(items, of.runs(segments, m, j), (0, 0), (0, 0))
        at = 0
        a_block, b_block = ((0, instance.a_block * of.a_bytes), (0, instance.b_block * of.b_bytes))
        own, rest = of.runs(segments, m, j), of.runs(tails, m, j)
        if own and instance.blocks:
            if not items or not isinstance(items[0], Loop) or items[0].count != (0, instance.blocks):
                self.why = "blocks are not walked as often as there are"
                return False
            loop, at = items[0], 1
            q = self.terms.symbol(loop.symbol)
            if not self._rows(loop.items, own, self.terms.times(q, a_block), self.terms.times(q, b_block)):
                return False
        if rest:
            a, b = (self.terms.times(block, (0, instance.blocks)) for block in (a_block, b_block))
            return self._rows(items[at:], rest, a, b)
        return self._none(items[at:])

    def _none(self, items: tuple[Any, ...]) -> bool:
        if items:
            self.why = "products are added that should not be"
        return not items

    def _rows(self, items: tuple[Any, ...], runs: list[Run], a: Affine, b: Affine) -> bool:
        """Whether items are a loop over filter rows, each of these runs."""
        of, terms = self.of, self.terms
        if not runs:
            return self._none(items)
        if len(items) != 1 or not isinstance(items[0], Loop) or items[0].count != of.taps:
            self.why = "filter rows are not walked as often as there are"
            return False
        h = terms.symbol(items[0].symbol)
        a = terms.plus(a, terms.times(h, of.a_step))
        b = terms.plus(b, terms.times(h, of.b_step))
        return self._straight(items[0].items, [(runs, a, b)])

    def _straight(self, items: tuple[Any, ...], rows: list[tuple[list[Run], Affine, Affine]]) -> bool:
        """Whether items are these runs, one behind the other, each with bytes that are added to A and B."""
        of, terms = self.of, self.terms
        places = [(run, a, b) for runs, a, b in rows for run in runs]
        at = k = 0
        pointers = of.pointer("a"), of.pointer("b")
        for item in items:
            while at < len(places) and k == places[at][0].length:
                at, k = at + 1, 0
            if at == len(places):
                self.why = "more products are added than there are"
                return False
            run, a, b = places[at]
            loop = isinstance(item, Loop)
            body = item.items if loop else (item,)
            count = len(body)
            if loop:
                if item.count[0] or k + item.count[1] * count > run.length:
                    self.why = "a loop goes on behind the products that it should add"
                    return False
                i = terms.symbol(item.symbol)
                a = terms.plus(a, terms.times(i, (0, count * run.a_next)))
                b = terms.plus(b, terms.times(i, (0, count * run.b_next)))
            a_key, a_at = terms.plus(pointers[0], a)
            b_key, b_at = terms.plus(pointers[1], b)
            for t, step in enumerate(body):
                where = (a_key, a_at + run.a + (k + t) * run.a_next), (b_key, b_at + run.b + (k + t) * run.b_next)
                if isinstance(step, Loop) or not self._is_product(step, *where):
                    self.why = self.why or "a loop inside a segment's loop"
                    return False
            k += item.count[1] * count if loop else 1
        while at < len(places) and k == places[at][0].length:
            at, k = at + 1, 0
        if at != len(places):
            self.why = f"the products from k = {k} of A at {terms.text(places[at][1])} + {places[at][0].a} on are missing"
        return at == len(places)

    def _is_product(self, step: tuple[Any, ...], a: Affine, b: Affine) -> bool:
        """Whether a multiply-add is of these elements of A and B."""
        of = self.of
        one, other = of.value(of.lhs, a), of.value(of.rhs, b)
        wanted = (one, other) if one <= other else (other, one)
        if step[0] != "fma" or step[1:3] != wanted:
            show = self.terms.show
            got = " * ".join(show(part) for part in step[1:3])
            self.why = f"{got} is added, where it should be {show(one)} * {show(other)}"
            return False
        return True
