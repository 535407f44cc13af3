"""Trigonometric and hyperbolic functions as TIR expressions that stay vector code.

``expressions.py`` says why. Polynomials are those of S. Moshier's Cephes library (single-precision ``sinf``,
``tanf``, ``asinf``, ``atanf``, ``sinhf``, ``asinhf`` and ``acoshf``). Angles are reduced in double precision
by a quarter turn in three parts (Cody and Waite, "Software Manual for the Elementary Functions", 1980), large
ones by the digits of two over pi (Payne and Hanek, "Radian reduction for trigonometric functions", 1983), so
that every float has its sine.
"""

from __future__ import annotations

import functools
import math

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from .builder import Expr
from .expressions import Lets, dtype_like, half_exp, like, log, polynomial

_QUARTER_TURN = (1.5707963109016418, 1.5893254712295857e-08, 6.123233995736766e-17)
"""Pi over two in parts, the first two of 26 bits, whose products with an integer of 26 bits are exact."""
_ROUND = 1.5 * 2.0**52
"""Adding it to a double leaves the nearest integer in the low bits of the sum."""
_LARGE = 2.0**26
"""Least angle that is reduced by digits."""
_DIGITS = (0xA2F983, 0x6E4E44, 0x1529FC, 0x2757D1, 0xF534DD, 0xC0DB62, 0x95993C, 0x439041)
"""Two over pi in digits of 24 bits, whose products with a float's are exact."""

_SIN = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_TAN = (
    *(9.38540185543e-3, 3.11992232697e-3, 2.44301354525e-2),
    *(5.34112807005e-2, 1.33387994085e-1, 3.33331568548e-1),
)
_ASIN = (4.2163199048e-2, 2.4181311049e-2, 4.5470025998e-2, 7.4953002686e-2, 1.6666752422e-1)
_ATAN = (8.05374449538e-2, -1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1)
_ATAN_LOW, _ATAN_HIGH = math.tan(math.pi / 8), math.tan(3 * math.pi / 8)
_SINH = (2.03721912945e-4, 8.33028376239e-3, 1.66667160211e-1)
_ACOSH = (1.7596881071e-3, -7.5272886713e-3, 2.6454905019e-2, -1.1784741703e-1, 1.4142135263e0)
_ASINH = (2.0122003309e-2, -4.2699340972e-2, 7.4847586088e-2, -1.6666288134e-1)
_NEAR_ZERO, _NEAR_ONE, _FAR = 0.5, 1.5, 1500.0
"""Numbers below the first have a sum of powers for asinh, below the second for acosh; of those above the
third the square is all that counts."""


def sin(value: Expr) -> Expr:
    """Sine to 2 units in the last place for every float32, NaN of infinities."""
    return _of_quadrant(value, 0)


def cos(value: Expr) -> Expr:
    """Cosine to 2 units in the last place for every float32, NaN of infinities."""
    return _of_quadrant(value, 1)


def tan(value: Expr) -> Expr:
    """Tangent to 4 units in the last place for every float32, NaN of infinities."""
    lets = Lets()
    quadrant, x = _reduced(lets, value)
    square = lets.bind("square", x * x)
    near = lets.bind("near", polynomial(_TAN, square) * (square * x) + x)
    return lets.wrap(T.Select(_has(quadrant, 1), T.float32(-1) / near, near))


def asin(value: Expr) -> Expr:
    """The angle of a sine to 3 units in the last place, NaN beyond 1."""
    lets = Lets()
    x = lets.bind("x", value)
    size = lets.bind("size", T.fabs(x))
    arc = lets.bind("arc", _arc(lets, size))
    far = T.float32(math.pi / 2) - (arc + arc)
    return lets.wrap(_signed(T.Select(size > 0.5, far, arc), x))


def acos(value: Expr) -> Expr:
    """The angle of a cosine to 3 units in the last place, NaN beyond 1."""
    lets = Lets()
    x = lets.bind("x", value)
    size = lets.bind("size", T.fabs(x))
    arc = lets.bind("arc", _arc(lets, size))
    twice = lets.bind("twice", arc + arc)
    far = T.Select(x < 0.0, T.float32(math.pi) - twice, twice)
    near = T.float32(math.pi / 2) - T.Select(x < 0.0, T.float32(0) - arc, arc)
    return lets.wrap(T.Select(size > 0.5, far, near))


def atan(value: Expr) -> Expr:
    """The angle of a tangent to 3 units in the last place for every float32, infinities too."""
    lets = Lets()
    x = lets.bind("x", value)
    size = lets.bind("size", T.fabs(x))
    low, high = size > _ATAN_LOW, size > _ATAN_HIGH
    over = T.Select(high, like(x, -1.0), T.Select(low, size - T.float32(1), size))
    under = T.Select(high, size, T.Select(low, size + T.float32(1), like(x, 1.0)))
    angle = T.Select(high, like(x, math.pi / 2), T.Select(low, like(x, math.pi / 4), like(x, 0.0)))
    rest = lets.bind("rest", over / under)
    square = lets.bind("square", rest * rest)
    return lets.wrap(_signed(angle + (polynomial(_ATAN, square) * (square * rest) + rest), x))


def sinh(value: Expr) -> Expr:
    """Hyperbolic sine to 4 units in the last place for every float32, infinities too."""
    lets = Lets()
    x = lets.bind("x", value)
    size, square = lets.bind("size", T.fabs(x)), lets.bind("square", x * x)
    near = polynomial(_SINH, square) * (square * x) + x
    half = lets.bind("half", half_exp(size))
    far = _signed(half - T.float32(0.25) / half, x)
    return lets.wrap(T.Select(size < 1.0, near, far))


def cosh(value: Expr) -> Expr:
    """Hyperbolic cosine to 4 units in the last place for every float32, infinities too."""
    lets = Lets()
    half = lets.bind("half", half_exp(T.fabs(value)))
    return lets.wrap(half + T.float32(0.25) / half)


def asinh(value: Expr) -> Expr:
    """The number of a hyperbolic sine to 4 units in the last place for every float32, infinities too."""
    lets = Lets()
    x = lets.bind("x", value)
    size, square = lets.bind("size", T.fabs(x)), lets.bind("square", x * x)
    near = polynomial(_ASINH, square) * (square * size) + size
    far = size > _FAR
    sum_ = T.Select(far, size, size + T.sqrt(square + T.float32(1)))
    logarithm = log(sum_) + T.Select(far, like(x, math.log(2)), like(x, 0.0))
    return lets.wrap(_signed(T.Select(size < _NEAR_ZERO, near, logarithm), x))


def acosh(value: Expr) -> Expr:
    """The number of a hyperbolic cosine to 4 units in the last place, NaN below 1."""
    lets = Lets()
    x = lets.bind("x", value)
    above = lets.bind("above", x - T.float32(1))
    near = polynomial(_ACOSH, above) * T.sqrt(above)
    far = x > _FAR
    sum_ = T.Select(far, x, x + T.sqrt(above * (x + T.float32(1))))
    logarithm = log(sum_) + T.Select(far, like(x, math.log(2)), like(x, 0.0))
    return lets.wrap(T.Select(x < _NEAR_ONE, near, logarithm))


def _of_quadrant(value: Expr, ahead: int) -> Expr:
    """The sine of so many quarter turns ahead."""
    lets = Lets()
    quadrant, x = _reduced(lets, value)
    square = lets.bind("square", x * x)
    sine = polynomial(_SIN, square) * (square * x) + x
    cosine = polynomial(_COS, square) * (square * square) - square * T.float32(0.5) + T.float32(1)
    turned = quadrant + ahead
    result = lets.bind("result", T.Select(_has(turned, 1), cosine, sine))
    return lets.wrap(T.Select(_has(turned, 2), T.float32(0) - result, result))


def _reduced(lets: Lets, value: Expr) -> tuple[Expr, Expr]:
    """The quadrant as an integer, and the angle in it, from -pi / 4 to pi / 4."""
    double = dtype_like("float64", value)
    x = lets.bind("wide", T.cast(value, double))
    turns = lets.bind("turns", _turns(x))
    large = T.fabs(x) >= _LARGE
    shifted = lets.bind("shifted", T.Select(large, turns, x * T.float64(2 / math.pi)) + T.float64(_ROUND))
    whole = lets.bind("whole", shifted - T.float64(_ROUND))
    small_rest = functools.reduce(lambda left, part: left - whole * T.float64(part), _QUARTER_TURN, x)
    rest = T.Select(large, (turns - whole) * T.float64(math.pi / 2), small_rest)
    quadrant = T.cast(T.reinterpret(dtype_like("int64", value), shifted), dtype_like("int32", value))
    return quadrant, lets.bind("rest", T.cast(rest, dtype_like("float32", value)))


def _turns(x: Expr) -> Expr:
    """Quarter turns of a large angle, less a multiple of four."""
    turns = T.float64(0)
    for at, digit in enumerate(_DIGITS):
        product = x * T.float64(digit * 2.0 ** (-24 * (at + 1)))
        fours = tirx.nearbyint(product * T.float64(0.25))
        turns = turns + (product - fours * T.float64(4))
    return turns


def _arc(lets: Lets, size: Expr) -> Expr:
    """The angle of sine ``size`` up to a half; of larger ones half of what is left to a right angle."""
    large = size > 0.5
    rest = T.float32(0.5) - size * T.float32(0.5)
    square = lets.bind("square", T.Select(large, rest, size * size))
    root = lets.bind("root", T.Select(large, T.sqrt(rest), size))
    return polynomial(_ASIN, square) * (square * root) + root


def _has(number: Expr, bit: int) -> Expr:
    return T.bitwise_and(number, bit) != 0


def _signed(size: Expr, x: Expr) -> Expr:
    """``size`` with the sign of x."""
    return tirx.call_llvm_pure_intrin(size.ty, "llvm.copysign", size, x)
