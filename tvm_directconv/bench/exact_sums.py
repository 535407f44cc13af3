"""Sums of 8-bit products that saturate: on which CPUs, with which filters, and how ONNX Runtime avoids it.

The only instruction of x86 without VNNI that multiplies bytes (vpmaddubsw) adds pairs of products in 16 bits,
which two of 255 and more than 64 overflow. Libraries use it all the same, and advise filters within 7 bits
(ONNX Runtime's "Quantize ONNX models" under reduce_range, OpenVINO's "Saturation (overflow) issue
workaround"). Ours have slower kernels for other filters, and so has ONNX Runtime for unsigned ones.
"""

from __future__ import annotations

import functools

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, numpy_helper

from tvm_directconv.targets.target import resolve_target

LARGEST_EXACT_WEIGHT = 64
"""Filters up to this magnitude never saturate: 2 x 255 x 64 < 2^15."""

_INPUTS: dict[str, tuple[int | None, tuple[tuple[int, int], ...]]] = {
    "QLinearConv": (2, ((3, 5),)),
    "QLinearMatMul": (2, ((3, 5),)),
    "QGemm": (2, ((3, 5),)),
    "ConvInteger": (2, ((1, 3),)),
    "MatMulInteger": (2, ((1, 3),)),
    "MatMulIntegerToFloat": (4, ((1, 5),)),
    "QAttention": (6, ((1, 7),)),
    "DequantizeLinear": (None, ((0, 2),)),
    "DynamicQuantizeMatMul": (None, ((1, 3),)),
    "DynamicQuantizeLSTM": (None, ((1, 9), (2, 11))),
}
"""These inputs of an operator are the zero point of its data (the first input; None where that is float32 or
the filter), its filters, and each filter's zero point."""


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
    of_int8 = {name for name, tensor in tensors.items() if tensor.data_type == TensorProto.INT8}
    data_of_int8 = of_int8 | {
        value.name for value in result.graph.input if value.type.tensor_type.elem_type == TensorProto.INT8
    }

    def stored(name: str, array: np.ndarray) -> str:
        if name not in tensors:
            tensors[name] = numpy_helper.from_array(array.astype(np.uint8), name)
            result.graph.initializer.append(tensors[name])
        return name

    def unsigned(name: str) -> str:
        return stored(f"{name}_unsigned", numpy_helper.to_array(tensors[name]).astype(np.int16) + 128)

    def zeros(node: NodeProto) -> str:
        """Name zero points that the node leaves out: one, or one for each scale of a DequantizeLinear."""
        shape = tuple(tensors[node.input[1]].dims) if node.op_type == "DequantizeLinear" else ()
        return stored("_".join(map(str, ("zeros_unsigned", *shape))), np.full(shape, 128))

    for node in result.graph.node:
        of_data, filters = _INPUTS.get(node.op_type, (None, ()))
        names = dict(enumerate(node.input))
        if of_data is not None and {names[0], names.get(of_data)} & data_of_int8:
            continue
        for at, zero_at in filters:
            zero = names.get(zero_at, "")
            scale = names[1] if node.op_type == "DequantizeLinear" else names[at]
            if names[at] not in of_int8 or scale not in tensors or zero not in {"", *of_int8}:
                continue
            node.input.extend([""] * (zero_at + 1 - len(node.input)))
            node.input[at] = unsigned(names[at])
            node.input[zero_at] = unsigned(zero) if zero else zeros(node)
    return result
