"""What the cases of Relay's operators are made of: families of bodies and their values, and references."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from onnx import helper
from reference import run_onnx_runtime


@dataclass
class Family:
    """Cases by name: a body and its value. Weights are parameters with values, the others inputs."""

    inputs: dict[str, np.ndarray]
    weights: dict[str, np.ndarray] = field(default_factory=dict)
    cases: dict[str, tuple[str, np.ndarray]] = field(default_factory=dict)

    def case(self, name: str, body: str, value: np.ndarray) -> None:
        assert name not in self.cases
        self.cases[name] = body, value


def onnx(kind: str, *arrays: np.ndarray, opset: int = 18, **attributes: Any) -> np.ndarray:
    """ONNX Runtime's value of one node; an empty array is an input left out."""
    names = [f"a{i}" if array.size else "" for i, array in enumerate(arrays)]
    given = {name: array for name, array in zip(names, arrays, strict=True) if name}
    infos = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for n, a in given.items()
    ]
    result = helper.make_tensor_value_info("y", 1, None)
    graph = helper.make_graph([helper.make_node(kind, names, ["y"], **attributes)], "one", infos, [result])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    return np.asarray(run_onnx_runtime(model, given)[0])


def nhwc(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array.transpose(0, 2, 3, 1))


def blocked(array: np.ndarray, block: int) -> np.ndarray:
    """NCHW in blocks of channels."""
    batch, channels, height, width = array.shape
    split = array.reshape(batch, channels // block, block, height, width)
    return np.ascontiguousarray(split.transpose(0, 1, 3, 4, 2))
