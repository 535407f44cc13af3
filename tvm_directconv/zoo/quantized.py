"""Networks in 8 bits: any float32 ONNX network quantized by ONNX Runtime's own quantizer.

As in networks.py nothing is downloaded; images to calibrate on are seeded random ones. What
the quantizer does is its documentation's static quantization, by default in the QDQ form: uint8
activations, int8 filters, a scale per output channel.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnx
from onnx import ModelProto

from tvm_directconv.errors import ModelError
from tvm_directconv.temporary import temporary_folder

from .inputs import image_of

CALIBRATION_IMAGES = 2

OPSET = 13
"""The quantizer wants this for scales per channel."""

QUANTIZED_OPERATORS = frozenset({"DequantizeLinear", "QLinearConv", "QLinearMatMul", "ConvInteger", "QGemm"})
"""Each of these says that a network has tensors in 8 bits."""


def is_quantized(model: ModelProto) -> bool:
    """Return whether some of the network is in 8 bits."""
    return any(node.op_type in QUANTIZED_OPERATORS for node in model.graph.node)


def quantized(model: ModelProto, on_phase: Callable[[str], None] = lambda phase: None) -> ModelProto:
    """Quantize a float32 network as QDQ, per channel; that takes seconds, on large ones a minute.

    ``on_phase`` is told what begins. Raises ModelError without onnxruntime.
    """
    on_phase("folding batch normalization")
    prepared = prepare(model)
    on_phase("calibrating and quantizing")
    return quantize(prepared)


def prepare(model: ModelProto) -> ModelProto:
    """Return the network as the quantizer can read it: no Sum, opset 13 or later, batch normalization
    folded."""
    require_onnxruntime(f"'{model.graph.name}'")
    from onnxruntime.quantization.shape_inference import quant_pre_process

    if max(entry.version for entry in model.opset_import if not entry.domain) < OPSET:
        model = onnx.version_converter.convert_version(model, OPSET)
    else:
        copy = ModelProto()
        copy.CopyFrom(model)
        model = copy
    for node in model.graph.node:
        if node.op_type == "Sum" and len(node.input) == 2:
            node.op_type = "Add"
    with temporary_folder() as folder, _no_advice():
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
    images: Iterable[Mapping[str, np.ndarray]] | None = None,
) -> ModelProto:
    """Quantize a prepared network, calibrated on ``images``, each the inputs by name; without them on a few
    seeded random ones.

    ``format`` is QDQ or QOperator, the types are names of onnxruntime's QuantType; ``reduce_range`` keeps
    weights within 7 bits.
    """
    require_onnxruntime(f"'{model.graph.name}'")
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static

    with temporary_folder() as folder, _no_advice():
        path = Path(folder) / "quantized.onnx"
        onnx.save(model, path)
        quantize_static(
            path,
            path,
            _Calibration(drawn_images(model, CALIBRATION_IMAGES) if images is None else images),
            quant_format=QuantFormat[format],
            per_channel=per_channel,
            activation_type=QuantType[activation],
            weight_type=QuantType[weight],
            reduce_range=reduce_range,
        )
        return onnx.load(path)


def drawn_images(model: ModelProto, count: int) -> Iterator[dict[str, np.ndarray]]:
    """Yield so many seeded random values of all inputs, by name."""
    return (image_of(model, seed) for seed in range(count))


class _Calibration:
    """The images the quantizer calibrates on, as its data reader."""

    def __init__(self, images: Iterable[Mapping[str, np.ndarray]]) -> None:
        self._images = iter(images)

    def get_next(self) -> Mapping[str, np.ndarray] | None:
        return next(self._images, None)


def require_onnxruntime(network: str) -> None:
    """Raise ModelError, which names the network, where there is no onnxruntime to quantize it."""
    try:
        import onnxruntime.quantization  # noqa: F401
    except ImportError as error:
        raise ModelError(
            f"{network} is quantized by onnxruntime, which cannot be imported ({error}): "
            "pip install onnxruntime"
        ) from None


@contextmanager
def _no_advice() -> Iterator[None]:
    """Silence the quantizer, which advises to preprocess whatever it is given."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
