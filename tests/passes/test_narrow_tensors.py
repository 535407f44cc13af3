"""Networks in half precision: what is stored so, what is rounded where, and what stays in float32."""

from __future__ import annotations

from collections.abc import Mapping

import ml_dtypes
import numpy as np
import pytest
from graph_cases import CASES
from graph_support import draw, inputs_of, network, node
from onnx import ModelProto
from onnx_support import TARGET
from test_float_types import classifier

import tvm_directconv as directconv
from tvm_directconv.errors import AlgorithmError, WorkloadError
from tvm_directconv.problem.element_types import HALVES, ROUNDOFF
from tvm_directconv.problem.workload import Conv2dWorkload

PRECISE = {"bfloat16": ml_dtypes.bfloat16, "float16": np.float16}
DRAWN = (
    "residual_of_two_convolutions",
    "concat",
    "squeeze_and_excitation",
    "filter_known_at_run_time",
    "flattened_map_used_twice",
)


def compiled(model: ModelProto, precision: object) -> directconv.CompiledModel:
    return directconv.compile(model, TARGET, precision=precision, cache=False)  # type: ignore[arg-type]


def types_of(model: directconv.CompiledModel) -> list[str]:
    """The types of the layers' inputs and outputs, in order."""
    workloads = [Conv2dWorkload.parse(layer.workload) for layer in model.report().layers]
    return [w.dtype if w.out_dtype == w.dtype else f"{w.dtype}-{w.out_dtype}" for w in workloads]


def conv(data: str, weight: str, output: str) -> object:
    return node("Conv", f"{data} {weight}", output, kernel_shape=[3, 3], pads=[1, 1, 1, 1])


def whole_numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(-1, 2, shape).astype(np.float32)


def branches(weights: Mapping[str, np.ndarray]) -> ModelProto:
    """Layers with pools, moves of values, sums and a softmax between and behind them."""
    nodes = [
        conv("x", "a", "c"),
        node("Relu", "c", "r"),
        node("MaxPool", "r", "p", kernel_shape=[2, 2], strides=[2, 2]),
        conv("p", "b", "d"),
        node("Neg", "d", "n"),
        node("Concat", "p n", "k", axis=1),
        node("Transpose", "k", "t", perm=[0, 1, 3, 2]),
        conv("t", "e", "f"),
        node("GlobalAveragePool", "f", "g"),
        node("Flatten", "g", "h"),
        node("Gemm", "h m", "s"),
        node("Softmax", "s", "y"),
    ]
    return network(nodes, {"x": (1, 4, 8, 8)}, {"y": (1, 6)}, weights)  # type: ignore[arg-type]


WEIGHTS = {"a": (8, 4, 3, 3), "b": (8, 8, 3, 3), "e": (8, 16, 3, 3), "m": (8, 6)}


@pytest.mark.slow
@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("name", DRAWN)
def test_results_are_as_close_as_the_type_is(name: str, dtype: str) -> None:
    model = CASES[name].model
    wanted = compiled(model, "float32").run(inputs_of(model))
    narrow = compiled(model, dtype)
    assert {kind.partition("-")[0] for kind in types_of(narrow)} == {dtype}
    for got, want in zip(narrow.run(inputs_of(model)), wanted, strict=True):
        assert got.dtype == want.dtype
        assert 0 < np.abs(got - want).max() < 4 * ROUNDOFF[dtype] * np.abs(want).max()


@pytest.mark.slow
@pytest.mark.parametrize("dtype", HALVES)
def test_what_the_type_holds_is_exact(dtype: str) -> None:
    """Small whole numbers, summed and moved; casts are part of other kernels."""
    model = branches({name: whole_numbers(*shape) for name, shape in WEIGHTS.items()})
    given = whole_numbers(1, 4, 8, 8, seed=1)
    reference, narrow = compiled(model, "float32"), compiled(model, dtype)
    assert types_of(narrow) == [dtype, dtype, dtype, f"{dtype}-float32"]
    assert not any(kernel in ("cast", "astype") for kernel in narrow.report().other_kernels)
    np.testing.assert_allclose(narrow.run(given)[0], reference.run(given)[0], rtol=2 * ROUNDOFF[dtype])


@pytest.mark.parametrize("dtype", HALVES)
def test_rounds_inputs_weights_and_what_is_between(dtype: str) -> None:
    """Two layers in numpy, rounded where docs/precision.md says so."""
    nodes = [node("Conv", "x a", "c"), node("Relu", "c", "r"), node("Conv", "r b", "y")]
    weights = {"a": draw(8, 6, 1, 1), "b": draw(5, 8, 1, 1)}
    model = network(nodes, {"x": (1, 6, 4, 4)}, {"y": (1, 5, 4, 4)}, weights)
    x = draw(1, 6, 4, 4)

    def rounded(array: np.ndarray) -> np.ndarray:
        return array.astype(PRECISE[dtype]).astype(np.float64)

    first = np.einsum("nchw,oc->nohw", rounded(x), rounded(weights["a"])[:, :, 0, 0])
    between = rounded(np.maximum(first, 0).astype(np.float32))
    wanted = np.einsum("nchw,oc->nohw", between, rounded(weights["b"])[:, :, 0, 0])
    (got,) = compiled(model, dtype).run(x)
    # A sum in float32 may round to the other neighbour, where the exact one lies between two.
    assert np.median(np.abs(got - wanted)) < 1e-7
    assert np.abs(got - wanted).max() < ROUNDOFF[dtype] * np.abs(wanted).max()


def test_what_also_others_read_is_not_rounded_for_them() -> None:
    """The input of a layer is added to its result, and to another's."""
    nodes = [
        node("Conv", "x a", "c"),
        node("Add", "c x", "r"),
        node("Conv", "r a", "d"),
        node("Neg", "x", "n"),
        node("Sub", "d n", "y"),
    ]
    weights = {"a": np.zeros((6, 6, 1, 1), np.float32)}
    model = network(nodes, {"x": (1, 6, 4, 4)}, {"y": (1, 6, 4, 4)}, weights)
    narrow, x = compiled(model, "bfloat16"), draw(1, 6, 4, 4)
    assert set(types_of(narrow)) <= {"bfloat16", "bfloat16-float32"}
    np.testing.assert_array_equal(narrow.run(x)[0], x)


@pytest.mark.parametrize("dtype", HALVES)
def test_models_of_half_precision_in_their_own(dtype: str) -> None:
    """Their inputs are read as they are."""
    model, data = classifier(PRECISE[dtype])
    reference = compiled(classifier(np.float32)[0], "float32").run(data.astype(np.float32))
    narrow = compiled(model, dtype)
    assert set(types_of(narrow)) == {dtype, f"{dtype}-float32"}
    for got, want in zip(narrow.run(data), reference, strict=True):
        assert got.dtype == PRECISE[dtype]
        np.testing.assert_allclose(
            got.astype(np.float32), want, atol=8 * ROUNDOFF[dtype] * np.abs(want).max()
        )


def test_layers_by_name_stay_in_float32() -> None:
    model = branches({name: draw(*shape) for name, shape in WEIGHTS.items()})
    narrow = compiled(model, {"Gemm:*": "float32", "Conv:d": "float32", "*": "bfloat16"})
    assert types_of(narrow) == ["bfloat16", "float32", "bfloat16-float32", "float32"]
    x = draw(1, 4, 8, 8)
    np.testing.assert_allclose(narrow.run(x)[0], compiled(model, "float32").run(x)[0], rtol=0.05)


def test_automatically_float32_where_nothing_is_faster() -> None:
    """The portable kernels of half precision convert, and are narrower."""
    model = directconv.compile(
        CASES["conv_bias_relu"].model, "llvm -mcpu=x86-64", precision="auto", cache=False
    )
    assert types_of(model) == ["float32"]


@pytest.mark.parametrize(
    ("precision", "layout", "error", "message"),
    [
        ("bf16", "NHWC", WorkloadError, "precision 'bf16' is not one of float32, bfloat16, float16, auto"),
        (16, "NHWC", WorkloadError, "precision 16 is not one of"),
        ({"a": "bfloat16", "b": "float16"}, "NHWC", WorkloadError, "one precision beside float32, not"),
        ({3: "bfloat16"}, "NHWC", WorkloadError, "words by the names of layers"),
        ("float16", "NCHW", WorkloadError, "computed in NHWC, and the layout is 'NCHW'"),
        (
            {"Conv:z": "float16"},
            "NHWC",
            AlgorithmError,
            "precision given for 'Conv:z', but no layer",
        ),
    ],
)
def test_what_cannot_be_is_refused(precision: object, layout: str, error: type, message: str) -> None:
    model = CASES["conv_bias_relu"].model
    with pytest.raises(error, match=message):
        directconv.compile(model, TARGET, precision=precision, layout=layout, cache=False)  # type: ignore[arg-type]


def test_an_algorithm_without_half_precision_says_so() -> None:
    with pytest.raises(AlgorithmError, match="'sconv' is unknown or does not apply to .*bfloat16"):
        directconv.compile(
            CASES["conv_bias_relu"].model, TARGET, precision="bfloat16", algorithm="sconv", cache=False
        )
