"""A converter of TensorFlow Lite's operators: TVM's, with replacements for what it refuses or gets wrong.

A class of TVM's has to be imported to be derived from, and with it the ``tflite`` package, which is an extra:
``converter_class`` does so when a model is converted.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import tvm
from tvm import relax

from relay_strategies.relax.graph import extents_of

WEIGHTED = {"CONV_2D": 0, "DEPTHWISE_CONV_2D": 0, "FULLY_CONNECTED": 0, "TRANSPOSE_CONV": 2}
"""The data operand's index of operators whose second operand is a weight."""


KNOWN_TO_TVM = {"TFLite_Detection_PostProcess": "DETECTION_POSTPROCESS"}
"""Operators of other libraries that TVM's importer converts, and its names of them."""
BUILTIN_CODE = 10
"""The place of an operator's code in its table."""


@cache
def converter_class() -> type:
    """What ``from_tflite`` takes as ``op_converter``."""
    from tvm.relax.frontend.tflite.tflite_frontend import OperatorConverter, get_tensor_name

    from .operator import Operator
    from .operators import CUSTOM, MOVES, refuse_requantized, with_converters

    class Converter(_Named, _OpenShapes, OperatorConverter):
        """Weights in 8 bits between float tensors ("dynamic range quantization") become floats: TFLite
        quantizes the data beside them as it runs, for speed; without that the numbers are more exact.

        Averages of integers are quantized averages of the numbers; TVM's are integer divisions. What else
        is not TVM's is in operators.py.
        """

        _SUPPORTED_QUANTIZED_OPS = OperatorConverter._SUPPORTED_QUANTIZED_OPS | MOVES | {"PRELU", *CUSTOM}

        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            self._floats: set[int] = set()
            self.convert_map = with_converters(vars(self)["convert_map"], self)

        def check_unsupported_ops(self) -> None:
            for index in range(self.subgraph.OperatorsLength()):
                op = self.subgraph.Operators(index)
                self._floats |= _made_floats(self, op)
                refuse_requantized(Operator(self, op))
            super().check_unsupported_ops()

        def get_tensors(self, tensors_idx_list: Any) -> list[Any]:
            tensors: list[Any] = super().get_tensors(tensors_idx_list)
            for tensor in tensors:
                if tensor.tensor_idx in self._floats:
                    tensor.qnn_params = None
                if stored_behind(tensor.buffer):
                    tensor.buffer = _Behind(tensor.buffer)
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

    return Converter


def _builtin_code(code: Any) -> int:
    """An operator's code, which files may have in a field of 32 bits alone; of small ones the reader then
    finds nothing, which is an addition's."""
    from flatbuffers.number_types import Int32Flags

    place = code._tab.Offset(BUILTIN_CODE)
    wide = code._tab.Get(Int32Flags, place + code._tab.Pos) if place else 0
    return max(int(code.DeprecatedBuiltinCode()), int(wide))


def stored_behind(buffer: Any) -> int:
    """Return the bytes of a buffer that stands behind the file's flatbuffer, as files have it that may be
    large; 0 for one that does not."""
    where = getattr(buffer, "Offset", None)
    return int(buffer.Size()) if where is not None and where() > 1 else 0


class _Behind:
    """A buffer behind the flatbuffer, read as others are."""

    def __init__(self, buffer: Any) -> None:
        self._bytes = np.frombuffer(buffer._tab.Bytes, np.uint8, buffer.Size(), buffer.Offset())

    def DataLength(self) -> int:
        return len(self._bytes)

    def DataAsNumpy(self) -> np.ndarray:
        return self._bytes


class _Named:
    """Operators by their names."""

    model: Any
    builtin_op_code: Mapping[int, str]

    def get_op_code_str(self, op: Any) -> str:
        """Return an operator's name; TVM's says of those of other libraries only that there are some."""
        import tflite  # type: ignore[import-untyped, unused-ignore]

        code = self.model.OperatorCodes(op.OpcodeIndex())
        number = _builtin_code(code)
        if number != tflite.BuiltinOperator.CUSTOM:
            return str(self.builtin_op_code.get(number, f"operator {number}"))
        name = str((code.CustomCode() or b"").decode("utf-8", "replace"))
        return KNOWN_TO_TVM.get(name, name)


class _OpenShapes:
    """Shapes of tensors as they are computed, where the file's own are not those that are converted."""

    def __init__(self, *arguments: Any, leaves_open: bool = False, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.leaves_open = leaves_open
        self.sizes: dict[int, np.ndarray] = {}
        """Shapes, and what is computed of them, by their tensors."""

    def get_tensor_shape(self, tensor_wrapper: Any) -> Any:
        given: Any = super()
        if not self.leaves_open or tensor_wrapper.buffer.DataLength():
            return given.get_tensor_shape(tensor_wrapper)
        if not given.has_expr(tensor_wrapper.tensor_idx):
            raise tvm.error.OpNotImplemented("The shape of a result is not known before it is computed")
        return extents_of(vars(self)["bb"].normalize(given.get_tensor_expr(tensor_wrapper)))

    def _get_relax_tensor_shape(self, tensor: Any) -> Any:
        if self.leaves_open:
            raise tvm.error.OpNotImplemented("The file does not know shapes of open dimensions")
        given: Any = super()
        return given._get_relax_tensor_shape(tensor)

    def get_tensor_value(self, tensor_wrapper: Any, is_sparse: bool = False) -> np.ndarray:
        given: Any = super()
        known = self.sizes.get(tensor_wrapper.tensor_idx)
        return np.asarray(given.get_tensor_value(tensor_wrapper, is_sparse) if known is None else known)


def _made_floats(converter: Any, op: Any) -> set[int]:
    """The stored weight of a layer whose data are floats, which operators then see as the numbers that it
    stands for."""
    from tvm.relax.frontend.tflite.tflite_frontend import get_tensor_name

    name = converter.get_op_code_str(op)
    if name not in WEIGHTED:
        return set()
    tensors = converter.get_input_tensors(op)
    data, weight = tensors[WEIGHTED[name]], tensors[1]
    if data.qnn_params is not None or weight.qnn_params is None:
        return set()
    numbers = relax.const(_numbers(converter.get_tensor_value(weight), weight.qnn_params))
    name = get_tensor_name(converter.subgraph, weight.tensor_idx)
    converter.exp_tab.set_expr(name, numbers, force_override=True)
    return {weight.tensor_idx}


def _dense(converter: Any, op: Any) -> relax.Expr | None:
    """Sparse weights of 16 bits, which the operator before made dense, where TVM's looks for the file's; and
    constants in 8 bits, where it looks for what is computed."""
    (data,) = converter.get_input_tensors(op)
    if not converter.is_prefetched(data.tensor_idx):
        stored = data.qnn_params is not None and not converter.has_expr(data.tensor_idx)
        return converter.dequantize(converter.get_tensor_expr(data), data) if stored else None
    dense = relax.const(np.asarray(converter.get_prefetched_node(data.tensor_idx)))
    is_float = data.qnn_params is None
    return relax.op.astype(dense, "float32") if is_float else converter.dequantize(dense, data)


def _numbers(stored: np.ndarray, quantized: Mapping[str, Any]) -> np.ndarray:
    """What integers stand for, quantized whole or along an axis."""
    scale, zero = (quantized[part].value.numpy() for part in ("scale", "zero_point"))
    shape = [1] * stored.ndim
    if scale.size > 1:
        shape[quantized["axis"]] = -1
    return (stored.astype(np.int32) - zero).astype(np.float32) * scale.reshape(shape)
