"""FoldScales: multiplications and additions by per-channel constants, folded into what comes before.

After a convolution or dense layer with a constant filter (batch normalization of ResNet, a scaled bias) they
become part of its filter and bias. Elsewhere (DenseNet normalizes before it convolves) a chain of them
becomes one multiplication and one addition. Products are taken in float64 and rounded once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import tvm
from tvm import relax

from relay_strategies.relax.calls import replaced
from relay_strategies.relax.composite import Emit
from relay_strategies.relax.graph import (
    ChainRewriter,
    Graph,
    constant,
    dtype_of,
    make_constant,
    operator_name,
    rewrite_module,
    shape_of,
)
from relay_strategies.relax.matrices import stored_matrix


@tvm.transform.module_pass(opt_level=0, name="directconv.FoldScales")
def FoldScales(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """Fold per-channel scales and shifts; wants ``Simplify`` before it."""
    return rewrite_module(module, _FoldScales)


@dataclass
class _Chain:
    """Per-channel operations that end at ``last``: ``source * scale + shift``, channels at ``axis``."""

    source: relax.Expr
    axis: int
    scale: np.ndarray
    shift: np.ndarray
    last: relax.Var
    length: int = 0

    def extend(self, var: relax.Var, name: str, value: np.ndarray) -> None:
        if name == "relax.multiply":
            self.scale, self.shift = self.scale * value, self.shift * value
        else:
            self.shift = self.shift + value
        self.last = var
        self.length += 1


class _FoldScales(ChainRewriter[_Chain]):
    def prepare(self) -> None:
        for var, value in self.graph.bindings:
            if not self.is_claimed(var):
                self._find(var, value)

    def _find(self, var: relax.Var, value: relax.Expr) -> None:
        shape = shape_of(var)
        if shape is None or not shape or dtype_of(var) != "float32":
            return
        layer = _foldable_layer(self.graph, value)
        step = _step(value, shape)
        if layer is not None:
            chain = _Chain(value, layer, np.ones(1), np.zeros(1), var)
        elif step is not None and step[1] is not None:
            chain = _Chain(value.args[0], step[1], np.ones(1), np.zeros(1), var)
            chain.extend(var, operator_name(value), step[0])
        else:
            return
        passed = [var]
        while (following := self.graph.only_consumer(chain.last)) is not None:
            consumer = self.graph.definition[following]
            step = _step(consumer, shape)
            if step is None or consumer.args[0] != chain.last or shape_of(following) != shape:
                break
            if step[1] not in (None, chain.axis):
                break
            chain.extend(following, operator_name(consumer), step[0])
            passed.append(following)
        if chain.length >= (1 if layer is not None else 2):
            self.claim(passed, chain)

    def emit_chain(self, var: relax.Var, chain: _Chain) -> relax.Expr:
        shape = shape_of(chain.last)
        assert shape is not None
        per_channel = [1] * len(shape)
        per_channel[chain.axis] = shape[chain.axis]
        scale, shift = (np.broadcast_to(v, [shape[chain.axis]]) for v in (chain.scale, chain.shift))
        result = self.new(chain.source)
        if isinstance(chain.source, relax.Call):
            if np.any(scale != 1):
                result = _scale_layer(self.emit, self.graph, result, chain.source, scale)
            result = self.emit(result)
        elif np.any(scale != 1):
            factor = make_constant(scale.reshape(per_channel).astype(np.float32))
            result = self.emit(relax.op.multiply(result, factor))
        if np.any(shift != 0):
            term = make_constant(shift.reshape(per_channel).astype(np.float32))
            result = self.emit(relax.op.add(result, term))
        return result


def _step(value: relax.Expr, shape: tuple[int, ...]) -> tuple[np.ndarray, int | None] | None:
    """(values per channel, channel axis) of adding or multiplying by a constant; a scalar has no axis."""
    if operator_name(value) not in ("relax.add", "relax.multiply"):
        return None
    array = constant(value.args[1])
    if array is None or array.ndim > len(shape):
        return None
    extents = (1,) * (len(shape) - array.ndim) + array.shape
    axes = [axis for axis, extent in enumerate(extents) if extent != 1]
    if len(axes) > 1 or any(extents[axis] != shape[axis] for axis in axes):
        return None
    return array.reshape(-1).astype(np.float64), axes[0] if axes else None


def _foldable_layer(graph: Graph, value: relax.Expr) -> int | None:
    """The output-channel axis of a convolution or dense layer with a constant filter."""
    if operator_name(value) == "relax.nn.conv2d" and constant(value.args[1]) is not None:
        axis = str(value.attrs.out_layout).find("C")
        return axis if _filter_axis(value) >= 0 and axis >= 0 else None
    if operator_name(value) == "relax.matmul":
        matrix = stored_matrix(graph, value.args[1])
        rank = len(shape_of(value.args[0]) or ())
        return rank - 1 if matrix is not None and rank >= 1 else None
    return None


def _scale_layer(
    emit: Emit, graph: Graph, call: relax.Call, old: relax.Call, scale: np.ndarray
) -> relax.Call:
    """``call``, which is ``old`` in the new function, with its filter scaled by output channel."""
    if operator_name(old) == "relax.nn.conv2d":
        weight = constant(old.args[1])
        assert weight is not None
        return replaced(call, [call.args[0], make_constant(_scaled(weight, scale, _filter_axis(old)))])
    matrix = stored_matrix(graph, old.args[1])
    assert matrix is not None
    scaled = _scaled(matrix.array, scale, matrix.outputs_axis)
    return replaced(call, [call.args[0], matrix.with_array(emit, scaled)])


def _filter_axis(call: relax.Call) -> int:
    return str(call.attrs.kernel_layout).find("O")


def _scaled(weight: np.ndarray, scale: np.ndarray, axis: int) -> np.ndarray:
    shape = [1] * weight.ndim
    shape[axis] = scale.size
    return (weight * scale.reshape(shape)).astype(weight.dtype)
