"""The syntax of a Relay module: what the parser makes.

Every node knows where it stood in the text; positions take no part in comparisons. A function's body is a
flat list of bindings and a result, so that a chain of a thousand lets is not a tree
a thousand levels deep.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True)
class Position:
    """Line and column in the text, from 1."""

    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


NOWHERE = Position()


# ---- types


@dataclass(frozen=True)
class TensorType:
    """A tensor or, of no dimensions, a scalar; a dimension that is None is known at run time only."""

    shape: tuple[int | None, ...]
    dtype: str


@dataclass(frozen=True)
class TupleType:
    fields: tuple[Type, ...]


@dataclass(frozen=True)
class FunctionType:
    parameters: tuple[Type, ...]
    result: Type


Type: TypeAlias = TensorType | TupleType | FunctionType


# ---- attributes


@dataclass(frozen=True)
class MetaReference:
    """``meta[kind][index]``: an object of the metadata section."""

    kind: str
    index: int
    position: Position = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        return f"meta[{self.kind}][{self.index}]"


@dataclass(frozen=True)
class MapValue:
    """An attribute's value that is a map, as printed for debugging."""

    entries: tuple[tuple[Value, Value], ...]


Value: TypeAlias = bool | int | float | str | MetaReference | MapValue | tuple["Value", ...] | None


@dataclass(frozen=True)
class Attribute:
    name: str
    value: Value
    position: Position = field(default=NOWHERE, compare=False, repr=False)


# ---- expressions


@dataclass(frozen=True)
class Variable:
    """``%name`` or ``%3``; a name with dots may also be a projection of a shorter one."""

    name: str
    position: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class GlobalName:
    """``@name``, a function of the module."""

    name: str
    position: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class OperatorName:
    name: str
    position: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Literal:
    """A scalar constant and its dtype."""

    value: bool | int | float
    dtype: str
    position: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Tuple:
    fields: tuple[Expression, ...]
    position: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Projection:
    """``tuple.index``."""

    tuple: Expression
    index: int
    position: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Call:
    """A call of an operator, a global function or a closure.

    ``span`` is the name the frontend gave the operator's node, from a comment, where it did.
    """

    function: Expression
    arguments: tuple[Expression, ...]
    attributes: tuple[Attribute, ...] = ()
    position: Position = field(default=NOWHERE, compare=False, repr=False)
    span: str = field(default="", compare=False)


@dataclass(frozen=True)
class Branch:
    """``if (condition) {...} else {...}``."""

    condition: Expression
    then: Block
    otherwise: Block
    position: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Parameter:
    name: str
    type: Type | None = None
    position: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Function:
    """A function of the module or a closure."""

    parameters: tuple[Parameter, ...]
    body: Block
    result_type: Type | None = None
    attributes: tuple[Attribute, ...] = ()
    position: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Binding:
    """``%0 = value;``, or ``let %x: type = value;``."""

    name: str
    value: Expression
    type: Type | None = None
    let: bool = False
    position: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Block:
    bindings: tuple[Binding, ...]
    result: Expression
    position: Position = field(default=NOWHERE, compare=False, repr=False)


Expression: TypeAlias = (
    Variable
    | GlobalName
    | OperatorName
    | Literal
    | MetaReference
    | Tuple
    | Projection
    | Call
    | Branch
    | Function
    | Block
)


@dataclass(frozen=True)
class Definition:
    """``def @name(...) {...}``."""

    name: str
    function: Function
    position: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Module:
    version: str
    definitions: tuple[Definition, ...]
