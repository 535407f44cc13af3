"""OperatorCall: one call of a Relay operator, as its converter sees it, and the values that go in and out."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from tvm import relax

from relay_strategies.frontends.relay.layouts import change_layout, plain_layout
from relay_strategies.frontends.relay.syntax import Attribute, Function, Position
from relay_strategies.functional.builder import Builder
from relay_strategies.operators.evaluation import evaluated
from relay_strategies.relax.graph import constant, operator_name
from relay_strategies.relax.names import named
from relay_strategies.relax.quantize_calls import DEQUANTIZE
from tvm_directconv.errors import ModelError, nearest

REQUIRED: Any = object()
"""This stands for the default of an attribute that has none."""


NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 6: "six"}


@dataclass(frozen=True)
class Closure:
    """A function of the text, with the variables it sees."""

    function: Function
    scope: dict[str, Value]


@dataclass(frozen=True)
class Blocked:
    """A tensor that Relay has in a layout with blocks, such as NCHW16c, and that is kept as NCHW."""

    data: relax.Expr
    layout: str


@dataclass(frozen=True)
class Sums:
    """The 32-bit sums of a quantized layer: as integers, and as reals when the unit of a sum is known.

    ``reals(unit)`` is the float32 expression for one unit of all sums or one per channel (a vector of one
    element or OC). ``axis`` is that of the channels.
    """

    integers: relax.Expr
    reals: Callable[[np.ndarray], relax.Expr]
    axis: int


Value: TypeAlias = "relax.Expr | tuple[Value, ...] | Closure | Blocked | Sums"
Converter: TypeAlias = "Callable[[OperatorCall], Value]"


class OperatorCall(Builder):
    """A call: operands by number, attributes by name, and the emission of Relax.

    Readers of attributes check their types; ``check_attributes`` refuses those no one has read, so that no
    attribute is silently dropped. All errors say operator and position.
    """

    def __init__(
        self,
        operator: str,
        arguments: Sequence[Value],
        attributes: Sequence[Attribute],
        position: Position,
        builder: relax.BlockBuilder,
        name: str,
        is_padding: Callable[[relax.Expr], relax.Call | None],
    ) -> None:
        self.operator, self.arguments, self.position, self.name = operator, arguments, position, name
        self.padding_of = is_padding
        self._attributes = {attribute.name: attribute for attribute in attributes}
        self._read: set[str] = set()
        self.builder = builder

    def with_data(self, data: relax.Expr) -> OperatorCall:
        """The same call with another first operand; attributes read there count as read here."""
        other = copy.copy(self)
        other.arguments = [data, *self.arguments[1:]]
        return other

    def with_attributes(self, known: Mapping[str, Any], operands: int = 1) -> OperatorCall:
        """The same call of the first operands alone, with further attributes."""
        other = copy.copy(self)
        other.arguments = self.arguments[:operands]
        more = {name: Attribute(name, value, self.position) for name, value in known.items()}
        other._attributes = {**self._attributes, **more}
        return other

    # ---- operands

    def value(self, index: int) -> Value:
        if index >= len(self.arguments):
            raise self.error(f"operand {index + 1} is missing")
        return self.arguments[index]

    def data(self, index: int = 0) -> relax.Expr:
        """An operand that is a tensor."""
        return self.tensor(self.value(index), f"operand {index + 1}")

    def tensor(self, value: Value, what: str) -> relax.Expr:
        if isinstance(value, Blocked):
            return self.change_layout(value.data, plain_layout(value.layout), value.layout)
        if isinstance(value, Sums):
            return value.integers
        if isinstance(value, tuple | Closure):
            raise self.error(
                f"{what} is a {'tuple' if isinstance(value, tuple) else 'function'}, not a tensor"
            )
        return value

    def tensors(self, index: int = 0) -> list[relax.Expr]:
        """An operand that is a tuple of tensors."""
        value = self.value(index)
        if not isinstance(value, tuple):
            raise self.error(f"operand {index + 1} is not a tuple")
        return [
            self.tensor(part, f"part {number} of operand {index + 1}") for number, part in enumerate(value)
        ]

    def constant(self, index: int) -> np.ndarray:
        return self.constant_of(self.data(index), f"operand {index + 1}")

    def constant_of(self, data: relax.Expr, what: str) -> np.ndarray:
        array = constant(data)
        if array is None:
            raise self.error(f"{what} must be a constant")
        return array

    def rank(self, data: relax.Expr, *wanted: int) -> tuple[int, ...]:
        """The shape of ``data``, which has one of the ``wanted`` numbers of dimensions."""
        shape = self.shape_of(data)
        if len(shape) not in wanted:
            expected = " or ".join(map(str, wanted))
            raise self.error(f"a tensor of shape {shape} is given, one of {expected} dimensions is expected")
        return shape

    def axis(self, name: str, default: int, rank: int) -> int:
        """An attribute that numbers one of ``rank`` dimensions, from the front."""
        return self.checked_axis(self.integer(name, default), rank)

    def checked_axis(self, axis: int, rank: int) -> int:
        if not -rank <= axis < rank:
            raise self.error(f"axis {axis} is none of a tensor of {rank} dimensions")
        return axis % rank

    # ---- attributes

    def integer(self, name: str, default: Any = REQUIRED) -> int:
        value = self._get(name, default)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._wrong(name, "an integer")
        return value

    def number(self, name: str, default: Any = REQUIRED) -> float:
        value = self._get(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(name, "a number")
        return float(value)

    def flag(self, name: str, default: bool) -> bool:
        value = self._get(name, default)
        if value not in (True, False):
            raise self._wrong(name, "True or False")
        return bool(value)

    def text(self, name: str, default: Any = REQUIRED) -> str:
        value = self._get(name, default)
        if not isinstance(value, str):
            raise self._wrong(name, "a string")
        return value

    def ints(self, name: str, default: Any = REQUIRED) -> tuple[int, ...]:
        """A list of integers; one integer is a list of one."""
        values = self._get(name, default)
        values = values if isinstance(values, tuple) else (values,)
        if any(isinstance(value, bool) or not isinstance(value, int) for value in values):
            raise self._wrong(name, "a list of integers")
        return tuple(values)

    def each(self, name: str, count: int, default: Any = REQUIRED) -> tuple[int, ...]:
        """Return so many positive integers, of which one may stand for all."""
        values = self.ints(name, default)
        values = values * count if len(values) == 1 else values
        if len(values) != count or min(values) < 1:
            raise self._wrong(name, f"{NUMBERS[count]} positive integers")
        return values

    def padding(self, count: int = 2) -> tuple[int, ...]:
        """Return the padding in front along each of so many axes, then that behind."""
        values = self.ints("padding", 0)
        if len(values) not in (1, count, 2 * count) or min(values) < 0:
            counts = ", ".join(NUMBERS[each] for each in sorted({1, count}))
            raise self._wrong("padding", f"{counts} or {NUMBERS[2 * count]} integers that are not negative")
        return (values * 2 * count)[: 2 * count]

    def optional(self, name: str) -> bool:
        """Whether an attribute is there and not None."""
        self._read.add(name)
        return name in self._attributes and self._attributes[name].value not in (None, "")

    def get(self, name: str, default: Any = REQUIRED) -> Any:
        return self._get(name, default)

    def ignore(self, *names: str) -> None:
        """Attributes that change nothing."""
        self._read.update(names)

    def check_attributes(self) -> None:
        for name, attribute in self._attributes.items():
            if name not in self._read:
                hint = nearest(name, self._read)
                raise ModelError(f"{attribute.position}: {self.operator} lacks an attribute '{name}'{hint}")

    def _get(self, name: str, default: Any) -> Any:
        self._read.add(name)
        if name in self._attributes:
            return self._attributes[name].value
        if default is REQUIRED:
            raise self.error(f"attribute '{name}' is missing")
        return default

    def _wrong(self, name: str, wanted: str) -> ModelError:
        attribute = self._attributes.get(name)
        at = self.position if attribute is None else attribute.position
        value = None if attribute is None else attribute.value
        return ModelError(f"{at}: {self.operator}: {name}={value!r} should be {wanted}")

    @property
    def label(self) -> str:
        return f"{self.position}: {self.operator}"

    # ---- Relax

    def emit(self, expr: relax.Expr) -> relax.Expr:
        """``expr`` bound to a variable, or the constant that it is."""
        if not isinstance(expr, relax.Call | relax.Tuple | relax.TupleGetItem):
            return expr
        normalized = self.builder.normalize(expr)
        # Quantized constants stay as they are stored, for the layers that can use them so.
        stored = not isinstance(normalized, relax.Call) or operator_name(normalized) == DEQUANTIZE
        folded = None if stored else evaluated(normalized, normalized.args)
        return self.builder.emit(normalized) if folded is None else folded

    def emit_layer(self, expr: relax.Expr) -> relax.Expr:
        return self.builder.emit(named(expr, self.name))

    def emit_unfolded(self, expr: relax.Expr) -> relax.Expr:
        return self.builder.emit(expr)

    def change_layout(self, data: relax.Expr, source: str, result: str) -> relax.Expr:
        try:
            return change_layout(self.emit, data, source, result)
        except ValueError as error:
            raise self.error(str(error)) from None


def of_constants(converter: Converter, *attributes: str, first: int = 1) -> Converter:
    """Convert an operator of dyn, whose attributes are operands from the ``first`` on, by the converter of
    the operator that has them as attributes: supported where they are constants."""

    def convert(call: OperatorCall) -> Value:
        given = [call.constant(number).tolist() for number in range(first, len(call.arguments))]
        if len(given) > len(attributes):
            raise call.error(f"{len(given)} operands for {', '.join(attributes)}")
        known = {name: _attribute(value) for name, value in zip(attributes, given, strict=False)}
        return converter(call.with_attributes(known, first))

    return convert


def _attribute(value: Any) -> Any:
    """A constant as an attribute is written: one element is a number, several are a list."""
    if not isinstance(value, list):
        return value
    parts = tuple(map(_attribute, value))
    return parts[0] if len(parts) == 1 and not isinstance(parts[0], tuple) else parts
