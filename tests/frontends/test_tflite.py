"""TensorFlow Lite models, written here, against float64: floats, integers, and weights in 8 bits alone."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tflite
from onnx_support import TARGET
from tflite_network import BIASES, DATA, DILATION, RNG, SCALES, WEIGHTS, WINDOW, network, quantized

import tvm_directconv as directconv
from tvm_directconv.bench import tflite_files
from tvm_directconv.bench.tflite_files import StoredOperator as Operator
from tvm_directconv.bench.tflite_files import StoredTensor as Tensor
from tvm_directconv.bench.tflite_files import model
from tvm_directconv.errors import ModelError, UnsupportedOperatorError


def wanted(kind: str, x: np.ndarray) -> np.ndarray:
    """By definition, in float64; each result rounded to its integers in a quantized network."""

    def stored(name: str, value: np.ndarray) -> np.ndarray:
        if kind != "int8":
            return value
        scale, zero = SCALES[name]
        return (np.clip(np.rint(value / np.float32(scale)) + zero, -128, 127) - zero) * scale

    filters = {name: np.multiply(*quantized(name)) if kind != "float32" else w for name, w in WEIGHTS.items()}
    a = np.einsum("nhwcij,oijc->nhwo", windows(x), filters["conv"]) + BIASES["conv"]
    a = stored("a", np.clip(a, 0, 6))
    b = stored("b", np.einsum("nhwcij,ijc->nhwc", windows(a), filters["depthwise"][0]) + BIASES["depthwise"])
    p = stored("p", b.reshape(1, 3, 2, 3, 2, 6).mean((2, 4)))
    return stored("y", p.reshape(1, 54) @ filters["dense"].T + BIASES["dense"])


def windows(data: np.ndarray) -> np.ndarray:
    """3x3 windows around every pixel."""
    padded = np.pad(data.astype(np.float64), ((0, 0), (1, 1), (1, 1), (0, 0)))
    return np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))


@pytest.mark.parametrize("kind", ["float32", "weights"])
def test_networks_of_floats(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "network.tflite"
    path.write_bytes(network(kind))
    compiled = directconv.compile(path, TARGET)
    assert (compiled.input_names, compiled.output_names) == (("x",), ("y",))
    np.testing.assert_allclose(compiled.run(DATA)[0], wanted(kind, DATA), rtol=1e-4, atol=1e-5)
    assert [layer.kind for layer in compiled.report().layers] == ["conv2d", "conv2d", "dense"]


def test_padding_moves_into_a_depthwise_layer() -> None:
    """Its filter is in a layout of its own, and so changes with it."""
    filters = RNG.standard_normal((1, 3, 3, 4)).astype(np.float32)
    tensors = [
        Tensor("x", (1, 6, 6, 4)),
        Tensor("widths", (4, 2), "int32", np.array([[0, 0], [1, 1], [1, 1], [0, 0]], np.int32)),
        Tensor("p", (1, 8, 8, 4)),
        Tensor("w", filters.shape, values=filters),
        Tensor("b", (4,), values=np.zeros(4, np.float32)),
        Tensor("c", (1, 6, 6, 4)),
        Tensor("axis", (), "int32", np.array(1, np.int32)),
        Tensor("y", (1, 1, 6, 6, 4)),
    ]
    alone = WINDOW | DILATION | {"DepthMultiplier": 1, "Padding": tflite.Padding.VALID}
    operators = [
        Operator("PAD", ["x", "widths"], "p", "PadOptions"),
        Operator("DEPTHWISE_CONV_2D", ["p", "w", "b"], "c", "DepthwiseConv2DOptions", alone),
        Operator("EXPAND_DIMS", ["c", "axis"], "y", "ExpandDimsOptions"),
    ]
    compiled = directconv.compile(model(tensors, operators, ["x"]), TARGET)
    (layer,) = compiled.report().layers
    assert "_p1x1x1x1_" in layer.workload
    expected = np.einsum("nhwcij,ijc->nhwc", windows(DATA), filters[0])[:, None]
    np.testing.assert_allclose(compiled.run(DATA)[0], expected, rtol=1e-4, atol=1e-5)


def test_sparse_weights_of_16_bits() -> None:
    """MediaPipe's networks have such weights."""
    weight = RNG.standard_normal((5, 12)).astype(np.float16)
    weight[RNG.random(weight.shape) < 0.6] = 0
    tensors = [
        Tensor("x", (2, 12)),
        Tensor("s", weight.shape, "float16", weight, sparse=True),
        Tensor("d", weight.shape, "float16"),
        Tensor("w", weight.shape),
        Tensor("b", (5,), values=np.arange(5, dtype=np.float32)),
        Tensor("y", (2, 5)),
    ]
    operators = [
        Operator("DENSIFY", ["s"], "d", "DensifyOptions"),
        Operator("DEQUANTIZE", ["d"], "w", "DequantizeOptions"),
        Operator("FULLY_CONNECTED", ["x", "w", "b"], "y", "FullyConnectedOptions"),
    ]
    x = RNG.standard_normal((2, 12)).astype(np.float32)
    compiled = directconv.compile(model(tensors, operators, ["x"]), TARGET)
    expected = x @ weight.T.astype(np.float64) + np.arange(5)
    np.testing.assert_allclose(compiled.run(x)[0], expected, rtol=1e-4, atol=1e-5)


def test_networks_of_integers_stay_in_eight_bits() -> None:
    """Within a unit or two: the reference rounds at other places."""
    compiled = directconv.compile(network("int8"), TARGET)
    assert [info.dtype for info in (*compiled.inputs, *compiled.outputs)] == ["int8", "int8"]
    scale, zero = SCALES["x"]
    integers = np.clip(np.rint(DATA / scale) + zero, -128, 127).astype(np.int8)
    (result,) = compiled.run(integers)
    scale_of_result, zero_of_result = SCALES["y"]
    reference = (
        wanted("int8", (integers.astype(np.float64) - zero) * scale) / scale_of_result + zero_of_result
    )
    assert np.abs(result - reference).max() <= 2 and len(np.unique(result)) > 2
    assert [layer.kind for layer in compiled.report().layers] == ["qconv2d", "qconv2d", "qdense"]
    assert set(compiled.report().other_kernels) == {"qavg_pool2d"}


def test_operators_are_those_of_the_wide_field(monkeypatch: pytest.MonkeyPatch) -> None:
    """AI Edge's quantizer writes operators so; the reader takes such for additions."""
    monkeypatch.setattr(tflite, "OperatorCodeAddDeprecatedBuiltinCode", lambda builder, code: None)
    compiled = directconv.compile(network("float32"), TARGET)
    np.testing.assert_allclose(compiled.run(DATA)[0], wanted("float32", DATA), rtol=1e-4, atol=1e-5)


def behind(kind: str, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """The network's file with its constants behind the flatbuffer, which says where they begin."""
    inside, end = tflite_files._buffer, 1 << 30

    def written() -> tuple[bytes, bytes]:
        rest = bytearray()

        def buffer(builder: Any, values: np.ndarray | None) -> int:
            if values is None:
                return inside(builder, values)
            data = values.tobytes()
            tflite.BufferStart(builder)
            tflite.BufferAddOffset(builder, end + len(rest))
            tflite.BufferAddSize(builder, len(data))
            rest.extend(data + bytes(-len(data) % 16))
            return int(tflite.BufferEnd(builder))

        monkeypatch.setattr(tflite_files, "_buffer", buffer)
        head = network(kind)
        return head + bytes(-len(head) % 16), bytes(rest)

    end = len(written()[0])
    return b"".join(written())


@pytest.mark.parametrize("kind", ["float32", "int8"])
def test_constants_may_stand_behind_the_flatbuffer(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x = DATA if kind == "float32" else np.arange(144, dtype=np.int8).reshape(DATA.shape)
    (expected,) = directconv.compile(network(kind), TARGET).run(x)
    data = behind(kind, monkeypatch)
    np.testing.assert_array_equal(directconv.compile(data, TARGET).run(x)[0], expected)
    with pytest.raises(ModelError, match="is damaged"):
        directconv.compile(data[:-64], TARGET)


def test_what_is_no_model_is_refused() -> None:
    data = network("float32")
    damaged = data[: len(data) // 2]
    for given in (damaged, data[:12], data[:4] + b"TFL3" + bytes(64)):
        with pytest.raises(ModelError, match="the given bytes"):
            directconv.compile(given, TARGET)
    with pytest.raises(ModelError, match="no such file"):
        directconv.compile("missing.tflite", TARGET)
    with pytest.raises(ModelError, match="a TensorFlow Lite model holds its weights"):
        directconv.compile(data, TARGET, params={"x": DATA})
    with pytest.raises(ModelError, match="'x'"):
        directconv.compile(data, TARGET, shapes={"x": (2, 6, 6, 4)})


def test_tensors_that_are_too_large_are_refused() -> None:
    with pytest.raises(
        ModelError, match="the given bytes: tensor 'x' of shape .* max_tensor_bytes= allows more"
    ):
        directconv.compile(network("float32"), TARGET, max_tensor_bytes=100)


def test_tensors_that_share_without_bound_are_refused() -> None:
    """Half a megabyte whose last tensor, of a quarter of it, is listed 60,000 times."""
    held = Tensor("c", [1 << 16], values=np.ones(1 << 16, np.float32))
    tensors = [Tensor(name, [1 << 16]) for name in ("x", "y")]
    data = model([*tensors, held], [Operator("ADD", ["x", "c"], "y")], ["x"], references=60_000)
    with pytest.raises(ModelError, match="more than 16 times the bytes of the file"):
        directconv.compile(data, TARGET)


def test_operators_without_a_converter_are_named() -> None:
    tensors = [Tensor(name, [4], "int8", scale=[0.1]) for name in ("x", "y")]
    with pytest.raises(UnsupportedOperatorError, match="the given bytes: .*'ELU'"):
        directconv.compile(model(tensors, [Operator("ELU", ["x"], "y")], ["x"]), TARGET)


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tflite", None)
    with pytest.raises(ModelError, match=r"needs the tflite package: pip install 'tvm-directconv\[tflite\]'"):
        directconv.compile(network("float32"), TARGET)
