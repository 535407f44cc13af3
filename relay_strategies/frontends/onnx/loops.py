"""A Loop of a known number of turns is its body as often, a Scan one body for each part of what it scans.

Exporters write a Loop for one of Python's over a range, and a Scan for a recurrence.
https://onnx.ai/onnx/operators/onnx__Loop.html, https://onnx.ai/onnx/operators/onnx__Scan.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, TypeProto, helper, numpy_helper

from relay_strategies.frontends.budget import spend

from .branches import Inlined, copied, identities, taken_branch
from .nodes import DEFAULT_DOMAINS, all_nodes, attribute, static_dims

MOST_NODES = 4096
"""A Loop or a Scan whose turns have more nodes in all stays one."""
UNROLLED = ("Loop", "Scan")
SCAN_WITHOUT_BATCH = 9
"""From this opset on a Scan has no batch of sequences of several lengths."""

Known = Mapping[str, np.ndarray]
Types = Mapping[str, TypeProto.Tensor]


class _Kept(Exception):
    """Why a node stays what it is."""


def inlined(node: NodeProto, known: Known, types: Types, opset: int) -> Inlined | None:
    """What takes the place of an If, a Loop or a Scan; None where what it does is known at run time only."""
    if node.domain not in DEFAULT_DOMAINS:
        return None
    if node.op_type == "If":
        return taken_branch(node, known)
    try:
        return _turned(node, known, types, opset) if node.op_type in UNROLLED else None
    except _Kept:
        return None


def why_kept(node: NodeProto, known: Known, types: Types, opset: int) -> str:
    """Why a Loop or a Scan cannot be written out as its turns."""
    try:
        _turned(node, known, types, opset)
    except _Kept as why:
        return str(why)
    return "it is in a branch of an If that is chosen when the model runs"


def _turned(node: NodeProto, known: Known, types: Types, opset: int) -> Inlined:
    body: GraphProto | None = attribute(node, "body", None)
    if body is None or body.sparse_initializer:
        raise _Kept("it has no body, or one with sparse constants")
    if node.op_type == "Loop":
        return _loop(node, body, known, opset)
    return _scan(node, body, types, opset)


def _loop(node: NodeProto, body: GraphProto, known: Known, opset: int) -> Inlined:
    most, start = node.input[:2]
    if not most:
        raise _Kept("it turns until its condition is false, which is known at run time only")
    if most not in known or known[most].size != 1:
        raise _Kept(f"the number of its turns, '{most}', is known at run time only")
    if start and (start not in known or known[start].size != 1):
        raise _Kept(f"its condition, '{start}', is known at run time only")
    if not _goes_on(body, known):
        raise _Kept(f"it may end early, by the condition '{body.output[0].name}' that its body computes")
    carried = list(node.input[2:])
    count = int(known[most].item()) if not start or known[start].all() else 0
    scans = len(body.output) - 1 - len(carried)
    if len(body.input) != 2 + len(carried) or len(node.output) > len(carried) + scans:
        raise _Kept("its body has not the inputs and outputs that it is to have")
    turns = _Turns(node, body, count, opset)
    for turn in range(count):
        number = turns.constant(np.array(turn, np.int64), turn, "turn")
        goes_on = turns.constant(np.array(True), turn, "condition")
        carried = turns.turn(turn, [number, goes_on, *carried], slice(1, 1 + len(carried)))
    return turns.inlined(carried, [0] * scans)


def _scan(node: NodeProto, body: GraphProto, types: Types, opset: int) -> Inlined:
    if opset < SCAN_WITHOUT_BATCH:
        raise _Kept(
            f"that of opsets before {SCAN_WITHOUT_BATCH} is another; convert the model to a later one"
        )
    read = int(attribute(node, "num_scan_inputs", 0))
    states = len(node.input) - read
    scanned = list(node.input[states:])
    written = len(body.output) - states
    if read < 1 or len(body.input) != len(node.input) or written < 0 or len(node.output) > len(body.output):
        raise _Kept("its body has not the inputs and outputs that it is to have")
    shapes = [static_dims(types.get(name)) for name in scanned]
    for name, dims in zip(scanned, shapes, strict=True):
        if dims is None:
            raise _Kept(f"the shape of '{name}', which it scans, is known at run time only")
    axes = [int(axis) for axis in attribute(node, "scan_input_axes", ()) or [0] * read]
    extents = [(dims or ())[axis] for dims, axis in zip(shapes, axes, strict=True)]
    if len(set(extents)) != 1:
        raise _Kept(f"what it scans has several lengths, {extents}")
    turns = _Turns(node, body, extents[0], opset)
    backward = list(attribute(node, "scan_input_directions", ()) or [0] * read)
    carried = list(node.input[:states])
    for turn in range(extents[0]):
        places = [extents[0] - 1 - turn if back else turn for back in backward]
        parts = [turns.part(*of, turn) for of in zip(scanned, axes, places, strict=True)]
        carried = turns.turn(turn, [*carried, *parts], slice(states))
    axes = [int(axis) for axis in attribute(node, "scan_output_axes", ()) or [0] * written]
    reverse = list(attribute(node, "scan_output_directions", ()) or [0] * written)
    return turns.inlined(carried, axes, reverse)


class _Turns:
    """The nodes of a body's turns, one behind the other."""

    def __init__(self, node: NodeProto, body: GraphProto, count: int, opset: int) -> None:
        each = max(1, sum(1 for _ in all_nodes(body)))
        if count * each > MOST_NODES:
            raise _Kept(f"its {count} turns have more than {MOST_NODES} nodes in all")
        self._outputs, self._body, self._opset = list(node.output), body, opset
        self._scope = next(name for name in node.output if name)
        self._nodes, self._constants = list[NodeProto](), list[TensorProto]()
        self._collected: list[list[str]] = []

    def constant(self, value: np.ndarray, turn: int, name: str) -> str:
        named = f"{self._scope}/{turn}/{name}"
        self._constants.append(numpy_helper.from_array(value, named))
        return named

    def part(self, name: str, axis: int, place: int, turn: int) -> str:
        """One slice of a tensor, without the axis."""
        part = f"{self._scope}/{turn}/{len(self._nodes)}/{name}"
        index = self.constant(np.array(place, np.int64), turn, f"{len(self._nodes)}/place")
        self._nodes.append(helper.make_node("Gather", [name, index], [part], axis=axis))
        return part

    def turn(self, turn: int, given: Sequence[str], carried: slice) -> list[str]:
        """One turn of the body. Returns what it hands to the next; what follows is collected."""
        scope = f"{self._scope}/{turn}"
        spend(1)
        names = [value.name for value in self._body.input]
        made, stored, results = copied(self._body, scope, dict(zip(names, given, strict=True)))
        for inner in made:
            inner.name = f"{scope}/{inner.name}" if inner.name else ""
        self._nodes += made
        self._constants += stored
        self._collected.append(results[carried.stop :])
        return results[carried]

    def inlined(self, carried: Sequence[str], axes: Sequence[int], reverse: Sequence[int] = ()) -> Inlined:
        """All turns, and what they collected along ``axes``, one for each output behind the ``carried``."""
        if axes and not self._collected:
            raise _Kept(
                "it has no turns, of which the outputs that collect their results would have no shape"
            )
        self._nodes += identities(carried, self._outputs)
        for place, (axis, name) in enumerate(zip(axes, self._outputs[len(carried) :], strict=False)):
            if not name:
                continue
            results = [each[place] for each in self._collected]
            parts = [f"{name}/scanned{number}" for number in range(len(results))]
            for pair in zip(results, parts, strict=True):
                self._unsqueeze(*pair, axis)
            ordered = parts[::-1] if reverse and reverse[place] else parts
            self._nodes.append(helper.make_node("Concat", ordered, [name], axis=axis))
        return self._nodes, self._constants

    def _unsqueeze(self, value: str, name: str, axis: int) -> None:
        """A new axis."""
        if self._opset < 13:
            self._nodes.append(helper.make_node("Unsqueeze", [value], [name], axes=[axis]))
            return
        self._constants.append(numpy_helper.from_array(np.array([axis]), f"{name}/axes"))
        self._nodes.append(helper.make_node("Unsqueeze", [value, f"{name}/axes"], [name]))


def _goes_on(body: GraphProto, known: Known) -> bool:
    """Whether the body never ends a Loop early: its condition is the one it got, or constantly true."""
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in body.initializer}
    makers = {name: inner for inner in body.node for name in inner.output}
    name = body.output[0].name
    while name in makers and makers[name].op_type == "Identity":
        name = makers[name].input[0]
    if name in makers and makers[name].op_type == "Constant":
        value = attribute(makers[name], "value", None)
        return value is not None and bool(numpy_helper.to_array(value).all())
    value = constants.get(name, known.get(name))
    return name == body.input[1].name or (value is not None and bool(value.all()))
