"""Special functions of two numbers, element by element, by loops as long as values ask for.

Those of real numbers compute in float64."""

# mypy: disable-error-code="valid-type, misc, no-untyped-def"

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tvm import tirx
from tvm.script import tirx as T

KIND = "float64"
NAN, INFINITY = tirx.const(float("nan"), KIND), tirx.const(float("inf"), KIND)
BERNOULLI = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000)
"""B_2k / (2k)!, of the Euler-Maclaurin formula."""
FAR = 12
"""The zeta function's terms are summed one by one up to this argument."""
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680)
"""Coefficients of Stirling's series in 1 / z."""
SMALL, HUGE = tirx.const(1e-300, KIND), tirx.const(1e300, KIND)
ROUNDS, PRECISION = 20000, 1e-16
"""Terms of a series, or of a continued fraction, until they change no digit."""


@dataclass(frozen=True)
class Recurrence:
    """Polynomials p_0 = 1, p_1 = ``first`` (x), and p_k+1 = (``factor`` (k, x) p_k - ``last`` (k) p_k-1) /
    ``divisor`` (k); those of a degree above ``most`` are NaN."""

    first: Callable[[Any], Any]
    factor: Callable[[Any, Any], Any]
    last: Callable[[Any], Any] = lambda k: T.float64(1)
    divisor: Callable[[Any], Any] = lambda k: T.float64(1)
    most: int = 2**62


def _twice(k, x):
    return T.float64(2) * x


def _next(k):
    return k + T.float64(1)


def _same(k):
    return k


POLYNOMIALS = {
    "chebyshev_polynomial_t": Recurrence(lambda x: x, _twice),
    "chebyshev_polynomial_u": Recurrence(lambda x: T.float64(2) * x, _twice),
    "chebyshev_polynomial_v": Recurrence(lambda x: T.float64(2) * x - T.float64(1), _twice),
    "chebyshev_polynomial_w": Recurrence(lambda x: T.float64(2) * x + T.float64(1), _twice),
    "hermite_polynomial_h": Recurrence(
        lambda x: T.float64(2) * x, _twice, lambda k: T.float64(2) * k, most=512
    ),
    "hermite_polynomial_he": Recurrence(lambda x: x, lambda k, x: x, _same, most=512),
    "laguerre_polynomial_l": Recurrence(
        lambda x: T.float64(1) - x, lambda k, x: T.float64(2) * k + T.float64(1) - x, _same, _next
    ),
    "legendre_polynomial_p": Recurrence(
        lambda x: x, lambda k, x: (T.float64(2) * k + T.float64(1)) * x, _same, _next
    ),
}


def polynomial(count: int, kind: Recurrence) -> tirx.PrimFunc:
    """Return the kernel (x[count], degree[count]) -> the polynomial's value; 0 of a negative degree."""
    first, factor, last, divisor, most = kind.first, kind.factor, kind.last, kind.divisor, kind.most

    @T.prim_func(private=True, s_tir=True)
    def kernel(
        x: T.Buffer((count,), KIND), degree: T.Buffer((count,), KIND), result: T.Buffer((count,), KIND)
    ):
        for i in T.parallel(count):
            with T.sblock("polynomial"):
                T.reads()
                T.writes()
                p = T.alloc_buffer((4,), KIND, scope="local")
                p[0] = T.float64(1)
                p[1] = first(x[i])
                p[3] = T.float64(1)
                if degree[i] <= T.float64(-1) or degree[i] >= T.float64(most + 1):
                    p[0] = T.if_then_else(degree[i] < T.float64(0), T.float64(0), NAN)
                else:
                    if degree[i] >= T.float64(1):
                        while p[3] + T.float64(1) <= degree[i] and p[1] == p[1]:
                            p[2] = (factor(p[3], x[i]) * p[1] - last(p[3]) * p[0]) / divisor(p[3])
                            p[0] = p[1]
                            p[1] = p[2]
                            p[3] = p[3] + T.float64(1)
                        p[0] = p[1]
                result[i] = p[0]

    return kernel


def zeta(count: int) -> tirx.PrimFunc:
    """Return the kernel (s[count], q[count]) -> Hurwitz' zeta function, the sum of (q + k)^-s from k = 0 on,
    by the Euler-Maclaurin formula. A pole is infinity; NaN below s = 1, and of a fraction s below q = 0."""

    @T.prim_func(private=True, s_tir=True)
    def kernel(s: T.Buffer((count,), KIND), q: T.Buffer((count,), KIND), result: T.Buffer((count,), KIND)):
        for i in T.parallel(count):
            with T.sblock("zeta"):
                T.reads()
                T.writes()
                v = T.alloc_buffer((3,), KIND, scope="local")
                v[0] = T.float64(0)
                if s[i] == T.float64(1):
                    v[0] = INFINITY
                elif not s[i] > T.float64(1) or q[i] != q[i]:
                    v[0] = NAN
                elif q[i] <= T.float64(0) and q[i] == T.floor(q[i]):
                    v[0] = INFINITY
                elif q[i] <= T.float64(0) and s[i] != T.floor(s[i]):
                    v[0] = NAN
                else:
                    v[1] = q[i]
                    while v[1] < T.float64(FAR):
                        v[0] = v[0] + T.pow(v[1], -s[i])
                        v[1] = v[1] + T.float64(1)
                    v[2] = T.pow(v[1], -s[i])
                    v[0] = v[0] + v[2] * (v[1] / (s[i] - T.float64(1)) + T.float64(0.5))
                    v[2] = v[2] * s[i] / v[1]
                    for k in T.unroll(6):
                        v[0] = v[0] + v[2] * _chosen(BERNOULLI, k)
                        v[2] = v[2] * (s[i] + T.Cast(KIND, 2 * k + 1)) * (s[i] + T.Cast(KIND, 2 * k + 2))
                        v[2] = v[2] / (v[1] * v[1])
                result[i] = v[0]

    return kernel


def _chosen(values, place):
    """One of a few constants by its place, which a loop that is unrolled has."""
    found = T.float64(values[-1])
    for at, value in reversed(list(enumerate(values[:-1]))):
        found = T.if_then_else(place == at, T.float64(value), found)
    return found


def _at_an_edge(a, x):
    """Whether the lower incomplete gamma function is a limit, or NaN."""
    return tirx.any(tirx.all(a == T.float64(0), x > T.float64(0)), x == T.float64(0), T.isinf(a), T.isinf(x))


def _limit(a, x):
    """The lower function at an edge: 1 behind all of it, and 0 before."""
    both = tirx.any(tirx.all(T.isinf(a), T.isinf(x)), tirx.all(a == T.float64(0), x == T.float64(0)))
    behind = tirx.all(tirx.any(a == T.float64(0), T.isinf(x)), x > T.float64(0))
    return T.if_then_else(both, NAN, T.if_then_else(behind, T.float64(1), T.float64(0)))


@T.inline
def _common_factor(v, a, x):
    """x^a e^-x / gamma(a) in v[1]: gamma's logarithm is Stirling's series behind a product."""
    v[2] = a
    v[3] = T.float64(1)
    while v[2] < T.float64(FAR):
        v[3] = v[3] * v[2]
        v[2] = v[2] + T.float64(1)
    v[1] = (v[2] - T.float64(0.5)) * T.log(v[2]) - v[2] + T.float64(0.9189385332046727)
    v[4] = T.float64(1) / v[2]
    for k in T.unroll(4):
        v[1] = v[1] + v[4] * _chosen(STIRLING, k)
        v[4] = v[4] / (v[2] * v[2])
    v[1] = T.exp(a * T.log(x) - x - (v[1] - T.log(v[3])))


@T.inline
def _series(v, a, x):
    """The lower function over the common factor in v[2]."""
    v[7] = T.float64(0)
    v[2] = T.float64(1) / a
    v[3] = v[2]
    while v[3] > v[2] * T.float64(PRECISION) and v[7] < T.float64(ROUNDS):
        v[7] = v[7] + T.float64(1)
        v[3] = v[3] * x / (a + v[7])
        v[2] = v[2] + v[3]


@T.inline
def _fraction(v, a, x):
    """The upper function over the common factor in v[2], by Lentz' method; v[3] and v[4] are its ratios."""
    v[7] = T.float64(0)
    v[5] = x + T.float64(1) - a
    v[3] = HUGE
    v[4] = T.float64(1) / v[5]
    v[2] = v[4]
    v[6] = T.float64(0)
    while T.fabs(v[6] - T.float64(1)) > T.float64(PRECISION) and v[7] < T.float64(ROUNDS):
        v[7] = v[7] + T.float64(1)
        v[6] = -v[7] * (v[7] - a)
        v[5] = v[5] + T.float64(2)
        v[4] = v[6] * v[4] + v[5]
        v[4] = T.float64(1) / T.if_then_else(T.fabs(v[4]) < SMALL, SMALL, v[4])
        v[3] = v[5] + v[6] / v[3]
        v[3] = T.if_then_else(T.fabs(v[3]) < SMALL, SMALL, v[3])
        v[6] = v[4] * v[3]
        v[2] = v[2] * v[6]


def incomplete_gamma(count: int, upper: bool) -> tirx.PrimFunc:
    """Return the kernel (a[count], x[count]) -> the regularized lower incomplete gamma function, or the
    ``upper`` one: by its series up to x = a + 1, else by Legendre's continued fraction."""

    @T.prim_func(private=True, s_tir=True)
    def kernel(a: T.Buffer((count,), KIND), x: T.Buffer((count,), KIND), result: T.Buffer((count,), KIND)):
        for i in T.parallel(count):
            with T.sblock("incomplete_gamma"):
                T.reads()
                T.writes()
                v = T.alloc_buffer((8,), KIND, scope="local")
                if not a[i] >= T.float64(0) or not x[i] >= T.float64(0):
                    v[0] = NAN
                elif _at_an_edge(a[i], x[i]):
                    v[0] = T.float64(1) - _limit(a[i], x[i]) if upper else _limit(a[i], x[i])
                else:
                    _common_factor(v, a[i], x[i])
                    if x[i] < a[i] + T.float64(1):
                        _series(v, a[i], x[i])
                        v[0] = T.float64(1) - v[1] * v[2] if upper else v[1] * v[2]
                    else:
                        _fraction(v, a[i], x[i])
                        v[0] = v[1] * v[2] if upper else T.float64(1) - v[1] * v[2]
                result[i] = v[0]

    return kernel


def common_divisor(count: int) -> tirx.PrimFunc:
    """Return the kernel (a[count], b[count]) int64 -> their greatest common divisor, by Euclid's algorithm; 0
    of two zeros."""

    @T.prim_func(private=True, s_tir=True)
    def kernel(
        a: T.Buffer((count,), "int64"), b: T.Buffer((count,), "int64"), result: T.Buffer((count,), "int64")
    ):
        for i in T.parallel(count):
            with T.sblock("common_divisor"):
                T.reads()
                T.writes()
                v = T.alloc_buffer((3,), "int64", scope="local")
                v[0] = a[i]
                v[1] = b[i]
                while v[1] != T.int64(0):
                    v[2] = T.truncmod(v[0], v[1])
                    v[0] = v[1]
                    v[1] = v[2]
                result[i] = T.if_then_else(v[0] < T.int64(0), -v[0], v[0])

    return kernel
