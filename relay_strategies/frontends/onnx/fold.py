"""Shapes first: what follows from constants and static shapes is computed before anything is imported.

All shapes are static, so the chains of Shape, Gather, Concat, Cast and the like are constants, and the
importer, whose operators each know other rules for shapes that flow, meets constants only. A node of known
operands is evaluated by ONNX's reference implementation.

It takes a bounded time and memory whatever the model says: only operators whose work is in proportion to
their operands and results are evaluated, on tensors of bounded size, up to a bounded sum. docs/importing.md
compares this with the simplifiers of ONNX models.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from onnx import NodeProto, TypeProto, helper

from tvm_directconv.errors import let_through

from .converters.shapes import range_values
from .nodes import node_name, static_dims

MOST_ELEMENTS = 1 << 16
"""Tensors of more elements are neither shape arithmetic nor masks and positions that follow from it."""
MOST_IN_ALL = 1 << 23
"""Elements that one import may read and write."""
SHAPES = ("Shape", "Size")
"""These look at the shape of their operand alone."""
SHORTENING = ("Compress", "NonZero", "Unique")
"""The shapes of these results follow from values; they have few more elements than the operands."""
EVALUATED = frozenset(
    (
        *SHAPES,
        *SHORTENING,
        *("Constant", "ConstantOfShape", "Range", "EyeLike", "OneHot", "Trilu", "Cast", "CastLike"),
        *("Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Expand", "Tile", "Concat"),
        *("Split", "Slice", "Gather", "GatherElements", "GatherND", "ScatterElements", "ScatterND", "Pad"),
        *("Abs", "Neg", "Sign", "Floor", "Ceil", "Round", "Sqrt", "Reciprocal", "Exp", "Log", "Not", "IsNaN"),
        *("Sin", "Cos", "Tanh", "Sigmoid", "Relu", "Clip", "Add", "Sub", "Mul", "Div", "Mod", "Pow", "Sum"),
        *("Mean", "Min", "Max", "And", "Or", "Xor", "BitShift", "Where", "Equal", "Less", "LessOrEqual"),
        *("Greater", "GreaterOrEqual", "ArgMax", "ArgMin", "TopK", "CumSum", "ReduceSum", "ReduceProd"),
        *("ReduceMax", "ReduceMin", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceSumSquare"),
        *("ReduceLogSum", "ReduceLogSumExp"),
    )
)
"""What is evaluated; quantization is none of it, because graph passes look for it."""


class Folding:
    """Evaluates nodes of one model, up to a bounded sum of elements."""

    def __init__(self, opset: int) -> None:
        self._opset, self._left = opset, MOST_IN_ALL

    def results(
        self, node: NodeProto, known: Mapping[str, np.ndarray], types: Mapping[str, TypeProto.Tensor]
    ) -> dict[str, np.ndarray] | None:
        """A node's results by name; None where they do not follow from what is known, or are too large."""
        inputs = _operands(node, known, types) if node.op_type in EVALUATED else None
        if inputs is None:
            return None
        sizes = [static_dims(types.get(name)) for name in node.output if name]
        if node.op_type not in SHORTENING and any(dims is None for dims in sizes):
            return None
        elements = [math.prod(dims) for dims in sizes if dims is not None]
        if node.op_type not in SHAPES:
            elements += [array.size for array in inputs.values()]
        if max(elements, default=0) > MOST_ELEMENTS or sum(elements) > self._left:
            return None
        self._left -= sum(elements)
        results = _evaluated(node, inputs, self._opset)
        if results is None or not all(_is_of_type(types.get(name), array) for name, array in results.items()):
            return None
        return results


def _is_of_type(kind: TypeProto.Tensor | None, array: np.ndarray) -> bool:
    """Whether the reference implementation and the shape inference agree."""
    if kind is None or helper.tensor_dtype_to_np_dtype(kind.elem_type) != array.dtype:
        return False
    return static_dims(kind) in (None, list(array.shape))


def _operands(
    node: NodeProto, known: Mapping[str, np.ndarray], types: Mapping[str, TypeProto.Tensor]
) -> dict[str, np.ndarray] | None:
    if node.op_type in SHAPES:
        dims = static_dims(types.get(node.input[0]))
        return None if dims is None else {node.input[0]: np.broadcast_to(np.float32(0), dims)}
    inputs = {name: known[name] for name in node.input if name in known}
    return inputs if len(inputs) == len({name for name in node.input if name}) else None


def _evaluated(node: NodeProto, inputs: Mapping[str, np.ndarray], opset: int) -> dict[str, np.ndarray] | None:
    """The node's results by ONNX's reference implementation; None where that cannot tell."""
    if node.op_type == "Range":  # numpy's, which that takes, counts floats in their own type
        return {node.output[0]: range_values([inputs[name] for name in node.input], node_name(node))}
    names = [name for name in node.output if name]
    alike = NodeProto()
    alike.CopyFrom(node)
    alike.ClearField("name")
    alike.ClearField("doc_string")
    operands = {name: f"input{number}" for number, name in enumerate(inputs)}
    alike.input[:] = [operands.get(name, "") for name in node.input]
    alike.output[:] = [f"output{number}" if name else "" for number, name in enumerate(node.output)]
    try:
        with np.errstate(all="ignore"):
            evaluator = _evaluator(alike.SerializeToString(deterministic=True), opset)
            results = evaluator.run(None, {operands[name]: array for name, array in inputs.items()})
    except Exception as error:
        let_through(error)  # the importer then says what is wrong
        return None
    if not all(isinstance(result, np.ndarray | np.generic) for result in results):
        return None
    return {name: np.asarray(result) for name, result in zip(names, results, strict=True)}


@functools.lru_cache(maxsize=64)
def _evaluator(node: bytes, opset: int) -> Any:
    """The reference implementation of one node: many of a model differ in their tensors' names alone."""
    from onnx.reference import ReferenceEvaluator

    parsed, empty = NodeProto.FromString(node), TypeProto()
    inputs, outputs = (
        [helper.make_value_info(name, empty) for name in dict.fromkeys(names) if name]
        for names in (parsed.input, parsed.output)
    )
    graph = helper.make_graph([parsed], "node", inputs, outputs)
    return ReferenceEvaluator(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)]))
