"""Networks in 8 bits: any float32 ONNX network quantized by ONNX Runtime's own quantizer.

Front-door data as in zoo.py: nothing is downloaded, images to calibrate on are seeded random ones. What
the quantizer does is its documentation's static quantization, by default in the QDQ form: uint8
activations, int8 filters, a scale per output channel.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnx
from onnx import ModelProto

from tvm_directconv.errors import ModelError

CALIBRATION_IMAGES = 2

# The quantizer wants 13 for scales per channel.
OPSET = 13

QUANTIZED_OPERATORS = frozenset({"DequantizeLinear", "QLinearConv", "QLinearMatMul", "ConvInteger", "QGemm"})
"""Each says that a network has tensors in 8 bits."""


def is_quantized(model: ModelProto) -> bool:
    """Whether some of the network is in 8 bits."""
    return any(node.op_type in QUANTIZED_OPERATORS for node in model.graph.node)


def quantized(model: ModelProto, on_phase: Callable[[str], None] = lambda phase: None) -> ModelProto:
    """A float32 network as QDQ, per channel; seconds, on large ones a minute. ``on_phase`` is told what
    begins. Raises ModelError without onnxruntime."""
    on_phase("folding batch normalization")
    prepared = prepare(model)
    on_phase("calibrating and quantizing")
    return quantize(prepared)


def prepare(model: ModelProto) -> ModelProto:
    """The network as the quantizer can read it: no Sum, opset 13, batch normalization folded."""
    _check_onnxruntime(model)
    from onnxruntime.quantization.shape_inference import quant_pre_process

    model = onnx.version_converter.convert_version(model, OPSET)
    for node in model.graph.node:
        if node.op_type == "Sum" and len(node.input) == 2:
            node.op_type = "Add"
    with tempfile.TemporaryDirectory() as folder, _no_advice():
        # Given the model itself, it stores weights where it does not find them.
        path = Path(folder) / "network.onnx"
        onnx.save(model, path)
        quant_pre_process(path, path, skip_symbolic_shape=True)
        return onnx.load(path)


def quantize(
    model: ModelProto,
    format: str = "QDQ",
    per_channel: bool = True,
    activation: str = "QUInt8",
    weight: str = "QInt8",
    reduce_range: bool = False,
) -> ModelProto:
    """A prepared network, calibrated on seeded random images. ``format`` is QDQ or QOperator, the types
    are names of onnxruntime's QuantType; ``reduce_range`` keeps weights within 7 bits."""
    _check_onnxruntime(model)
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static

    with tempfile.TemporaryDirectory() as folder, _no_advice():
        path = Path(folder) / "quantized.onnx"
        onnx.save(model, path)
        quantize_static(
            path,
            path,
            _Calibration(model),
            quant_format=QuantFormat[format],
            per_channel=per_channel,
            activation_type=QuantType[activation],
            weight_type=QuantType[weight],
            reduce_range=reduce_range,
        )
        return onnx.load(path)


def image_of(model: ModelProto, seed: int = 5) -> dict[str, np.ndarray]:
    """Seeded float32 values ~ N(0, 1) for every input, by name."""
    weights = {tensor.name for tensor in model.graph.initializer}
    generator = np.random.default_rng(seed)
    return {
        value.name: generator.standard_normal(
            [dim.dim_value for dim in value.type.tensor_type.shape.dim], np.float32
        )
        for value in model.graph.input
        if value.name not in weights
    }


class _Calibration:
    """The quantizer's data reader."""

    def __init__(self, model: ModelProto) -> None:
        self._images = iter([image_of(model, seed) for seed in range(CALIBRATION_IMAGES)])

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self._images, None)


def _check_onnxruntime(model: ModelProto) -> None:
    try:
        import onnxruntime.quantization  # noqa: F401
    except ImportError as error:
        raise ModelError(
            f"'{model.graph.name}' is quantized by onnxruntime, which cannot be imported ({error}): "
            "pip install onnxruntime"
        ) from None


@contextmanager
def _no_advice() -> Iterator[None]:
    """The quantizer warns to preprocess, whatever it is given."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
