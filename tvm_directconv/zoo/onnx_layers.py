"""The convolutions in an ONNX model, as 2-D workloads: float ones, and those that its quantization is for.

In QDQ form a convolution is quantized when its input and its filter are dequantized from 8 bits; what
quantizes its output, behind a ReLU or not, says what is stored. QLinearConv and ConvInteger say it all.

Graph passes find the same and more in an imported network. Here the graph alone is read: no weights are made,
nothing is imported into TVM, so that the layers of all nine light networks are known in a second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import onnx
from onnx import NodeProto, numpy_helper

from tvm_directconv.errors import ModelError
from tvm_directconv.problem.lowered import convolutions, transposed
from tvm_directconv.problem.phases import cut, reach
from tvm_directconv.problem.quantized_types import QuantizedTypes, filter_range
from tvm_directconv.problem.taps import same_padding
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue

from .inference import infer_shapes

Shape = tuple[int, ...]

# Of each operator: which inputs are data, filter and bias, and the zero points of data, filter and output.
OPERANDS: dict[str, dict[str, int]] = {
    "Conv": {"data": 0, "filter": 1, "bias": 2},
    "ConvTranspose": {"data": 0, "filter": 1, "bias": 2},
    "ConvInteger": {"data": 0, "filter": 1, "data_zero": 2, "filter_zero": 3},
    "QLinearConv": {"data": 0, "filter": 3, "data_zero": 2, "filter_zero": 5, "out_zero": 7, "bias": 8},
}

# ONNX infers no shapes through these of the com.microsoft domain, but through what has the same shapes: an
# operator, and which inputs it takes.
SAME_SHAPES: dict[str, tuple[str, slice]] = {
    "QGemm": ("Gemm", slice(0, 6, 3)),
    "QLinearAdd": ("Add", slice(0, 6, 3)),
    "QLinearAveragePool": ("AveragePool", slice(1)),
    "QLinearConcat": ("Concat", slice(2, None, 3)),
    "QLinearGlobalAveragePool": ("GlobalAveragePool", slice(1)),
    "QLinearLeakyRelu": ("Identity", slice(1)),
    "QLinearMul": ("Mul", slice(0, 6, 3)),
    "QLinearSigmoid": ("Identity", slice(1)),
    "QLinearSoftmax": ("Identity", slice(1)),
}


def inferred_shapes(model: onnx.ModelProto) -> onnx.GraphProto:
    """A graph with the model's tensors in its ``value_info``, as far as their shapes can be inferred."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for node in copy.graph.node:
        if node.op_type in SAME_SHAPES:
            node.op_type, inputs = SAME_SHAPES[node.op_type]
            kept = list(node.input)[inputs]
            del node.input[:]
            node.input.extend(kept)
            node.domain = ""
    return infer_shapes(copy, data_prop=True).graph


def convolution_layers(model: onnx.ModelProto) -> list[tuple[Conv2dWorkload, int]]:
    """The different convolutions of an ONNX model, as 2-D NHWC workloads, each with its count.

    Quantized ones have their types and bias; those that differ in zero points alone count as one, but for
    inputs whose zero point is zero, which need less. Convolutions of one or three dimensions and transposed
    ones are those they are computed by. Raises ModelError for one whose shapes are not static.
    """
    counts: Counter[Conv2dWorkload] = Counter()
    first: dict[Conv2dWorkload, Conv2dWorkload] = {}
    for workload in _Graph(model).convolutions():
        alike, q = workload, workload.quantized
        if q is not None:
            alike = replace(workload, quantized=replace(q, out_zero=0, data_zero=int(q.data_zero != 0)))
        counts[first.setdefault(alike, workload)] += 1
    return list(counts.items())


class _Graph:
    """What has to be known of a model's tensors."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.nodes = model.graph.node
        inferred = inferred_shapes(model)
        self.shapes: dict[str, Shape] = {
            value.name: tuple(dim.dim_value for dim in value.type.tensor_type.shape.dim)
            for value in (*inferred.input, *inferred.value_info, *inferred.output)
        }
        self.shapes.update({tensor.name: tuple(tensor.dims) for tensor in model.graph.initializer})
        self.tensors = {tensor.name: tensor for tensor in model.graph.initializer}
        for node in self.nodes:
            if node.op_type == "Constant" and node.attribute[0].name == "value":
                self.tensors[node.output[0]] = node.attribute[0].t
        self.producer = {name: node for node in self.nodes for name in node.output}
        self.consumers: dict[str, list[NodeProto]] = {}
        for node in self.nodes:
            for name in node.input:
                self.consumers.setdefault(name, []).append(node)

    def convolutions(self) -> Iterator[Conv2dWorkload]:
        for node in self.nodes:
            if node.op_type in OPERANDS:
                types = self._types(node)
                for workload in self._shaped(node):
                    yield workload if types is None else replace(workload, **types)

    def _shaped(self, node: NodeProto) -> list[Conv2dWorkload]:
        at = OPERANDS[node.op_type]
        data, weight = (self.shapes.get(node.input[at[name]], ()) for name in ("data", "filter"))
        if len(data) not in (3, 4, 5) or len(data) != len(weight) or 0 in data + weight:
            raise ModelError(
                f"convolution '{node.name or node.output[0]}': input {data} and weight {weight} "
                "are not two static shapes of 3 to 5 dimensions; fix the model's input shapes "
                "(--shapes, --batch)"
            )
        rank, given = (
            len(data) - 2,
            {item.name: onnx.helper.get_attribute_value(item) for item in node.attribute},
        )
        strides, dilation = (given.get(name, [1] * rank) for name in ("strides", "dilations"))
        padding, mode = given.get("pads", [0] * (2 * rank)), given.get("auto_pad", b"").decode()
        axes, groups = list(zip(data[2:], weight[2:], strides, dilation, strict=True)), given.get("group", 1)
        if node.op_type == "ConvTranspose":
            size = self.shapes[node.output[0]][2:]
            if mode.startswith("SAME") or given.get("output_shape"):
                extra = given.get("output_padding", [0] * rank)
                whole = [reach(*axis) + more for axis, more in zip(axes, extra, strict=True)]
                padding = [cut(*each, mode == "SAME_UPPER")[0] for each in zip(whole, size, strict=True)]
            return transposed(data, weight, size, strides, padding[:rank], dilation, groups)
        if mode.startswith("SAME"):
            before, after = zip(*(same_padding(*axis, mode == "SAME_UPPER") for axis in axes), strict=True)
            padding = [*before, *after]
        if rank == 2 and data[3] == weight[3] == 1 < data[2] and not any(padding[1::2]):  # of one dimension
            data, weight, strides, dilation = data[:3], weight[:3], strides[:1], dilation[:1]
            padding = padding[::2]
        return convolutions(data, weight, strides, padding, dilation, groups)

    def _types(self, node: NodeProto) -> dict[str, Any] | None:
        """Fields of a quantized convolution's workload; None for one in float."""
        at = OPERANDS[node.op_type]
        if node.op_type == "ConvTranspose" or len(self.shapes.get(node.input[0], ())) == 5:
            return None  # in float, whatever its operands are stored in
        if node.op_type == "Conv":
            dequantized = [self.producer.get(node.input[at[name]]) for name in ("data", "filter")]
            if any(producer is None or producer.op_type != "DequantizeLinear" for producer in dequantized):
                return None
            data, weight = dequantized
            assert data is not None and weight is not None
            weights, filter_zero = self._constant(weight, 0), self._constant(weight, 2)
            data_zero = self._constant(data, 2)
            out_dtype, out_zero, low = self._stored(node.output[0])
        else:
            weights = self._constant(node, at["filter"])
            data_zero, filter_zero = (self._constant(node, at[name]) for name in ("data_zero", "filter_zero"))
            stored = self._constant(node, at["out_zero"]) if "out_zero" in at else None
            out_dtype, out_zero = ("int32", 0) if stored is None else (str(stored.dtype), int(stored))
            low = -np.inf
        if weights is None:
            return None
        if filter_zero is not None:
            weights = weights.astype(np.int16) - filter_zero.astype(np.int16).reshape(
                -1, *[1] * (weights.ndim - 1)
            )
        zero, dtype = (0, "uint8") if data_zero is None else (int(data_zero), str(data_zero.dtype))
        return {
            "dtype": dtype,
            "quantized": QuantizedTypes(out_dtype, zero, out_zero, *filter_range(weights)),
            "epilogue": Epilogue(bias="bias" in at and len(node.input) > at["bias"], low=low),
        }

    def _stored(self, name: str) -> tuple[str, int, float]:
        """(dtype, zero point, lower bound) of what is stored of a convolution in QDQ form."""
        low = -np.inf
        consumers = self.consumers.get(name, [])
        if [node.op_type for node in consumers] == ["Relu"]:
            low, consumers = 0.0, self.consumers.get(consumers[0].output[0], [])
        if [node.op_type for node in consumers] != ["QuantizeLinear"]:
            return "float32", 0, low
        zero = self._constant(consumers[0], 2)
        return ("uint8", 0, low) if zero is None else (str(zero.dtype), int(zero), low)

    def _constant(self, node: NodeProto, index: int) -> np.ndarray | None:
        """A node's constant input; None where it has none. Tensors of one element become scalars."""
        if len(node.input) <= index or node.input[index] not in self.tensors:
            return None
        array = numpy_helper.to_array(self.tensors[node.input[index]])
        return array.reshape(()) if array.size == 1 and array.ndim < 2 else array
