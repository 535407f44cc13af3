"""Workloads of composites of 8-bit tensors (FuseQuantized), and the constants of their kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from intrinsics.epilogue import Clip, Residual, Round, Scale, Shift, Step, parse_step
from relay_strategies.relax.composite import Composite
from relay_strategies.relax.epilogue_steps import steps_of
from relay_strategies.relax.filters import convolution_in
from relay_strategies.relax.graph import constant, dtype_of
from tvm_directconv.algorithms.base import Conv2dImplementation
from tvm_directconv.problem.quantized_types import RANGES, QuantizedTypes, filter_range
from tvm_directconv.problem.taps import with_scales
from tvm_directconv.problem.workload import Epilogue


def quantized_options(layer: Composite) -> dict[str, Any]:
    """The workload's dtype, epilogue and types."""
    attributes = layer.attributes
    out_dtype = str(attributes["out_dtype"])
    steps = steps_of(attributes)
    if out_dtype in RANGES:
        steps = _in_units(steps, np.float32(attributes["out_scale"]))
    if adds(layer):
        steps = *steps, *_sum_steps(attributes)
    filter_dtype, largest = filter_range(_less_zero(layer))
    return {
        "dtype": dtype_of(layer.arguments[0]),
        "quantized": QuantizedTypes(
            out_dtype,
            int(attributes["data_zero"]),
            int(attributes["sum_zero"] if adds(layer) else attributes.get("out_zero", 0)),
            filter_dtype,
            largest,
        ),
        "epilogue": Epilogue(bias=_bias(layer) is not None, steps=steps),
    }


def adds(layer: Composite) -> bool:
    """Return whether its last argument is a tensor that is added to the result."""
    return "sum_scale" in layer.attributes


def _bias(layer: Composite) -> np.ndarray | None:
    arguments = layer.arguments[2 : len(layer.arguments) - adds(layer)]
    return constant(arguments[0]) if arguments else None


def _sum_steps(attributes: Mapping[str, Any]) -> tuple[Step, ...]:
    """Return the steps from a result in its own units to the sum in the sum's, by those of the addend."""
    own, added, out = (np.float32(attributes[f"{name}_scale"]) for name in ("out", "added", "sum"))
    least, most = (float(bound - attributes["out_zero"]) for bound in RANGES[str(attributes["out_dtype"])])
    steps = tuple(parse_step(str(text)) for text in attributes["sum_steps"])
    clips = all(isinstance(step, Clip) for step in steps)
    return (
        Clip(least, most),
        Round(),
        *_scaled(own / added),
        Residual(),
        *([Shift(-float(attributes["added_zero"]))] if attributes["added_zero"] else []),
        *_scaled(added / out if clips else added),
        *_in_units(steps, out),
    )


def _scaled(factor: np.float32) -> list[Step]:
    return [] if factor == 1 else [Scale(float(factor))]


def _in_units(steps: Sequence[Step], scale: np.float32) -> tuple[Step, ...]:
    """Steps of real numbers whose result is in the output's units. Clips alone are clips in these units, one
    before rounding one of whole units after it; others are of real numbers, which are then scaled."""
    if not all(isinstance(step, Clip) for step in steps):
        return *steps, Scale(float(np.float32(1) / scale))
    bounds = (step.constants for step in steps)
    return tuple(Clip(*(float(np.rint(np.float32(b) / scale)) for b in both)) for both in bounds)


def quantized_operands(layer: Composite, chosen: Conv2dImplementation) -> list[np.ndarray]:
    """Packed filter, bias table, and unless sums are stored, scales; these are in the table where a residual
    takes their place."""
    assert chosen.bias_table is not None
    weights = _less_zero(layer).reshape(chosen.workload.filter_shape)
    operands = [chosen.pack(weights), chosen.bias_table(weights, _bias(layer))]
    if adds(layer):
        operands[1] = with_scales(operands[1], _scales(layer, chosen.workload.out_channels))
    elif chosen.workload.out_dtype != "int32":
        operands.append(_scales(layer, chosen.workload.out_channels))
    return operands


def _scales(layer: Composite, channels: int) -> np.ndarray:
    """Return the scale from the sums to the unit that the epilogue's steps want: the output's, or a real
    number; float32 products, as ONNX Runtime takes them."""
    attributes = layer.attributes
    of_filter = np.array([float(scale) for scale in attributes["weight_scale"]], np.float32)
    scales = np.float32(attributes["data_scale"]) * of_filter
    if "out_scale" in attributes and all(isinstance(step, Clip) for step in steps_of(attributes)):
        scales = scales / np.float32(attributes["out_scale"])
    return np.ascontiguousarray(np.broadcast_to(scales, [channels]))


def _less_zero(layer: Composite) -> np.ndarray:
    """The filter with its zero point taken off."""
    weights = constant(layer.arguments[1])
    assert weights is not None
    zero = np.array([int(zero) for zero in layer.attributes["weight_zero"]], np.int16)
    if "transposed" in layer.attributes:
        axis = 0 if layer.attributes["transposed"] else 1
    else:
        axis = str(convolution_in(layer.function).attrs.kernel_layout).index("O")
    shape = [-1 if at == axis else 1 for at in range(weights.ndim)]
    return weights.astype(np.int16) - zero.reshape(shape)
