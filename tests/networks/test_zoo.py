"""The zoo: nine networks from the installed onnx package, random parameters by role, their convolutions."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from reference import run_onnx_runtime

from tvm_directconv import zoo
from tvm_directconv.errors import ModelError
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.zoo import networks
from tvm_directconv.zoo import quantized as zoo_quantized
from tvm_directconv.zoo.inputs import image_of

CONVOLUTIONS = {
    "light_bvlc_alexnet": 5,
    "light_densenet121": 121,
    "light_inception_v1": 57,
    "light_inception_v2": 69,
    "light_resnet50": 53,
    "light_shufflenet": 49,
    "light_squeezenet": 26,
    "light_vgg19": 16,
    "light_zfnet512": 5,
}
"""Conv nodes in each file, counted with another tool."""


def parameters(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    return {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}


def test_lists_the_nine_networks() -> None:
    assert zoo.list_models() == sorted(CONVOLUTIONS)
    assert zoo.list_models(quantized=True) == [f"{name}_int8" for name in sorted(CONVOLUTIONS)]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(CONVOLUTIONS))
def test_random_model_is_valid_and_has_its_data_as_only_input(name: str) -> None:
    model = zoo.load_model(name)
    onnx.checker.check_model(model)
    assert len(model.graph.input) == 1
    assert "ConstantOfShape" not in {node.op_type for node in model.graph.node}
    floats = [tensor for tensor in model.graph.initializer if tensor.data_type == TensorProto.FLOAT]
    for tensor in floats:
        if np.prod(tensor.dims) > 1:
            values = numpy_helper.to_array(tensor)
            assert values.min() < values.max(), f"{tensor.name} is constant"


@pytest.mark.parametrize("name", ["squeezenet", "shufflenet"])
def test_seed_decides_the_parameters(name: str) -> None:
    first, same, other = (parameters(zoo.load_model(name, seed=seed)) for seed in (1, 1, 2))
    assert all(np.array_equal(first[key], same[key]) for key in first)
    changed = [key for key in first if first[key].dtype == np.float32]
    assert changed and not any(np.array_equal(first[key], other[key]) for key in changed)


def test_parameters_are_drawn_by_role() -> None:
    model = zoo.load_model("resnet50")
    values = parameters(model)
    nodes = {kind: [n for n in model.graph.node if n.op_type == kind] for kind in ("Conv", "Gemm")}
    for node in nodes["Conv"]:
        weight = values[node.input[1]]
        fan_in = np.prod(weight.shape[1:])
        assert weight.std() == pytest.approx((2 / fan_in) ** 0.5, rel=0.05)
    (dense,) = nodes["Gemm"]
    assert values[dense.input[1]].std() == pytest.approx((2 / 2048) ** 0.5, rel=0.05)
    for node in model.graph.node:
        if node.op_type == "BatchNormalization":
            _, scale, shift, mean, variance = (values.get(key) for key in node.input)
            assert scale.min() >= 0.5 and scale.max() <= 1.0
            assert variance.min() >= 0.8 and variance.max() <= 1.2
            assert np.abs(shift).max() < 1 and np.abs(mean).max() < 1


def test_integer_parameters_are_kept() -> None:
    original = parameters(zoo.load_model("shufflenet", weights="original"))
    random = parameters(zoo.load_model("shufflenet"))
    integers = [key for key, value in random.items() if value.dtype == np.int64]
    assert integers, "the network reshapes"
    assert all(np.array_equal(random[key], original[key]) for key in integers)


def test_output_depends_on_the_input() -> None:
    model = zoo.load_model("squeezenet")
    generator = np.random.default_rng(0)
    outputs = [
        run_onnx_runtime(model, [generator.standard_normal((1, 3, 224, 224), np.float32)])[0]
        for _ in range(2)
    ]
    assert np.abs(outputs[0] - outputs[1]).max() > 1e-3 * np.abs(outputs[0]).max()
    assert all(np.isfinite(output).all() for output in outputs)


def test_original_weights_give_the_shipped_output() -> None:
    model = zoo.load_model("shufflenet", weights="original")
    (output,) = run_onnx_runtime(model, [zoo.reference_input("shufflenet")])
    np.testing.assert_allclose(output, zoo.reference_output("shufflenet"), rtol=1e-3)


@pytest.mark.parametrize("name", sorted(CONVOLUTIONS))
def test_layers_cover_every_convolution(name: str) -> None:
    layers = zoo.layers(name)
    assert sum(count for _, count in layers) == CONVOLUTIONS[name]
    assert len({workload for workload, _ in layers}) == len(layers)


def test_layers_of_resnet50() -> None:
    layers = dict(zoo.layers("resnet50"))
    first = Conv2dWorkload(1, 224, 224, 3, 64, (7, 7), (2, 2), (3, 3, 3, 3))
    assert layers[first] == 1
    assert layers[Conv2dWorkload(1, 56, 56, 64, 64, (3, 3), padding=(1, 1, 1, 1))] == 3
    assert layers[Conv2dWorkload(1, 14, 14, 256, 1024, (1, 1))] == 6
    flops = sum(workload.flops * count for workload, count in layers.items())
    assert flops == pytest.approx(8.17e9, rel=0.01), "4.1 G multiply-adds"


def test_grouped_layers_of_shufflenet() -> None:
    groups = {workload.groups for workload, _ in zoo.layers("shufflenet")}
    assert {1, 4} < groups and any(workload.is_depthwise for workload, _ in zoo.layers("shufflenet"))


@pytest.mark.parametrize(
    ("auto_pad", "padding"),
    [("SAME_UPPER", (0, 1, 1, 2)), ("SAME_LOWER", (1, 2, 0, 1)), ("VALID", (0, 0, 0, 0))],
)
def test_auto_pad(auto_pad: str, padding: tuple[int, ...]) -> None:
    node = helper.make_node("Conv", ["x", "w"], ["y"], auto_pad=auto_pad, strides=[2, 1])
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2, 8, 9])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.zeros((4, 2, 3, 4), np.float32), "w")],
    )
    ((workload, count),) = zoo.convolution_layers(helper.make_model(graph))
    assert (workload.padding, count) == (padding, 1)


def test_symbolic_shape_is_refused_by_node() -> None:
    node = helper.make_node("Conv", ["x", "w"], ["y"], name="stem")
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 2, 8, 9])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.zeros((4, 2, 3, 3), np.float32), "w")],
    )
    with pytest.raises(ModelError, match=r"'stem'.*static"):
        zoo.convolution_layers(helper.make_model(graph))


@pytest.mark.parametrize("ask", [zoo.load_model, zoo.layers, zoo.reference_output])
def test_unknown_name_names_the_nearest(ask) -> None:
    with pytest.raises(ModelError, match="did you mean 'resnet50'"):
        ask("resnet5")


def test_unknown_kind_of_weights() -> None:
    with pytest.raises(ModelError, match="'zeros' is not"):
        zoo.load_model("resnet50", weights="zeros")


# Quantized networks


@pytest.fixture(scope="module")
def quantized() -> onnx.ModelProto:
    return zoo.load_model("squeezenet_int8")


def test_quantized_network_is_qdq_of_bytes(quantized: onnx.ModelProto) -> None:
    onnx.checker.check_model(quantized)
    values = parameters(quantized)
    producers = {name: node for node in quantized.graph.node for name in node.output}
    convolutions = [node for node in quantized.graph.node if node.op_type == "Conv"]
    assert len(convolutions) == CONVOLUTIONS["light_squeezenet"]
    for node in convolutions:
        data, weight = (producers[name] for name in node.input[:2])
        assert data.op_type == weight.op_type == "DequantizeLinear"
        assert values[data.input[2]].dtype == np.uint8 and values[weight.input[0]].dtype == np.int8
        assert values[weight.input[1]].shape == (values[weight.input[0]].shape[0],)


def test_quantizing_is_reproducible_and_told(quantized: onnx.ModelProto) -> None:
    phases: list[str] = []
    networks._made.clear()
    again = zoo.load_model("light_squeezenet_int8", on_phase=phases.append)
    assert again == quantized
    assert len(phases) == 3 and "light_squeezenet_int8" in phases[0]
    # What was made is kept, and what is handed out is a copy.
    del again.graph.node[:]
    assert zoo.load_model("squeezenet_int8", on_phase=phases.append) == quantized
    assert len(phases) == 3
    assert zoo.load_model("squeezenet_int8", seed=1) != quantized


def test_quantized_network_means_what_the_float_one_does(quantized: onnx.ModelProto) -> None:
    image = image_of(quantized, seed=0)
    answers = [run_onnx_runtime(model, image)[0] for model in (quantized, zoo.load_model("squeezenet"))]
    assert np.abs(answers[0] - answers[1]).max() < 0.1 * answers[1].max()


def test_layers_of_a_quantized_network() -> None:
    layers = zoo.layers("squeezenet_int8")
    floats = zoo.layers("squeezenet")
    shapes = [
        (replace(w, dtype="float32", quantized=None, epilogue=Epilogue()), count) for w, count in layers
    ]
    assert sorted(shapes, key=str) == sorted(floats, key=str)
    first, second = (workload for workload, _ in layers[:2])
    # The image is signed, what follows a ReLU is not.
    assert first.quantized.data_zero > 0 and second.quantized.data_zero == 0
    for workload, _ in layers:
        q = workload.quantized
        assert (workload.dtype, q.filter_dtype, q.largest_weight, q.out_dtype) == (
            "uint8",
            "int8",
            127,
            "uint8",
        )
        assert workload.epilogue == Epilogue(bias=True)
        assert Conv2dWorkload.parse(str(workload)) == workload


def test_quantizing_without_onnxruntime_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime.quantization", None)
    monkeypatch.setattr(networks, "_made", {})
    with pytest.raises(ModelError, match="pip install onnxruntime"):
        zoo.load_model("squeezenet_int8")


def test_quantized_names() -> None:
    assert zoo.full_name("resnet50_int8") == zoo.full_name("light_resnet50_int8") == "light_resnet50_int8"
    with pytest.raises(ModelError, match="did you mean 'resnet50'"):
        zoo.full_name("resnet5_int8")
    with pytest.raises(ModelError, match="nothing is shipped beside 'light_squeezenet_int8'"):
        zoo.reference_output("squeezenet_int8")


def test_kept_networks_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(networks, "_made", {})
    monkeypatch.setattr(zoo_quantized, "quantized", lambda model, on_phase: model)
    for seed in range(networks.KEPT + 2):
        zoo.load_model("shufflenet_int8", seed=seed)
    assert [seed for _, _, seed in networks._made] == [2, 3]
