"""Operators that TVM's importer would make slow or wrong are rewritten into ones that it gets right."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
from onnx import NodeProto, helper

from tvm_directconv.problem.taps import same_padding

from .convolutions import CONVOLUTIONS
from .expansion import Expansion, domain_of
from .nodes import attribute, node_name

PADDED = ("MaxPool", "AveragePool", "LpPool", *(kind for kind in CONVOLUTIONS if kind != "ConvTranspose"))
"""Operators whose auto_pad says how their input is padded; ConvTranspose crops its result instead."""


def prepared(node: NodeProto, types: Mapping[str, onnx.TypeProto.Tensor], opset: int) -> Expansion:
    """The nodes that a node is converted as.

    Sum becomes a chain of Add (the importer stacks and reduces); auto_pad becomes explicit pads. A slope per
    channel of PRelu before opset 7 is given the axes it broadcasts over.
    """
    made = Expansion(node, types, opset)
    if domain_of(node):
        made.nodes.append(node)
    elif node.op_type == "Sum":
        made.nodes.extend(_chain_of_adds(node))
    else:
        if node.op_type in PADDED and attribute(node, "auto_pad", b"NOTSET") != b"NOTSET":
            _make_pads_explicit(node, types)
        if node.op_type == "PRelu" and opset < 7 and len(types[node.input[1]].shape.dim) == 1:
            made.nodes.append(_channel_slope(made, types))
        made.nodes.append(node)
    return made


def rewrite_known(e: Expansion, known: Mapping[str, np.ndarray]) -> bool:
    """Write a node of operands that are known as simpler ones. Returns whether it is such.

    CastLike becomes Cast: of its second operand the type alone matters. Compress becomes Gather, whose result
    has a static shape.
    """
    kind = e.node.op_type
    if domain_of(e.node) or kind not in ("CastLike", "Compress"):
        return False
    if kind == "CastLike" and e.element_type(1):
        e.emit("Cast", e.input(0), output=e.node.output[0], to=e.element_type(1))
    elif kind == "Compress" and e.input(1) in known:
        positions, data = e.constant(np.flatnonzero(known[e.input(1)])), e.input(0)
        axis = e.attributes.get("axis")
        if axis is None:
            data = e.emit("Reshape", data, e.constant(np.array([-1])))
        e.result(e.emit("Gather", data, positions, axis=axis or 0))
        e.nodes[-1].name = e.node.name
    return bool(e.nodes)


def normalization_of_groups(e: Expansion) -> None:
    """GroupNormalization as it was before opset 21, with a scale per group, as InstanceNormalization of the
    groups: ONNX's checker no longer takes it."""
    extents = e.constant(np.array([0, e.attributes.get("num_groups", 1), -1], np.int64))
    shape = e.emit("Shape", e.input(0))
    groups = e.emit("Reshape", e.input(0), extents)
    epsilon = e.attributes.get("epsilon", 1e-5)
    normalized = e.emit("InstanceNormalization", groups, e.input(1), e.input(2), epsilon=epsilon)
    e.nodes[-1].name = node_name(e.node)
    e.result(e.emit("Reshape", normalized, shape))


def _chain_of_adds(node: NodeProto) -> list[NodeProto]:
    if len(node.input) == 1:
        return [helper.make_node("Identity", node.input, node.output, node.name)]
    nodes, total = [], node.input[0]
    for index, term in enumerate(node.input[1:], start=2):
        result = node.output[0] if index == len(node.input) else f"{node.output[0]}/sum_of_{index}"
        nodes.append(helper.make_node("Add", [total, term], [result], node.name))
        total = result
    return nodes


def _channel_slope(made: Expansion, types: Mapping[str, onnx.TypeProto.Tensor]) -> NodeProto:
    """A Reshape of the slope from (C,) to (C, 1, ...), which the node takes instead."""
    node, slope = made.node, made.input(1)
    size = types[slope].shape.dim[0].dim_value
    wide = [size] + [1] * (len(types[node.input[0]].shape.dim) - 2)
    node.input[1] = f"{node.output[0]}/slope"
    shape = made.constant(np.array(wide, np.int64))
    return helper.make_node("Reshape", [slope, shape], [node.input[1]], f"{node_name(node)}/slope")


def _make_pads_explicit(node: NodeProto, types: Mapping[str, onnx.TypeProto.Tensor]) -> None:
    mode = attribute(node, "auto_pad", b"NOTSET").decode()
    sizes = [d.dim_value for d in types[node.input[0]].shape.dim][2:]
    kernel = attribute(node, "kernel_shape", ())
    if not kernel:
        weight = types[node.input[CONVOLUTIONS[node.op_type][0]]]
        kernel = [dim.dim_value for dim in weight.shape.dim[2:]]
    strides = attribute(node, "strides", ()) or [1] * len(sizes)
    dilations = attribute(node, "dilations", ()) or [1] * len(sizes)
    pads = [0] * (2 * len(sizes))
    if mode.startswith("SAME"):
        axes = zip(sizes, kernel, strides, dilations, strict=True)
        before, after = zip(*(same_padding(*axis, mode != "SAME_LOWER") for axis in axes), strict=True)
        pads = [*before, *after]
    kept = [a for a in node.attribute if a.name not in ("auto_pad", "pads")]
    del node.attribute[:]
    node.attribute.extend([*kept, helper.make_attribute("pads", pads)])
