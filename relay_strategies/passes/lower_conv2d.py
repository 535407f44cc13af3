"""LowerConv2d: every fused convolution and dense layer becomes one call of the kernel its strategy chooses.

Constant filters are packed here, once, and stored packed. Layers of equal workload share one kernel. What was
chosen is kept as the module attribute ``directconv.layers``, a JSON list with one object per layer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import tvm
from tvm import relax
from tvm.ir import GlobalVar

from tvm_directconv.algorithms.base import Conv2dImplementation
from tvm_directconv.target import CompileTarget, resolve_target
from tvm_directconv.workload import Conv2dWorkload, Epilogue

from .. import strategy
from ..report import layer_report
from . import composite
from .graph import Graph, Rewriter, constant, ints, make_constant, operator_name, rewrite_module, shape_of

LAYERS = "directconv.layers"
OPAQUE = 8  # relax's OpPatternKind.kOpaque: FuseOps leaves such a kernel alone


def LowerConv2d(
    target: str | Mapping[str, Any] | tvm.target.Target | CompileTarget, algorithm: str = strategy.AUTO
) -> tvm.transform.Pass:
    """The pass for ``target``; ``algorithm`` names one for all layers. Wants ``FuseConv2d`` before it."""
    resolved = resolve_target(target)

    @tvm.transform.module_pass(opt_level=0, name="directconv.LowerConv2d")
    def lower(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
        kernels = _Kernels(resolved, algorithm)
        lowered = rewrite_module(module, lambda f, builder: _LowerConv2d(f, builder, kernels))
        return lowered.with_attr(LAYERS, json.dumps(kernels.layers))

    return lower


class _Kernels:
    """The kernels of one module, by workload, and the record of the layers that call them."""

    def __init__(self, target: CompileTarget, algorithm: str) -> None:
        self._target, self._algorithm = target, algorithm
        self._known: dict[Conv2dWorkload, tuple[Conv2dImplementation, GlobalVar]] = {}
        self.layers: list[dict[str, Any]] = []

    def get(self, rewriter: Rewriter, workload: Conv2dWorkload) -> tuple[Conv2dImplementation, GlobalVar]:
        if workload not in self._known:
            chosen = strategy.implement_conv2d(workload, self._target, self._algorithm)
            function = chosen.prim_func.without_attr("global_symbol").with_attr("op_pattern", OPAQUE)
            self._known[workload] = chosen, rewriter.add_function(function, _kernel_name(chosen))
        return self._known[workload]

    def record(self, name: str, kind: str, workload: Conv2dWorkload) -> None:
        chosen, kernel = self._known[workload]
        self.layers.append(asdict(layer_report(name, kind, kernel.name_hint, chosen)))


class _LowerConv2d(Rewriter):
    def __init__(self, function: relax.Function, builder: relax.BlockBuilder, kernels: _Kernels) -> None:
        super().__init__(function, builder)
        self._kernels = kernels

    def prepare(self) -> None:
        """Choose all kernels first: what cannot be implemented is said before anything is rewritten."""
        for _, value in self.graph.bindings:
            layer = self._layer(value)
            if layer is not None:
                self._kernels.get(self, conv2d_workload(layer))

    def _layer(self, value: relax.Expr) -> composite.Composite | None:
        found = composite.composite_of(self, value)
        layers = (composite.CONV2D, composite.DENSE)
        return found if found is not None and found.name in layers else None

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        found = self._layer(value)
        if found is None:
            return self.new(value)
        arguments = [self.new(argument) for argument in found.arguments]
        workload = conv2d_workload(found)
        chosen, kernel = self._kernels.get(self, workload)
        arguments[1] = self._packed(arguments[1], chosen)
        for position in (0, 3 if workload.epilogue.bias else 2):
            if position < len(arguments):
                arguments[position] = self._shaped(
                    arguments[position],
                    workload.input_shape if position == 0 else workload.output_shape,
                )
        name = value.span.source_name.name if value.span else var.name
        self._kernels.record(name, found.name.removeprefix(composite.PREFIX), workload)
        result_type = relax.TensorType(workload.output_shape, workload.dtype)
        result = self.emit(relax.call_tir(kernel, arguments, result_type), var.name)
        return self._shaped(result, shape_of(var) or workload.output_shape)

    def _packed(self, weight: relax.Expr, chosen: Conv2dImplementation) -> relax.Expr:
        array = constant(weight)
        if array is not None:
            return make_constant(chosen.pack(array.reshape(chosen.workload.filter_shape)))
        weight = self._shaped(weight, chosen.workload.filter_shape)
        if chosen.pack_prim_func is None:
            return weight
        pack = self.add_function(chosen.pack_prim_func.without_attr("global_symbol"), "pack_filter")
        packed_type = relax.TensorType(chosen.packed_filter_shape, chosen.workload.dtype)
        return self.emit(relax.call_tir(pack, [weight], packed_type))

    def _shaped(self, data: relax.Expr, shape: tuple[int, ...]) -> relax.Expr:
        return data if shape_of(data) == shape else self.emit(relax.op.reshape(data, shape))


def conv2d_workload(layer: composite.Composite) -> Conv2dWorkload:
    """The workload of a composite convolution or dense layer.

    A dense layer of M rows is a 1x1 convolution over a map one pixel high and M wide, so that rows share
    the filter's registers as pixels do.
    """
    attributes = layer.attributes
    epilogue = Epilogue(
        bias=bool(attributes["bias"]),
        residual=bool(attributes["residual"]),
        low=float(attributes.get("low", -math.inf)),
        high=float(attributes.get("high", math.inf)),
    )
    data = shape_of(layer.arguments[0])
    weight = shape_of(layer.arguments[1])
    assert data is not None and weight is not None
    if layer.name == composite.DENSE:
        outputs = weight[0] if attributes["transposed"] else weight[1]
        return Conv2dWorkload(
            1,
            1,
            math.prod(data[:-1]),
            data[-1],
            outputs,
            (1, 1),
            filter_layout="OIHW" if attributes["transposed"] else "HWIO",
            epilogue=epilogue,
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
        epilogue=epilogue,
    )


def _kernel_name(chosen: Conv2dImplementation) -> str:
    w = chosen.workload
    text = (
        f"{chosen.name}_{w.in_channels}x{w.height}x{w.width}_{w.out_channels}"
        f"_k{w.kernel[0]}x{w.kernel[1]}_s{w.strides[0]}x{w.strides[1]}"
    )
    parts = [n for n in ("bias", "residual") if getattr(w.epilogue, n)]
    return "_".join([text, *parts, *(["clip"] if w.epilogue.clips else [])])
