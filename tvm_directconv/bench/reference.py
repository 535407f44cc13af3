"""The right outputs of a network where ONNX Runtime is missing, from onnx's own reference evaluator.

The evaluator has one form of most operators, today's: old networks are converted to it, but for Hardmax,
which the converter leaves as it is. The evaluator's LRN confuses batch with channels. Both are replaced here.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun
from onnx.version_converter import convert_version

from tvm_directconv.errors import BenchmarkError, first_line

ONE_AXIS = 13
"""First opset in which Softmax and its relatives work along one axis; before, from one axis on."""
TODAYS = 14
"""First opset in which the operators of old networks mean what they do today."""
DEFAULT_DOMAINS = ("", "ai.onnx")


def reference_outputs(model: onnx.ModelProto, inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """Return the outputs in graph order; BenchmarkError for what the evaluator cannot compute."""
    opset = max((o.version for o in model.opset_import if o.domain in DEFAULT_DOMAINS), default=1)
    try:
        model = convert_version(model, TODAYS) if opset < TODAYS else model
        replaced: list[type[OpRun]] = [LRN, Hardmax] if opset < ONE_AXIS else [LRN]
        return list(ReferenceEvaluator(model, new_ops=replaced).run(None, dict(inputs)))
    except Exception as error:  # each operator of the evaluator raises its own
        raise BenchmarkError(
            f"the right answer of '{model.graph.name}' is not known: onnx's reference evaluator cannot "
            f"compute it ({first_line(error)}), and there is no onnxruntime; pip install onnxruntime"
        ) from error


class Hardmax(OpRun):
    """1 at the largest of each row of the matrix whose columns are the axes from ``axis`` on, else 0."""

    op_domain = ""

    def _run(self, x: np.ndarray, axis: int = 1) -> tuple[np.ndarray]:
        # The evaluator's default is today's: only what the node itself says counts.
        given = [attribute.i for attribute in self.onnx_node.attribute if attribute.name == "axis"]
        first = given[0] % x.ndim if given else 1
        matrix = x.reshape(int(np.prod(x.shape[:first])), -1)
        largest = np.arange(matrix.shape[1]) == matrix.argmax(axis=1)[:, None]
        return (largest.reshape(x.shape).astype(x.dtype),)


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
