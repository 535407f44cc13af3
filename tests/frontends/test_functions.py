"""Functions whose naive formulas cancel, over all of float32 in float64, by every way in and in every place
of a network (docs/numerics.md has their bounds); and normalizations of a large mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from function_table import FUNCTIONS, Function, assert_exact, every_magnitude, in_pairs, of_onnx
from graph_support import network, node
from onnx import NodeProto
from relay_support import program

import tvm_directconv as directconv

NUMERICS = Path(__file__).parents[2] / "docs" / "numerics.md"
OPSET = 18
ONE, ONES, HALF = np.ones((1, 1, 1, 1), np.float32), np.ones((1, 1), np.float32), np.float32(0.5)
NUMBERS = every_magnitude()
FINITE = NUMBERS[np.isfinite(NUMBERS)]
Place = Callable[[Function, str], list[NodeProto]]


def test_the_page_says_these_bounds() -> None:
    page = NUMERICS.read_text()
    for name, function in FUNCTIONS.items():
        assert f"| `{name}` | {function.most:g} |" in page


PLACES: dict[str, Place] = {
    "alone": lambda f, y: f.nodes("x", y),
    "in a chain": lambda f, y: [
        node("Neg", "x", f"{y}n"),
        *f.nodes(f"{y}n", f"{y}f"),
        node("Neg", f"{y}f", y),
    ],
    "behind a convolution": lambda f, y: [node("Conv", "x one", f"{y}c"), *f.nodes(f"{y}c", y)],
    "behind a product": lambda f, y: [
        node("Reshape", "x rows", f"{y}r"),
        node("Gemm", f"{y}r ones", f"{y}g"),
        *f.nodes(f"{y}g", f"{y}f"),
        node("Reshape", f"{y}f shape", y),
    ],
    "before a convolution": lambda f, y: [*f.nodes("x", f"{y}f"), node("Conv", f"{y}f one", y)],
}
"""What is before and behind a function there leaves all numbers as they are, or changes their signs."""


FUSED = ("softplus", "mish", "elu(0.5)", "selu", "atanh")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "target", "names"),
    [
        ("alone", "llvm", of_onnx()),
        ("alone", "llvm -mcpu=native", of_onnx()),
        ("in a chain", "llvm -mcpu=native", of_onnx()),
        ("behind a convolution", "llvm -mcpu=native", FUSED),
        ("behind a convolution", "llvm", ("softplus",)),
        ("behind a product", "llvm -mcpu=native", FUSED),
        ("before a convolution", "llvm -mcpu=native", FUSED),
    ],
)
def test_onnx(place: str, target: str, names: Sequence[str]) -> None:
    x = NUMBERS.reshape(1, 1, -1, 1)
    weights = {"one": ONE, "ones": ONES, "rows": np.array([-1, 1]), "shape": np.array(x.shape)}
    nodes = [made for at, name in enumerate(names) for made in PLACES[place](FUNCTIONS[name], f"y{at}")]
    used = {name: array for name, array in weights.items() if any(name in n.input for n in nodes)}
    outputs = {f"y{at}": x.shape for at in range(len(names))}
    model = network(nodes, {"x": x.shape}, outputs, used, opset=OPSET)
    sign = -1 if place == "in a chain" else 1
    for name, got in zip(names, directconv.compile(model, target).run(x), strict=True):
        assert_exact(name, sign * NUMBERS, sign * got.reshape(-1))


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_of_other_types_they_are_computed_in_float32(dtype: str) -> None:
    from onnx import helper

    x, names = np.unique(NUMBERS[np.abs(NUMBERS) < 100].astype(dtype)), ("softplus", "mish", "elu", "selu")
    nodes = [n for at, name in enumerate(names) for n in FUNCTIONS[name].nodes("x", f"y{at}")]
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    infos = [
        helper.make_tensor_value_info(name, kind, x.shape) for name in ("x", *(n.output[0] for n in nodes))
    ]
    graph = helper.make_graph(nodes, "typed", infos[:1], infos[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    for name, got in zip(names, directconv.compile(model).run(x), strict=True):
        exact = FUNCTIONS[name].exact(x.astype(np.float32).astype(np.float64))
        np.testing.assert_allclose(
            got, exact.astype(dtype), rtol=1e-3 if dtype == "float16" else 1e-6, atol=1e-7
        )


def test_rows_of_onnx() -> None:
    """Along the last axis, short and long, and along another one."""
    pairs = in_pairs(FINITE)
    wide = np.concatenate([pairs, np.full((len(pairs), 7), -np.inf, np.float32)], 1)
    nodes, outputs, inputs = [], {}, {"pairs": pairs, "wide": wide, "turned": np.ascontiguousarray(pairs.T)}
    for name, array in inputs.items():
        axis = 0 if name == "turned" else 1
        nodes.append(node("ReduceLogSumExp", name, f"{name}s", axes=[axis], keepdims=0))
        nodes.append(node("LogSoftmax", name, f"{name}l", axis=axis))
        outputs |= {f"{name}s": [len(FINITE)], f"{name}l": array.shape}
    model = network(nodes, {n: a.shape for n, a in inputs.items()}, outputs, opset=13)
    for name, got in zip(outputs, directconv.compile(model).run(list(inputs.values())), strict=True):
        if name.endswith("s"):
            assert_exact("log_sum_exp", FINITE, got)
        else:
            assert_exact("log_softmax", FINITE, got[0] if name == "turnedl" else got[:, 0])


@pytest.mark.slow
@pytest.mark.parametrize("axes", [[0], [1], [2], [0, 2], [0, 1, 2]])
def test_logarithms_of_sums_with_infinities(axes: Sequence[int]) -> None:
    """What is infinite or NaN makes the sums that it is in so."""
    x = np.random.default_rng(1).standard_normal((5, 9, 33)).astype(np.float32) * 30
    x[0, 0, 0], x[1, 1, 1], x[2, :, 3], x[3, 2, :], x[4, 4, 4] = np.inf, np.nan, -np.inf, -np.inf, 100
    kept = network(
        [node("ReduceLogSumExp", "x", "y", axes=axes)],
        {"x": x.shape},
        {"y": [1 if a in axes else n for a, n in enumerate(x.shape)]},
    )
    with np.errstate(invalid="ignore"):
        want = np.logaddexp.reduce(x.astype(np.float64), tuple(axes), keepdims=True)
    np.testing.assert_allclose(directconv.compile(kept).run(x)[0], want.astype(np.float32), rtol=1e-6)


def test_torch() -> None:
    torch = pytest.importorskip("torch")
    from torch_support import Function as Module

    F = torch.nn.functional
    functions: dict[str, Any] = {
        **{
            name: getattr(torch, name)
            for name in ("log1p", "expm1", "atanh", "asinh", "acosh", "sinh", "cosh", "tanh")
        },
        **{name: getattr(F, name) for name in ("softplus", "mish", "elu", "selu")},
        "log_sigmoid": F.logsigmoid,
        "elu(0.5)": lambda x: F.elu(x, 0.5),
        "celu(2)": lambda x: F.celu(x, 2.0),
        "log_add_exp": lambda x: torch.logaddexp(x, torch.zeros(())),
        "log_sum_exp": lambda x: torch.logsumexp(torch.stack([x, torch.zeros_like(x)], 1), 1),
        "log_softmax": lambda x: F.log_softmax(torch.stack([x, torch.zeros_like(x)]), 0)[0],
    }
    assert set(functions) == set(FUNCTIONS)
    others = {
        "softplus(2, 1)": (
            lambda x: F.softplus(x, 2.0, 1.0),
            Function(lambda x: np.where(2 * x > 1, x, FUNCTIONS["softplus"].exact(2 * x) / 2), 5),
        ),
        "softplus(-2)": (
            lambda x: F.softplus(x, -2.0),
            Function(lambda x: np.where(-2 * x > 20, x, FUNCTIONS["softplus"].exact(-2 * x) / -2), 5),
        ),
        "xlog1py": (
            lambda x: torch.special.xlog1py(x.abs(), x.abs()),
            Function(lambda x: np.abs(x) * np.log1p(np.abs(x)), 4),
        ),
        "bce": (
            lambda x: F.binary_cross_entropy_with_logits(x, torch.ones(()).expand(x.shape), reduction="none"),
            Function(lambda x: FUNCTIONS["softplus"].exact(-x), 5),
        ),
    }
    module = Module(lambda x: (*(f(x) for f in functions.values()), *(f(x) for f, _ in others.values())))
    x = torch.tensor(FINITE)
    results = directconv.compile(module, example_inputs=(x,))(x)
    for name, got in zip((*functions, *others), results, strict=True):
        assert_exact(name, FINITE, np.asarray(got), FUNCTIONS[name] if name in functions else others[name][1])


def test_relay() -> None:
    """``log(1 + exp(x))`` is recognized as softplus."""
    names = ("atanh", "asinh", "acosh", "sinh", "cosh", "tanh")
    spelt = {"softplus": "log(add(exp(%x), 1f))", "log_softmax": "nn.log_softmax(%pairs)"}
    bodies = [*(f"{name}(%x)" for name in names), *spelt.values()]
    inputs = {"x": FINITE, "pairs": in_pairs(FINITE)}
    results = directconv.compile(program(f"({', '.join(bodies)},)", inputs)).run(inputs)
    for name, got in zip((*names, *spelt), results, strict=True):
        assert_exact(name, FINITE, got if got.ndim == 1 else got[:, 0])


def test_tflite() -> None:
    pytest.importorskip("tflite")
    from tvm_directconv.bench.tflite_files import StoredOperator as Operator
    from tvm_directconv.bench.tflite_files import StoredTensor as Tensor
    from tvm_directconv.bench.tflite_files import model

    for kind, name, x in (("ELU", "elu", NUMBERS), ("LOG_SOFTMAX", "log_softmax", in_pairs(FINITE))):
        file = model([Tensor("x", x.shape), Tensor("y", x.shape)], [Operator(kind, ["x"], "y")], ["x"])
        (got,) = directconv.compile(file).run(x)
        assert_exact(name, x if x.ndim == 1 else x[:, 0], got if x.ndim == 1 else got[:, 0])


# ---- normalizations

MEANS = ((0.0, 1.0), (128.0, 0.1), (-3e4, 0.5))


def normalized(x: np.ndarray, axes: Sequence[int], epsilon: float) -> np.ndarray:
    wide = x.astype(np.float64)
    distance = wide - wide.mean(tuple(axes), keepdims=True)
    spread = np.sqrt(wide.var(tuple(axes), keepdims=True) + epsilon)
    return np.stack(np.broadcast_arrays(distance / spread, spread))


def near(got: np.ndarray, want: np.ndarray, mean: float) -> None:
    """The mean is rounded, and so all results may be off by its unit in the last place."""
    wanted, spread = want
    most = 4e-6 * (1 + np.abs(wanted)) + 2e-7 * abs(mean) / spread
    assert (np.abs(got - wanted) <= most).all(), np.max(np.abs(got - wanted) / most)


@pytest.mark.slow
@pytest.mark.parametrize(("mean", "deviation"), MEANS)
def test_normalizations_of_onnx(mean: float, deviation: float) -> None:
    shape = (2, 6, 7, 9)
    x = (np.random.default_rng(3).standard_normal(shape) * deviation + mean).astype(np.float32)
    tiny = 1e-10
    cases = {
        **{
            f"mvn{axes}": (
                node("MeanVarianceNormalization", "x", f"mvn{at}", axes=axes),
                normalized(x, axes, 0),
            )
            for at, axes in enumerate(([0, 2, 3], [2, 3], [1, 2, 3], [-1], [1], [0, 1, 2, 3]))
        },
        "mvn": (node("MeanVarianceNormalization", "x", "mvn"), normalized(x, (0, 2, 3), 0)),
        "instance": (
            node("InstanceNormalization", "x one zero", "instance", epsilon=tiny),
            normalized(x, (2, 3), tiny),
        ),
        "layer": (
            node("LayerNormalization", "x last", "layer", axis=-1, epsilon=tiny),
            normalized(x, (3,), tiny),
        ),
        "layers": (
            node("LayerNormalization", "x last", "layers", axis=1, epsilon=tiny),
            normalized(x, (1, 2, 3), tiny),
        ),
        "batch": (
            node("BatchNormalization", "x one zero zero one", "batch m v", training_mode=1, epsilon=tiny),
            normalized(x, (0, 2, 3), tiny),
        ),
    }
    weights = {"one": np.ones(6, np.float32), "zero": np.zeros(6, np.float32), "last": np.ones(9, np.float32)}
    nodes = [made for made, _ in cases.values()]
    model = network(nodes, {"x": shape}, {n.output[0]: shape for n in nodes}, weights, opset=OPSET)
    for (_, want), got in zip(cases.values(), directconv.compile(model).run(x), strict=True):
        near(got, want, mean)


def test_what_does_not_vary_becomes_zero() -> None:
    """Standard deviations of 0 are not divided by."""
    x = np.full((1, 3, 4, 5), 2, np.float32)
    axes = ([0, 2, 3], [1, 2, 3], [0])
    nodes = [node("MeanVarianceNormalization", "x", f"y{at}", axes=over) for at, over in enumerate(axes)]
    model = network(nodes, {"x": x.shape}, {f"y{at}": x.shape for at in range(3)})
    for got in directconv.compile(model).run(x):
        np.testing.assert_array_equal(got, 0)
