"""An ONNX graph written layer by layer, with seeded weights: what the project's own networks are made with.

Tensors are known by name and number of channels; ONNX infers the rest of their shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET, IR_VERSION = 13, 8
"""ONNX Runtime's quantizer wants this opset for scales per channel."""


@dataclass(frozen=True)
class Tensor:
    """The result of a layer."""

    name: str
    channels: int


class Drawing:
    """A graph as it grows. ``dimensions`` is of its maps: 1, 2 or 3."""

    def __init__(self, name: str, dimensions: int, seed: int) -> None:
        self._name, self._dimensions = name, dimensions
        self._numbers = np.random.default_rng(seed)
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[TensorProto] = []
        self._inputs: list[onnx.ValueInfoProto] = []

    def input(self, name: str, shape: Sequence[int]) -> Tensor:
        self._inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape)))
        return Tensor(name, shape[1])

    def model(self, *outputs: Tensor) -> onnx.ModelProto:
        """The model with these outputs."""
        infos = [helper.make_value_info(tensor.name, onnx.TypeProto()) for tensor in outputs]
        graph = helper.make_graph(self._nodes, self._name, self._inputs, infos, self._weights)
        imports = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, opset_imports=imports, ir_version=IR_VERSION)
        inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True)
        del inferred.graph.value_info[:]
        return inferred

    def node(
        self, kind: str, inputs: Sequence[Tensor | np.ndarray | None], channels: int, **attributes: object
    ) -> Tensor:
        """Any operator; arrays among its inputs become weights, None is an input left out."""
        (result,) = self.nodes(kind, inputs, [channels], **attributes)
        return result

    def nodes(
        self,
        kind: str,
        inputs: Sequence[Tensor | np.ndarray | None],
        channels: Sequence[int],
        **attributes: object,
    ) -> list[Tensor]:
        """An operator of several results, one for each number of channels."""
        number = len(self._nodes)
        names = [self._operand(f"{number}_{place}", operand) for place, operand in enumerate(inputs)]
        results = [f"{kind.lower()}_{number}" + (f"_{i}" if i else "") for i in range(len(channels))]
        self._nodes.append(helper.make_node(kind, names, results, f"{kind}_{number}", **attributes))
        return [Tensor(name, count) for name, count in zip(results, channels, strict=True)]

    def _operand(self, label: str, operand: Tensor | np.ndarray | None) -> str:
        if operand is None:
            return ""
        if isinstance(operand, Tensor):
            return operand.name
        self._weights.append(numpy_helper.from_array(operand, f"weight_{label}"))
        return f"weight_{label}"

    # ---- layers, of maps of as many dimensions

    def convolution(
        self,
        x: Tensor,
        channels: int,
        kernel: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | Sequence[int] | None = None,
        *,
        bias: bool = True,
    ) -> Tensor:
        """A convolution; without ``padding``, one that keeps the size at stride 1."""
        taps = self._each(kernel)
        pads = [tap // 2 for tap in taps] if padding is None else self._each(padding)
        operands: list[Tensor | np.ndarray | None] = [x, self._filter(channels, x.channels, *taps)]
        if bias:
            operands.append(self._normal(channels, deviation=0.1))
        strides = self._each(stride)
        return self.node("Conv", operands, channels, kernel_shape=taps, strides=strides, pads=pads * 2)

    def transposed(self, x: Tensor, channels: int, stride: int) -> Tensor:
        """A transposed convolution whose kernel is as large as its stride."""
        taps = self._each(stride)
        weight = self._normal(x.channels, channels, *taps, deviation=(1 / x.channels) ** 0.5)
        bias = self._normal(channels, deviation=0.1)
        return self.node("ConvTranspose", [x, weight, bias], channels, kernel_shape=taps, strides=taps)

    def normalized(self, x: Tensor) -> Tensor:
        """Batch normalization."""
        scale, variance = (self._uniform(x.channels, *bounds) for bounds in ((0.5, 1.0), (0.8, 1.2)))
        shift, mean = (self._normal(x.channels, deviation=0.1) for _ in range(2))
        return self.node("BatchNormalization", [x, scale, shift, mean, variance], x.channels)

    def relu(self, x: Tensor) -> Tensor:
        return self.node("Relu", [x], x.channels)

    def silu(self, x: Tensor) -> Tensor:
        return self.node("Mul", [x, self.node("Sigmoid", [x], x.channels)], x.channels)

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        return self.node("Add", [x, y], x.channels)

    def concatenated(self, *tensors: Tensor) -> Tensor:
        return self.node("Concat", tensors, sum(tensor.channels for tensor in tensors), axis=1)

    def largest(self, x: Tensor, kernel: int, stride: int, padding: int = 0) -> Tensor:
        """Max pooling."""
        taps, strides, pads = (self._each(value) for value in (kernel, stride, padding))
        return self.node("MaxPool", [x], x.channels, kernel_shape=taps, strides=strides, pads=pads * 2)

    def classified(self, x: Tensor, classes: int) -> Tensor:
        """The mean of the map, and a dense layer of it."""
        mean = self.node("Flatten", [self.node("GlobalAveragePool", [x], x.channels)], x.channels)
        weight = self._filter(classes, x.channels)
        return self.node("Gemm", [mean, weight, self._normal(classes, deviation=0.1)], classes, transB=1)

    def reshaped(self, x: Tensor, *shape: int) -> Tensor:
        return self.node("Reshape", [x, np.array(shape, np.int64)], shape[1])

    def _each(self, value: int | Sequence[int]) -> list[int]:
        return [value] * self._dimensions if isinstance(value, int) else list(value)

    def _filter(self, outputs: int, *rest: int) -> np.ndarray:
        return self._normal(outputs, *rest, deviation=(2 / np.prod(rest)) ** 0.5)

    def _normal(self, *shape: int, deviation: float) -> np.ndarray:
        return self._numbers.standard_normal(shape, np.float32) * np.float32(deviation)

    def _uniform(self, size: int, low: float, high: float) -> np.ndarray:
        return self._numbers.uniform(low, high, size).astype(np.float32)
