"""The inputs of an ONNX network, and seeded random values for them."""

from __future__ import annotations

import numpy as np
import onnx


def true_inputs(graph: onnx.GraphProto) -> list[onnx.ValueInfoProto]:
    """Return the graph's inputs that are not parameters, which old files list among them."""
    parameters = {tensor.name for tensor in graph.initializer}
    parameters |= {tensor.values.name for tensor in graph.sparse_initializer}
    return [value for value in graph.input if value.name not in parameters]


def image_of(model: onnx.ModelProto, seed: int = 5) -> dict[str, np.ndarray]:
    """Return seeded float32 values ~ N(0, 1) for every input, by name."""
    generator = np.random.default_rng(seed)
    return {
        value.name: generator.standard_normal(
            [dim.dim_value for dim in value.type.tensor_type.shape.dim], np.float32
        )
        for value in true_inputs(model.graph)
    }
