"""Layers as ONNX models, for the libraries that take these: in floats one Conv, in 8 bits two forms."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
from onnx import NodeProto, helper, numpy_helper

from tvm_directconv.problem.workload import Conv2dWorkload

from .problems import LayerProblem, NetworkProblem
from .quantized_problems import QuantizedLayerProblem

LAYER, SIBLING = "layer", "sibling"
"""The Conv nodes in QDQ form have these names."""
SIBLING_CHANNELS = 16

# These are the names of scales and zero points.
_X, _W, _Y, _B, _W1 = (
    (f"{name}_scale", f"{name}_zero") for name in ("data", "filter", "output", "bias", "beside")
)


def as_network(problem: LayerProblem) -> NetworkProblem:
    """Return the layer as a network of one Conv node: input ``data`` NCHW, output ``output`` NCHW."""
    node = helper.make_node("Conv", ["data", "filter"], ["output"], **_attributes(problem.workload))
    model = _model(problem.workload, [node], "NCHW", {"filter": problem.filter})
    return NetworkProblem(problem.name, model, {"data": problem.data_nchw}, problem.flops)


def qlinear(problem: QuantizedLayerProblem, nhwc: bool = False) -> onnx.ModelProto:
    """Return one QLinearConv node, in NCHW, or in NHWC in ONNX Runtime's own form; ``data`` to ``output``."""
    names = ["data", *_X, "filter", *_W, *_Y]
    node = helper.make_node(
        "QLinearConv",
        names if problem.bias is None else [*names, "bias"],
        ["output"],
        domain="com.microsoft" if nhwc else "",
        **_attributes(problem.workload),
        **({"channels_last": 1} if nhwc else {}),
    )
    return _model(problem.workload, [node], "NHWC" if nhwc else "NCHW", _constants(problem))


def qdq(problem: QuantizedLayerProblem, from_float: bool = False, sibling: bool = False) -> onnx.ModelProto:
    """Return the convolution in QDQ form, NCHW; ``data`` to ``output``.

    ``from_float`` quantizes a float input. ``sibling`` adds an unstrided 1x1 convolution of the same input,
    as strided ones have in residual networks.
    """
    data = "quantized" if from_float else "data"
    nodes = [helper.make_node("QuantizeLinear", ["data", *_X], [data])] if from_float else []
    nodes += [
        helper.make_node("DequantizeLinear", [data, *_X], ["real"]),
        helper.make_node("DequantizeLinear", ["filter", *_W], ["real_filter"], axis=0),
    ]
    operands = ["real", "real_filter"]
    if problem.bias is not None:
        operands.append("real_bias")
        nodes.append(helper.make_node("DequantizeLinear", ["bias", *_B], ["real_bias"], axis=0))
    nodes += [
        helper.make_node("Conv", operands, ["sums"], name=LAYER, **_attributes(problem.workload)),
        helper.make_node("QuantizeLinear", ["sums", *_Y], ["output"]),
    ]
    if sibling:
        nodes += [
            helper.make_node("DequantizeLinear", ["beside", *_W1], ["real_beside"]),
            helper.make_node("Conv", ["real", "real_beside"], ["sums_beside"], name=SIBLING),
            helper.make_node("QuantizeLinear", ["sums_beside", *_Y], ["output_beside"]),
        ]
    dtype = "float32" if from_float else problem.workload.dtype
    return _model(problem.workload, nodes, "NCHW", _constants(problem), dtype)


def _model(
    workload: Conv2dWorkload,
    nodes: list[NodeProto],
    layout: str,
    constants: Mapping[str, object],
    dtype: str = "",
) -> onnx.ModelProto:
    """Return the model of those nodes with the constants that they use; ``dtype`` is that of its input where
    it is not the workload's."""
    w = workload
    outputs = {"output": (w.batch, w.out_channels, w.out_height, w.out_width)}
    if any(node.name == SIBLING for node in nodes):
        outputs["output_beside"] = (w.batch, SIBLING_CHANNELS, w.height, w.width)
    used = {name for node in nodes for name in node.input}
    graph = helper.make_graph(
        nodes,
        LAYER,
        [_info("data", dtype or w.dtype, (w.batch, w.in_channels, w.height, w.width), layout)],
        [_info(name, w.out_dtype, shape, layout) for name, shape in outputs.items()],
        [
            numpy_helper.from_array(np.asarray(value), name)
            for name, value in constants.items()
            if name in used
        ],
    )
    opsets = [helper.make_opsetid("", 13)]
    if nodes[0].domain:
        opsets.append(helper.make_opsetid(nodes[0].domain, 1))
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def _constants(problem: QuantizedLayerProblem) -> Mapping[str, object]:
    w, of_filter, channels = problem.workload, problem.filter.dtype, problem.workload.out_channels
    pairs = {
        _X: (problem.data_scale, np.array(problem.types.data_zero, w.dtype)),
        _W: (problem.filter_scales, np.zeros(channels, of_filter)),
        _Y: (problem.out_scale, np.array(problem.types.out_zero, w.out_dtype)),
        _B: (problem.data_scale * problem.filter_scales, np.zeros(channels, np.int32)),
        _W1: (problem.filter_scales[0], np.array(0, of_filter)),
    }
    constants = {
        name: value for names, values in pairs.items() for name, value in zip(names, values, strict=True)
    }
    beside = np.ones((SIBLING_CHANNELS, w.in_channels, 1, 1), of_filter)
    return constants | {"filter": problem.filter, "bias": problem.bias, "beside": beside}


def _info(name: str, dtype: str, nchw: tuple[int, ...], layout: str) -> onnx.ValueInfoProto:
    shape = [nchw["NCHW".index(axis)] for axis in layout]
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape)


def _attributes(w: Conv2dWorkload) -> dict[str, object]:
    return {
        "kernel_shape": w.kernel,
        "strides": w.strides,
        "pads": w.padding,
        "dilations": w.dilation,
        "group": w.groups,
    }
