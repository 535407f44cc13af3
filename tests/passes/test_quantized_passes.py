"""The graph passes on small quantized networks, as ONNX Runtime quantizes them."""

from __future__ import annotations

import numpy as np
import pytest
from graph_support import draw, network, node, operators, run_by_plain_tvm
from onnx import ModelProto
from quantized_models import (
    FORMATS,
    image_of,
    quantize,
    quantize_at_run_time,
    with_quantized_outputs,
)
from quantized_support import (
    applied,
    assert_same,
    calls,
    composites,
    integers,
    module_of,
    quantize_to,
    steps_through,
)
from reference import run_onnx_runtime
from tvm import relax

import tvm_directconv as directconv
from relay_strategies import passes
from relay_strategies.frontends.onnx.importer import import_model
from relay_strategies.relax import composite
from relay_strategies.relax.graph import dtype_of


def small_network() -> ModelProto:
    """Convolutions, residual, two kinds of pooling, concatenation, shuffle, a dense layer behind a map."""
    weights = {
        "w1": draw(8, 3, 3, 3),
        "b1": draw(8),
        "w2": draw(8, 4, 1, 1),
        "w3": draw(8, 1, 3, 3),
        "b3": draw(8, seed=3),
        "w4": draw(16 * 4 * 4, 10),
        "b4": draw(10),
        "groups": np.array([1, 2, 4, 8, 8], np.int64),
        "back": np.array([1, 8, 8, 8], np.int64),
        "flat": np.array([1, -1], np.int64),
    }
    nodes = [
        node("Conv", "x w1 b1", "a", pads=[1, 1, 1, 1]),
        node("Relu", "a", "ar"),
        node("MaxPool", "ar", "p", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
        node("Conv", "p w2", "c", group=2),
        node("Reshape", "c groups", "s1"),
        node("Transpose", "s1", "s2", perm=[0, 2, 1, 3, 4]),
        node("Reshape", "s2 back", "s"),
        node("Conv", "s w3 b3", "d", pads=[1, 1, 1, 1], group=8),
        node("Add", "d p", "e"),
        node("Relu", "e", "er"),
        node("Concat", "er c", "f", axis=1),
        node("AveragePool", "f", "g", kernel_shape=[2, 2], strides=[2, 2]),
        node("Reshape", "g flat", "h"),
        node("Gemm", "h w4 b4", "y"),
    ]
    return network(nodes, {"x": (1, 3, 16, 16)}, {"y": (1, 10)}, weights)


@pytest.mark.slow
@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("types", [("QUInt8", "QInt8"), ("QInt8", "QInt8"), ("QUInt8", "QUInt8")])
def test_small_networks_stay_in_bytes(format: str, per_channel: bool, types: tuple[str, str]) -> None:
    model = with_quantized_outputs(quantize(small_network(), format, per_channel, *types))
    module = applied(import_model(model), *steps_through(passes.FuseQuantized))
    found = operators(module)
    assert len(composites(module, composite.QCONV2D)) == 3
    ((_, dense),) = composites(module, composite.QDENSE)
    assert dense["out_dtype"] in ("uint8", "int8")
    assert found["fused_channel_shuffle"] == 1 and found["permute_dims"] == 1
    assert found["nn.conv2d"] == found["matmul"] == 0
    for name in ("nn.max_pool2d", "concat", "reshape"):
        (call,) = calls(module, name)
        tensors = call.args[0].fields if name == "concat" else call.args[:1]
        assert {dtype_of(tensor) for tensor in tensors} <= {"uint8", "int8"}
    inputs = image_of(model)
    (wanted,) = run_onnx_runtime(model, inputs)
    (got,) = run_by_plain_tvm(module, list(inputs.values()))
    assert len(np.unique(wanted)) > 5
    assert np.abs(wanted.astype(int) - got).max() <= 1
    (got,) = directconv.compile(model).run(inputs)
    assert np.abs(wanted.astype(int) - got).max() <= 1


def test_networks_quantized_at_run_time_convolve_bytes() -> None:
    model = quantize_at_run_time(small_network())
    kinds = [node.op_type for node in model.graph.node]
    module = applied(import_model(model), *steps_through(passes.FuseQuantized))
    assert len(composites(module, composite.QCONV2D)) == kinds.count("ConvInteger") == 3
    ((_, dense),) = composites(module, composite.QDENSE)
    assert dense["out_dtype"] == "int32" and kinds.count("MatMulInteger") == 1
    # Of the image, and of the map in front of the dense layer: its range is looked for before it is used.
    assert operators(module)["permute_dims"] == 2
    inputs = image_of(model)
    (wanted,) = run_onnx_runtime(model, inputs)
    (got,) = directconv.compile(model).run(inputs)
    np.testing.assert_allclose(got, wanted, atol=1e-5 * np.abs(wanted).max())


@pytest.mark.parametrize(("low", "high"), [(0, 255), (110, 140), (0, 140), (110, 255)])
def test_clips_of_integers_are_clips_of_the_numbers_before(low: int, high: int) -> None:
    """To the bit; a clip to all that the type holds is none."""
    numbers = np.linspace(-9, 9, 1000, dtype=np.float32)
    before = module_of(lambda emit, x: relax.op.clip(emit(quantize_to(x[0])), low, high), numbers)
    after = applied(before, passes.Simplify)
    assert_same(before, after, numbers)
    is_bounded = low > 0 or high < 255
    assert [dtype_of(call) for call in calls(after, "clip")] == ["float32"] * is_bounded


def test_clips_of_integers_from_elsewhere_stay() -> None:
    data = integers("int8", 50)
    before = module_of(lambda emit, x: relax.op.clip(x[0], -5, 70), data)
    after = applied(before, passes.Simplify)
    assert_same(before, after, data)
    assert len(calls(after, "clip")) == 1


@pytest.mark.parametrize("layout", ["HWOI", "IHWO"])
def test_filters_of_other_layouts_are_transposed(layout: str) -> None:
    """As TensorFlow Lite stores those of depthwise convolutions."""
    extents = {"O": 4, "I": 1, "H": 3, "W": 2}
    data, weight = draw(1, 6, 5, 4), draw(*(extents[letter] for letter in layout))
    before = module_of(
        lambda emit, x: relax.op.nn.conv2d(
            x[0], x[1], groups=4, data_layout="NHWC", kernel_layout=layout, padding=1
        ),
        data,
        weight,
    )
    after = applied(before, passes.Simplify)
    (call,) = calls(after, "nn.conv2d")
    assert str(call.attrs.kernel_layout) == "OIHW"
    padded = np.pad(data, ((0, 0), (1, 1), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 2), (1, 2))
    filters = weight.transpose([layout.find(letter) for letter in "OIHW"])[:, 0]
    (got,) = run_by_plain_tvm(after, [data, weight])
    np.testing.assert_allclose(got, np.einsum("nhwcij,cij->nhwc", windows, filters), rtol=1e-4, atol=1e-5)
