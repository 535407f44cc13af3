"""Operators at every version in which their definition changed, against ONNX Runtime, in every float type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import ModelProto
from onnx_support import Single, by_onnxruntime, by_reference, differences, model_of
from test_onnx_operators import fixed, floats, integers, numbers, one

from relay_strategies.frontends.onnx.importer import import_model

NEWEST = onnx.defs.onnx_opset_version()
SCALES = ("Resize", "Upsample", "QuantizeLinear", "DequantizeLinear")
"""Their operands after the first have types of their own."""
MAP = floats(2, 4, 6, 5)
CASES: list[Single] = []


def at(opsets: Iterable[int], make: Callable[..., Single], *operands: object, **attributes: object) -> None:
    """The same node at each of these opsets."""
    CASES.extend(make(*operands, opset=opset, **attributes) for opset in opsets)


def activations() -> None:
    at([7, 11, 13, NEWEST], one, "Softmax", floats(2, 3, 4), axis=1)
    at([7, 12, 13, NEWEST], one, "Softmax", floats(2, 3, 4))
    at([7, 13], one, "LogSoftmax", floats(2, 3, 4), axis=1)
    at([6, 7], one, "Clip", floats(9), min=-0.5, max=0.5)
    at([11, 12, 13, NEWEST], fixed, "Clip", floats(9), np.float32(-0.5), np.float32(0.5))
    at([11, 13], fixed, "Clip", floats(9), None, np.float32(0.5))
    at([13], one, "Clip", floats(9), np.array(-0.2, np.float32), np.array(0.2, np.float32))
    at([13], fixed, "Clip", integers(9), np.int32(-3), np.int32(3))
    at([7, 9, 16], fixed, "PRelu", MAP, floats(4, 1, 1))
    at([7, 16], one, "LeakyRelu", MAP)
    at([7, 22], one, "HardSigmoid", floats(9))
    at([14, NEWEST], one, "HardSwish", floats(9))
    at([18, NEWEST], one, "Mish", floats(9))
    at([20, NEWEST], one, "Gelu", floats(9), approximate="tanh")
    at([20, NEWEST], one, "Gelu", floats(9))


def normalizations() -> None:
    statistics = floats(4), floats(4), floats(4), np.abs(floats(4)) + np.float32(0.1)
    at([7, 9, 14, 15, NEWEST], one, "BatchNormalization", MAP, *statistics, epsilon=0.1)
    at([18], fixed, "GroupNormalization", MAP, floats(2), floats(2), num_groups=2)
    at([21, NEWEST], fixed, "GroupNormalization", MAP, floats(4), floats(4), num_groups=2)
    at([7, 22], one, "InstanceNormalization", MAP, floats(4), floats(4))
    at([17, NEWEST], one, "LayerNormalization", floats(2, 3, 4), floats(4), floats(4))
    at([23, NEWEST], one, "RMSNormalization", floats(2, 3, 4), floats(4))
    at([7, 13], one, "LRN", MAP, size=3)


def attention() -> None:
    query, keys, values = floats(1, 2, 4, 8), floats(1, 2, 5, 8), floats(1, 2, 5, 8)
    at([23, 24], one, "Attention", query, keys, values)
    rows = (floats(1, 4, 16), floats(1, 5, 16), floats(1, 5, 16))
    at([23, 24], one, "Attention", *rows, q_num_heads=2, kv_num_heads=2)
    at([7, 9, 11, 13], one, "Gemm", floats(3, 4), floats(4, 5), floats(5), alpha=0.5)
    at([7, 9, 13], one, "MatMul", floats(2, 3, 4), floats(4, 5))


def windows() -> None:
    at([7, 11, 22, NEWEST], fixed, "Conv", MAP, floats(3, 4, 3, 3), floats(3), pads=[1] * 4)
    at([7, 10, 11, 19, 22], one, "AveragePool", MAP, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 1, 1, 0])
    at([10, 19, 22], one, "AveragePool", MAP, kernel_shape=[3, 2], strides=[2, 2], ceil_mode=1)
    beyond = {"kernel_shape": [9, 40], "strides": [40, 40], "ceil_mode": 1}
    at([22], one, "AveragePool", MAP, **beyond)
    at([19, 22], one, "AveragePool", MAP, kernel_shape=[2, 2], dilations=[2, 2])
    at([7, 8, 10, 11, 12, 22], one, "MaxPool", MAP, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 1, 1, 0])
    at([7, 11, 18, 22], one, "LpPool", MAP, kernel_shape=[2, 2])
    scales = np.array([1, 1, 2, 2], np.float32)
    at([10], fixed, "Resize", MAP, scales, mode="nearest")
    at([11], fixed, "Resize", MAP, np.zeros(0, np.float32), scales, mode="linear")
    at([13, 18, 19, NEWEST], fixed, "Resize", MAP, None, scales, mode="linear")
    at([18, 19], fixed, "Resize", MAP, None, None, numbers(9, 7), mode="linear", axes=[2, 3], antialias=1)
    at([7], one, "Upsample", MAP, scales=[1.0, 1.0, 2.0, 3.0])
    at([9], fixed, "Upsample", MAP, scales)


def shapes() -> None:
    pair, cube = floats(4, 5), floats(2, 3, 4)
    at([7], one, "Pad", pair, pads=[0, 1, 1, 0], value=2.0)
    at([11, 13, 18, 19, NEWEST], fixed, "Pad", pair, numbers(0, 1, 1, 0), np.float32(2))
    at([18], fixed, "Pad", pair, numbers(1, 0), np.float32(2), numbers(1))
    at([19], fixed, "Pad", pair, numbers(0, 1, 0, 2), mode="wrap")
    at([7], one, "Slice", pair, starts=[1, 0], ends=[3, -1], axes=[0, 1])
    at(
        [10, 11, 13, NEWEST],
        fixed,
        "Slice",
        pair,
        numbers(3, 0),
        numbers(0, 5),
        numbers(0, 1),
        numbers(-1, 2),
    )
    at([7], one, "Split", pair, axis=1, split=[2, 3], outputs=2)
    at([13, NEWEST], fixed, "Split", pair, numbers(2, 3), axis=1, outputs=2)
    at([18, NEWEST], fixed, "Split", pair, axis=1, num_outputs=3, outputs=3)
    for kind, data, axes in (("Squeeze", floats(1, 3, 1), [0]), ("Unsqueeze", pair, [0, 2])):
        at([7, 11], one, kind, data, axes=axes)
        at([13, 21, NEWEST], fixed, kind, data, numbers(*axes))
    at([7, 14, NEWEST], fixed, "Reshape", cube, numbers(0, -1))
    at([7, 11, 13], one, "Flatten", MAP, axis=2)
    at([7, 11, 13], fixed, "Gather", pair, numbers(1, 2), axis=1)
    at([7, 10, 12, 13, 22, NEWEST], one, "Dropout", pair)
    at([8, 13], fixed, "Expand", floats(3, 1), numbers(2, 3, 4))
    at([7, 11, 13], one, "DepthToSpace", floats(1, 8, 2, 3), blocksize=2)


def reductions() -> None:
    data = np.abs(floats(2, 3, 4))
    for kind in ("Sum", "Mean", "Max", "Min", "L1", "L2", "LogSum", "LogSumExp", "Prod", "SumSquare"):
        moved = 13 if kind == "Sum" else 18  # where the axes became an operand
        at([7, 11, moved - 1], one, f"Reduce{kind}", data, axes=[1], keepdims=0)
        at([moved, NEWEST], fixed, f"Reduce{kind}", data, numbers(1), keepdims=0)
    at([7], one, "TopK", floats(3, 9), k=3, axis=1, outputs=2)
    at([10, 11, NEWEST], fixed, "TopK", floats(3, 9), numbers(3), axis=1, outputs=2)
    at([7, 12, 13], one, "ArgMax", floats(3, 4), axis=1)
    at([8, 13], one, "Max", floats(3, 4), floats(4), floats(3, 1))
    at([7, 12, 13, 15], one, "Pow", data, floats(4))


def types() -> None:
    at([7, 9, 13, 19, NEWEST], one, "Cast", floats(5) * 9, to=7)
    at([7, 9, 11, 13, 19], one, "Equal", integers(9), integers(9))
    for opset in (10, 13, 19, 21, 23, NEWEST):
        at([opset], fixed, "QuantizeLinear", floats(2, 3) * 50, np.float32(0.5), np.uint8(3))
        at([opset], fixed, "DequantizeLinear", draw_bytes(), np.float32(0.5), np.uint8(3))
    scales, zeros = np.array([0.5, 0.2, 0.1], np.float32), np.array([3, 1, 0], np.int8)
    at([13, 19, 21], fixed, "QuantizeLinear", floats(2, 3) * 50, scales, zeros, axis=1)
    at([11], one, "DynamicQuantizeLinear", floats(3, 4), outputs=3)


def draw_bytes() -> np.ndarray:
    return integers(2, 3, low=0, dtype=np.uint8)


for group in (activations, normalizations, attention, windows, shapes, reductions, types):
    group()


def wanted(model: ModelProto, given: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """By ONNX Runtime, or ONNX's reference where that has not got that far."""
    try:
        return by_onnxruntime(model, given)
    except Exception:  # its own classes, one per reason
        return by_reference(model, given)


@pytest.mark.slow
@pytest.mark.parametrize("opset", sorted({case.opset for case in CASES}))
def test_operators_mean_what_their_opset_says(opset: int) -> None:
    assert differences([case for case in CASES if case.opset == opset], wanted=wanted) == []


@pytest.mark.parametrize("kind", [np.float16, ml_dtypes.bfloat16, np.float64], ids=lambda kind: kind.__name__)
def test_operators_are_imported_in_every_float_type(kind: type) -> None:
    typed = [case for case in (of_type(case, kind) for case in CASES) if is_allowed(case, kind)]
    assert len(typed) > 90
    for case in typed:
        import_model(model_of([case]))


def of_type(case: Single, kind: type) -> Single:
    """The case with ``kind`` in the place of float32."""

    def cast(array: np.ndarray | None, first: bool) -> np.ndarray | None:
        is_float = array is not None and array.dtype == np.float32
        return array.astype(kind) if is_float and (first or case.kind not in SCALES) else array

    inputs = {name: cast(array, name in ("x", "i0")) for name, array in case.inputs.items()}
    constants = {name: cast(array, False) for name, array in case.constants.items()}
    return replace(case, inputs=inputs, constants=constants)


def is_allowed(case: Single, kind: type) -> bool:
    """Whether the operator takes floats of this type at that opset."""
    name = {"float64": "double"}.get(np.dtype(kind).name, np.dtype(kind).name)
    formal = onnx.defs.get_schema(case.kind, case.opset, "").inputs
    operands = [*case.inputs.values(), *case.constants.values()]
    typed = [i for i, array in enumerate(operands) if array is not None and array.dtype == kind]
    written_by_others = case.kind == "GroupNormalization" and case.opset < 21 and name == "bfloat16"
    takes = all(f"tensor({name})" in formal[min(i, len(formal) - 1)].types for i in typed)
    return bool(typed) and takes and not written_by_others
