"""RNN, GRU and LSTM, step after step: the data have a known length, so the steps are written out.

What the data contributes is one product for all steps; each step adds that of the state before it. A
sequence that is shorter than the data keeps its state behind its end, and its results there are zeros; one
that is read backwards keeps its first state up to its end.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from tvm import relax

from relay_strategies.relax.graph import constant, dtype_of, make_constant

from .node import Converter, Node
from .recurrent_activations import Activation, activations

DEFAULTS = {"RNN": ("Tanh",), "GRU": ("Sigmoid", "Tanh"), "LSTM": ("Sigmoid", "Tanh", "Tanh")}
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
MOST_STEPS = 1024
"""Each is code of its own."""


@dataclass
class _Direction:
    """One direction of a layer: operands of the whole node, cut to what belongs to it."""

    node: Node
    number: int
    hidden: int
    activations: tuple[Activation, ...]
    recurrence: relax.Expr
    recurrent_bias: relax.Expr | None
    peepholes: list[relax.Expr]
    _parts: dict[tuple[int, int], tuple[relax.Expr, relax.Expr | None]] = field(default_factory=dict)
    """Weights and biases that some gates have, by the first and how many: the same in every step."""

    def add(self, a: relax.Expr, b: relax.Expr | None) -> relax.Expr:
        return a if b is None else self.node.emit(relax.op.add(a, b))

    def times(self, a: relax.Expr, b: relax.Expr) -> relax.Expr:
        return self.node.emit(relax.op.multiply(a, b))

    def less(self, value: relax.Expr) -> relax.Expr:
        """1 - value"""
        return self.node.emit(relax.op.subtract(relax.const(1, dtype_of(value)), value))

    def activated(self, which: int, value: relax.Expr) -> relax.Expr:
        clip = float(self.node.attributes.get("clip", 0))
        if clip:
            value = self.node.emit(relax.op.clip(value, -clip, clip))
        return self.activations[which](self.node, value)

    def gates(self, value: relax.Expr, count: int) -> list[relax.Expr]:
        if count == 1:
            return [value]
        parts = self.node.emit(relax.op.split(value, count, axis=1))
        return [self.node.emit(relax.TupleGetItem(parts, i)) for i in range(count)]

    def product(self, state: relax.Expr, first: int, count: int) -> relax.Expr:
        """What ``state`` contributes to ``count`` gates from ``first`` on."""
        if (first, count) not in self._parts:
            self._parts[first, count] = self._part(first * self.hidden, (first + count) * self.hidden)
        weights, bias = self._parts[first, count]
        return self.add(self.node.emit(relax.op.matmul(state, weights)), bias)

    def _part(self, begin: int, end: int) -> tuple[relax.Expr, relax.Expr | None]:
        weights = self.node.emit(relax.op.strided_slice(self.recurrence, [1], [begin], [end]))
        if self.recurrent_bias is None:
            return weights, None
        return weights, self.node.emit(relax.op.strided_slice(self.recurrent_bias, [0], [begin], [end]))


State = tuple[relax.Expr, ...]


def _rnn_step(d: _Direction, x: relax.Expr, state: State) -> State:
    return (d.activated(0, d.add(x, d.product(state[0], 0, 1))),)


def _gru_step(d: _Direction, x: relax.Expr, state: State) -> State:
    (h,) = state
    reset_last = bool(d.node.attributes.get("linear_before_reset", 0))
    count = 3 if reset_last else 2
    from_x, from_h = d.gates(x, 3), d.gates(d.product(h, 0, count), count)
    update, reset = (d.activated(0, d.add(from_x[i], from_h[i])) for i in range(2))
    candidate = d.times(reset, from_h[2]) if reset_last else d.product(d.times(reset, h), 2, 1)
    candidate = d.activated(1, d.add(from_x[2], candidate))
    return (d.add(d.times(d.less(update), candidate), d.times(update, h)),)


def _lstm_step(d: _Direction, x: relax.Expr, state: State) -> State:
    """Gates are in the order input, output, forget, cell; peepholes look at the cell for the first three."""
    h, c = state
    inward, outward, forget, cell = d.gates(d.add(x, d.product(h, 0, 4)), 4)
    if d.peepholes:
        inward = d.add(inward, d.times(d.peepholes[0], c))
        forget = d.add(forget, d.times(d.peepholes[2], c))
    inward, cell = d.activated(0, inward), d.activated(1, cell)
    coupled = d.node.attributes.get("input_forget", 0)
    forget = d.less(inward) if coupled else d.activated(0, forget)
    c = d.add(d.times(forget, c), d.times(inward, cell))
    if d.peepholes:
        outward = d.add(outward, d.times(d.peepholes[1], c))
    # ONNX Runtime, which alone implements clips, leaves out the cell itself.
    return d.times(d.activated(0, outward), d.activations[2](d.node, c)), c


STEPS = {"RNN": _rnn_step, "GRU": _gru_step, "LSTM": _lstm_step}


def _recurrent(node: Node) -> relax.Expr:
    """Y of (steps, directions, batch, hidden), Y_h and Y_c of (directions, batch, hidden)."""
    data, batch_first = node.data(), bool(node.attributes.get("layout", 0))
    if batch_first:
        data = node.emit(relax.op.permute_dims(data, [1, 0, 2]))
    steps, batch, _ = (int(extent) for extent in data.ty.shape)
    hidden, directions = node.shape(2)[2], node.shape(1)[0]
    _check(node, steps, directions, hidden)
    reached, outputs, finals = _reached(node, steps, batch), [], []
    nothing = relax.const(0, dtype_of(data))
    for number in range(directions):
        backward = number == 1 or node.text("direction", "forward") == "reverse"
        direction = _direction(node, number, hidden)
        inputs = _inputs(node, direction, data, (steps, batch))
        state = tuple(
            _initial(node, index, number, (batch, hidden), batch_first)
            for index in ((5, 6) if node.kind == "LSTM" else (5,))
        )
        results: list[relax.Expr] = [state[0]] * steps
        for step in reversed(range(steps)) if backward else range(steps):
            following = STEPS[node.kind](direction, inputs[step], state)
            if reached[step] is None:
                state, results[step] = following, following[0]
                continue
            chosen = zip(following, state, strict=True)
            state = tuple(node.emit(relax.op.where(reached[step], new, old)) for new, old in chosen)
            results[step] = node.emit(relax.op.where(reached[step], following[0], nothing))
        outputs.append(node.emit(relax.op.stack(results, axis=0)))
        finals.append(state)
    y = node.emit(relax.op.stack(outputs, axis=1))
    last = [node.emit(relax.op.stack([state[i] for state in finals], axis=0)) for i in range(len(finals[0]))]
    if batch_first:
        y = node.emit(relax.op.permute_dims(y, [2, 0, 1, 3]))
        last = [node.emit(relax.op.permute_dims(value, [1, 0, 2])) for value in last]
    return relax.Tuple([y, *last])


def _check(node: Node, steps: int, directions: int, hidden: int) -> None:
    gates = GATES[node.kind]
    if node.text("direction", "forward") not in ("forward", "reverse", "bidirectional"):
        raise node.error(f"direction '{node.text('direction', '')}' is none of ONNX's")
    if directions != (2 if node.text("direction", "forward") == "bidirectional" else 1):
        raise node.error(f"its weights are of {directions} directions")
    if node.shape(1)[1] != gates * hidden or node.shape(2) != (directions, gates * hidden, hidden):
        raise node.error(f"weights of shapes {node.shape(1)} and {node.shape(2)} do not fit each other")
    if steps > MOST_STEPS:
        raise node.refusal(f"sequences of {steps} steps, more than {MOST_STEPS}, are not supported")


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


def _direction(node: Node, number: int, hidden: int) -> _Direction:
    """Operands of direction ``number``; the filters transposed."""
    recurrence = node.emit(relax.op.permute_dims(_of_direction(node, 2, number)))
    bias, peepholes = None, []
    if node.input(3) is not None:
        both = _of_direction(node, 3, number)
        size = GATES[node.kind] * hidden
        bias = node.emit(relax.op.strided_slice(both, [0], [size], [2 * size]))
    if node.kind == "LSTM" and node.input(7) is not None:
        parts = node.emit(relax.op.split(_of_direction(node, 7, number), 3, axis=0))
        peepholes = [node.emit(relax.TupleGetItem(parts, i)) for i in range(3)]
    functions = activations(node, DEFAULTS[node.kind], number)
    return _Direction(node, number, hidden, functions, recurrence, bias, peepholes)


def _inputs(node: Node, direction: _Direction, data: relax.Expr, shape: tuple[int, int]) -> list[relax.Expr]:
    """What the data contributes to all gates, of each step."""
    steps, batch = shape
    size = GATES[node.kind] * direction.hidden
    weights = node.emit(relax.op.permute_dims(_of_direction(node, 1, direction.number)))
    flat = node.emit(relax.op.reshape(data, (steps * batch, node.shape(1)[2])))
    product = node.emit(relax.op.matmul(flat, weights))
    if node.input(3) is not None:
        both = _of_direction(node, 3, direction.number)
        product = direction.add(product, node.emit(relax.op.strided_slice(both, [0], [0], [size])))
    # Taken by a number, which is an operand: slices would be a kernel for each step.
    apart = node.emit(relax.op.reshape(product, (steps, batch, size)))
    return [
        node.emit(relax.op.take(apart, relax.const(step, "int64"), axis=0, mode="clip"))
        for step in range(steps)
    ]


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


CONVERTERS: dict[str, Converter] = dict.fromkeys(STEPS, _recurrent)
