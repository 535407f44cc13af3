"""LowerConv2d: every fused convolution and dense layer becomes one call of the kernel its strategy chooses.

Constant filters are packed here, once, and stored packed. Layers of equal workload share one kernel. What was
chosen is kept as the module attribute ``directconv.layers``, a JSON list with one object per layer.

One file for each decision: the storage of tensors (layer_storage.py), their layouts (layer_layouts.py),
chains (chains.py), kernels (layer_kernels.py) and their operands (layer_operands.py).
"""

from __future__ import annotations

import functools
import json
import weakref
from collections.abc import Mapping
from typing import Any

import tvm
from tvm import relax
from tvm.ir import GlobalVar

from relay_strategies.operators.layouts import NCHW, NHWC
from relay_strategies.passes.layout.kernel_layouts import KernelLayoutRewriter
from relay_strategies.relax import composite
from relay_strategies.relax.graph import dtype_of, rewrite_module, shape_of
from relay_strategies.relax.quantize_calls import DEQUANTIZE
from relay_strategies.strategies import strategy
from relay_strategies.strategies.limits import NO_LIMITS, Limits
from tvm_directconv.algorithms.base import Conv2dImplementation, Plan
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget, resolve_target

from .by_name import Words
from .chains import LayerChain, choose_chains, find_chains
from .layer_kernels import LayerKernels, OnKernel, Tuned
from .layer_layouts import between_edges, in_network_layout, nhwc_source
from .layer_operands import LayerOperands
from .layer_storage import LayerStorage
from .layer_workload import Layer, layers_of

LAYERS = "directconv.layers"


def LowerConv2d(
    target: str | Mapping[str, Any] | tvm.target.Target | CompileTarget,
    algorithm: Words = strategy.AUTO,
    layout: str = NHWC,
    limits: Limits = NO_LIMITS,
    tuning: Tuned | None = None,
    on_kernel: OnKernel | None = None,
    common: Tuned | None = None,
) -> tvm.transform.Pass:
    """Return the pass for ``target``; it wants ``FuseConv2d`` before it.

    Where the algorithm is left open, ``tuning`` may name one and its knobs, and the choice is within the
    ``limits``; where that does not, ``common`` may. ``on_kernel`` is told the kernels as they are made.

    ``layout`` is the one activations are to have between layers: NHWC, NCHW, or a blocked one; what follows
    in it does, and layouts are changed where something needs another.
    """
    resolved = resolve_target(target)

    @tvm.transform.module_pass(opt_level=0, name="directconv.LowerConv2d")
    def lower(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
        kernels = LayerKernels(resolved, algorithm, limits, tuning, on_kernel, common)
        lowered = rewrite_module(module, lambda f, builder: _LowerConv2d(f, builder, kernels, layout))
        kernels.check_names()
        return lowered.with_attr(LAYERS, json.dumps(kernels.layers))

    return lower


class _LowerConv2d(KernelLayoutRewriter):
    """Decides how all layers of a function are computed (``prepare``), then calls their kernels."""

    def __init__(
        self, function: relax.Function, builder: relax.BlockBuilder, kernels: LayerKernels, layout: str
    ) -> None:
        super().__init__(function, builder, kernels.target, layout)
        self._kernels = kernels
        self._chains: dict[relax.Var, tuple[LayerChain, bool]] = {}

    def prepare(self) -> None:
        """Choose all kernels first: layers that cannot be implemented raise before anything is rewritten."""
        self._layers = layers_of(self)
        self._kernels.check_taken((layer.name, layer.workload) for layer in self._layers.values())
        own = weakref.proxy(self)  # in a cycle, the network's weights would live until the next collection
        self._storage = LayerStorage(own, self._layers, self._kernels)
        self._operands = LayerOperands(own, self._storage)
        self._offered = {var: self._offer(layer) for var, layer in self._layers.items()}
        if self.layout == NHWC:
            found = find_chains(self.graph, functools.cache(self._plan))
            used, declined = choose_chains([each for each in found if self._kernels.allows(each.chain)])
            for chains, is_used in ((used, True), (declined, False)):
                self._chains |= {var: (chain, is_used) for chain in chains for var in chain.layers}
        self._workloads: dict[relax.Var, Conv2dWorkload] = {}
        for var, layer in self._layers.items():
            if not self._is_chained(var):
                self._workloads[var] = self._between_edges(layer)
                self._kernels.get(self, layer.name, self._workloads[var])

    def _offer(self, layer: Layer) -> Conv2dWorkload:
        """Return the layer's workload in the layouts and the storage that the network would have it in."""
        if not layer.is_conv2d:
            return layer.workload
        return self._storage.stored(layer) if self.layout == NHWC else in_network_layout(self, layer)

    def _between_edges(self, layer: Layer) -> Conv2dWorkload:
        """Return the workload that is computed: the one that the network offers, or the same in the layouts
        of the network's edges, if the algorithm chosen for that takes them."""
        offered = self._offered[layer.var]
        edges = between_edges(self, layer, offered)
        taken = edges != offered and self._kernels.prefers(layer.name, edges, offered)
        return edges if taken else offered

    def _plan(self, var: relax.Var) -> Plan | None:
        """Return how a layer that may be part of a chain is computed by itself, None for other variables."""
        layer = self._layers.get(var)
        if layer is None or not layer.is_conv2d:
            return None
        return self._kernels.plan(layer.name, self._offered[var])

    def _is_chained(self, var: relax.Var) -> bool:
        """Return whether a layer is computed by the kernel of a chain."""
        return var in self._chains and self._chains[var][1]

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        layer = self._layers.get(var)
        if layer is not None:
            return self._chain(layer) if self._is_chained(var) else self._call(layer)
        if var in self._storage.joins:
            return self._storage.joined(var, value)
        source = nhwc_source(self.graph, var)
        if source is not None and self.is_in(source, NCHW):
            return self.in_layout(source, NCHW)
        return None if self.follow(var, value) else self.new(value)

    def _call(self, layer: Layer) -> relax.Expr | None:
        """Call the kernel of a layer that is computed by itself."""
        var, workload = layer.var, self._workloads[layer.var]
        chosen, kernel = self._kernels.get(self, layer.name, workload)
        self._record(layer, workload, chosen, kernel)
        with self._kernels.errors_of(layer.name, workload):
            native, arguments = chosen.workload, self._operands.of(layer, chosen)
        if native.storage.out_part:
            self._storage.write(self._storage.slices[var].join, kernel, arguments)
            return None
        result_type = relax.TensorType(native.output_shape, native.out_dtype)
        result = self.emit(relax.call_tir(kernel, arguments, result_type), var.name)
        if layer.is_dense:
            if native.out_layout != NHWC:
                result = self.emit(self.changed(result, workload.output_shape, native.out_layout, NHWC))
            return self.reshaped(result, shape_of(var) or workload.output_shape)
        self.hold(var, native.out_layout, result)
        return None

    def _chain(self, last: Layer) -> relax.Expr | None:
        """Call the kernel of a chain at its last layer; its other layers are bound to nothing."""
        chain, _ = self._chains[last.var]
        if last.var != chain.layers[-1]:
            return None
        chosen, kernel = self._kernels.get_chain(self, chain.chain, self._offered[last.var].batch)
        arguments: list[relax.Expr] = []
        for var, part in zip(chain.layers, chosen, strict=True):
            self._record(self._layers[var], self._offered[var], part, kernel)
            data, weight, *extra = map(self.new, self._layers[var].call.arguments)
            arguments += [*([] if arguments else [data]), self._operands.packed(weight, part), *extra]
        result_type = relax.TensorType(chosen[-1].workload.output_shape, chosen[-1].workload.out_dtype)
        return relax.call_tir(kernel, arguments, result_type)

    def _record(
        self, layer: Layer, workload: Conv2dWorkload, chosen: Conv2dImplementation, kernel: GlobalVar
    ) -> None:
        """Report what was chosen for a layer, and the chain that it is or might be part of."""
        before = self.graph.call(layer.call.arguments[0], DEQUANTIZE)
        chain, used = self._chains.get(layer.var, (None, False))
        names = [] if chain is None else [self._layers[var].name for var in chain.layers]
        self._kernels.record(
            layer.name,
            layer.call.name.removeprefix(composite.PREFIX),
            workload,
            (chosen, kernel),
            dequantized="" if before is None else dtype_of(before.args[0]),
            chain=None if chain is None else chain.report(names, used=used),
        )
