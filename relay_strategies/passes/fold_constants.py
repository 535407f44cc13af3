"""FoldConstants: expressions of constants evaluated by numpy.

TVM's FoldConstant compiles and runs every constant expression on its own, which takes 17 s for ResNet-50 and
22 s for DenseNet-121; here it is milliseconds. Quantized constants stay as they are stored until
``FoldDequantize``, which comes when the layers that can use them so have taken theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import tvm
from tvm import relax

from relay_strategies.relax.graph import (
    Rewriter,
    constant,
    make_constant,
    operator_name,
    rewrite_module,
    shape_of,
)

from .quantization import DEQUANTIZE, QUANTIZE, channel_axis

Evaluate = Callable[[relax.Call, Sequence[np.ndarray]], np.ndarray]

# A transposed matrix above this size is left to whoever consumes it: dense layers read it as it is stored.
LARGE_MATRIX_ELEMENTS = 1 << 16


def _reshape(call: relax.Call, arrays: Sequence[np.ndarray]) -> np.ndarray:
    return arrays[0].reshape(_shape(call))


def _permute_dims(call: relax.Call, arrays: Sequence[np.ndarray]) -> np.ndarray:
    axes = call.attrs.axes
    return np.transpose(arrays[0], None if axes is None else [int(a) for a in axes])


def _broadcast_to(call: relax.Call, arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.broadcast_to(arrays[0], _shape(call))


def _shape(call: relax.Call) -> tuple[int, ...]:
    shape = shape_of(call)
    assert shape is not None
    return shape


def _elementwise(function: Callable[..., np.ndarray]) -> Evaluate:
    return lambda call, arrays: function(*arrays)


EVALUATE: dict[str, Evaluate] = {
    "relax.reshape": _reshape,
    "relax.expand_dims": _reshape,
    "relax.squeeze": _reshape,
    "relax.flatten": _reshape,
    "relax.permute_dims": _permute_dims,
    "relax.broadcast_to": _broadcast_to,
    "relax.astype": lambda call, arrays: arrays[0].astype(str(call.ty.dtype)),
    "relax.concat": lambda call, arrays: np.concatenate(arrays, int(call.attrs.axis)),
    "relax.add": _elementwise(np.add),
    "relax.subtract": _elementwise(np.subtract),
    "relax.multiply": _elementwise(np.multiply),
    "relax.power": _elementwise(np.power),
    "relax.maximum": _elementwise(np.maximum),
    "relax.minimum": _elementwise(np.minimum),
    "relax.negative": _elementwise(np.negative),
    "relax.sqrt": _elementwise(np.sqrt),
    "relax.rsqrt": _elementwise(lambda x: 1 / np.sqrt(x)),
    "relax.exp": _elementwise(np.exp),
    "relax.log": _elementwise(np.log),
    "relax.abs": _elementwise(np.abs),
    "relax.isnan": _elementwise(np.isnan),
    "relax.isfinite": _elementwise(np.isfinite),
    "relax.logical_not": _elementwise(np.logical_not),
    "relax.where": _elementwise(np.where),
}


def _divide(call: relax.Call, arrays: Sequence[np.ndarray]) -> np.ndarray:
    if np.issubdtype(arrays[0].dtype, np.floating):
        return np.divide(*arrays)
    raise NotImplementedError("integer division rounds differently in numpy")


EVALUATE["relax.divide"] = _divide


def _along_axis(call: relax.Call, vectors: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Scale and zero point, in shapes that broadcast against what is (de)quantized."""
    shape = [1] * len(_shape(call))
    axis = channel_axis(call)
    if axis is not None:
        shape[axis] = -1
    return [vector.reshape(shape if vector.size > 1 else ()) for vector in vectors]


def _quantize(call: relax.Call, arrays: Sequence[np.ndarray]) -> np.ndarray:
    scale, zero = _along_axis(call, arrays[1:])
    limits = np.iinfo(str(call.attrs.out_dtype))  # raises for floats
    return np.clip(np.rint(arrays[0] / scale) + zero.astype(np.float32), limits.min, limits.max)


def _dequantize(call: relax.Call, arrays: Sequence[np.ndarray]) -> np.ndarray:
    if not np.issubdtype(arrays[0].dtype, np.integer):
        raise NotImplementedError("floats that stand for others")
    scale, zero = _along_axis(call, arrays[1:])
    return (arrays[0].astype(np.int32) - zero.astype(np.int32)).astype(np.float32) * scale


EVALUATE[QUANTIZE] = _quantize


class _FoldConstants(Rewriter):
    evaluate = EVALUATE

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        new = self.new(value)
        folded = self._evaluate(var, value, new)
        return new if folded is None else folded

    def _evaluate(self, var: relax.Var, old: relax.Expr, new: relax.Expr) -> relax.Expr | None:
        evaluate = self.evaluate.get(operator_name(new))
        shape = shape_of(old)
        if evaluate is None or shape is None:
            return None
        operands = new.args[0].fields if isinstance(new.args[0], relax.Tuple) else new.args
        found = [constant(operand) for operand in operands if not isinstance(operand, relax.ShapeExpr)]
        arrays = [array for array in found if array is not None]
        if not arrays or len(arrays) != len(found) or self._belongs_to_dense(var, old, arrays[0]):
            return None
        if int(np.prod(shape)) > sum(array.size for array in arrays) and operator_name(new) != "relax.where":
            return None  # broadcasting would only make the constant larger
        try:
            with np.errstate(all="ignore"):
                result = evaluate(old, arrays)
        except (NotImplementedError, TypeError, ValueError):
            return None
        return make_constant(np.asarray(result, dtype=str(old.ty.dtype)))

    def _belongs_to_dense(self, var: relax.Var, old: relax.Call, matrix: np.ndarray) -> bool:
        if operator_name(old) != "relax.permute_dims" or matrix.size < LARGE_MATRIX_ELEMENTS:
            return False
        consumer = self.graph.only_consumer(var)
        if consumer is not None and self.graph.call(consumer, DEQUANTIZE) is not None:
            consumer = self.graph.only_consumer(consumer)
        return consumer is not None and self.graph.call(consumer, "relax.matmul") is not None


class _FoldDequantize(_FoldConstants):
    evaluate = EVALUATE | {DEQUANTIZE: _dequantize}


@tvm.transform.module_pass(opt_level=0, name="directconv.FoldConstants")
def FoldConstants(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """Evaluate every expression of constants."""
    return rewrite_module(module, _FoldConstants)


@tvm.transform.module_pass(opt_level=0, name="directconv.FoldDequantize")
def FoldDequantize(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """As ``FoldConstants``, and evaluate dequantization of constants; wants ``FuseQuantized`` before it."""
    return rewrite_module(module, _FoldDequantize)
