"""ConcatSlices: convolutions that can write their channels of a concatenation where the result is to be.

The tensor that a concatenation makes is then allocated before the first of them, and handed from one to the
next. What else reads such a result has to read it there, as convolutions do; other terms of the concatenation
are copied to their place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tvm import relax

from relay_strategies.relax.graph import Graph, dtype_of, operator_name, shape_of
from relay_strategies.relax.movement_calls import SLICE, SPLIT, concatenation_of
from tvm_directconv.problem.element_types import FLOATS

Ask = Callable[[relax.Var], bool]


@dataclass(frozen=True)
class ConcatSlice:
    """A part of a concatenation's result, from channel ``first`` of its ``channels`` on."""

    join: relax.Var
    first: int
    channels: int


def find_concat_slices(graph: Graph, writes: Ask, reads: Ask) -> dict[relax.Var, ConcatSlice]:
    """Return where results lie, by the variables they are bound to, if what makes them ``writes`` a part of a
    tensor, and what takes slices of them for its first argument ``reads`` one, and no other does."""
    found: dict[relax.Var, ConcatSlice] = {}
    for join, value in graph.bindings:
        terms, first, channels = joined_terms(join, value), 0, (shape_of(join) or (0,))[-1]
        for term in terms:
            if isinstance(term, relax.Var) and term not in found and writes(term):
                readers = list(_readers(graph, term))
                others = [reader for reader in readers if reader != join]
                if len(readers) == len(others) + 1 and all(r is not None and reads(r) for r in others):
                    found[term] = ConcatSlice(join, first, channels)
            first += (shape_of(term) or (0,))[-1]
    return found


def joined_terms(join: relax.Var, value: relax.Expr) -> list[relax.Expr]:
    """Return what a concatenation of images along their channels joins; nothing for anything else."""
    found, shape = concatenation_of(value), shape_of(join)
    images = found is not None and len(shape or ()) == 4 and dtype_of(join) in FLOATS
    return list(found.tensors) if found is not None and images and found.axis == 3 else []


def _readers(graph: Graph, var: relax.Var) -> Iterator[relax.Var | None]:
    """Return what is made of a variable, or of slices of it, once for each use: None for a call that takes it
    not as its first argument, and for the function's output and branches."""
    consumers = graph.consumers.get(var, [])
    if graph.uses[var] != len(consumers):
        yield None
    for consumer in consumers:
        value = graph.definition[consumer]
        if isinstance(value, relax.TupleGetItem) or operator_name(value) in (SPLIT, SLICE):
            yield from _readers(graph, consumer)
        else:
            first, *rest = list(value.args) if isinstance(value, relax.Call) else [None]
            among = isinstance(first, relax.Tuple) and var in list(first.fields)
            yield consumer if (among or first == var) and var not in rest else None
