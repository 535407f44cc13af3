"""Functions of one 8-bit number: what lies between two 8-bit tensors element by element, by its results.

Quantizers leave (de)quantizations around every operator of an activation they do not know, and its operand
may be used several times: ``q(d(x) * d(q(sigmoid(d(x)))))`` is a SiLU. Whatever operators there are, they are
evaluated on all 256 numbers that x can be.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from tvm import relax

from relay_strategies.operators import operator_of
from relay_strategies.operators.evaluation import element_by_element
from relay_strategies.operators.layouts import Quantizes
from relay_strategies.relax.graph import Graph, dtype_of, operator_name, shape_of
from relay_strategies.relax.quantize_calls import BYTES, QUANTIZE, channel_axis


@dataclass(frozen=True)
class ByteTable:
    """``results[x - the smallest number of its type]`` for every element x of ``data``, an 8-bit tensor."""

    data: relax.Expr
    results: np.ndarray


@dataclass(frozen=True)
class _Known(ByteTable):
    """A tensor as a function of another; whether it is rounded on the way."""

    quantizes: bool


class ByteTables:
    """The functions of 8-bit numbers of one graph.

    ``tables`` are by the 8-bit tensor that is their result, of those that are rounded to it; the rest of the
    operators that make them, which nothing else uses, are in ``within``.
    """

    def __init__(self, graph: Graph, claimed: Collection[relax.Var], read: Collection[relax.Expr]) -> None:
        """``claimed`` are tensors that others compute, who read ``read``."""
        self.tables: dict[relax.Var, ByteTable] = {}
        self.within: set[relax.Var] = set()
        self._graph = graph
        self._known: dict[relax.Expr, _Known] = {}
        self._numbers: dict[relax.Expr, np.ndarray] = {}
        for var, value in graph.bindings:
            known = None if var in claimed else self._function(var, value)
            if known is not None:
                self._known[var] = known
        for var, _ in reversed(graph.bindings):
            known = self._known.get(var)
            if known is None:
                continue
            users = graph.consumers.get(var, [])
            gone = all(user in self.tables or user in self.within or user in claimed for user in users)
            if gone and len(users) == graph.uses[var] and var not in read:
                self.within.add(var)
            elif known.quantizes and dtype_of(var) in BYTES:
                self.tables[var] = known

    def _function(self, var: relax.Var, value: relax.Expr) -> _Known | None:
        if not isinstance(value, relax.Call) or not _is_element_by_element(value) or shape_of(var) is None:
            return None
        rank, numbers = len(shape_of(var) or ()), self._numbers
        operands = {a: self._operand(a) for a in value.args if isinstance(a, relax.Var) and a not in numbers}
        known = [operand for operand in operands.values() if operand is not None]
        if len(known) < len(operands) or any(k.data != known[0].data for k in known):
            return None
        results = element_by_element(value, numbers | {a: k.results for a, k in operands.items() if k}, rank)
        if results is None:
            return None
        with np.errstate(all="ignore"):
            results = results.astype(dtype_of(var))
        if not known:
            numbers[var] = results
        if not known or shape_of(var) != shape_of(known[0].data) or results.shape != known[0].results.shape:
            return None
        quantizes = operator_name(value) == QUANTIZE or any(k.quantizes for k in known)
        return _Known(known[0].data, results, quantizes)

    def _operand(self, argument: relax.Var) -> _Known | None:
        dtype = dtype_of(argument)
        if argument in self._known or dtype not in BYTES:
            return self._known.get(argument)
        ends = np.iinfo(dtype)
        return _Known(argument, np.arange(ends.min, ends.max + 1).astype(dtype), False)


def _is_element_by_element(call: relax.Call) -> bool:
    if isinstance(operator_of(call).layout, Quantizes):
        return channel_axis(call) is None
    return True
