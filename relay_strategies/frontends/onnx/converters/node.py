"""An ONNX node as its converter sees it: operands that are Relax already, attributes, and what TVM does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from tvm import relax

from relay_strategies.frontends.budget import spend
from relay_strategies.functional.builder import Builder
from relay_strategies.relax.graph import constant, shape_of
from tvm_directconv.errors import UnsupportedOperatorError


@dataclass(frozen=True)
class Node(Builder):
    """One node of a graph, while the graph becomes Relax.

    ``inputs`` has None where an optional input is left out; ``outputs`` is the number of results asked for.
    ``by_tvm`` converts the node by TVM's own converter, on other operands where they are given.
    """

    kind: str
    name: str
    inputs: Sequence[relax.Expr | None]
    attributes: Mapping[str, Any]
    outputs: int
    opset: int
    builder: relax.BlockBuilder
    by_tvm: Callable[[Sequence[relax.Expr | None]], relax.Expr]

    def input(self, index: int) -> relax.Expr | None:
        """The operand at ``index``; None where it is left out."""
        return self.inputs[index] if index < len(self.inputs) else None

    def data(self, index: int = 0) -> relax.Expr:
        """The tensor at ``index``, which the operator cannot do without."""
        value = self.input(index)
        if value is None:
            raise self.error(f"input {index} is missing")
        return value

    def shape(self, index: int = 0) -> tuple[int, ...]:
        """The static shape of an operand."""
        shape = shape_of(self.data(index))
        if shape is None:
            raise self.refusal(f"the shape of input {index} is known at run time only")
        return shape

    def array(self, index: int) -> np.ndarray | None:
        """A constant operand; None where it is left out. Raises UnsupportedOperatorError for others."""
        value = self.input(index)
        if value is None:
            return None
        array = constant(self.data(index))
        if array is None:
            raise self.refusal(f"input {index} has to be a constant")
        return array

    def text(self, name: str, default: str) -> str:
        """An attribute that is a string."""
        value = self.attributes.get(name, default)
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)

    def axis(self, default: int, rank: int | None = None) -> int:
        """The attribute ``axis``, from 0 on. Raises ModelError where the data lacks that axis."""
        rank = len(self.shape()) if rank is None else rank
        axis = self.integer("axis", default)
        if not -rank <= axis < rank:
            raise self.error(f"axis {axis} is none of {rank} axes")
        return axis % rank

    def integer(self, name: str, default: int) -> int:
        """An attribute that is an integer."""
        return int(self.attributes.get(name, default))

    def number(self, name: str, default: float) -> float:
        """An attribute that is a float."""
        return float(self.attributes.get(name, default))

    def ints(self, name: str, default: Sequence[int] = ()) -> list[int]:
        """An attribute that is a list of integers."""
        return [int(value) for value in self.attributes.get(name, default)]

    @property
    def label(self) -> str:
        return f"node '{self.name}' ({self.kind})"

    def spend(self, nodes: int) -> None:
        spend(nodes)

    def refusal(self, why: str) -> UnsupportedOperatorError:
        return UnsupportedOperatorError(f"{self.label}: {why}", [self.name])


Converter = Callable[[Node], relax.Expr]
"""A function that makes a node's result, a tuple if there are several.

Raises ModelError for what ONNX does not allow, and UnsupportedOperatorError for what ONNX does and this
library does not."""
