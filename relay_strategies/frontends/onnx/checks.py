"""What this library or TVM's importer cannot compile is refused by name, all of a kind together.

Each node is looked at before it is converted. What is found is raised when the walk is done, so that an error
names every node of its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import GraphProto, NodeProto, TensorProto

from tvm_directconv.errors import DirectConvError, ModelError, UnsupportedOperatorError
from tvm_directconv.problem.open_sizes import measuring_sizes

from .constant_operands import constant_operands, measured_operands
from .functions import is_converted, is_defined_by_others
from .nodes import CONTRIB, attribute, node_name, subgraphs
from .validity import CONVOLUTIONS, refuse_types, refuse_windows

QUANTIZED_TYPES = (TensorProto.UINT8, TensorProto.INT8, TensorProto.UINT16, TensorProto.INT16)
ELEMENTS = (
    *(TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.BOOL),
    *(TensorProto.INT8, TensorProto.INT16, TensorProto.INT32, TensorProto.INT64),
    *(TensorProto.UINT8, TensorProto.UINT16, TensorProto.UINT32, TensorProto.UINT64),
)
"""The types that elements of tensors may have."""
DIMENSIONS = (1, 2, 3)
"""Numbers of spatial dimensions of the convolutions that are supported."""
# The shapes of their results follow from values.
DATA_DEPENDENT = ("Compress", "NonMaxSuppression", "NonZero", "Unique")
# As many of them are named; a detector's last part has hundreds.
MOST_NAMED = 8
BROADCASTING = ("Add", "Sub", "Mul", "Div", "Pow", "And", "Or", "Xor", "Equal", "Greater", "Less", "PRelu")

SHORTENED = ("loop", "dynamic")
MESSAGES = {
    "operator": "operators that are not supported: {}",
    "invalid": "{}",
    "loop": "loops that are not compiled: {}; give what the number of turns follows from a constant value, "
    "or cut the model there: tvm_directconv.split does",
    "dynamic": "shapes that follow from values, which are known at run time only, are not supported where "
    "all sizes are to be numbers: {}; cut the model before these nodes: tvm_directconv.split does",
    "types": "{}",
    "window": "{}",
    "convolution": "only 1-D to 3-D convolutions of floats or 8 bits are supported: {}",
    "training": "{}",
    "quantization": "only quantization to 8 or 16 bits is supported: {}",
    "element": "element types that are not supported: {}",
    "operand": "operands that shapes follow from have to be constants; export the model with fixed ones, or "
    "give inputs by params=: {}",
}
"""What is refused, by kind; the first kind of which there is any is raised."""
UNSUPPORTED = "operator {} is not supported"
OF_OPTIMIZERS = "; if ONNX Runtime's optimizers wrote those of com.microsoft, give the model from before them"

Types = Mapping[str, onnx.TypeProto.Tensor]


@dataclass(frozen=True)
class Facts:
    """What is known of values: all types, the arrays of some, and which are inputs of the model."""

    types: Types
    known: Mapping[str, np.ndarray]
    weights: Container[str]
    inputs: Container[str]
    opset: int


class Refusals:
    """What a model is refused for, by kind, with the nodes' names."""

    def __init__(self) -> None:
        self._found: dict[str, list[tuple[str, str]]] = {}
        self._errors: dict[str, DirectConvError] = {}

    def __bool__(self) -> bool:
        return bool(self._found or self._errors)

    def add(self, kind: str, text: str, node: str = "") -> None:
        """Name something that is refused, once."""
        found = self._found.setdefault(kind, [])
        if (text, node) not in found[-MOST_NAMED:]:
            found.append((text, node))

    def keep(self, kind: str, error: DirectConvError) -> None:
        """Keep the first error of a kind that names one node alone."""
        self._errors.setdefault(kind, error)

    def clear(self) -> None:
        """Forget all that was found."""
        self._found.clear()
        self._errors.clear()

    def texts(self) -> Iterator[str]:
        """Yield what was found, a line each."""
        for kind, found in self._found.items():
            yield from (UNSUPPORTED.format(text) if kind == "operator" else text for text, _ in found)
        yield from map(str, self._errors.values())

    def look(self, node: NodeProto, facts: Facts) -> None:
        """Look at a node that is left for its converter."""
        for kind, rule in RULES.items():
            try:
                for text in rule(node, facts):
                    self.add(kind, text, node_name(node))
            except DirectConvError as error:
                self.keep(kind, error)

    def raise_any(self) -> None:
        for kind, message in MESSAGES.items():
            if kind in self._errors:
                raise self._errors[kind]
            if kind in self._found:
                found = self._found[kind]
                nodes = [name for _, name in found if name]
                listed = _by_operator(found) if kind == "operator" else [text for text, _ in found]
                if kind in SHORTENED and len(listed) > MOST_NAMED:
                    listed = [*listed[:MOST_NAMED], f"and {len(listed) - MOST_NAMED} more"]
                remedy = (
                    OF_OPTIMIZERS if kind == "operator" and any(t.startswith(CONTRIB) for t in listed) else ""
                )
                raise UnsupportedOperatorError(message.format("; ".join(listed)) + remedy, nodes)


def _by_operator(found: Sequence[tuple[str, str]]) -> list[str]:
    """The names of nodes by those of their operators."""
    nodes: dict[str, list[str]] = {}
    for kind, name in found:
        nodes.setdefault(kind, []).append(repr(name))
    return [f"{kind} ({', '.join(names)})" for kind, names in nodes.items()]


def is_supported(node: NodeProto, opsets: Mapping[str, int]) -> bool:
    """Whether a node has a converter, or is written as others. Raises ModelError for arithmetic of old opsets
    that says where its operands meet."""
    if node.op_type in BROADCASTING and attribute(node, "broadcast", 0):
        raise ModelError(
            f"node '{node_name(node)}' ({node.op_type}) uses the broadcast attribute of opsets before 7; "
            "convert the model with onnx.version_converter"
        )
    return is_converted(node) or is_defined_by_others(node, opsets)


def refuse_values(graph: GraphProto) -> None:
    """Name the inputs and outputs that are not tensors, those of inner graphs that are not sequences
    either."""
    for each in (graph, *subgraphs(graph)):
        known = (None, "tensor_type") if each is graph else (None, "tensor_type", "sequence_type")
        for value in (*each.input, *each.output):
            if value.type.WhichOneof("value") not in known:
                kind = value.type.WhichOneof("value").removesuffix("_type")
                raise UnsupportedOperatorError(f"'{value.name}' is not a tensor but of type {kind}")


def _dynamic(node: NodeProto, facts: Facts) -> Iterator[str]:
    if node.op_type not in DATA_DEPENDENT or measuring_sizes() is not None:
        return
    for name in node.output[:1]:
        kind = facts.types.get(name)
        dims = kind.shape.dim if kind is not None and kind.HasField("shape") else ()
        axes = [str(axis) for axis, dim in enumerate(dims) if not dim.HasField("dim_value")]
        where = f"dimension {' and '.join(axes)} of " if axes else "the shape of "
        yield f"{where}'{name}' (node '{node_name(node)}', {node.op_type})"


def _convolutions(node: NodeProto, facts: Facts) -> Iterator[str]:
    if node.op_type not in CONVOLUTIONS:
        return
    filter_input, computed = CONVOLUTIONS[node.op_type]
    operands = (facts.types.get(node.input[at]) for at in (0, filter_input))
    known = next(filter(None, operands), None)
    rank = len(known.shape.dim) if known is not None else len(attribute(node, "kernel_shape", ())) + 2
    if rank - 2 not in DIMENSIONS:
        yield f"'{node_name(node)}' is a {rank - 2}-D convolution"
    elif known is not None and known.elem_type not in computed:
        yield f"'{node_name(node)}' is of {TensorProto.DataType.Name(known.elem_type)}"


def _training(node: NodeProto, facts: Facts) -> Iterator[str]:
    """The importer converts it as if it were in inference mode.

    From opset 14 on a BatchNormalization says itself whether it is training, and has a converter.
    """
    training = False
    if node.op_type == "BatchNormalization" and facts.opset < 14:
        training = sum(map(bool, node.output)) > 1
    if training:
        yield f"node '{node_name(node)}' ({node.op_type}) is in training mode; export for inference"


def _quantization(node: NodeProto, facts: Facts) -> Iterator[str]:
    """The (de)quantizations to or from what is not 8 or 16 bits wide."""
    if node.op_type == "QuantizeLinear":
        quantized, known = node.output[0], set(QUANTIZED_TYPES)
    elif node.op_type == "DequantizeLinear":
        quantized, known = node.input[0], {*QUANTIZED_TYPES, TensorProto.INT32}
    else:
        return
    if quantized in facts.types and facts.types[quantized].elem_type not in known:
        kind = TensorProto.DataType.Name(facts.types[quantized].elem_type)
        yield f"'{node_name(node)}' ({node.op_type}) of {kind}"


def _elements(node: NodeProto, facts: Facts) -> Iterator[str]:
    """Tensors of element types that no processor computes in, or that are not numbers."""
    for name in (*node.input, *node.output):
        if name in facts.types and facts.types[name].elem_type not in ELEMENTS:
            kind = element_name(facts.types[name])
            if name in facts.known:
                yield f"'{name}' is of {kind}"
            elif name in node.output:
                yield f"'{name}' of node '{node_name(node)}' ({node.op_type}) is of {kind}"


def element_name(kind: onnx.TypeProto.Tensor) -> str:
    return str(TensorProto.DataType.Name(kind.elem_type))


def _operands(node: NodeProto, facts: Facts) -> Iterator[str]:
    """Operands that have to be constants."""
    measured = () if measuring_sizes() is None else measured_operands(node)
    for name in constant_operands(node):
        kind = facts.types.get(name)
        is_integer = kind is not None and kind.elem_type in (TensorProto.INT32, TensorProto.INT64)
        if name in measured and is_integer:
            continue
        if name not in facts.known and name not in facts.weights:
            source = "an input of the model" if name in facts.inputs else "computed from the inputs' values"
            formal = onnx.defs.get_schema(node.op_type, facts.opset, "").inputs
            what = formal[min(list(node.input).index(name), len(formal) - 1)].name
            yield f"node '{node_name(node)}' ({node.op_type}): {what} '{name}' is {source}"


RULES: dict[str, Callable[[NodeProto, Facts], Iterable[str]]] = {
    "dynamic": _dynamic,
    "types": lambda node, facts: refuse_types(node, facts.types, facts.opset),
    "window": lambda node, facts: refuse_windows(node, facts.types),
    "convolution": _convolutions,
    "training": _training,
    "quantization": _quantization,
    "element": _elements,
    "operand": _operands,
}
"""How a node is looked at: each yields texts, or raises an error."""
