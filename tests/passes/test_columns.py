"""Transposed convolutions of few outputs: the columns of their pixels, and the kernel that sums them."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest
from graph_support import draw, inputs_of, network, node, run_by_plain_tvm, with_composites
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import ModelProto, TensorProto, helper, numpy_helper
from operator_support import run
from reference import run_onnx_runtime
from support import assert_matches

import tvm_directconv as directconv
from tvm_directconv import zoo
from tvm_directconv.operators.columns import sum_columns
from tvm_directconv.problem.columns import Columns
from tvm_directconv.problem.phases import reach
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.targets.target import resolve_target

TARGET = "llvm -mcpu=native"


def added_up(columns: np.ndarray, what: Columns) -> np.ndarray:
    """The sum from its definition, in float64: every column laid down where its pixel is."""
    height, width = what.image
    split = columns.astype(np.float64).reshape(what.batch, what.outputs, *what.kernel, height, width)
    axes = zip(what.image, what.kernel, what.strides, what.dilation, strict=True)
    ends = [b + s for b, s in zip(what.before, what.size, strict=True)]
    whole = [max(reach(*axis), end) for axis, end in zip(axes, ends, strict=True)]
    result = np.zeros((what.batch, what.outputs, *whole))
    for tap in itertools.product(*map(range, what.kernel)):
        first = [k * d for k, d in zip(tap, what.dilation, strict=True)]
        rows, places = (
            slice(f, f + (size - 1) * s + 1, s)
            for f, size, s in zip(first, what.image, what.strides, strict=True)
        )
        result[:, :, rows, places] += split[:, :, tap[0], tap[1]]
    return result[:, :, what.before[0] : ends[0], what.before[1] : ends[1]]


PAIR = st.tuples(st.integers(1, 3), st.integers(1, 3))


@settings(max_examples=16)
@given(st.data())
def test_columns_are_added_up(data: st.DataObject) -> None:
    """Of maps that are narrower than a vector, and wider than several."""
    image = data.draw(st.integers(1, 5)), data.draw(st.sampled_from([1, 2, 7, 16, 33, 50]))
    kernel, strides, dilation = (
        data.draw(st.tuples(st.integers(1, 4), st.integers(1, 5))),
        *data.draw(st.tuples(PAIR, PAIR)),
    )
    whole = [reach(*axis) for axis in zip(image, kernel, strides, dilation, strict=True)]
    before = tuple(data.draw(st.integers(0, min(4, extent - 1))) for extent in whole)
    # What is cut off behind, or lies behind all that taps reach.
    size = tuple(
        max(1, extent - first + data.draw(st.integers(-3, 2)))
        for extent, first in zip(whole, before, strict=True)
    )
    outputs, batch = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 2))
    what = Columns(batch, outputs, image, kernel, strides, dilation, before, size)
    target, columns = resolve_target(TARGET), draw(*what.shape)
    got = run(sum_columns(what, target), [columns], what.result, target, what)
    assert_matches(got, added_up(columns, what), str(what))


def test_what_columns_do_not_reach_is_not_read() -> None:
    """Nor multiplied by zero: an infinite pixel is in its own column alone."""
    what = Columns(1, 1, (3, 40), (4, 4), (2, 2), (1, 1), (1, 1), (6, 80))
    target, columns = resolve_target(TARGET), draw(*what.shape)
    columns[..., 0, 0] = np.inf
    got = run(sum_columns(what, target), [columns], what.result, target, what)
    assert np.argwhere(np.isinf(got[0, 0])).tolist() == [[r, c] for r in range(3) for c in range(3)]


def upsampled(data: tuple[int, ...], weight: tuple[int, ...], **attributes: Any) -> ModelProto:
    """A transposed convolution with a bias, and an activation."""
    nodes = [node("ConvTranspose", "x w b", "c", **attributes), node("Tanh", "c", "y")]
    weights = {"w": draw(*weight) / 8, "b": draw(weight[1])}
    return network(nodes, {"x": data}, {"y": ["n", "c", "h", "w"]}, weights)


MODELS = {
    "image": upsampled((1, 32, 9, 20), (32, 3, 4, 4), strides=[2, 2], pads=[1] * 4),
    "mask": upsampled((2, 24, 5, 37), (24, 1, 3, 3), strides=[2, 2], pads=[1] * 4, output_padding=[1, 1]),
    "large kernel": upsampled((1, 56, 7, 18), (56, 1, 9, 9), strides=[3, 3], pads=[4, 4, 2, 3]),
    "stride 1, dilated": upsampled((1, 32, 6, 17), (32, 2, 3, 3), dilations=[2, 2], pads=[2] * 4),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_network_sums_them(name: str) -> None:
    model = MODELS[name]
    inputs = inputs_of(model)
    (wanted,) = run_onnx_runtime(model, inputs)
    compiled = directconv.compile(model, TARGET, cache=False)
    assert_matches(compiled.run(inputs)[0], wanted, name)
    assert compiled.report().other_kernels["sum_columns"] == 1
    layers = [Conv2dWorkload.parse(layer.workload) for layer in compiled.report().layers]
    found = Counter(layer.in_layouts("NHWC").with_epilogue(Epilogue()) for layer in layers)
    assert found == Counter(dict(zoo.convolution_layers(model)))


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_the_passes_keep_the_meaning(name: str) -> None:
    """By TVM's own pipeline, which computes a composite by its body."""
    inputs = inputs_of(MODELS[name])
    (got,) = run_by_plain_tvm(with_composites(MODELS[name]), list(inputs.values()))
    assert_matches(got, run_onnx_runtime(MODELS[name], inputs)[0], name)


@pytest.mark.parametrize(
    ("data", "weight", "attributes"),
    [
        ((1, 32, 9, 9), (32, 16, 4, 4), {"strides": [2, 2]}),
        ((1, 32, 9, 9), (32, 3, 2, 2), {"strides": [2, 2]}),
        ((1, 4, 9, 9), (4, 2, 4, 4), {"strides": [2, 2]}),
        ((1, 32, 9, 9), (32, 1, 4, 4), {"strides": [2, 2], "group": 2}),
        ((1, 32, 9), (32, 1, 4), {"strides": [2]}),
    ],
    ids=["many outputs", "one window", "few inputs", "groups", "one dimension"],
)
def test_others_are_phases(
    data: tuple[int, ...], weight: tuple[int, ...], attributes: dict[str, Any]
) -> None:
    outputs = weight[1] * attributes.get("group", 1)
    layer = node("ConvTranspose", "x w b", "y", **attributes)
    model = network(
        [layer],
        {"x": data},
        {"y": ["n", "c", "h", "w"][: len(data)]},
        {"w": draw(*weight), "b": draw(outputs)},
    )
    assert "sum_columns" not in directconv.compile(model, TARGET, cache=False).report().other_kernels


def test_bytes_are_phases() -> None:
    nodes = [
        node("DequantizeLinear", "q s z", "x"),
        node("ConvTranspose", "x w", "c", strides=[2, 2], pads=[1] * 4),
        node("QuantizeLinear", "c t z", "y"),
    ]
    weights = {
        "s": np.float32(0.02),
        "t": np.float32(0.2),
        "z": np.uint8(99),
        "v": np.random.default_rng(0).integers(-99, 99, (32, 1, 4, 4)).astype(np.int8),
        "u": np.float32(0.01),
    }
    nodes.insert(1, node("DequantizeLinear", "v u", "w"))
    graph = helper.make_graph(
        nodes,
        "bytes",
        [helper.make_tensor_value_info("q", TensorProto.UINT8, (1, 32, 9, 9))],
        [helper.make_tensor_value_info("y", TensorProto.UINT8, (1, 1, 18, 18))],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    report = directconv.compile(model, TARGET, cache=False).report()
    assert {layer.kind for layer in report.layers} == {"qconv2d"}
    assert "sum_columns" not in report.other_kernels
