"""Shapes first: what follows from constants and static shapes is computed before anything is imported.

All shapes are static, so the chains of Shape, Gather, Concat, Cast and the like are constants, and the
importer, whose operators each know other rules for shapes that flow, meets constants only. One walk in the
graph's order evaluates every node of known operands by ONNX's reference implementation, and asks ONNX's shape
inference of one node, with the values known so far, where the whole graph's could not tell.

The walk takes a bounded time and memory whatever the model says: only operators whose work is in proportion
to their operands and results are evaluated, on tensors of bounded size, up to a bounded sum; a shape is
checked before it flows on. docs/importing.md compares this with the simplifiers of ONNX models.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from onnx import AttributeProto, GraphProto, NodeProto, TypeProto, helper, numpy_helper

from relay_strategies.frontends.budget import spend
from relay_strategies.frontends.sizes import refuse_size
from tvm_directconv.errors import let_through

from .converters.shapes import range_length, range_values
from .inference import CORRECTED, corrected
from .loops import inlined
from .nodes import (
    DEFAULT_DOMAINS,
    GRAPHS,
    all_nodes,
    node_name,
    static_dims,
    subgraphs,
    tensor_type,
    tensor_types,
)

LIGHT_ELEMENTS = 1024
"""Floating-point tensors of more elements may be weights, which are bound after the import."""
MOST_ELEMENTS = 1 << 16
"""Tensors of more elements are no shape arithmetic, nor what follows from it, as masks and positions do."""
MOST_IN_ALL = 1 << 23
"""So many elements are read and written by one walk."""
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
"""What a walk evaluates; quantization is none of it, because graph passes look for it."""


Types = dict[str, TypeProto.Tensor]


def fold_constants(graph: GraphProto, types: Types, opset: int, most: int | None) -> bool:
    """Replace nodes whose results follow from constants and static shapes by initializers.

    ``types`` are those of all tensors, and learn what is found. An If of a known condition becomes the nodes
    of the branch that it takes, a Loop or a Scan those of its turns. Returns whether anything was
    replaced. Raises ModelError for a result larger than ``most`` bytes.
    """
    return _Walk(graph, types, opset, most).run()


class _Walk:
    def __init__(self, graph: GraphProto, types: Types, opset: int, most: int | None) -> None:
        self._graph, self._types, self._opset, self._most = graph, types, opset, most
        self._known = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
        self._left = MOST_IN_ALL
        self._outer: set[str] = set()

    def run(self) -> bool:
        kept: list[NodeProto] = []
        waiting = deque(self._graph.node)
        before, changed = self._outer | self._known.keys(), False
        while waiting:
            node = waiting.popleft()
            spend()
            inner = inlined(node, self._known, self._types, self._opset)
            if inner is not None:
                changed, (nodes, constants) = True, inner
                waiting.extendleft(reversed(nodes))
                for tensor in constants:
                    self._learn(tensor.name, numpy_helper.to_array(tensor))
                continue
            self._infer(node)
            results = self._results(node)
            if results is None:
                changed |= self._fold_branches(node)
                kept.append(node)
            for name, array in (results or {}).items():
                self._learn(name, array)
        if changed or len(self._known) > len(before):
            self._replace(kept, before)
            return True
        return False

    def _fold_branches(self, node: NodeProto) -> bool:
        """Both branches of an If are computed by what is known outside of them, too."""
        branches = [a.g for a in node.attribute if a.type == AttributeProto.GRAPH and node.op_type == "If"]
        changed = False
        for branch in branches:
            walk = _Walk(branch, self._types | tensor_types(branch), self._opset, self._most)
            walk._outer = self._outer | self._known.keys()
            walk._known = self._known | walk._known
            walk._left = self._left
            changed |= walk.run()
            self._left = walk._left
        return changed

    def _learn(self, name: str, array: np.ndarray) -> None:
        self._known[name] = array
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
        self._types[name] = tensor_type(kind, array.shape)

    def _replace(self, kept: list[NodeProto], before: set[str]) -> None:
        """The graph of the nodes that are left, and of the values that these need."""
        del self._graph.node[:]
        self._graph.node.extend(kept)
        used = {name for node in all_nodes(self._graph) for name in node.input}
        used |= {value.name for graph in (self._graph, *subgraphs(self._graph)) for value in graph.output}
        for name, array in self._known.items():
            if name not in before and name in used:
                self._graph.initializer.append(numpy_helper.from_array(array, name))

    def _infer(self, node: NodeProto) -> None:
        """Find the types of results whose shapes the whole graph's inference could not tell."""
        names = [name for name in node.output if name]
        types, inputs = self._types, [name for name in node.input if name]
        if all(static_dims(types.get(name)) is not None for name in names):
            return
        if node.domain not in DEFAULT_DOMAINS or any(a.type in GRAPHS for a in node.attribute):
            return
        if any(name not in types for name in inputs):
            return
        data = {
            name: numpy_helper.from_array(self._known[name], name)
            for name in inputs
            if name in self._known and self._known[name].size <= LIGHT_ELEMENTS
        }
        kinds = {name: types[name] for name in inputs}
        if node.op_type in CORRECTED:
            node, operands = corrected(node, types, self._known)
            for name, array in operands.items():
                data[name] = numpy_helper.from_array(array, name)
                kinds[name] = tensor_type(data[name].data_type, array.shape)
        try:
            schema = onnx.defs.get_schema(node.op_type, self._opset, "")
            found = onnx.shape_inference.infer_node_outputs(
                schema,
                node,
                {name: TypeProto(tensor_type=kind) for name, kind in kinds.items()},
                data,
                opset_imports=[helper.make_opsetid("", self._opset)],
            )
        except (
            Exception
        ) as error:  # it raises whatever came up; the whole graph's inference then says what is wrong
            let_through(error)
            return
        for name, kind in found.items():
            if kind.HasField("tensor_type"):
                self._refuse_size(node, name, kind.tensor_type)
                types[name] = kind.tensor_type

    def _refuse_size(self, node: NodeProto, name: str, kind: TypeProto.Tensor) -> None:
        shape = [dim.dim_value for dim in kind.shape.dim]
        element = helper.tensor_dtype_to_np_dtype(kind.elem_type).itemsize if kind.elem_type else 1
        refuse_size(shape, element, f"'{name}' of node '{node_name(node)}' ({node.op_type})", self._most)

    def _results(self, node: NodeProto) -> dict[str, np.ndarray] | None:
        """The node's results by name; None where they do not follow from constants, or are too large."""
        if node.domain not in DEFAULT_DOMAINS or node.op_type not in EVALUATED:
            return None
        inputs = self._operands(node)
        if inputs is not None and node.op_type == "Range":
            range_length([inputs[name] for name in node.input], node_name(node))
        sizes = [static_dims(self._types.get(name)) for name in node.output if name]
        if inputs is None:
            return None
        if node.op_type not in SHORTENING and any(dims is None for dims in sizes):
            return None
        elements = [int(np.prod(dims)) for dims in sizes if dims is not None]
        if node.op_type not in SHAPES:
            elements += [array.size for array in inputs.values()]
        if max(elements, default=0) > MOST_ELEMENTS or sum(elements) > self._left:
            return None
        self._left -= sum(elements)
        results = _evaluated(node, inputs, self._opset)
        if results is None or not all(self._is_of_its_type(name, array) for name, array in results.items()):
            return None
        return results

    def _is_of_its_type(self, name: str, array: np.ndarray) -> bool:
        """Whether the reference implementation and the shape inference agree."""
        kind = self._types.get(name)
        if kind is None or helper.tensor_dtype_to_np_dtype(kind.elem_type) != array.dtype:
            return False
        return static_dims(kind) in (None, list(array.shape))

    def _operands(self, node: NodeProto) -> dict[str, np.ndarray] | None:
        if node.op_type in SHAPES:
            dims = static_dims(self._types.get(node.input[0]))
            return None if dims is None else {node.input[0]: np.broadcast_to(np.float32(0), dims)}
        inputs = {name: self._known[name] for name in node.input if name in self._known}
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
