"""One operator written as several: what the tables of expansions are written with."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, TypeProto, helper

from tvm_directconv.errors import UnsupportedOperatorError

CONTRIB = "com.microsoft"
"""The domain of ONNX Runtime's own operators, which its quantizer and its optimizers write."""
LAYERS = ("Conv", "Gemm", "MatMul")
FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.DOUBLE)

Types = Mapping[str, TypeProto.Tensor]


class Unknown(Exception):
    """An expansion needs the shape of a tensor that is not known."""


class Expansion:
    """The nodes that take the place of one, and their constants by name; an empty name is an input left
    out."""

    def __init__(self, node: NodeProto, types: Types, opset: int) -> None:
        self.node, self.nodes, self.opset = node, list[NodeProto](), opset
        self.constants: dict[str, np.ndarray] = {}
        self._types = types
        self._base = node.name or node.output[0]

    @functools.cached_property
    def attributes(self) -> dict[str, Any]:
        return attributes_of(self.node)

    def input(self, index: int) -> str:
        return str(self.node.input[index]) if index < len(self.node.input) else ""

    def emit(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """A node of ``kind``, its result a new tensor unless ``output`` names it."""
        result = output or f"{self.node.output[0]}/{kind}{len(self.nodes)}"
        # The layer itself, the first if there are several, keeps the name of the node that it was.
        named = kind in LAYERS and not any(node.op_type in LAYERS for node in self.nodes)
        name = self._base if named else result
        while inputs and not inputs[-1]:
            inputs = inputs[:-1]
        self.nodes.append(helper.make_node(kind, inputs, [result], name, **attributes))
        return result

    def result(self, value: str, index: int = 0) -> None:
        """Make a tensor, which a node emitted here makes, the node's result."""
        name = self.node.output[index]
        for node in self.nodes:
            node.input[:] = [name if read == value else read for read in node.input]
            node.output[:] = [name if made == value else made for made in node.output]

    def constant(self, array: np.ndarray) -> str:
        name = f"{self.node.output[0]}/constant{len(self.constants)}"
        self.constants[name] = array
        return name

    def number(self, value: float | np.ndarray) -> str:
        """A constant in the type of the float operands. Raises Unknown where that is not known."""
        return self.constant(np.array(value, self._dtype()))

    def _dtype(self) -> np.dtype:
        known = [self._types[name].elem_type for name in self.node.input if name in self._types]
        floats = [kind for kind in known if kind in FLOATS]
        if not floats:
            raise Unknown(self.input(0))
        return helper.tensor_dtype_to_np_dtype(floats[0])

    def dequantized(self, first: int, axis: int | None = None) -> str:
        """The operand whose values, scale and zero point are the inputs from ``first`` on."""
        data, scale, zero = (self.input(first + i) for i in range(3))
        return self.dequantize(data, scale, zero, axis)

    def dequantize(self, data: str, scale: str, zero: str, axis: int | None = None) -> str:
        along: dict[str, Any] = {} if axis is None else {"axis": axis}
        return self.emit("DequantizeLinear", data, self.float32(scale), zero, **along)

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

    def element_type(self, index: int) -> int:
        """The element type of an operand; 0 where it is unknown."""
        kind = self._types.get(self.input(index))
        return 0 if kind is None else int(kind.elem_type)

    def result_type(self) -> int:
        return int(self._types[self.node.output[0]].elem_type)

    def rank(self, name: str) -> int | None:
        return len(self._types[name].shape.dim) if name in self._types else None

    def extents(self, name: str) -> list[int]:
        """The shape, -1 where it is open. Raises Unknown where not even the rank is known."""
        if name not in self._types or not self._types[name].HasField("shape"):
            raise Unknown(name)
        dims = self._types[name].shape.dim
        return [dim.dim_value if dim.HasField("dim_value") else -1 for dim in dims]

    def size(self, name: str) -> int | None:
        """Elements of a vector or scalar, as far as known."""
        if name not in self._types:
            return None
        return int(np.prod([dim.dim_value for dim in self._types[name].shape.dim], dtype=np.int64))

    def without(self, *names: str) -> dict[str, Any]:
        """The node's attributes but for these."""
        return {name: value for name, value in self.attributes.items() if name not in names}

    def refuse_attributes(self, *names: str) -> None:
        given = [name for name in names if self.attributes.get(name)]
        if given:
            raise self.refuse(f"the attribute {' and '.join(given)} is not supported")

    def refuse_inputs(self, *indices: int) -> None:
        given = [str(index) for index in indices if self.input(index)]
        if given:
            raise self.refuse(f"input {' and '.join(given)} (a past state or a length) is not supported")

    def refuse_outputs(self, *indices: int) -> None:
        given = [self.node.output[index] for index in indices if index < len(self.node.output)]
        if any(given):
            raise self.refuse(f"its result {' and '.join(filter(None, given))} is not supported")

    def refuse(self, why: str) -> UnsupportedOperatorError:
        return UnsupportedOperatorError(f"node '{self._base}' ({self.node.op_type}): {why}", [self._base])


Expand = Callable[[Expansion], None]


def domain_of(node: NodeProto) -> str:
    return "" if node.domain == "ai.onnx" else str(node.domain)


def attributes_of(node: NodeProto) -> dict[str, Any]:
    return {a.name: helper.get_attribute_value(a) for a in node.attribute}
