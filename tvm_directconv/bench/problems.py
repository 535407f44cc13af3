"""What the contestants solve: a convolution or a network in float32, with inputs and the right answer.

The layer's reference is the definition of convolution in float64. The network's reference comes from ONNX
Runtime with all graph optimization off and sums of 8-bit products exact (where it is missing, from
reference.py).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
import onnx

from relay_strategies.tuning.reference import reference_convolution
from tvm_directconv.errors import BenchmarkError, WorkloadError, last_line, let_through
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue

from .answers import LAYER_TOLERANCE, NETWORK_TOLERANCE, within
from .exact_sums import with_unsigned_filters

# Each operand of a layer is drawn from a seed of its own, counted from here; networks' inputs from this one.
SEED = 0


@dataclass(frozen=True)
class Convolution(ABC):
    """What problems of one convolution share: the workload, and the shapes of data NHWC and filter OIHW."""

    workload: Conv2dWorkload
    models: Mapping[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return str(self.workload)

    @property
    def flops(self) -> int:
        return self.workload.flops

    @property
    def batch(self) -> int:
        return self.workload.batch

    @property
    def data_shape(self) -> tuple[int, ...]:
        w = self.workload
        return (w.batch, w.height, w.width, w.in_channels)

    @property
    def filter_shape(self) -> tuple[int, ...]:
        w = self.workload
        return (w.out_channels, w.in_channels // w.groups, *w.kernel)

    @property
    @abstractmethod
    def data(self) -> np.ndarray:
        """The input, NHWC."""

    @cached_property
    def data_nchw(self) -> np.ndarray:
        return np.ascontiguousarray(self.data.transpose(0, 3, 1, 2))


@dataclass(frozen=True)
class LayerProblem(Convolution):
    """One convolution; ``data`` NHWC ~ N(0, 1), ``filter`` OIHW ~ N(0, 1 / fan-in), float32. ``tolerance`` is
    what answers may be off by, relative to the largest output."""

    tolerance: float = LAYER_TOLERANCE

    quantized: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.workload.epilogue != Epilogue():
            raise WorkloadError(
                f"'{self.workload}': peers are compared on bare convolutions; drop the epilogue"
            )
        if self.workload.is_half:
            raise WorkloadError(f"'{self.workload}': give the layer in float32, and ask for its precision")

    @cached_property
    def data(self) -> np.ndarray:
        return np.random.default_rng(SEED).standard_normal(self.data_shape, dtype=np.float32)

    @cached_property
    def filter(self) -> np.ndarray:
        values = np.random.default_rng(SEED + 1).standard_normal(self.filter_shape, dtype=np.float32)
        return values / np.float32(np.sqrt(np.prod(self.filter_shape[1:])))

    @cached_property
    def references(self) -> list[np.ndarray]:
        """The exact output, NHWC, float64."""
        return [reference_convolution(self.workload, self.data, self.filter)]

    def judge(self, outputs: list[np.ndarray]) -> tuple[float, str]:
        return within(self.tolerance, outputs, self.references)


AnyNetwork = TypeVar("AnyNetwork", bound="NetworkProblem")


@dataclass(frozen=True)
class NetworkProblem:
    """An ONNX network, or the file it is in, with its inputs by name.

    ``library_name`` is the name by which torchvision's or timm's module of the same weights is built, where
    there is one. ``tolerance`` is what answers may be off by, relative to the largest output.
    """

    name: str
    source: onnx.ModelProto | Path
    inputs: Mapping[str, np.ndarray]
    flops: int = 0
    models: Mapping[str, int] = field(default_factory=dict)
    library_name: str = ""
    tolerance: float = NETWORK_TOLERANCE

    quantized: ClassVar[bool] = False

    @property
    def model(self) -> onnx.ModelProto:
        """The network itself, read anew if it is in a file."""
        return onnx.load(self.source) if isinstance(self.source, Path) else self.source

    @property
    def readable(self) -> str | bytes:
        """What libraries read it from: the file's path, as their users do, or the bytes of such a file."""
        return str(self.source) if isinstance(self.source, Path) else self.source.SerializeToString()

    def stored(self: AnyNetwork, folder: Path, name: str = "network.onnx") -> AnyNetwork:
        """Return the same with the network in a file there, which all contestants share; BenchmarkError if it
        cannot be written."""
        try:
            onnx.save(self.model, folder / name)
        except (OSError, ValueError) as error:
            raise BenchmarkError(
                f"'{self.name}' cannot be written to {folder} ({error}); set TMPDIR"
            ) from None
        return replace(self, source=folder / name)

    @property
    def batch(self) -> int:
        """The first extent of its first input."""
        return next((array.shape[0] for array in self.inputs.values() if array.ndim), 1)

    @cached_property
    def references(self) -> list[np.ndarray]:
        """The outputs in graph order."""
        return self.reference_of(self.inputs)

    def reference_of(self, inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        """Return the right outputs of these inputs, in graph order."""
        try:
            from onnxruntime import GraphOptimizationLevel
        except ImportError:
            from .reference import reference_outputs

            return reference_outputs(self.model, inputs)
        exact = with_unsigned_filters(self.model).SerializeToString() if self.quantized else self.readable
        try:
            session = quiet_session(exact, graph_optimization_level=GraphOptimizationLevel.ORT_DISABLE_ALL)
            return list(session.run(None, dict(inputs)))
        except Exception as error:  # of many classes of its own
            let_through(error)
            raise BenchmarkError(f"ONNX Runtime refuses the network: {last_line(error)}") from None

    def judge(self, outputs: list[np.ndarray]) -> tuple[float, str]:
        return within(self.tolerance, outputs, self.references)


@dataclass(frozen=True)
class OpenProblem(NetworkProblem):
    """An open network at the size of its ``inputs``. ``typical`` is what it is compiled for, by the names of
    dimensions."""

    typical: Mapping[str, int] = field(default_factory=dict)


def quiet_session(model: str | bytes, **options: Any) -> Any:
    """Return ONNX Runtime's session on the CPU, with these attributes of its SessionOptions, which does not
    print warnings."""
    import onnxruntime

    given = quiet_options(**options)
    return onnxruntime.InferenceSession(model, given, providers=["CPUExecutionProvider"])


def quiet_options(**options: Any) -> Any:
    """Return ONNX Runtime's SessionOptions of a session that does not print warnings."""
    import onnxruntime

    given = onnxruntime.SessionOptions()
    for name, value in {"log_severity_level": 3, **options}.items():
        setattr(given, name, value)
    return given
