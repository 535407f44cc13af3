"""Steps with a constant for each channel: found in graphs, refused where they are none, told in layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from graph_support import draw, inputs_of, network, node, operators
from reference import run_onnx_runtime
from relax_numpy import evaluate
from test_activations import SHAPE, fused, steps_in
from tvm import relax

import tvm_directconv as directconv
from intrinsics.epilogue import ChannelScale, PRelu, TileEpilogue, parse_step
from tvm_directconv.errors import WorkloadError
from tvm_directconv.problem.workload import Conv2dWorkload

SLOPES, SCALES = draw(8, seed=5), draw(1, 1, 1, 8, seed=6)
Build = Callable[[Any, Any], Any]
NATIVE = "llvm -mcpu=native"


def constants() -> tuple[relax.Expr, relax.Expr]:
    return relax.const(SLOPES), relax.const(SCALES)


def _prelu(s: Any, x: Any) -> Any:
    return s.prelu(x, constants()[0], -1)


def _prelu_chosen(s: Any, x: Any) -> Any:
    return s.where(s.less(x, 0.0), s.multiply(x, constants()[0]), x)


def _prelu_summed(s: Any, x: Any) -> Any:
    """As PyTorch writes it without its own operator, and MXNet did."""
    below = s.multiply(s.subtract(x, s.abs(x)), 0.5)
    return s.add(s.relu(x), s.multiply(constants()[1], below))


def _normalized_tanh(s: Any, x: Any) -> Any:
    slopes, scales = constants()
    return s.add(s.multiply(s.tanh(x), scales), slopes)


def _both_sides(s: Any, x: Any, other: Any) -> Any:
    return s.relu(s.multiply(s.add(_prelu(s, x), other), constants()[1]))


FOUND: dict[str, tuple[Build, str]] = {
    "prelu": (_prelu, "prelu(8)"),
    "prelu, chosen": (_prelu_chosen, "prelu(8)"),
    "prelu, summed": (_prelu_summed, "prelu(8)"),
    "normalization behind an activation": (_normalized_tanh, "tanh+channelscale(8)+channelshift(16)"),
    "around a residual": (_both_sides, "prelu(8)+residual+channelscale(16)+relu"),
}


@pytest.mark.parametrize("name", FOUND)
def test_found_in_graphs(name: str) -> None:
    build, text = FOUND[name]
    beside = [SHAPE] if build is _both_sides else []
    before, after = fused(build, *beside)
    assert operators(after) == {"fused_conv2d": 1}
    assert ["+".join(map(str, steps)) for steps in steps_in(after)] == [text]
    data = [draw(*SHAPE, seed=at) for at in range(1 + len(beside))]
    np.testing.assert_allclose(evaluate(after, data), evaluate(before, data), rtol=1e-5, atol=1e-5)


def _by_pixel(s: Any, x: Any) -> Any:
    return s.multiply(s.tanh(x), relax.const(draw(1, 4, 5, 1)))


def _used_twice(s: Any, x: Any) -> Any:
    return s.add(s.multiply(x, constants()[0]), s.exp(x))


def _another_function(s: Any, x: Any) -> Any:
    return s.exp(s.multiply(s.tanh(x), constants()[0]))


@pytest.mark.parametrize(
    ("build", "left"),
    [
        (_by_pixel, {"multiply"}),
        (_used_twice, {"multiply", "exp", "add"}),
        (_another_function, {"exp"}),
    ],
)
def test_what_is_no_step_stays(build: Build, left: set[str]) -> None:
    before, after = fused(build)
    assert set(operators(after)) - {"fused_conv2d", "fused_affine"} == left
    data = [draw(*SHAPE)]
    np.testing.assert_allclose(evaluate(after, data), evaluate(before, data), rtol=1e-5, atol=1e-5)


LAYER = "n1_ih4iw4_ic8_oc8_k1x1_s1x1_p0x0x0x0_d1x1_g1_float32_NHWC_OIHW_"


def test_layers_are_told_by_them() -> None:
    workload = Conv2dWorkload.parse(f"{LAYER}bias+prelu(8)+residual+channelscale(16)")
    assert Conv2dWorkload.parse(str(workload)) == workload
    assert workload.bias_shape == (24,)
    assert workload.epilogue.per_channel == (PRelu(8), ChannelScale(16))


@pytest.mark.parametrize(
    ("epilogue", "why"),
    [
        ("prelu(8)", "with a bias"),
        ("bias+prelu(9)", "rows of 8"),
        ("bias+prelu(16)", "rows of 8"),
        ("bias+prelu(16)+channelscale(8)", "rows of 8"),
        ("bias+prelu(0)", "behind no bias"),
        ("bias+prelu(8.5)", "behind no bias"),
    ],
)
def test_tables_that_are_none(epilogue: str, why: str) -> None:
    with pytest.raises(WorkloadError, match=why):
        Conv2dWorkload.parse(LAYER + epilogue)


def test_texts_and_codes() -> None:
    step = parse_step("channelshift(4096)")
    assert str(step) == "channelshift(4096)"
    assert TileEpilogue(True, steps=[step]).per_channel == (step,)


CLIPPED_AND_NORMALIZED = network(
    [
        node("Conv", "x w c", "sums"),
        node("Clip", "sums low high", "clipped"),
        node("BatchNormalization", "clipped scale shift mean variance", "y"),
    ],
    {"x": (1, 20, 9, 8)},
    {"y": (1, 16, 9, 8)},
    {
        **{name: draw(16, seed=at) for at, name in enumerate(("c", "scale", "shift", "mean"))},
        **{"w": draw(16, 20, 1, 1), "variance": np.abs(draw(16, seed=9)) + np.float32(0.1)},
        **{"low": np.float32(-0.1), "high": np.float32(0.5)},
    },
)
ONE_CHANNEL = network(
    [
        node("MatMul", "x w", "sums"),
        node("HardSwish", "sums", "y"),
        node("Sigmoid", "sums", "gates"),
        node("HardSwish", "gates", "z"),
    ],
    {"x": (1, 33, 4)},
    {"y": (1, 33, 1), "z": (1, 33, 1)},
    {"w": draw(4, 1)},
    opset=17,
)


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["NHWC", "NCHW", "blocked"])
@pytest.mark.parametrize("algorithm", ["auto", "im2col_gemm"])
def test_a_whole_layer_in_every_layout(layout: str, algorithm: str) -> None:
    inputs = inputs_of(CLIPPED_AND_NORMALIZED)
    model = directconv.compile(CLIPPED_AND_NORMALIZED, NATIVE, layout=layout, algorithm=algorithm)
    assert "channelscale" in model.report().layers[0].workload
    (got,), (want,) = model.run(inputs), run_onnx_runtime(CLIPPED_AND_NORMALIZED, inputs)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_the_constants_of_one_channel_are_numbers() -> None:
    inputs = inputs_of(ONE_CHANNEL)
    results = directconv.compile(ONE_CHANNEL, NATIVE).run(inputs)
    for got, want in zip(results, run_onnx_runtime(ONE_CHANNEL, inputs), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


ALPHAS = (-0.3, 0.008, 0.2, 1.5)
THRESHOLDS = network(
    [
        *(node("Conv", "x w", f"c{number}") for number in range(7)),
        *(node("ThresholdedRelu", f"c{n}", f"t{n}", alpha=alpha) for n, alpha in enumerate(ALPHAS)),
        node("Greater", "c4 limits", "above"),
        node("Where", "above c4 zero", "w4"),
        node("Greater", "c5 limits", "more"),
        node("Mul", "c5 scales", "less"),
        node("Where", "more c5 less", "w5"),
        node("Abs", "c6", "size"),
        node("Greater", "size limit", "far"),
        node("Cast", "far", "mask", to=1),
        node("Mul", "c6 mask", "w6"),
    ],
    {"x": (1, 4, 6, 6)},
    dict.fromkeys(["t0", "t1", "t2", "t3", "w4", "w5", "w6"], (1, 8, 6, 6)),
    {
        "w": draw(8, 4, 1, 1) * np.float32(3),
        "limits": np.linspace(-0.4, 0.2, 8, dtype=np.float32).reshape(8, 1, 1),
        "scales": draw(8, 1, 1),
        "limit": np.float32(0.05),
        "zero": np.float32(0),
    },
    opset=18,
)


def test_thresholds_are_not_taken_for_steps() -> None:
    """What jumps beside zero is a product or a ReLU nearly everywhere."""
    inputs = inputs_of(THRESHOLDS)
    results = directconv.compile(THRESHOLDS, NATIVE).run(inputs)
    for got, want in zip(results, run_onnx_runtime(THRESHOLDS, inputs), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)
