"""The light networks with seeded random weights, quantized by ONNX Runtime's own quantizer."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import onnx
from onnx import ModelProto, helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from reference import onnx_runtime_session

from tvm_directconv import zoo
from tvm_directconv.zoo.inputs import image_of
from tvm_directconv.zoo.quantized import prepare, quantize

__all__ = [
    "FORMATS",
    "NETWORKS",
    "float_network",
    "image_of",
    "quantize",
    "quantize_at_run_time",
    "quantized_network",
    "with_quantized_outputs",
]

NETWORKS = ("light_resnet50", "light_squeezenet", "light_inception_v1", "light_shufflenet")
FORMATS = ("QDQ", "QOperator")


@lru_cache(maxsize=2)
def quantized_network(name: str, format: str = "QDQ", per_channel: bool = True) -> ModelProto:
    """The network in uint8 activations and int8 weights; ``format`` is QDQ or QOperator."""
    return quantize(float_network(name), format, per_channel)


@lru_cache(maxsize=1)
def float_network(name: str) -> ModelProto:
    """The network as the quantizer can read it."""
    return prepare(zoo.load_model(name))


def quantize_at_run_time(model: ModelProto) -> ModelProto:
    """``model`` with uint8 weights; scales of activations are found as it runs."""
    logging.getLogger().setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "quantized.onnx"
        onnx.save(model, path)
        quantize_dynamic(path, path, weight_type=QuantType.QUInt8)
        return onnx.load(path)


def with_quantized_outputs(model: ModelProto, before: str = "Softmax") -> ModelProto:
    """The model with 8-bit outputs alone: what its last (de)quantization reads, and what comes ``before``.

    The largest probability of random weights hides all others; the tensor before the softmax does not.
    """
    result = ModelProto()
    result.CopyFrom(model)
    producer = {name: node for node in result.graph.node for name in node.output}
    kinds = {tensor.name: tensor.data_type for tensor in model.graph.initializer}
    names: list[str] = []
    for node in result.graph.node:
        if node.op_type in (before, f"QLinear{before}"):
            names.append(_quantized(node.input[0], producer))
    names += [_quantized(value.name, producer) for value in model.graph.output]
    del result.graph.output[:]
    for name in dict.fromkeys(names):
        zero_point = producer[name].input[-1]
        result.graph.output.append(helper.make_tensor_value_info(name, kinds[zero_point], None))
    for value, known in zip(result.graph.output, onnx_runtime_session(result).get_outputs(), strict=True):
        kind = value.type.tensor_type.elem_type
        value.CopyFrom(helper.make_tensor_value_info(value.name, kind, known.shape))
    return result


def _quantized(name: str, producer: Mapping[str, onnx.NodeProto]) -> str:
    """The 8-bit tensor that ``name`` is the dequantized form of."""
    while producer[name].op_type in ("DequantizeLinear", "Reshape", "Flatten"):
        name = producer[name].input[0]
    return name
