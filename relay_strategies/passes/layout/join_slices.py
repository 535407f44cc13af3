"""JoinSlices: concatenations of channels read slices of tensors where they are, and shuffle as they join.

Of neighbouring slices of one tensor one is made, so that what a network splits and joins again behind a
branch is not taken apart. A channel shuffle of a concatenation of equal parts, as ShuffleNet v2 has it,
interleaves them while they are copied. The slices themselves are made only where something else reads them.

Networks that take a tensor apart compute on the parts what they compute on the whole: operators that then
have the same operands are computed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tvm_ffi
from tvm import relax

from relay_strategies.operators import OPERATORS
from relay_strategies.operators.movement import joined_slices
from relay_strategies.relax import composite
from relay_strategies.relax.graph import Rewriter, operator_name, rewrite_pass, shape_of
from relay_strategies.relax.movement_calls import CONCAT, concatenation_of
from relay_strategies.relax.slices import ChannelSlice, channel_slice
from tvm_directconv.operators.layout import MAX_INTERLEAVED


class _JoinSlices(Rewriter):
    def prepare(self) -> None:
        self._computed: dict[tuple[Any, ...], tuple[relax.Var, relax.Call]] = {}

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        return self._once(var, self._joined(var, value))

    def _once(self, var: relax.Var, value: relax.Expr) -> relax.Expr:
        """The value, or what an equal operator before it was bound to."""
        if operator_name(value) not in OPERATORS or not all(isinstance(a, relax.Var) for a in value.args):
            return value
        key = (operator_name(value), *value.args)
        before, call = self._computed.setdefault(key, (var, value))
        if before is var or not tvm_ffi.structural_equal(call.attrs, value.attrs):
            return value
        return self.new(before)

    def _joined(self, var: relax.Var, value: relax.Expr) -> relax.Expr:
        if isinstance(value, relax.TupleGetItem):
            return self._alone(var, value)
        shuffled = self._shuffled(value)
        slices = self._slices(value if shuffled is None else shuffled)
        if slices is None:
            return self.new(value)
        if shuffled is None:
            slices = _adjoined(slices)
            if len(slices) == 1 and slices[0].is_whole:
                return self.new(slices[0].source)
            if all(part.is_whole for part in slices):
                return self.new(value) if len(slices) == len(value.args[0].fields) else self._concat(slices)
        parts = [ChannelSlice(self.new(part.source), part.first, part.channels) for part in slices]
        return joined_slices(self, parts, interleaved=shuffled is not None)

    def _alone(self, var: relax.Var, value: relax.TupleGetItem) -> relax.Expr:
        """Make a slice of one part of a split of channels, so that parts that nothing reads are not made."""
        part = channel_slice(self.graph, var)
        if part is None or part.is_whole:
            return self.new(value)
        return relax.op.strided_slice(
            self.new(part.source), [-1], [part.first], [part.first + part.channels], [1]
        )

    def _concat(self, slices: Sequence[ChannelSlice]) -> relax.Expr:
        return relax.op.concat([self.new(part.source) for part in slices], -1)

    def _slices(self, value: relax.Expr) -> list[ChannelSlice] | None:
        """Return what a concatenation along the last axis joins."""
        joined, shape = concatenation_of(value), shape_of(value)
        if joined is None or shape is None or joined.axis != len(shape) - 1:
            return None
        found = [channel_slice(self.graph, field) for field in joined.tensors]
        return None if any(part is None for part in found) else [part for part in found if part is not None]

    def _shuffled(self, value: relax.Expr) -> relax.Call | None:
        """The concatenation whose parts a channel shuffle interleaves."""
        found = composite.composite_of(self, value)
        if found is None or found.name != composite.CHANNEL_SHUFFLE:
            return None
        attributes: Any = found.attributes
        joined = self.graph.sole_call(found.arguments[0], CONCAT)
        parts = self._slices(joined) if joined is not None else None
        groups = int(attributes["groups"])
        if parts is None or int(attributes["axis"]) != 3 or groups > MAX_INTERLEAVED:
            return None
        equal = len({part.channels for part in parts}) == 1 and len(parts) == groups
        return joined if equal else None


JoinSlices = rewrite_pass("JoinSlices", _JoinSlices)
"""Make composites of concatenations along the last axis; wants ``FuseAffine`` before it."""


def _adjoined(slices: Sequence[ChannelSlice]) -> list[ChannelSlice]:
    """Neighbours of one tensor as one slice."""
    result = [slices[0]]
    for part in slices[1:]:
        both = result[-1].then(part)
        if both is None:
            result.append(part)
        else:
            result[-1] = both
    return result
