"""Convolutions and pooling of one and three dimensions, and transposed ones: the 2-D layers they become."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import onnx
import pytest
import tvm
from graph_support import draw, inputs_of, network, node, operators, run_by_plain_tvm, with_composites
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from onnx import ModelProto
from onnx_support import Single, by_onnxruntime, differences
from reference import run_onnx_runtime
from support import assert_matches
from tvm import relax

import tvm_directconv as directconv
from relay_strategies.frontends.onnx.importer import import_model
from relay_strategies.passes.lower.layer_workload import conv2d_workload
from relay_strategies.relax import composite
from relay_strategies.relax.graph import Rewriter
from tvm_directconv import zoo
from tvm_directconv.errors import ModelError
from tvm_directconv.problem.frames import Frames
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.zoo import own
from tvm_directconv.zoo.inputs import image_of

SMALL = {
    "unet": {"size": 16, "width": 4},
    "detector": {"size": 32, "width": 4, "classes": 3},
    "keyword_1d": {"samples": 2000, "width": 8, "classes": 5},
    "video_3d": {"frames": 4, "size": 16, "width": 4, "classes": 5},
}
"""Sizes at which the project's own networks compile in seconds."""
TARGET = "llvm -mcpu=x86-64"


def statistics(channels: int) -> dict[str, np.ndarray]:
    return {
        "scale": draw(channels, seed=1) + 1,
        "shift": draw(channels, seed=2),
        "mean": draw(channels, seed=3),
        "variance": np.abs(draw(channels, seed=4)) + np.float32(0.5),
    }


def normalized(data: str, result: str) -> onnx.NodeProto:
    return node("BatchNormalization", f"{data} scale shift mean variance", result)


def residual(dimensions: int) -> ModelProto:
    """Two convolutions with normalization, a pool, an addition and activations between them."""
    each = [1] * dimensions
    nodes = [
        node("Conv", "x w b", "a", pads=each * 2, strides=[2] * dimensions),
        normalized("a", "n"),
        node("Relu", "n", "r"),
        node("MaxPool", "r", "p", kernel_shape=[3] * dimensions, pads=each * 2, strides=each),
        node("Abs", "p", "q"),
        node("Conv", "q v", "c", pads=each * 2),
        node("Add", "c p", "s"),
        node("Relu", "s", "t"),
        node("GlobalAveragePool", "t", "g"),
        node("Flatten", "g", "f"),
        node("Gemm", "f d", "y", transB=1),
    ]
    weights = {"w": draw(8, 3, *[3] * dimensions), "b": draw(8), "v": draw(8, 8, *[3] * dimensions)}
    weights |= {"d": draw(5, 8), **statistics(8)}
    return network(nodes, {"x": (2, 3, *[7] * dimensions)}, {"y": (2, 5)}, weights)


def test_frames_of_enough_channels_are_read_in_place() -> None:
    """The first layer's three channels are laid side by side; the second reads its frames where they are."""
    report = directconv.compile(residual(3), TARGET).report()
    assert report.other_kernels["stack_frames"] == 1
    frames = [Conv2dWorkload.parse(layer.workload).storage.frames for layer in report.layers[:2]]
    assert frames == [None, Frames(4, 4, 3, before=1)]
    assert Conv2dWorkload.parse(report.layers[1].asked).storage.frames is None


@pytest.mark.parametrize("groups", [2, 16])
def test_frames_of_layers_in_groups_are_laid_side_by_side(groups: int) -> None:
    model = network(
        [node("Conv", "x w", "y", group=groups, pads=[1] * 6)],
        {"x": (1, 16, 3, 5, 6)},
        {"y": (1, 16, 3, 5, 6)},
        {"w": draw(16, 16 // groups, 3, 3, 3)},
    )
    compiled, inputs = directconv.compile(model, TARGET), inputs_of(model)
    assert_matches(compiled.run(inputs)[0], run_onnx_runtime(model, inputs)[0], "groups")
    assert compiled.report().other_kernels["stack_frames"]


def upsampled(dimensions: int, kernel: int = 2) -> ModelProto:
    """A transposed convolution, what follows it, and a concatenation."""
    nodes = [
        node("ConvTranspose", "x w b", "u", strides=[2] * dimensions),
        normalized("u", "n"),
        node("Relu", "n", "r"),
        node("Concat", "r r", "y", axis=1),
    ]
    weights = {"w": draw(6, 4, *[kernel] * dimensions), "b": draw(4), **statistics(4)}
    size = [2 * (5 - 1) + kernel] * dimensions
    return network(nodes, {"x": (1, 6, *[5] * dimensions)}, {"y": (1, 8, *size)}, weights)


def columns() -> ModelProto:
    """Maps one pixel wide, with a branch, pools of both kinds, a softmax along rows and a mean of them."""
    nodes = [
        node("Conv", "x w b", "a", pads=[1, 0, 1, 0], strides=[2, 3], dilations=[1, 2]),
        normalized("a", "n"),
        node("Relu", "n", "r"),
        node("MaxPool", "r", "p", kernel_shape=[3, 1], pads=[1, 0, 1, 0]),
        node("Conv", "p v", "c", pads=[2, 0, 0, 0]),
        node("Add", "c p", "s"),
        node("Relu", "s", "t"),
        node("Mul", "t k", "u"),
        node("Softmax", "u", "m", axis=2),
        node("Concat", "m t", "j", axis=1),
        node("AveragePool", "j", "g", kernel_shape=[2, 1], strides=[2, 1]),
        node("ReduceMean", "g", "z", axes=[2], keepdims=0),
        node("ReduceMean", "g", "y", axes=[2, 3], keepdims=1),
    ]
    weights = {"w": draw(8, 3, 3, 1), "b": draw(8), "v": draw(8, 8, 3, 1), "k": draw(8, 1, 1)}
    shapes = {"y": (2, 16, 1, 1), "z": (2, 16, 1)}
    return network(nodes, {"x": (2, 3, 37, 1)}, shapes, {**weights, **statistics(8)})


MODELS = {
    "columns": columns,
    **{f"residual {n}-D": lambda n=n: residual(n) for n in (1, 3)},
    **{f"upsampled {n}-D": lambda n=n: upsampled(n) for n in (1, 2, 3)},
    "upsampled, kernel 3": lambda: upsampled(2, 3),
    **{name: lambda name=name: own.NETWORKS[name](**SMALL[name]) for name in SMALL},
}
GRAPHS = tuple(name for name in MODELS if name not in (*SMALL, "columns"))


@cache
def model_of(name: str) -> ModelProto:
    return MODELS[name]()


@cache
def fused(name: str) -> tvm.IRModule:
    return with_composites(model_of(name), TARGET)


def composites(module: tvm.IRModule) -> list[composite.Composite]:
    rewriter = Rewriter(module["main"], relax.BlockBuilder(module))
    found = (composite.composite_of(rewriter, value) for _, value in rewriter.graph.bindings)
    return [each for each in found if each is not None]


def layers(name: str) -> list[Conv2dWorkload]:
    return [conv2d_workload(c) for c in composites(fused(name)) if c.name == composite.CONV2D]


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_every_convolution_is_two_dimensional_in_nhwc(name: str) -> None:
    found = operators(fused(name))
    assert not [operator for operator in found if operator.startswith("nn.conv")]
    assert not [operator for operator in found if operator.endswith(("pool1d", "pool3d"))]


@pytest.mark.parametrize("name", MODELS)
def test_a_models_layers_are_known_without_compiling(name: str) -> None:
    plain = Counter(workload.with_epilogue(Epilogue()) for workload in layers(name))
    assert plain == Counter(dict(zoo.convolution_layers(model_of(name))))


@pytest.mark.parametrize("name", GRAPHS)
def test_bias_normalization_and_activation_are_in_the_kernels(name: str) -> None:
    assert "affine" not in "".join(c.name for c in composites(fused(name)))
    assert not {"nn.relu", "multiply", "add"} & operators(fused(name)).keys()
    wanted = ["bias+relu", "residual+relu"] if "residual" in name else ["bias+relu"]
    assert [str(w.epilogue) for w in layers(name)] == wanted * (len(layers(name)) // len(wanted))


@pytest.mark.parametrize("name", GRAPHS)
def test_layouts_change_at_the_edges_alone(name: str) -> None:
    """At the input, and at the result where that has maps."""
    assert operators(fused(name))["permute_dims"] == (1 if "residual" in name else 2)


def test_columns_are_rows() -> None:
    """Kernels compute rows, and what moves does for layouts: the input, and rows for the softmax."""
    assert [(w.height, w.kernel[0]) for w in layers("columns")] == [(1, 1), (1, 1)]
    assert operators(fused("columns"))["permute_dims"] == 3


@pytest.mark.slow
@pytest.mark.parametrize("name", [*GRAPHS, "columns"])
def test_the_passes_keep_the_meaning(name: str) -> None:
    """What they make is plain Relax: TVM's own pipeline builds it, composites included."""
    model = model_of(name)
    inputs = inputs_of(model)
    for got, wanted in zip(
        run_by_plain_tvm(fused(name), list(inputs.values())), run_onnx_runtime(model, inputs), strict=True
    ):
        assert_matches(got, wanted, name)


@pytest.mark.parametrize(
    ("kernel", "stride", "wanted"),
    [
        (2, 2, ["k1x1_s1x1_p0x0x0x0"]),
        (1, 1, ["k1x1_s1x1_p0x0x0x0"]),
        (3, 1, ["k3x3_s1x1_p2x2x2x2"]),
        (4, 2, ["k2x2_s1x1_p1x1x1x1"]),
        (3, 2, [f"k{h}x{w}_s1x1_p{h - 1}x{w - 1}x1x1" for h in (2, 1) for w in (2, 1)]),
    ],
)
def test_what_phases_become(kernel: int, stride: int, wanted: list[str]) -> None:
    """No tap is multiplied by the zeros that stride puts between the input's elements."""
    size = (5 - 1) * stride + kernel
    nodes = [node("ConvTranspose", "x w", "y", strides=[stride] * 2)]
    model = network(nodes, {"x": (1, 6, 5, 5)}, {"y": (1, 4, size, size)}, {"w": draw(6, 4, kernel, kernel)})
    found = [str(workload) for workload, _ in zoo.convolution_layers(model)]
    assert ["_".join(text.split("_")[4:7]) for text in found] == wanted


def test_layers_keep_their_nodes_name() -> None:
    """However many convolutions a node becomes; an algorithm may be asked for by it."""
    model = upsampled(2, 3)
    compiled = directconv.compile(model, TARGET, algorithm={"ConvTranspose:u": "im2col_gemm"})
    found = compiled.report().layers
    assert {(layer.name, layer.algorithm) for layer in found} == {("ConvTranspose:u", "im2col_gemm")}
    assert len(found) == 4 and all(layer.workspace_bytes > 0 for layer in found)
    (wanted,) = run_onnx_runtime(model, inputs_of(model))
    assert_matches(compiled.run(inputs_of(model))[0], wanted, "im2col")


def transposed(data: tuple[int, ...], weight: tuple[int, ...], **attributes: object) -> Single:
    outputs = weight[1] * int(attributes.get("group", 1))  # type: ignore[call-overload]
    constants = {"w": draw(*weight), "b": draw(outputs)}
    return Single("ConvTranspose", {"x": draw(*data)}, constants, attributes)


@pytest.mark.slow
def test_every_attribute_of_transposed_convolutions() -> None:
    """Those in which ONNX's own tests are thin: what ONNX Runtime computes of them."""
    image, weight = (1, 4, 4, 5), (4, 2, 3, 3)
    cases = [
        transposed(image, weight, strides=[2, 3], dilations=[2, 1], group=2, pads=[1, 0, 2, 1]),
        transposed(image, weight, strides=[2, 3], output_padding=[1, 2], pads=[3, 3, 0, 1]),
        transposed(image, weight, strides=[2, 3], auto_pad="SAME_LOWER"),
        transposed(image, (4, 2, 1, 2), strides=[3, 3], auto_pad="SAME_UPPER"),
        transposed(image, weight, strides=[2, 3], output_shape=[8, 14]),
        transposed(image, weight, strides=[3, 2], output_shape=[8, 8], auto_pad="SAME_UPPER"),
    ]
    assert not differences(cases, wanted=by_onnxruntime)


def test_what_no_tap_reaches_is_the_bias() -> None:
    layer = node("ConvTranspose", "x w b", "y", strides=[3, 3], output_shape=[13, 15])
    weights = {"w": draw(4, 2, 1, 2), "b": draw(2)}
    model = network([layer], {"x": (1, 4, 4, 5)}, {"y": (1, 2, 13, 15)}, weights)
    inputs = inputs_of(model)
    (got,) = directconv.compile(model, TARGET).run(inputs)
    sums = np.einsum("ncyx,cokl->noyxkl", inputs["x"], weights["w"])[..., 0, :]
    wanted = np.broadcast_to(weights["b"].reshape(1, 2, 1, 1), (1, 2, 13, 15)).copy()
    for tap in range(2):
        wanted[:, :, :10:3, tap:14:3] += sums[..., tap]
    np.testing.assert_allclose(got, wanted, 1e-5, 1e-5)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"kernel_shape": [2, 3]}, "kernel_shape"),
        ({"strides": [0, 1]}, "strides"),
        ({"pads": [9, 9, 9, 9]}, "do not fit"),
        ({"group": 3}, "groups|group|channels"),
    ],
)
def test_impossible_ones_are_refused(attributes: dict[str, object], message: str) -> None:
    layer = node("ConvTranspose", "x w", "y", **attributes)
    model = network([layer], {"x": (1, 4, 4, 4)}, {"y": ["n", "c", "h", "w"]}, {"w": draw(4, 2, 3, 3)})
    with pytest.raises(ModelError, match=rf"ConvTranspose.*({message})"):
        import_model(model)


@st.composite
def layer_of_any_dimensions(drawn: st.DrawFn) -> Single:
    """A convolution, a transposed one or a pool whose result is not empty."""
    dimensions = drawn(st.sampled_from([1, 2, 3]))
    kind = drawn(st.sampled_from(["Conv", "ConvTranspose", "ConvTranspose", "MaxPool", "AveragePool"]))
    taps, strides, dilations = (
        [drawn(st.integers(1, most)) for _ in range(dimensions)] for most in (4, 3, 1 if "Av" in kind else 2)
    )
    pads = [drawn(st.integers(0, (taps * 2)[axis] - 1)) for axis in range(2 * dimensions)]
    spans = [(tap - 1) * apart + 1 for tap, apart in zip(taps, dilations, strict=True)]
    sizes = [span + drawn(st.integers(0, 4)) for span in spans]
    attributes = {"kernel_shape": taps, "strides": strides, "pads": pads}
    if kind != "AveragePool":
        attributes["dilations"] = dilations
    groups = drawn(st.sampled_from([1, 1, 2, 4]))
    data = {"x": draw(drawn(st.integers(1, 2)), 4, *sizes)}
    if "Pool" in kind:
        attributes["ceil_mode"] = 0
        if kind == "AveragePool":
            attributes["count_include_pad"] = drawn(st.integers(0, 1))
        return Single(kind, data, {}, attributes)
    if kind == "ConvTranspose":
        axes = range(dimensions)
        reached = [(sizes[i] - 1) * strides[i] + (taps[i] - 1) * dilations[i] + 1 for i in axes]
        if any(reached[i] - pads[i] - pads[i + dimensions] < 1 for i in axes):
            attributes["pads"] = [0] * (2 * dimensions)
        attributes["output_padding"] = [drawn(st.integers(0, stride - 1)) for stride in strides]
    attributes["group"] = groups
    shape = (4, 3) if kind == "ConvTranspose" else (4, 4 // groups)
    outputs = 3 * groups if kind == "ConvTranspose" else 4
    return Single(kind, data, {"w": draw(*shape, *taps), "b": draw(outputs)}, attributes)


@pytest.mark.slow
@settings(max_examples=4, phases=[Phase.generate], suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(layer_of_any_dimensions(), min_size=12, max_size=12))
def test_drawn_layers(cases: list[Single]) -> None:
    assert not differences(cases, wanted=by_onnxruntime)


CHANNELS_LAST = {
    "conv1d": (relax.op.nn.conv1d, (2, 9, 4), (5, 4, 3), "NWC", "OIW"),
    "conv3d": (relax.op.nn.conv3d, (1, 4, 5, 6, 4), (5, 4, 3, 2, 3), "NDHWC", "OIDHW"),
    "conv1d_transpose": (relax.op.nn.conv1d_transpose, (2, 9, 4), (4, 5, 3), "NWC", "IOW"),
    "conv2d_transpose": (relax.op.nn.conv2d_transpose, (2, 5, 6, 4), (4, 5, 3, 2), "NHWC", "IOHW"),
}


@pytest.mark.parametrize("name", CHANNELS_LAST)
def test_modules_with_channels_last(name: str) -> None:
    """Against the same operator on channels first, by TVM's own pipeline."""
    make, data, weight, layout, kernel_layout = CHANNELS_LAST[name]
    first = f"NC{layout[1:-1]}"
    x, w = draw(*data), draw(*weight)

    def module(shape: tuple[int, ...], its: str) -> tvm.IRModule:
        builder = relax.BlockBuilder()
        param = relax.Var("x", relax.TensorType(shape, "float32"))
        with builder.function("main", [param]):
            with builder.dataflow():
                call = make(param, relax.const(w), strides=2, data_layout=its, kernel_layout=kernel_layout)
                result = builder.emit_output(call)
            builder.emit_func_output(result)
        return builder.get()

    to_first = [layout.index(letter) for letter in first]
    moved = np.ascontiguousarray(x.transpose(to_first))
    (wanted,) = run_by_plain_tvm(module(moved.shape, first), [moved])
    compiled = directconv.compile(module(data, layout), TARGET)
    assert {layer.kind for layer in compiled.report().layers} == {"conv2d"}
    back = [first.index(letter) for letter in layout]
    assert_matches(compiled.run([x])[0], wanted.transpose(back), name)


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_own_networks_agree_with_onnx_runtime(name: str) -> None:
    model = model_of(name)
    inputs = image_of(model)
    compiled = directconv.compile(model)
    for got, wanted in zip(compiled.run(inputs), run_onnx_runtime(model, inputs), strict=True):
        assert_matches(got, wanted, name, 2e-4)


def test_own_networks_are_known_by_name() -> None:
    assert set(zoo.NETWORKS) == set(SMALL)
    for name in zoo.NETWORKS:
        assert zoo.full_name(name) == zoo.resolve_model(name) == name
    with pytest.raises(ModelError, match="did you mean 'detector'"):
        zoo.full_name("detectr")
    with pytest.raises(ModelError, match="random weights only"):
        zoo.load_model("unet", weights="original")
    with pytest.raises(ModelError, match="nothing is shipped beside 'unet'"):
        zoo.reference_output("unet")


def test_own_networks_are_drawn_by_their_seed() -> None:
    first, same, other = (own.keyword_1d(seed, **SMALL["keyword_1d"]) for seed in (0, 0, 1))
    assert first == same and first != other
