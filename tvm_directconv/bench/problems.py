"""What the contestants solve: a convolution or a network, with inputs and the right answer.

The layer's reference is the definition of convolution in float64, written with numpy alone, so that
no contestant is its own judge. The network's reference comes from ONNX Runtime with all graph
optimization off and sums of 8-bit products exact (where it is missing, from onnx's slow reference evaluator).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tvm_directconv.errors import BenchmarkError, WorkloadError
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue, channel_block

from .exact_sums import with_unsigned_filters

# float32 sums in any order stay this close to the exact answer, relative to the largest output; a
# wrong convolution is off by about 1.
LAYER_TOLERANCE = 1e-4
NETWORK_TOLERANCE = 1e-3


class Problem(ABC):
    """What the harness needs of one; ``models`` says how often each network has the layer."""

    name: str
    flops: int
    models: Mapping[str, int]
    quantized: ClassVar[bool] = False
    """Whether its operations are those of 8-bit integers."""

    @property
    @abstractmethod
    def references(self) -> list[np.ndarray]:
        """The right outputs, in the layout contestants answer in."""

    @abstractmethod
    def judge(self, outputs: list[np.ndarray]) -> tuple[float, str]:
        """(``relative_error`` of the outputs, what is wrong with them: empty if nothing)."""


@dataclass(frozen=True)
class LayerProblem(Problem):
    """One convolution; ``data`` NHWC ~ N(0, 1), ``filter`` OIHW ~ N(0, 1 / fan-in), float32."""

    workload: Conv2dWorkload
    models: Mapping[str, int] = field(default_factory=dict)
    seed: int = 0
    tolerance: float = LAYER_TOLERANCE

    def __post_init__(self) -> None:
        if self.workload.epilogue != Epilogue():
            raise WorkloadError(
                f"'{self.workload}': peers are compared on bare convolutions; drop the epilogue"
            )

    @property
    def name(self) -> str:  # type: ignore[override]
        return str(self.workload)

    @property
    def flops(self) -> int:  # type: ignore[override]
        return self.workload.flops

    @cached_property
    def data(self) -> np.ndarray:
        w = self.workload
        shape = (w.batch, w.height, w.width, w.in_channels)
        return np.random.default_rng(self.seed).standard_normal(shape, dtype=np.float32)

    @cached_property
    def data_nchw(self) -> np.ndarray:
        return np.ascontiguousarray(self.data.transpose(0, 3, 1, 2))

    @cached_property
    def filter(self) -> np.ndarray:
        w = self.workload
        shape = (w.out_channels, w.in_channels // w.groups, *w.kernel)
        values = np.random.default_rng(self.seed + 1).standard_normal(shape, dtype=np.float32)
        return values / np.float32(np.sqrt(np.prod(shape[1:])))

    @cached_property
    def references(self) -> list[np.ndarray]:
        """The exact output, NHWC, float64."""
        return [reference_convolution(self.workload, self.data, self.filter)]

    def judge(self, outputs: list[np.ndarray]) -> tuple[float, str]:
        return within(self.tolerance, outputs, self.references)

    def as_network(self) -> NetworkProblem:
        """The layer as a network of one Conv node: input ``data`` NCHW, output ``output`` NCHW."""
        w = self.workload
        node = helper.make_node(
            "Conv",
            ["data", "filter"],
            ["output"],
            kernel_shape=w.kernel,
            strides=w.strides,
            pads=w.padding,
            dilations=w.dilation,
            group=w.groups,
        )
        output_shape = (w.batch, w.out_channels, w.out_height, w.out_width)
        graph = helper.make_graph(
            [node],
            "layer",
            [helper.make_tensor_value_info("data", TensorProto.FLOAT, self.data_nchw.shape)],
            [helper.make_tensor_value_info("output", TensorProto.FLOAT, output_shape)],
            [numpy_helper.from_array(self.filter, "filter")],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        return NetworkProblem(self.name, model, {"data": self.data_nchw}, self.flops)


@dataclass(frozen=True)
class NetworkProblem(Problem):
    """An ONNX network with its inputs by name."""

    name: str
    model: onnx.ModelProto
    inputs: Mapping[str, np.ndarray]
    flops: int = 0
    models: Mapping[str, int] = field(default_factory=dict)
    tolerance: float = NETWORK_TOLERANCE

    @cached_property
    def references(self) -> list[np.ndarray]:
        """The outputs in graph order."""
        try:
            import onnxruntime
        except ImportError:
            from onnx.reference import ReferenceEvaluator

            return list(ReferenceEvaluator(self.model).run(None, dict(self.inputs)))
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 3
        exact = with_unsigned_filters(self.model)
        session = onnxruntime.InferenceSession(
            exact.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        return list(session.run(None, dict(self.inputs)))

    def judge(self, outputs: list[np.ndarray]) -> tuple[float, str]:
        return within(self.tolerance, outputs, self.references)


def to_layout(nhwc: np.ndarray, layout: str) -> np.ndarray:
    """An NHWC array in NHWC, NCHW or a blocked layout, whose lanes beyond the channels become zero."""
    block = channel_block(layout)
    if not block:
        return nhwc if layout == "NHWC" else np.ascontiguousarray(nhwc.transpose(0, 3, 1, 2))
    batch, height, width, channels = nhwc.shape
    padded = np.pad(nhwc, ((0, 0), (0, 0), (0, 0), (0, -channels % block)))
    return np.ascontiguousarray(padded.reshape(batch, height, width, -1, block).transpose(0, 3, 1, 2, 4))


def from_layout(array: np.ndarray, layout: str, channels: int) -> np.ndarray:
    """The inverse of ``to_layout``, for an array of that many channels."""
    if not channel_block(layout):
        return array if layout == "NHWC" else array.transpose(0, 2, 3, 1)
    batch, _, height, width, _ = array.shape
    return array.transpose(0, 2, 3, 1, 4).reshape(batch, height, width, -1)[..., :channels]


def random_inputs(name: str, model: onnx.ModelProto, seed: int = 0) -> dict[str, np.ndarray]:
    """Seeded float32 inputs ~ N(0, 1), by name; BenchmarkError for an input of another kind."""
    parameters = {tensor.name for tensor in model.graph.initializer}
    generator = np.random.default_rng(seed)
    inputs = {}
    for value in model.graph.input:
        if value.name in parameters:
            continue
        tensor = value.type.tensor_type
        shape = tuple(dim.dim_value for dim in tensor.shape.dim)
        if tensor.elem_type != TensorProto.FLOAT or 0 in shape:
            raise BenchmarkError(
                f"{name}: input '{value.name}' is not float32 with a static shape; "
                "only such networks can be benchmarked"
            )
        inputs[value.name] = generator.standard_normal(shape, dtype=np.float32)
    return inputs


def reference_convolution(workload: Conv2dWorkload, data: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Convolution tap by tap: NHWC data and OIHW weights to a float64 NHWC result."""
    w = workload
    top, left, bottom, right = w.padding
    padded = np.pad(data.astype(np.float64), ((0, 0), (top, bottom), (left, right), (0, 0)))
    groups, group_in, group_out = w.groups, w.in_channels // w.groups, w.out_channels // w.groups
    pixels = w.batch * w.out_height * w.out_width
    taps = weights.astype(np.float64).reshape(groups, group_out, group_in, *w.kernel)
    output = np.zeros((groups, pixels, group_out))
    for row in range(w.kernel[0]):
        for column in range(w.kernel[1]):
            rows = slice(row * w.dilation[0], None, w.strides[0])
            columns = slice(column * w.dilation[1], None, w.strides[1])
            window = padded[:, rows, columns][:, : w.out_height, : w.out_width]
            by_group = np.moveaxis(window.reshape(pixels, groups, group_in), 1, 0)
            output += np.ascontiguousarray(by_group) @ taps[..., row, column].transpose(0, 2, 1)
    return np.moveaxis(output, 0, 1).reshape(w.batch, w.out_height, w.out_width, w.out_channels)


def relative_error(outputs: list[np.ndarray], references: list[np.ndarray]) -> float:
    """Largest deviation over largest value, of the worst output; infinity for wrong shapes."""
    if len(outputs) != len(references):
        return float("inf")
    worst = 0.0
    for output, reference in zip(outputs, references, strict=True):
        if output.shape != reference.shape or not np.isfinite(output).all():
            return float("inf")
        scale = float(np.abs(reference).max()) or 1.0
        difference = output.astype(np.float64) - reference.astype(np.float64)
        worst = max(worst, float(np.abs(difference).max()) / scale)
    return worst


def within(tolerance: float, outputs: list[np.ndarray], references: list[np.ndarray]) -> tuple[float, str]:
    """(``relative_error``, what is wrong where it is beyond the tolerance)."""
    error = relative_error(outputs, references)
    if error <= tolerance:
        return error, ""
    return error, f"wrong result: off by {error:.1e} of the largest output, {tolerance:.0e} allowed"
