"""Recurrent layers, stacked and in both directions, by ONNX's converter of one layer.

PyTorch's gates are in another order than ONNX's, and its GRU applies the reset gate to the product
(https://docs.pytorch.org/docs/stable/generated/torch.nn.GRU.html).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import torch
from tvm import relax

from relay_strategies.frontends.onnx.converters import CONVERTERS as ONNX

from .node import Converter, Node

ORDERS = {"LSTM": (0, 3, 1, 2), "GRU": (1, 0, 2), "RNN": (0,)}
"""ONNX's gates, by their places among PyTorch's."""
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
    attributes = {
        "direction": b"bidirectional" if directions == 2 else b"forward",
        "linear_before_reset": int(kind == "GRU"),
        **({"activations": [activation.encode()] * directions} if activation else {}),
    }
    finals: list[list[relax.Expr]] = [[] for _ in states]
    for layer in range(int(node["num_layers"])):
        first = layer * directions
        of_layer = [params[each * (first + d) : each * (first + d + 1)] for d in range(directions)]
        ordered = [[_in_order(node, kind, value) for value in given] for given in of_layer]
        weights = [_stacked(node, [given[i] for given in ordered]) for i in range(2)]
        bias = None
        if each == 4:
            joined = [node.emit(relax.op.concat(given[2:], 0)) for given in ordered]
            bias = _stacked(node, joined)
        parts = [
            node.emit(relax.op.strided_slice(state, [0], [first], [first + directions])) for state in states
        ]
        about = node.as_onnx(kind, [data, *weights, bias, None, *parts], attributes, 1 + len(states))
        y, *last = ONNX[kind](about).fields
        for kept, value in zip(finals, last, strict=True):
            kept.append(value)
        steps, _, batch, hidden = (int(extent) for extent in y.ty.shape)
        moved = node.emit(relax.op.permute_dims(y, [0, 2, 1, 3]))
        data = node.emit(relax.op.reshape(moved, (steps, batch, directions * hidden)))
    if node["batch_first"]:
        data = node.emit(relax.op.permute_dims(data, [1, 0, 2]))
    return relax.Tuple([data, *(node.emit(relax.op.concat(values, 0)) for values in finals)])


def _in_order(node: Node, kind: str, value: relax.Expr) -> relax.Expr:
    """A weight or a bias with its gates as ONNX has them."""
    order = ORDERS[kind]
    if len(order) == 1:
        return value
    gates = node.emit(relax.op.split(value, len(order), axis=0))
    return node.emit(relax.op.concat([node.emit(relax.TupleGetItem(gates, i)) for i in order], 0))


def _stacked(node: Node, values: list[relax.Expr]) -> relax.Expr:
    return node.emit(relax.op.stack(values, axis=0))


CONVERTERS: dict[str, Converter] = {
    "lstm.input": partial(_recurrent, "LSTM", ""),
    "gru.input": partial(_recurrent, "GRU", ""),
    "rnn_tanh.input": partial(_recurrent, "RNN", "Tanh"),
    "rnn_relu.input": partial(_recurrent, "RNN", "Relu"),
}
