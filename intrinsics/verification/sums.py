"""Whether a sum is of the specified products.

A sum is a chain of products, among which are loops of products (``iter``). The specification's is a list of
runs, each of consecutive channels, in loops over blocks and filter rows. Products of floating point are met
in order, and a loop over a segment meets as many of a run as all of its iterations have, for a symbolic
number of the iteration. Those of integers may come in any order between one loop and the next.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from intrinsics.microkernel import BYTES, PANEL

from .specification import ProductRun, Specification
from .term_arithmetic import Integer
from .terms import Affine, Terms

AT_ONCE = ("bfdot", "hfdot")
"""Kinds that add the products of a group of channels at once."""
EMPTY: Integer = {}
SPINE = {"fma": 3, "fmah": 3, "fmabf": 3, "bfdot": 1, "hfdot": 1, "iadd": 1}
SPINE.update(dict.fromkeys(("tdpbf", "tdpss", "tdpsu", "tdpus", "tdpuu"), 1))
"""Kinds of terms that add a product, and where in them is what it is added to."""


@dataclass(frozen=True)
class Loop:
    """Products of a sum that are repeated."""

    symbol: str
    count: Affine
    items: tuple[Any, ...]


Place = tuple[ProductRun, Affine, Affine]
"""A run, and bytes that are added to A and to B where it is met."""


class Sums(abc.ABC):
    """Compares sums of row ``m``'s lane ``j``. ``why`` says where one is another."""

    def __init__(self, specification: Specification, no_taps: bool) -> None:
        self.of, self.no_taps = specification, no_taps
        self.terms: Terms = specification.terms
        self.why = ""
        self.pointers = specification.operands

    def is_sum(self, found: int, m: int, j: int) -> bool:
        """Whether a term is the specified sum."""
        start, items = self.flat(found)
        if self.of.adds_zeros:
            items = self._without_zeros(items)
        expected = self.of.start(m, j)
        if start != expected:
            self.why = f"the sum begins with {self.terms.show(start)}, not with {self.terms.show(expected)}"
            return False
        return self._has_products(items, m, j)

    def _without_zeros(self, items: tuple[Any, ...]) -> tuple[Any, ...]:
        """Leave out products of zero, of rows that a segment leaves out."""
        zeros, left = {self.terms.constant(0), self.terms.constant(0, 2)}, list[Any]()
        for item in items:
            if isinstance(item, Loop):
                inner = self._without_zeros(item.items)
                left += [Loop(item.symbol, item.count, inner)] if inner else []
                continue
            operands, half = item[1:3] if item[0] == "fma" else item[2:], len(item) // 2 - 1
            if not any(zeros.issuperset(part) for part in (operands[:half], operands[half:])):
                left.append(item)
        return tuple(left)

    def flat(self, term: int, end: int = -1) -> tuple[int, tuple[Any, ...]]:
        """Return what a sum begins with, and its products in order: nodes, and loops of them."""
        items: list[Any] = []
        nodes = self.terms.nodes
        while term != end:
            node = nodes[term]
            if node[0] in SPINE:
                items.append(node)
                term = node[SPINE[node[0]]]
            elif node[0] == "iter":
                _, symbol, count, hole, body, start = node
                inner_start, inner = self.flat(body, hole)
                if inner_start != hole:
                    break
                items.append(Loop(symbol, count, inner))
                term = start
            elif node[0] == "sum":
                items.append(("iadd", term, node[1]))
                term = self.terms.constant(0)
                break
            else:
                break
        return term, tuple(reversed(items))

    def _has_products(self, items: tuple[Any, ...], m: int, j: int) -> bool:
        """Whether these are the specified products, in the order of blocks and filter rows."""
        of, instance = self.of, self.of.instance
        line = of.line_of(m)
        if of.unrolled:
            rows: list[Place] = []
            for h in range(instance.lines.taps):
                a = self.terms.plus(line, self.terms.times(of.a_step, (0, h)))
                b = (0, h * of.b_step[1])
                rows += [(run, a, b) for run in of.runs(instance.segments, m, j)]
            return self.straight(items, rows)
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

    def _rows(self, items: tuple[Any, ...], runs: list[ProductRun], a: Affine, b: Affine) -> bool:
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
        return self.straight(items[0].items, [(run, a, b) for run in runs])

    @abc.abstractmethod
    def straight(self, items: Sequence[Any], places: list[Place]) -> bool:
        """Whether items are these runs, one behind the other."""

    def where(self, place: Place, loop: Loop | None, groups: int) -> tuple[Affine, Affine]:
        """The addresses of a run's first elements, in an iteration of a loop over so many groups."""
        terms, (run, a, b) = self.terms, place
        if loop is not None:
            i = terms.symbol(loop.symbol)
            a = terms.plus(a, terms.times(i, (0, groups * run.a_next)))
            b = terms.plus(b, terms.times(i, (0, groups * run.b_next)))
        (a_key, a_at), (b_key, b_at) = terms.plus(self.pointers[0], a), terms.plus(self.pointers[1], b)
        return (a_key, a_at + run.a), (b_key, b_at + run.b)


class FloatSums(Sums):
    """Products one by one, in order; of groups of halves, the last channel of each comes first."""

    def straight(self, items: Sequence[Any], places: list[Place]) -> bool:
        at = done = 0
        for item in items:
            while at < len(places) and done == self._terms_of(places[at][0]):
                at, done = at + 1, 0
            if at == len(places):
                self.why = "more products are added than there are"
                return False
            run, loop = places[at][0], item if isinstance(item, Loop) else None
            body = loop.items if loop else (item,)
            taken = len(body) * (loop.count[1] if loop else 1)
            each = self._steps_of(run)
            if loop and (loop.count[0] or done + taken > self._terms_of(run) or len(body) % each):
                self.why = "a loop goes on behind the products that it should add"
                return False
            a, b = self.where(places[at], loop, len(body) // each)
            for t, step in enumerate(body):
                if isinstance(step, Loop) or not self._is_product(step, run, a, b, done + t):
                    self.why = self.why or "a loop inside a segment's loop"
                    return False
            done += taken
        while at < len(places) and done == self._terms_of(places[at][0]):
            at, done = at + 1, 0
        if at < len(places):
            run, a, _ = places[at]
            self.why = (
                f"products are missing, of A from {self.terms.text(a)} + {run.a} + {done} * {run.a_next} on"
            )
        return at == len(places)

    def _steps_of(self, run: ProductRun) -> int:
        """How many terms add a group of products."""
        return 1 if self.of.product in AT_ONCE else run.group

    def _terms_of(self, run: ProductRun) -> int:
        return run.groups * self._steps_of(run)

    def _is_product(self, step: tuple[Any, ...], run: ProductRun, a: Affine, b: Affine, number: int) -> bool:
        """Whether a multiply-add is the one of that number."""
        of, terms = self.of, self.terms
        if of.product in AT_ONCE:
            return self._is_pair(step, run, a, b, number)
        group, last = divmod(number, run.group)
        within = run.group - 1 - last
        a_at = a[0], a[1] + group * run.a_next + within * of.a_bytes
        b_at = b[0], b[1] + group * run.b_next + within * of.b_bytes
        if run.group == 1:
            kind, one, other = "fma", of.value(of.lhs, a_at), of.value(of.rhs, b_at)
        else:
            kind, other = "fmabf", terms.load(of.b_bytes, b_at)
            missing = group * run.group + within >= run.length
            one = terms.constant(0, of.a_bytes) if missing else terms.load(of.a_bytes, a_at)
        wanted = (one, other) if one <= other else (other, one)
        if step[0] != kind or step[1:3] != wanted:
            show = terms.show
            got = " * ".join(show(part) for part in step[1:3]) if step[0] in ("fma", "fmabf") else step[0]
            self.why = f"{got} is added, where it should be {show(one)} * {show(other)}"
            return False
        return True

    def _is_pair(self, step: tuple[Any, ...], run: ProductRun, a: Affine, b: Affine, group: int) -> bool:
        """Whether a term adds the products of the group of that number."""
        of, terms, pairs = self.of, self.terms, list[tuple[int, int]]()
        for within in range(run.group):
            missing = group * run.group + within >= run.length
            a_at = a[0], a[1] + group * run.a_next + within * of.a_bytes
            b_at = b[0], b[1] + group * run.b_next + within * of.b_bytes
            loaded = terms.load(of.a_bytes, a_at)
            padded = missing and of.kernel.layout != PANEL  # panels have whole groups, filled up with zeros
            pairs.append((terms.constant(0, of.a_bytes) if padded else loaded, terms.load(of.b_bytes, b_at)))
        ours, others = tuple(a for a, _ in pairs), tuple(b for _, b in pairs)
        if step[0] == of.product and step[2:] in (ours + others, others + ours):
            return True
        self.why = f"{step[0]} of other elements than those of A at {terms.text(a)}, group {group}, is added"
        return False


class IntegerSums(Sums):
    """Polynomials, in which the order of products does not matter, nor where a sum begins, nor whether it is
    one of several sums."""

    def is_sum(self, found: int, m: int, j: int) -> bool:
        total, loops = self._parts(found)
        start = self.terms.nodes[self.of.start(m, j)]
        if start[0] != "const" and total.pop((self.terms.make("s", self.of.start(m, j), 32),), 0) != 1:
            self.why = f"{self.terms.show(self.of.start(m, j))} is not added once"
            return False
        return self._has_products(self._items(total, loops), m, j)

    def _items(self, total: dict[tuple[int, ...], int], loops: dict[str, Any]) -> tuple[Any, ...]:
        items: list[Any] = [
            Loop(symbol, count, self._items(*inside)) for symbol, (count, *inside) in loops.items()
        ]
        return (*items, ("iadd", -1, tuple(total.items()))) if total else tuple(items)

    def _parts(self, term: int) -> tuple[dict[tuple[int, ...], int], dict[str, Any]]:
        """Return the polynomial that a sum is beside its loops, and these by their symbols: how often they
        are run, and what is added in each iteration."""
        nodes, total, loops = self.terms.nodes, dict[tuple[int, ...], int](), dict[str, Any]()
        pending = [term]
        while pending:
            term = pending.pop()
            node = nodes[term]
            packed: tuple[Any, ...] = ()
            if node[0] == "iadd":
                pending.append(node[1])
                packed = node[2]
            elif node[0] == "sum":
                packed = node[1]
            elif node[0] == "const":
                packed = (((), node[1]),) if node[1] else ()
            elif node[0] != "iter" or not self._add_loop(node, loops):
                packed = (((self.terms.make("s", term, 32),), 1),)
            else:
                pending.append(node[5])
            for product, factor in packed:
                atom: tuple[Any, ...] = nodes[product[0]] if len(product) == 1 and factor == 1 else ()
                is_word = atom[:1] in (("s",), ("u",)) and atom[2:] == (32,)
                if is_word and atom[1] != term and nodes[atom[1]][0] in ("iter", "iadd", "sum"):
                    pending.append(atom[1])
                else:
                    total[product] = total.get(product, 0) + factor
        return {product: factor for product, factor in total.items() if factor}, loops

    def _add_loop(self, node: tuple[Any, ...], loops: dict[str, Any]) -> bool:
        """Add what a loop adds to loops of its symbol; whether it adds to what it begins with."""
        _, symbol, count, hole, body, _ = node
        total, inner = self._parts(body)
        if total.pop((self.terms.make("s", hole, 32),), 0) != 1:
            return False
        loops[symbol] = (
            self._merged(loops[symbol], (count, total, inner)) if symbol in loops else (count, total, inner)
        )
        return True

    def _merged(self, one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
        loops = dict(one[2])
        for symbol, loop in other[2].items():
            loops[symbol] = self._merged(loops[symbol], loop) if symbol in loops else loop
        return one[0], dict(self.of.op.plus(one[1], other[1])), loops

    def straight(self, items: Sequence[Any], places: list[Place]) -> bool:
        op, total, expected = self.of.op, EMPTY, EMPTY
        padding: set[int] = set()
        left = dict(enumerate(places))
        done = dict.fromkeys(left, 0)
        for item in items:
            if not isinstance(item, Loop) and item[0] == "iadd":
                total = op.plus(total, dict(item[2]))
                continue
            if not isinstance(item, Loop) or not self._meets_loop(item, left, done):
                self.why = "a loop does not add the products of a segment"
                return False
        for number, place in left.items():
            run = place[0]
            a, b = self.where(place, None, 0)
            for group in range(done[number], run.groups):
                expected = op.plus(expected, self._group(run, a, b, group, padding))
        return self._equal(total, expected, padding)

    def _meets_loop(self, loop: Loop, left: dict[int, Place], done: dict[int, int]) -> bool:
        """Whether a loop adds products of one of the runs that are left, from its first on."""
        op, total = self.of.op, EMPTY
        for item in loop.items:
            if isinstance(item, Loop) or item[0] != "iadd":
                return False
            total = op.plus(total, dict(item[2]))
        products = sum(len(product) == 2 for product in total)
        for number, place in left.items():
            run = place[0]
            groups = products // run.group
            if done[number] or loop.count[0] or not 0 < groups * loop.count[1] * run.group <= run.length:
                continue
            a, b = self.where(place, loop, groups)
            padding: set[int] = set()
            expected = EMPTY
            for group in range(groups):
                expected = op.plus(expected, self._group(run, a, b, group, padding))
            if self._equal(total, expected, padding):
                done[number] = groups * loop.count[1]
                return True
        return False

    def _group(self, run: ProductRun, a: Affine, b: Affine, group: int, padding: set[int]) -> Integer:
        """The products of a group of channels; elements of B that stand for no channel, which are zero, are
        put in ``padding``."""
        of, op = self.of, self.of.op
        total = EMPTY
        for within in range(run.group):
            b_at = b[0], b[1] + group * run.b_next + within * of.b_bytes
            other = self._integer(of.rhs, b_at)
            if group * run.group + within >= run.length:
                padding |= {atom for product in other for atom in product}
                continue
            a_at = a[0], a[1] + group * run.a_next + within * of.a_bytes
            if of.masks:
                mask = self.terms.load(1, (b_at[0], b_at[1] + of.masks))
                one = op.unsigned(op.exclusive_or(self.terms.load(1, a_at), mask, 1), 8)
            else:
                one = self._integer(of.lhs, a_at, of.moved)
            total = op.plus(total, op.times(one, other))
        return total

    def _integer(self, kind: str, address: Affine, moved: int = 0) -> Integer:
        """The integer of a byte, moved by 128 or not: a moved byte is one of the other sign."""
        op, element = self.of.op, self.terms.load(BYTES[kind], address)
        unsigned = (kind == "u8") != bool(moved)
        return (op.unsigned if unsigned else op.signed)(op.moved(element) if moved else element, 8)

    def _equal(self, total: Integer, expected: Integer, padding: set[int]) -> bool:
        found = {product: factor for product, factor in total.items() if not padding.intersection(product)}
        if found != expected:
            extra = [product for product in found if found[product] != expected.get(product)]
            missing = [product for product in expected if expected[product] != found.get(product)]
            show = self.terms.show
            texts = [" * ".join(map(show, product)) or "1" for product in (*extra[:1], *missing[:1])]
            what = [f"{texts[0]} is added"] if extra else []
            what += [f"{texts[-1]} is not added as often as it should be"] if missing else []
            self.why = ", ".join(what)
        return found == expected
