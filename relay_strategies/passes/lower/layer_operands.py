"""What the kernel of a layer is called with: data, packed filter, tables, and residual, as it takes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from tvm import relax

from relay_strategies.operators.layouts import NHWC
from relay_strategies.passes.layout.kernel_layouts import KernelLayoutRewriter
from relay_strategies.relax.graph import constant, make_constant
from relay_strategies.relax.kernels import scheduled
from relay_strategies.strategies.operands import check_unpacked
from tvm_directconv.algorithms.base import Conv2dImplementation
from tvm_directconv.operators.default_schedule import schedule_default

from .gates import gate_shape, gated_input
from .layer_storage import LayerStorage
from .layer_workload import Layer, frames_read
from .quantized_layer import quantized_operands


class LayerOperands:
    """The operands of the layers of one network. Each constant filter is packed once."""

    def __init__(self, rewriter: KernelLayoutRewriter, storage: LayerStorage) -> None:
        self._rewriter, self._storage = rewriter, storage
        self._packs: dict[tuple[Any, ...], tuple[Conv2dImplementation, Sequence[relax.Expr]]] = {}
        self._alike: dict[relax.Expr, list[tuple[np.ndarray, relax.Expr]]] = {}

    def of(self, layer: Layer, chosen: Conv2dImplementation) -> list[relax.Expr]:
        """Return the operands of a layer that is computed by itself."""
        if chosen.workload.quantized:
            return self._quantized(layer, chosen)
        return self._dense(layer, chosen) if layer.is_dense else self._conv2d(layer, chosen)

    def _quantized(self, layer: Layer, chosen: Conv2dImplementation) -> list[relax.Expr]:
        """Return data, packed filter and tables, and the residual."""
        rewriter, native, arguments = self._rewriter, chosen.workload, layer.call.arguments

        def rows(term: relax.Expr, shape: tuple[int, ...]) -> relax.Expr:
            if layer.is_dense:
                return rewriter.reshaped(rewriter.new(term), shape)
            return rewriter.in_layout(term, NHWC)

        operands = [rows(arguments[0], native.input_shape)]
        make = partial(quantized_operands, layer.call, chosen)
        operands += self._once((arguments[1], layer.call.function), chosen, make)
        if native.epilogue.residual:
            operands.append(rows(arguments[-1], native.output_shape))
        return operands

    def _dense(self, layer: Layer, chosen: Conv2dImplementation) -> list[relax.Expr]:
        """Return data, packed filter, bias and residual; rows of data are pixels of a 1x1 convolution."""
        rewriter, native, workload = self._rewriter, chosen.workload, layer.workload
        operands = [rewriter.new(argument) for argument in layer.call.arguments]
        for position in (0, 3 if workload.epilogue.bias else 2):
            if position < len(operands):
                shape = workload.input_shape if position == 0 else workload.output_shape
                layout = native.data_layout if position == 0 else native.out_layout
                rows = rewriter.reshaped(operands[position], shape)
                operands[position] = rows if layout == NHWC else rewriter.changed(rows, shape, NHWC, layout)
        operands[1] = self.packed(operands[1], chosen)
        return operands

    def _conv2d(self, layer: Layer, chosen: Conv2dImplementation) -> list[relax.Expr]:
        """Return data, packed filter, bias and residual. Data are a part of another tensor, frames in place,
        or the tensor that a gate scales: the filter is scaled instead."""
        rewriter, native = self._rewriter, chosen.workload
        data, weight, *extra = layer.call.arguments
        part = self._storage.source(layer) if native.storage.data_part else None
        packed = self.packed(rewriter.new(weight), chosen)
        if native.storage.frames is not None and (found := frames_read(rewriter, data)) is not None:
            _, data = found
        elif part is None and (gated := self._gated(data, packed, chosen)) is not None:
            data, packed = gated
        data = (
            rewriter.in_layout(data, native.data_layout) if part is None else self._storage.tensor(part.join)
        )
        biases = [rewriter.new(bias) for bias in extra[: int(native.epilogue.bias)]]
        terms = [rewriter.in_layout(term, native.out_layout) for term in extra[int(native.epilogue.bias) :]]
        return [data, packed, *biases, *terms]

    def packed(self, weight: relax.Expr, chosen: Conv2dImplementation) -> relax.Expr:
        """Return a filter of the new function, packed now if it is constant, else by a call."""
        rewriter, array = self._rewriter, constant(weight)
        if array is not None:
            (packed,) = self._once(
                (weight,), chosen, lambda: [chosen.pack(array.reshape(chosen.workload.filter_shape))]
            )
            return packed
        weight = rewriter.reshaped(weight, chosen.workload.filter_shape)
        if chosen.pack_prim_func is None:
            check_unpacked(chosen)
            return weight
        # Fusing what made the weight into the packing would give one buffer two types.
        function = scheduled(schedule_default(chosen.pack_prim_func, rewriter.target))
        pack = rewriter.add_function(function, "pack_filter")
        packed_type = relax.TensorType(chosen.packed_filter_shape, chosen.workload.dtype)
        return rewriter.emit(relax.call_tir(pack, [weight], packed_type))

    def _once(
        self,
        of: tuple[relax.Expr, ...],
        chosen: Conv2dImplementation,
        make: Callable[[], Sequence[np.ndarray]],
    ) -> Sequence[relax.Expr]:
        """Return constants made of a filter, the first ``of`` these: once for all steps of a recurrent layer
        and blocks of rows, and of equal ones of other blocks' kernels one."""
        key = *of, id(chosen)  # the entry keeps ``chosen`` alive, and its id unique
        if key not in self._packs:
            self._packs[key] = chosen, [self._constant(of[0], array) for array in make()]
        return self._packs[key][1]

    def _constant(self, weight: relax.Expr, array: np.ndarray) -> relax.Expr:
        known = self._alike.setdefault(weight, [])
        for other, made in known:
            if other.dtype == array.dtype and np.array_equal(other, array):
                return made
        known.append((array, make_constant(array)))
        return known[-1][1]

    def _gated(
        self, data: relax.Expr, packed: relax.Expr, chosen: Conv2dImplementation
    ) -> tuple[relax.Expr, relax.Expr] | None:
        """Return a layer's input without the gate that scales its channels, and the packed filter with it;
        None if there is no gate, or the filter cannot take it over."""
        rewriter = self._rewriter
        gated = gated_input(rewriter.graph, data)
        if gated is None or gated.data in self._storage.slices or constant(packed) is None:
            return None
        shape = gate_shape(chosen)
        if shape is None:
            return None
        gate = rewriter.reshaped(rewriter.in_layout(gated.gate, NHWC), shape)
        return gated.data, rewriter.emit(relax.op.multiply(packed, gate), "gated_filter")
