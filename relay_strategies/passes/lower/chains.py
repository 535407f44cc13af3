"""Chains of a network's layers that one kernel may compute by blocks of rows, and which of them are worth it.

A chain is a depthwise or other narrowly grouped convolution with the convolution that makes its input, the
1x1 convolution that reads its result, or both, where nothing else uses what lies between. Of chains that
share a layer the one that saves more is taken, if the model says that it saves anything
(``tvm_directconv/algorithms/chains/``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tvm import relax

from relay_strategies.relax.graph import Graph
from tvm_directconv.algorithms.base import Plan
from tvm_directconv.algorithms.chains.choice import chain_of, pays
from tvm_directconv.algorithms.chains.cost import chain_cost, separate_cycles
from tvm_directconv.algorithms.chains.geometry import Chain

PlanOf = Callable[[relax.Var], "Plan | None"]
"""A function of the variable that a layer is bound to. It returns how the layer is computed by itself, or
None for a layer that cannot be part of a chain."""


@dataclass(frozen=True)
class LayerChain:
    """Layers that follow each other, by the variables they are bound to, as parts of a chain."""

    layers: tuple[relax.Var, ...]
    chain: Chain

    @cached_property
    def cycles(self) -> float:
        """The estimated cycles of the chain."""
        return chain_cost(self.chain).total

    @cached_property
    def separate_cycles(self) -> float:
        """The estimated cycles of its layers by themselves."""
        return separate_cycles(self.chain)

    @property
    def saving(self) -> float:
        """The estimated cycles that the chain saves."""
        return self.separate_cycles - self.cycles

    def report(self, names: Sequence[str], *, used: bool) -> dict[str, Any]:
        """Return what reports say of a chain of layers with these names."""
        return {
            "layers": list(names),
            "rows": self.chain.rows,
            "workspace_bytes": self.chain.workspace_bytes,
            "cycles": round(self.cycles),
            "separate_cycles": round(self.separate_cycles),
            "used": used,
        }


def find_chains(graph: Graph, plan_of: PlanOf) -> Iterator[LayerChain]:
    """Yield all possible chains, also those that overlap."""
    for var, _ in graph.bindings:
        middle = plan_of(var)
        if middle is None:
            continue
        before, behind = _before(graph, var), _behind(graph, var)
        first = None if before is None else plan_of(before)
        last = None if behind is None else plan_of(behind)
        for parts in ((first, middle, last), (first, middle, None), (None, middle, last)):
            chain = chain_of(*parts)
            if chain is not None:
                layers = zip((before, var, behind), parts, strict=True)
                yield LayerChain(tuple(at for at, part in layers if part is not None), chain)


def choose_chains(found: Sequence[LayerChain]) -> tuple[list[LayerChain], list[LayerChain]]:
    """Return the chains that are used, and those that would not be faster; no two of them share a layer."""
    taken: set[relax.Var] = set()
    used: list[LayerChain] = []
    declined: list[LayerChain] = []
    for each in sorted(found, key=lambda each: each.saving, reverse=True):
        if taken.isdisjoint(each.layers):
            taken.update(each.layers)
            (used if pays(each.cycles, each.separate_cycles) else declined).append(each)
    return used, declined


def _before(graph: Graph, var: relax.Var) -> relax.Var | None:
    """The variable that a layer reads and nothing else does."""
    data = _data(graph, var)
    return data if data is not None and graph.only_consumer(data) == var else None


def _behind(graph: Graph, var: relax.Var) -> relax.Var | None:
    """The variable bound to the layer that reads one, if nothing else does."""
    reader = graph.only_consumer(var)
    return reader if reader is not None and _data(graph, reader) == var else None


def _data(graph: Graph, var: relax.Var) -> relax.Var | None:
    """The first argument of the call that a variable is bound to, where that is a variable that is bound."""
    value = graph.definition.get(var)
    data = value.args[0] if isinstance(value, relax.Call) and len(value.args) else None
    return data if isinstance(data, relax.Var) and data in graph.definition else None
