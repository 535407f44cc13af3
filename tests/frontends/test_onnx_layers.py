"""Which convolutions an ONNX model has, and which types its quantization gives them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx_support import Single, by_onnxruntime, differences
from quantized_models import float_network, quantize
from quantized_support import applied, composites, steps_through

from relay_strategies import passes
from relay_strategies.frontends.onnx.importer import import_model
from relay_strategies.passes.lower.layer_workload import conv2d_workload
from relay_strategies.relax import composite
from tvm_directconv import zoo
from tvm_directconv.problem.quantized_types import QuantizedTypes
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.zoo.onnx_layers import _Graph, convolution_layers

WEIGHTS = np.array([[-64, 5], [63, 7], [1, 2]], np.int8).reshape(3, 2, 1, 1)


def model_of(nodes: list[onnx.NodeProto], kind: int, **constants: object) -> onnx.ModelProto:
    """Nodes from ``x`` (1, 2, 5, 5) to ``y``."""
    graph = helper.make_graph(
        nodes,
        "layers",
        [helper.make_tensor_value_info("x", kind, [1, 2, 5, 5])],
        [helper.make_tensor_value_info("y", TensorProto.UNDEFINED, None)],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def only(model: onnx.ModelProto) -> Conv2dWorkload:
    ((workload, count),) = convolution_layers(model)
    assert count == 1
    return workload


SCALES = {"xs": np.float32(0.1), "ws": np.float32(0.2), "ys": np.float32(0.3)}


def qdq(*after: onnx.NodeProto, bias: bool = False, **constants: object) -> onnx.ModelProto:
    """A quantized convolution, what follows its sums ``s``."""
    nodes = [
        helper.make_node("DequantizeLinear", ["x", "xs", "xz"], ["xf"]),
        helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wf"]),
        helper.make_node("Conv", ["xf", "wf", *(["b"] if bias else [])], ["s"]),
        *after,
    ]
    given = {"w": WEIGHTS, "wz": np.int8(0), "xz": np.uint8(9), "yz": np.uint8(200), "b": np.ones(3, "f")}
    return model_of(nodes, TensorProto.UINT8, **SCALES, **{**given, **constants})


QUANTIZE = helper.make_node("QuantizeLinear", ["s", "ys", "yz"], ["y"])


def test_types_of_qdq() -> None:
    workload = only(qdq(QUANTIZE))
    assert (workload.dtype, workload.epilogue) == ("uint8", Epilogue())
    assert workload.quantized == QuantizedTypes("uint8", 9, 200, "int8", 64)
    assert workload.output_shape == (1, 5, 5, 3)
    assert only(qdq(QUANTIZE, bias=True)).epilogue == Epilogue(bias=True)


def test_relu_before_quantizing_is_kept() -> None:
    relu = helper.make_node("Relu", ["s"], ["r"])
    quantize = helper.make_node("QuantizeLinear", ["r", "ys", "yz"], ["y"])
    assert only(qdq(relu, quantize)).epilogue == Epilogue(low=0.0)


def test_what_is_not_quantized_is_stored_as_floats() -> None:
    quantized = only(qdq(helper.make_node("Tanh", ["s"], ["y"]))).quantized
    assert quantized is not None and (quantized.out_dtype, quantized.out_zero) == ("float32", 0)


def test_filters_count_without_their_zero_point() -> None:
    quantized = only(qdq(QUANTIZE, wz=np.int8(-127))).quantized
    assert quantized is not None and quantized.filter_dtype == "uint8"
    unsigned = only(qdq(QUANTIZE, w=WEIGHTS.view(np.uint8), wz=np.uint8(128))).quantized
    assert unsigned is not None and unsigned.filter_dtype == "int8" and unsigned.largest_weight == 127


def test_signed_activations() -> None:
    model = qdq(QUANTIZE, xz=np.int8(-3), yz=np.int8(-128))
    model.graph.input[0].type.tensor_type.elem_type = TensorProto.INT8
    workload = only(model)
    assert workload.dtype == "int8"
    assert workload.quantized == QuantizedTypes("int8", -3, -128, "int8", 64)


def test_convolution_of_dequantized_data_and_float_weights_is_float() -> None:
    nodes = [
        helper.make_node("DequantizeLinear", ["x", "xs", "xz"], ["xf"]),
        helper.make_node("Conv", ["xf", "w"], ["y"]),
    ]
    model = model_of(nodes, TensorProto.UINT8, xs=np.float32(1), xz=np.uint8(0), w=WEIGHTS.astype("f"))
    assert only(model).quantized is None


@pytest.mark.parametrize("bias", [False, True])
def test_types_of_qlinear_conv(bias: bool) -> None:
    names = ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", *(["b"] if bias else [])]
    node = helper.make_node("QLinearConv", names, ["y"], pads=[0, 1, 0, 1], strides=[2, 1])
    zeros = {"xz": np.uint8(9), "wz": np.zeros(3, np.int8), "yz": np.uint8(200)}
    model = model_of([node], TensorProto.UINT8, w=WEIGHTS, b=np.ones(3, np.int32), **SCALES, **zeros)
    workload = only(model)
    assert workload.quantized == QuantizedTypes("uint8", 9, 200, "int8", 64)
    assert workload.epilogue == Epilogue(bias=bias)
    assert (workload.padding, workload.strides) == ((0, 1, 0, 1), (2, 1))


@pytest.mark.parametrize("zeros", [(), ("xz",), ("xz", "wz")])
def test_types_of_conv_integer(zeros: tuple[str, ...]) -> None:
    node = helper.make_node("ConvInteger", ["x", "w", *zeros], ["y"])
    model = model_of([node], TensorProto.UINT8, w=WEIGHTS, xz=np.uint8(9), wz=np.int8(-10))
    quantized = only(model).quantized
    assert quantized is not None and (quantized.out_dtype, quantized.out_zero) == ("int32", 0)
    assert quantized.data_zero == (9 if zeros else 0)
    assert quantized.largest_weight == (127 if "wz" in zeros else 64)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["light_squeezenet", "light_shufflenet"])
def test_both_forms_of_a_network_have_the_same_layers(name: str) -> None:
    """ONNX infers no shapes of the operators of com.microsoft between them."""
    network = float_network(name)
    forms = [convolution_layers(quantize(network, form)) for form in ("QDQ", "QOperator")]
    assert forms[0] == forms[1]


def test_layers_that_differ_in_zero_points_alone_count_as_one() -> None:
    def convolution(source: str, zero: str, result: str, stored: str) -> list[onnx.NodeProto]:
        return [
            helper.make_node("DequantizeLinear", [source, "xs", zero], [f"{result}_real"]),
            helper.make_node("Conv", [f"{result}_real", "wf"], [f"{result}_sums"]),
            helper.make_node("QuantizeLinear", [f"{result}_sums", "ys", stored], [result]),
        ]

    nodes = [
        helper.make_node("DequantizeLinear", ["w", "ws", "z0"], ["wf"]),
        *convolution("x", "u9", "a", "u1"),
        *convolution("a", "u1", "b", "u0"),
        *convolution("b", "u0", "c", "u7"),
        *convolution("c", "u7", "y", "u0"),
    ]
    zeros = {f"u{value}": np.uint8(value) for value in (0, 1, 7, 9)}
    square = np.ones((2, 2, 1, 1), np.int8)
    model = model_of(nodes, TensorProto.UINT8, w=square, z0=np.int8(0), **SCALES, **zeros)
    layers = convolution_layers(model)
    # An input with zero point 0 needs no correction.
    assert [(w.quantized.data_zero, w.quantized.out_zero, count) for w, count in layers] == [
        (9, 1, 3),
        (0, 7, 1),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["squeezenet", "shufflenet", "squeezenet_int8"])
def test_graph_passes_find_the_same_layers(name: str) -> None:
    """The two read a model in different ways; float layers are compared without their epilogues."""
    model = zoo.load_model(name)
    module = applied(import_model(model), *steps_through(passes.FuseConv2d))
    found: Counter[Conv2dWorkload] = Counter()
    for kind in (composite.CONV2D, composite.QCONV2D):
        for call, attributes in composites(module, kind):
            layer = composite.Composite(kind, tuple(call.args), attributes, module[call.op])
            workload = conv2d_workload(layer)
            found[workload if workload.quantized else workload.with_epilogue(Epilogue())] += 1
    assert found == Counter(_Graph(model).convolutions())


@pytest.mark.slow
def test_output_padding_of_same_convolutions() -> None:
    """The result has the extents of the data times the strides; onnx infers the padding on top of them."""
    rng, cases = np.random.default_rng(5), []
    for number, mode in enumerate(("SAME_UPPER", "SAME_LOWER") * 6):
        rank, groups = number % 3 + 1, number // 3 % 2 + 1
        strides, kernel = rng.integers(2, 4, rank), rng.integers(1, 5, rank)
        x = rng.standard_normal((1, 2 * groups, *rng.integers(2, 5, rank))).astype(np.float32)
        weight = rng.standard_normal((2 * groups, 2, *kernel)).astype(np.float32)
        attributes = {
            "auto_pad": mode,
            "strides": strides.tolist(),
            "dilations": rng.integers(1, 3, rank).tolist(),
            "output_padding": (strides - 1).tolist(),
            "group": groups,
        }
        cases.append(Single("ConvTranspose", {"x": x}, {"w": weight}, attributes))
    assert differences(cases, wanted=by_onnxruntime) == []
