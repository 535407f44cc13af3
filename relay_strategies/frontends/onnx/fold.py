"""Shape arithmetic computed ahead: all shapes are static, so what follows from them alone is a constant.

TVM's importer has rules of its own for shapes that flow through operators, and each operator knows other ones
of them. Here the chains of Shape, Gather, Concat, Cast and the like are evaluated by ONNX's reference
implementation, and the importer meets constants only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from onnx import GraphProto, NodeProto, helper, numpy_helper

from .nodes import DEFAULT_DOMAINS, static_dims

LIGHT_ELEMENTS = 1024
"""Tensors of more elements are no shape arithmetic."""
NEVER = (
    *("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"),  # graph passes look for these
    *("RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Bernoulli", "Multinomial"),
)


def fold_constants(graph: GraphProto, types: Mapping[str, onnx.TypeProto.Tensor], opset: int) -> bool:
    """Replace nodes whose small results follow from constants and static shapes by initializers.

    Returns whether there were any.
    """
    known = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    kept = []
    for node in graph.node:
        results = _results(node, known, types, opset)
        if results is None:
            kept.append(node)
            continue
        for name, array in results.items():
            known[name] = array
            graph.initializer.append(numpy_helper.from_array(array, name))
    found = len(kept) < len(graph.node)
    del graph.node[:]
    graph.node.extend(kept)
    return found


def _results(
    node: NodeProto,
    known: Mapping[str, np.ndarray],
    types: Mapping[str, onnx.TypeProto.Tensor],
    opset: int,
) -> dict[str, np.ndarray] | None:
    if node.domain not in DEFAULT_DOMAINS or node.op_type in NEVER or not node.input:
        return None
    if node.op_type in ("Shape", "Size"):
        dims = static_dims(types.get(node.input[0]))
        inputs = None if dims is None else {node.input[0]: np.broadcast_to(np.float32(0), dims)}
    else:
        inputs = {name: known[name] for name in node.input if name in known}
        if len(inputs) < len({name for name in node.input if name}):
            return None
    names = [name for name in node.output if name]
    sizes = [static_dims(types.get(name)) for name in names]
    if inputs is None or any(dims is None or np.prod(dims) > LIGHT_ELEMENTS for dims in sizes):
        return None
    return _evaluated(node, inputs, names, opset)


def _evaluated(
    node: NodeProto, inputs: Mapping[str, np.ndarray], names: list[str], opset: int
) -> dict[str, np.ndarray] | None:
    """The node's results by ONNX's reference implementation; None where that cannot tell."""
    from onnx.reference import ReferenceEvaluator

    empty = onnx.TypeProto()
    graph = helper.make_graph(
        [node],
        "node",
        [helper.make_value_info(name, empty) for name in inputs],
        [helper.make_value_info(name, empty) for name in names],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    try:
        results: list[Any] = ReferenceEvaluator(model).run(None, dict(inputs))
    except Exception:  # it raises whatever came up; the importer then says what is wrong
        return None
    if not all(isinstance(result, np.ndarray | np.generic) for result in results):
        return None
    return {name: np.asarray(result) for name, result in zip(names, results, strict=True)}
