"""What the contestants solve in 8 bits: a quantized convolution or network, with the right answer.

The layer's reference is integer arithmetic: exact sums, then ONNX's QuantizeLinear of their multiples.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar, TypeAlias

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from relay_strategies.tuning.reference import reference_convolution
from tvm_directconv.errors import WorkloadError
from tvm_directconv.problem.quantized_types import RANGES, QuantizedTypes
from tvm_directconv.problem.steps import numpy_steps
from tvm_directconv.zoo.onnx_layers import inferred_shapes

from .answers import OF_LAYERS, OF_NETWORKS, within, within_units
from .exact_sums import largest_weight
from .problems import SEED, Convolution, LayerProblem, NetworkProblem

FLOAT_ROUNDING = 1e-6
SHAKEN = np.float32(1 + 1e-6)
"""Inputs times this differ from what they were by a few of float32's roundings."""
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
        return (self.data_nchw.astype(np.float32) - self.types.data_zero) * self.data_scale

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
        operands = self.data.astype(np.float64) - self.types.data_zero, self.filter.astype(np.float64)
        data, weights = (float(np.square(operand).mean()) for operand in operands)
        return (self.filter[0].size * data * weights) ** 0.5

    @cached_property
    def references(self) -> list[np.ndarray]:
        """The exact output, NHWC, of the workload's output type."""
        w = self.workload
        sums = reference_convolution(w, self.data.astype(np.int16) - self.types.data_zero, self.filter)
        sums = sums if self.bias is None else sums + self.bias
        if self.scale is None:
            return [sums.astype(np.int32)]
        values = numpy_steps(
            self.types.stored(w.epilogue, w.out_channels).steps, sums.astype(np.float32) * self.scale
        )
        if w.out_dtype == "float32":
            return [values]
        return [(np.rint(values) + self.types.out_zero).astype(w.out_dtype)]

    def judge(self, outputs: list[np.ndarray]) -> tuple[float, str]:
        if self.workload.out_dtype in RANGES:
            return within_units(OF_LAYERS, outputs, self.references)
        allowed = FLOAT_ROUNDING if self.workload.out_dtype == "float32" else 0.0
        return within(allowed, outputs, self.references)


@dataclass(frozen=True)
class QuantizedNetworkProblem(NetworkProblem):
    """A quantized ONNX network, with the 8-bit tensors that the softmaxes it ends with read as further
    outputs: the largest probability hides all others. ``original`` is the network before it was quantized."""

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
        units = units_of(self.model)
        counted = [at for at, unit in enumerate(units) if unit is not None]
        if wrong or not counted:
            return error, wrong

        def in_units(values: list[np.ndarray]) -> list[np.ndarray]:
            return [values[at] / np.float64(units[at]) for at in counted]

        answers, references = in_units(outputs), in_units(self.references)
        judged = within_units(OF_NETWORKS, answers, references)
        if judged[1] == "":
            return judged
        shaken = {
            name: value * SHAKEN if value.dtype == np.float32 else value
            for name, value in self.inputs.items()
        }
        allowed = OF_NETWORKS.widened(in_units(self.reference_of(shaken)), references)
        return within_units(allowed, answers, references)


Problem: TypeAlias = LayerProblem | QuantizedLayerProblem | NetworkProblem
"""What a contestant solves: it has ``references``, the right outputs in the layout that contestants answer
in, and ``judge`` returns (``relative_error`` of outputs, what is wrong with them: empty if nothing)."""

SAME_NUMBERS = ("Reshape", "Flatten")
SOFTMAXES = ("Softmax", "LogSoftmax", "QLinearSoftmax")


def with_last_bytes(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model with further outputs: the 8-bit tensors that the softmaxes it ends with read."""
    producer = _producers(model)
    known = {value.name: value for value in inferred_shapes(model).value_info}
    result = onnx.ModelProto()
    result.CopyFrom(model)
    for output in model.graph.output:
        name, ends, found = output.name, False, ""
        passed = (*SAME_NUMBERS, *SOFTMAXES, "QuantizeLinear", "DequantizeLinear")
        while name in producer and producer[name].op_type in passed:
            node = producer[name]
            ends |= node.op_type in SOFTMAXES
            if node.op_type in ("DequantizeLinear", "QLinearSoftmax"):
                found = node.input[0]
            name = node.input[0]
        if ends and found in producer and found not in {shown.name for shown in result.graph.output}:
            unknown = helper.make_tensor_value_info(found, TensorProto.UINT8, None)
            result.graph.output.append(known.get(found, unknown))
    return result


def units_of(model: onnx.ModelProto) -> list[float | None]:
    """What a unit of 8 bits is of each output: 1 of 8-bit tensors, the scale of their values, or None."""
    producer = _producers(model)
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    units: list[float | None] = []
    for output in model.graph.output:
        name = output.name
        while name in producer and producer[name].op_type in SAME_NUMBERS:
            name = producer[name].input[0]
        node = producer.get(name)
        if output.type.tensor_type.elem_type in (TensorProto.UINT8, TensorProto.INT8):
            units.append(1.0)
        elif node is not None and node.op_type == "DequantizeLinear" and node.input[1] in constants:
            scale = numpy_helper.to_array(constants[node.input[1]])
            units.append(float(scale.item()) if scale.size == 1 else None)
        else:
            units.append(None)
    return units


def _producers(model: onnx.ModelProto) -> dict[str, onnx.NodeProto]:
    return {name: node for node in model.graph.node for name in node.output}
