"""HoistQuantize: quantization goes before what only moves values or takes the largest of them.

Layout changes, reshapes and maximum pooling then work on 8-bit integers, and the quantization meets the
operator that made the numbers, whose kernel can do it before it stores them. Quantization keeps order, so
that every step is exact. Equal quantizations of the same numbers become one.
"""

from __future__ import annotations

import tvm
from tvm import relax

from relay_strategies.operators import Values, names_of
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.graph import Rewriter, operator_name, rewrite_module
from relay_strategies.relax.quantization import BYTES, QUANTIZE, channel_axis, parameters_of

PASSED = names_of(Values.REARRANGED, Values.LARGEST)
"""Quantization goes before these operators; before one that selects, it would quantize what is dropped."""


@tvm.transform.module_pass(opt_level=0, name="directconv.HoistQuantize")
def HoistQuantize(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """Move quantization up; wants ``ToNHWC`` before it, whose layout changes are among what it passes."""
    # Quantizations that have met and become one are their numbers' only consumer the second time.
    return rewrite_module(rewrite_module(module, _HoistQuantize), _HoistQuantize)


class _HoistQuantize(Rewriter):
    def prepare(self) -> None:
        self._known: dict[tuple[relax.Expr, float, int, str], relax.Var] = {}

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        if operator_name(value) != QUANTIZE or not _keeps_order(value):
            return self.new(value)
        data, passed = value.args[0], []
        while (call := self.graph.sole_call(data, *PASSED)) is not None:
            passed.append(call)
            data = call.args[0]
        result: relax.Expr = self._quantized(self.new(data), value)
        for call in reversed(passed):
            result = self.emit(replaced(call, [result, *(self.new(argument) for argument in call.args[1:])]))
        return result

    def _quantized(self, data: relax.Expr, call: relax.Call) -> relax.Var:
        known = parameters_of(call)
        assert known is not None
        key = data, float(known.scale[0]), int(known.zero_point[0]), str(call.attrs.out_dtype)
        if key not in self._known:
            self._known[key] = self.emit(replaced(call, [data, *call.args[1:]]))
        return self._known[key]


def _keeps_order(call: relax.Call) -> bool:
    """Whether it is to 8 bits with one known scale, and that is positive."""
    known = None if channel_axis(call) is not None else parameters_of(call)
    return known is not None and known.keeps_order and str(call.attrs.out_dtype) in BYTES
