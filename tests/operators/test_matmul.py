"""Products of computed matrices and attention: views, kernels on every instruction set, their workspace."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matrix_support import exact_attention, exact_product, seen, tensors_of
from operator_support import compile_kernel, isas, run
from support import assert_matches, peak_workspace_bytes, runnable_target
from tvm import tirx

from intrinsics.microkernel import ROW
from tvm_directconv.errors import WorkloadError
from tvm_directconv.operators import attention as attention_module
from tvm_directconv.operators import builder
from tvm_directconv.operators.attention import Attention, attention, workspace_bytes
from tvm_directconv.operators.builder import FLOAT_BYTES
from tvm_directconv.operators.matmul import matmul
from tvm_directconv.operators.matrix_product import MatrixProduct, transposed
from tvm_directconv.operators.matrix_terms import ADD, MULTIPLY, Term
from tvm_directconv.operators.matrix_tiles import ProductTiles
from tvm_directconv.operators.matrix_views import View
from tvm_directconv.targets.target import resolve_target

EXTENTS = st.sampled_from([1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 32, 49])
HEADS = View.of((2, 7, 3, 2, 5)).permuted((2, 0, 3, 1, 4))
"""Queries, keys and values of two images, seven pixels, two heads of five channels, in one tensor."""


def head(part: int) -> View:
    """One of the three, as (image, head, pixel, channel)."""
    reshaped = HEADS.sliced(0, part, 1).reshaped((2, 2, 7, 5))
    assert reshaped is not None
    return reshaped


# Views


@pytest.mark.parametrize(
    ("view", "shape", "fits"),
    [
        (View.of((6, 4)), (2, 3, 4), True),
        (View.of((6, 4)), (3, 8), True),
        (View.of((6, 4)), (1, 24, 1), True),
        (View.of((2, 3, 4)).permuted((1, 0, 2)), (3, 8), False),
        (View.of((2, 3, 4)).permuted((1, 0, 2)), (3, 2, 2, 2), True),
        (View.of((2, 3, 4)).sliced(2, 1, 2), (6, 2), True),
        (View.of((2, 3, 4)).sliced(2, 1, 2), (2, 6), False),
        (View.of((4, 1)).broadcast((5, 4, 6)), (20, 6), False),
        (View.of((1, 6)).broadcast((4, 6)), (2, 2, 3, 2), True),
        (View.of((1, 1)).broadcast((4, 6)), (3, 8), True),
        (View.of((8, 9, 6)).permuted((2, 0, 1)), (2, 3, 72), True),
    ],
)
def test_reshaping_a_view_is_exact_or_refused(view: View, shape: tuple[int, ...], fits: bool) -> None:
    reshaped = view.reshaped(shape)
    assert (reshaped is not None) == fits
    if reshaped is not None:
        tensor = np.arange(math.prod(view.tensor))
        np.testing.assert_array_equal(seen(reshaped, tensor), seen(view, tensor).reshape(shape))


def test_views_see_what_numpy_sees() -> None:
    tensor = np.arange(2 * 7 * 3 * 2 * 5).reshape(2, 7, 3, 2, 5)
    np.testing.assert_array_equal(seen(head(1), tensor), tensor.transpose(2, 0, 3, 1, 4)[1])
    np.testing.assert_array_equal(seen(HEADS.sliced(3, 1, 3, 2), tensor), seen(HEADS, tensor)[:, :, :, 1:7:2])


# Products


def check_product(isa: str, product: MatrixProduct) -> None:
    target = runnable_target(isa)
    views = [product.left, product.right, *(term.view for term in product.terms)]
    inputs = tensors_of(views)
    got = run(matmul(product, target), inputs, product.output.tensor, target, product)
    assert_matches(got, exact_product(product, *inputs), product)


@isas
@settings(max_examples=6)
@given(
    rows=EXTENTS, depth=EXTENTS, columns=EXTENTS, forms=st.integers(0, 7), scale=st.sampled_from([1.0, -0.3])
)
def test_products_of_any_size(
    isa: str, rows: int, depth: int, columns: int, forms: int, scale: float
) -> None:
    shapes = ((3, rows, depth), (3, depth, columns), (3, rows, columns))
    views = [
        transposed(View.of((a, c, b))) if forms >> place & 1 else View.of((a, b, c))
        for place, (a, b, c) in enumerate(shapes)
    ]
    check_product(isa, MatrixProduct(*views, scale))


STACKED = View.of((2, 2, 7, 7))
PRODUCTS = {
    "heads": MatrixProduct(head(0), transposed(head(1)), STACKED, 0.5),
    "heads to pixels": MatrixProduct(STACKED, head(2), View.of((2, 7, 2, 5)).permuted((0, 2, 1, 3))),
    "neither side by side": MatrixProduct(
        View.of((9, 2, 4)).permuted((1, 0, 2)), View.of((4, 5, 2)).permuted((2, 0, 1)), View.of((2, 9, 5))
    ),
    "one for all": MatrixProduct(
        View.of((3, 9, 4)), View.of((4, 11)).broadcast((3, 4, 11)), View.of((3, 9, 11))
    ),
    "no stack": MatrixProduct(View.of((9, 4)), View.of((4, 11)), View.of((9, 11))),
    "terms": MatrixProduct(
        STACKED,
        STACKED,
        STACKED,
        2.0,
        (
            Term(ADD, View.of((2, 1, 7, 7)).broadcast(STACKED.shape)),
            Term(MULTIPLY, View.of((2, 1, 1)).broadcast(STACKED.shape)),
            Term(ADD, View.of((7, 1)).broadcast(STACKED.shape)),
            Term(MULTIPLY, transposed(STACKED)),
        ),
    ),
    "terms of a transposed result": MatrixProduct(
        STACKED, STACKED, transposed(STACKED), 1.0, (Term(ADD, View.of((7,)).broadcast(STACKED.shape)),)
    ),
}


@isas
@pytest.mark.parametrize("name", PRODUCTS)
def test_products_of_views(isa: str, name: str) -> None:
    check_product(isa, PRODUCTS[name])


@isas
def test_sums_longer_than_a_panel_go_on_from_the_output(isa: str) -> None:
    depth = 6007
    check_product(isa, MatrixProduct(View.of((14, depth)), View.of((depth, 21)), View.of((14, 21))))


@pytest.mark.parametrize(
    "views",
    [
        (View.of((3, 4)), View.of((5, 6)), View.of((3, 6))),
        (View.of((3, 4)), View.of((4, 6)), View.of((6, 3))),
        (View.of((3, 4)), View.of((4, 6)), View.of((3, 6, 2)).sliced(2, 0, 1).reshaped((3, 6))),
    ],
)
def test_what_is_no_product_is_refused(views: tuple[View, ...]) -> None:
    with pytest.raises(WorkloadError):
        MatrixProduct(*views)


# Attention


def attentions() -> dict[str, Attention]:
    of_heads = head(0), transposed(head(1)), head(2), View.of((2, 7, 2, 5)).permuted((0, 2, 1, 3))
    plain = View.of((3, 25, 4)), transposed(View.of((3, 37, 4))), View.of((3, 37, 9)), View.of((3, 25, 9))
    scores = (3, 25, 37)
    masked = (
        Term(ADD, View.of((25, 37)).broadcast(scores)),
        Term(MULTIPLY, View.of((3, 1, 1)).broadcast(scores)),
        Term(ADD, View.of((3, 1, 37)).broadcast(scores)),
    )
    return {
        "heads": Attention(*of_heads, 0.4),
        "terms": Attention(*plain, 0.4, masked),
        "one row": Attention(
            View.of((2, 1, 8)), transposed(View.of((2, 19, 8))), View.of((2, 19, 3)), View.of((2, 1, 3))
        ),
        "channels": Attention(
            transposed(View.of((2, 40, 6))),
            View.of((2, 40, 6)),
            transposed(View.of((2, 40, 6))),
            View.of((2, 6, 40)),
        ),
        "channels to pixels": Attention(
            transposed(View.of((2, 40, 6))),
            View.of((2, 40, 6)),
            transposed(View.of((2, 40, 6))),
            transposed(View.of((2, 40, 6))),
        ),
    }


@isas
@pytest.mark.parametrize("name", attentions())
@pytest.mark.parametrize("scale", [1.0, 40.0])
def test_attention(isa: str, name: str, scale: float) -> None:
    what, target = attentions()[name], runnable_target(isa)
    inputs = tensors_of([what.query, what.key, what.value, *(term.view for term in what.terms)], scale)
    got = run(attention(what, target), inputs, what.output.tensor, target, name)
    assert_matches(got, exact_attention(what, *inputs), name, tolerance=2e-5 * scale)


@isas
def test_attention_of_many_rows_goes_block_by_block(isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention_module, "SCORES_SHARE_OF_L2", 1e-9)
    what, target = attentions()["terms"], runnable_target(isa)
    inputs = tensors_of([what.query, what.key, what.value, *(term.view for term in what.terms)])
    got = run(attention(what, target), inputs, what.output.tensor, target, what)
    assert_matches(got, exact_attention(what, *inputs), what)


@pytest.mark.parametrize("cpu", ["znver4", "znver3", "skylake-avx512"])
def test_rows_that_share_sets_of_l1_do_not_evict_each_other(cpu: str) -> None:
    target = resolve_target(f"llvm -mtriple=x86_64-linux-gnu -mcpu={cpu}")
    cache = target.machine.cache(1)
    way = cache.size_bytes // cache.ways // FLOAT_BYTES
    apart, shared = (ProductTiles(64, 64, way, target, left_row=row) for row in (way + 16, way))
    assert apart.highest == 0 or apart.highest > apart.isa.largest_mr(apart.nr, ROW)
    assert 1 < shared.most_rows(shared.nr) < cache.ways
    # Accumulators enough to hide the multiply-adds' latency.
    assert shared.most_rows(shared.nr) * shared.nr >= 10 * shared.isa.lanes


def test_attention_of_infinities() -> None:
    """A mask of minus infinity hides what is there, a row of nothing else is NaN, a NaN stays in its row."""
    target, shape = runnable_target("portable"), (1, 6, 11)
    mask = np.zeros(shape, np.float32)
    mask[0, 1, 3:] = mask[0, 2, 0] = mask[0, 3, :] = -math.inf
    mask[0, 4, 9] = math.nan
    what = Attention(
        View.of((1, 6, 4)),
        View.of((1, 4, 11)),
        View.of((1, 11, 5)),
        View.of((1, 6, 5)),
        1.0,
        (Term(ADD, View.of(shape)),),
    )
    inputs = [*tensors_of([what.query, what.key, what.value]), mask]
    got = run(attention(what, target), inputs, (1, 6, 5), target, "mask")
    with np.errstate(invalid="ignore"):
        want = exact_attention(what, *inputs)
    assert np.isnan(want[0, 3:5]).all() and np.isfinite(np.delete(want, (3, 4), 1)).all()
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
    # What is guarded is zero where nothing is seen, and NaN where one is.
    want[0, 3] = 0
    got = run(attention(replace(what, guarded=True), target), inputs, (1, 6, 5), target, "guarded")
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


# Workspace and threads


def test_workspace_is_as_stated(tmp_path: Path) -> None:
    target, what = runnable_target("portable"), attentions()["terms"]
    arrays = tensors_of([what.query, what.key, what.value, *(term.view for term in what.terms)])
    executable = compile_kernel(attention(what, target), target)
    taken = peak_workspace_bytes(executable, "kernel", [*arrays, np.zeros((3, 25, 9), np.float32)], tmp_path)
    assert 0 < taken <= workspace_bytes(what, target) < target.machine.cache(2).size_bytes


def test_parallel_code_computes_what_serial_code_does(monkeypatch: pytest.MonkeyPatch) -> None:
    target, what = runnable_target("portable"), attentions()["terms"]
    arrays = tensors_of([what.query, what.key, what.value, *(term.view for term in what.terms)])

    def made(parallel: bool) -> tuple[tirx.PrimFunc, np.ndarray]:
        monkeypatch.setattr(builder, "PARALLEL_BYTES", 0 if parallel else math.inf)
        function = attention(what, target)
        return function, run(function, arrays, (3, 25, 9), target, "threads")

    (parallel, got), (serial, want) = made(True), made(False)
    assert "T.parallel" in parallel.script() and "T.parallel" not in serial.script()
    assert (got == want).all()
