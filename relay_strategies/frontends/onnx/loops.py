"""The turns of a Loop and of a Scan: its body for each part of what it scans.

Exporters write a Loop for one of Python's over a range, and a Scan for a recurrence.
https://onnx.ai/onnx/operators/onnx__Loop.html, https://onnx.ai/onnx/operators/onnx__Scan.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from onnx import GraphProto, NodeProto, TypeProto, numpy_helper

from tvm_directconv.problem.extents import Extent
from tvm_directconv.problem.open_sizes import active_sizes

from .nodes import all_nodes, attribute, static_dims

MOST_NODES = 4096
"""A Loop or a Scan whose turns have more nodes in all is not written out."""
UNROLLED = ("Loop", "Scan")
SCAN_WITHOUT_BATCH = 9
"""The first opset in which a Scan lacks a batch of sequences of several lengths."""

Known = Mapping[str, np.ndarray]
Types = Mapping[str, TypeProto.Tensor]


class Kept(Exception):
    """Why a loop is not compiled."""


@dataclass(frozen=True)
class Turns:
    """``count`` turns of a body, which hands ``carried`` values from one to the next.

    ``scanned`` has the name, the axis and whether it goes backward of each tensor that a Scan reads part by
    part; a Loop has none, and its body reads the turn's number and the condition. ``stacked`` has the axis of
    each result that turns make a part of, and whether the last turn makes the first.

    ``open`` says why the turns are not written out, "" where they may be: their number may be open then, or
    ``most`` at most, a value's name, and the condition is that of the name ``start`` before the first; "" is
    without end, or true.
    """

    body: GraphProto
    count: int
    carried: Sequence[str]
    scanned: Sequence[tuple[str, int, bool]]
    stacked: Sequence[tuple[int, bool]]
    most: str = ""
    start: str = ""
    open: str = ""
    goes_on: bool = True
    """Whether the body never ends its loop early."""


def turns_of(node: NodeProto, known: Known, types: Types, opset: int, names: Mapping[str, str]) -> Turns:
    """The turns of a Loop or a Scan, whose body reads values of other ``names``. Raises Kept."""
    body: GraphProto | None = attribute(node, "body", None)
    if body is None or body.sparse_initializer:
        raise Kept("it lacks a body, or has one with sparse constants")
    is_loop = node.op_type == "Loop"
    turns = _loop(node, body, known, names) if is_loop else _scan(node, body, types, opset)
    if turns.open:
        return turns
    nodes = max(1, sum(1 for _ in all_nodes(body)))
    if isinstance(turns.count, Extent):
        return replace(turns, open="the number of its turns is open")
    if turns.count * nodes > MOST_NODES:
        return replace(turns, open=f"its {turns.count} turns have more than {MOST_NODES} nodes in all")
    if turns.stacked and not turns.count:
        why = "it has 0 turns, of which the outputs that collect their results would lack a shape"
        return replace(turns, open=why)
    return turns


def _loop(node: NodeProto, body: GraphProto, known: Known, names: Mapping[str, str]) -> Turns:
    most, start = node.input[:2]
    carried = list(node.input[2:])
    stacked = len(body.output) - 1 - len(carried)
    if len(body.input) != 2 + len(carried) or stacked < 0 or len(node.output) > len(carried) + stacked:
        raise Kept("its body has not the inputs and outputs that it is to have")
    goes_on = _goes_on(body, known, names)
    turns = Turns(body, 0, carried, (), [(0, False)] * stacked, most, start, goes_on=goes_on)
    if not most:
        return replace(turns, open="it turns until its condition is false, which is known at run time only")
    if most not in known or known[most].size != 1:
        return replace(turns, open=f"the number of its turns, '{most}', is known at run time only")
    if start and (start not in known or known[start].size != 1):
        return replace(turns, open=f"its condition, '{start}', is known at run time only")
    count: Any = known[most].item() if not start or known[start].all() else 0
    if not isinstance(count, Extent):
        count = max(0, int(count))
    turns = replace(turns, count=count)
    if not goes_on:
        computed = f"the condition '{body.output[0].name}' that its body computes"
        return replace(turns, open=f"it may end early, by {computed}")
    return turns


def _scan(node: NodeProto, body: GraphProto, types: Types, opset: int) -> Turns:
    if opset < SCAN_WITHOUT_BATCH:
        raise Kept(f"that of opsets before {SCAN_WITHOUT_BATCH} is another; convert the model to a later one")
    read = int(attribute(node, "num_scan_inputs", 0))
    states = len(node.input) - read
    scanned = list(node.input[states:])
    written = len(body.output) - states
    if read < 1 or len(body.input) != len(node.input) or written < 0 or len(node.output) > len(body.output):
        raise Kept("its body has not the inputs and outputs that it is to have")
    shapes = [static_dims(types.get(name)) for name in scanned]
    for name, dims in zip(scanned, shapes, strict=True):
        if dims is None:
            raise Kept(f"the shape of '{name}', which it scans, is known at run time only")
    axes = [int(axis) for axis in attribute(node, "scan_input_axes", ()) or [0] * read]
    extents = [(dims or ())[axis] for dims, axis in zip(shapes, axes, strict=True)]
    if any(each != extents[0] for each in extents):
        if (sizes := active_sizes()) is not None:
            sizes.demand([(extents[0], each) for each in extents[1:]])
        raise Kept(f"what it scans has several lengths, {extents}")
    backward = map(bool, attribute(node, "scan_input_directions", ()) or [0] * read)
    stacked_axes = [int(axis) for axis in attribute(node, "scan_output_axes", ()) or [0] * written]
    reverse = map(bool, attribute(node, "scan_output_directions", ()) or [0] * written)
    return Turns(
        body,
        extents[0],
        list(node.input[:states]),
        list(zip(scanned, axes, backward, strict=True)),
        list(zip(stacked_axes, reverse, strict=True)),
    )


def _goes_on(body: GraphProto, known: Known, names: Mapping[str, str]) -> bool:
    """Whether the body never ends a Loop early: its condition is the one it got, or constantly true."""
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in body.initializer}
    makers = {name: inner for inner in body.node for name in inner.output}
    name = body.output[0].name
    while name in makers and makers[name].op_type == "Identity":
        name = makers[name].input[0]
    if name in makers and makers[name].op_type == "Constant":
        value = attribute(makers[name], "value", None)
        return value is not None and bool(numpy_helper.to_array(value).all())
    if name == body.input[1].name:
        return True
    value = constants.get(name, None if name in makers else known.get(names.get(name, name)))
    return value is not None and bool(value.all())
