"""Small .tflite files, written with the builders of the tflite package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import flatbuffers
import numpy as np
import tflite

TYPES = {
    "float32": tflite.TensorType.FLOAT32,
    "int8": tflite.TensorType.INT8,
    "uint8": tflite.TensorType.UINT8,
    "int32": tflite.TensorType.INT32,
}


@dataclass(frozen=True)
class Tensor:
    """A tensor by name; one with values is constant, one with scales is quantized along ``axis``."""

    name: str
    shape: Sequence[int]
    dtype: str = "float32"
    values: np.ndarray | None = None
    scale: Sequence[float] = ()
    zero: int = 0
    axis: int = 0


@dataclass(frozen=True)
class Operator:
    """An operator by its name in BuiltinOperator; its options are those of a table with that name."""

    kind: str
    inputs: Sequence[str]
    output: str
    options: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)


def model(tensors: Sequence[Tensor], operators: Sequence[Operator], inputs: Sequence[str]) -> bytes:
    """The file of a network whose output is that of its last operator."""
    builder = flatbuffers.Builder(1024)
    number = {tensor.name: index for index, tensor in enumerate(tensors)}
    kinds = sorted({operator.kind for operator in operators})
    buffers = [_buffer(builder, None), *(_buffer(builder, tensor.values) for tensor in tensors)]
    written = [_tensor(builder, tensor, index + 1) for index, tensor in enumerate(tensors)]
    nodes = [_operator(builder, operator, number, kinds) for operator in operators]
    names = {
        "tensors": _vector(builder, written),
        "operators": _vector(builder, nodes),
        "inputs": builder.CreateNumpyVector(np.array([number[name] for name in inputs], np.int32)),
        "outputs": builder.CreateNumpyVector(np.array([number[operators[-1].output]], np.int32)),
    }
    tflite.SubGraphStart(builder)
    tflite.SubGraphAddTensors(builder, names["tensors"])
    tflite.SubGraphAddOperators(builder, names["operators"])
    tflite.SubGraphAddInputs(builder, names["inputs"])
    tflite.SubGraphAddOutputs(builder, names["outputs"])
    graphs = _vector(builder, [tflite.SubGraphEnd(builder)])
    codes = _vector(builder, [_code(builder, kind) for kind in kinds])
    stored = _vector(builder, buffers)
    tflite.ModelStart(builder)
    tflite.ModelAddVersion(builder, 3)
    tflite.ModelAddOperatorCodes(builder, codes)
    tflite.ModelAddSubgraphs(builder, graphs)
    tflite.ModelAddBuffers(builder, stored)
    builder.Finish(tflite.ModelEnd(builder), b"TFL3")
    return bytes(builder.Output())


def _vector(builder: flatbuffers.Builder, offsets: Sequence[int]) -> int:
    builder.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        builder.PrependUOffsetTRelative(offset)
    return builder.EndVector()


def _buffer(builder: flatbuffers.Builder, values: np.ndarray | None) -> int:
    data = None if values is None else builder.CreateByteVector(np.ascontiguousarray(values).tobytes())
    tflite.BufferStart(builder)
    if data is not None:
        tflite.BufferAddData(builder, data)
    return tflite.BufferEnd(builder)


def _tensor(builder: flatbuffers.Builder, tensor: Tensor, buffer: int) -> int:
    name = builder.CreateString(tensor.name)
    shape = builder.CreateNumpyVector(np.array(tensor.shape, np.int32))
    quantization = None
    if tensor.scale:
        scale = builder.CreateNumpyVector(np.array(tensor.scale, np.float32))
        zero = builder.CreateNumpyVector(np.full(len(tensor.scale), tensor.zero, np.int64))
        tflite.QuantizationParametersStart(builder)
        tflite.QuantizationParametersAddScale(builder, scale)
        tflite.QuantizationParametersAddZeroPoint(builder, zero)
        tflite.QuantizationParametersAddQuantizedDimension(builder, tensor.axis)
        quantization = tflite.QuantizationParametersEnd(builder)
    tflite.TensorStart(builder)
    tflite.TensorAddName(builder, name)
    tflite.TensorAddShape(builder, shape)
    tflite.TensorAddType(builder, TYPES[tensor.dtype])
    tflite.TensorAddBuffer(builder, buffer)
    if quantization is not None:
        tflite.TensorAddQuantization(builder, quantization)
    return tflite.TensorEnd(builder)


def _operator(
    builder: flatbuffers.Builder, operator: Operator, number: Mapping[str, int], kinds: Sequence[str]
) -> int:
    options = None
    if operator.options:
        getattr(tflite, f"{operator.options}Start")(builder)
        for name, value in operator.values.items():
            getattr(tflite, f"{operator.options}Add{name}")(builder, value)
        options = getattr(tflite, f"{operator.options}End")(builder)
    inputs = builder.CreateNumpyVector(np.array([number[name] for name in operator.inputs], np.int32))
    outputs = builder.CreateNumpyVector(np.array([number[operator.output]], np.int32))
    tflite.OperatorStart(builder)
    tflite.OperatorAddOpcodeIndex(builder, kinds.index(operator.kind))
    tflite.OperatorAddInputs(builder, inputs)
    tflite.OperatorAddOutputs(builder, outputs)
    if options is not None:
        tflite.OperatorAddBuiltinOptionsType(builder, getattr(tflite.BuiltinOptions, operator.options))
        tflite.OperatorAddBuiltinOptions(builder, options)
    return tflite.OperatorEnd(builder)


def _code(builder: flatbuffers.Builder, kind: str) -> int:
    code = getattr(tflite.BuiltinOperator, kind)
    tflite.OperatorCodeStart(builder)
    tflite.OperatorCodeAddDeprecatedBuiltinCode(builder, min(code, 127))
    tflite.OperatorCodeAddBuiltinCode(builder, code)
    tflite.OperatorCodeAddVersion(builder, 1)
    return tflite.OperatorCodeEnd(builder)
