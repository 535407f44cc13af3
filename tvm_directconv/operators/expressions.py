"""Element-wise functions as TIR expressions that stay vector code: exponentials, logarithms, powers, erf.

LLVM turns ``T.exp`` of 16 lanes into 16 calls of libm's ``expf``. These are plain multiply-adds, integer
shifts and selects instead, so they vectorize on every target, inside explicit vectors as well as in
scheduled scalar loops. Range reductions and polynomials are those of S. Moshier's Cephes library
(single-precision ``expf``, ``logf`` and ``tanhf``); the quotient for erf is a minimax fit of our own.
"""

from __future__ import annotations

import functools
import math

from tvm import tirx
from tvm.tirx.script.builder import ir as T

from .builder import Expr, splat, unseen

_LOG2_E = 1.44269504088896341
_LN2_HIGH = 0.693359375
"""This is ln 2 to ten bits, so that its product with a small integer is exact."""
_LN2_LOW = -2.12194440e-4
_EXP_POLYNOMIAL = (
    1.9875691500e-4,
    1.3981999507e-3,
    8.3334519073e-3,
    4.1665795894e-2,
    1.6666665459e-1,
    5.0000001201e-1,
)
_EXP_ZERO, _EXP_INFINITY = -105.0, 89.0
"""Below the first of these arguments exp rounds to zero, above the second it overflows to infinity."""
_HALF_EXP_INFINITY = 90.0
"""Above this argument half of exp overflows."""
_EXP_LEAST_NORMAL = -87.0
"""Least argument of which exp is a normal number."""
_ROUND, _ROUND_BITS = 12582912.0, 0x4B400000
"""1.5 * 2^23: adding it leaves the nearest integer of a small float in the low bits of the sum."""

_LOG_POLYNOMIAL = (
    7.0376836292e-2,
    -1.1514610310e-1,
    1.1676998740e-1,
    -1.2420140846e-1,
    1.4249322787e-1,
    -1.6668057665e-1,
    2.0000714765e-1,
    -2.4999993993e-1,
    3.3333331174e-1,
)
_ONE_BITS, _SQRT_HALF_BITS, _MANTISSA_BITS = 0x3F800000, 0x3F3504F3, 0x007FFFFF

_INFINITY_BITS, _SIZE_BITS = 0x7F80_0000, 0x7FFF_FFFF

_TANH_POLYNOMIAL = (
    -5.70498872745e-3,
    2.06390887954e-2,
    -5.37397155531e-2,
    1.33314422036e-1,
    -3.33332819422e-1,
)
_TANH_SMALL = 0.625

_ERF_NUMERATOR = (
    2.046155486823409e-06,
    2.848313597496599e-04,
    3.7719332613050938e-03,
    5.2767373621463776e-02,
    1.905791163444519e-01,
    1.1283791065216064e00,
)
_ERF_DENOMINATOR = (
    3.8048481656005606e-05,
    1.163712004199624e-03,
    1.4981950633227825e-02,
    1.141766831278801e-01,
    5.022290945053101e-01,
    1.0,
)
"""erf(x) / x as a quotient of polynomials in x^2, of the least relative error, 1.9e-8, up to ``_ERF_ONE``."""
_ERF_ONE = 3.925
"""Least argument of which erf rounds to 1."""

_POWERS_BY_PRODUCTS = (0.5, 1, 1.5, 2, 2.5, 3, 4)

_EXPM1_MINUS_ONE = -18.0
"""Below this e^x - 1 rounds to -1."""
_SMALLEST_NORMAL, _NORMALIZING, _NORMALIZING_EXPONENT = 2.0**-126, 2.0**23, 23.0


class Lets:
    """Intermediate values of one expression: bound once in order, used by name, wrapped around the result.

    They are floats: of an integer's name TVM finds other limits within the expression than beside it, and
    stops where it looks for both, as for those of a result that is cast to an integer.
    """

    def __init__(self) -> None:
        self.bindings: list[tuple[tirx.Var, Expr]] = []

    def bind(self, name: str, value: Expr) -> Expr:
        variable = tirx.Var(name, value.ty)
        self.bindings.append((variable, unseen(value)))
        return variable

    def wrap(self, result: Expr) -> Expr:
        for variable, value in reversed(self.bindings):
            result = tirx.Let(variable, value, result)
        return result


def exp(value: Expr) -> Expr:
    """e^value to 2 units in the last place for every float32, infinities, NaN and denormal results too."""
    return _scaled_exp(value, _EXP_INFINITY, 0)


def half_exp(value: Expr) -> Expr:
    """e^value / 2 to 2 units in the last place for every float32, as sums of two such ask for it."""
    return _scaled_exp(value, _HALF_EXP_INFINITY, -1)


def _scaled_exp(value: Expr, infinity: float, doublings: int) -> Expr:
    """e^value, doubled so many times, which is infinity from an argument on."""
    lets = Lets()
    exponent, rest = _exponent_and_rest(lets, value, _EXP_ZERO, infinity)
    fraction = polynomial(_EXP_POLYNOMIAL, rest) * (rest * rest) + rest + T.float32(1)
    # Scaled in two steps: 2^128 and 2^-149 are out of a float exponent's range, their halves are not.
    half = T.shift_right(exponent, 1)
    return lets.wrap(fraction * _power_of_two(half) * _power_of_two(exponent - half + doublings))


def expm1(value: Expr) -> Expr:
    """e^value - 1 to 2 units in the last place for every float32, near zero too."""
    lets = Lets()
    exponent, rest = _exponent_and_rest(lets, value, _EXPM1_MINUS_ONE, _EXP_INFINITY)
    fraction = polynomial(_EXP_POLYNOMIAL, rest) * (rest * rest) + rest
    # Half of it, so that 2^128 is not out of range.
    half = lets.bind("half", _power_of_two(exponent - 1))
    return lets.wrap((fraction * half + (half - T.float32(0.5))) * T.float32(2))


def log(value: Expr) -> Expr:
    """Natural logarithm to 2 units in the last place for every float32: -infinity of 0, NaN below it."""
    lets = Lets()
    x = lets.bind("value", value)
    tiny = x < _SMALLEST_NORMAL
    normal = T.Select(tiny, x * T.float32(_NORMALIZING), x)
    finite = lets.bind("finite", _log(normal, T.Select(tiny, like(x, _NORMALIZING_EXPONENT), like(x, 0.0))))
    # What is not a positive number is its own logarithm, or the logarithm of zero, or of less.
    beyond = T.Select(x < 0.0, like(x, math.nan), T.Select(x <= 0.0, like(x, -math.inf), x))
    known = T.Select(x > 0.0, finite, beyond)
    return lets.wrap(T.Select(x < math.inf, known, x))


def log1p(value: Expr) -> Expr:
    """ln(1 + value) to 3 units in the last place for every float32, near zero too."""
    lets = Lets()
    x = lets.bind("value", value)
    sum_ = lets.bind("sum", x + T.float32(1))
    # What rounding the sum has lost, over the sum: the logarithm's slope.
    lost = (x - (sum_ - T.float32(1))) / sum_
    both = lets.bind("both", log(sum_))
    ordinary = T.Select(x > -1.0, both + lost, both)
    return lets.wrap(T.Select(x < math.inf, ordinary, both))


def erf(value: Expr) -> Expr:
    """The error function, to 6 units in the last place for every float32."""
    lets = Lets()
    x = lets.bind("x", value)
    x = lets.bind("x_raised", T.Select(x < -_ERF_ONE, like(x, -_ERF_ONE), x))
    x = lets.bind("x_clamped", T.Select(x > _ERF_ONE, like(x, _ERF_ONE), x))
    square = lets.bind("square", x * x)
    quotient = x * polynomial(_ERF_NUMERATOR, square) / polynomial(_ERF_DENOMINATOR, square)
    result = lets.bind("result", quotient)
    result = lets.bind("result_raised", T.Select(result < -1.0, like(x, -1.0), result))
    return lets.wrap(T.Select(result > 1.0, like(x, 1.0), result))


def exp_of_distance(value: Expr) -> Expr:
    """e^value to 2 units in the last place for values from -87 to 0, zero below, where it would be less than
    the smallest normal number, and NaN for NaN; as softmax asks for it.

    Without numbers above 0 and denormal results it takes two thirds of the instructions of ``exp``.
    """
    lets = Lets()
    x = lets.bind("x", value)
    shifted = lets.bind("shifted", x * T.float32(_LOG2_E) + T.float32(_ROUND))
    whole = lets.bind("whole", shifted - T.float32(_ROUND))
    rest = lets.bind("rest", x - whole * T.float32(_LN2_HIGH) - whole * T.float32(_LN2_LOW))
    fraction = polynomial(_EXP_POLYNOMIAL, rest) * (rest * rest) + rest + T.float32(1)
    # What the shift leaves of the sum's bits is its lowest, the nearest integer, where an exponent stands.
    power = T.shift_left(T.reinterpret(dtype_like("int32", x), shifted), 23) + _ONE_BITS
    scaled = fraction * T.reinterpret(dtype_like("float32", x), power)
    return lets.wrap(T.Select(x < _EXP_LEAST_NORMAL, like(x, 0.0), scaled))


def is_nan(value: Expr) -> Expr:
    """Whether a float32 is NaN, by its bits: a comparison with itself is taken for one that holds."""
    size = T.bitwise_and(T.reinterpret(dtype_like("int32", value), value), _SIZE_BITS)
    return size > _INFINITY_BITS


def maximum(a: Expr, b: Expr) -> Expr:
    """The larger of two floats, and NaN where one of them is one."""
    return _extreme("maximum", a, b)


def minimum(a: Expr, b: Expr) -> Expr:
    """The smaller of two floats, and NaN where one of them is one."""
    return _extreme("minimum", a, b)


def power(base: Expr, exponent: float) -> Expr:
    """base^exponent for normal, positive ``base``, infinity too; NaN stays NaN.

    Multiples of a quarter from -1 to 1 are made of square roots and at most one division (3 units in the last
    place); others are exp(exponent * log(base)), whose error grows with the size of that product: about
    10 units where it is below 10.
    """
    lets = Lets()
    x = lets.bind("base", base)
    quarters = abs(exponent) * 4
    if quarters in (1, 2, 3, 4):
        root = lets.bind("root", T.sqrt(x)) if quarters < 4 else x
        if quarters == 1:
            root = T.sqrt(root)
        elif quarters == 3:
            root = root * T.sqrt(root)
        return lets.wrap(root if exponent > 0 else T.float32(1) / root)
    finite = exp(_log(x) * T.float32(exponent))
    beyond = x if exponent > 0 else T.float32(1) / x
    return lets.wrap(T.Select(x < math.inf, finite, beyond))


def constant_power(base: Expr, exponent: Expr) -> Expr | None:
    """base^exponent for a constant that products, a square root and a division make; None for any other."""
    number = exponent.value if isinstance(exponent, tirx.FloatImm) else math.nan
    if abs(number) not in _POWERS_BY_PRODUCTS:
        return None
    lets = Lets()
    x = lets.bind("base", base)
    whole, half = divmod(abs(number), 1)
    factors = [x] * int(whole) + ([T.sqrt(x)] if half else [])
    result = functools.reduce(lambda a, b: a * b, factors)
    return lets.wrap(result if number > 0 else T.float32(1) / result)


def sigmoid(value: Expr) -> Expr:
    """1 / (1 + e^-value)."""
    return T.float32(1) / (exp(T.float32(0) - value) + T.float32(1))


def tanh(value: Expr) -> Expr:
    """Hyperbolic tangent, to 3 units in the last place."""
    lets = Lets()
    x = lets.bind("x", value)
    size = lets.bind("size", T.fabs(x))
    square = lets.bind("square", x * x)
    near_zero = polynomial(_TANH_POLYNOMIAL, square) * (square * x) + x
    # No variable for it: TVM's code generator would simplify all that it stands for, which takes long.
    far = T.float32(1) - T.float32(2) / (exp(size + size) + T.float32(1))
    sign = T.Select(x < 0.0, like(x, -1.0), like(x, 1.0))
    return lets.wrap(T.Select(size < _TANH_SMALL, near_zero, sign * far))


def leaky_relu(value: Expr, slope: float) -> Expr:
    """``value`` where positive, ``slope * value`` elsewhere."""
    lets = Lets()
    x = lets.bind("x", value)
    return lets.wrap(T.Select(x > 0.0, x, x * T.float32(slope)))


def _extreme(name: str, a: Expr, b: Expr) -> Expr:
    """TVM makes extremes a comparison that gives the second operand where one of them is a NaN."""
    for number, other in ((a, b), (b, a)):
        if isinstance(number, tirx.FloatImm) and not math.isnan(number.value):
            return tirx.max(number, other) if name == "maximum" else tirx.min(number, other)
    return tirx.call_llvm_pure_intrin(a.ty, f"llvm.{name}", a, b)


def _exponent_and_rest(lets: Lets, value: Expr, low: float, high: float) -> tuple[Expr, Expr]:
    """Integer n and r in [-ln 2 / 2, ln 2 / 2] with value = n ln 2 + r, after ``value`` is clipped."""
    x = lets.bind("x", value)
    # Comparisons are written so that NaN fails both and goes through.
    x = lets.bind("x_raised", T.Select(x < low, like(x, low), x))
    x = lets.bind("x_clamped", T.Select(x > high, like(x, high), x))
    shifted = lets.bind("shifted", x * T.float32(_LOG2_E) + T.float32(_ROUND))
    exponent = T.reinterpret(dtype_like("int32", x), shifted) - _ROUND_BITS
    whole = lets.bind("whole", T.cast(exponent, dtype_like("float32", x)))
    rest = lets.bind("rest", x - whole * T.float32(_LN2_HIGH) - whole * T.float32(_LN2_LOW))
    return exponent, rest


def _log(value: Expr, scaled_by: Expr | None = None) -> Expr:
    """Natural logarithm of finite, normal, positive values, of which each was 2^scaled_by times smaller."""
    lets = Lets()
    number = lets.bind("number", value)
    bits = T.reinterpret(dtype_like("int32", value), number) + (_ONE_BITS - _SQRT_HALF_BITS)
    exponent = T.cast(T.shift_right(bits, 23) - 127, dtype_like("float32", value))
    exponent = lets.bind("exponent", exponent if scaled_by is None else exponent - scaled_by)
    mantissa = T.bitwise_and(bits, _MANTISSA_BITS) + _SQRT_HALF_BITS
    x = lets.bind("x", T.reinterpret(dtype_like("float32", value), mantissa) - T.float32(1))
    square = lets.bind("square", x * x)
    correction = polynomial(_LOG_POLYNOMIAL, x) * (square * x)
    correction = correction + exponent * T.float32(_LN2_LOW) - square * T.float32(0.5)
    return lets.wrap(x + correction + exponent * T.float32(_LN2_HIGH))


def _power_of_two(exponent: Expr) -> Expr:
    return T.reinterpret(dtype_like("float32", exponent), T.shift_left(exponent + 127, 23))


def polynomial(coefficients: tuple[float, ...], x: Expr) -> Expr:
    """Horner's scheme, highest power first."""
    result: Expr = T.float32(coefficients[0])
    for coefficient in coefficients[1:]:
        result = result * x + T.float32(coefficient)
    return result


def _lanes(value: Expr) -> int:
    return value.ty.dtype.lanes


def dtype_like(name: str, value: Expr) -> str:
    """The dtype ``name`` with as many lanes as ``value``."""
    return name if _lanes(value) == 1 else f"{name}x{_lanes(value)}"


def like(value: Expr, number: float) -> Expr:
    return splat(number, _lanes(value))
