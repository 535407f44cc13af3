"""Products of computed matrices, attention and normalizations for Arm and POWER, run under emulation."""

from __future__ import annotations

import numpy as np
import pytest
from emulation import CPUS, EmulatedCpu, Library
from matrix_support import exact_attention, exact_product, tensors_of
from support import assert_matches
from test_half_products import assert_near

from tvm_directconv.operators.attention import Attention, attention
from tvm_directconv.operators.attention import halves_taken as of_attention
from tvm_directconv.operators.builder import stored_as
from tvm_directconv.operators.matmul import halves_taken as of_product
from tvm_directconv.operators.matmul import matmul
from tvm_directconv.operators.matrix_product import MatrixProduct, transposed
from tvm_directconv.operators.matrix_terms import ADD, Term
from tvm_directconv.operators.matrix_views import View
from tvm_directconv.operators.normalization import (
    GroupNormalization,
    RowNormalization,
    normalize_groups,
    normalize_rows,
)
from tvm_directconv.problem.element_types import numpy_type, rounded

pytestmark = pytest.mark.emulated

HEADS = View.of((2, 19, 3, 2, 5)).permuted((2, 0, 3, 1, 4))


def head(part: int) -> View:
    """Queries, keys or values of one tensor, as (image, head, pixel, channel)."""
    reshaped = HEADS.sliced(0, part, 1).reshaped((2, 2, 19, 5))
    assert reshaped is not None
    return reshaped


BIAS = Term(ADD, View.of((2, 19, 19)).broadcast((2, 2, 19, 19)))
MERGED = View.of((2, 19, 2, 5)).permuted((0, 2, 1, 3))
PRODUCTS = {
    "by rows": MatrixProduct(head(0), transposed(head(1)), View.of((2, 2, 19, 19)), 0.5, (BIAS,)),
    "by columns": MatrixProduct(View.of((2, 2, 19, 19)), head(2), MERGED),
    "turned": MatrixProduct(transposed(View.of((9, 7))), View.of((9, 11)), transposed(View.of((11, 7)))),
}
ATTENTION = Attention(head(0), transposed(head(1)), head(2), MERGED, 0.4, (BIAS,))
ALL_HALVES = EmulatedCpu("llvm -mtriple=aarch64-linux-gnu -mattr=+bf16,+fp16fml", "max")
ROWS = RowNormalization((3, 5, 37), 37, 1e-5, (37,), (37,))
GROUPS = GroupNormalization((1, 5, 15, 12), 3, 1e-5)


@pytest.fixture(scope="module", params=["cortex-a57", "power9", "power10", "rvv"])
def library(request: pytest.FixtureRequest) -> Library:
    cpu: EmulatedCpu = CPUS[request.param]
    functions = {name.replace(" ", "_"): matmul(product, cpu.target) for name, product in PRODUCTS.items()}
    functions |= {
        "attention": attention(ATTENTION, cpu.target),
        "rows": normalize_rows(ROWS, cpu.target),
        "groups": normalize_groups(GROUPS, cpu.target),
    }
    return Library(cpu, functions)


def call(library: Library, name: str, inputs: list[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    return library.call(name, [*inputs, np.zeros(shape, np.float32)]).tensors[-1]


@pytest.mark.parametrize("name", PRODUCTS)
def test_products(library: Library, name: str) -> None:
    product = PRODUCTS[name]
    inputs = tensors_of([product.left, product.right, *(term.view for term in product.terms)])
    got = call(library, name.replace(" ", "_"), inputs, product.output.tensor)
    assert_matches(got, exact_product(product, *inputs), name)


def test_attention(library: Library) -> None:
    inputs = tensors_of([ATTENTION.query, ATTENTION.key, ATTENTION.value, BIAS.view])
    got = call(library, "attention", inputs, MERGED.tensor)
    assert_matches(got, exact_attention(ATTENTION, *inputs), "attention")


@pytest.mark.parametrize(
    ("cpu", "half"),
    [
        (CPUS["neoverse-n1"], "float16"),
        (
            EmulatedCpu("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-v2 -mattr=-sve,-sve2", "max"),
            "bfloat16",
        ),
        (EmulatedCpu("llvm -mtriple=aarch64-linux-gnu -mattr=+fp16fml", "max"), "float16"),
        (CPUS["power10"], "bfloat16"),
        (CPUS["power10"], "float16"),
    ],
    ids=lambda value: getattr(value, "model", value),
)
def test_operands_and_results_in_half_precision(cpu: EmulatedCpu, half: str) -> None:
    """Of products, by kernels that store halves or after terms, and of attention."""
    target, wanted = cpu.target, {}
    functions, arguments = {}, {}
    for name, what in {**PRODUCTS, "attention": ATTENTION}.items():
        if isinstance(what, MatrixProduct):
            operands, taken = [what.left, what.right], of_product(what, target, half)
            exact, make = exact_product, matmul
        else:
            operands, taken = [what.query, what.key, what.value], of_attention(what, target, half)
            exact, make = exact_attention, attention
        if not taken:
            continue  # neither operand's columns lie side by side
        drawn = [rounded(t, half) for t in tensors_of([*operands, *(term.view for term in what.terms)])]
        with stored_as(dict.fromkeys(taken, half)):
            functions[name.replace(" ", "_")] = make(what, target, half=half)
        stored = [a if n in taken else a.astype(np.float32) for n, a in enumerate(drawn)]
        made = np.zeros(what.output.tensor, numpy_type(half) if len(drawn) in taken else np.float32)
        arguments[name.replace(" ", "_")] = [*stored, made]
        wanted[name.replace(" ", "_")] = exact(what, *(a.astype(np.float64) for a in drawn))
    assert len(functions) == 3
    library = Library(cpu, functions)
    for name, want in wanted.items():
        got = library.call(name, arguments[name]).tensors[-1]
        assert_near(got.astype(np.float32), want, half, 19)


def test_normalizations(library: Library) -> None:
    rng = np.random.default_rng(0)
    data, groups = (rng.standard_normal(shape, np.float32) + 3 for shape in (ROWS.shape, GROUPS.shape))
    scale, shift, wide = (rng.standard_normal(size, np.float32) for size in (37, 37, 12))
    exact = data.astype(np.float64)
    want = (exact - exact.mean(-1, keepdims=True)) / np.sqrt(exact.var(-1, keepdims=True) + 1e-5)
    assert_matches(call(library, "rows", [data, scale, shift], ROWS.shape), want * scale + shift, "rows")
    exact = groups.reshape(75, 3, 4).astype(np.float64)
    want = (exact - exact.mean((0, 2), keepdims=True)) / np.sqrt(exact.var((0, 2), keepdims=True) + 1e-5)
    want = want.reshape(GROUPS.shape) * wide + wide
    assert_matches(call(library, "groups", [groups, wide, wide], GROUPS.shape), want, "groups")
