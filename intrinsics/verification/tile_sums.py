"""Whether a sum is of the specified products, of instruction sets that multiply tiles (AMX).

A term adds the products of all channels that a tile's row has, a segment's from some number of them on.
Behind the segment's last channel A's elements are zeros, and so are rows of A that a segment leaves out.
"""

from __future__ import annotations

from typing import Any

from .specification import ProductRun
from .sums import FloatSums, Loop
from .terms import Affine


class TileSums(FloatSums):
    """Products of as many channels at once as a tile's row has, in order."""

    def _without_zeros(self, items: tuple[Any, ...]) -> tuple[Any, ...]:
        left = list[Any]()
        for item in items:
            if isinstance(item, Loop):
                inner = self._without_zeros(item.items)
                left += [Loop(item.symbol, item.count, inner)] if inner else []
            elif not all(self._is_zero(part) for part in self.terms.nodes[item[2]][1:]):
                left.append(item)
        return tuple(left)

    def _is_zero(self, term: int) -> bool:
        return bool(self.terms.nodes[term][:2] == ("const", 0))

    def _steps_of(self, run: ProductRun) -> int:
        return 1

    def _terms_of(self, run: ProductRun) -> int:
        return run.groups

    def _is_product(self, step: tuple[Any, ...], run: ProductRun, a: Affine, b: Affine, number: int) -> bool:
        of, terms, nodes = self.of, self.terms, self.terms.nodes
        self.why = f"other elements than those of A at {terms.text(a)}, group {number}, are multiplied"
        if step[0] != of.product:
            return False
        ours, theirs = nodes[step[2]][1:], nodes[step[3]][1:]
        if len(ours) != run.group or len(theirs) != run.group:
            return False
        for within in range(run.group):
            row, place = divmod(within, of.group)
            at = (row * of.instance.b_row + place) * of.b_bytes
            other = terms.load(of.b_bytes, (b[0], b[1] + number * run.b_next + at))
            if number * run.group + within < run.length:
                one = terms.load(of.a_bytes, (a[0], a[1] + number * run.a_next + within * of.a_bytes))
                if (ours[within], theirs[within]) != (one, other):
                    return False
                continue
            # Bytes times zero are zero; a number may be none, so that B's are zeros, too, as it is packed.
            last = -(-run.length // of.group) * of.group
            packed = theirs[within] == other and number * run.group + within < last
            if not self._is_zero(ours[within]):
                return False
            if not of.of_bytes and not packed and not self._is_zero(theirs[within]):
                return False
        self.why = ""
        return True
