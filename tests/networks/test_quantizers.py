"""Networks as people quantize them: ONNX Runtime's quantizer with its options, and PyTorch's pt2e."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import pytest
from graph_support import draw, network, node
from onnx import ModelProto, TensorProto, helper, numpy_helper
from onnx_support import TARGET
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from reference import run_onnx_runtime

import tvm_directconv as directconv
from relay_strategies.frontends.onnx.importer import import_model
from tvm_directconv.errors import UnsupportedOperatorError

SHAPE = (1, 4, 10, 10)
UNSIGNED, SIGNED = QuantType.QUInt8, QuantType.QInt8
OPTIONS = [
    # format, per channel, activations, weights, reduced range
    (QuantFormat.QDQ, False, UNSIGNED, SIGNED, False),
    (QuantFormat.QDQ, True, SIGNED, SIGNED, False),
    (QuantFormat.QDQ, True, UNSIGNED, UNSIGNED, True),
    (QuantFormat.QOperator, False, UNSIGNED, UNSIGNED, False),
    (QuantFormat.QOperator, True, UNSIGNED, SIGNED, True),
    (QuantFormat.QOperator, True, SIGNED, SIGNED, False),
]


class Calibration(CalibrationDataReader):
    """Drawn images."""

    def __init__(self) -> None:
        self._images: Iterator[np.ndarray] = iter([draw(*SHAPE, seed=seed) for seed in range(3)])

    def get_next(self) -> dict[str, np.ndarray] | None:
        image = next(self._images, None)
        return None if image is None else {"x": image}


def float_network() -> ModelProto:
    """What the quantizer has rules for, in one network: every format writes each of these in its own way."""
    weights = {
        "w": draw(8, 4, 3, 3),
        "b": draw(8),
        "d": draw(8, 1, 3, 3),
        "p": draw(8, 8, 1, 1),
        "low": np.array(0, np.float32),
        "high": np.array(6, np.float32),
        "g": draw(5, 16),
        "h": draw(5),
    }
    nodes = [
        node("Conv", "x w b", "a", pads=[1, 1, 1, 1]),
        node("Clip", "a low high", "c"),
        node("Conv", "c d", "e", group=8, pads=[1, 1, 1, 1]),
        node("LeakyRelu", "e", "f", alpha=0.1),
        node("Conv", "f p b", "i"),
        node("Add", "c i", "j"),
        node("MaxPool", "j", "k", kernel_shape=[2, 2], strides=[2, 2]),
        node("AveragePool", "j", "l", kernel_shape=[2, 2], strides=[2, 2]),
        node("Sigmoid", "l", "m"),
        node("Mul", "k m", "n"),
        node("Concat", "n k", "o", axis=1),
        node("GlobalAveragePool", "o", "q"),
        node("Flatten", "q", "r"),
        node("Gemm", "r g h", "y", transB=1),
    ]
    return network(nodes, {"x": SHAPE}, {"y": (1, 5)}, weights)


@cache
def quantized(folder: Path, format: QuantFormat, *options: object) -> ModelProto:
    logging.getLogger().setLevel(logging.ERROR)  # it recommends to run its pre-processing
    per_channel, activations, weights, reduced = options
    source, result = folder / "float.onnx", folder / "quantized.onnx"
    onnx.save(float_network(), source)
    quantize_static(
        source,
        result,
        Calibration(),
        quant_format=format,
        per_channel=per_channel,
        activation_type=activations,
        weight_type=weights,
        reduce_range=reduced,
    )
    return onnx.load(result)


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: "-".join(str(getattr(v, "name", v)) for v in o))
def test_layers_compute_in_eight_bits(options: tuple, tmp_path: Path) -> None:
    """Within two steps of the result: operators that share a kernel do not round in between."""
    model = quantized(tmp_path, *options)
    compiled = directconv.compile(model, TARGET)
    assert [layer.kind for layer in compiled.report().layers] == ["qconv2d"] * 3 + ["qdense"]
    image = draw(*SHAPE, seed=7)
    # In QOperator ONNX Runtime has kernels of its own; QDQ it computes as it is written.
    (wanted,) = run_onnx_runtime(model, [image], optimized=options[0] is QuantFormat.QOperator)
    (got,) = compiled.run([image])
    steps = np.unique(np.abs(np.subtract.outer(wanted, wanted)).round(6))
    assert np.abs(got - wanted).max() <= 2 * steps[steps > 0].min() and len(np.unique(wanted)) > 2


def pt2e_network(zero: int = 7) -> ModelProto:
    """What torch.onnx.export makes of torchao's convert_pt2e: filters quantized per channel with a zero point
    for each, biases in float32, scalars with an axis, and activations before the quantization."""
    scales = {name: np.linspace(0.001, 0.002, 8).astype(np.float32) for name in ("ws", "ps")}
    weights = {
        "w": np.random.default_rng(0).integers(-127, 128, (8, 4, 3, 3)).astype(np.int8),
        "p": np.random.default_rng(1).integers(-127, 128, (8, 8, 1, 1)).astype(np.int8),
        "zeros": np.zeros(8, np.int8),
        "b": draw(8),
        "s": np.array(0.01, np.float32),
        "z": np.array(zero, np.uint8),
        "t": np.array(0.02, np.float32),
        "u": np.array(0, np.uint8),
        **scales,
    }
    nodes = [
        node("DequantizeLinear", "w ws zeros", "wf", axis=0),
        node("DequantizeLinear", "p ps zeros", "pf", axis=0),
        node("QuantizeLinear", "x s z", "xq", axis=1),
        node("DequantizeLinear", "xq s z", "xf", axis=1),
        node("Conv", "xf wf b", "a", pads=[1, 1, 1, 1], auto_pad="NOTSET"),
        node("Relu", "a", "r"),
        node("QuantizeLinear", "r t u", "rq", axis=1),
        node("DequantizeLinear", "rq t u", "rf", axis=1),
        node("Conv", "rf pf b", "c"),
        node("Add", "c rf", "e"),
        node("Relu", "e", "y"),
    ]
    return network(nodes, {"x": SHAPE}, {"y": (1, 8, 10, 10)}, weights, opset=18)


def test_exports_of_pt2e() -> None:
    model, image = pt2e_network(), draw(*SHAPE)
    compiled = directconv.compile(model, TARGET)
    assert [layer.kind for layer in compiled.report().layers] == ["qconv2d", "qconv2d"]
    (wanted,) = run_onnx_runtime(model, [image], optimized=False)
    # A value that rounds to the other side of a tie is a step of 0.02.
    difference = np.abs(compiled.run([image])[0] - wanted)
    assert difference.max() < 0.03 and (difference > 1e-5).mean() < 0.01


@pytest.mark.parametrize(
    ("data", "weight", "result"), [("uint16", "int8", "uint16"), ("int16", "int16", "int16"), ("uint16",) * 3]
)
def test_integers_of_16_bits_are_computed_in_float32(data: str, weight: str, result: str) -> None:
    """The report says so."""
    image = draw(1, 4, 6, 7)
    limits = np.iinfo(weight)
    values = np.random.default_rng(0).integers(limits.min, limits.max, (8, 4, 3, 3), endpoint=True)
    weights = {
        "xs": np.float32(0.0002),
        "xz": np.array(30000 if data == "uint16" else 0, data),
        "w": values.astype(weight),
        "ws": (np.linspace(0.5, 1, 8) / limits.max).astype(np.float32),
        "wz": np.full(8, 7, weight),
        "ys": np.float32(0.0005),
        "yz": np.array(20000 if result == "uint16" else 0, result),
    }
    nodes = [
        node("QuantizeLinear", "x xs xz", "xq"),
        node("DequantizeLinear", "xq xs xz", "xf"),
        node("DequantizeLinear", "w ws wz", "wf", axis=0),
        node("Conv", "xf wf", "c"),
        node("QuantizeLinear", "c ys yz", "q"),
        node("DequantizeLinear", "q ys yz", "y"),
    ]
    model = network(nodes, {"x": image.shape}, {"y": (1, 8, 4, 5)}, weights, opset=21)
    compiled = directconv.compile(model)
    (layer,) = compiled.report().layers
    assert (layer.kind, layer.dequantized) == ("conv2d", data)
    assert f"quantized ({data}), and computed in float32: 1 layers" in str(compiled.report())
    (wanted,) = run_onnx_runtime(model, [image])
    difference = np.abs(compiled.run([image])[0] - wanted)
    # A value that rounds to the other side of a tie is a step.
    assert difference.max() < 0.0006 and (difference > 1e-4).mean() < 0.05 and len(np.unique(wanted)) > 100


def test_scales_per_block() -> None:
    """Of weights, as quantizers of weights alone have them, and of data; the last block is shorter."""
    image = draw(1, 4, 6, 7)
    values = np.random.default_rng(0).integers(-128, 128, (8, 4, 3, 3))
    weights = {
        "w": values.astype(np.int8),
        "ws": np.linspace(0.001, 0.02, 8 * 2 * 9).reshape(8, 2, 3, 3).astype(np.float32),
        "wz": np.arange(8 * 2 * 9).reshape(8, 2, 3, 3).astype(np.int8),
        "xs": np.linspace(0.01, 0.03, 4 * 6 * 2).reshape(1, 4, 6, 2).astype(np.float32),
    }
    nodes = [
        node("QuantizeLinear", "x xs", "xq", axis=-1, block_size=4, output_dtype=TensorProto.INT8),
        node("DequantizeLinear", "xq xs", "xf", axis=3, block_size=4),
        node("DequantizeLinear", "w ws wz", "wf", axis=1, block_size=2),
        node("Conv", "xf wf", "y"),
    ]
    model = network(nodes, {"x": image.shape}, {"y": (1, 8, 4, 5)}, weights, opset=21)
    compiled = directconv.compile(model)
    (wanted,) = run_onnx_runtime(model, [image])
    np.testing.assert_allclose(compiled.run([image])[0], wanted, rtol=1e-4, atol=1e-4)
    assert [layer.name for layer in compiled.report().layers] == ["Conv:y"]


def test_weights_that_are_refused() -> None:
    """By the name of their node, before anything is compiled."""
    kind = TensorProto.FLOAT8E4M3FN
    dtype = helper.tensor_dtype_to_np_dtype(kind)
    model = network(
        [node("DequantizeLinear", "w s z", "f"), node("MatMul", "x f", "y")],
        {"x": (1, 4)},
        {"y": (1, 4)},
        {"s": np.full((), 0.1, np.float32)},
        opset=21,
    )
    tensors = [(np.ones((4, 4)).astype(dtype), "w"), (np.zeros(()).astype(dtype), "z")]
    model.graph.initializer.extend(numpy_helper.from_array(array, name) for array, name in tensors)
    with pytest.raises(UnsupportedOperatorError, match="'DequantizeLinear:f' .*of FLOAT8E4M3FN"):
        import_model(model)
