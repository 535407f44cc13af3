"""Quantized ONNX operators against ONNX Runtime: those of the standard, and those its quantizer writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from graph_support import IR_VERSION, node, operators
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from reference import run_onnx_runtime

import tvm_directconv as directconv
from relay_strategies.frontends.onnx.importer import import_model
from tvm_directconv.errors import UnsupportedOperatorError

CONTRIB = "com.microsoft"
BYTES = ("uint8", "int8")


def network(
    nodes: Sequence[NodeProto],
    inputs: Mapping[str, np.ndarray],
    output: tuple[str, Sequence[int]],
    weights: Mapping[str, np.ndarray],
    opset: int = 13,
) -> ModelProto:
    """A network of arrays' names, types and shapes; its one output is ``y``."""
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in inputs.items()
    ]
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(output[0]))
    graph = helper.make_graph(
        list(nodes),
        "network",
        infos,
        [helper.make_tensor_value_info("y", kind, output[1])],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid(CONTRIB, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)


def contrib(kind: str, inputs: str, **attributes: Any) -> NodeProto:
    return node(kind, inputs, "y", domain=CONTRIB, **attributes)


def draw(dtype: str, *shape: int, seed: int = 0) -> np.ndarray:
    """Integers over the whole range of the type, both ends among them."""
    limits = np.iinfo(dtype)
    values = np.random.default_rng([seed, *shape]).integers(limits.min, limits.max + 1, shape).astype(dtype)
    values.reshape(-1)[:2] = limits.min, limits.max
    return values


def scale(value: float) -> np.ndarray:
    return np.array(value, np.float32)


def zero(dtype: str, value: int) -> np.ndarray:
    return np.array(value, dtype)


def check(model: ModelProto, inputs: Mapping[str, np.ndarray], tolerance: int = 0) -> None:
    (wanted,) = run_onnx_runtime(model, inputs)
    (got,) = directconv.compile(model).run(dict(inputs))
    assert got.dtype == wanted.dtype and got.shape == wanted.shape
    assert len(np.unique(wanted)) > min(4, wanted.size - 1), "the reference says nothing"
    assert np.abs(got.astype(np.float64) - wanted.astype(np.float64)).max() <= tolerance


def quantized_conv(
    data_dtype: str,
    weight_dtype: str,
    per_channel: bool,
    bias: bool = True,
    groups: int = 1,
    **attributes: Any,
) -> tuple[ModelProto, dict[str, np.ndarray]]:
    """A QLinearConv of 6x9x10 into 8 channels; the zero points lie at both ends and between."""
    data, channels, out_channels = draw(data_dtype, 1, 6, 9, 10), 6, 8
    limits = np.iinfo(data_dtype)
    generator = np.random.default_rng(1)
    size = out_channels if per_channel else 1
    weights = {
        "xs": scale(0.02),
        "xz": zero(data_dtype, limits.max),
        "w": draw(weight_dtype, out_channels, channels // groups, 3, 3),
        "ws": generator.uniform(0.001, 0.02, size).astype(np.float32),
        "wz": np.full(size, 128 if weight_dtype == "uint8" else 0, weight_dtype),
        "ys": scale(0.9 if per_channel else 1.3),
        "yz": zero(data_dtype, (limits.min + limits.max + 1) // 2),
        "b": generator.integers(-20000, 20000, out_channels).astype(np.int32),
    }
    if not per_channel:
        weights["ws"], weights["wz"] = weights["ws"].reshape(()) + np.float32(0.01), weights["wz"].reshape(())
    if not bias:
        del weights["b"]
    names = "x xs xz w ws wz ys yz" + (" b" if bias else "")
    layer = node("QLinearConv", names, "y", group=groups, **attributes)
    model = network([layer], {"x": data}, (data_dtype, []), weights)
    set_shape(model, {"x": data})
    return model, {"x": data}


def set_shape(model: ModelProto, inputs: Mapping[str, np.ndarray]) -> None:
    """Give the output the shape that ONNX Runtime finds."""
    tensor = model.graph.output[0].type.tensor_type
    tensor.ClearField("shape")
    shape = run_onnx_runtime(model, inputs)[0].shape
    tensor.shape.CopyFrom(helper.make_tensor_type_proto(tensor.elem_type, shape).tensor_type.shape)


@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize(
    ("data_dtype", "weight_dtype"), [("uint8", "int8"), ("uint8", "uint8"), ("int8", "int8")]
)
def test_qlinear_conv(data_dtype: str, weight_dtype: str, per_channel: bool) -> None:
    model, inputs = quantized_conv(data_dtype, weight_dtype, per_channel, pads=[1, 1, 1, 1])
    check(model, inputs)


def test_qlinear_conv_of_signed_data_and_unsigned_weights() -> None:
    """ONNX Runtime has none: the same numbers stored as unsigned data give the same ones, 128 higher."""
    model, inputs = quantized_conv("uint8", "uint8", True)
    signed = ModelProto()
    signed.CopyFrom(model)
    for value in (*signed.graph.input, *signed.graph.output):
        value.type.tensor_type.elem_type = TensorProto.INT8
    for tensor in signed.graph.initializer:
        if tensor.name in ("xz", "yz"):
            array = (numpy_helper.to_array(tensor).astype(int) - 128).astype(np.int8)
            tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
    (wanted,) = run_onnx_runtime(model, inputs)
    (got,) = directconv.compile(signed).run({"x": (inputs["x"].astype(int) - 128).astype(np.int8)})
    assert got.dtype == np.int8
    np.testing.assert_array_equal(got.astype(int) + 128, wanted)


@pytest.mark.parametrize(
    "attributes",
    [
        {"strides": [2, 1], "pads": [0, 2, 1, 1]},
        {"dilations": [2, 3], "pads": [2, 3, 2, 3]},
        {"auto_pad": "SAME_LOWER", "strides": [2, 2]},
        {"auto_pad": "SAME_UPPER", "kernel_shape": [3, 3]},
        {"groups": 2},
        {"bias": False},
    ],
    ids=str,
)
def test_qlinear_conv_attributes(attributes: dict[str, Any]) -> None:
    check(*quantized_conv("uint8", "int8", True, **attributes))


def test_qlinear_conv_of_run_time_weights_and_scales() -> None:
    model, inputs = quantized_conv("uint8", "uint8", False)
    given = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    del model.graph.initializer[:]
    for name, array in given.items():
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
        model.graph.input.append(helper.make_tensor_value_info(name, kind, array.shape))
    check(model, inputs | given, tolerance=1)


def test_qlinear_conv_per_channel_in_an_old_opset() -> None:
    """DequantizeLinear has an axis only since opset 13."""
    model, inputs = quantized_conv("uint8", "int8", True)
    model.opset_import[0].version = 10
    check(model, inputs)


def test_layers_keep_their_names() -> None:
    for model, name in (
        (quantized_conv("uint8", "int8", True)[0], "QLinearConv:y"),
        (integer_conv("uint8", 128)[0], "ConvInteger:y"),
        (gemm(True)[0], "QGemm:y"),
    ):
        bindings = [b for block in import_model(model)["main"].body.blocks for b in block.bindings]
        calls = [b.value for b in bindings if getattr(b.value, "span", None) is not None]
        (layer,) = (call for call in calls if call.op.name in ("relax.nn.conv2d", "relax.matmul"))
        assert layer.span.source_name.name == name


def integer_conv(dtype: str, weight_zero: int, per_channel: bool = False) -> tuple[ModelProto, Any]:
    data = draw(dtype, 1, 5, 6, 7)
    zeros = np.arange(4) * 60 + 10 if per_channel else np.array(weight_zero)
    weights = {
        "w": draw("uint8", 4, 5, 3, 3),
        "xz": zero(dtype, np.iinfo(dtype).min + 3),
        "wz": zeros.astype(np.uint8),
    }
    layer = node("ConvInteger", "x w xz wz", "y", pads=[1, 1, 1, 1])
    return network([layer], {"x": data}, ("int32", [1, 4, 6, 7]), weights), {"x": data}


@pytest.mark.parametrize("weight_zero", [0, 128, 255])
def test_conv_integer(weight_zero: int) -> None:
    check(*integer_conv("uint8", weight_zero))


def test_conv_integer_with_a_zero_point_per_channel() -> None:
    """The definition's sums: ONNX Runtime takes one zero point alone."""
    model, inputs = integer_conv("int8", 0, per_channel=True)
    weights = {
        tensor.name: numpy_helper.to_array(tensor).astype(np.int64) for tensor in model.graph.initializer
    }
    data = np.pad(inputs["x"].astype(np.int64) - weights["xz"], ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(data, (3, 3), (2, 3))
    filters = weights["w"] - weights["wz"].reshape(4, 1, 1, 1)
    (got,) = directconv.compile(model).run(inputs)
    np.testing.assert_array_equal(got, np.einsum("nchwij,ocij->nohw", windows, filters))


@pytest.mark.parametrize(
    "attributes",
    [{}, {"pads": [0, 2, 1, 0], "strides": [2, 1], "dilations": [1, 2]}],
    ids=["plain", "padded"],
)
def test_zero_points_of_the_data_that_only_run_time_knows(attributes: dict[str, Any]) -> None:
    """Operands are those behind DynamicQuantizeLinear; zeros around the image are not data."""
    model, inputs = integer_conv("uint8", 128)
    (given,) = (tensor for tensor in model.graph.initializer if tensor.name == "xz")
    model.graph.initializer.remove(given)
    model.graph.input.append(helper.make_tensor_value_info("xz", TensorProto.UINT8, []))
    inputs["xz"] = np.array(77, np.uint8)
    del model.graph.node[0].attribute[:]
    model.graph.node[0].attribute.extend(helper.make_attribute(k, v) for k, v in attributes.items())
    set_shape(model, inputs)
    check(model, inputs)
    assert [layer.kind for layer in directconv.compile(model).report().layers] == ["qconv2d"]


@pytest.mark.parametrize("dtype", BYTES)
@pytest.mark.parametrize("per_channel", [False, True])
def test_matmul_integer(dtype: str, per_channel: bool) -> None:
    data = draw("uint8", 3, 33)
    zeros = np.arange(7) - 3 if per_channel else np.array(5)
    weights = {
        "w": draw(dtype, 33, 7),
        "xz": zero("uint8", 255),
        "wz": (zeros + (10 if dtype == "uint8" else 0)).astype(dtype),
    }
    model = network([node("MatMulInteger", "x w xz wz", "y")], {"x": data}, ("int32", [3, 7]), weights)
    check(model, {"x": data})


@pytest.mark.parametrize("dtype", BYTES)
@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("shape", [(5, 24), (2, 3, 24)])
def test_qlinear_matmul(dtype: str, per_channel: bool, shape: tuple[int, ...]) -> None:
    data, middle = draw(dtype, *shape), 0 if dtype == "int8" else 128
    size = (9,) if per_channel else ()
    weights = {
        "xs": scale(0.03),
        "xz": zero(dtype, middle + 100),
        "w": draw("int8", 24, 9),
        "ws": np.random.default_rng(2).uniform(0.005, 0.02, size).astype(np.float32),
        "wz": np.zeros(size, np.int8),
        "ys": scale(0.7),
        "yz": zero(dtype, middle + 3),
    }
    layer = node("QLinearMatMul", "x xs xz w ws wz ys yz", "y")
    check(network([layer], {"x": data}, (dtype, [*shape[:-1], 9]), weights), {"x": data})


def gemm(per_channel: bool, output: str = "int8", **attributes: Any) -> tuple[ModelProto, Any]:
    data = draw("int8", 4, 20)
    transposed = attributes.get("transB", 0)
    size = (6,) if per_channel else ()
    weights = {
        "xs": scale(0.05),
        "xz": zero("int8", -128),
        "w": draw("int8", *((6, 20) if transposed else (20, 6))),
        "ws": np.random.default_rng(3).uniform(0.01, 0.02, size).astype(np.float32),
        "wz": np.zeros(size, np.int8),
        "b": np.arange(-3, 3, dtype=np.int32) * 1000,
        "ys": scale(1.7),
        "yz": zero("int8", 4),
    }
    names = "x xs xz w ws wz b"
    if output == "int8":
        names += " ys yz"
    else:
        del weights["ys"], weights["yz"]
    layer = contrib("QGemm", names, **attributes)
    return network([layer], {"x": data}, (output, [4, 6]), weights), {"x": data}


@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("transposed", [0, 1])
def test_qgemm(per_channel: bool, transposed: int) -> None:
    check(*gemm(per_channel, transB=transposed))


def test_qgemm_with_alpha_and_without_output_scale() -> None:
    check(*gemm(False, alpha=0.5), tolerance=1)
    model, inputs = gemm(True, "float32", transB=1)
    (wanted,), (got,) = run_onnx_runtime(model, inputs), directconv.compile(model).run(inputs)
    np.testing.assert_allclose(got, wanted, rtol=1e-5)


PAIR = {"as": scale(0.05), "az": zero("uint8", 255), "bs": scale(0.02), "bz": zero("uint8", 0)}
RESULT = {"ys": scale(0.08), "yz": zero("uint8", 200)}


@pytest.mark.parametrize("kind", ["QLinearAdd", "QLinearMul"])
def test_binary_operators(kind: str) -> None:
    inputs = {"a": draw("uint8", 2, 3, 4, 5), "b": draw("uint8", 2, 3, 4, 5, seed=1)}
    model = network(
        [contrib(kind, "a as az b bs bz ys yz")], inputs, ("uint8", [2, 3, 4, 5]), {**PAIR, **RESULT}
    )
    check(model, inputs, tolerance=1)


def test_selection() -> None:
    inputs = {"c": draw("uint8", 3, 5) > 100, "a": draw("uint8", 3, 5), "b": draw("uint8", 3, 5, seed=1)}
    layer = contrib("QLinearWhere", "c a as az b bs bz ys yz")
    check(network([layer], inputs, ("uint8", [3, 5]), {**PAIR, **RESULT}), inputs)


def test_quantization_of_the_other_domain() -> None:
    inputs = {"a": draw("uint8", 3, 5)}
    layers = [
        node("DequantizeLinear", "a as az", "f", domain=CONTRIB),
        node("QuantizeLinear", "f ys yz", "y", domain=CONTRIB),
    ]
    scales = {"as": PAIR["as"], "az": PAIR["az"], **RESULT}
    check(network(layers, inputs, ("uint8", [3, 5]), scales), inputs)


def test_concatenation_of_different_scales() -> None:
    """Halves round to either side: the scales are divided at compile time."""
    inputs = {"a": draw("uint8", 1, 3, 4, 5), "b": draw("uint8", 1, 2, 4, 5)}
    layer = contrib("QLinearConcat", "ys yz a as az b bs bz", axis=1)
    check(network([layer], inputs, ("uint8", [1, 5, 4, 5]), {**PAIR, **RESULT}), inputs, tolerance=1)


@pytest.mark.parametrize(
    ("kind", "shape", "attributes"),
    [
        (
            "QLinearAveragePool",
            (1, 3, 4, 4),
            {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 2], "count_include_pad": 1},
        ),
        ("QLinearAveragePool", (1, 3, 3, 3), {"kernel_shape": [3, 3], "strides": [2, 2]}),
        ("QLinearGlobalAveragePool", (1, 3, 1, 1), {}),
        ("QLinearLeakyRelu", (1, 3, 7, 7), {"alpha": 0.1}),
        ("QLinearSigmoid", (1, 3, 7, 7), {}),
        ("QLinearSoftmax", (1, 3, 7, 7), {"axis": -1, "opset": 13}),
    ],
)
def test_unary_operators(kind: str, shape: tuple[int, ...], attributes: dict[str, Any]) -> None:
    inputs = {"a": draw("uint8", 1, 3, 7, 7)}
    small = {"ys": scale(1 / 256), "yz": zero("uint8", 0)}
    scales = {"as": scale(0.05), "az": zero("uint8", 100)}
    scales |= small if kind in ("QLinearSigmoid", "QLinearSoftmax") else RESULT
    model = network([contrib(kind, "a as az ys yz", **attributes)], inputs, ("uint8", shape), scales)
    check(model, inputs, tolerance=1)


def test_channels_last_as_the_optimizers_have_them() -> None:
    """They do so wherever ONNX Runtime has kernels for it, and leave what is between as it is."""
    inputs = {"x": draw("uint8", 1, 9, 7, 6)}
    given = {"xs": scale(0.02), "xz": zero("uint8", 100), "bs": scale(1.1), "bz": zero("uint8", 120)}
    filters = {"w": draw("int8", 8, 6, 3, 3), "ws": scale(0.02), "wz": zero("int8", 0)}
    window = {"kernel_shape": [2, 3], "pads": [1, 1, 0, 1]}

    def layer(kind: str, operands: str, result: str, **attributes: Any) -> NodeProto:
        return node(kind, operands, result, domain=CONTRIB, **attributes)

    nodes = [
        layer(
            "QLinearConv", "x xs xz w ws wz bs bz", "b", channels_last=1, pads=[1, 1, 1, 1], strides=[2, 1]
        ),
        layer("NhwcMaxPool", "b", "c", **window),
        layer("QLinearAveragePool", "c bs bz bs bz", "d", channels_last=1, **window),
        layer("QLinearGlobalAveragePool", "d bs bz bs bz", "e", channels_last=1),
        layer("QLinearAdd", "d bs bz e bs bz bs bz", "y"),
    ]
    model = network(nodes, inputs, ("uint8", [1, 5, 7, 8]), {**given, **filters})
    check(model, inputs, tolerance=2)  # each of the means may be a unit off


def test_what_the_standard_allows_and_we_do_not_is_named() -> None:
    inputs = {"a": draw("uint8", 1, 3, 7, 7)}
    scales = {"as": scale(0.05), "az": zero("uint8", 100), **RESULT}
    cases = {
        "softmax over the axes": contrib("QLinearSoftmax", "a as az ys yz", axis=1, opset=11),
        "com.microsoft::QLinearReduceMean": contrib("QLinearReduceMean", "a as az ys yz", axes=[2]),
    }
    for text, layer in cases.items():
        model = network([layer], inputs, ("uint8", [1, 3, 7, 7]), scales)
        with pytest.raises(UnsupportedOperatorError, match=text):
            import_model(model)


@pytest.mark.parametrize("dimensions", [1, 3])
@pytest.mark.parametrize("kind", ["QLinearConv", "ConvInteger"])
def test_convolutions_of_other_dimensions(kind: str, dimensions: int) -> None:
    """One dimension is computed in 8 bits; three are, between their own (de)quantizations, in float32."""
    data, pads = draw("uint8", 1, 4, *[6] * dimensions), [1] * 2 * dimensions
    weights = {"w": draw("int8", 6, 4, *[3] * dimensions), "z": zero("uint8", 7), "wz": zero("int8", 0)}
    shape = [1, 6, *[6] * dimensions]
    if kind == "ConvInteger":
        model = network([node(kind, "x w z wz", "y", pads=pads)], {"x": data}, ("int32", shape), weights)
    else:
        weights |= {"s": scale(0.05), "ws": scale(0.02), "ys": scale(0.9), "b": np.arange(6, dtype=np.int32)}
        layer = node(kind, "x s z w ws wz ys z b", "y", pads=pads)
        model = network([layer], {"x": data}, ("uint8", shape), weights)
    compiled = directconv.compile(model)
    (wanted,) = run_onnx_runtime(model, {"x": data})
    (got,) = compiled.run({"x": data})
    assert got.dtype == wanted.dtype
    exact = kind == "ConvInteger" or dimensions == 1
    assert np.abs(got.astype(np.int64) - wanted.astype(np.int64)).max() <= (0 if exact else 1)
    kinds = [layer.kind for layer in compiled.report().layers]
    assert dimensions == 3 or kinds == ["qconv2d"]


def test_nothing_quantized_is_left_in_float32_operators_alone() -> None:
    """The expansion speaks in (de)quantization, whatever the operator was."""
    model, _ = quantized_conv("uint8", "int8", True)
    found = operators(import_model(model))
    assert found["quantize"] == 1 and found["dequantize"] == 3 and found["nn.conv2d"] == 1
