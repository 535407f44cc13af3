"""RNN, GRU and LSTM: ONNX's directions, layouts and activations.

https://onnx.ai/onnx/operators/onnx__LSTM.html
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from tvm import relax

from relay_strategies.functional.movement import select, zeros
from relay_strategies.functional.quantization import dequantize
from relay_strategies.functional.recurrent import ACTIVATIONS, RecurrentLayer, recurrent
from relay_strategies.functional.recurrent_activations import FUNCTIONS, Activation
from relay_strategies.relax.graph import dtype_of, make_constant
from tvm_directconv.operators.recurrent import GATES

from .node import Converter, Node

Bytes = tuple[np.ndarray, np.ndarray]
"""A matrix in int8, columns last, and their float32 scales."""
PARAMETERS: dict[str, tuple[float | None, ...]] = {
    **dict.fromkeys(("affine", "scaledtanh"), (None, None)),
    "leakyrelu": (0.01,),
    "thresholdedrelu": (1.0,),
    "hardsigmoid": (0.2, 0.5),
    "elu": (1.0,),
}
"""The default values of alpha and beta of the functions that have them; None has to be given."""


def convert_recurrent(node: Node, in_bytes: Sequence[tuple[Bytes, Bytes]] | None = None) -> relax.Expr:
    """Y of (steps, directions, batch, hidden), Y_h and Y_c of (directions, batch, hidden); ``in_bytes`` are
    the weights (inputs, gates x hidden) and recurrences (hidden, gates x hidden) of the directions, where
    they are stored in 8 bits."""
    data, batch_first = node.data(), bool(node.integer("layout", 0))
    if batch_first:
        data = node.emit(relax.op.permute_dims(data, [1, 0, 2]))
    batch = node.shape_of(data)[1]
    hidden, directions = node.shape(2)[2], node.shape(1)[0]
    _check(node, directions, hidden)
    outputs, finals, functions = [], [], _activations(node, directions)
    for number in range(directions):
        state = tuple(
            _initial(node, index, number, (batch, hidden), batch_first)
            for index in ((5, 6) if node.kind == "LSTM" else (5,))
        )
        bias, peepholes = (
            None if node.input(index) is None else select(node, node.data(index), number, 0)
            for index in (3, 7)
        )
        weights, recurrence = select(node, node.data(1), number, 0), None
        if in_bytes is not None:
            (stored, scales), recurrence = in_bytes[number]
            units = relax.const(scales, "float32")
            weights = dequantize(node, make_constant(np.ascontiguousarray(stored.T)), units, axis=0)
        layer = RecurrentLayer(
            node.kind,
            weights,
            select(node, node.data(2), number, 0),
            functions[number],
            bias,
            peepholes if node.kind == "LSTM" else None,
            backward=number == 1 or node.text("direction", "forward") == "reverse",
            clip=node.number("clip", 0),
            reset_last=bool(node.integer("linear_before_reset", 0)),
            coupled=bool(node.integer("input_forget", 0)),
            cell=node.outputs > 2,
            in_bytes=recurrence,
        )
        whole, state = recurrent(node, layer, data, state, node.input(4))
        outputs.append(whole)
        finals.append(state)
    y = _of_directions(node, outputs, 1)
    last = [_of_directions(node, of_kind, 0) for of_kind in zip(*finals, strict=True)]
    if batch_first:
        y = node.emit(relax.op.permute_dims(y, [2, 0, 1, 3]))
        last = [node.emit(relax.op.permute_dims(value, [1, 0, 2])) for value in last]
    return relax.Tuple([y, *last])


def _of_directions(node: Node, values: Sequence[relax.Expr], axis: int) -> relax.Expr:
    """Return what the directions have each, along an axis of its own; one alone is not copied."""
    if len(values) == 1:
        return node.emit(relax.op.expand_dims(values[0], axis))
    return node.emit(relax.op.stack(list(values), axis=axis))


def _check(node: Node, directions: int, hidden: int) -> None:
    gates = GATES[node.kind]
    if node.text("direction", "forward") not in ("forward", "reverse", "bidirectional"):
        raise node.error(f"direction '{node.text('direction', '')}' is none of ONNX's")
    if directions != (2 if node.text("direction", "forward") == "bidirectional" else 1):
        raise node.error(f"its weights are of {directions} directions")
    if node.shape(1)[1] != gates * hidden or node.shape(2) != (directions, gates * hidden, hidden):
        raise node.error(f"weights of shapes {node.shape(1)} and {node.shape(2)} do not fit each other")


def _activations(node: Node, directions: int) -> list[list[Activation]]:
    """Return the functions of each direction. Raises ModelError for those ONNX does not have.

    Alphas and betas are two lists, out of which each function in turn takes those it has. The standard does
    not say in which case names are written.
    """
    defaults = ACTIVATIONS[node.kind]
    given = node.attributes.get("activations")
    names = [name.decode("utf-8", "replace") for name in given] if given else [*defaults] * directions
    lists = [list(node.attributes.get(f"activation_{which}", ())) for which in ("alpha", "beta")]
    found: list[Activation] = []
    for name in names:
        if name.lower() not in FUNCTIONS:
            raise node.error(f"activation '{name}' is none of ONNX's: {', '.join(FUNCTIONS)}")
        parameters: list[float] = []
        for values, default in zip(lists, PARAMETERS.get(name.lower(), ()), strict=False):
            value = values.pop(0) if values else default
            if value is None:
                raise node.error(f"activation '{name}' lacks alpha and beta")
            parameters.append(value)
        found.append(Activation(name.lower(), tuple(parameters)))
    each = len(defaults)
    if len(found) < each * directions:
        raise node.error(f"{len(names)} activations are too few: {each} for each direction")
    return [found[each * number : each * (number + 1)] for number in range(directions)]


def _initial(node: Node, index: int, number: int, shape: tuple[int, int], batch_first: bool) -> relax.Expr:
    if node.input(index) is None:
        return zeros(node, shape, dtype_of(node.data()))
    return select(node, node.data(index), number, 1 if batch_first else 0)


CONVERTERS: dict[str, Converter] = dict.fromkeys(ACTIVATIONS, convert_recurrent)
