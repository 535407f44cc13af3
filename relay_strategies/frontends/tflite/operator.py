"""One operator of a TensorFlow Lite file, as converters see it."""

from __future__ import annotations

from typing import Any

import numpy as np
import tflite  # type: ignore[import-untyped, unused-ignore]
from tvm import relax

from relay_strategies.functional.builder import Builder


class Operator(Builder):
    """One operator of a file, while the file becomes Relax.

    ``converter`` is TVM's, which knows tensors and what is computed so far; ``source`` is the operator in it.
    """

    def __init__(self, converter: Any, source: Any) -> None:
        self.converter, self.source, self.builder = converter, source, converter.bb
        self.kind = str(converter.get_op_code_str(source))

    @property
    def inputs(self) -> list[Any]:
        return list(self.converter.get_input_tensors(self.source))

    @property
    def outputs(self) -> list[Any]:
        return list(self.converter.get_output_tensors(self.source))

    @property
    def is_quantized(self) -> bool:
        return bool(self.converter.is_quantized(self.source))

    def options(self, table: str) -> Any:
        """The operator's options, None where it has none."""
        given, options = self.source.BuiltinOptions(), getattr(tflite, table)()
        if given is None:
            return None
        options.Init(given.Bytes, given.Pos)
        return options

    def by_tvm(self, name: str) -> relax.Expr:
        """Convert the operator by TVM's own converter."""
        return getattr(self.converter, f"convert_{name}")(self.source)

    def expr(self, tensor: Any) -> relax.Expr:
        """A tensor as it is stored."""
        return self.converter.get_tensor_expr(tensor)

    def value(self, tensor: Any) -> np.ndarray:
        """The elements of a constant tensor."""
        return np.asarray(self.converter.get_tensor_value(tensor))

    def is_size(self, tensor: Any) -> bool:
        """Return whether it was computed of shapes."""
        return tensor.tensor_idx in self.converter.sizes

    def is_stored(self, tensor: Any) -> bool:
        """Return whether a tensor's elements are in the file."""
        return tensor.tensor_idx >= 0 and bool(tensor.buffer.DataLength())

    def is_computed(self, tensor: Any) -> bool:
        return bool(self.converter.has_expr(tensor.tensor_idx))

    def numbers(self, tensor: Any) -> relax.Expr:
        """A tensor as floats, also where integers stand for them."""
        stored = self.expr(tensor)
        return stored if tensor.qnn_params is None else self.converter.dequantize(stored, tensor)

    def stored(self, numbers: relax.Expr, tensor: Any) -> relax.Expr:
        """Floats as a tensor has them."""
        return numbers if tensor.qnn_params is None else self.converter.quantize(numbers, tensor)

    def dtype(self, tensor: Any) -> str:
        return str(self.converter.get_tensor_type_str(tensor.tensor.Type()))

    def shape_of(self, value: relax.Expr) -> tuple[int, ...]:
        return super().shape_of(self.builder.normalize(value))

    @property
    def label(self) -> str:
        return self.kind
