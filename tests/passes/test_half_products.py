"""Products of computed matrices and attention in half precision: within its rounding, and where it pays."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
import tvm
from emulation.x86.functions import kernels_interpreted
from graph_support import draw, network, node
from matrix_support import exact_attention, exact_product, tensors_of
from onnx import ModelProto, TensorProto
from operator_support import compile_kernel
from operator_support import run as run_guarded
from support import peak_workspace_bytes, run_together
from test_attention_graphs import CHANNELS, TOKENS, of_gathered_heads
from test_matmul import HEADS, PRODUCTS, STACKED, head
from tvm import tirx

from intrinsics.isa import best_isa
from relay_strategies.frontends.onnx.importer import import_onnx
from relay_strategies.passes import graph_passes
from tvm_directconv.algorithms.lowering import called_kernels
from tvm_directconv.operators.attention import (
    Attention,
    attention,
    attention_tiles,
    halves_taken,
    workspace_bytes,
)
from tvm_directconv.operators.builder import stored_as
from tvm_directconv.operators.matmul import halves_taken as halves_taken_of_product
from tvm_directconv.operators.matmul import matmul
from tvm_directconv.operators.matrix_product import MatrixProduct, transposed
from tvm_directconv.operators.matrix_terms import ADD, Term
from tvm_directconv.operators.matrix_tiles import half_that_pays
from tvm_directconv.operators.matrix_views import View
from tvm_directconv.problem.element_types import FLOATS, HALVES, ROUNDOFF, numpy_type, rounded
from tvm_directconv.targets.target import CompileTarget, resolve_target

HOST = resolve_target("llvm -mcpu=native")
TILES = ("sapphirerapids", "bfloat16", "amxbf16")
PAIRS = ("znver5", "bfloat16", "avx512bf16")
SHAPES = {
    **{name: PRODUCTS[name] for name in ("heads", "heads to pixels", "one for all", "terms")},
    "tails": MatrixProduct(View.of((37, 45)), View.of((45, 39)), View.of((37, 39)), 0.7),
    "several passes": MatrixProduct(View.of((3, 3001)), View.of((3001, 17)), View.of((3, 17))),
}
MERGED = View.of((2, 7, 2, 5)).permuted((0, 2, 1, 3))
WHAT = Attention(head(0), transposed(head(1)), head(2), MERGED, 0.4)


def target_of(cpu: str) -> CompileTarget:
    return resolve_target(f"llvm -mtriple=x86_64-linux-gnu -mcpu={cpu}")


def run(func: tirx.PrimFunc, views: list[View], output: View) -> tuple[list[np.ndarray], np.ndarray]:
    inputs = tensors_of(views)
    return inputs, run_guarded(func, inputs, output.tensor, HOST, "a product")


def assert_near(got: np.ndarray, want: np.ndarray, half: str, terms: int) -> None:
    """Operands are rounded, each by itself, and drawn: their products' errors add up as a random walk."""
    bound = 2 * ROUNDOFF[half] * (terms**0.5 + 4) * max(1.0, np.abs(want).max() / terms**0.5)
    np.testing.assert_allclose(got, want, rtol=2 * ROUNDOFF[half], atol=bound)
    assert np.abs(got - want).max() > 1e-6, "nothing was rounded"


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("name", SHAPES)
def test_products_are_of_rounded_operands(name: str, half: str) -> None:
    product = SHAPES[name]
    views = [product.left, product.right, *(term.view for term in product.terms)]
    inputs, got = run(matmul(product, HOST, half=half), views, product.output)
    assert_near(got, exact_product(product, *inputs), half, product.left.shape[-1])


@pytest.mark.parametrize(("cpu", "half", "isa"), [TILES, PAIRS, ("sapphirerapids", "float16", "avx512fp16")])
@pytest.mark.parametrize("name", ["heads", "tails"])
def test_products_by_other_instructions(name: str, cpu: str, half: str, isa: str) -> None:
    product = SHAPES[name]
    with kernels_interpreted() as calls:
        func = matmul(product, target_of(cpu), half=half)
        inputs, got = run(func, [product.left, product.right], product.output)
    assert any(f"_row_{isa}_" in routine for routine in calls)
    assert_near(got, exact_product(product, *inputs), half, 4 * product.left.shape[-1])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cpu", "half"), [("native", "float16"), ("native", "bfloat16"), TILES[:2], PAIRS[:2]]
)
@pytest.mark.parametrize("name", ["heads", "terms", "tails", "several passes"])
def test_products_stored_in_half_precision(name: str, cpu: str, half: str) -> None:
    """By the kernels, or where terms follow or sums are continued, when they are whole: rounded once."""
    product, target = SHAPES[name], HOST if cpu == "native" else target_of(cpu)
    if name == "several passes" and cpu != "native":
        pytest.skip("the same passes, and long to interpret")
    views = [product.left, product.right, *(term.view for term in product.terms)]
    taken = halves_taken_of_product(product, target, half)
    assert len(views) in taken
    drawn = [rounded(tensor, half) for tensor in tensors_of(views)]
    given = [array if n in taken else array.astype(np.float32) for n, array in enumerate(drawn)]
    made = np.full(product.output.tensor, np.nan, numpy_type(half))
    with nullcontext() if cpu == "native" else kernels_interpreted(), stored_as(dict.fromkeys(taken, half)):
        (got,) = run_together([matmul(product, target, half=half)], [[*given, made]], HOST)
    want = exact_product(product, *(array.astype(np.float64) for array in drawn))
    sums_in_half = cpu == "native" and best_isa(HOST, FLOATS[half], FLOATS[half]).half_terms
    if product.scale == 1.0 and not sums_in_half:  # else the left operand is rounded again
        np.testing.assert_allclose(got.astype(np.float64), want, rtol=1.01 * ROUNDOFF[half], atol=1e-5)
    assert_near(got.astype(np.float32), want, half, product.left.shape[-1])


@pytest.mark.parametrize(
    ("cpu", "half"), [("native", "float16"), ("native", "bfloat16"), TILES[:2], PAIRS[:2]]
)
def test_attention_of_rounded_operands(cpu: str, half: str) -> None:
    target = HOST if cpu == "native" else target_of(cpu)
    with nullcontext() if cpu == "native" else kernels_interpreted():
        func = attention(WHAT, target, half=half)
        inputs, got = run(func, [WHAT.query, WHAT.key, WHAT.value], WHAT.output)
    assert_near(got, exact_attention(WHAT, *inputs), half, 7)


def even_head(part: int) -> View:
    """Queries, keys or values of heads of eight channels, of one tensor."""
    tensor = View.of((2, 7, 3, 2, 8)).permuted((2, 0, 3, 1, 4))
    reshaped = tensor.sliced(0, part, 1).reshaped((2, 2, 7, 8))
    assert reshaped is not None
    return reshaped


@pytest.mark.parametrize(
    ("cpu", "half"), [("native", "float16"), ("native", "bfloat16"), TILES[:2], PAIRS[:2]]
)
def test_operands_stored_in_half_precision(cpu: str, half: str) -> None:
    """Pairs of bfloat16 that lie side by side are transposed as they are; the result is rounded once."""
    target = HOST if cpu == "native" else target_of(cpu)
    mask = Term(ADD, View.of((7, 7)).broadcast((2, 2, 7, 7)))
    output = View.of((2, 7, 2, 8)).permuted((0, 2, 1, 3))
    what = Attention(even_head(0), transposed(even_head(1)), even_head(2), output, 0.4, (mask,))
    taken = halves_taken(what, target, half)
    _, scoring, _ = attention_tiles(what, target, half)
    assert cpu == "native" or scoring.group == 2
    assert {0, 2, 3, 4} <= set(taken) and (1 in taken) == (scoring.group == 2)
    views = [what.query, what.key, what.value, mask.view]
    drawn = [rounded(tensor, half) for tensor in tensors_of(views)]
    given = [array if n in taken else array.astype(np.float32) for n, array in enumerate(drawn)]
    made = np.full(output.tensor, np.nan, numpy_type(half))
    with nullcontext() if cpu == "native" else kernels_interpreted(), stored_as(dict.fromkeys(taken, half)):
        (got,) = run_together([attention(what, target, half=half)], [[*given, made]], HOST)
    want = exact_attention(what, *(array.astype(np.float64) for array in drawn))
    assert got.dtype == numpy_type(half)
    assert_near(got.astype(np.float32), want, half, 8)


def test_attention_allocates_what_it_states(tmp_path: Path) -> None:
    executable = compile_kernel(attention(WHAT, HOST, half="bfloat16"), HOST)
    arrays = [*tensors_of([WHAT.query, WHAT.key, WHAT.value]), np.zeros(WHAT.output.tensor, np.float32)]
    stated = workspace_bytes(WHAT, HOST, "bfloat16")
    assert stated > workspace_bytes(WHAT, HOST)
    assert 0 < peak_workspace_bytes(executable, "kernel", arrays, tmp_path) <= stated


def test_what_does_not_lie_side_by_side_stays_in_float32() -> None:
    product = MatrixProduct(transposed(STACKED), STACKED, STACKED)
    assert HEADS.strides[-1] == 1
    kernels = called_kernels(matmul(product, target_of("znver5"), half="bfloat16").body)
    assert not any("bf16" in name for name in kernels)


@pytest.mark.parametrize(
    ("cpu", "half", "pays"),
    [
        ("znver3", "bfloat16", False),
        ("znver5", "bfloat16", True),
        ("znver5", "float16", False),
        ("emeraldrapids", "bfloat16", True),
        ("emeraldrapids", "float16", True),
        ("icelake-server", "bfloat16", False),
    ],
)
def test_where_half_precision_pays(cpu: str, half: str, pays: bool) -> None:
    assert half_that_pays(target_of(cpu), half) == pays


def transformer() -> ModelProto:
    """A dense layer, attention over its heads, and another dense layer."""
    nodes, shape, constants, _ = of_gathered_heads()
    around = [node("MatMul", "in a", "x"), *nodes, node("MatMul", "y b", "out")]
    weights = {"a": draw(12, 3 * CHANNELS), "b": draw(CHANNELS, 6), **constants}
    return network(around, {"in": (*shape[:2], 12)}, {"out": (2, TOKENS, 6)}, weights)


@pytest.mark.parametrize(
    ("cpu", "precision", "half"),
    [
        ("znver5", "bfloat16", True),
        ("sapphirerapids", "bfloat16", True),
        ("znver3", "bfloat16", False),
        ("znver5", {"MatMul:x": "bfloat16", "MatMul:out": "bfloat16"}, False),
        ("znver5", "float32", False),
    ],
)
def test_attention_in_networks(cpu: str, precision: object, half: bool) -> None:
    target = target_of(cpu)
    steps = graph_passes(target, precision=precision)  # type: ignore[arg-type]
    with target.tvm_target:
        module = tvm.transform.Sequential(steps)(import_onnx(transformer()))
    (found,) = (f for v, f in module.functions_items() if v.name_hint.startswith("attention"))
    kernels = [name for name in called_kernels(found.body) if "_row_" in name]
    assert kernels and all(("bf16" in name) == half for name in kernels)


def product_between_layers(cpu: str, precision: object, rounded_to_float16: str = "") -> tirx.PrimFunc:
    """The kernel of a product ``p`` of ``x`` by ``t``, one of which the model itself may round."""
    nodes = [
        node("MatMul", "in a", "x"),
        node("MatMul", "in b", "y"),
        node("Transpose", "y", "t", perm=[0, 2, 1]),
        node("MatMul", "x t", "p"),
        node("MatMul", "p c", "out"),
    ]
    if rounded_to_float16:
        at = next(at for at, each in enumerate(nodes) if rounded_to_float16 in each.input)
        nodes[at].input[list(nodes[at].input).index(rounded_to_float16)] = "wide"
        nodes.insert(at, node("Cast", rounded_to_float16, "narrow", to=TensorProto.FLOAT16))
        nodes.insert(at + 1, node("Cast", "narrow", "wide", to=TensorProto.FLOAT))
    weights = {"a": draw(12, 8), "b": draw(12, 8), "c": draw(6, 4)}
    model, target = network(nodes, {"in": (2, 6, 12)}, {"out": (2, 6, 4)}, weights), target_of(cpu)
    with target.tvm_target:
        steps = graph_passes(target, precision=precision)  # type: ignore[arg-type]
        module = tvm.transform.Sequential(steps)(import_onnx(model))
    (found,) = (f for v, f in module.functions_items() if v.name_hint.startswith("matrix_product"))
    return found


@pytest.mark.parametrize(
    ("rounded_to_float16", "types"),
    [
        ("", ["bfloat16", "bfloat16", "bfloat16"]),
        ("t", ["bfloat16", "float32", "bfloat16"]),
        ("p", ["bfloat16", "bfloat16", "float32"]),
    ],
)
def test_products_in_networks_read_and_store_halves(rounded_to_float16: str, types: list[str]) -> None:
    """Between layers in half precision, without casts around it; halves of another type are none of its."""
    found = product_between_layers("znver5", "bfloat16", rounded_to_float16)
    assert [str(param.ty.dtype) for param in found.params] == types


@pytest.mark.parametrize("cpu", ["znver5", "znver3"])
def test_products_have_names_where_nothing_is_gained_too(cpu: str) -> None:
    found = product_between_layers(cpu, {"MatMul:p": "float32", "*": "bfloat16"})
    assert not any("bf16" in name for name in called_kernels(found.body))
