"""The right outputs of a network where ONNX Runtime is missing, from onnx's own reference evaluator.

The evaluator has one form of most operators, today's, and fills in today's defaults. Old networks mean
something else by some of them, and its LRN confuses batch with channels: those are replaced here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

from tvm_directconv.errors import BenchmarkError, first_line

ONE_AXIS = 13
"""First opset in which Softmax and its relatives work along one axis; before, from one axis on."""
TRAINING_MODE = 14
"""First opset in which BatchNormalization says whether it trains; here networks never do."""
DEFAULT_DOMAINS = ("", "ai.onnx")


def reference_outputs(model: onnx.ModelProto, inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """Return the outputs in graph order; BenchmarkError for what the evaluator cannot compute."""
    opset = max((o.version for o in model.opset_import if o.domain in DEFAULT_DOMAINS), default=1)
    replaced: list[type[OpRun]] = [LRN]
    replaced += [Softmax, LogSoftmax, Hardmax] if opset < ONE_AXIS else []
    replaced += [BatchNormalization] if opset < TRAINING_MODE else []
    try:
        return list(ReferenceEvaluator(model, new_ops=replaced).run(None, dict(inputs)))
    except Exception as error:  # each operator of the evaluator raises its own
        raise BenchmarkError(
            f"nothing here can say what '{model.graph.name}' should compute: onnx's reference evaluator "
            f"cannot ({first_line(error)}), and there is no onnxruntime; pip install onnxruntime"
        ) from error


class _Flattening(OpRun):
    """An operator on the matrix whose columns are the axes from ``axis`` on, by default from axis 1."""

    op_domain = ""

    def _run(self, x: np.ndarray, axis: int | None = None) -> tuple[np.ndarray]:
        # The evaluator's default is today's: only what the node itself says counts.
        given = any(attribute.name == "axis" for attribute in self.onnx_node.attribute)
        first = (axis or 0) % x.ndim if given else 1
        matrix = x.reshape(int(np.prod(x.shape[:first])), -1)
        return (self.of_rows(matrix).reshape(x.shape).astype(x.dtype),)

    def of_rows(self, matrix: np.ndarray) -> np.ndarray:
        raise NotImplementedError


class Softmax(_Flattening):
    def of_rows(self, matrix: np.ndarray) -> np.ndarray:
        powers = np.exp(matrix - matrix.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)


class LogSoftmax(_Flattening):
    def of_rows(self, matrix: np.ndarray) -> np.ndarray:
        shifted = matrix - matrix.max(axis=1, keepdims=True)
        return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


class Hardmax(_Flattening):
    def of_rows(self, matrix: np.ndarray) -> np.ndarray:
        return np.arange(matrix.shape[1]) == matrix.argmax(axis=1)[:, None]


class BatchNormalization(OpRun):
    """The statistics given, never those of the data."""

    op_domain = ""

    def _run(
        self,
        x: np.ndarray,
        scale: np.ndarray,
        shift: np.ndarray,
        mean: np.ndarray,
        variance: np.ndarray,
        epsilon: float = 1e-5,
        **of_training: Any,
    ) -> tuple[np.ndarray]:
        factor = scale / np.sqrt(variance + np.float32(epsilon))
        per_channel = (-1, *(1,) * (x.ndim - 2))
        y = x * factor.reshape(per_channel) + (shift - mean * factor).reshape(per_channel)
        return (y.astype(x.dtype),)


class LRN(OpRun):
    """Each channel over a power of the mean square of its neighbours."""

    op_domain = ""

    def _run(
        self, x: np.ndarray, alpha: float = 1e-4, beta: float = 0.75, bias: float = 1.0, size: int = 1
    ) -> tuple[np.ndarray]:
        before, after = (size - 1) // 2, size // 2
        around = [(0, 0), (before, after), *[(0, 0)] * (x.ndim - 2)]
        squares = np.pad(np.square(x), around)
        sums = sum(squares[:, at : at + x.shape[1]] for at in range(size))
        return ((x / (bias + alpha / size * sums) ** beta).astype(x.dtype),)
