"""The inputs of an ONNX network, and seeded random values for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import ml_dtypes  # noqa: F401  (numpy knows bfloat16 by it)
import numpy as np
import onnx

from tvm_directconv.errors import ModelError


def true_inputs(graph: onnx.GraphProto) -> list[onnx.ValueInfoProto]:
    """Return the graph's inputs that are not parameters, which old files list among them."""
    parameters = {tensor.name for tensor in graph.initializer}
    parameters |= {tensor.values.name for tensor in graph.sparse_initializer}
    return [value for value in graph.input if value.name not in parameters]


def draw(rng: np.random.Generator, shape: Sequence[int], dtype: str) -> np.ndarray:
    """Return random values: floats ~ N(0, 1), bytes from all there are, and of wider integers and booleans 0
    and 1, which do as indices and as masks."""
    kind = np.dtype(dtype)
    if kind.kind in "iu" and kind.itemsize == 1:
        ends = np.iinfo(kind)
        return rng.integers(ends.min, ends.max, shape, kind, endpoint=True)
    if kind.kind in "iub":
        return rng.integers(0, 2, shape).astype(kind)
    return rng.standard_normal(shape, np.float32).astype(kind)


def image_of(
    model: onnx.ModelProto, seed: int = 5, given: Mapping[str, np.ndarray] | None = None
) -> dict[str, np.ndarray]:
    """Return seeded values for every input, by name, but for those given; ModelError for an input that is not
    a tensor of numbers, or leaves a dimension open."""
    rng, values = np.random.default_rng(seed), dict(given or {})
    for value in true_inputs(model.graph):
        tensor = value.type.tensor_type
        dims = [dim.dim_value for dim in tensor.shape.dim if dim.HasField("dim_value")]
        if value.name in values:
            continue
        if not value.type.HasField("tensor_type") or tensor.elem_type == onnx.TensorProto.STRING:
            raise ModelError(
                f"input '{value.name}' is not a tensor of numbers: no values can be drawn for it"
            )
        if not tensor.HasField("shape") or len(dims) < len(tensor.shape.dim):
            raise ModelError(
                f"input '{value.name}' leaves dimensions open; say what they are by shapes= or batch=, or "
                "give its values"
            )
        values[value.name] = draw(rng, dims, str(onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)))
    return values
