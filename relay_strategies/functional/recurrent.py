"""RNN, GRU and LSTM. What the data contributes is one product for all steps; then a kernel runs them all.

Layers that the kernel does not take, with clips, peepholes or other activations, and sequences of lengths of
their own have their steps written out: the data have a known length. A sequence that is shorter than the data
keeps its state behind its end, and its results there are zeros; one that is read backwards keeps its first
state up to its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tvm import relax

from relay_strategies.operators.recurrent import recurrence
from relay_strategies.relax.epilogue_steps import FLOAT
from relay_strategies.relax.graph import constant, dtype_of, make_constant
from relay_strategies.relax.movement_calls import slice_call
from tvm_directconv.operators.recurrent import FUNCTIONS, GATES, Recurrence
from tvm_directconv.problem.extents import is_open
from tvm_directconv.problem.quantized_types import filter_range

from .builder import Builder
from .recurrent_activations import Activation
from .recurrent_steps import MOST_STEPS, Direction, State, written_out

ACTIVATIONS = {"RNN": ("tanh",), "GRU": ("sigmoid", "tanh"), "LSTM": ("sigmoid", "tanh", "tanh")}
"""Default activations by kind of layer."""


@dataclass(frozen=True)
class RecurrentLayer:
    """One direction of a recurrent layer of some ``kind``: "RNN", "GRU" or "LSTM".

    ``weights`` is (gates x hidden, inputs) and ``recurrence`` (gates x hidden, hidden); gates are in the
    order update, reset, candidate, and input, output, forget, cell. ``bias`` is that of the data's product,
    then that of the state's; ``peepholes`` those of the gates input, output and forget. ``clip`` limits what
    activations are of, ``reset_last`` applies a GRU's reset gate to the product, and ``coupled`` makes an
    LSTM forget what it does not take in. With ``cell`` an LSTM's last cell is asked for.
    """

    kind: str
    weights: relax.Expr
    recurrence: relax.Expr
    activations: Sequence[Activation]
    bias: relax.Expr | None = None
    peepholes: relax.Expr | None = None
    backward: bool = False
    clip: float = 0.0
    reset_last: bool = False
    coupled: bool = False
    cell: bool = True
    in_bytes: tuple[np.ndarray, np.ndarray] | None = None
    """The recurrence as it is stored, if in 8 bits: int8 (hidden, gates x hidden), and the float32 scales of
    its columns. A kernel then rounds states to bytes, too."""

    @property
    def hidden(self) -> int:
        return int(self.recurrence.ty.shape[1])


def recurrent(
    b: Builder, layer: RecurrentLayer, data: relax.Expr, state: State, lengths: relax.Expr | None = None
) -> tuple[relax.Expr, State]:
    """Return the states of all steps, (steps, batch, hidden), and the last one, with an LSTM's cell.

    ``data`` is (steps, batch, inputs), ``state`` the first state, and the cell of an LSTM, (batch, hidden)
    each. ``lengths`` are those of the sequences, by default all steps.
    """
    steps, batch = b.shape_of(data)[:2]
    if is_open([steps]) and lengths is not None:
        raise b.refusal("sequences of lengths of their own lack a kernel for any number of steps")
    reached = [] if is_open([steps]) else _reached(b, lengths, steps, batch)
    what = _with_kernel(layer, steps, batch, reached)
    inputs = _inputs(b, layer, data)
    if what is not None:
        return _by_kernel(b, layer, what, inputs, state)
    if is_open([steps]) or steps > MOST_STEPS:
        raise b.refusal(f"sequences of {steps} steps, more than {MOST_STEPS}, lack a kernel as it asks for")
    b.spend(steps)
    direction = _direction(b, layer)
    results, state = written_out(
        layer.kind, direction, inputs, (steps, batch), state, layer.backward, reached
    )
    return b.emit(relax.op.stack(results, axis=0)), state


def _with_kernel(
    layer: RecurrentLayer, steps: int, batch: int, reached: Sequence[relax.Expr | None]
) -> Recurrence | None:
    """Return what a kernel computes of the layer; None where there is none for its options."""
    if layer.clip or layer.coupled or layer.peepholes is not None or any(m is not None for m in reached):
        return None
    names = tuple(activation.name for activation in layer.activations)
    if not set(names) <= set(FUNCTIONS):
        return None
    cell = layer.kind == "LSTM" and layer.cell
    sizes = steps, batch, layer.hidden
    largest = 0 if layer.in_bytes is None else filter_range(layer.in_bytes[0])[1]
    return Recurrence(layer.kind, *sizes, names, layer.backward, layer.reset_last, cell, largest)


def _inputs(b: Builder, layer: RecurrentLayer, data: relax.Expr) -> relax.Expr:
    """Return what the data contributes to all gates, (steps x batch, gates x hidden), with the first half of
    the biases: one product for all steps."""
    steps, batch, width = b.shape_of(data)
    weights = b.emit(relax.op.permute_dims(layer.weights))
    flat = b.emit(relax.op.reshape(data, (steps * batch, width)))
    product = b.emit(relax.op.matmul(flat, weights))
    if layer.bias is None:
        return product
    first = b.emit(relax.op.strided_slice(layer.bias, [0], [0], [GATES[layer.kind] * layer.hidden]))
    return b.emit(relax.op.add(product, first))


def _by_kernel(
    b: Builder, layer: RecurrentLayer, what: Recurrence, inputs: relax.Expr, state: State
) -> tuple[relax.Expr, State]:
    """Return all states, and the last with an LSTM's cell, if that is asked for."""
    bias, kind, size = None, dtype_of(inputs), what.gates * what.hidden
    if layer.bias is not None:
        # The candidate's of a GRU that resets the product is reset with it.
        end = 2 * size - (what.hidden if what.reset_last else 0)
        with_data = b.emit(relax.op.strided_slice(layer.bias, [0], [size], [end]))
        if what.reset_last:
            bias = b.emit(relax.op.strided_slice(layer.bias, [0], [end], [2 * size]))
            with_data = b.emit(relax.op.nn.pad(with_data, [0, what.hidden]))
        inputs = b.emit(relax.op.add(inputs, with_data))
    elif what.reset_last:
        bias = make_constant(np.zeros(what.hidden, kind))
    if layer.in_bytes is None:
        matrix = [b.emit(relax.op.permute_dims(layer.recurrence))]
    else:
        sums = layer.in_bytes[0].sum(0, dtype=np.int32)
        matrix = [make_constant(array) for array in (*layer.in_bytes, sums)]
    operands = [inputs, *matrix, *([] if bias is None else [bias]), *state]
    shaped = zip(operands, what.operands.items(), strict=True)
    wide = [
        b.emit(relax.op.reshape(b.cast(value, what.dtypes.get(name, FLOAT)), shape))
        for value, (name, shape) in shaped
    ]
    result = whole = b.cast(b.emit(recurrence(what, wide)), kind)
    if what.keeps_cell:
        whole = b.emit(slice_call(result, [0], [0], [what.steps]))
    ends = [0 if what.backward else what.steps - 1, *([what.steps] if what.keeps_cell else [])]
    parts = (b.emit(slice_call(result, [0], [end], [end + 1])) for end in ends)
    last = tuple(b.emit(relax.op.squeeze(part, 0)) for part in parts)
    return whole, last if len(last) == len(state) else (*last, state[-1])


def _direction(b: Builder, layer: RecurrentLayer) -> Direction:
    """Return the operands of a layer whose steps are written out; the filters transposed."""
    bias, peepholes = None, []
    if layer.bias is not None:
        size = GATES[layer.kind] * layer.hidden
        bias = b.emit(relax.op.strided_slice(layer.bias, [0], [size], [2 * size]))
    if layer.peepholes is not None:
        parts = b.emit(relax.op.split(layer.peepholes, 3, axis=0))
        peepholes = [b.emit(relax.TupleGetItem(parts, i)) for i in range(3)]
    return Direction(
        b.emit,
        layer.hidden,
        tuple(layer.activations),
        b.emit(relax.op.permute_dims(layer.recurrence)),
        bias,
        peepholes,
        clip=layer.clip,
        reset_last=layer.reset_last,
        coupled=layer.coupled,
    )


def _reached(b: Builder, lengths: relax.Expr | None, steps: int, batch: int) -> list[relax.Expr | None]:
    """Return by step which sequences have it, (batch, 1); None where all do."""
    if lengths is None:
        return [None] * steps
    known = constant(lengths)
    if known is None:
        given = b.emit(relax.op.reshape(lengths, (batch, 1)))
        numbers = [relax.const(step, dtype_of(given)) for step in range(steps)]
        return [b.emit(relax.op.greater(given, number)) for number in numbers]
    if known.shape != (batch,) or np.any((known < 0) | (known > steps)):
        raise b.error(f"sequence_lens {known.tolist()} are not lengths of {batch} sequences up to {steps}")
    alive = [(known > step).reshape(batch, 1) for step in range(steps)]
    return [None if each.all() else make_constant(each) for each in alive]
