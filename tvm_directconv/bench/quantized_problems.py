"""What the contestants solve in 8 bits: a quantized convolution or network, with the right answer.

The layer's reference is integer arithmetic: exact sums, then ONNX's QuantizeLinear of their multiples. Only
there, where rounding of the requantized value is free, answers may differ, by one unit. A network passes such
units on to its later layers, where they count as one or two, rarely.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

from ..errors import WorkloadError
from ..quantization import RANGES
from ..workload import Conv2dWorkload
from .problems import NetworkProblem, Problem, reference_convolution, relative_error, within

COMMON_UNITS, MOST_UNITS, COMMON_SHARE = 1, 2, 0.99
"""An 8-bit answer is right when this share of it is off by at most ``COMMON_UNITS``, and none by more than
``MOST_UNITS``."""
FLOAT_ROUNDING = 1e-6
GROSS = 0.5
"""What floats computed from such tensors may be off, relative to the largest: a softmax can magnify a unit to
nearly that."""


@dataclass(frozen=True)
class QuantizedLayerProblem(Problem):
    """One 8-bit convolution; ``data`` NHWC and ``filter`` OIHW fill their ranges evenly, filters have zero
    point 0 and a scale per channel, and ``out_scale`` lets outputs fill most of theirs."""

    workload: Conv2dWorkload
    models: Mapping[str, int] = field(default_factory=dict)
    seed: int = 0

    quantized = True

    def __post_init__(self) -> None:
        q = self.workload.quantized
        assert q is not None
        if q.filter_dtype not in RANGES:
            raise WorkloadError(f"'{self.workload}': only int8 and uint8 filters are compared")

    @property
    def name(self) -> str:  # type: ignore[override]
        return str(self.workload)

    @property
    def flops(self) -> int:  # type: ignore[override]
        """Operations: multiplications and additions."""
        return self.workload.flops

    @property
    def data_zero(self) -> int:
        assert self.workload.quantized is not None
        return self.workload.quantized.data_zero

    @property
    def out_zero(self) -> int:
        assert self.workload.quantized is not None
        return self.workload.quantized.out_zero

    @cached_property
    def data(self) -> np.ndarray:
        w = self.workload
        low, high = RANGES[w.dtype]
        shape = (w.batch, w.height, w.width, w.in_channels)
        return np.random.default_rng(self.seed).integers(low, high + 1, shape).astype(w.dtype)

    @cached_property
    def data_nchw(self) -> np.ndarray:
        return np.ascontiguousarray(self.data.transpose(0, 3, 1, 2))

    @cached_property
    def filter(self) -> np.ndarray:
        w, q = self.workload, self.workload.quantized
        assert q is not None
        low, high = RANGES[q.filter_dtype]
        low, high = max(low, -q.largest_weight), min(high, q.largest_weight) if low else high
        shape = (w.out_channels, w.in_channels // w.groups, *w.kernel)
        return np.random.default_rng(self.seed + 1).integers(low, high + 1, shape).astype(q.filter_dtype)

    @cached_property
    def bias(self) -> np.ndarray | None:
        """int32 (OC,), of the size of the sums."""
        if not self.workload.epilogue.bias:
            return None
        drawn = np.random.default_rng(self.seed + 2).standard_normal(self.workload.out_channels)
        return np.rint(drawn * self._deviation / 4).astype(np.int32)

    @property
    def data_scale(self) -> np.float32:
        return np.float32(1 / 64)

    @cached_property
    def filter_scales(self) -> np.ndarray:
        """float32 (OC,)."""
        drawn = np.random.default_rng(self.seed + 3).uniform(0.5, 1.0, self.workload.out_channels)
        return (drawn / 128).astype(np.float32)

    @property
    def out_scale(self) -> np.float32:
        """Three deviations of the sums are half of the output's range."""
        return np.float32(3 * self._deviation / 128 * float(self.data_scale) / 128)

    @cached_property
    def scale(self) -> np.ndarray | None:
        """float32 (OC,): the output's units (floats: as they are) per unit of the sums."""
        if self.workload.out_dtype == "int32":
            return None
        product = self.data_scale * self.filter_scales
        return product if self.workload.out_dtype == "float32" else product / self.out_scale

    @cached_property
    def _deviation(self) -> float:
        """Of the sums, were operands independent."""
        data = self.data.astype(np.float64) - self.data_zero
        taps = self.filter[0].size
        return float(
            np.sqrt(taps * np.square(data).mean() * np.square(self.filter.astype(np.float64)).mean())
        )

    @cached_property
    def references(self) -> list[np.ndarray]:
        """The exact output, NHWC, of the workload's output type."""
        w, q = self.workload, self.workload.quantized
        assert q is not None
        sums = reference_convolution(w, self.data.astype(np.int16) - self.data_zero, self.filter)
        sums = sums if self.bias is None else sums + self.bias
        if self.scale is None:
            return [sums.astype(np.int32)]
        low, high = q.stored_bounds(w.epilogue.low, w.epilogue.high)
        values = np.clip(sums.astype(np.float32) * self.scale, low, high)
        if w.out_dtype == "float32":
            return [values]
        return [(np.rint(values) + q.out_zero).astype(w.out_dtype)]

    def judge(self, outputs: list[np.ndarray]) -> tuple[float, str]:
        if self.workload.out_dtype in RANGES:
            wrong = units_wrong(outputs, self.references, most=COMMON_UNITS)
            return relative_error(outputs, self.references), wrong
        allowed = FLOAT_ROUNDING if self.workload.out_dtype == "float32" else 0.0
        return within(allowed, outputs, self.references)

    def as_qlinear(self, nhwc: bool = False) -> onnx.ModelProto:
        """The layer as one QLinearConv node, NCHW, or NHWC in ONNX Runtime's own form: ``data`` to
        ``output``."""
        names = ["data", *_X, "filter", *_W, *_Y]
        node = helper.make_node(
            "QLinearConv",
            names if self.bias is None else [*names, "bias"],
            ["output"],
            domain="com.microsoft" if nhwc else "",
            **self._attributes,
            **({"channels_last": 1} if nhwc else {}),
        )
        return self._model([node], nhwc, ("com.microsoft",) if nhwc else ())

    def as_qdq(self, from_float: bool = False, sibling: bool = False) -> onnx.ModelProto:
        """The layer in QDQ form: ``data`` to ``output``, NCHW; the Conv node's name is ``layer``.

        ``from_float`` quantizes a float input. ``sibling`` adds an unstrided 1x1 convolution of the same
        input, as strided ones have in residual networks.
        """
        nodes = [helper.make_node("QuantizeLinear", ["data", *_X], ["quantized"])] if from_float else []
        data = "quantized" if from_float else "data"
        nodes += [
            helper.make_node("DequantizeLinear", [data, *_X], ["real"]),
            helper.make_node("DequantizeLinear", ["filter", *_W], ["real_filter"], axis=0),
        ]
        operands = ["real", "real_filter"]
        if self.bias is not None:
            operands.append("real_bias")
            nodes.append(helper.make_node("DequantizeLinear", ["bias", *_B], ["real_bias"], axis=0))
        nodes.append(helper.make_node("Conv", operands, ["sums"], name="layer", **self._attributes))
        nodes.append(helper.make_node("QuantizeLinear", ["sums", *_Y], ["output"]))
        if sibling:
            nodes += [
                helper.make_node("DequantizeLinear", ["beside", *_W1], ["real_beside"]),
                helper.make_node("Conv", ["real", "real_beside"], ["sums_beside"], name="sibling"),
                helper.make_node("QuantizeLinear", ["sums_beside", *_Y], ["output_beside"]),
            ]
        return self._model(nodes, from_float=from_float)

    @property
    def real_data_nchw(self) -> np.ndarray:
        """What ``data_nchw`` stands for, float32: the input of ``as_qdq(from_float=True)``."""
        return (self.data_nchw.astype(np.float32) - self.data_zero) * self.data_scale

    @property
    def _attributes(self) -> dict[str, object]:
        w = self.workload
        return {
            "kernel_shape": w.kernel,
            "strides": w.strides,
            "pads": w.padding,
            "dilations": w.dilation,
            "group": w.groups,
        }

    def _model(
        self,
        nodes: list[NodeProto],
        nhwc: bool = False,
        domains: tuple[str, ...] = (),
        from_float: bool = False,
    ) -> onnx.ModelProto:
        w = self.workload
        channels = w.out_channels
        constants = {
            "filter": self.filter,
            "bias": self.bias,
            **dict(zip(_X, (self.data_scale, np.dtype(w.dtype).type(self.data_zero)), strict=True)),
            **dict(zip(_W, (self.filter_scales, np.zeros(channels, self.filter.dtype)), strict=True)),
            **dict(zip(_Y, (self.out_scale, np.dtype(w.out_dtype).type(self.out_zero)), strict=True)),
            **dict(
                zip(_B, (self.data_scale * self.filter_scales, np.zeros(channels, np.int32)), strict=True)
            ),
            "beside": np.ones((16, w.in_channels, 1, 1), self.filter.dtype),
            **dict(zip(_W1, (self.filter_scales[0], self.filter.dtype.type(0)), strict=True)),
        }
        used = {name for node in nodes for name in node.input}
        image = (w.batch, w.out_channels, w.out_height, w.out_width)
        data = self.data if nhwc else self.data_nchw
        shape = (image[0], image[2], image[3], image[1]) if nhwc else image
        kinds = {name: helper.np_dtype_to_tensor_dtype(np.dtype(name)) for name in RANGES}
        outputs = [helper.make_tensor_value_info("output", kinds[w.out_dtype], shape)]
        if any(node.name == "sibling" for node in nodes):
            beside = (w.batch, 16, w.height, w.width)
            outputs.append(helper.make_tensor_value_info("output_beside", kinds[w.out_dtype], beside))
        kind = TensorProto.FLOAT if from_float else kinds[w.dtype]
        graph = helper.make_graph(
            nodes,
            "layer",
            [helper.make_tensor_value_info("data", kind, data.shape)],
            outputs,
            [
                numpy_helper.from_array(np.asarray(value), name)
                for name, value in constants.items()
                if value is not None and name in used
            ],
        )
        opsets = [helper.make_opsetid("", 13), *(helper.make_opsetid(domain, 1) for domain in domains)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)


# Names of scales and zero points: of data, filter, output, bias and the sibling's filter.
_X, _W, _Y, _B, _W1 = (
    (f"{name}_scale", f"{name}_zero") for name in ("data", "filter", "output", "bias", "beside")
)


@dataclass(frozen=True)
class QuantizedNetworkProblem(NetworkProblem):
    """A quantized ONNX network, with its last 8-bit tensor as another output: the largest probability of a
    softmax hides all others. ``original`` is the network before it was quantized."""

    original: NetworkProblem | None = None

    quantized = True

    def judge(self, outputs: list[np.ndarray]) -> tuple[float, str]:
        error, wrong = within(GROSS, outputs, self.references)
        of_bytes = [at for at, value in enumerate(self.references) if str(value.dtype) in RANGES]
        if not wrong:
            wrong = units_wrong([outputs[at] for at in of_bytes], [self.references[at] for at in of_bytes])
        return error, wrong


def units_wrong(outputs: list[np.ndarray], references: list[np.ndarray], most: int = MOST_UNITS) -> str:
    """What is wrong with 8-bit outputs of the right shapes; empty if nothing."""
    for output, reference in zip(outputs, references, strict=True):
        units = np.abs(output.astype(np.int16) - reference.astype(np.int16))
        common = float((units <= COMMON_UNITS).mean())
        if units.max(initial=0) > most or common < COMMON_SHARE:
            return (
                f"wrong result: up to {units.max()} units off, {common:.1%} within {COMMON_UNITS}; "
                f"{most} allowed, {COMMON_SHARE:.0%} required"
            )
    return ""


def with_last_bytes(model: onnx.ModelProto, before: str = "Softmax") -> onnx.ModelProto:
    """The model with another output: the 8-bit tensor that its last ``before`` reads, where there is one."""
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
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True).graph
    known = [value for value in inferred.value_info if value.name == name]
    result = onnx.ModelProto()
    result.CopyFrom(model)
    result.graph.output.extend(known or [helper.make_tensor_value_info(name, TensorProto.UINT8, None)])
    return result
