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
    "float16": tflite.TensorType.FLOAT16,
    "int8": tflite.TensorType.INT8,
    "uint8": tflite.TensorType.UINT8,
    "int32": tflite.TensorType.INT32,
}


@dataclass(frozen=True)
class StoredTensor:
    """A tensor by name; one with values is constant, one with scales is quantized along ``axis``. Of a
    ``sparse`` matrix the values that are not 0 are stored, row by row."""

    name: str
    shape: Sequence[int]
    dtype: str = "float32"
    values: np.ndarray | None = None
    scale: Sequence[float] = ()
    zero: int = 0
    axis: int = 0
    sparse: bool = False
    signature: Sequence[int] = ()
    """The shape with -1 where it is open."""

    @property
    def stored(self) -> np.ndarray | None:
        return (
            self.values[np.nonzero(self.values)] if self.sparse and self.values is not None else self.values
        )


@dataclass(frozen=True)
class StoredOperator:
    """An operator by its name in BuiltinOperator; its options are those of a table with that name. Names of
    several outputs have spaces between. Other names are those of other libraries, whose options are
    ``custom``."""

    kind: str
    inputs: Sequence[str]
    output: str
    options: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    custom: bytes = b""


def model(
    tensors: Sequence[StoredTensor],
    operators: Sequence[StoredOperator],
    inputs: Sequence[str],
    references: int = 1,
) -> bytes:
    """The file of a network whose outputs are those of its last operator. The last tensor is listed as often
    as ``references`` says, and there once."""
    builder = flatbuffers.Builder(1024)
    number = {tensor.name: index for index, tensor in enumerate(tensors)}
    kinds = sorted({operator.kind for operator in operators})
    buffers = [_buffer(builder, None), *(_buffer(builder, tensor.stored) for tensor in tensors)]
    written = [_tensor(builder, tensor, index + 1) for index, tensor in enumerate(tensors)]
    nodes = [_operator(builder, operator, number, kinds) for operator in operators]
    names = {
        "tensors": _vector(builder, written + written[-1:] * (references - 1)),
        "operators": _vector(builder, nodes),
        "inputs": builder.CreateNumpyVector(np.array([number[name] for name in inputs], np.int32)),
        "outputs": builder.CreateNumpyVector(_numbers(operators[-1].output, number)),
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


def _tensor(builder: flatbuffers.Builder, tensor: StoredTensor, buffer: int) -> int:
    name = builder.CreateString(tensor.name)
    shape = builder.CreateNumpyVector(np.array(tensor.shape, np.int32))
    signature = builder.CreateNumpyVector(np.array(tensor.signature, np.int32)) if tensor.signature else None
    quantization = None
    if tensor.scale:
        scale = builder.CreateNumpyVector(np.array(tensor.scale, np.float32))
        zero = builder.CreateNumpyVector(np.full(len(tensor.scale), tensor.zero, np.int64))
        tflite.QuantizationParametersStart(builder)
        tflite.QuantizationParametersAddScale(builder, scale)
        tflite.QuantizationParametersAddZeroPoint(builder, zero)
        tflite.QuantizationParametersAddQuantizedDimension(builder, tensor.axis)
        quantization = tflite.QuantizationParametersEnd(builder)
    sparsity = _sparsity(builder, tensor.values) if tensor.sparse and tensor.values is not None else None
    tflite.TensorStart(builder)
    tflite.TensorAddName(builder, name)
    tflite.TensorAddShape(builder, shape)
    tflite.TensorAddType(builder, TYPES[tensor.dtype])
    tflite.TensorAddBuffer(builder, buffer)
    if signature is not None:
        tflite.TensorAddShapeSignature(builder, signature)
    if quantization is not None:
        tflite.TensorAddQuantization(builder, quantization)
    if sparsity is not None:
        tflite.TensorAddSparsity(builder, sparsity)
    return tflite.TensorEnd(builder)


def _sparsity(builder: flatbuffers.Builder, matrix: np.ndarray) -> int:
    """Rows are dense, and in each the columns are listed that are not 0."""
    rows, columns = np.nonzero(matrix)
    lists = []
    for numbers in (np.searchsorted(rows, np.arange(len(matrix) + 1)), columns):
        values = builder.CreateNumpyVector(numbers.astype(np.int32))
        tflite.Int32VectorStart(builder)
        tflite.Int32VectorAddValues(builder, values)
        lists.append(tflite.Int32VectorEnd(builder))
    tflite.DimensionMetadataStart(builder)
    tflite.DimensionMetadataAddFormat(builder, tflite.DimensionType.DENSE)
    tflite.DimensionMetadataAddDenseSize(builder, len(matrix))
    dense = tflite.DimensionMetadataEnd(builder)
    tflite.DimensionMetadataStart(builder)
    tflite.DimensionMetadataAddFormat(builder, tflite.DimensionType.SPARSE_CSR)
    tflite.DimensionMetadataAddArraySegmentsType(builder, tflite.SparseIndexVector.Int32Vector)
    tflite.DimensionMetadataAddArraySegments(builder, lists[0])
    tflite.DimensionMetadataAddArrayIndicesType(builder, tflite.SparseIndexVector.Int32Vector)
    tflite.DimensionMetadataAddArrayIndices(builder, lists[1])
    described = _vector(builder, [dense, tflite.DimensionMetadataEnd(builder)])
    order = builder.CreateNumpyVector(np.arange(2, dtype=np.int32))
    tflite.SparsityParametersStart(builder)
    tflite.SparsityParametersAddTraversalOrder(builder, order)
    tflite.SparsityParametersAddDimMetadata(builder, described)
    return tflite.SparsityParametersEnd(builder)


def _operator(
    builder: flatbuffers.Builder, operator: StoredOperator, number: Mapping[str, int], kinds: Sequence[str]
) -> int:
    options = None
    if operator.options:
        getattr(tflite, f"{operator.options}Start")(builder)
        for name, value in operator.values.items():
            getattr(tflite, f"{operator.options}Add{name}")(builder, value)
        options = getattr(tflite, f"{operator.options}End")(builder)
    inputs = builder.CreateNumpyVector(np.array([number[name] for name in operator.inputs], np.int32))
    outputs = builder.CreateNumpyVector(_numbers(operator.output, number))
    custom = builder.CreateByteVector(operator.custom) if operator.custom else None
    tflite.OperatorStart(builder)
    tflite.OperatorAddOpcodeIndex(builder, kinds.index(operator.kind))
    tflite.OperatorAddInputs(builder, inputs)
    tflite.OperatorAddOutputs(builder, outputs)
    if options is not None:
        tflite.OperatorAddBuiltinOptionsType(builder, getattr(tflite.BuiltinOptions, operator.options))
        tflite.OperatorAddBuiltinOptions(builder, options)
    if custom is not None:
        tflite.OperatorAddCustomOptions(builder, custom)
    return tflite.OperatorEnd(builder)


def _numbers(names: str, number: Mapping[str, int]) -> np.ndarray:
    return np.array([number[name] for name in names.split()], np.int32)


def _code(builder: flatbuffers.Builder, kind: str) -> int:
    code = getattr(tflite.BuiltinOperator, kind, tflite.BuiltinOperator.CUSTOM)
    name = builder.CreateString(kind) if code == tflite.BuiltinOperator.CUSTOM else None
    tflite.OperatorCodeStart(builder)
    if name is not None:
        tflite.OperatorCodeAddCustomCode(builder, name)
    tflite.OperatorCodeAddDeprecatedBuiltinCode(builder, min(code, 127))
    tflite.OperatorCodeAddBuiltinCode(builder, code)
    tflite.OperatorCodeAddVersion(builder, 1)
    return tflite.OperatorCodeEnd(builder)
