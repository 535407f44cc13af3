"""Extents: numbers that are not known yet, and what may be asked of them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tvm
from hypothesis import given, settings
from hypothesis import strategies as st
from tvm import tirx
from tvm.sym import ConstIntBound
from tvm.tirx.script.builder import ir as T

from tvm_directconv.errors import ModelError
from tvm_directconv.problem.extents import (
    Extent,
    as_expression,
    is_open,
    larger,
    operand_of,
    smaller,
    surely_less,
    typical,
)
from tvm_directconv.problem.inner_sizes import InnerSizes, inside
from tvm_directconv.problem.open_sizes import OpenSizes, active_sizes
from tvm_directconv.problem.rests import holds_for_all_rests, with_quotients, written_alike
from tvm_directconv.problem.size_text import text_of, variables_of
from tvm_directconv.problem.taps import same_padding
from tvm_directconv.problem.ties import Affine, ties_for
from tvm_directconv.runtime.size_values import evaluated, is_name

OPERATORS: tuple[Callable[[Any, Any], Any], ...] = (
    operator.add,
    operator.sub,
    operator.mul,
    operator.floordiv,
    operator.mod,
)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_arithmetic_is_that_of_numbers(data: st.DataObject) -> None:
    """Whatever is computed of extents is, at any sizes, what is computed of these."""
    sizes = OpenSizes()
    values = {name: data.draw(st.integers(1, 50), name) for name in ("n", "h")}
    extents = [sizes.dimension(name, 7) for name in values]
    pairs = list(zip(extents, values.values(), strict=True))
    for _ in range(data.draw(st.integers(1, 5))):
        (a, x), function = data.draw(st.sampled_from(pairs)), data.draw(st.sampled_from(OPERATORS))
        number = data.draw(st.integers(1, 9))
        b, y = data.draw(st.sampled_from(pairs)) if function in OPERATORS[:3] else (number, number)
        pairs.append((function(a, b), function(x, y)))
        pairs.append((-(-a // number), -(-x // number)))
    for extent, value in pairs:
        assert evaluated(str(extent), values) == value
        if isinstance(extent, Extent):
            assert extent.typical == evaluated(str(extent), dict.fromkeys(values, 7))
    assert not sizes.assumptions


def test_what_follows_for_all_sizes_is_not_assumed() -> None:
    sizes = OpenSizes()
    n = sizes.dimension("n", 3)
    assert n >= 1 and n > 0 and bool(n) and n * 4 > n and not n < 1
    assert (n * 12) % 4 == 0 and (n + 2) * 2 == n * 2 + 4 and n * 8 // 8 == n
    assert math.prod((n, 3, 4)) == n * 12
    assert surely_less(n, n + 1) and not surely_less(n, 5)
    assert not sizes.assumptions


def test_equality_assumes_nothing() -> None:
    sizes = OpenSizes()
    n = sizes.dimension("n", 3)
    assert n != 3 and n != 7 and (n,) != (3,)
    assert {n: 1}[sizes.dimension("n", 3)] == 1
    assert not sizes.assumptions


def test_other_answers_are_assumptions_that_follow_from_typical_sizes() -> None:
    sizes = OpenSizes()
    n, h = sizes.dimension("n", 3), sizes.dimension("h", 10)
    assert (n < 5 and not n > 300 and (h - 4) % 3 == 0) or True
    assert (n < 5) and list(map(str, sizes.assumptions)) == ["n < 5"]
    assert len(range(h)) == 10 and n.equals(3)  # type: ignore[attr-defined]
    assert {str(each) for each in sizes.assumptions} == {"h == 10", "n == 3"}
    assert sizes.restricting


def test_large_bounds_restrict_nothing() -> None:
    sizes = OpenSizes()
    n = sizes.dimension("n", 3)
    for bound in (1 << 20, 1 << 16, 1 << 18):
        assert not n > bound
    assert [str(each) for each in sizes.assumptions] == ["not (65536 < n)"]
    assert not sizes.restricting


def test_estimates_are_typical() -> None:
    sizes = OpenSizes()
    n = sizes.dimension("n", 3)
    assert typical((n, 4, n * 2)) == (3, 4, 6) and is_open([4, n]) and not is_open([4])
    assert not sizes.assumptions


@pytest.mark.parametrize(
    "mixed",
    [
        float,
        math.sqrt,
        math.ceil,
        np.float32,
        T.float32,
        lambda n: n / 2,
        lambda n: 6 / n,
        lambda n: n * 1.5,
        lambda n: 1.5 * n,
        lambda n: n // 2.0,
        lambda n: n + 1.0,
        lambda n: n < 3.5,
        lambda n: max(0.0, n),
        lambda n: T.float32(1) * n,
    ],
)
def test_no_code_has_the_typical_size_as_a_float(mixed: Callable[[Any], object]) -> None:
    """What is computed of an open size by floats is an error, or TVM's expression of the size."""
    sizes = OpenSizes()
    n = sizes.dimension("n", 3)
    try:
        made = mixed(n)
    except TypeError:
        return
    assert isinstance(made, tvm.ir.Expr) and "n" in str(made)


def test_texts_of_the_larger_of_two_are_read_without_assumptions() -> None:
    sizes = OpenSizes()
    n = sizes.dimension("n", 64)
    for size in (larger(n // 256, 1), smaller(n, 100) * 2):
        assert sizes.read(str(size)) == size
    assert not sizes.assumptions


def test_tvm_takes_them_as_expressions() -> None:
    kernel = OpenSizes("int32")
    n, index = kernel.dimension("n", 3), tirx.Var("i", "int32")
    for expr in (n * index, index * n, index + n, tirx.max(index, n * 2 + 1)):
        assert str(expr.ty.dtype) == "int32"
    loop = tirx.For(index, 0, n * 4, tirx.ForKind.SERIAL, tirx.Evaluate(0))
    assert str(loop.extent) == "n * 4"


def test_dimensions_inside_of_kernels() -> None:
    """Those of operands by themselves are the model's; other expressions become dimensions of their own."""
    model = OpenSizes()
    n, h = model.dimension("n", 2), model.dimension("h", 9)
    rows = (h - 3) // 2 + 1
    with model.active():
        with inside([(n, rows, 4)]):
            inner = active_sizes()
            assert isinstance(inner, InnerSizes)
            found = [inner.extent(expr) for expr in (n.expr, rows.expr, (rows * n).expr)]  # type: ignore[attr-defined]
            assert str(found[0]) == "n" and str(found[1]) != str(rows) and found[1].typical == 4  # type: ignore[attr-defined]
            assert found[1] >= 3
        with inside([(4, 5)]):
            assert active_sizes() is model
    assert "5 <= h" in [str(each).replace("(", "").replace(")", "") for each in model.assumptions] or any(
        "h" in str(each) for each in model.assumptions
    )
    for h_value in (2, 5, 9, 20):
        taken = all(evaluated(str(each), {"n": 1, "h": h_value}) for each in model.assumptions)
        assert taken == ((h_value - 3) // 2 + 1 >= 3)


def test_squares_of_dimensions_inside_of_kernels() -> None:
    """The scores of attention are as many as the square of a dimension that operands have."""
    model = OpenSizes()
    n, h = model.dimension("n", 2), model.dimension("h", 9)
    rows = (h - 3) // 2 + 1
    with model.active(), inside([(n, rows, 4)]):
        inner = active_sizes()
        assert inner is not None
        inner.extent(rows.expr)  # type: ignore[attr-defined]
        before = set(inner.variables)
        scores = inner.extent((8 * n * rows * rows).expr)  # type: ignore[attr-defined]
        assert scores.typical == 8 * 2 * 4 * 4  # type: ignore[attr-defined]
        assert set(inner.variables) == before


def test_sums_of_many_found_sizes_are_dimensions_of_kernels() -> None:
    """A detector's boxes of all classes together: no product of some of them makes a sum, and there are more
    products than can be tried."""
    model = OpenSizes()
    with model.active():
        parts = [smaller(model.measure(300), 100) for _ in range(24)]
        with inside([(part,) for part in parts]):
            inner = active_sizes()
            assert inner is not None
            for part in parts:
                inner.extent(as_expression(part))
            whole = inner.extent(as_expression(sum(parts)))
            assert typical(inner.meant[str(whole)]) == sum(map(typical, parts))  # type: ignore[attr-defined]


def test_quotients_of_dimensions_inside_of_kernels() -> None:
    """A kernel that is given the windows of all images, and those of one, knows how many images there are."""
    model = OpenSizes()
    n, h = model.dimension("n", 3), model.dimension("h", 8)
    with model.active(), inside([(n * (h // 2), 4), (h // 2,)]):
        inner = active_sizes()
        assert inner is not None
        whole, part = (str(inner.extent(as_expression(each))) for each in (n * (h // 2), h // 2))
        assert str(inner.extent(as_expression(n))) == f"{whole} // {part}"


def test_texts_group_what_is_computed_first() -> None:
    n, one, two, three = tirx.Var("n", "int64"), *(tirx.IntImm("int64", number) for number in (1, 2, 3))
    text = text_of((tirx.min(n, three) + one) * two)
    assert text == "(min(n, 3) + 1) * 2" and evaluated(text, {"n": 10}) == 8


def test_names_that_python_has_otherwise_are_not_written_into_texts() -> None:
    assert [name for name in ("n", "dim0", "if", "min", "max", "a b", "None", "2") if is_name(name)] == [
        "n",
        "dim0",
    ]


def test_names_of_other_expressions_are_not_those_of_dimensions() -> None:
    """A model may call a dimension as dimensions inside of kernels are called."""
    model = OpenSizes()
    rows = (model.dimension("dim0", 9) - 3) // 2 + 1
    with model.active(), inside([(rows, 4)]):
        inner = active_sizes()
        assert inner is not None and str(inner.extent(rows.expr)) != "dim0"  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", ["n", "(n + 3) // 4", "min(n, 3)", "not (5 < n)"])
def test_texts_are_evaluated(text: str) -> None:
    assert [evaluated(text, {"n": value}) for value in (1, 6)] == {
        "n": [1, 6],
        "(n + 3) // 4": [1, 2],
        "min(n, 3)": [1, 3],
        "not (5 < n)": [1, 0],
    }[text]


TIES = {
    "h and h // 2 * 2": (lambda h, w: (h, h // 2 * 2), {"h": ("h_2", 2, 0)}),
    "levels that round up": (
        lambda h, w: (((h - 1) // 16 + 1) * 2, (h - 1) // 8 + 1),
        {"h": ("h_16", 16, 0)},
    ),
    "one and another": (lambda h, w: (w * 3, h), {"h": ("w", 3, 0)}),
    "one and a multiple of another": (lambda h, w: (w * 2 + 32, h), {"h": ("w", 2, 32)}),
    "a product": (lambda h, w: (h * w, (h // 8) * (w // 8) * 64), {"h": ("h_8", 8, 0), "w": ("w_8", 8, 0)}),
    "others at typical sizes": (lambda h, w: (h, w + 1), {}),
    "a number": (lambda h, w: (h, 96), {"h": ("h", 0, 96)}),
    "a table of positions": (
        lambda h, w: ((h // 16) * (w // 16) + 1, 13),
        {"h": ("h", 0, 96), "w": ("w", 0, 32)},
    ),
    "equal, which is not proved": (lambda h, w: (h * h // (h + 1), (h * h + h - h) // (1 + h)), {}),
}


@pytest.mark.parametrize("name", TIES)
def test_sizes_are_tied_so_that_they_are_equal(name: str) -> None:
    make, expected = TIES[name]
    sizes = OpenSizes()
    a, b = make(sizes.dimension("h", 96), sizes.dimension("w", 32))
    assert ties_for(operand_of(a), operand_of(b), sizes.typical) == expected
    if not expected:
        sizes.demand([(a, b)])
        return
    with pytest.raises(ModelError, match="have to be equal"):
        sizes.demand([(a, b)])
    tied = OpenSizes(ties=sizes.found)
    a, b = make(tied.dimension("h", 96), tied.dimension("w", 32))
    assert a == b and not tied.assumptions
    assert tied.typical_dimensions.keys() <= {"h", "w"}
    for size in (a, tied.dimension("h", 96) * 3):
        assert evaluated(text_of(tied.outward(size)), {"h": 96, "w": 32}) == typical(size)


WRITTEN = {
    "windows of a convolution": lambda n, h: ((h - 29) // 32 + 1, (h + 3) // 32),
    "rounded up": lambda n, h: (-(-h // 8) * 8, (h + 7) // 8 * 8),
    "missing to a multiple": lambda n, h: (h // 4 + (7 - h // 4 % 7) % 7, (h + 24) // 28 * 7),
    "missing to an even number": lambda n, h: (h // 4 + h // 4 % 2, (h + 4) // 8 * 2),
    "of twice a size": lambda n, h: (2 * h + (7 - 2 * h % 7) % 7, (2 * h + 6) // 7 * 7),
    "factors": lambda n, h: (n * (h // 4) * 8, h // 4 * (8 * n)),
    "a multiple by what it is of": lambda n, h: (
        ((h // 32 * n * 120 + n * 60) // (h // 32 * n * 30 + n * 15)) * h,
        4 * h,
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_equal_sizes_are_written_alike(name: str) -> None:
    sizes = OpenSizes()
    one, other = WRITTEN[name](sizes.dimension("n", 1), sizes.dimension("h", 224))
    assert str(one) == str(other) and "%" not in str(one) and not sizes.assumptions
    for n, h in ((1, 40), (3, 61), (7, 224)):
        assert evaluated(str(one), {"n": n, "h": h}) == WRITTEN[name](n, h)[0]


def test_ties_are_made_of_ties() -> None:
    sizes = OpenSizes(ties={"h": Affine("h_2", 2)})
    h = sizes.dimension("h", 96)
    with pytest.raises(ModelError):
        sizes.demand([(h, h // 32 * 32)])
    tied = OpenSizes(ties=sizes.found)
    assert tied.ties["h"] == ("h_2_16", 32, 0)
    assert [text_of(tied.outward(tied.dimension("h", 96) // by)) for by in (1, 4, 32)] == [
        "h",
        "h // 4",
        "h // 32",
    ]
    assert tied.conditions == ("h % 32 == 0",) and [var.name for var in tied.parts] == ["h_2_16"]


def test_a_dimension_in_terms_of_another() -> None:
    """Inside of a function what is 64 * k is 2 * x, where 32 * k is the operand's x."""
    model = OpenSizes(ties={"h": Affine("k", 32)})
    h = model.dimension("h", 96)
    with model.active(), inside([(h // 2, 4)], "int64"):
        inner = active_sizes()
        assert inner is not None
        x = inner.extent(as_expression(h // 2))
        assert [str(inner.extent(as_expression(each))) for each in (h, h // 4, h // 2)] == [
            f"{x} * 2",
            f"{x} // 2",
            str(x),
        ]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_equal_padding_is_a_size_over_the_strides(data: st.DataObject) -> None:
    """Whatever the kernels, maps are as large as the image over all strides, rounded up."""
    sizes = OpenSizes()
    size, strides = sizes.dimension("h", 224), 1
    for _ in range(data.draw(st.integers(1, 4))):
        taps, stride = data.draw(st.integers(1, 7)), data.draw(st.integers(1, 3))
        before, after = same_padding(size, taps, stride, 1, data.draw(st.booleans()))
        size, strides = (size + before + after - taps) // stride + 1, strides * stride
        if taps >= stride:  # else padding is none where the size is not a multiple
            assert not sizes.assumptions
        else:
            return
        for value in (1, 2, 5, 96, 223, 224, 225):
            assert evaluated(str(size), {"h": value}) == -(-value // strides)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_pooled_size_in_terms_of_the_maps(data: st.DataObject) -> None:
    """Inside of a kernel the result's size is a quotient of its operand's, itself one of the model's."""
    model = OpenSizes()
    image = model.dimension("h", 224)

    def pooled(size: int) -> int:
        taps, stride = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 3))
        padding, ceil = data.draw(st.integers(0, taps // 2)), data.draw(st.integers(0, stride - 1))
        return (size + 2 * padding - taps + ceil) // stride + 1

    size = pooled(image)
    result = pooled(size)
    with model.active(), inside([(size, 4)]):
        inner = active_sizes()
        assert inner is not None
        x, found = (inner.extent(as_expression(each)) for each in (size, result))
        assert variables_of(as_expression(found)) == variables_of(as_expression(x))
    for value in (11, 96, 223, 224, 225):
        given = {str(x): evaluated(str(size), {"h": value})}
        assert evaluated(str(found), given) == evaluated(str(result), {"h": value})


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_what_is_proved_by_rests_holds(data: st.DataObject) -> None:
    """Against all numbers up to some periods; and expressions keep their values with other terms."""
    h = tirx.Var("h", "int64")
    expr: tirx.Expr = h
    for _ in range(data.draw(st.integers(1, 4))):
        kind, number = data.draw(st.sampled_from("+-*/%&")), data.draw(st.integers(1, 6))
        other = {"+": expr + number, "-": expr - h, "*": expr * number, "&": expr + h // number}
        expr = other.get(kind, tirx.floordiv(expr, number) if kind == "/" else tirx.floormod(expr, number))
        expr = other["&"] if kind == "&" else expr
    bound, least = data.draw(st.integers(-9, 9)), data.draw(st.integers(0, 3))
    condition = expr >= bound
    if isinstance(condition, tirx.GE) and variables_of(condition):
        held = [evaluated(text_of(condition), {"h": value}) for value in range(least, 200)]
        if holds_for_all_rests(condition, lambda _: ConstIntBound(least, ConstIntBound.POS_INF)):
            assert all(held)
        forms = with_quotients(expr), written_alike(expr, {"h": h}), written_alike(0 - expr, {"h": h}) * -1
        for same in forms:
            for value in range(least, 60):
                assert evaluated(text_of(same), {"h": value}) == evaluated(text_of(expr), {"h": value})
