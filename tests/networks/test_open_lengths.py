"""Models of open length: attention, caches, recurrent layers, and the arithmetic of positions and masks are
compiled once and right at every length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from graph_support import draw, network, node
from onnx import ModelProto, NodeProto, TensorProto, helper
from reference import run_onnx_runtime
from support import assert_matches

import tvm_directconv as directconv
from tvm_directconv.zoo.inputs import true_inputs

HEADS, CHANNELS, MOST = 2, 32, 160
LENGTHS = (1, 7, 16, 31, 128)
Made = tuple[list[NodeProto], dict[str, np.ndarray]]


def number(value: int | Sequence[int]) -> np.ndarray:
    return np.array(value, np.int64)


def heads(data: str, result: str, perm: Sequence[int]) -> list[NodeProto]:
    return [
        node("Reshape", f"{data} to_heads", f"{result}_split"),
        node("Transpose", f"{result}_split", result, perm=list(perm)),
    ]


def encoder() -> ModelProto:
    """Tokens, a table of positions of which a part is read, self-attention under a mask, a norm, a mean over
    the tokens that count."""
    nodes = [
        node("Shape", "ids", "shape"),
        node("Gather", "shape second", "length"),
        node("Unsqueeze", "length zero", "end"),
        node("Slice", "places begin end ones", "place"),
        node("Gather", "positions place", "position"),
        node("Gather", "words ids", "word"),
        node("Add", "word position", "x"),
        node("Unsqueeze", "mask mask_axes", "wide"),
        node("Sub", "unit wide", "hidden"),
        node("Mul", "hidden least", "bias"),
    ]
    for name in "qkv":
        nodes += [node("MatMul", f"x w{name}", f"{name}0")]
        nodes += heads(f"{name}0", name, (0, 2, 3, 1) if name == "k" else (0, 2, 1, 3))
    nodes += [
        node("MatMul", "q k", "s"),
        node("Add", "s bias", "masked"),
        node("Softmax", "masked", "p", axis=-1),
        node("MatMul", "p v", "o"),
        node("Transpose", "o", "t", perm=[0, 2, 1, 3]),
        node("Reshape", "t from_heads", "r"),
        node("Add", "r x", "a"),
        node("LayerNormalization", "a gamma beta", "n", axis=-1),
        node("Unsqueeze", "mask last", "weight"),
        node("Mul", "n weight", "weighted"),
        node("ReduceSum", "weighted one", "sum", keepdims=0),
        node("ReduceSum", "weight one", "count", keepdims=0),
        node("Div", "sum count", "y"),
    ]
    weights = {f"w{name}": draw(CHANNELS, CHANNELS) * np.float32(0.3) for name in "qkv"}
    weights |= {"words": draw(50, CHANNELS), "positions": draw(MOST, CHANNELS)}
    weights |= {"gamma": draw(CHANNELS), "beta": draw(CHANNELS), "unit": np.float32(1)}
    weights |= {"least": np.float32(-1e4), "places": np.arange(MOST)[None]}
    weights |= {name: number(value) for name, value in (("zero", [0]), ("begin", [0]), ("ones", [1]))}
    weights |= {"one": number([1]), "last": number([-1]), "mask_axes": number([1, 2]), "second": number(1)}
    weights |= {"to_heads": number([0, 0, HEADS, -1]), "from_heads": number([0, 0, -1])}
    made = network(nodes, {"ids": ("n", "l"), "mask": ("n", "l")}, {"y": ("n", CHANNELS)}, weights)
    made.graph.input[0].type.tensor_type.elem_type = TensorProto.INT64
    return made


def decoder() -> ModelProto:
    """A step with a cache: positions from the past on, keys and values behind those of the past, and a causal
    mask, once by Range, LessOrEqual and Where, once by Trilu."""
    size = CHANNELS // HEADS
    nodes = [
        node("Shape", "past_k", "past_shape"),
        node("Gather", "past_shape two", "past"),
        node("Shape", "x", "shape"),
        node("Gather", "shape one", "steps"),
        node("Add", "past steps", "whole"),
        node("Range", "past whole one", "rows"),
        node("Range", "zero whole one", "columns"),
        node("Unsqueeze", "rows last", "of_rows"),
        node("LessOrEqual", "columns of_rows", "seen"),
        node("Gather", "table rows", "position"),
        node("Add", "x position", "h"),
    ]
    for name in "qkv":
        nodes += [node("MatMul", f"h w{name}", f"{name}0"), *heads(f"{name}0", f"{name}1", (0, 2, 1, 3))]
    nodes += [
        node("Concat", "past_k k1", "k", axis=2),
        node("Concat", "past_v v1", "v", axis=2),
        node("Transpose", "k", "kt", perm=[0, 1, 3, 2]),
        node("MatMul", "q1 kt", "s"),
        node("Where", "seen s least", "masked"),
        node("Softmax", "masked", "p", axis=-1),
        node("MatMul", "p v", "o"),
        node("Transpose", "o", "t", perm=[0, 2, 1, 3]),
        node("Reshape", "t from_heads", "y"),
        # The same again, its mask by Trilu.
        node("Unsqueeze", "steps begin", "steps1"),
        node("Unsqueeze", "whole begin", "whole1"),
        node("Concat", "steps1 whole1", "square", axis=0),
        node("ConstantOfShape", "square", "full", value=helper.make_tensor("low", 1, [1], [-1e9])),
        node("Add", "past one", "diagonal"),
        node("Trilu", "full diagonal", "later", upper=1),
        node("Add", "s later", "added"),
        node("Softmax", "added", "p2", axis=-1),
        node("MatMul", "p2 v", "z"),
    ]
    weights = {f"w{name}": draw(CHANNELS, CHANNELS) * np.float32(0.3) for name in "qkv"}
    weights |= {"table": draw(MOST, CHANNELS), "least": np.float32(-1e9)}
    weights |= {name: number(value) for name, value in (("zero", 0), ("one", 1), ("two", 2))}
    weights |= {"last": number([-1]), "begin": number([0])}
    weights |= {"to_heads": number([0, 0, HEADS, -1]), "from_heads": number([0, 0, -1])}
    cache = ("n", HEADS, "p", size)
    inputs = {"x": ("n", "s", CHANNELS), "past_k": cache, "past_v": cache}
    grown = ("n", HEADS, "t", size)
    outputs = {"y": ("n", "s", CHANNELS), "z": ("n", HEADS, "s", size), "k": grown, "v": grown}
    made = network(nodes, inputs, outputs, weights)
    made.opset_import[0].version = 14  # Trilu is of this one
    return made


def recurrent(kind: str) -> ModelProto:
    """A layer in both directions, after a convolution along the length."""
    gates, hidden, channels = {"LSTM": 4, "GRU": 3, "RNN": 1}[kind], 24, 20
    nodes = [
        node("Conv", "x filter", "c", pads=[1, 1]),
        node("Transpose", "c", "steps", perm=[2, 0, 1]),
        node(kind, "steps w r b", "states last", hidden_size=hidden, direction="bidirectional"),
        node("Transpose", "states", "together", perm=[2, 0, 1, 3]),
        node("Reshape", "together rows", "y"),
    ]
    weights = {
        "filter": draw(channels, 8, 3),
        "w": draw(2, gates * hidden, channels) * np.float32(0.3),
        "r": draw(2, gates * hidden, hidden) * np.float32(0.3),
        "b": draw(2, 2 * gates * hidden),
        "rows": number([0, 0, 2 * hidden]),
    }
    outputs = {"y": ("n", "l", 2 * hidden), "last": (2, "n", hidden)}
    return network(nodes, {"x": ("n", 8, "l")}, outputs, weights)


def gated() -> ModelProto:
    """A gate between convolutions along an open length, a transposed one, and statistics over the length."""
    nodes = [
        node("Conv", "x w", "a", pads=[2, 2], dilations=[2]),
        node("Split", "a", "b c", axis=1),
        node("Tanh", "b", "d"),
        node("Sigmoid", "c", "e"),
        node("Mul", "d e", "f"),
        node("InstanceNormalization", "f scale shift", "g"),
        node("ConvTranspose", "g v", "h", strides=[2], pads=[1, 1]),
        node("Softmax", "h", "i", axis=-1),
        node("ReduceMax", "h", "j", axes=[2]),
        node("Add", "i j", "y"),
    ]
    weights = {"w": draw(32, 4, 3), "v": draw(16, 8, 4), "scale": draw(16), "shift": draw(16)}
    return network(nodes, {"x": ("n", 4, "l")}, {"y": ("n", 8, "m")}, weights)


def check(
    made: ModelProto, typical: Mapping[str, int], drawn: Sequence[Mapping[str, int]]
) -> directconv.CompiledModel:
    """Compile a model once and compare it with ONNX Runtime at sizes; return it."""
    model = directconv.compile(made, typical=typical, cache=False)
    assert model.sizes[0].is_open
    compare(model, made, drawn)
    return model


def compare(model: directconv.CompiledModel, made: ModelProto, drawn: Sequence[Mapping[str, int]]) -> None:
    for sizes in drawn:
        inputs = {value.name: _drawn(value, sizes) for value in true_inputs(made.graph)}
        for ours, expected in zip(model.run(inputs), run_onnx_runtime(made, inputs), strict=True):
            assert_matches(ours, expected, f"{sizes}")


def _drawn(value: object, sizes: Mapping[str, int]) -> np.ndarray:
    kind = value.type.tensor_type  # type: ignore[attr-defined]
    shape = [dim.dim_value or sizes[dim.dim_param] for dim in kind.shape.dim]
    if kind.elem_type == TensorProto.INT64:
        return np.random.default_rng(len(shape)).integers(0, 50, shape)
    if value.name == "mask":  # type: ignore[attr-defined]
        mask = np.ones(shape, np.float32)
        mask[:, shape[1] - shape[1] // 3 :] = 0
        return mask
    return draw(*shape)


@pytest.mark.slow
def test_an_encoder_of_open_length() -> None:
    drawn = [{"n": batch, "l": length} for batch in (1, 3) for length in LENGTHS]
    model = check(encoder(), {"l": 128}, drawn)
    assert len(model.sizes) == 1 and model.report().other_kernels["attention"] == 1
    assert f"l <= {MOST}" in model.sizes[0].conditions


@pytest.mark.slow
def test_a_decoder_whose_cache_grows() -> None:
    drawn = [
        {"n": batch, "s": steps, "p": past}
        for batch, steps, past in ((1, 1, 16), (1, 1, 1), (3, 1, 127), (2, 31, 1), (1, 64, 63), (3, 5, 7))
    ]
    model = check(decoder(), {"s": 1, "p": 16}, drawn)
    assert len(model.sizes) == 1
    # The first step, whose past is empty, is a size of its own.
    compare(model, decoder(), [{"n": 1, "s": 5, "p": 0}, {"n": 1, "s": 1, "p": 5}])
    assert len(model.sizes) == 2


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_recurrent_layers_take_any_number_of_steps(kind: str) -> None:
    made = recurrent(kind)
    model = check(
        made, {"l": 16}, [{"n": batch, "l": length} for batch in (1, 3) for length in (16, 31, 128)]
    )
    assert len(model.sizes) == 1 and model.report().other_kernels[kind.lower()] == 2
    for length in (1, 7):  # the convolution may have another program for these
        data = draw(2, 8, length)
        for ours, expected in zip(model.run(data), run_onnx_runtime(made, {"x": data}), strict=True):
            assert_matches(ours, expected, f"length {length}")


@pytest.mark.slow
def test_convolutions_gates_and_statistics_along_an_open_length() -> None:
    drawn = [{"n": batch, "l": length} for batch in (1, 3) for length in (16, 31, 128, 211)]
    assert len(check(gated(), {"l": 128}, drawn).sizes) == 1
