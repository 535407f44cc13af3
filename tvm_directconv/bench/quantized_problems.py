"""What the contestants solve in 8 bits: a quantized convolution or network, with the right answer.

The layer's reference is integer arithmetic: exact sums, then ONNX's QuantizeLinear of their multiples.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
import onnx
from onnx import TensorProto, helper

from tvm_directconv.errors import WorkloadError
from tvm_directconv.problem.quantization import RANGES, QuantizedTypes
from tvm_directconv.problem.steps import numpy_steps
from tvm_directconv.zoo.onnx_layers import inferred_shapes

from .answers import OF_LAYERS, OF_NETWORKS, reference_convolution, within, within_units
from .exact_sums import largest_weight
from .problems import SEED, Convolution, NetworkProblem

FLOAT_ROUNDING = 1e-6
GROSS = 0.5
"""Floats computed from 8-bit tensors may be this far off, relative to the largest: a softmax can magnify a
unit to nearly that."""


@dataclass(frozen=True)
class QuantizedLayerProblem(Convolution):
    """One 8-bit convolution; ``data`` NHWC and ``filter`` OIHW fill their ranges evenly, filters have zero
    point 0 and a scale per channel, and ``out_scale`` lets outputs fill most of theirs."""

    quantized: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.types.filter_dtype not in RANGES:
            raise WorkloadError(f"'{self.workload}': only int8 and uint8 filters are compared")
        if self.workload.epilogue.residual:
            raise WorkloadError(f"'{self.workload}': peers are compared without a residual")

    @property
    def types(self) -> QuantizedTypes:
        assert self.workload.quantized is not None
        return self.workload.quantized

    @property
    def data_zero(self) -> int:
        return self.types.data_zero

    @property
    def out_zero(self) -> int:
        return self.types.out_zero

    @property
    def largest_weight(self) -> int:
        """The magnitude that no element of the filter exceeds."""
        return self.types.largest_weight

    @cached_property
    def data(self) -> np.ndarray:
        low, high = RANGES[self.workload.dtype]
        drawn = np.random.default_rng(SEED).integers(low, high + 1, self.data_shape)
        return drawn.astype(self.workload.dtype)

    @property
    def real_data_nchw(self) -> np.ndarray:
        """The float32 numbers that ``data_nchw`` stands for, NCHW."""
        return (self.data_nchw.astype(np.float32) - self.data_zero) * self.data_scale

    @cached_property
    def filter(self) -> np.ndarray:
        q = self.types
        low, high = RANGES[q.filter_dtype]
        low, high = max(low, -q.largest_weight), min(high, q.largest_weight) if low else high
        drawn = np.random.default_rng(SEED + 1).integers(low, high + 1, self.filter_shape)
        return drawn.astype(q.filter_dtype)

    @cached_property
    def bias(self) -> np.ndarray | None:
        """The bias, int32 (OC,), of the size of the sums."""
        if not self.workload.epilogue.bias:
            return None
        drawn = np.random.default_rng(SEED + 2).standard_normal(self.workload.out_channels)
        return np.rint(drawn * self._deviation / 4).astype(np.int32)

    @property
    def data_scale(self) -> np.float32:
        return np.float32(1 / 64)

    @cached_property
    def filter_scales(self) -> np.ndarray:
        """The scales of the filter's channels, float32 (OC,)."""
        drawn = np.random.default_rng(SEED + 3).uniform(0.5, 1.0, self.workload.out_channels)
        return (drawn / 128).astype(np.float32)

    @property
    def out_scale(self) -> np.float32:
        """The scale by which three deviations of the sums are half of the output's range."""
        unit = float(self.data_scale) * float(self.filter_scales.mean())
        return np.float32(3 * self._deviation * unit / 128)

    @cached_property
    def scale(self) -> np.ndarray | None:
        """The output's units (of floats: what they are) per unit of the sums, float32 (OC,)."""
        if self.workload.out_dtype == "int32":
            return None
        product = self.data_scale * self.filter_scales
        return product if self.workload.out_dtype == "float32" else product / self.out_scale

    @cached_property
    def _deviation(self) -> float:
        """The deviation of the sums, were operands independent."""
        operands = self.data.astype(np.float64) - self.data_zero, self.filter.astype(np.float64)
        data, weights = (float(np.square(operand).mean()) for operand in operands)
        return (self.filter[0].size * data * weights) ** 0.5

    @cached_property
    def references(self) -> list[np.ndarray]:
        """The exact output, NHWC, of the workload's output type."""
        w = self.workload
        sums = reference_convolution(w, self.data.astype(np.int16) - self.data_zero, self.filter)
        sums = sums if self.bias is None else sums + self.bias
        if self.scale is None:
            return [sums.astype(np.int32)]
        values = numpy_steps(
            self.types.stored(w.epilogue, w.out_channels).steps, sums.astype(np.float32) * self.scale
        )
        if w.out_dtype == "float32":
            return [values]
        return [(np.rint(values) + self.out_zero).astype(w.out_dtype)]

    def judge(self, outputs: list[np.ndarray]) -> tuple[float, str]:
        if self.workload.out_dtype in RANGES:
            return within_units(OF_LAYERS, outputs, self.references)
        allowed = FLOAT_ROUNDING if self.workload.out_dtype == "float32" else 0.0
        return within(allowed, outputs, self.references)


@dataclass(frozen=True)
class QuantizedNetworkProblem(NetworkProblem):
    """A quantized ONNX network, with its last 8-bit tensor as another output: the largest probability of a
    softmax hides all others. ``original`` is the network before it was quantized."""

    original: NetworkProblem | None = None

    quantized: ClassVar[bool] = True

    @cached_property
    def largest_weight(self) -> int:
        """The largest magnitude of its int8 filters."""
        return largest_weight(self.model)

    def stored(self, folder: Path, name: str = "network.onnx") -> QuantizedNetworkProblem:
        kept = super().stored(folder, name)
        original = self.original and self.original.stored(folder, f"original_{name}")
        return replace(kept, original=original)

    def judge(self, outputs: list[np.ndarray]) -> tuple[float, str]:
        error, wrong = within(GROSS, outputs, self.references)
        of_bytes = [at for at, value in enumerate(self.references) if str(value.dtype) in RANGES]
        if wrong or not of_bytes:
            return error, wrong
        shown = [[values[at] for at in of_bytes] for values in (outputs, self.references)]
        return within_units(OF_NETWORKS, *shown)


def with_last_bytes(model: onnx.ModelProto, before: str = "Softmax") -> onnx.ModelProto:
    """Return the model with another output: the 8-bit tensor, if any, that its last ``before`` reads."""
    producer = {name: node for node in model.graph.node for name in node.output}
    last = [node for node in model.graph.node if node.op_type in (before, f"QLinear{before}")][-1:]
    if not last:
        return model
    name = last[0].input[0]
    while name in producer and producer[name].op_type in ("Reshape", "Flatten"):
        name = producer[name].input[0]
    if name in producer and producer[name].op_type == "DequantizeLinear":
        name = producer[name].input[0]
    elif last[0].op_type == before:
        return model
    known = [value for value in inferred_shapes(model).value_info if value.name == name]
    result = onnx.ModelProto()
    result.CopyFrom(model)
    result.graph.output.extend(known or [helper.make_tensor_value_info(name, TensorProto.UINT8, None)])
    return result
