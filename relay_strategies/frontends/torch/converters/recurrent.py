"""Recurrent layers, stacked and in both directions, one after another.

PyTorch's gates are in another order than those of ``functional.recurrent``, and its GRU applies the reset
gate to the product (https://docs.pytorch.org/docs/stable/generated/torch.nn.GRU.html).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import torch
from tvm import relax

from relay_strategies.functional.movement import select, split
from relay_strategies.functional.recurrent import ACTIVATIONS, RecurrentLayer, recurrent
from relay_strategies.functional.recurrent_activations import Activation

from .node import Converter, Node

ORDERS = {"LSTM": (0, 3, 1, 2), "GRU": (1, 0, 2), "RNN": (0,)}
"""The gates, by their places among PyTorch's."""
KEPT = ("lstm", "gru", "rnn_tanh", "rnn_relu")
"""Operators, by name, that are converted whole."""
OVERLOADS = frozenset(getattr(torch.ops.aten, name).input for name in KEPT)


def is_kept(node: torch.fx.Node) -> bool:
    """Whether a recurrent layer is converted here: its states are not projected."""
    states = node.args[1]
    values = [state.meta["val"] for state in (states if isinstance(states, Sequence) else [states])]
    return len({int(value.shape[-1]) for value in values}) == 1


def _recurrent(kind: str, activation: str, node: Node) -> relax.Expr:
    """(out, h_n), and c_n of an LSTM."""
    if node["train"] and node["dropout"]:
        raise node.refusal("it was exported in training mode, and drops out what it draws")
    data, params = node.tensor("input"), list(node["params"])
    if node["batch_first"]:
        data = node.emit(relax.op.permute_dims(data, [1, 0, 2]))
    states = list(node["hx"]) if kind == "LSTM" else [node.tensor("hx")]
    directions, each = 1 + bool(node["bidirectional"]), 4 if node["has_biases"] else 2
    functions = [Activation(name) for name in ([activation] if activation else ACTIVATIONS[kind])]
    finals: list[list[relax.Expr]] = [[] for _ in states]
    for first in range(0, int(node["num_layers"]) * directions, directions):
        outputs = []
        for number in range(first, first + directions):
            weights, recurrence, *biases = (
                _in_order(node, kind, value) for value in params[each * number : each * (number + 1)]
            )
            layer = RecurrentLayer(
                kind,
                weights,
                recurrence,
                functions,
                node.emit(relax.op.concat(biases, 0)) if biases else None,
                backward=number > first,
                reset_last=kind == "GRU",
            )
            state = tuple(select(node, value, number, 0) for value in states)
            whole, state = recurrent(node, layer, data, state)
            outputs.append(whole)
            for kept, value in zip(finals, state, strict=True):
                kept.append(value)
        data = outputs[0] if directions == 1 else node.emit(relax.op.concat(outputs, 2))
    if node["batch_first"]:
        data = node.emit(relax.op.permute_dims(data, [1, 0, 2]))
    return relax.Tuple([data, *(node.emit(relax.op.stack(values, 0)) for values in finals)])


def _in_order(node: Node, kind: str, value: relax.Expr) -> relax.Expr:
    """A weight or a bias with its gates in order."""
    order = ORDERS[kind]
    if len(order) == 1:
        return value
    size = node.shape_of(value)[0] // len(order)
    gates = split(node, value, [size] * len(order), 0)
    return node.emit(relax.op.concat([gates[place] for place in order], 0))


CONVERTERS: dict[str, Converter] = {
    "lstm.input": partial(_recurrent, "LSTM", ""),
    "gru.input": partial(_recurrent, "GRU", ""),
    "rnn_tanh.input": partial(_recurrent, "RNN", "tanh"),
    "rnn_relu.input": partial(_recurrent, "RNN", "relu"),
}
