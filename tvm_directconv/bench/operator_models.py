"""A model of few ONNX nodes whose shapes, values and attributes are drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

OPSET = 20
LEAST, MOST = 2**14, 2**20
"""Tensors have about so many elements: above what a call costs, and within the caches of a core."""


class Drawing:
    """A graph of few nodes whose shapes, values and attributes are drawn."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.nodes: list[onnx.NodeProto] = []
        self.inputs: dict[str, np.ndarray] = {}
        self.constants: list[onnx.TensorProto] = []

    def pick(self, *choices: Any) -> Any:
        """Return one of the choices."""
        return choices[int(self.rng.integers(len(choices)))]

    def size(self, least: float, most: float) -> int:
        """Return a size between two, as likely small as large, often a multiple of eight where it is not
        small."""
        size = round(math.exp(self.rng.uniform(math.log(least), math.log(most))))
        return size - size % 8 if size >= 16 and self.rng.random() < 0.7 else size

    def shape(self, rank: int) -> tuple[int, ...]:
        """Return a shape of so many dimensions, the first of them mostly 1."""
        total = math.exp(self.rng.uniform(math.log(LEAST), math.log(MOST)))
        if rank == 1:
            return (round(total),)
        batch = self.pick(1, 1, 1, 2, 4) if rank > 2 else self.size(1, 64)
        rest = rank - 1
        even = (total / batch) ** (1 / rest)
        inner = [self.size(max(2, even / 3), max(3, even * 3)) for _ in range(rest - 1)]
        return (batch, *inner, max(2, round(total / batch / math.prod(inner))))

    def image(self, channels: int = 0, maps: int = 2, side: int = 0) -> tuple[int, ...]:
        """Return a shape NCHW, or one with another number of spatial dimensions."""
        channels = channels or self.pick(3, 16, 24, 32, 48, 64, 96, 128, 160, 256)
        most = max(4.0, (MOST / channels) ** (1 / maps))
        return (1, channels, *(side or self.size(most / 5, most) for _ in range(maps)))

    def axis(self, rank: int) -> int:
        """Return an axis, the last one half of the time."""
        return self.pick(rank - 1, int(self.rng.integers(rank)))

    def given(self, shape: Sequence[int], least: float = -4.0, most: float = 4.0) -> str:
        """Return the name of an input with values between two bounds."""
        return self.given_values(self.rng.uniform(least, most, shape).astype(np.float32))

    def given_values(self, values: np.ndarray) -> str:
        """Return the name of an input with these values."""
        name = f"x{len(self.inputs)}"
        self.inputs[name] = values
        return name

    def constant(self, values: Any, dtype: str = "int64") -> str:
        """Return the name of a constant."""
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(values, dtype), name))
        return name

    def weights(self, *shape: int) -> str:
        """Return the name of a constant of normal numbers, smaller the more are summed."""
        deviation = 1 / math.sqrt(max(1, math.prod(shape[1:])))
        return self.constant(self.rng.normal(0, deviation, shape), "float32")

    def node(self, operator: str, *inputs: str, outputs: int = 1, **attributes: Any) -> str:
        """Add a node and return the name of its first output."""
        names = [f"y{len(self.nodes)}_{i}" for i in range(outputs)]
        domain = attributes.pop("domain", "")
        self.nodes.append(helper.make_node(operator, inputs, names, domain=domain, **attributes))
        return names[0]

    def model(self) -> onnx.ModelProto:
        """Return the graph as a model; the last node's outputs are its own."""
        inputs = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(values.dtype), values.shape)
            for name, values in self.inputs.items()
        ]
        outputs = [helper.make_empty_tensor_value_info(name) for name in self.nodes[-1].output if name]
        graph = helper.make_graph(self.nodes, "operator", inputs, outputs, self.constants)
        opsets = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
        return onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)

    @property
    def label(self) -> str:
        """The operators with their attributes, and the inputs' shapes."""
        nodes = []
        for node in self.nodes:
            values = [f"{each.name}={_text(helper.get_attribute_value(each))}" for each in node.attribute]
            nodes.append(" ".join([node.op_type, *values]))
        shapes = ["x".join(map(str, values.shape)) for values in self.inputs.values()]
        return f"{' + '.join(nodes)} of {', '.join(shapes)}"


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float):
        return f"{value:.3g}"
    return ",".join(map(str, value)) if isinstance(value, Sequence) else str(value)
