"""FoldScales: multiplications and additions by constants, folded into the layers around them.

A scale and a shift (batch normalization, layer scale, the scale of attention's queries, a bias) goes back to
the convolution or dense layer that made its operand, through whatever computes the same of scaled numbers
(``operators.linear``: sums, concatenations, slices, reshapes, averages), and becomes part of its filter and
bias. One that finds no layer there goes forward into the filters of the layers that alone use it. One
that cannot either stands as it was: floats that are added or multiplied in another order are others. The
same holds of what a filter and bias would lose (``Affine.joined``). Products are taken in float64 and rounded
once.
"""

from __future__ import annotations

import numpy as np
from tvm import relax

from relay_strategies.operators import operator_of
from relay_strategies.operators.linear import Ways, is_only_reader, part_of_split
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.composite import Emit
from relay_strategies.relax.filters import CONVOLUTION, PRODUCT, filter_of
from relay_strategies.relax.graph import (
    Graph,
    Rewriter,
    ints,
    make_constant,
    operator_name,
    rewrite_pass,
    shape_of,
)
from relay_strategies.relax.scales import Affine, affine_of


class _FoldScales(Rewriter):
    def prepare(self) -> None:
        self._results: dict[relax.Var, Affine] = {}
        """This is to be done to the results of these layers."""
        self._operands: dict[relax.Var, Affine] = {}
        """This is to be done to what these layers read."""
        self._folded: dict[relax.Var, relax.Expr] = {}
        """These operations are gone; what they were done to stands for them."""
        self._standing: dict[relax.Var, Affine] = {}
        """These operations stay, and nothing behind them is done before them."""
        for var, value in self.graph.bindings:
            affine = affine_of(value)
            if affine is None:
                continue
            plan = self._plan(value, value.args[0], affine) if affine.has_scale or affine.has_shift else {}
            if plan is None:
                self._standing[var] = affine
                continue
            self._results.update(plan)
            self._folded[var] = value.args[0]
        for var in reversed(self._standing):
            self._fold_forward(var, self._standing[var])

    def _plan(self, reader: relax.Expr, data: relax.Expr, affine: Affine) -> dict[relax.Var, Affine] | None:
        """Return what is to be done to which results so that ``affine`` is done to what ``reader`` reads of
        ``data``; None where that is not possible."""
        if not isinstance(data, relax.Var) or not is_only_reader(self.graph, reader, data):
            return None
        if data in self._standing:
            return None
        value = self.graph.definition.get(data)
        if data in self._folded or isinstance(value, relax.Var):
            return self._plan(value, self._folded.get(data, value), affine)
        axis = None if value is None else layer_axis(self.graph, value)
        if axis is not None:
            both = affine.joined(self._results.get(data)) if affine.is_along(axis) else None
            return None if both is None else {data: both}
        for parts in self._ways(data, value, affine):
            plans = [self._plan(value, *part) for part in parts]
            if all(plan is not None for plan in plans):
                return {layer: done for plan in plans for layer, done in (plan or {}).items()}
        return None

    def _ways(self, var: relax.Var, value: relax.Expr | None, affine: Affine) -> Ways:
        """Yield ways to do ``affine`` to ``value``, which is bound to ``var``, by its operands."""
        if isinstance(value, relax.TupleGetItem):
            yield from part_of_split(self.graph, value, affine)
        linear = None if value is None else operator_of(value).linear
        if linear is not None and shape_of(var) is not None:
            yield from linear(value, affine)

    def _fold_forward(self, var: relax.Var, affine: Affine) -> None:
        """Fold what stands at ``var`` into the layers that read it, if those are all its users."""
        users = self._layers(var)
        done: dict[relax.Var, Affine] = {}
        for user in users or ():
            axis = _operand_axis(self.graph, self.graph.definition[user], affine.has_shift)
            then = self._operands.get(user)
            both = affine.joined(None) if then is None else then.joined(affine)
            if axis is None or not affine.is_along(axis) or both is None or not (affine.moves and both.moves):
                return
            done[user] = both
        if done:
            self._operands.update(done)
            self._folded[var] = self.graph.definition[var].args[0]

    def _layers(self, var: relax.Var) -> list[relax.Var] | None:
        """The operations that ``var``, or one that is gone for which it stands, is the data of; None where it
        is used for anything else."""
        found, users = list[relax.Var](), self.graph.consumers.get(var, [])
        if len(users) != self.graph.uses[var]:
            return None
        for user in users:
            value = self.graph.definition[user]
            layers = self._layers(user) if user in self._folded else [user]
            if layers is None or not isinstance(value, relax.Call) or value.args[0] != var:
                return None
            found.extend(layers)
        return found

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        if var in self._folded:
            return self.new(self._folded[var])
        affine, operand = self._results.get(var), self._operands.get(var)
        if affine is None and operand is None:
            return self.new(value)
        shape = shape_of(var)
        assert shape is not None
        result = self.new(value)
        axis = layer_axis(self.graph, value)
        assert axis is not None
        filters, left = _folded(
            self.graph, value, self.emit, operand, affine or Affine.none(len(shape)), axis
        )
        if filters is not None:
            result = replaced(result, [result.args[0], filters])
        result = self.emit(result)
        if not left.has_shift:
            return result
        return relax.op.add(result, make_constant(left.shift.astype(np.float32)))


FoldScales = rewrite_pass("FoldScales", _FoldScales)
"""Fold constant scales and shifts; wants ``Simplify`` before it."""


def layer_axis(graph: Graph, value: relax.Expr) -> int | None:
    """Return the output-channel axis of a layer with a constant filter; None for anything else."""
    if filter_of(graph, value) is None:
        return None
    if operator_name(value) == PRODUCT:
        return len(shape_of(value.args[0]) or ()) - 1 if shape_of(value.args[0]) else None
    axis = str(value.attrs.out_layout).find("C")
    return axis if axis >= 0 else None


def _operand_axis(graph: Graph, value: relax.Expr, has_shift: bool) -> int | None:
    """The axis of what a layer reads that its filter sums over; a shift does not reach into padding."""
    if layer_axis(graph, value) is None:
        return None
    if operator_name(value) == PRODUCT:
        return len(shape_of(value.args[0]) or ()) - 1
    axis = str(value.attrs.data_layout).find("C")
    return None if axis < 0 or (has_shift and any(ints(value.attrs.padding))) else axis


def _folded(
    graph: Graph, old: relax.Call, emit: Emit, operand: Affine | None, result: Affine, axis: int
) -> tuple[relax.Expr | None, Affine]:
    """Return the filter of a layer of the old function with ``operand`` done to what it reads and ``result``
    to what it makes, whose channels are at ``axis``, None if that changes nothing; and what is left of
    ``result``: its shift."""
    known = filter_of(graph, old)
    assert known is not None
    weight = known.ordered
    # Vectors are float64, and so are the products with them.
    if operand is not None:
        groups = int(old.attrs.groups) if operator_name(old) == CONVOLUTION else 1
        scale, shift = (_by_group(vector, weight, groups) for vector in (operand.scale, operand.shift))
        sums = (weight * shift).reshape(len(weight), -1).sum(1)
        weight = weight * scale
        result = result.after(Affine.along(axis, result.rank, shift=sums))
    if operand is None and not result.has_scale:
        return None, result
    vector = np.broadcast_to(result.scale.reshape(-1), [len(weight)])
    weight = weight * vector.reshape(-1, *[1] * (weight.ndim - 1))
    return known.with_array(emit, known.reordered(weight)), result


def _by_group(values: np.ndarray, weight: np.ndarray, groups: int) -> np.ndarray:
    """Return values per input channel as (outputs, inputs of a group, 1, ...)."""
    outputs, inputs = weight.shape[:2]
    of_group = np.broadcast_to(values.reshape(-1), [groups * inputs]).reshape(groups, inputs)
    each = np.repeat(of_group, outputs // groups, axis=0)
    return each.reshape(outputs, inputs, *[1] * (weight.ndim - 2))
