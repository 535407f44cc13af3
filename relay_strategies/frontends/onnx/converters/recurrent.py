"""RNN, GRU and LSTM. What the data contributes is one product for all steps; then a kernel runs them all.

Layers that the kernel does not take, with clips, peepholes or other activations, and sequences of lengths of
their own have their steps written out: the data have a known length. A sequence that is shorter than the data
keeps its state behind its end, and its results there are zeros; one that is read backwards keeps its first
state up to its end.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from tvm import relax

from relay_strategies.frontends.budget import spend
from relay_strategies.operators.recurrent import recurrence
from relay_strategies.relax.graph import constant, dtype_of, make_constant
from relay_strategies.relax.recurrent_steps import MOST_STEPS, Direction, State, written_out
from relay_strategies.relax.steps import FLOAT
from tvm_directconv.operators.recurrent import FUNCTIONS, GATES, Recurrence

from .node import Converter, Node
from .recurrent_activations import activations, names_of

DEFAULTS = {"RNN": ("Tanh",), "GRU": ("Sigmoid", "Tanh"), "LSTM": ("Sigmoid", "Tanh", "Tanh")}


def _recurrent(node: Node) -> relax.Expr:
    """Y of (steps, directions, batch, hidden), Y_h and Y_c of (directions, batch, hidden)."""
    data, batch_first = node.data(), bool(node.attributes.get("layout", 0))
    if batch_first:
        data = node.emit(relax.op.permute_dims(data, [1, 0, 2]))
    steps, batch, _ = (int(extent) for extent in data.ty.shape)
    hidden, directions = node.shape(2)[2], node.shape(1)[0]
    _check(node, directions, hidden)
    reached, outputs, finals = _reached(node, steps, batch), [], []
    for number in range(directions):
        backward = number == 1 or node.text("direction", "forward") == "reverse"
        state = tuple(
            _initial(node, index, number, (batch, hidden), batch_first)
            for index in ((5, 6) if node.kind == "LSTM" else (5,))
        )
        what = _with_kernel(node, number, (steps, batch, hidden), backward, reached)
        if what is not None:
            whole, state = _by_kernel(node, number, what, data, state)
            outputs.append(whole)
        else:
            results, state = _by_steps(node, number, data, (steps, batch, hidden), state, backward, reached)
            outputs.append(node.emit(relax.op.stack(results, axis=0)))
        finals.append(state)
    y = node.emit(relax.op.stack(outputs, axis=1))
    last = [node.emit(relax.op.stack([state[i] for state in finals], axis=0)) for i in range(len(finals[0]))]
    if batch_first:
        y = node.emit(relax.op.permute_dims(y, [2, 0, 1, 3]))
        last = [node.emit(relax.op.permute_dims(value, [1, 0, 2])) for value in last]
    return relax.Tuple([y, *last])


def _with_kernel(
    node: Node,
    number: int,
    sizes: tuple[int, int, int],
    backward: bool,
    reached: Sequence[relax.Expr | None],
) -> Recurrence | None:
    """What a kernel computes of direction ``number``; None where there is none for its attributes."""
    names = names_of(node, DEFAULTS[node.kind], number)
    special = ("clip", "input_forget", "activation_alpha", "activation_beta")
    if any(node.attributes.get(name) for name in special) or any(mask is not None for mask in reached):
        return None
    if node.input(7) is not None or not set(names) <= set(FUNCTIONS):
        return None
    reset_last = bool(node.attributes.get("linear_before_reset", 0))
    cell = node.kind == "LSTM" and node.outputs > 2
    return Recurrence(node.kind, *sizes, tuple(names), backward, reset_last, cell)


def _by_kernel(
    node: Node, number: int, what: Recurrence, data: relax.Expr, state: State
) -> tuple[relax.Expr, State]:
    """All states, and the last with an LSTM's cell, if that is asked for."""
    bias, kind, size = None, dtype_of(data), what.gates * what.hidden
    inputs = _inputs(node, number, data, (what.steps, what.batch, what.hidden))
    if node.input(3) is not None:
        both = _of_direction(node, 3, number)
        # The candidate's of a GRU that resets the product is reset with it.
        end = 2 * size - (what.hidden if what.reset_last else 0)
        with_data = node.emit(relax.op.strided_slice(both, [0], [size], [end]))
        if what.reset_last:
            bias = node.emit(relax.op.strided_slice(both, [0], [end], [2 * size]))
            with_data = node.emit(relax.op.nn.pad(with_data, [0, what.hidden]))
        inputs = node.emit(relax.op.add(inputs, with_data))
    elif what.reset_last:
        bias = make_constant(np.zeros(what.hidden, kind))
    matrix = node.emit(relax.op.permute_dims(_of_direction(node, 2, number)))
    operands = [inputs, matrix, *([] if bias is None else [bias]), *state]
    shaped = zip(operands, what.operands.values(), strict=True)
    wide = [node.emit(relax.op.reshape(_as(node, value, FLOAT), shape)) for value, shape in shaped]
    result = _as(node, node.emit(recurrence(what, wide)), kind)
    whole = result
    if what.keeps_cell:
        whole = node.emit(relax.op.strided_slice(result, [0], [0], [what.steps]))
    ends = [0 if what.backward else what.steps - 1, *([what.steps] if what.keeps_cell else [])]
    parts = (node.emit(relax.op.strided_slice(result, [0], [end], [end + 1])) for end in ends)
    last = tuple(node.emit(relax.op.squeeze(part, 0)) for part in parts)
    return whole, last if len(last) == len(state) else (*last, state[-1])


def _as(node: Node, value: relax.Expr, kind: str) -> relax.Expr:
    return value if dtype_of(value) == kind else node.emit(relax.op.astype(value, kind))


def _by_steps(
    node: Node,
    number: int,
    data: relax.Expr,
    sizes: tuple[int, int, int],
    state: State,
    backward: bool,
    reached: Sequence[relax.Expr | None],
) -> tuple[list[relax.Expr], State]:
    """Each state, and the last with an LSTM's cell."""
    steps, batch, hidden = sizes
    if steps > MOST_STEPS:
        raise node.refusal(
            f"sequences of {steps} steps, more than {MOST_STEPS}, have no kernel as it asks for"
        )
    spend(steps)
    inputs, direction = _inputs(node, number, data, sizes), _direction(node, number, hidden)
    return written_out(node.kind, direction, inputs, (steps, batch), state, backward, reached)


def _check(node: Node, directions: int, hidden: int) -> None:
    gates = GATES[node.kind]
    if node.text("direction", "forward") not in ("forward", "reverse", "bidirectional"):
        raise node.error(f"direction '{node.text('direction', '')}' is none of ONNX's")
    if directions != (2 if node.text("direction", "forward") == "bidirectional" else 1):
        raise node.error(f"its weights are of {directions} directions")
    if node.shape(1)[1] != gates * hidden or node.shape(2) != (directions, gates * hidden, hidden):
        raise node.error(f"weights of shapes {node.shape(1)} and {node.shape(2)} do not fit each other")


def _reached(node: Node, steps: int, batch: int) -> list[relax.Expr | None]:
    """By step, which sequences have it, (batch, 1); None where all do."""
    if node.input(4) is None:
        return [None] * steps
    lengths = constant(node.data(4))
    if lengths is None:
        given = node.emit(relax.op.reshape(node.data(4), (batch, 1)))
        numbers = [relax.const(step, dtype_of(given)) for step in range(steps)]
        return [node.emit(relax.op.greater(given, number)) for number in numbers]
    if lengths.shape != (batch,) or np.any((lengths < 0) | (lengths > steps)):
        raise node.error(
            f"sequence_lens {lengths.tolist()} are no lengths of {batch} sequences up to {steps}"
        )
    alive = [(lengths > step).reshape(batch, 1) for step in range(steps)]
    return [None if each.all() else make_constant(each) for each in alive]


def _direction(node: Node, number: int, hidden: int) -> Direction:
    """Operands of direction ``number``, whose steps are written out; the filters transposed."""
    recurrence = node.emit(relax.op.permute_dims(_of_direction(node, 2, number)))
    bias, peepholes = None, []
    if node.input(3) is not None:
        both = _of_direction(node, 3, number)
        size = GATES[node.kind] * hidden
        bias = node.emit(relax.op.strided_slice(both, [0], [size], [2 * size]))
    if node.kind == "LSTM" and node.input(7) is not None:
        parts = node.emit(relax.op.split(_of_direction(node, 7, number), 3, axis=0))
        peepholes = [node.emit(relax.TupleGetItem(parts, i)) for i in range(3)]
    return Direction(
        node.emit,
        hidden,
        activations(node, DEFAULTS[node.kind], number),
        recurrence,
        bias,
        peepholes,
        clip=float(node.attributes.get("clip", 0)),
        reset_last=bool(node.attributes.get("linear_before_reset", 0)),
        coupled=bool(node.attributes.get("input_forget", 0)),
    )


def _inputs(node: Node, number: int, data: relax.Expr, sizes: tuple[int, int, int]) -> relax.Expr:
    """What the data contributes to all gates, (steps * batch, gates * hidden), with the first half of the
    biases: one product for all steps."""
    steps, batch, hidden = sizes
    weights = node.emit(relax.op.permute_dims(_of_direction(node, 1, number)))
    flat = node.emit(relax.op.reshape(data, (steps * batch, node.shape(1)[2])))
    product = node.emit(relax.op.matmul(flat, weights))
    if node.input(3) is None:
        return product
    both = _of_direction(node, 3, number)
    first = node.emit(relax.op.strided_slice(both, [0], [0], [GATES[node.kind] * hidden]))
    return node.emit(relax.op.add(product, first))


def _of_direction(node: Node, index: int, number: int) -> relax.Expr:
    """Operand ``index``, of which the first axis is that of directions."""
    part = node.emit(relax.op.strided_slice(node.data(index), [0], [number], [number + 1]))
    return node.emit(relax.op.squeeze(part, 0))


def _initial(node: Node, index: int, number: int, shape: tuple[int, int], batch_first: bool) -> relax.Expr:
    if node.input(index) is None:
        return make_constant(np.zeros(shape, dtype_of(node.data())))
    if not batch_first:
        return _of_direction(node, index, number)
    part = node.emit(relax.op.strided_slice(node.data(index), [1], [number], [number + 1]))
    return node.emit(relax.op.squeeze(part, 1))


CONVERTERS: dict[str, Converter] = dict.fromkeys(DEFAULTS, _recurrent)
