"""Descriptions of kernels as attributes of composites: dataclasses of integers and tuples of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, TypeVar

from relay_strategies.relax.graph import ints

Description = TypeVar("Description")


def attributes_of(what: Any) -> dict[str, Any]:
    """Return the attributes of a composite that computes what a dataclass describes."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(what).items()}


def from_attributes(kind: type[Description], attributes: Mapping[str, Any]) -> Description:
    """Return the dataclass of that ``kind`` that a composite's attributes hold."""
    known: Any = kind
    values = {field.name: attributes[field.name] for field in fields(known)}
    read = {name: ints(value) if hasattr(value, "__len__") else int(value) for name, value in values.items()}
    return kind(**read)
