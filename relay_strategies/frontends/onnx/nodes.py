"""Nodes, attributes and tensors of ONNX graphs, as every step of the frontend reads them."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import onnx
from onnx import (
    AttributeProto,
    FunctionProto,
    GraphProto,
    NodeProto,
    SparseTensorProto,
    TensorProto,
    TensorShapeProto,
    TypeProto,
    helper,
    numpy_helper,
)

from relay_strategies.frontends.budget import spend
from relay_strategies.frontends.sizes import refuse_size
from tvm_directconv.errors import ModelError, first_line, let_through
from tvm_directconv.memory import page_aligned
from tvm_directconv.problem.extents import Extent
from tvm_directconv.problem.open_sizes import active_sizes

DEFAULT_DOMAINS = ("", "ai.onnx")
CONTRIB = "com.microsoft"
"""The domain of ONNX Runtime's own operators, which its quantizer and its optimizers write."""
GRAPHS = (AttributeProto.GRAPH, AttributeProto.GRAPHS)


def node_name(node: NodeProto) -> str:
    return node.name or next((name for name in node.output if name), node.op_type)


def operator_name(node: NodeProto) -> str:
    """Return what a node's operator is called: behind the domain, unless that is the standard's."""
    return str(node.op_type if node.domain in DEFAULT_DOMAINS else f"{node.domain}::{node.op_type}")


def attribute(node: NodeProto, name: str, default):  # type: ignore[no-untyped-def]
    return next((helper.get_attribute_value(a) for a in node.attribute if a.name == name), default)


def all_nodes(graph: GraphProto | FunctionProto) -> Iterator[NodeProto]:
    """The nodes of a graph, or of a function, and of the graphs in it."""
    for inner in (graph, *subgraphs(graph)):
        yield from inner.node


def nodes_in(node: NodeProto) -> Iterator[NodeProto]:
    """A node, and those of the graphs in it."""
    yield node
    for given in node.attribute:
        for graph in (given.g, *given.graphs) if given.type in GRAPHS else ():
            yield from all_nodes(graph)


def subgraphs(graph: GraphProto | FunctionProto) -> Iterator[GraphProto]:
    """The graphs that are attributes of nodes, and those in them."""
    for node in graph.node:
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs) if attribute.type in GRAPHS else ():
                yield inner
                yield from subgraphs(inner)


def tensor_types(graph: GraphProto) -> dict[str, onnx.TypeProto.Tensor]:
    """The types of all tensors that have one."""
    types = {
        value.name: value.type.tensor_type
        for group in (graph.input, graph.value_info, graph.output)
        for value in group
        if value.type.HasField("tensor_type")
    }
    for tensor in graph.initializer:
        types[tensor.name] = tensor_type(tensor.data_type, tensor.dims)
    return types


def tensor_type(element: int, dims: Iterable[int]) -> TypeProto.Tensor:
    """The type of tensors of a static shape, in which extents are symbols."""
    shape = TensorShapeProto(dim=map(_dimension, dims))
    return TypeProto.Tensor(elem_type=element, shape=shape)


def _dimension(size: Any) -> TensorShapeProto.Dimension:
    if isinstance(size, Extent):
        return TensorShapeProto.Dimension(dim_param=size.sizes.text(size))
    return TensorShapeProto.Dimension(dim_value=size)


def static_dims(kind: onnx.TypeProto.Tensor | None) -> list[int] | None:
    """The shape of a tensor type; None where it is unknown or has a symbol that stands for no extent."""
    if kind is None or not kind.HasField("shape"):
        return None
    sizes = active_sizes()
    dims = [
        dim.dim_value if dim.HasField("dim_value") else sizes and sizes.parsed(dim.dim_param)
        for dim in kind.shape.dim
    ]
    return None if any(dim is None for dim in dims) else dims  # type: ignore[return-value]


def onnx_dims(value: onnx.ValueInfoProto) -> tuple[int | str, ...] | None:
    """Return the dimensions that a ValueInfoProto declares; one without a name is called after its place, and
    so is each that exporters write as -1 or "?"."""
    tensor = value.type.tensor_type
    if not tensor.HasField("shape"):
        return None
    dims: list[int | str] = []
    for axis, dim in enumerate(tensor.shape.dim):
        if dim.HasField("dim_value") and dim.dim_value >= 0:
            dims.append(dim.dim_value)
        else:
            is_name = any(map(str.isalpha, dim.dim_param))
            dims.append(dim.dim_param if is_name else f"{value.name}.{axis}")
    return tuple(dims)


def tensor_array(name: str, tensor: TensorProto) -> np.ndarray:
    if any(size < 0 for size in tensor.dims):
        raise ModelError(f"tensor '{name}' has shape {tuple(tensor.dims)}")
    try:
        return page_aligned(numpy_helper.to_array(tensor))
    except Exception as error:  # what it raises depends on how the bytes mismatch the shape
        let_through(error)
        raise ModelError(f"tensor '{name}': {first_line(error)}") from None


def sparse_array(name: str, tensor: SparseTensorProto, most: int | None) -> np.ndarray:
    """A tensor of which the elements that are not 0 are given, by their places in all or along each axis.

    It is not larger than ``most`` bytes.
    """
    values, places = (tensor_array(name, part) for part in (tensor.values, tensor.indices))
    dims = tuple(tensor.dims)
    refuse_size(dims, values.itemsize, f"tensor '{name}'", most)
    spend(0, math.prod(dims) * values.itemsize)
    dense = np.zeros(dims, values.dtype)
    along, extents = ((places,), (dense.size,)) if places.ndim == 1 else (tuple(places.T), dims)
    try:
        dense.reshape(-1)[np.ravel_multi_index(along, extents)] = values
    except (IndexError, ValueError, TypeError) as error:
        raise ModelError(f"tensor '{name}': {first_line(error)}") from None
    return dense


def item_bytes(kind: TypeProto.Tensor) -> int:
    """Return the bytes of an element, 1 where its type is unknown."""
    return int(helper.tensor_dtype_to_np_dtype(kind.elem_type).itemsize) if kind.elem_type else 1


def with_defaults(node: NodeProto, schema: onnx.defs.OpSchema) -> dict[str, AttributeProto]:
    """Return a node's attributes by name, with the schema's default values of those that are left out."""
    formal = {name: each.default_value for name, each in schema.attributes.items()}
    defaults = {name: value for name, value in formal.items() if value.name}
    return {**defaults, **{each.name: each for each in node.attribute}}


def schema_of(node: NodeProto, opset: int, domain: str = "") -> onnx.defs.OpSchema | None:
    """The schema of an operator of the standard's, or of another domain; None for one that it lacks."""
    of_node = "" if node.domain in DEFAULT_DOMAINS else node.domain
    return _schema(node.op_type, opset, domain) if of_node == domain else None


@functools.lru_cache(maxsize=1024)
def _schema(kind: str, opset: int, domain: str) -> onnx.defs.OpSchema | None:
    try:
        return onnx.defs.get_schema(kind, opset, domain)
    except onnx.defs.SchemaError:
        return None
