"""Descriptions of kernels as attributes of composites: dataclasses of sizes and tuples of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, TypeVar

from relay_strategies.relax.graph import ints
from tvm_directconv.problem.extents import as_expression
from tvm_directconv.problem.open_sizes import size_of

Description = TypeVar("Description")


def attributes_of(what: Any) -> dict[str, Any]:
    """Return the attributes of a composite that computes what a dataclass describes."""
    return {
        name: list(map(as_expression, value)) if isinstance(value, tuple) else as_expression(value)
        for name, value in asdict(what).items()
    }


def from_attributes(kind: type[Description], attributes: Mapping[str, Any]) -> Description:
    """Return the dataclass of that ``kind`` that a composite's attributes hold."""
    known: Any = kind
    values = {field.name: attributes[field.name] for field in fields(known)}
    read = {
        name: ints(value) if hasattr(value, "__len__") else size_of(value) for name, value in values.items()
    }
    return kind(**read)
