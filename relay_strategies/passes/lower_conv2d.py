"""LowerConv2d: every fused convolution and dense layer becomes one call of the kernel its strategy chooses.

Constant filters are packed here, once, and stored packed. Layers of equal workload share one kernel. What was
chosen is kept as the module attribute ``directconv.layers``, a JSON list with one object per layer.
"""

from __future__ import annotations

import fnmatch
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

import tvm
from tvm import relax
from tvm.ir import GlobalVar

from relay_strategies.operators.layouts import NCHW, NHWC
from relay_strategies.relax import composite
from relay_strategies.relax.graph import (
    Graph,
    Rewriter,
    constant,
    dtype_of,
    ints,
    make_constant,
    operator_name,
    rewrite_module,
    shape_of,
)
from relay_strategies.relax.kernels import scheduled
from relay_strategies.relax.quantization import DEQUANTIZE
from relay_strategies.relax.slices import channel_slice
from relay_strategies.relax.steps import steps_of
from relay_strategies.strategies import strategy
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.algorithms.base import Conv2dImplementation
from tvm_directconv.errors import AlgorithmError, nearest
from tvm_directconv.operators.concat import placed_channels
from tvm_directconv.operators.default_schedule import schedule_default
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue, channel_block
from tvm_directconv.targets.target import CompileTarget, resolve_target

from .forms import FormsRewriter
from .layer_report import layer_report
from .places import Place, find_places, joined_terms
from .quantized_layer import quantized_operands, quantized_options

LAYERS = "directconv.layers"
Algorithms = str | Mapping[str, str]
"""It names one algorithm for all layers, or algorithms by layer name or pattern ("*" for those not named)."""
Tuned = Callable[[Conv2dWorkload, CompileTarget, int | None], tuple[str, Any] | None]
"""It takes a workload, a target and the most bytes of workspace, and returns the algorithm and knobs that are
known to be fastest, None for a layer that is not known."""


def LowerConv2d(
    target: str | Mapping[str, Any] | tvm.target.Target | CompileTarget,
    algorithm: Algorithms = strategy.AUTO,
    layout: str = NHWC,
    max_workspace_bytes: int | None = None,
    tuning: Tuned | None = None,
) -> tvm.transform.Pass:
    """The pass for ``target``; wants ``FuseConv2d`` before it.

    Where the algorithm is left open, ``tuning`` may name one and its knobs.

    ``layout`` is the one activations are to have between layers: NHWC, NCHW, or a blocked one; what follows
    in it does, and layouts are changed where something needs another.
    """
    resolved = resolve_target(target)

    @tvm.transform.module_pass(opt_level=0, name="directconv.LowerConv2d")
    def lower(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
        kernels = _Kernels(resolved, algorithm, max_workspace_bytes, tuning)
        lowered = rewrite_module(module, lambda f, builder: _LowerConv2d(f, builder, kernels, layout))
        kernels.check_names()
        return lowered.with_attr(LAYERS, json.dumps(kernels.layers))

    return lower


class _Kernels:
    """The kernels of one module, by workload and algorithm, and the record of the layers that call them."""

    def __init__(
        self,
        target: CompileTarget,
        algorithm: Algorithms,
        max_workspace_bytes: int | None,
        tuning: Tuned | None = None,
    ) -> None:
        self.target, self._tuning = target, tuning
        self._tuned: set[Conv2dWorkload] = set()
        self._by_name = {"*": algorithm} if isinstance(algorithm, str) else dict(algorithm)
        self._budget = max_workspace_bytes
        self._known: dict[tuple[Conv2dWorkload, str], tuple[Conv2dImplementation, GlobalVar]] = {}
        self._matched: set[str] = set()
        self._names: list[str] = []
        self.layers: list[dict[str, Any]] = []

    def get(
        self, rewriter: Rewriter, name: str, workload: Conv2dWorkload
    ) -> tuple[Conv2dImplementation, GlobalVar]:
        key = workload, self._algorithm(name)
        if key not in self._known:
            chosen = self._implement(workload, key[1])
            function = rewriter.add_function(scheduled(chosen.prim_func), _kernel_name(chosen))
            self._known[key] = chosen, function
        return self._known[key]

    def _implement(self, workload: Conv2dWorkload, algorithm: str) -> Conv2dImplementation:
        """Of parts of tensors, what is chosen for whole ones, on parts where that takes them."""
        found, whole = self._tuned_choice(workload, algorithm), workload.of_whole_tensors()
        if found is not None:
            self._tuned.add(workload)
        name, knobs = (algorithm, None) if found is None else found
        if workload.has_parts:
            name = self._selected(whole, name)
            workload = workload if _takes(name, workload) else whole
        return strategy.implement_conv2d(workload, self.target, name, self._budget, knobs)

    def _tuned_choice(self, workload: Conv2dWorkload, algorithm: str) -> tuple[str, Any] | None:
        if self._tuning is None or algorithm != strategy.AUTO:
            return None
        return self._tuning(workload.of_whole_tensors(), self.target, self._budget)

    def _selected(self, workload: Conv2dWorkload, algorithm: str) -> str:
        offers = strategy.conv2d_strategy(workload, self.target)
        return offers.select(workload, self.target, algorithm, self._budget).name

    def takes_parts(self, name: str, workload: Conv2dWorkload) -> bool:
        """Whether what is chosen for the layer of that name reads and writes the parts of its workload."""
        whole, algorithm = workload.of_whole_tensors(), self._algorithm(name)
        found = self._tuned_choice(whole, algorithm)
        return _takes(self._selected(whole, algorithm if found is None else found[0]), workload)

    def _algorithm(self, name: str) -> str:
        """A layer's own name goes before patterns, and those in the order they were given."""
        self._names.append(name)
        matching = [p for p in self._by_name if p == name or fnmatch.fnmatchcase(name, p)]
        self._matched.update(matching)
        matching.sort(key=lambda pattern: (pattern != name, pattern == "*"))
        return self._by_name[matching[0]] if matching else strategy.AUTO

    def check_names(self) -> None:
        for pattern in self._by_name:
            if pattern != "*" and pattern not in self._matched:
                hint = nearest(pattern, self._names)
                raise AlgorithmError(f"algorithm given for '{pattern}', but no layer has that name{hint}")

    def record(self, name: str, kind: str, workload: Conv2dWorkload, dequantized: str) -> None:
        chosen, kernel = self._known[workload, self._algorithm(name)]
        copied = sum(strategy.layout_copies(workload, chosen.workload).values())
        report = replace(layer_report(name, kind, kernel.name_hint, chosen, copied), dequantized=dequantized)
        if self._tuning is not None:
            report = replace(report, tuned=workload in self._tuned)
        self.layers.append(asdict(report))


class _LowerConv2d(FormsRewriter):
    def __init__(
        self, function: relax.Function, builder: relax.BlockBuilder, kernels: _Kernels, layout: str
    ) -> None:
        super().__init__(function, builder, kernels.target, layout)
        self._kernels = kernels
        self._places: dict[relax.Var, Place] = {}
        self._joins: set[relax.Var] = set()
        self._joined: dict[relax.Var, relax.Var] = {}

    def prepare(self) -> None:
        """Choose all kernels first: what cannot be implemented is said before anything is rewritten."""
        if self.layout == NHWC:
            self._places = find_places(self.graph, self._writes_parts, self._reads_parts)
            self._joins = {place.join for place in self._places.values()}
        for var, value in self.graph.bindings:
            layer = self._layer(value)
            if layer is not None:
                self._kernels.get(self, _layer_name(var, value), self._offered(var, layer))

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
        return self._kernels.takes_parts(_layer_name(var, self.graph.definition[var]), workload)

    def _reads_parts(self, var: relax.Var) -> bool:
        """Whether a variable is bound to a convolution that can read a part of another tensor."""
        layer = self._layer(self.graph.definition[var])
        if layer is None or layer.name != composite.CONV2D:
            return False
        workload = conv2d_workload(layer)
        workload = replace(workload, data_part=(0, workload.in_channels))
        return self._kernels.takes_parts(_layer_name(var, self.graph.definition[var]), workload)

    def _part(self, layer: composite.Composite) -> Place | None:
        """What a layer's input is a part of, wherever that lies."""
        part = channel_slice(self.graph, layer.arguments[0])
        if part is None or not isinstance(part.source, relax.Var):
            return None
        place = self._places.get(part.source)
        if place is not None:
            return replace(place, first=place.first + part.first)
        return None if part.is_whole else Place(part.source, part.first, (shape_of(part.source) or ())[-1])

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
                kernel = placed_channels(extents, first, shape[-1], self.target)
                self._write(join, self.add_function(scheduled(kernel), "place"), [self.new(term)])
            first += extents[-1]
        return self._joined[join]

    # ---- layers

    def _layer(self, value: relax.Expr) -> composite.Composite | None:
        found = composite.composite_of(self, value)
        layers = (composite.CONV2D, composite.DENSE, composite.QCONV2D, composite.QDENSE)
        return found if found is not None and found.name in layers else None

    def _offered(self, var: relax.Var, layer: composite.Composite) -> Conv2dWorkload:
        """The layer's workload in the layouts the network would have it in, on the parts of tensors that its
        input and output are. The network's first layers may read their input as it came."""
        workload = conv2d_workload(layer)
        if layer.name != composite.CONV2D:
            return workload
        if self.layout == NHWC:
            data, out = self._part(layer), self._places.get(var)
            parts = [None if place is None else (place.first, place.channels) for place in (data, out)]
            return replace(workload, data_part=parts[0], out_part=parts[1])
        block = channel_block(self.layout)
        if block and workload.in_channels < block and self.original(layer.arguments[0]) is not None:
            return workload.in_layouts(NCHW, self.layout)
        return workload.in_layouts(self.layout)

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        layer = self._layer(value)
        if layer is None and var in self._joins:
            return self._join(var, value)
        if layer is None:
            return None if self.follow(var, value) else self.new(value)
        name, workload = _layer_name(var, value), self._offered(var, layer)
        chosen, kernel = self._kernels.get(self, name, workload)
        before = self.graph.call(layer.arguments[0], DEQUANTIZE)
        dequantized = "" if before is None else dtype_of(before.args[0])
        self._kernels.record(name, layer.name.removeprefix(composite.PREFIX), workload, dequantized)
        native = chosen.workload
        data, weight, *extra = layer.arguments
        dense = layer.name in (composite.DENSE, composite.QDENSE)
        if native.quantized:
            source = self._shaped(self.new(data), native.input_shape) if dense else self.form(data, NHWC)
            arguments = [source, *map(make_constant, quantized_operands(layer, chosen))]
        elif dense:
            arguments = [self.new(argument) for argument in layer.arguments]
            for position in (0, 3 if workload.epilogue.bias else 2):
                if position < len(arguments):
                    shape = workload.input_shape if position == 0 else workload.output_shape
                    arguments[position] = self._shaped(arguments[position], shape)
            arguments[1] = self._packed(arguments[1], chosen)
        else:
            part = self._part(layer) if native.data_part else None
            source = self.form(data, native.data_layout) if part is None else self._stored(part.join)
            arguments = [source, self._packed(self.new(weight), chosen)]
            arguments += [self.new(bias) for bias in extra[: int(native.epilogue.bias)]]
            arguments += [self.form(term, native.out_layout) for term in extra[int(native.epilogue.bias) :]]
        if native.out_part:
            self._write(self._places[var].join, kernel, arguments)
            return None
        result_type = relax.TensorType(native.output_shape, native.out_dtype)
        result = self.emit(relax.call_tir(kernel, arguments, result_type), var.name)
        if dense:
            return self._shaped(result, shape_of(var) or workload.output_shape)
        self.set_form(var, native.out_layout, result)
        return None

    def _packed(self, weight: relax.Expr, chosen: Conv2dImplementation) -> relax.Expr:
        array = constant(weight)
        if array is not None:
            return make_constant(chosen.pack(array.reshape(chosen.workload.filter_shape)))
        weight = self._shaped(weight, chosen.workload.filter_shape)
        if chosen.pack_prim_func is None:
            return weight
        # Fusing what made the weight into the packing would give one buffer two types.
        function = scheduled(schedule_default(chosen.pack_prim_func, self.target))
        pack = self.add_function(function, "pack_filter")
        packed_type = relax.TensorType(chosen.packed_filter_shape, chosen.workload.dtype)
        return self.emit(relax.call_tir(pack, [weight], packed_type))

    def _shaped(self, data: relax.Expr, shape: tuple[int, ...]) -> relax.Expr:
        return data if shape_of(data) == shape else self.emit(relax.op.reshape(data, shape))


def _takes(algorithm: str, workload: Conv2dWorkload) -> bool:
    """Whether an algorithm of this library has that name, and takes the workload."""
    return algorithm in ALGORITHMS and ALGORITHMS[algorithm].takes(workload)


def _layer_name(var: relax.Var, value: relax.Expr) -> str:
    return value.span.source_name.name if value.span else var.name


def conv2d_workload(layer: composite.Composite) -> Conv2dWorkload:
    """The workload of a composite convolution or dense layer.

    A dense layer of M rows is a 1x1 convolution over a map one pixel high and M wide, so that rows share
    the filter's registers as pixels do.
    """
    attributes = layer.attributes
    options: dict[str, Any]
    if layer.name in (composite.QCONV2D, composite.QDENSE):
        options = quantized_options(layer)
    else:
        options = {"epilogue": Epilogue(bool(attributes["bias"]), steps=steps_of(attributes))}
    data = shape_of(layer.arguments[0])
    weight = shape_of(layer.arguments[1])
    assert data is not None and weight is not None
    if layer.name in (composite.DENSE, composite.QDENSE):
        outputs = weight[0] if attributes["transposed"] else weight[1]
        return Conv2dWorkload(
            1,
            1,
            math.prod(data[:-1]),
            data[-1],
            outputs,
            (1, 1),
            filter_layout="OIHW" if attributes["transposed"] else "HWIO",
            **options,
        )
    graph = Graph(layer.function)
    call = next(v for _, v in graph.bindings if operator_name(v) == "relax.nn.conv2d")
    layout = str(call.attrs.kernel_layout)
    extent = dict(zip(layout, weight, strict=True))
    batch, height, width, channels = data
    return Conv2dWorkload(
        batch,
        height,
        width,
        channels,
        extent["O"],
        (extent["H"], extent["W"]),
        strides=ints(call.attrs.strides),
        padding=ints(call.attrs.padding),
        dilation=ints(call.attrs.dilation),
        groups=int(call.attrs.groups),
        filter_layout=layout,
        **options,
    )


def _kernel_name(chosen: Conv2dImplementation) -> str:
    w = chosen.workload
    text = (
        f"{chosen.name}_{w.in_channels}x{w.height}x{w.width}_{w.out_channels}"
        f"_k{w.kernel[0]}x{w.kernel[1]}_s{w.strides[0]}x{w.strides[1]}"
    )
    parts = ["bias"] if w.epilogue.bias else []
    return "_".join([text, *parts, *(step.name for step in w.epilogue.steps)])
