"""Writers of Relay's formats: the text that the parser reads, its metadata section, and tensors.

They write what is there, and rename or inline nothing.
"""

from __future__ import annotations

import base64
import json
import math
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from relay_strategies.frontends.relay.metadata import CONSTANT
from relay_strategies.frontends.relay.syntax import (
    Attribute,
    Block,
    Branch,
    Call,
    Expression,
    Function,
    FunctionType,
    GlobalName,
    Literal,
    MapValue,
    MetaReference,
    Module,
    OperatorName,
    Projection,
    TensorType,
    Tuple,
    TupleType,
    Type,
    Value,
    Variable,
)
from relay_strategies.frontends.tensors import HEAD, MAGIC

INDENT = "  "
PLAIN_DTYPES = {"int32": "", "float32": "f", "bool": ""}


def print_module(module: Module, constants: Sequence[np.ndarray] = ()) -> str:
    """The text of ``module``, in which ``meta[relay.Constant][n]`` stands for ``constants[n]``."""
    lines = [f'#[version = "{module.version}"]']
    lines += [f"def @{d.name}{_function(d.function, '')}\n" for d in module.definitions]
    return "\n".join(lines) + ("\n" + write_metadata(constants) if constants else "")


def print_expression(node: Expression, indent: str = "") -> str:
    """One expression; lines of blocks in it are indented by ``indent`` and more."""
    if isinstance(node, Variable):
        return f"%{node.name}"
    if isinstance(node, GlobalName):
        return f"@{node.name}"
    if isinstance(node, OperatorName):
        return node.name
    if isinstance(node, Literal):
        return _literal(node)
    if isinstance(node, MetaReference):
        return str(node)
    if isinstance(node, Tuple):
        fields = [print_expression(field, indent) for field in node.fields]
        return f"({fields[0]},)" if len(fields) == 1 else f"({', '.join(fields)})"
    if isinstance(node, Projection):
        return f"{_projected(node.tuple, indent)}.{node.index}"
    if isinstance(node, Call):
        arguments = [print_expression(argument, indent) for argument in node.arguments]
        arguments += [_attribute(attribute) for attribute in node.attributes]
        return f"{print_expression(node.function, indent)}({', '.join(arguments)})"
    if isinstance(node, Branch):
        condition = print_expression(node.condition, indent)
        then, otherwise = (_block(block, indent, "{}") for block in (node.then, node.otherwise))
        return f"if ({condition}) {then} else {otherwise}"
    if isinstance(node, Function):
        return f"fn {_function(node, indent)}"
    return _block(node, indent, "()")


def print_type(kind: Type) -> str:
    """``Tensor[(1, 3), float32]`` and the like; a scalar is its dtype."""
    if isinstance(kind, TensorType):
        shape = ", ".join("?" if extent is None else str(extent) for extent in kind.shape)
        return f"Tensor[({shape}), {kind.dtype}]" if kind.shape else kind.dtype
    if isinstance(kind, TupleType):
        fields = [print_type(field) for field in kind.fields]
        return f"({fields[0]},)" if len(fields) == 1 else f"({', '.join(fields)})"
    assert isinstance(kind, FunctionType)
    return f"fn ({', '.join(map(print_type, kind.parameters))}) -> {print_type(kind.result)}"


def _function(function: Function, indent: str) -> str:
    declared = [
        f"%{p.name}" + (f": {print_type(p.type)}" if p.type is not None else "") for p in function.parameters
    ]
    declared += [_attribute(attribute) for attribute in function.attributes]
    result = f" -> {print_type(function.result_type)}" if function.result_type is not None else ""
    return f"({', '.join(declared)}){result} {_block(function.body, indent, '{}')}"


def _block(block: Block, indent: str, brackets: str) -> str:
    inner = indent + INDENT
    lines = []
    for binding in block.bindings:
        kind = f": {print_type(binding.type)}" if binding.type is not None else ""
        value = print_expression(binding.value, inner)
        lines.append(f"{'let ' if binding.let else ''}%{binding.name}{kind} = {value};")
    lines.append(print_expression(block.result, inner))
    text = "".join(f"\n{inner}{line}" for line in lines)
    return f"{brackets[0]}{text}\n{indent}{brackets[1]}"


def _projected(node: Expression, indent: str) -> str:
    """A name may have dots, and a number a point; brackets keep them apart from the index."""
    text = print_expression(node, indent)
    plain = isinstance(node, Call | Tuple | Projection | Block) or (
        isinstance(node, Variable) and node.name.isdecimal()
    )
    return text if plain else f"({text})"


def _literal(node: Literal) -> str:
    if node.dtype == "bool":
        return str(bool(node.value))
    kind, bits = node.dtype.rstrip("0123456789"), node.dtype.lstrip("abcdefghijklmnopqrstuvwxyz")
    suffix = PLAIN_DTYPES.get(node.dtype, f"{kind[0]}{bits}")
    return _number(node.value) + suffix


def _number(value: int | float) -> str:
    if isinstance(value, float) and not math.isinf(value) and value.is_integer() and abs(value) < 1e15:
        return f"-{-value:.0f}" if math.copysign(1, value) < 0 else f"{value:.0f}"
    return repr(value)


def _attribute(attribute: Attribute) -> str:
    return f"{attribute.name}={_value(attribute.value)}"


def _value(value: Value) -> str:
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, float):
        return f"{_number(value)}f"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, MapValue):
        return "{" + ", ".join(f"{_value(k)}={_value(v)}" for k, v in value.entries) + "}"
    return str(value)


def write_metadata(constants: Sequence[np.ndarray]) -> str:
    """The section, with its heading, whose ``meta[relay.Constant][n]`` is ``constants[n]``."""
    first = 3
    nodes: list[dict[str, Any]] = [
        {"type_key": ""},
        {"type_key": "Map", "keys": [CONSTANT], "data": [2]},
        {"type_key": "Array", "data": list(range(first, first + len(constants)))},
        *(
            {"type_key": CONSTANT, "attrs": {"_checked_type_": "0", "data": str(n), "span": "0"}}
            for n in range(len(constants))
        ),
    ]
    tensors = [base64.b64encode(write_tensor(array)).decode() for array in constants]
    fields = {"root": 1, "nodes": nodes, "b64ndarrays": tensors, "attrs": {"tvm_version": "0.18.0"}}
    return f"#[metadata]\n{json.dumps(fields, indent=2)}\n"


def write_tensor(array: np.ndarray) -> bytes:
    """What ``read_tensor`` reads."""
    if array.dtype == bool:
        code, bits = 1, 1
    else:
        code = {"i": 0, "u": 1, "f": 2}[array.dtype.kind]
        bits = 8 * array.dtype.itemsize
    little = np.asarray(array, array.dtype.newbyteorder("<"), order="C")
    head = HEAD.pack(MAGIC, 0, 1, 0, array.ndim, code, bits, 1)
    return head + struct.pack(f"<{array.ndim + 1}q", *array.shape, little.nbytes) + little.tobytes()
