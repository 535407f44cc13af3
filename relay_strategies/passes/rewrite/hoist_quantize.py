"""HoistQuantize: quantization goes before what only moves values or takes the largest of them.

Layout changes, reshapes and maximum pooling then work on 8-bit integers, and the quantization meets the
operator that made the numbers, whose kernel can do it before it stores them. Quantization keeps order, so
that every step is exact. Equal quantizations of the same numbers become one.
"""

from __future__ import annotations

from collections import defaultdict

from tvm import relax

from relay_strategies.operators import Values, operator_of
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.graph import Rewriter, rewrite_pass
from relay_strategies.relax.quantize_calls import quantized_to_bytes

PASSED = (Values.REARRANGED, Values.LARGEST)
"""Quantization goes before these operators; before one that selects, it would quantize what is dropped."""

Key = tuple[float, int, str]
"""The parameters that equal quantizations have in common: scale, zero point and type."""


class _HoistQuantize(Rewriter):
    def prepare(self) -> None:
        self._known: dict[tuple[relax.Expr, Key], relax.Var] = {}
        self._wanted: defaultdict[relax.Expr, list[Key]] = defaultdict(list)
        """These quantizations are all that is read of a variable, once for each use that reads one."""
        for var, value in reversed(self.graph.bindings):
            key = _key(value)
            if key is None and self._passes(var):
                key = self._wanted[var][0]
            if key is not None:
                self._wanted[value.args[0]].append(key)

    def _passes(self, var: relax.Expr) -> bool:
        """Whether a variable is bound to what a quantization passes, and every use of it is the same one."""
        wanted, value = self._wanted.get(var, []), self.graph.definition.get(var)
        alike = len(set(wanted)) == 1 and len(wanted) == self.graph.uses[var]
        return alike and value is not None and operator_of(value).values in PASSED

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        key = _key(value)
        return self.new(value) if key is None else self._quantized(value.args[0], value, key)

    def _quantized(self, data: relax.Expr, call: relax.Call, key: Key) -> relax.Var:
        """Return what ``data`` is quantized, as ``call`` does it, made where it is not there."""
        if (data, key) not in self._known:
            made = replaced(call, [self.new(data), *call.args[1:]])
            if self._passes(data):
                passed = self.graph.definition[data]
                rest = [self.new(argument) for argument in passed.args[1:]]
                made = replaced(passed, [self._quantized(passed.args[0], call, key), *rest])
            self._known[data, key] = self.emit(made)
        return self._known[data, key]


HoistQuantize = rewrite_pass("HoistQuantize", _HoistQuantize)
"""Move quantization up; wants ``ToNHWC`` before it, whose layout changes are among what it passes."""


def _key(value: relax.Expr) -> Key | None:
    """Return what a quantization to 8 bits is known by, if it keeps order; None for anything else."""
    known = quantized_to_bytes(value)
    if known is None or not known.keeps_order:
        return None
    return float(known.scale[0]), int(known.zero_point[0]), str(value.attrs.out_dtype)
