"""What ONNX Runtime computes, as a reference: with exact sums on every CPU, in 8 bits too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnxruntime
from onnx import ModelProto

from tvm_directconv.bench.exact_sums import with_unsigned_filters


def onnx_runtime_session(model: ModelProto, optimized: bool = True) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    if not optimized:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(
        with_unsigned_filters(model).SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def run_onnx_runtime(
    model: ModelProto, inputs: Mapping[str, np.ndarray] | Sequence[np.ndarray], optimized: bool = True
) -> list[np.ndarray]:
    """Return the outputs for inputs by name, or in order."""
    session = onnx_runtime_session(model, optimized)
    if not isinstance(inputs, Mapping):
        names = [value.name for value in session.get_inputs()]
        inputs = dict(zip(names, inputs, strict=True))
    return session.run(None, dict(inputs))


def run_by_name(model: ModelProto, given: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """ONNX Runtime's outputs by name; of what is given it takes the model's inputs."""
    inputs = {value.name: given[value.name] for value in model.graph.input}
    return dict(zip((v.name for v in model.graph.output), run_onnx_runtime(model, inputs), strict=True))
