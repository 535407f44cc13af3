"""Quantized ONNX operators, written as what they mean.

ONNX has two spellings of a quantized network. QDQ surrounds float operators with DequantizeLinear and
QuantizeLinear; QOperator has one operator for the three (QLinearConv, QLinearMatMul, and those of the
com.microsoft domain that ONNX Runtime's quantizer writes). Here the second becomes the first, so that every
network is right wherever scales, zero points and weights come from, and recognising what can stay in 8 bits
is the business of one graph pass. ConvInteger becomes a convolution of 32-bit differences, its meaning to
the bit. The operators' definitions: ONNX Operators.md and ONNX Runtime's ContribOperators.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, TypeProto, helper, numpy_helper

from tvm_directconv.errors import UnsupportedOperatorError

CONTRIB = "com.microsoft"
FILTER_INPUT = {"QLinearConv": 3, "QLinearMatMul": 3, "QGemm": 3, "ConvInteger": 1, "MatMulInteger": 1}
"""Layers in 8 bits have their filter at this input."""
QUANTIZED_TYPES = (TensorProto.UINT8, TensorProto.INT8, TensorProto.UINT16, TensorProto.INT16)

Types = Mapping[str, TypeProto.Tensor]


def is_expanded(node: NodeProto) -> bool:
    """Whether ``expand`` replaces the node."""
    return _expansion(node) is not None


def expand(graph: GraphProto, types: Types, domain: str = "") -> None:
    """Replace the quantized operators of ``domain`` in ``graph`` by float operators between (de)quantization.

    Those of com.microsoft have no shape inference and so go before it, the standard ones after it: in
    opsets before 13 a DequantizeLinear per channel is none that the checker accepts. Raises
    UnsupportedOperatorError for operands a definition allows and this library does not.
    """
    nodes: list[NodeProto] = []
    for node in graph.node:
        expand_node = _expansion(node)
        if expand_node is not None and _domain(node) == domain:
            expansion = _Expansion(graph, node, types)
            expand_node(expansion)
            nodes.extend(expansion.nodes)
        else:
            nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)


def refuse_quantization(graph: GraphProto, types: Types) -> None:
    """Name the (de)quantizations to or from what is not 8 or 16 bits wide."""
    refused = []
    for node in graph.node:
        if node.op_type == "QuantizeLinear":
            quantized, known = node.output[0], set(QUANTIZED_TYPES)
        elif node.op_type == "DequantizeLinear":
            quantized, known = node.input[0], {*QUANTIZED_TYPES, TensorProto.INT32}
        else:
            continue
        if quantized in types and types[quantized].elem_type not in known:
            kind = TensorProto.DataType.Name(types[quantized].elem_type)
            refused.append(f"'{node.name or node.output[0]}' ({node.op_type}) of {kind}")
    if refused:
        raise UnsupportedOperatorError(
            f"only quantization to 8 or 16 bits is supported: {'; '.join(refused)}"
        )


class _Expansion:
    """The nodes that take the place of one; an empty name is an input left out."""

    def __init__(self, graph: GraphProto, node: NodeProto, types: Types) -> None:
        self.node, self.nodes = node, list[NodeProto]()
        self.attributes = _attributes(node)
        self._graph, self._types = graph, types
        self._base = node.name or node.output[0]

    def input(self, index: int) -> str:
        return str(self.node.input[index]) if index < len(self.node.input) else ""

    def emit(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """A node of ``kind``, its result a new tensor unless ``output`` names it."""
        result = output or f"{self.node.output[0]}/{kind}{len(self.nodes)}"
        # The layer itself keeps the name of the node that it was.
        name = self._base if kind in ("Conv", "Gemm", "MatMul") else result
        while inputs and not inputs[-1]:
            inputs = inputs[:-1]
        self.nodes.append(helper.make_node(kind, inputs, [result], name, **attributes))
        return result

    def constant(self, array: np.ndarray) -> str:
        name = f"{self.node.output[0]}/constant{len(self._graph.initializer)}"
        self._graph.initializer.append(numpy_helper.from_array(array, name))
        return name

    def dequantized(self, first: int, axis: int | None = None) -> str:
        """The operand whose values, scale and zero point are the inputs from ``first`` on."""
        data, scale, zero = (self.input(first + i) for i in range(3))
        return self.dequantize(data, scale, zero, axis)

    def dequantize(self, data: str, scale: str, zero: str, axis: int | None = None) -> str:
        return self.emit("DequantizeLinear", data, self.float32(scale), zero, **_axis(axis))

    def quantize(self, data: str, first: int) -> None:
        """Make ``data``, in the scale and zero point at ``first``, the node's result."""
        scale, zero = self.float32(self.input(first)), self.input(first + 1)
        self.emit("QuantizeLinear", data, scale, zero, output=self.node.output[0])

    def float32(self, scale: str) -> str:
        """The scale in float32, in which all arithmetic is done."""
        known = self._types.get(scale)
        if known is not None and known.elem_type != TensorProto.FLOAT:
            scale = self.emit("Cast", scale, to=TensorProto.FLOAT)
        return scale

    def per_element(self, index: int) -> str:
        """The operand at ``index``, one element per block, repeated for those of the first operand."""
        axis, block = int(self.attributes.get("axis", 1)), int(self.attributes["block_size"])
        extent = self._types[self.input(0)].shape.dim[axis].dim_value
        return self.emit("Gather", self.input(index), self.constant(np.arange(extent) // block), axis=axis)

    def result_type(self) -> int:
        return int(self._types[self.node.output[0]].elem_type)

    def rank(self, name: str) -> int | None:
        return len(self._types[name].shape.dim) if name in self._types else None

    def size(self, name: str) -> int | None:
        """Elements of a vector or scalar, as far as known."""
        if name not in self._types:
            return None
        return int(np.prod([dim.dim_value for dim in self._types[name].shape.dim], dtype=np.int64))

    def refuse(self, why: str) -> UnsupportedOperatorError:
        return UnsupportedOperatorError(f"node '{self._base}' ({self.node.op_type}): {why}")


def _qlinear_conv(e: _Expansion) -> None:
    data, weight = e.dequantized(0), e.dequantized(3, axis=0)
    bias = e.input(8)
    if bias:
        scale = e.emit("Mul", e.float32(e.input(1)), e.float32(e.input(4)))
        bias = e.dequantize(bias, scale, "", axis=0)
    e.quantize(e.emit("Conv", data, weight, bias, **e.attributes), 6)


def _conv_integer(e: _Expansion) -> None:
    data = e.emit("Cast", e.input(0), to=TensorProto.INT32)
    weight = e.emit("Cast", e.input(1), to=TensorProto.INT32)
    if e.input(2):
        data = e.emit("Sub", data, e.emit("Cast", e.input(2), to=TensorProto.INT32))
    if e.input(3):
        zero = e.emit("Cast", e.input(3), to=TensorProto.INT32)
        if e.size(e.input(3)) != 1:
            per_output = [-1, *[1] * ((e.rank(e.input(1)) or 4) - 1)]
            zero = e.emit("Reshape", zero, e.constant(np.array(per_output, np.int64)))
        weight = e.emit("Sub", weight, zero)
    e.emit("Conv", data, weight, output=e.node.output[0], **e.attributes)


def _qlinear_matmul(e: _Expansion) -> None:
    """A scale per row of the first matrix and per column of the second."""
    operands = []
    for first, from_the_end in ((0, 2), (3, 1)):
        scale_rank, rank = e.rank(e.input(first + 1)), e.rank(e.input(first))
        if (scale_rank or 0) > 1 and e.size(e.input(first + 1)) != 1:
            raise e.refuse("a scale per row of a stack of matrices is not supported")
        axis = None if rank is None or rank < from_the_end else rank - from_the_end
        operands.append(e.dequantized(first, axis))
    e.quantize(e.emit("MatMul", *operands), 6)


def _qgemm(e: _Expansion) -> None:
    """The bias has the scale alpha x (scale of a) x (scale of b)."""
    attributes = e.attributes
    bias = e.input(6)
    if bias:
        scale = e.emit("Mul", e.input(1), e.input(4))
        if attributes.get("alpha", 1.0) != 1.0:
            scale = e.emit("Mul", scale, e.constant(np.array(attributes["alpha"], np.float32)))
        bias = e.dequantize(bias, scale, "", axis=(e.rank(bias) or 1) - 1)
    # Axis 1 is DequantizeLinear's default, and all that opsets before 13 can say.
    weight = e.dequantized(3, axis=0 if attributes.get("transB") else None)
    product = (e.dequantized(0), weight, bias)
    if e.input(7):
        e.quantize(e.emit("Gemm", *product, **attributes), 7)
    else:
        e.emit("Gemm", *product, output=e.node.output[0], **attributes)


def _binary(kind: str) -> Callable[[_Expansion], None]:
    def expansion(e: _Expansion) -> None:
        e.quantize(e.emit(kind, e.dequantized(0), e.dequantized(3)), 6)

    return expansion


def _unary(kind: str, *dropped: str) -> Callable[[_Expansion], None]:
    """One operand and the operator's own attributes, without the ``dropped`` ones."""

    def expansion(e: _Expansion) -> None:
        if e.attributes.get("channels_last"):
            raise e.refuse("channels_last is not supported; export the network in ONNX's own layout")
        attributes = {k: v for k, v in e.attributes.items() if k not in (*dropped, "channels_last")}
        e.quantize(e.emit(kind, e.dequantized(0), **attributes), 3)

    return expansion


def _softmax(e: _Expansion) -> None:
    """Before opset 13 the axes from ``axis`` on were one; the last axis alone means the same in both."""
    axis, rank = int(e.attributes.get("axis", -1)), e.rank(e.input(0))
    last = axis == -1 or (rank is not None and axis == rank - 1)
    if int(e.attributes["opset"]) < 13 and not last:
        axis = -1 if rank is None else axis
        raise e.refuse(f"a softmax over the axes from {axis} on is not supported")
    e.quantize(e.emit("Softmax", e.dequantized(0), axis=axis), 3)


def _concat(e: _Expansion) -> None:
    parts = [e.dequantized(first) for first in range(2, len(e.node.input), 3)]
    e.quantize(e.emit("Concat", *parts, axis=e.attributes["axis"]), 0)


def _where(e: _Expansion) -> None:
    e.quantize(e.emit("Where", e.input(0), e.dequantized(1), e.dequantized(4)), 7)


def _dequantize_blocks(e: _Expansion) -> None:
    data = e.emit("Cast", e.input(0), to=TensorProto.INT32)
    if e.input(2):
        data = e.emit("Sub", data, e.emit("Cast", e.per_element(2), to=TensorProto.INT32))
    e.emit(
        "Mul",
        e.emit("Cast", data, to=TensorProto.FLOAT),
        e.float32(e.per_element(1)),
        output=e.node.output[0],
    )


def _quantize_blocks(e: _Expansion) -> None:
    value = e.emit("Round", e.emit("Div", e.input(0), e.per_element(1)))
    if e.input(2):
        value = e.emit("Add", value, e.emit("Cast", e.per_element(2), to=TensorProto.FLOAT))
    limits = np.iinfo(helper.tensor_dtype_to_np_dtype(e.result_type()))
    ends = [e.constant(np.array(end, np.float32)) for end in (limits.min, limits.max)]
    e.emit("Cast", e.emit("Clip", value, *ends), to=e.result_type(), output=e.node.output[0])


def _standard(e: _Expansion) -> None:
    """What means the same in the standard's own domain."""
    e.emit(e.node.op_type, *e.node.input, output=e.node.output[0], **e.attributes)


EXPANSIONS: dict[tuple[str, str], Callable[[_Expansion], None]] = {
    ("", "QLinearConv"): _qlinear_conv,
    ("", "QLinearMatMul"): _qlinear_matmul,
    ("", "ConvInteger"): _conv_integer,
    (CONTRIB, "QGemm"): _qgemm,
    (CONTRIB, "QLinearAdd"): _binary("Add"),
    (CONTRIB, "QLinearMul"): _binary("Mul"),
    (CONTRIB, "QLinearConcat"): _concat,
    (CONTRIB, "QLinearAveragePool"): _unary("AveragePool"),
    (CONTRIB, "QLinearGlobalAveragePool"): _unary("GlobalAveragePool"),
    (CONTRIB, "QLinearLeakyRelu"): _unary("LeakyRelu"),
    (CONTRIB, "QLinearSigmoid"): _unary("Sigmoid"),
    (CONTRIB, "QLinearSoftmax"): _softmax,
    (CONTRIB, "QLinearWhere"): _where,
    (CONTRIB, "QuantizeLinear"): _standard,
    (CONTRIB, "DequantizeLinear"): _standard,
}

IN_BLOCKS = {"DequantizeLinear": _dequantize_blocks, "QuantizeLinear": _quantize_blocks}
"""The standard's, where a scale is that of a block along an axis."""


def _expansion(node: NodeProto) -> Callable[[_Expansion], None] | None:
    """What replaces the node; None where it stays."""
    if _domain(node) == "" and node.op_type in IN_BLOCKS:
        return IN_BLOCKS[node.op_type] if _attributes(node).get("block_size") else None
    return EXPANSIONS.get((_domain(node), node.op_type))


def _domain(node: NodeProto) -> str:
    return "" if node.domain == "ai.onnx" else str(node.domain)


def _attributes(node: NodeProto) -> dict[str, Any]:
    return {a.name: helper.get_attribute_value(a) for a in node.attribute}


def _axis(axis: int | None) -> dict[str, Any]:
    return {} if axis is None else {"axis": axis}
