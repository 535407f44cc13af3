"""The signature of ``main``: its parameters and their values, and the result it is declared to have."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from tvm import relax

from relay_strategies.frontends.declared import Declared
from relay_strategies.relax.graph import dtype_of, shape_of
from tvm_directconv.errors import ModelError, nearest

from .converters import Value
from .converters.elementwise import DTYPES
from .syntax import Definition, Function, Module, Parameter, TensorType, TupleType
from .syntax import Type as SyntaxType


def main_of(module: Module) -> Definition:
    """Return the definition of ``main``. Raises ModelError where there is none."""
    for definition in module.definitions:
        if definition.name == "main":
            return definition
    found = ", ".join(f"@{definition.name}" for definition in module.definitions)
    at = module.definitions[0].position
    raise ModelError(f"{at}: the module lacks a function @main; it has {found}")


def declared_inputs(module: Module, params: Mapping[str, np.ndarray]) -> Declared:
    """Return the shapes of the parameters of ``main`` that ``params`` lacks, by name. Raises ModelError."""
    given = {printed_name(name) for name in params}
    parameters = [each for each in main_of(module).function.parameters if each.name not in given]
    return {each.name: tuple(map(int, tensor_type(each).shape)) for each in parameters}  # type: ignore[arg-type]


def check_names(main: Function, params: Mapping[str, np.ndarray]) -> None:
    """Refuse parameters of one name, and params that are none. Raises ModelError."""
    seen = set()
    for parameter in main.parameters:
        if parameter.name in seen:
            raise ModelError(f"{parameter.position}: two parameters are called %{parameter.name}")
        seen.add(parameter.name)
    printed = {printed_name(name) for name in params}
    for name in params:
        if printed_name(name) not in seen:
            raise ModelError(
                f"{main.position}: params has '{name}', no parameter of @main{nearest(name, seen)}"
            )
    if len(printed) != len(params):
        raise ModelError(f"{main.position}: params has two names that print alike")


def printed_name(name: str) -> str:
    """How Relay's printer writes a parameter's name: it begins with a letter."""
    return name if name[:1].isalpha() else f"v{name}"


def tensor_type(parameter: Parameter) -> TensorType:
    """The declared type, which has to be that of a tensor of known shape. Raises ModelError."""
    kind = parameter.type
    if not isinstance(kind, TensorType):
        raise ModelError(f"{parameter.position}: parameter %{parameter.name} does not have a tensor type")
    if None in kind.shape:
        raise ModelError(
            f"{parameter.position}: parameter %{parameter.name} has a dimension that is not known before run "
            "time; write its size for '?'"
        )
    if kind.dtype not in DTYPES:
        raise ModelError(
            f"{parameter.position}: parameter %{parameter.name}: dtype '{kind.dtype}' is not known"
        )
    if any(extent is not None and not 0 < extent < 2**31 for extent in kind.shape):
        raise ModelError(f"{parameter.position}: parameter %{parameter.name} has shape {kind.shape}")
    return kind


def input_variable(parameter: Parameter, kind: TensorType) -> relax.Var:
    """The input of ``main`` that a parameter without a value becomes; it keeps the name."""
    return relax.Var(parameter.name, relax.TensorType(kind.shape, kind.dtype))


def checked_value(array: np.ndarray, kind: TensorType, parameter: Parameter) -> np.ndarray:
    """``array``, which has to have the declared shape and dtype exactly. Raises ModelError."""
    if array.shape != kind.shape or array.dtype != np.dtype(kind.dtype):
        raise ModelError(
            f"{parameter.position}: params['{parameter.name}'] is {array.dtype}{list(array.shape)}, "
            f"the text says {kind.dtype}{list(kind.shape)}"
        )
    return array


def check_result(value: Value, kind: SyntaxType | None, main: Definition) -> None:
    """The declared result against what was computed."""
    if isinstance(kind, TupleType):
        if not isinstance(value, tuple) or len(value) != len(kind.fields):
            raise ModelError(f"{main.position}: @main is declared to return a tuple of {len(kind.fields)}")
        for field, declared in zip(value, kind.fields, strict=True):
            check_result(field, declared, main)
    elif isinstance(kind, TensorType) and isinstance(value, relax.Expr):
        found = shape_of(value)
        same = found is None or (
            len(found) == len(kind.shape)
            and all(d is None or d == f for d, f in zip(kind.shape, found, strict=True))
        )
        if not same or dtype_of(value) != kind.dtype:
            raise ModelError(
                f"{main.position}: @main is declared to return {kind.dtype}{list(kind.shape)}, "
                f"and computes {dtype_of(value)}{list(found or ())}"
            )
    elif isinstance(kind, TensorType) and isinstance(value, tuple):
        raise ModelError(f"{main.position}: @main is declared to return a tensor, and computes a tuple")
