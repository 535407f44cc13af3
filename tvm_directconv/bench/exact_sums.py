"""Sums of 8-bit products that saturate: on which CPUs, with which filters, and how ONNX Runtime avoids it.

The only instruction of x86 without VNNI that multiplies bytes (vpmaddubsw) adds pairs of products in 16 bits,
which two of 255 and more than 64 overflow. Libraries use it all the same, and advise filters within 7 bits
(ONNX Runtime's "Quantize ONNX models" under reduce_range, OpenVINO's "Saturation (overflow) issue
workaround"). Ours have slower kernels for other filters, and so has ONNX Runtime for unsigned ones.
"""

from __future__ import annotations

import functools

import numpy as np
from onnx import ModelProto, TensorProto, numpy_helper

from tvm_directconv.targets.target import resolve_target

LARGEST_EXACT_WEIGHT = 64
"""Filters up to this magnitude never saturate: 2 x 255 x 64 < 2^15."""

_INPUTS: dict[str, tuple[int | None, int, int]] = {
    "QLinearConv": (2, 3, 5),
    "QLinearMatMul": (2, 3, 5),
    "QGemm": (2, 3, 5),
    "MatMulInteger": (2, 1, 3),
    "DequantizeLinear": (None, 0, 2),
}
"""These inputs of an operator are the zero point of the data, a filter, and the filter's zero point."""


@functools.cache
def sums_saturate() -> bool:
    """Return whether this CPU is an x86 without VNNI."""
    host = resolve_target("llvm -mcpu=native")
    return host.arch == "x86_64" and not {"avx512vnni", "avxvnni"} & host.features


def largest_weight(model: ModelProto) -> int:
    """Return the largest magnitude in a model's int8 tensors; 0 where it has none."""
    stored = (numpy_helper.to_array(t) for t in model.graph.initializer if t.data_type == TensorProto.INT8)
    return max((int(np.abs(values.astype(np.int16)).max(initial=0)) for values in stored), default=0)


def with_unsigned_filters(model: ModelProto) -> ModelProto:
    """Return the same function with int8 filters of uint8 data, and their zero points, 128 higher as uint8.

    ONNX Runtime's option session.x64quantprecision does this as well, but only together with its other
    optimizations and not to its own operators in NHWC, and it breaks models of int8 data, whose sums are
    exact anyway.
    """
    result = ModelProto()
    result.CopyFrom(model)
    tensors = {tensor.name: tensor for tensor in result.graph.initializer}

    def is_int8(names: list[str], at: int | None) -> bool:
        stored = tensors.get(names[at]) if at is not None and at < len(names) else None
        return stored is not None and stored.data_type == TensorProto.INT8

    def unsigned(name: str) -> str:
        moved = f"{name}_unsigned"
        if moved not in tensors:
            array = numpy_helper.to_array(tensors[name]).astype(np.int16) + 128
            tensors[moved] = numpy_helper.from_array(array.astype(np.uint8), moved)
            result.graph.initializer.append(tensors[moved])
        return moved

    for node in result.graph.node:
        if node.op_type not in _INPUTS:
            continue
        of_data, *of_filter = _INPUTS[node.op_type]
        names = list(node.input)
        if all(is_int8(names, at) for at in of_filter) and not is_int8(names, of_data):
            for at in of_filter:
                node.input[at] = unsigned(names[at])
    return result
