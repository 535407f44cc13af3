"""TVM's converter of TensorFlow Lite's operators, with what it refuses or gets wrong in its place.

A class of TVM's has to be imported to be derived from, and with it the ``tflite`` package, which is an extra:
``converter_class`` does so when a model is converted.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from tvm import relax

WEIGHTED = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")
"""Their second operand is a weight."""


@cache
def converter_class() -> type:
    """What ``from_tflite`` takes as ``op_converter``."""
    from tvm.relax.frontend.tflite.tflite_frontend import OperatorConverter, get_tensor_name

    class Converter(OperatorConverter):
        """Weights in 8 bits between float tensors ("dynamic range quantization") become floats: TFLite
        quantizes the data beside them as it runs, for speed; without that the numbers are more exact.

        Averages of integers are quantized averages of the numbers; TVM's are integer divisions.
        """

        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            self._floats: set[int] = set()

        def check_unsupported_ops(self) -> None:
            for index in range(self.subgraph.OperatorsLength()):
                op = self.subgraph.Operators(index)
                if self.get_op_code_str(op) in WEIGHTED:
                    data, weight, *_ = self.get_input_tensors(op)
                    if data.qnn_params is None and weight.qnn_params is not None:
                        self._make_floats(weight)
            super().check_unsupported_ops()

        def get_tensors(self, tensors_idx_list: Any) -> list[Any]:
            tensors: list[Any] = super().get_tensors(tensors_idx_list)
            for tensor in tensors:
                if tensor.tensor_idx in self._floats:
                    tensor.qnn_params = None
            return tensors

        def convert_pool2d(self, op: Any, pool_type: str) -> relax.Expr:
            (data,), (result,) = self.get_input_tensors(op), self.get_output_tensors(op)
            if data.qnn_params is None or pool_type != "average":
                return super().convert_pool2d(op, pool_type)
            integers, name = self.get_tensor_expr(data), get_tensor_name(self.subgraph, data.tensor_idx)
            numbers = {data.tensor_idx, result.tensor_idx}
            self._floats |= numbers
            self.exp_tab.set_expr(name, self.bb.emit(self.dequantize(integers, data)), force_override=True)
            averages = self.bb.emit(super().convert_pool2d(op, pool_type))
            self.exp_tab.set_expr(name, integers, force_override=True)
            self._floats -= numbers
            return self.quantize(averages, result)

        def convert_dequantize(self, op: Any) -> relax.Expr:
            dense = _dense(self, op)
            return super().convert_dequantize(op) if dense is None else dense

        def convert_expand_dims(self, op: Any) -> relax.Expr:
            return _expanded(self, op)

        def _make_floats(self, weight: Any) -> None:
            """Let operators see a stored weight as the numbers that it stands for."""
            numbers = _numbers(self.get_tensor_value(weight), weight.qnn_params)
            name = get_tensor_name(self.subgraph, weight.tensor_idx)
            self.exp_tab.set_expr(name, relax.const(numbers), force_override=True)
            self._floats.add(weight.tensor_idx)

    return Converter


def _dense(converter: Any, op: Any) -> relax.Expr | None:
    """Sparse weights of 16 bits, which the operator before made dense; TVM's looks for the file's."""
    (data,) = converter.get_input_tensors(op)
    if not converter.is_prefetched(data.tensor_idx):
        return None
    dense = relax.const(np.asarray(converter.get_prefetched_node(data.tensor_idx)))
    is_float = data.qnn_params is None
    return relax.op.astype(dense, "float32") if is_float else converter.dequantize(dense, data)


def _expanded(converter: Any, op: Any) -> relax.Expr:
    """TVM's gives Relax's operator an argument too many."""
    (data, axis), (result,) = converter.get_input_tensors(op), converter.get_output_tensors(op)
    assert not data.qnn_params or converter.has_same_qnn_params(data, result)
    (place,) = converter.get_tensor_value(axis).reshape(-1)
    return relax.op.expand_dims(converter.get_tensor_expr(data), int(place))


def _numbers(stored: np.ndarray, quantized: Mapping[str, Any]) -> np.ndarray:
    """What integers stand for, quantized whole or along an axis."""
    scale, zero = (quantized[part].value.numpy() for part in ("scale", "zero_point"))
    shape = [1] * stored.ndim
    if scale.size > 1:
        shape[quantized["axis"]] = -1
    return (stored.astype(np.int32) - zero).astype(np.float32) * scale.reshape(shape)
