"""The networks the tests import, transform and compile: each is about one thing, and says what it becomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from graph_support import Shapes, draw, network, node
from onnx import ModelProto, NodeProto

import tvm_directconv as directconv

FOREIGN = "llvm -device=arm_cpu -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1"
"""A target that compiles anywhere and runs on no x86 host."""


@dataclass(frozen=True)
class Case:
    """A network, and the kernels its compiled form calls beside the edges' layout changes."""

    model: ModelProto
    layers: int
    kernels: Mapping[str, int] = field(default_factory=dict)


def _conv(inputs: str, output: str, **attributes: object) -> NodeProto:
    return node("Conv", inputs, output, **{"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]} | attributes)


def _spread(inputs: str, output: str, dilation: int) -> NodeProto:
    """A convolution of other pixels, so that it is not merged with one of the same input."""
    return _conv(inputs, output, dilations=[dilation] * 2, pads=[dilation] * 4)


def _weights(**more: np.ndarray) -> dict[str, np.ndarray]:
    return {"w": draw(16, 8, 3, 3), "b": draw(16)} | more


def _batch_norm(name: str, channels: int) -> dict[str, np.ndarray]:
    return {
        f"{name}_scale": draw(channels, seed=1) + 1,
        f"{name}_bias": draw(channels, seed=2),
        f"{name}_mean": draw(channels, seed=3),
        f"{name}_var": np.abs(draw(channels, seed=4)) + np.float32(0.5),
    }


def _normalize(data: str, name: str, output: str) -> NodeProto:
    statistics = f"{name}_scale {name}_bias {name}_mean {name}_var"
    return node("BatchNormalization", f"{data} {statistics}", output)


IMAGE = {"x": (1, 8, 14, 14)}
MAP = {"y": (1, 16, 14, 14)}


def _case(
    nodes: Sequence[NodeProto],
    outputs: Shapes,
    weights: Mapping[str, np.ndarray],
    layers: int,
    inputs: Shapes = IMAGE,
    **kernels: int,
) -> Case:
    return Case(network(nodes, inputs, outputs, weights), layers, kernels)


def _int64(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


CASES: dict[str, Case] = {
    "conv_bias_relu": _case([_conv("x w b", "c"), node("Relu", "c", "y")], MAP, _weights(), 1),
    "conv_without_bias": _case([_conv("x w", "y")], MAP, _weights(), 1),
    "clip_to_six": _case(
        [_conv("x w b", "c"), node("Clip", "c low high", "y")],
        MAP,
        _weights(low=np.float32(0), high=np.float32(6)),
        1,
    ),
    "kept_where_another_is_positive": _case(
        [_conv("x w b", "c"), node("Greater", "c low", "m"), node("Where", "m c z", "y")],
        MAP,
        _weights(low=np.float32(0.1)),
        1,
        inputs=IMAGE | {"z": MAP["y"]},
        fused_greater_where=1,
    ),
    "clip_from_below": _case(
        [_conv("x w b", "c"), node("Clip", "c low -", "y")], MAP, _weights(low=np.float32(-0.1)), 1
    ),
    "batch_norm_folded": _case(
        [_conv("x w b", "c"), _normalize("c", "n", "d"), node("Relu", "d", "y")],
        MAP,
        _weights(**_batch_norm("n", 16)),
        1,
    ),
    "batch_norm_of_shared_result": _case(
        [_conv("x w b", "c"), _normalize("c", "n", "d"), node("Relu", "d", "e"), node("Add", "e c", "y")],
        MAP,
        _weights(**_batch_norm("n", 16)),
        1,
        fused_multiply_add_relu_add=1,
    ),
    "residual_of_two_convolutions": _case(
        [_conv("x w b", "c"), _spread("x v", "d", 2), node("Add", "c d", "a"), node("Relu", "a", "y")],
        MAP,
        _weights(v=draw(16, 8, 3, 3, seed=5)),
        2,
    ),
    "branches_of_one_input": _case(
        [_conv("x w b", "c"), _conv("x v", "d"), node("Add", "c d", "a"), node("Relu", "a", "y")],
        MAP,
        _weights(v=draw(16, 8, 3, 3, seed=5)),
        1,
    ),
    "residual_before_bias": _case(
        [
            _conv("x w b", "c"),
            node("Abs", "c", "f"),
            _conv("f u", "d"),
            node("Add", "d c", "a"),
            node("Add", "a k", "e"),
            node("Relu", "e", "y"),
        ],
        MAP,
        _weights(u=draw(16, 16, 3, 3), k=draw(16, 1, 1)),
        2,
        tir_abs=1,
    ),
    "residual_that_broadcasts_is_none": _case(
        [_conv("x w b", "c"), node("ReduceMean", "c", "m", axes=[1], keepdims=1), node("Add", "c m", "y")],
        MAP,
        _weights(),
        1,
        mean=1,
        add=1,
    ),
    "sum_of_three": _case(
        [
            _conv("x w b", "c"),
            _spread("x v", "d", 2),
            _spread("x u", "e", 3),
            node("Sum", "c d e", "a"),
            node("Relu", "a", "y"),
        ],
        MAP,
        _weights(v=draw(16, 8, 3, 3, seed=5), u=draw(16, 8, 3, 3, seed=6)),
        3,
    ),
    "activation_then_addition": _case(
        [_conv("x w b", "c"), node("Relu", "c", "d"), _conv("x v", "e"), node("Add", "d e", "y")],
        MAP,
        _weights(v=draw(16, 8, 3, 3, seed=5)),
        2,
    ),
    "dense_block": _case(
        [
            _conv("x w b", "c"),
            node("Concat", "x c", "d", axis=1),
            _normalize("d", "n", "e"),
            node("Relu", "e", "f"),
            _conv("f u", "g"),
            node("Concat", "d g", "h", axis=1),
            _normalize("h", "m", "i"),
            node("Relu", "i", "y"),
        ],
        {"y": (1, 40, 14, 14)},
        _weights(u=draw(16, 24, 3, 3), **_batch_norm("n", 24), **_batch_norm("m", 40)),
        2,
        concat_affine=2,
    ),
    "concat": _case(
        [_conv("x w b", "c"), _conv("x v", "d"), node("Concat", "c d x", "y", axis=1)],
        {"y": (1, 40, 14, 14)},
        _weights(v=draw(16, 8, 3, 3, seed=5)),
        2,
        place=1,
    ),
    "pooling": _case(
        [
            _conv("x w b", "c"),
            node("MaxPool", "c", "p", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
            node("AveragePool", "p", "y", kernel_shape=[2, 2], strides=[1, 1]),
        ],
        {"y": (1, 16, 6, 6)},
        _weights(),
        1,
        max_pool2d=1,
        avg_pool2d=1,
    ),
    "average_over_the_map": _case(
        [_conv("x w b", "c"), node("AveragePool", "c", "y", kernel_shape=[14, 14])],
        {"y": (1, 16, 1, 1)},
        _weights(),
        1,
        global_avg_pool2d=1,
    ),
    "classifier": _case(
        [
            _conv("x w b", "c"),
            node("GlobalAveragePool", "c", "p"),
            node("Flatten", "p", "f"),
            node("Gemm", "f g h", "s", transB=1),
            node("Softmax", "s", "y"),
        ],
        {"y": (1, 10)},
        _weights(g=draw(10, 16), h=draw(10)),
        2,
        global_avg_pool2d=1,
        softmax=1,
    ),
    "flattened_map_to_dense": _case(
        [
            _conv("x w b", "c"),
            node("Flatten", "c", "f"),
            node("Gemm", "f g h", "d", transB=1),
            node("Relu", "d", "y"),
        ],
        {"y": (3, 10)},
        _weights(g=draw(10, 16 * 25), h=draw(10)),
        2,
        inputs={"x": (3, 8, 5, 5)},
    ),
    "flattened_map_to_dense_untransposed": _case(
        [_conv("x w b", "c"), node("Flatten", "c", "f"), node("MatMul", "f g", "y")],
        {"y": (1, 10)},
        _weights(g=draw(16 * 25, 10)),
        2,
        inputs={"x": (1, 8, 5, 5)},
    ),
    "flattened_map_used_twice": _case(
        [
            _conv("x w b", "c"),
            node("Flatten", "c", "f"),
            node("MatMul", "f g", "y"),
            node("Relu", "f", "z"),
        ],
        {"y": (1, 10), "z": (1, 16 * 25)},
        _weights(g=draw(16 * 25, 10)),
        2,
        inputs={"x": (1, 8, 5, 5)},
        relu=1,
    ),
    "dense_with_alpha_and_beta": _case(
        [node("Gemm", "x g h", "y", alpha=0.5, beta=2.0)],
        {"y": (3, 10)},
        {"g": draw(8, 10), "h": draw(10)},
        1,
        inputs={"x": (3, 8)},
    ),
    "dense_of_several_rows_per_image": _case(
        [node("MatMul", "x g", "a"), node("Add", "a h", "b"), node("Add", "b x", "y")],
        {"y": (2, 5, 8)},
        {"g": draw(8, 8), "h": draw(8)},
        1,
        inputs={"x": (2, 5, 8)},
    ),
    "dense_of_runtime_matrix": _case(
        [node("MatMul", "x z", "y")],
        {"y": (3, 5)},
        {},
        0,
        inputs={"x": (3, 8), "z": (8, 5)},
        matrix_product=1,
    ),
    "local_response_normalization": _case(
        [_conv("x w b", "c"), node("LRN", "c", "y", size=5, alpha=0.1, beta=0.75, bias=2.0)],
        MAP,
        _weights(),
        1,
        lrn=1,
    ),
    "normalization_without_convolution": _case(
        [node("LRN", "x", "y", size=3, alpha=0.1, beta=0.5, bias=1.0)], {"y": IMAGE["x"]}, {}, 0, lrn=1
    ),
    "channel_shuffle": _case(
        [
            _conv("x w b", "c"),
            node("Reshape", "c s", "d"),
            node("Transpose", "d", "e", perm=[0, 2, 1, 3, 4]),
            node("Reshape", "e t", "f"),
            _conv("f u", "y"),
        ],
        MAP,
        _weights(u=draw(16, 16, 3, 3), s=_int64(1, 4, 4, 14, 14), t=_int64(1, 16, 14, 14)),
        2,
        channel_shuffle=1,
    ),
    "shuffle_without_convolution": _case(
        [
            node("Reshape", "x s", "d"),
            node("Transpose", "d", "e", perm=[0, 2, 1, 3, 4]),
            node("Reshape", "e t", "y"),
        ],
        {"y": IMAGE["x"]},
        {"s": _int64(1, 4, 2, 14, 14), "t": _int64(1, 8, 14, 14)},
        0,
        transpose=1,
    ),
    "squeeze_and_excitation": _case(
        [
            _conv("x w b", "c"),
            node("GlobalAveragePool", "c", "p"),
            node("Conv", "p u", "q"),
            node("Sigmoid", "q", "r"),
            node("Mul", "c r", "y"),
        ],
        MAP,
        _weights(u=draw(16, 16, 1, 1)),
        2,
        global_avg_pool2d=1,
        multiply=1,
    ),
    "split_and_swap": _case(
        [_conv("x w b", "c"), node("Split", "c s", "d e", axis=1), node("Concat", "e d", "y", axis=1)],
        MAP,
        _weights(s=_int64(8, 8)),
        1,
        concat=1,
    ),
    "split_returned": _case(
        [_conv("x w b", "c"), node("Split", "c s", "y z", axis=1)],
        {"y": (1, 8, 14, 14), "z": (1, 8, 14, 14)},
        _weights(s=_int64(8, 8)),
        1,
        strided_slice=2,
    ),
    "resize": _case(
        [_conv("x w b", "c"), node("Resize", "c - s", "y", mode="nearest")],
        {"y": (1, 16, 28, 28)},
        _weights(s=np.array([1, 1, 2, 2], np.float32)),
        1,
        resize2d=1,
    ),
    "prelu": _case([_conv("x w b", "c"), node("PRelu", "c s", "y")], MAP, _weights(s=draw(16, 1, 1)), 1),
    "softmax_over_channels": _case(
        [_conv("x w b", "c"), node("Softmax", "c", "y", axis=1)], MAP, _weights(), 1, softmax=1
    ),
    "mean_without_kept_axes": _case(
        [_conv("x w b", "c"), node("ReduceMean", "c", "y", axes=[2, 3], keepdims=0)],
        {"y": (1, 16)},
        _weights(),
        1,
        global_avg_pool2d=1,
    ),
    "constant_along_width": _case(
        [_conv("x w b", "c"), node("Mul", "c k", "y")], MAP, _weights(k=draw(14)), 1, multiply=1
    ),
    "padding_of_its_own": _case(
        [node("Pad", "x p", "t"), node("Conv", "t w b", "y", pads=[1, 0, 0, 2])],
        {"y": (1, 16, 16, 17)},
        _weights(p=_int64(0, 0, 1, 1, 0, 0, 2, 2)),
        1,
    ),
    "reflected_padding": _case(
        [node("Pad", "x p", "t", mode="reflect"), node("Conv", "t w b", "y")],
        {"y": (1, 16, 15, 15)},
        _weights(p=_int64(0, 0, 1, 1, 0, 0, 2, 2)),
        1,
        take=2,
    ),
    "same_padding": _case(
        [node("Conv", "x w b", "y", auto_pad="SAME_LOWER", strides=[2, 2])],
        {"y": (1, 16, 7, 7)},
        _weights(),
        1,
    ),
    "depthwise": _case(
        [node("Conv", "x w", "y", group=8, pads=[1, 1, 1, 1], strides=[2, 2])],
        {"y": (1, 8, 7, 7)},
        {"w": draw(8, 1, 3, 3)},
        1,
    ),
    "filter_known_at_run_time": _case(
        [_conv("x w b", "c"), node("Relu", "c", "y")],
        MAP,
        {},
        1,
        inputs=IMAGE | {"w": (16, 8, 3, 3), "b": (16,)},
        pack_filter=1,
    ),
    "filter_shared_by_two_layers": _case(
        [_conv("x w b", "c"), _conv("z w b", "d"), node("Add", "c d", "y")],
        MAP,
        _weights(),
        2,
        inputs=IMAGE | {"z": IMAGE["x"]},
    ),
    "intermediate_result_returned": _case(
        [_conv("x w b", "c"), node("Relu", "c", "y")], {"c": MAP["y"]} | MAP, _weights(), 1, relu=1
    ),
    "input_returned": _case([node("Identity", "x", "y")], {"y": IMAGE["x"]}, {}, 0),
    "input_unused": _case([_conv("x w b", "y")], MAP, _weights(), 1, inputs=IMAGE | {"z": (3,)}),
    "shape_computed_from_shape": _case(
        [
            _conv("x w b", "c"),
            node("Shape", "c", "s"),
            node("Gather", "s zero", "n"),
            node("Unsqueeze", "n zeros", "u"),
            node("Concat", "u rest", "k", axis=0),
            node("Reshape", "c k", "y"),
        ],
        {"y": (1, 16 * 196)},
        _weights(zero=np.array(0, np.int64), zeros=_int64(0), rest=_int64(-1)),
        1,
    ),
}
"""Networks by what they are about; every one is imported, passed through each pass, and compiled."""


@cache
def compiled(case: str) -> directconv.CompiledModel:
    """The case compiled for this host, once."""
    return directconv.compile(CASES[case].model)
