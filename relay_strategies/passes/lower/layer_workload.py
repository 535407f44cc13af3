"""The convolution that a composite layer is computed as."""

from __future__ import annotations

import math
from typing import Any

from tvm import relax

from relay_strategies.relax import composite
from relay_strategies.relax.graph import Graph, dtype_of, ints, operator_name, shape_of
from relay_strategies.relax.steps import FLOAT, steps_of
from tvm_directconv.problem.element_types import HALVES
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue

from .quantized_layer import quantized_options


def layer_name(var: relax.Var, value: relax.Expr) -> str:
    """The name of a layer: its ONNX node's, where there is one."""
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
        options["dtype"] = dtype_of(layer.arguments[0])
        to_float32 = dtype_of(layer.function.body.body) == FLOAT
        options["to_float32"] = options["dtype"] in HALVES and to_float32
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
