"""A node of an exported program as its converter sees it: arguments by the names of the operator's schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import fx
from tvm import relax

from relay_strategies.functional.builder import Builder
from relay_strategies.relax.graph import constant, operator_name, shape_of
from relay_strategies.relax.names import LAYERS, named

NAMES = {
    torch.bool: "bool",
    torch.bfloat16: "bfloat16",
    **{
        getattr(torch, name): name
        for name in (
            *("float16", "float32", "float64", "uint8", "uint16", "uint32", "uint64"),
            *("int8", "int16", "int32", "int64"),
        )
    },
}
"""Names that TVM has for PyTorch's types."""


def real_type(dtype: torch.dtype) -> torch.dtype:
    """Return the type of a complex type's parts, and any other as it is."""
    return dtype.to_real() if dtype.is_complex else dtype


@dataclass(frozen=True)
class Node(Builder):
    """One call of an operator, while the program becomes Relax.

    ``arguments`` are those of the schema, with its defaults; tensors are Relax expressions. ``layer`` is the
    path of the module that the call is in, ``name`` that of the layer: the module whose weights it uses.
    """

    source: fx.Node
    layer: str
    name: str
    arguments: Mapping[str, Any]
    builder: relax.BlockBuilder
    sizes_of: Callable[[Any], tuple[int, ...]] = lambda value: tuple(map(int, value.shape))
    """Gives the shape of a tensor that torch.export knows, with extents where it is open."""

    places: dict[relax.Expr, relax.Expr] = field(default_factory=dict)
    """What masks select, as places: what is selected by the same mask is of the same size."""

    def __getitem__(self, name: str) -> Any:
        return self.arguments[name]

    def tensor(self, name: str) -> relax.Expr:
        """A tensor argument in its own type. Raises UnsupportedOperatorError where it is none."""
        value = self.arguments[name]
        if not isinstance(value, relax.Expr):
            raise self.refusal(f"argument '{name}' is {value!r}, no tensor")
        return value

    def shape(self, name: str) -> tuple[int, ...]:
        """The static shape of a tensor argument."""
        shape = shape_of(self.tensor(name))
        if shape is None:
            raise self.refusal(f"the shape of argument '{name}' is known at run time only")
        return shape

    def array(self, name: str) -> np.ndarray | None:
        """The values of a tensor argument that is a constant; None for others."""
        return constant(self.tensor(name))

    @property
    def meta(self) -> Any:
        """What torch.export knows of the result: a tensor without values, or a tuple of them."""
        return self.source.meta["val"]

    @property
    def result_shape(self) -> tuple[int, ...]:
        return self.sizes_of(self.meta)

    @property
    def dtype(self) -> str:
        """The type of the result, for several that of the first, of a complex one that of its parts."""
        first = self.meta[0] if isinstance(self.meta, tuple | list) else self.meta
        return NAMES[real_type(first.dtype)]

    def axis(self, value: int, rank: int) -> int:
        return int(value) % max(rank, 1)

    def axes(self, value: int | Sequence[int] | None, rank: int) -> list[int]:
        """Axes from 0 on; all of them for None or an empty list."""
        if value is None or (isinstance(value, list | tuple) and not value):
            return list(range(rank))
        return [self.axis(v, rank) for v in ([value] if isinstance(value, int) else value)]

    def emit_layer(self, value: relax.Expr) -> relax.Expr:
        """The value, emitted; a convolution or matrix product under the layer's name."""
        if operator_name(value) not in LAYERS:
            return self.emit(value)
        return self.builder.emit(named(value, self.name))

    def with_bias(self, value: relax.Expr, bias: relax.Expr) -> relax.Expr:
        return relax.op.add(self.emit_layer(value), bias)

    def shape_of_map(self) -> tuple[int, ...]:
        """The sizes of the data's axes behind batch and channels."""
        return self.shape("self" if "self" in self.arguments else "input")[2:]

    @property
    def label(self) -> str:
        place = f" of '{self.layer}'" if self.layer else ""
        return f"node '{self.source.name}' ({self.source.target}){place}"


Converter = Callable[[Node], relax.Expr]
"""A function that makes a node's result (a tuple of several) of the shapes and types torch.export gives."""


def as_rows(convert: Converter) -> Converter:
    """A converter of an operator along an axis that takes scalars, too, as rows of one element."""

    def converted(node: Node) -> relax.Expr:
        data = node.arguments.get("self")
        axis = node.arguments.get("dim", node.arguments.get("dimension"))
        if type(axis) is not int or not isinstance(data, relax.Expr) or shape_of(data) != ():
            return convert(node)

        def row(value: Any) -> Any:
            is_scalar = isinstance(value, relax.Expr) and shape_of(value) == ()
            return node.emit(relax.op.reshape(value, [1])) if is_scalar else value

        result = convert(replace(node, arguments={name: row(v) for name, v in node.arguments.items()}))
        if not isinstance(node.meta, tuple | list):
            return relax.op.reshape(node.emit(result), node.result_shape)
        parts = zip(result, node.meta, strict=True)
        return relax.Tuple([node.emit(relax.op.reshape(p, node.sizes_of(m))) for p, m in parts])

    return converted
