"""Recurrent layers without a kernel of their own: their steps, written out in Relax."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tvm import relax

from relay_strategies.relax.graph import dtype_of

Emit = Callable[[relax.Expr], relax.Expr]
Activation = Callable[[Emit, relax.Expr], relax.Expr]
State = tuple[relax.Expr, ...]
MOST_STEPS = 1024
"""Each is code of its own."""


@dataclass
class Direction:
    """Describe one direction of a layer: the recurrent matrix (hidden, gates x hidden), and what else its
    steps need.

    ``clip`` limits what activations are of, ``reset_last`` applies a GRU's reset gate to the product, and
    ``coupled`` makes an LSTM forget what it does not take in.
    """

    emit: Emit
    hidden: int
    activations: tuple[Activation, ...]
    recurrence: relax.Expr
    recurrent_bias: relax.Expr | None = None
    peepholes: Sequence[relax.Expr] = ()
    clip: float = 0.0
    reset_last: bool = False
    coupled: bool = False
    _parts: dict[tuple[int, int], tuple[relax.Expr, relax.Expr | None]] = field(default_factory=dict)
    """Weights and biases that some gates have, by the first and how many: the same in every step."""

    def add(self, a: relax.Expr, b: relax.Expr | None) -> relax.Expr:
        return a if b is None else self.emit(relax.op.add(a, b))

    def times(self, a: relax.Expr, b: relax.Expr) -> relax.Expr:
        return self.emit(relax.op.multiply(a, b))

    def less(self, value: relax.Expr) -> relax.Expr:
        """1 - value"""
        return self.emit(relax.op.subtract(relax.const(1, dtype_of(value)), value))

    def activated(self, which: int, value: relax.Expr) -> relax.Expr:
        if self.clip:
            value = self.emit(relax.op.clip(value, -self.clip, self.clip))
        return self.activations[which](self.emit, value)

    def gates(self, value: relax.Expr, count: int) -> list[relax.Expr]:
        if count == 1:
            return [value]
        parts = self.emit(relax.op.split(value, count, axis=1))
        return [self.emit(relax.TupleGetItem(parts, i)) for i in range(count)]

    def product(self, state: relax.Expr, first: int, count: int) -> relax.Expr:
        """Return what ``state`` contributes to ``count`` gates from ``first`` on."""
        if (first, count) not in self._parts:
            self._parts[first, count] = self._part(first * self.hidden, (first + count) * self.hidden)
        weights, bias = self._parts[first, count]
        return self.add(self.emit(relax.op.matmul(state, weights)), bias)

    def _part(self, begin: int, end: int) -> tuple[relax.Expr, relax.Expr | None]:
        weights = self.emit(relax.op.strided_slice(self.recurrence, [1], [begin], [end]))
        if self.recurrent_bias is None:
            return weights, None
        return weights, self.emit(relax.op.strided_slice(self.recurrent_bias, [0], [begin], [end]))


def _rnn_step(d: Direction, x: relax.Expr, state: State) -> State:
    return (d.activated(0, d.add(x, d.product(state[0], 0, 1))),)


def _gru_step(d: Direction, x: relax.Expr, state: State) -> State:
    (h,) = state
    count = 3 if d.reset_last else 2
    from_x, from_h = d.gates(x, 3), d.gates(d.product(h, 0, count), count)
    update, reset = (d.activated(0, d.add(from_x[i], from_h[i])) for i in range(2))
    candidate = d.times(reset, from_h[2]) if d.reset_last else d.product(d.times(reset, h), 2, 1)
    candidate = d.activated(1, d.add(from_x[2], candidate))
    return (d.add(d.times(d.less(update), candidate), d.times(update, h)),)


def _lstm_step(d: Direction, x: relax.Expr, state: State) -> State:
    """Gates are in the order input, output, forget, cell; peepholes look at the cell for the first three."""
    h, c = state
    inward, outward, forget, cell = d.gates(d.add(x, d.product(h, 0, 4)), 4)
    if d.peepholes:
        inward = d.add(inward, d.times(d.peepholes[0], c))
        forget = d.add(forget, d.times(d.peepholes[2], c))
    inward, cell = d.activated(0, inward), d.activated(1, cell)
    forget = d.less(inward) if d.coupled else d.activated(0, forget)
    c = d.add(d.times(forget, c), d.times(inward, cell))
    if d.peepholes:
        outward = d.add(outward, d.times(d.peepholes[1], c))
    # ONNX Runtime, which alone implements clips, leaves out the cell itself.
    return d.times(d.activated(0, outward), d.activations[2](d.emit, c)), c


STEPS = {"RNN": _rnn_step, "GRU": _gru_step, "LSTM": _lstm_step}


def written_out(
    kind: str,
    direction: Direction,
    inputs: relax.Expr,
    shape: tuple[int, int],
    state: State,
    backward: bool,
    reached: Sequence[relax.Expr | None],
) -> tuple[list[relax.Expr], State]:
    """The states of all steps, and the last with an LSTM's cell: of ``inputs``, what the data contributes to
    the gates, in ``shape`` of (steps, batch). ``reached`` says by step which sequences have it, None where
    all do: a state stays as it was where there is none, and its result is zero."""
    steps, batch = shape
    emit, nothing = direction.emit, relax.const(0, dtype_of(inputs))
    # Taken by a number, which is an operand: slices would be a kernel for each step.
    apart = emit(relax.op.reshape(inputs, (steps, batch, -1)))
    results: list[relax.Expr] = [state[0]] * steps
    for step in reversed(range(steps)) if backward else range(steps):
        given = emit(relax.op.take(apart, relax.const(step, "int64"), axis=0, mode="clip"))
        following = STEPS[kind](direction, given, state)
        mask = reached[step]
        if mask is None:
            state, results[step] = following, following[0]
            continue
        chosen = zip(following, state, strict=True)
        state = tuple(emit(relax.op.where(mask, new, old)) for new, old in chosen)
        results[step] = emit(relax.op.where(mask, following[0], nothing))
    return results, state
