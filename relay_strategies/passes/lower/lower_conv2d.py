"""LowerConv2d: every fused convolution and dense layer becomes one call of the kernel its strategy chooses.

Constant filters are packed here, once, and stored packed. Layers of equal workload share one kernel. What was
chosen is kept as the module attribute ``directconv.layers``, a JSON list with one object per layer.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import tvm
from tvm import relax
from tvm.ir import GlobalVar

from relay_strategies.operators.layouts import NCHW, NHWC, TO_NCHW
from relay_strategies.passes.layout.forms import FormsRewriter
from relay_strategies.passes.layout.places import Place, find_places, joined_terms
from relay_strategies.relax import composite
from relay_strategies.relax.graph import (
    constant,
    dtype_of,
    make_constant,
    rewrite_module,
    shape_of,
)
from relay_strategies.relax.kernels import scheduled
from relay_strategies.relax.quantization import DEQUANTIZE
from relay_strategies.relax.slices import channel_slice
from relay_strategies.relax.views import axes_of
from relay_strategies.strategies import strategy
from relay_strategies.strategies.limits import NO_LIMITS, Limits
from relay_strategies.strategies.operands import check_unpacked
from tvm_directconv.algorithms.base import Conv2dImplementation, Plan
from tvm_directconv.operators.concat import placed_channels
from tvm_directconv.operators.default_schedule import schedule_default
from tvm_directconv.problem.workload import Conv2dWorkload, channel_block
from tvm_directconv.targets.target import CompileTarget, resolve_target

from .by_name import Words
from .chains import LayerChain, choose_chains, find_chains
from .gates import gate_shape, gated_input
from .layer_kernels import LayerKernels, OnKernel, Tuned
from .layer_workload import conv2d_workload, frames_read, layer_name
from .quantized_layer import quantized_operands

LAYERS = "directconv.layers"


def LowerConv2d(
    target: str | Mapping[str, Any] | tvm.target.Target | CompileTarget,
    algorithm: Words = strategy.AUTO,
    layout: str = NHWC,
    limits: Limits = NO_LIMITS,
    tuning: Tuned | None = None,
    on_kernel: OnKernel | None = None,
) -> tvm.transform.Pass:
    """The pass for ``target``; wants ``FuseConv2d`` before it.

    Where the algorithm is left open, ``tuning`` may name one and its knobs, and the choice is within the
    ``limits``. ``on_kernel`` is told the kernels as they are made.

    ``layout`` is the one activations are to have between layers: NHWC, NCHW, or a blocked one; what follows
    in it does, and layouts are changed where something needs another.
    """
    resolved = resolve_target(target)

    @tvm.transform.module_pass(opt_level=0, name="directconv.LowerConv2d")
    def lower(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
        kernels = LayerKernels(resolved, algorithm, limits, tuning, on_kernel)
        lowered = rewrite_module(module, lambda f, builder: _LowerConv2d(f, builder, kernels, layout))
        kernels.check_names()
        return lowered.with_attr(LAYERS, json.dumps(kernels.layers))

    return lower


class _LowerConv2d(FormsRewriter):
    def __init__(
        self, function: relax.Function, builder: relax.BlockBuilder, kernels: LayerKernels, layout: str
    ) -> None:
        super().__init__(function, builder, kernels.target, layout)
        self._kernels = kernels
        self._edged: dict[relax.Var, Conv2dWorkload] = {}
        self._packs: dict[tuple[relax.Expr, int], tuple[Conv2dImplementation, relax.Expr]] = {}
        self._places: dict[relax.Var, Place] = {}
        self._joins: set[relax.Var] = set()
        self._joined: dict[relax.Var, relax.Var] = {}
        self._chained: dict[relax.Var, LayerChain] = {}
        self._unchained: dict[relax.Var, LayerChain] = {}

    def prepare(self) -> None:
        """Choose all kernels first: what cannot be implemented is said before anything is rewritten."""
        layers = ((var, self._layer(value)) for var, value in self.graph.bindings)
        self._kernels.check_taken((self._name(var), conv2d_workload(each)) for var, each in layers if each)
        if self.layout == NHWC:
            self._places = find_places(self.graph, self._writes_parts, self._reads_parts)
            self._joins = {place.join for place in self._places.values()}
            found = find_chains(self.graph, functools.cache(self._plan))
            used, declined = choose_chains([each for each in found if self._kernels.allows(each.chain)])
            self._chained = {var: each for each in used for var in each.layers}
            self._unchained = {var: each for each in declined for var in each.layers}
        for var, value in self.graph.bindings:
            layer = self._layer(value)
            if layer is not None and var not in self._chained:
                self._kernels.get(self, self._name(var), self._wanted(var, layer))

    def _plan(self, var: relax.Var) -> Plan | None:
        """How a layer is computed by itself that may be part of a chain."""
        layer = self._layer(self.graph.definition[var])
        if layer is None or layer.name != composite.CONV2D:
            return None
        return self._kernels.plan(self._name(var), self._offered(var, layer))

    # ---- parts of tensors

    def _writes_parts(self, var: relax.Var) -> bool:
        """Whether a variable is bound to a convolution that can write to a part of another tensor."""
        layer = self._layer(self.graph.definition.get(var))
        if layer is None or layer.name != composite.CONV2D:
            return False
        workload = conv2d_workload(layer)
        if workload.epilogue.residual:
            return False
        workload = replace(workload, out_part=(0, workload.out_channels))
        return self._kernels.takes_parts(self._name(var), workload)

    def _reads_parts(self, var: relax.Var) -> bool:
        """Whether a variable is bound to a convolution that can read a part of another tensor."""
        layer = self._layer(self.graph.definition[var])
        if layer is None or layer.name != composite.CONV2D:
            return False
        workload = conv2d_workload(layer)
        workload = replace(workload, data_part=(0, workload.in_channels))
        return self._kernels.takes_parts(self._name(var), workload)

    def _part(self, layer: composite.Composite) -> Place | None:
        """What a layer's input is a part of, wherever that lies."""
        part = channel_slice(self.graph, layer.arguments[0])
        if part is None or not isinstance(part.source, relax.Var):
            return None
        place = self._places.get(part.source)
        if place is not None:
            return replace(place, first=place.first + part.first)
        return None if part.is_whole else Place(part.source, part.first, (shape_of(part.source) or ())[-1])

    def _reading_frames(self, var: relax.Var, workload: Conv2dWorkload) -> Conv2dWorkload:
        """The workload with the frames in place that its input has side by side, where its kernel can."""
        layer = self._layer(self.graph.definition[var])
        found = None if layer is None else frames_read(self, layer.arguments[0])
        if found is None or workload.groups > 1:
            return workload
        in_place = replace(workload, frames=found[0])
        return in_place if self._kernels.takes_parts(self._name(var), in_place) else workload

    def _stored(self, var: relax.Var) -> relax.Expr:
        """The new tensor of an old variable, or of a concatenation that is still being written."""
        return self._joined[var] if var in self._joined else self.new(var)

    def _write(self, join: relax.Var, kernel: GlobalVar, arguments: list[relax.Expr]) -> None:
        """Call a kernel that writes part of a concatenation."""
        kind = join.ty
        if join not in self._joined:
            self._joined[join] = self.emit(relax.op.builtin.alloc_tensor(kind.shape, str(kind.dtype), 0))
        arguments = [*arguments, self._joined[join]]
        call = relax.op.call_tir_inplace(kernel, arguments, [len(arguments) - 1], kind)
        self._joined[join] = self.emit(call, join.name)

    def _join(self, join: relax.Var, value: relax.Expr) -> relax.Expr:
        """The result of a concatenation, whose other terms are copied to their place."""
        first, shape = 0, shape_of(join) or ()
        for term in joined_terms(join, value):
            extents = shape_of(term) or ()
            if term not in self._places:
                kernel = placed_channels(extents, first, shape[-1], self.target, dtype=dtype_of(join))
                self._write(join, self.add_function(scheduled(kernel), "place"), [self.new(term)])
            first += extents[-1]
        return self._joined[join]

    # ---- layers

    def _name(self, var: relax.Var) -> str:
        return layer_name(var, self.graph.definition[var])

    def _layer(self, value: relax.Expr) -> composite.Composite | None:
        found = composite.composite_of(self, value)
        return found if found is not None and found.name in composite.LAYERS else None

    def _offered(self, var: relax.Var, layer: composite.Composite) -> Conv2dWorkload:
        """The layer's workload in the layouts the network would have it in, on the parts of tensors that its
        input and output are. The network's first layers may read their input as it came."""
        workload = conv2d_workload(layer)
        if layer.name != composite.CONV2D:
            return workload
        if self.layout == NHWC:
            data, out = self._part(layer), self._places.get(var)
            parts = [None if place is None else (place.first, place.channels) for place in (data, out)]
            return self._reading_frames(var, replace(workload, data_part=parts[0], out_part=parts[1]))
        block = channel_block(self.layout)
        if block and workload.in_channels < block and self.original(layer.arguments[0]) is not None:
            return workload.in_layouts(NCHW, self.layout)
        return workload.in_layouts(self.layout)

    def _wanted(self, var: relax.Var, layer: composite.Composite) -> Conv2dWorkload:
        """What is offered, or the same between NCHW edges where the algorithm chosen for that takes them."""
        offered = self._offered(var, layer)
        if var not in self._edged:
            edges = self._between_edges(var, layer, offered)
            taken = edges != offered and self._kernels.prefers(self._name(var), edges, offered)
            self._edged[var] = edges if taken else offered
        return self._edged[var]

    def _between_edges(
        self, var: relax.Var, layer: composite.Composite, workload: Conv2dWorkload
    ) -> Conv2dWorkload:
        """The workload in the layouts of the network's edges that it lies at: its input is there in NCHW, and
        nothing else reads it in NHWC; its result is only wanted in NCHW, and its residual is there so. One
        channel is in NCHW what it is in NHWC."""
        if self.layout != NHWC or layer.name != composite.CONV2D or workload.has_parts:
            return workload
        data, _, *extra = layer.arguments
        first = isinstance(data, relax.Var) and self.graph.uses[data] == 1 and self.original(data) is not None
        readers = self.graph.consumers.get(var, [])
        last = self.graph.uses[var] == len(readers) > 0 and all(
            self._in_nchw(reader) is not None for reader in readers
        )
        terms = extra[int(workload.epilogue.bias) :]
        last = last and all(self.original(term) is not None for term in terms)
        last = last or workload.out_channels == 1
        return workload.in_layouts(NCHW if first else NHWC, NCHW if last else NHWC)

    def _in_nchw(self, var: relax.Var) -> relax.Var | None:
        """The NHWC variable that one bound to a change of layout is the NCHW form of."""
        call = self.graph.call(var, "relax.permute_dims")
        if call is None or axes_of(call) != TO_NCHW:
            return None
        return call.args[0]

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        layer = self._layer(value)
        if layer is None and var in self._joins:
            return self._join(var, value)
        if layer is None and (source := self._in_nchw(var)) is not None and self.has_form(source, NCHW):
            return self.form(source, NCHW)
        if layer is None:
            return None if self.follow(var, value) else self.new(value)
        if var in self._chained:
            return self._chain(var, self._chained[var])
        name, workload = self._name(var), self._wanted(var, layer)
        chosen, kernel = self._kernels.get(self, name, workload)
        self._record(var, layer, chosen, kernel)
        native, dense = chosen.workload, layer.name in (composite.DENSE, composite.QDENSE)
        if native.quantized:
            arguments = self._quantized_operands(layer, chosen, dense=dense)
        elif dense:
            arguments = self._dense_operands(layer, workload, chosen)
        else:
            arguments = self._conv_operands(layer, chosen)
        if native.out_part:
            self._write(self._places[var].join, kernel, arguments)
            return None
        result_type = relax.TensorType(native.output_shape, native.out_dtype)
        result = self.emit(relax.call_tir(kernel, arguments, result_type), var.name)
        if dense:
            if native.out_layout != NHWC:
                result = self.emit(self._change(result, workload.output_shape, native.out_layout, NHWC))
            return self.reshaped(result, shape_of(var) or workload.output_shape)
        self.set_form(var, native.out_layout, result)
        return None

    def _quantized_operands(
        self, layer: composite.Composite, chosen: Conv2dImplementation, *, dense: bool
    ) -> list[relax.Expr]:
        """Data, packed filter and tables, and the residual."""
        native = chosen.workload

        def rows(term: relax.Expr, shape: tuple[int, ...]) -> relax.Expr:
            return self.reshaped(self.new(term), shape) if dense else self.form(term, NHWC)

        operands = [rows(layer.arguments[0], native.input_shape)]
        operands += map(make_constant, quantized_operands(layer, chosen))
        if native.epilogue.residual:
            operands.append(rows(layer.arguments[-1], native.output_shape))
        return operands

    def _dense_operands(
        self, layer: composite.Composite, workload: Conv2dWorkload, chosen: Conv2dImplementation
    ) -> list[relax.Expr]:
        """Data, packed filter, bias and residual, the rows of which are pixels of a 1x1 convolution."""
        native = chosen.workload
        operands = [self.new(argument) for argument in layer.arguments]
        for position in (0, 3 if workload.epilogue.bias else 2):
            if position < len(operands):
                shape = workload.input_shape if position == 0 else workload.output_shape
                layout = native.data_layout if position == 0 else native.out_layout
                rows = self.reshaped(operands[position], shape)
                operands[position] = rows if layout == NHWC else self._change(rows, shape, NHWC, layout)
        operands[1] = self._packed(operands[1], chosen)
        return operands

    def _conv_operands(self, layer: composite.Composite, chosen: Conv2dImplementation) -> list[relax.Expr]:
        """Data, packed filter, bias and residual, the data where they lie: a part of another tensor, frames
        side by side, or what a gate scales, which the filter takes over."""
        native = chosen.workload
        data, weight, *extra = layer.arguments
        part = self._part(layer) if native.data_part else None
        packed = self._packed(self.new(weight), chosen)
        if native.frames is not None and (found := frames_read(self, data)) is not None:
            _, data = found
        elif part is None and (gated := self._gated(data, packed, chosen)) is not None:
            data, packed = gated
        operands = [self.form(data, native.data_layout) if part is None else self._stored(part.join), packed]
        operands += [self.new(bias) for bias in extra[: int(native.epilogue.bias)]]
        operands += [self.form(term, native.out_layout) for term in extra[int(native.epilogue.bias) :]]
        return operands

    def _record(
        self, var: relax.Var, layer: composite.Composite, chosen: Conv2dImplementation, kernel: GlobalVar
    ) -> None:
        before = self.graph.call(layer.arguments[0], DEQUANTIZE)
        chain = self._chained.get(var, self._unchained.get(var))
        self._kernels.record(
            self._name(var),
            layer.name.removeprefix(composite.PREFIX),
            self._offered(var, layer) if var in self._chained else self._wanted(var, layer),
            (chosen, kernel),
            dequantized="" if before is None else dtype_of(before.args[0]),
            chain=None if chain is None else self._told(chain, used=var in self._chained),
        )

    def _told(self, chain: LayerChain, *, used: bool) -> dict[str, Any]:
        return chain.report([self._name(var) for var in chain.layers], used=used)

    def _chain(self, var: relax.Var, chain: LayerChain) -> relax.Expr | None:
        """The call of a chain's kernel, where its last layer stands."""
        if var != chain.layers[-1]:
            return None
        chosen, kernel = self._kernels.get_chain(self, chain.chain)
        arguments: list[relax.Expr] = []
        for at, part in zip(chain.layers, chosen, strict=True):
            layer = self._layer(self.graph.definition[at])
            assert layer is not None
            self._record(at, layer, part, kernel)
            data, weight, *extra = map(self.new, layer.arguments)
            arguments += [*([] if arguments else [data]), self._packed(weight, part), *extra]
        result_type = relax.TensorType(chosen[-1].workload.output_shape, chosen[-1].workload.out_dtype)
        return relax.call_tir(kernel, arguments, result_type)

    def _packed(self, weight: relax.Expr, chosen: Conv2dImplementation) -> relax.Expr:
        array = constant(weight)
        if array is not None:
            # Once, for all steps of a recurrent layer; what is kept with it keeps the number its own.
            key = weight, id(chosen)
            if key not in self._packs:
                packed = make_constant(chosen.pack(array.reshape(chosen.workload.filter_shape)))
                self._packs[key] = chosen, packed
            return self._packs[key][1]
        weight = self.reshaped(weight, chosen.workload.filter_shape)
        if chosen.pack_prim_func is None:
            check_unpacked(chosen)
            return weight
        # Fusing what made the weight into the packing would give one buffer two types.
        function = scheduled(schedule_default(chosen.pack_prim_func, self.target))
        pack = self.add_function(function, "pack_filter")
        packed_type = relax.TensorType(chosen.packed_filter_shape, chosen.workload.dtype)
        return self.emit(relax.call_tir(pack, [weight], packed_type))

    def _gated(
        self, data: relax.Expr, packed: relax.Expr, chosen: Conv2dImplementation
    ) -> tuple[relax.Expr, relax.Expr] | None:
        """A layer's input without the gate that scales its channels, and the packed filter with it."""
        gated = gated_input(self.graph, data)
        if gated is None or gated.data in self._places or constant(packed) is None:
            return None
        shape = gate_shape(chosen)
        if shape is None:
            return None
        gate = self.reshaped(self.form(gated.gate, NHWC), shape)
        return gated.data, self.emit(relax.op.multiply(packed, gate), "gated_filter")
