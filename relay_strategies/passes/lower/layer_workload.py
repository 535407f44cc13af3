"""The layers of a network, and the convolution that each is computed as."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

from tvm import relax

from relay_strategies.operators.attributes import from_attributes
from relay_strategies.relax import composite
from relay_strategies.relax.epilogue_steps import FLOAT, steps_of
from relay_strategies.relax.filters import convolution_in
from relay_strategies.relax.graph import Rewriter, dtype_of, ints, shape_of
from tvm_directconv.operators.frames import Stack
from tvm_directconv.problem.element_types import HALVES
from tvm_directconv.problem.frames import Frames
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue

from .quantized_layer import quantized_options

LEAST_CHANNELS = 8
"""Frames with at least this many channels are read in place: shorter runs take longer than a copy."""


@dataclass(frozen=True)
class Layer:
    """A convolution or dense layer of a network: the variable it is bound to, its name, the composite that it
    calls, and its workload, on tensors of its own in the layouts that the composite has."""

    var: relax.Var
    name: str
    call: composite.Composite
    workload: Conv2dWorkload

    @property
    def is_conv2d(self) -> bool:
        """Return whether it is a convolution of floats."""
        return self.call.name == composite.CONV2D

    @property
    def is_dense(self) -> bool:
        """Return whether it is a dense layer, the rows of which are pixels of a 1x1 convolution."""
        return self.call.name in (composite.DENSE, composite.QDENSE)


def layers_of(rewriter: Rewriter) -> dict[relax.Var, Layer]:
    """Return the layers of the rewriter's function by the variables they are bound to, in order."""
    calls = ((var, value, composite.composite_of(rewriter, value)) for var, value in rewriter.graph.bindings)
    return {
        var: Layer(var, layer_name(var, value), call, conv2d_workload(call))
        for var, value, call in calls
        if call is not None and call.name in composite.LAYERS
    }


def layer_name(var: relax.Var, value: relax.Expr) -> str:
    """Return the name of a layer: its ONNX node's, without one the variable's."""
    return value.span.source_name.name if value.span else var.name


def frames_read(rewriter: Rewriter, data: relax.Expr) -> tuple[Frames, relax.Var] | None:
    """Return the frames that lie side by side as channels of a layer's input, and the video that has them;
    None if the input is anything else, or is read faster as it is."""
    found = composite.composite_of(rewriter, rewriter.graph.definition.get(data))
    if found is None or found.name != composite.FRAMES or dtype_of(data) != FLOAT:
        return None
    what, channels = from_attributes(Stack, found.attributes), (shape_of(found.arguments[0]) or (0,))[-1]
    spaces = {after - before for before, after in itertools.pairwise(what.taps)} or {1}
    if what.groups > 1 or what.fill or what.taps[0] > 0 or len(spaces) > 1 or channels < LEAST_CHANNELS:
        return None
    frames = Frames(what.depth, what.count, len(what.taps), what.stride, -what.taps[0], *spaces)
    video = found.arguments[0]
    return (frames, video) if isinstance(video, relax.Var) else None


def conv2d_workload(layer: composite.Composite) -> Conv2dWorkload:
    """Return the workload of a composite convolution or dense layer.

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
    call = convolution_in(layer.function)
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
