"""Kernels that TVM's dlight and rules of ours schedule for GPUs, on the OpenCL device at hand."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from graph_support import draw, inputs_of, network, node
from reference import run_onnx_runtime

import tvm_directconv as directconv

TARGET = "opencl -device=native"


def test_a_kernel_that_a_rule_of_dlights_fails_on_goes_to_the_next():
    product = network([node("MatMul", "x c", "y")], {"x": (4, 4, 1)}, {"y": (4, 4, 1)}, {"c": draw(4, 1, 1)})
    value = draw(4, 4, 1)
    (got,) = directconv.compile(product, TARGET).run([value])
    np.testing.assert_allclose(got, run_onnx_runtime(product, [value])[0], rtol=1e-6)


@pytest.mark.parametrize("rows, columns", [(1, 1), (4, 3)])
def test_what_follows_a_sum_of_one_term_counts_once(rows, columns):
    """TVM adds it to the sum's first value and to its step."""
    model = network(
        [node("MatMul", "a b", "p"), node("Add", "p c", "y")],
        {"a": (2, rows, 1), "b": (2, 1, columns), "c": (2, rows, columns)},
        {"y": (2, rows, columns)},
    )
    inputs = inputs_of(model)
    (got,) = directconv.compile(model, TARGET).run(inputs)
    np.testing.assert_allclose(got, run_onnx_runtime(model, inputs)[0], rtol=1e-6)


def test_positions_that_are_computed_are_taken_from_inside():
    """A GPU raises nothing: positions outside the data are the nearest inside."""
    nodes = [node("Cast", "p", "i", to=onnx.TensorProto.INT64), node("Gather", "x i", "y", axis=0)]
    model = directconv.compile(network(nodes, {"p": (5,), "x": (3, 4)}, {"y": (5, 4)}), TARGET)
    data, places = draw(3, 4), np.array([2, -3, 1, 7, -8], np.float32)
    np.testing.assert_array_equal(model.run([places, data])[0], data[[2, 0, 1, 2, 0]])


def test_pooling_takes_a_thread_for_each_result():
    """Not a work group, with barriers: padded or not, with steps behind it."""
    window = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 0, 1, 1]}
    nodes = [
        node("MaxPool", "x", "most", **window),
        node("AveragePool", "x", "mean", **window, count_include_pad=1),
        node("Relu", "mean", "positive"),
        node("AveragePool", "x", "inside", **window),
        node("ReduceSum", "x axes", "sums", keepdims=0),
    ]
    results = dict.fromkeys(("most", "positive", "inside"), (2, 70, 7, 5)) | {"sums": (2, 70)}
    model = network(nodes, {"x": (2, 70, 13, 10)}, results, {"axes": np.array([2, 3])})
    data = draw(2, 70, 13, 10)
    compiled = directconv.compile(model, TARGET)
    kernels = compiled.executable.networks["main"].source.split("__kernel")[1:]
    pooling = [kernel for kernel in kernels if "pool" in kernel.split("(")[0]]
    assert len(pooling) == 3 and not any("barrier" in kernel for kernel in pooling)
    for got, want in zip(compiled.run([data]), run_onnx_runtime(model, [data]), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_both_sums_of_a_normalization_are_a_threads():
    """Those of squares were a kernel's variable in global memory, which OpenCL does not have."""
    model = network(
        [node("Conv", "x w", "c"), node("InstanceNormalization", "c scale shift", "y")],
        {"x": (2, 8, 7, 2)},
        {"y": (2, 64, 7, 2)},
        {"w": draw(64, 8, 1, 1), "scale": draw(64), "shift": draw(64, seed=1)},
    )
    inputs = inputs_of(model)
    (got,) = directconv.compile(model, TARGET).run(inputs)
    np.testing.assert_allclose(got, run_onnx_runtime(model, inputs)[0], rtol=1e-4, atol=1e-5)


def test_kernels_of_many_operators_have_names_that_are_files_names():
    """As drivers name files by them: the sum of a transposed convolution's columns slices 49 times."""
    layer = node("ConvTranspose", "x w", "y", strides=[2, 2], pads=[3, 3, 3, 3])
    model = network([layer], {"x": (1, 32, 6, 5)}, {"y": (1, 1, 11, 9)}, {"w": draw(32, 1, 7, 7)})
    compiled, data = directconv.compile(model, TARGET), draw(1, 32, 6, 5)
    np.testing.assert_allclose(
        compiled.run([data])[0], run_onnx_runtime(model, [data])[0], rtol=1e-5, atol=1e-5
    )
    assert max(map(len, compiled.report().other_kernels)) > 255
