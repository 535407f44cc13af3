"""Tensors without elements: each has one value only, so what reads one reads a constant."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from onnx import GraphProto, NodeProto, TypeProto, helper, numpy_helper

from .nodes import static_dims


def bind_empty(graph: GraphProto, types: Mapping[str, TypeProto.Tensor]) -> bool:
    """Make constants of the tensors without elements, and leave them out where others are joined to them.

    Returns whether there were any.
    """
    constants = {tensor.name for tensor in graph.initializer}
    empty = {name for name, kind in types.items() if 0 in (static_dims(kind) or ()) and name not in constants}
    dropped = [node for node in graph.node if _drop_operands(node, types)]
    if not empty:
        return bool(dropped)
    inputs = {value.name for value in graph.input}
    kept, partly = [], set(inputs)
    for node in graph.node:
        if all(name in empty for name in node.output if name):
            continue
        partly.update(node.output)
        kept.append(node)
    changed = bool(dropped) or len(kept) < len(graph.node)
    # What is still made, or given, keeps its name; a constant of another name is read in its place.
    names = {name: f"{name}/empty" if name in partly else name for name in empty}
    for node in kept:
        for index, name in enumerate(node.input):
            if name in names:
                node.input[index] = names[name]
                changed = changed or names[name] != name
    read = {name for node in kept for name in node.input} | {value.name for value in graph.output}
    for name, constant in names.items():
        if constant in read and constant not in constants:
            dtype = helper.tensor_dtype_to_np_dtype(types[name].elem_type)
            array = np.zeros(static_dims(types[name]) or (), dtype)
            graph.initializer.append(numpy_helper.from_array(array, constant))
    del graph.node[:]
    graph.node.extend(kept)
    return changed


def _drop_operands(node: NodeProto, types: Mapping[str, TypeProto.Tensor]) -> bool:
    """A Concat joins what has elements. Returns whether there was anything else."""
    if node.op_type != "Concat":
        return False
    full = [name for name in node.input if 0 not in (static_dims(types.get(name)) or ())]
    if not full or len(full) == len(node.input):
        return False
    del node.input[:]
    node.input.extend(full)
    return True
