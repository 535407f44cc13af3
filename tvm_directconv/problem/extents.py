"""Extents: sizes of dimensions that stay open while a model is compiled.

An ``Extent`` stands where a number would: an integer expression over open dimensions, with the value that it
has at typical sizes. Arithmetic makes further expressions. Code that works on numbers works on extents:

- A question that code depends on, as ``a < b`` or a number asked for (``int``, ``range``), is answered by
  what is known of all sizes, where that is not enough by the typical value, and that is kept as an
  assumption: what is compiled holds for the sizes at which the assumptions do.
- ``a == b`` is whether both are equal at all sizes, and assumes nothing.
- An estimate assumes nothing: ``typical`` asks for the typical value. An extent does not mix with floats, for
  code would then hold the typical size: TypeError.

PyTorch's SymInt, with its hints and guards, is the same idea.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import tvm
from tvm import tirx

from tvm_directconv.errors import DataDependentError
from tvm_directconv.runtime.size_values import computed, evaluated

from .size_text import text_of, variables_of

LARGE_PRIME = 10007


class Extent:
    """An integer expression over open dimensions, ``sizes``; ``OpenSizes.extent`` (open_sizes.py) makes
    them."""

    __slots__ = ("_negated", "_typical", "expr", "sizes")

    def __init__(self, expr: tirx.Expr, sizes: Any, negated: Any = None) -> None:
        self.expr, self.sizes = expr, sizes
        self._typical: int | None = None
        self._negated = negated  # ``-(-a // b)`` rounds up; as it is written, TVM would divide by ``-b``

    @property
    def typical(self) -> int:
        """Return its value at typical sizes."""
        if self._typical is None:
            self._typical = self.sizes.value(self.expr, self.sizes.typical)
        return self._typical

    def __deepcopy__(self, memo: object) -> Extent:
        return self

    # ---- for TVM

    def __tvm_ffi_value__(self) -> tirx.Expr:
        return self.sizes.given(self.expr)

    # ---- arithmetic

    def _make(self, function: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
        if not (type(left) in OWN and type(right) in OWN) and any(
            isinstance(each, tvm.ir.Expr) for each in (left, right)
        ):
            given = [
                self.sizes.given(each.expr) if isinstance(each, Extent) else each for each in (left, right)
            ]
            return function(*given)
        return self._once(function, left, right, self.sizes.extent)

    def _once(self, function: Callable[[Any, Any], Any], a: Any, b: Any, then: Callable[[Any], Any]) -> Any:
        """What ``then`` says of a function of two operands, which many ask again."""
        key = function, *((each.expr.__chandle__(),) if isinstance(each, Extent) else each for each in (a, b))
        known = self.sizes.said
        if key not in known:
            operands = [operand_of(each) for each in (a, b)]
            if any(each is None for each in operands):
                return NotImplemented
            known[key] = operands, then(function(*operands))  # which are kept: addresses are theirs so long
        return known[key][-1]

    def __add__(self, other: Any) -> Any:
        return self._make(operator.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return self._make(operator.add, other, self)

    def __sub__(self, other: Any) -> Any:
        return self._make(operator.sub, self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._make(operator.sub, other, self)

    def __mul__(self, other: Any) -> Any:
        return self._make(operator.mul, self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._make(operator.mul, other, self)

    def __floordiv__(self, other: Any) -> Any:
        if self._negated is not None and isinstance(other, int) and other > 0:
            return -((self._negated + (other - 1)) // other)
        return self._make(tirx.floordiv, self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._make(tirx.floordiv, other, self)

    def __mod__(self, other: Any) -> Any:
        return self._make(tirx.floormod, self, other)

    def __rmod__(self, other: Any) -> Any:
        return self._make(tirx.floormod, other, self)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __neg__(self) -> Any:
        return Extent(-self.expr, self.sizes, self) if self._negated is None else self._negated

    def __abs__(self) -> Any:
        return -self if self < 0 else self

    def __pos__(self) -> Extent:
        return self

    def __float__(self) -> float:
        raise TypeError(
            f"the open size {self} is not a float: typical(size) is an estimate, real(size) what it is"
        )

    # ---- questions

    def _decide(self, compare: Callable[[Any, Any], Any], other: Any) -> Any:
        if type(other) not in OWN and isinstance(other, tvm.ir.Expr):
            return compare(self.sizes.given(self.expr), other)
        return self._once(compare, self, other, self.sizes.decide)

    def __eq__(self, other: object) -> Any:
        """Return whether both are equal at all sizes. Nothing is assumed: what is done for sizes that differ
        has to be right for all."""
        if type(other) not in OWN and isinstance(other, tvm.ir.Expr):
            return tirx.EQ(self.sizes.given(self.expr), other)
        operand = operand_of(other)
        if operand is None:
            return NotImplemented
        return self is other or self.sizes.proves(tirx.EQ(self.expr, operand))

    def equals(self, other: Any) -> bool:
        """Return whether both are equal, at all sizes or by an assumption."""
        return self.sizes.decide(tirx.EQ(self.expr, operand_of(other)))

    def __lt__(self, other: Any) -> Any:
        return self._decide(operator.lt, other)

    def __le__(self, other: Any) -> Any:
        return self._decide(operator.le, other)

    def __gt__(self, other: Any) -> Any:
        return self._decide(operator.gt, other)

    def __ge__(self, other: Any) -> Any:
        return self._decide(operator.ge, other)

    def __bool__(self) -> bool:
        return not self.equals(0)

    def __hash__(self) -> int:
        return hash(str(self.expr))

    def __index__(self) -> int:
        """Return its typical value, which it is assumed to have."""
        return self.typical if self.equals(self.typical) else 0

    def __int__(self) -> int:
        return self.__index__()

    def __str__(self) -> str:
        return text_of(self.expr)

    __repr__ = __str__


OWN = (int, Extent)
"""Types of most operands, which are not TVM's; TVM's classes are slow to ask for instances."""


def operand_of(value: Any) -> Any:
    """Return the expression of an extent or a number; None for anything else."""
    if isinstance(value, Extent):
        return value.expr
    try:
        return tirx.IntImm("int64", operator.index(value))
    except TypeError:
        return None


def typical(value: Any) -> Any:
    """Return the typical value of an extent, or of each in a tuple, and any other value as it is: for choices
    that hold for all sizes, whatever their speed."""
    if isinstance(value, Extent):
        return value.typical
    return tuple(map(typical, value)) if isinstance(value, tuple) else value


def given_to_tvm(value: Any) -> Any:
    """Return what TVM gets for an extent, and any other value as it is, for code of TVM's that looks at
    types."""
    return value.sizes.given(value.expr) if isinstance(value, Extent) else value


def as_expression(value: Any) -> Any:
    """Return TVM's expression of an extent, and any other value as it is."""
    return value.expr if isinstance(value, Extent) else value


def surely_less(a: Any, b: Any) -> bool:
    """Return whether a size is smaller than another at all sizes; where that is not known, nothing is
    assumed."""
    for each in (a, b):
        if isinstance(each, Extent):
            return each.sizes.proves(operand_of(a) < operand_of(b))
    return bool(a < b)


def depends_on_data(size: Any) -> bool:
    """Return whether a size is known in the middle of a run."""
    return isinstance(size, Extent) and bool(size.sizes.depends_on_data(size.expr))


def known_less(a: Any, b: Any) -> bool:
    """Return whether a size is smaller than another, by an assumption where that is not known; False where it
    depends on data."""
    try:
        return bool(a < b)
    except DataDependentError:
        return False


def larger(a: Any, b: Any) -> Any:
    """Return the larger of two sizes, as an expression where that is not known; nothing is assumed."""
    return b if _at_most(a, b) else a if _at_most(b, a) else _of_two(tirx.max, a, b)


def smaller(a: Any, b: Any) -> Any:
    """Return the smaller of two sizes, as ``larger`` does the larger."""
    return a if _at_most(a, b) else b if _at_most(b, a) else _of_two(tirx.min, a, b)


def computed_size(text: str, values: Mapping[str, Any]) -> Any:
    """Return what a text that ``text_of`` wrote is of extents and numbers; nothing is assumed."""
    return computed(text, values, {"min": smaller, "max": larger})


def _at_most(a: Any, b: Any) -> bool:
    """Whether a size is not above another at all sizes."""
    each = a if isinstance(a, Extent) else b
    return each.sizes.proves(operand_of(a) <= operand_of(b)) if isinstance(each, Extent) else bool(a <= b)


def _of_two(function: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    sizes = (a if isinstance(a, Extent) else b).sizes
    return sizes.extent(function(operand_of(a), operand_of(b)))


def broadcast(*shapes: Sequence[int]) -> tuple[int, ...]:
    """Return the shape that several are broadcast to; open sizes that meet are equal, by an assumption where
    that is not known. Raises ValueError."""
    rank = max(map(len, shapes))
    wide = []
    for sizes in zip(*([1] * (rank - len(shape)) + list(shape) for shape in shapes), strict=True):
        first, *others = [size for size in sizes if size != 1] or [1]
        if not all(first == other or not bool(first - other) for other in others):
            raise ValueError(f"shapes {shapes} cannot be broadcast")
        wide.append(first)
    return tuple(wide)


def multiple_of(size: Any) -> tuple[str, int]:
    """Return what a size is a multiple of, as text, and how many times."""
    expr = as_expression(size)
    if isinstance(expr, tirx.Mul) and isinstance(expr.b, tirx.IntImm):
        return text_of(expr.a), int(expr.b)
    return (text_of(expr), 1) if isinstance(expr, tvm.ir.Expr) else ("1", int(expr))


def magnitude(value: Any) -> int:
    """Return a number by which sizes are sorted so that multiples come behind what they are multiples of."""
    expr = as_expression(value)
    if not isinstance(expr, tvm.ir.Expr):
        return int(expr)
    return evaluated(text_of(expr), dict.fromkeys(variables_of(expr), LARGE_PRIME))


def is_open(values: Iterable[Any]) -> bool:
    """Return whether any of the sizes is open."""
    return any(isinstance(value, Extent) for value in values)
