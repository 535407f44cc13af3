"""The convolution that a composite layer is computed as."""

from __future__ import annotations

import itertools
import math
from typing import Any

from tvm import relax

from relay_strategies.operators.phases import stack_of
from relay_strategies.relax import composite
from relay_strategies.relax.graph import Graph, Rewriter, dtype_of, ints, operator_name, shape_of
from relay_strategies.relax.steps import FLOAT, steps_of
from tvm_directconv.problem.element_types import HALVES
from tvm_directconv.problem.frames import Frames
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue

from .quantized_layer import quantized_options

LEAST_CHANNELS = 8
"""Of frames that are read in place: runs of fewer take longer than to lay them side by side."""


def layer_name(var: relax.Var, value: relax.Expr) -> str:
    """The name of a layer: its ONNX node's, where there is one."""
    return value.span.source_name.name if value.span else var.name


def frames_read(rewriter: Rewriter, data: relax.Expr) -> tuple[Frames, relax.Var] | None:
    """The frames that lie side by side as channels of a layer's input, and the video that has them."""
    found = composite.composite_of(rewriter, rewriter.graph.definition.get(data))
    if found is None or found.name != composite.FRAMES or dtype_of(data) != FLOAT:
        return None
    what, channels = stack_of(found.attributes), (shape_of(found.arguments[0]) or (0,))[-1]
    spaces = {after - before for before, after in itertools.pairwise(what.taps)} or {1}
    if what.groups > 1 or what.fill or what.taps[0] > 0 or len(spaces) > 1 or channels < LEAST_CHANNELS:
        return None
    frames = Frames(what.depth, what.count, len(what.taps), what.stride, -what.taps[0], *spaces)
    video = found.arguments[0]
    return (frames, video) if isinstance(video, relax.Var) else None


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
