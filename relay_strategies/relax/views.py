"""Expressions as views of the tensors they were made from: which of Relax's operators only say where elements
are.

``operand`` goes back through them as far as strides can say what they do, ``written`` forward; kernels that
take views then read and write in place (``tvm_directconv.operators.matrix_views``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tvm import relax

from tvm_directconv.operators.matrix_views import View

from .graph import Graph, dtype_of, operator_name, shape_of
from .movement_calls import PERMUTE, RESHAPES, TAKE, Slice, axes_of, slice_of, take_of
from .scales import factor_of, scales_join


@dataclass(frozen=True)
class Operand:
    """``scale`` times a view of ``root``, an expression that has to be computed."""

    root: relax.Expr
    view: View
    scale: float = 1.0


Known = Callable[[relax.Var], bool]


def operand(graph: Graph, expr: relax.Expr, is_root: Known = lambda var: False) -> Operand | None:
    """Return what a tensor of static shape is a view of; variables for which ``is_root`` holds are looked
    behind no more."""
    shape = shape_of(expr)
    if shape is None or 0 in shape:
        return None
    found = None if isinstance(expr, relax.Var) and is_root(expr) else _moved(graph, expr, is_root)
    return Operand(expr, View.of(shape)) if found is None else found


def _moved(graph: Graph, expr: relax.Expr, is_root: Known) -> Operand | None:
    """The operand behind an operator that moves or scales; None if the expression is not a view."""
    value = graph.definition.get(expr) if isinstance(expr, relax.Var) else expr
    if isinstance(value, relax.Var):
        return operand(graph, value, is_root)
    part = slice_of(graph, value)
    if part is not None:
        return _sliced(graph, part, is_root)
    if not isinstance(value, relax.Call) or not value.args:
        return None
    shape, make = shape_of(value), _VIEWS.get(operator_name(value))
    factor = factor_of(value)
    if shape is None or (make is None and factor is None):
        return None
    before = operand(graph, value.args[0], is_root)
    if before is None:
        return None
    if make is None:
        joins = factor is not None and scales_join(before.scale, factor)
        return replace(before, scale=before.scale * (factor or 0.0)) if joins else None
    view = make(value, before.view, shape)
    return None if view is None else replace(before, view=view)


def _sliced(graph: Graph, part: Slice, is_root: Known) -> Operand | None:
    before = operand(graph, part.data, is_root)
    if before is None or any(span.step < 1 for span in part.places.values()):
        return None
    view = before.view
    for axis, span in part.places.items():
        view = view.sliced(axis, span.start, len(span), span.step)
    return replace(before, view=view)


def _taken(call: relax.Call, view: View, shape: tuple[int, ...]) -> View | None:
    """See one element of an axis, which is lost or kept."""
    found = take_of(call)
    if found is None or len(found[1]) != 1:
        return None
    axis, (place,) = found
    return view.sliced(axis, place, 1).reshaped(shape)


_VIEWS: dict[str, Callable[[relax.Call, View, tuple[int, ...]], View | None]] = {
    PERMUTE: lambda call, view, shape: view.permuted(axes_of(call)),
    "relax.broadcast_to": lambda call, view, shape: view.broadcast(shape),
    TAKE: _taken,
} | dict.fromkeys(RESHAPES, lambda call, view, shape: view.reshaped(shape))


def written(calls: Sequence[relax.Call]) -> View | None:
    """The first call's argument as a view of the last call's result; None where strides cannot say it."""
    view: View | None = View.of(shape_of(calls[-1]) or ())
    for call in reversed(calls):
        if view is None:
            return None
        if operator_name(call) == PERMUTE:
            axes = axes_of(call)
            view = view.permuted([axes.index(axis) for axis in range(len(axes))])
        else:
            view = view.reshaped(shape_of(call.args[0]) or ())
    return view


def forward(graph: Graph, var: relax.Var) -> list[relax.Var]:
    """The variables of reshapes and permutations that follow one another from ``var`` on, each the only
    consumer of the one before."""
    found: list[relax.Var] = []
    while (following := graph.only_consumer(found[-1] if found else var)) is not None:
        # What is bound to another name is no move, and where a function's result begins.
        name = operator_name(graph.definition[following])
        if name not in (PERMUTE, *RESHAPES) or shape_of(following) is None:
            break
        found.append(following)
    return found


def is_float(*exprs: relax.Expr) -> bool:
    """Whether all are float32 of static shapes."""
    return all(dtype_of(expr) == "float32" and shape_of(expr) is not None for expr in exprs)
