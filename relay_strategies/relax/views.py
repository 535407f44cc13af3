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

from .graph import Graph, constant, dtype_of, ints, operator_name, shape_of
from .scales import factor_of, scales_join

KEPT = "relax.reshape"
"""It moves nothing and gets no kernel: it stays until a network is compiled, and is then the same memory."""
RESHAPES = (KEPT, "relax.expand_dims", "relax.squeeze", "relax.flatten")


@dataclass(frozen=True)
class Operand:
    """``scale`` times a view of ``root``, an expression that has to be computed."""

    root: relax.Expr
    view: View
    scale: float = 1.0


Known = Callable[[relax.Var], bool]


def operand(graph: Graph, expr: relax.Expr, is_root: Known = lambda var: False) -> Operand | None:
    """What a tensor of static shape is a view of; variables for which ``is_root`` holds are looked behind no
    more."""
    shape = shape_of(expr)
    if shape is None or 0 in shape:
        return None
    found = None if isinstance(expr, relax.Var) and is_root(expr) else _moved(graph, expr, is_root)
    return Operand(expr, View.of(shape)) if found is None else found


def _moved(graph: Graph, expr: relax.Expr, is_root: Known) -> Operand | None:
    """The operand behind an operator that moves or scales; None where the expression is none of one."""
    value = graph.definition.get(expr) if isinstance(expr, relax.Var) else expr
    if isinstance(value, relax.Var):
        return operand(graph, value, is_root)
    if isinstance(value, relax.TupleGetItem):
        return _part(graph, value, is_root)
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


def _part(graph: Graph, item: relax.TupleGetItem, is_root: Known) -> Operand | None:
    """A part of a split."""
    split = graph.call(item.tuple_value, "relax.split")
    before = None if split is None else operand(graph, split.args[0], is_root)
    if split is None or before is None:
        return None
    axis = int(split.attrs.axis) % len(before.view.shape)
    extents = [(_shape(field) or ())[axis] for field in split.ty.fields]
    start = sum(extents[: item.index])
    return replace(before, view=before.view.sliced(axis, start, extents[item.index]))


def _shape(ty: relax.TensorType) -> tuple[int, ...]:
    return ints(ty.shape.values)


def _sliced(call: relax.Call, view: View, shape: tuple[int, ...]) -> View | None:
    if not all(isinstance(argument, relax.Tuple) for argument in call.args[1:]):
        return None
    values = [getattr(field, "value", None) for argument in call.args[1:] for field in argument.fields]
    numbers = [value for value in values if isinstance(value, int)]
    count = len(call.args[1].fields)
    if len(numbers) < len(values):
        return None
    axes, begins, steps = numbers[:count], numbers[count : 2 * count], numbers[3 * count :] or [1] * count
    for axis, begin, step in zip(axes, begins, steps, strict=True):
        at = axis % len(shape)
        extent = view.shape[at]
        start = begin + extent if begin < 0 else begin
        if step < 1 or not 0 <= start < extent or start + (shape[at] - 1) * step >= extent:
            return None
        view = view.sliced(at, start, shape[at], step)
    return view if view.shape == shape else None


def _taken(call: relax.Call, view: View, shape: tuple[int, ...]) -> View | None:
    """One element of an axis, which is lost or kept."""
    place = constant(call.args[1])
    if place is None or place.size != 1 or call.attrs.axis is None:
        return None
    axis, index = int(call.attrs.axis) % len(view.shape), int(place.reshape(()))
    index += view.shape[axis] if index < 0 else 0
    if not 0 <= index < view.shape[axis]:
        return None
    return view.sliced(axis, index, 1).reshaped(shape)


def axes_of(call: relax.Call) -> tuple[int, ...]:
    """Of a permutation; all in reverse where it names none."""
    axes = call.attrs.axes
    if axes is None:
        return tuple(range(call.args[0].ty.ndim))[::-1]
    return tuple(int(axis) % len(axes) for axis in axes)


_VIEWS: dict[str, Callable[[relax.Call, View, tuple[int, ...]], View | None]] = {
    "relax.permute_dims": lambda call, view, shape: view.permuted(axes_of(call)),
    "relax.broadcast_to": lambda call, view, shape: view.broadcast(shape),
    "relax.strided_slice": _sliced,
    "relax.take": _taken,
} | dict.fromkeys(RESHAPES, lambda call, view, shape: view.reshaped(shape))


def written(calls: Sequence[relax.Call]) -> View | None:
    """The first call's argument as a view of the last call's result; None where strides cannot say it."""
    view: View | None = View.of(shape_of(calls[-1]) or ())
    for call in reversed(calls):
        if view is None:
            return None
        if operator_name(call) == "relax.permute_dims":
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
        if name not in ("relax.permute_dims", *RESHAPES) or shape_of(following) is None:
            break
        found.append(following)
    return found


def is_float(*exprs: relax.Expr) -> bool:
    """Whether all are float32 of static shapes."""
    return all(dtype_of(expr) == "float32" and shape_of(expr) is not None for expr in exprs)
