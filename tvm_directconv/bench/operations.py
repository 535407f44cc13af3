"""How many operations a whole network asks for: the multiply-adds of its convolutions and matrix products.

All else, such as activations and normalization, is left out: at the peak of multiply-adds a network could not
be faster than these are. Taps outside the image count as done, as papers count them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import onnx
import tvm
from onnx import NodeProto
from tvm import relax

from relay_strategies.frontends.onnx.importer import walk_model
from relay_strategies.frontends.onnx.nodes import all_nodes, attribute, tensor_types
from relay_strategies.relax.graph import operator_name, shape_of
from tvm_directconv.errors import DirectConvError
from tvm_directconv.zoo.onnx_layers import inferred_shapes

Shapes = Mapping[str, Sequence[int]]


def network_flops(model: onnx.ModelProto) -> int:
    """Return twice the number of multiply-adds; what lacks a static shape counts as nothing."""
    try:
        # What operators such as Attention are made of is counted, too.
        walk = walk_model(model)
        nodes, types = walk.nodes, walk.types
    except DirectConvError:
        graph = inferred_shapes(model)
        nodes, types = list(all_nodes(graph)), tensor_types(graph)
    shapes = {name: [dim.dim_value for dim in kind.shape.dim] for name, kind in types.items()}
    return 2 * sum(_multiply_adds(node, shapes) for node in nodes)


def module_flops(module: tvm.IRModule) -> int:
    """Return twice the number of multiply-adds of a Relax module's main function."""
    total = 0
    for block in module["main"].body.blocks:
        for value in (binding.value for binding in block.bindings if hasattr(binding, "value")):
            name = operator_name(value) if isinstance(value, relax.Call) else ""
            if name in _OF_RELAX:
                data, weight, result = (shape_of(each) or (0,) for each in (*value.args[:2], value))
                total += 2 * _OF_RELAX[name](value, data, weight, result)
    return total


def _convolved(call: relax.Call, data: Sequence[int], weight: Sequence[int], result: Sequence[int]) -> int:
    """Each element of the result, of a transposed convolution of the data, meets a filter."""
    is_transposed = "transpose" in operator_name(call)
    axis = str(call.attrs.kernel_layout).index("I" if is_transposed else "O")
    return math.prod(data if is_transposed else result) * math.prod(weight) // weight[axis]


_OF_RELAX: Mapping[str, Callable[..., int]] = {
    **{f"relax.nn.conv{rank}d{kind}": _convolved for rank in (1, 2, 3) for kind in ("", "_transpose")},
    "relax.matmul": lambda call, data, weight, result: math.prod(result) * data[-1],
}


def _multiply_adds(node: NodeProto, shapes: Shapes) -> int:
    operands = [shapes.get(name) for name in node.input]
    result = shapes.get(node.output[0]) if node.output else None
    if result is None:
        return 0
    places = _FILTERS.get(node.op_type)
    if places is not None:
        data, weight = (operands[at] if at < len(operands) else None for at in places)
        if data is None or weight is None:
            return 0
        # A transposed convolution meets each element of its input with a filter's, others of their output.
        return math.prod(data if node.op_type == "ConvTranspose" else result) * math.prod(weight[1:])
    if node.op_type in _PRODUCTS:
        data = operands[0]
        if not data:
            return 0
        transposed = node.op_type in ("Gemm", "QGemm") and bool(attribute(node, "transA", 0))
        return math.prod(result) * data[0 if transposed else -1]
    if node.op_type == "Einsum" and len(operands) == 2:
        return _of_einsum(attribute(node, "equation", b"").decode(), operands)
    return 0


_FILTERS = {
    "Conv": (0, 1),
    "ConvTranspose": (0, 1),
    "ConvInteger": (0, 1),
    "QLinearConv": (0, 3),
    "DeformConv": (0, 1),
}
"""The places of an operator's data and filter."""
_PRODUCTS = ("Gemm", "MatMul", "MatMulInteger", "QGemm", "QLinearMatMul")


def _of_einsum(equation: str, operands: Sequence[Sequence[int] | None]) -> int:
    """Return the product of all indices' extents: those of both operands, each once."""
    extents: dict[str, int] = {}
    for term, shape in zip(equation.partition("->")[0].split(","), operands, strict=False):
        letters = term.strip()
        if shape is None or len(letters) != len(shape):
            return 0
        extents |= dict(zip(letters, shape, strict=True))
    return math.prod(extents.values())
