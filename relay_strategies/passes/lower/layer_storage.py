"""Memory that layers read and write in place: parts of concatenations and of other tensors, and frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tvm import relax
from tvm.ir import GlobalVar

from relay_strategies.operators.layouts import NHWC
from relay_strategies.passes.layout.concat_slices import ConcatSlice, find_concat_slices, joined_terms
from relay_strategies.passes.layout.kernel_layouts import KernelLayoutRewriter
from relay_strategies.relax.graph import dtype_of, shape_of
from relay_strategies.relax.kernels import scheduled
from relay_strategies.relax.slices import channel_slice
from tvm_directconv.operators.concat import placed_channels
from tvm_directconv.problem.inner_sizes import inside
from tvm_directconv.problem.storage import Storage
from tvm_directconv.problem.workload import Conv2dWorkload

from .layer_kernels import LayerKernels
from .layer_workload import Layer, frames_read


class LayerStorage:
    """The storage of the layers of one network, and the concatenations that they write to.

    Only networks in NHWC have tensors that are read or written in part.
    """

    def __init__(
        self, rewriter: KernelLayoutRewriter, layers: Mapping[relax.Var, Layer], kernels: LayerKernels
    ) -> None:
        self._rewriter, self._layers, self._kernels = rewriter, layers, kernels
        graph, in_parts = rewriter.graph, rewriter.layout == NHWC
        self.slices = find_concat_slices(graph, self._writes_parts, self._reads_parts) if in_parts else {}
        """The slices of concatenations that results are, by the variables they are bound to."""
        self.joins = {each.join for each in self.slices.values()}
        """The variables bound to these concatenations."""
        self._written: dict[relax.Var, relax.Var] = {}

    # ---- decisions

    def stored(self, layer: Layer) -> Conv2dWorkload:
        """Return the layer's workload on the parts of tensors that its input and output are, and with the
        frames in place that its input has side by side, where its kernel can read those."""
        data, out = (
            None if part is None else (part.first, part.channels)
            for part in (self.source(layer), self.slices.get(layer.var))
        )
        workload = replace(layer.workload, storage=Storage(data, out))
        found = frames_read(self._rewriter, layer.call.arguments[0])
        if found is None or workload.groups > 1:
            return workload
        in_place = replace(workload, storage=replace(workload.storage, frames=found[0]))
        return in_place if self._kernels.takes_parts(layer.name, in_place) else workload

    def source(self, layer: Layer) -> ConcatSlice | None:
        """Return the slice of a larger tensor that a layer's input is, None if it is a tensor of its own."""
        part = channel_slice(self._rewriter.graph, layer.call.arguments[0])
        if part is None or not isinstance(part.source, relax.Var):
            return None
        outer = self.slices.get(part.source)
        if outer is not None:
            return replace(outer, first=outer.first + part.first)
        if part.is_whole:
            return None
        return ConcatSlice(part.source, part.first, (shape_of(part.source) or ())[-1])

    def _writes_parts(self, var: relax.Var) -> bool:
        """Return whether a variable is bound to a layer that can write to a part of another tensor."""
        layer = self._layers.get(var)
        if layer is None or layer.workload.epilogue.residual:
            return False
        return self._takes(layer, Storage(out_part=(0, layer.workload.out_channels)))

    def _reads_parts(self, var: relax.Var) -> bool:
        """Return whether a variable is bound to a layer that can read a part of another tensor."""
        layer = self._layers.get(var)
        return layer is not None and self._takes(layer, Storage((0, layer.workload.in_channels)))

    def _takes(self, layer: Layer, storage: Storage) -> bool:
        if not layer.is_conv2d:
            return False
        return self._kernels.takes_parts(layer.name, replace(layer.workload, storage=storage))

    # ---- tensors that are written part by part

    def tensor(self, var: relax.Var) -> relax.Expr:
        """Return the new tensor of an old variable, or of a concatenation that is still being written."""
        return self._written[var] if var in self._written else self._rewriter.new(var)

    def write(self, join: relax.Var, kernel: GlobalVar, arguments: list[relax.Expr]) -> None:
        """Call a kernel that writes part of a concatenation."""
        kind, emit = join.ty, self._rewriter.emit
        if join not in self._written:
            self._written[join] = emit(relax.op.builtin.alloc_tensor(kind.shape, str(kind.dtype), 0))
        arguments = [*arguments, self._written[join]]
        call = relax.op.call_tir_inplace(kernel, arguments, [len(arguments) - 1], kind)
        self._written[join] = emit(call, join.name)

    def joined(self, join: relax.Var, value: relax.Expr) -> relax.Expr:
        """Return the result of a concatenation, whose other terms are copied to their place."""
        rewriter = self._rewriter
        first, shape = 0, shape_of(join) or ()
        for term in joined_terms(join, value):
            extents = shape_of(term) or ()
            if term not in self.slices:
                with inside([extents]):
                    part = shape_of(term) or ()
                    kernel = placed_channels(part, first, shape[-1], rewriter.target, dtype=dtype_of(join))
                self.write(join, rewriter.add_function(scheduled(kernel), "place"), [rewriter.new(term)])
            first += extents[-1]
        return self._written[join]
