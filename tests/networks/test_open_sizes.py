"""Models whose sizes stay open: compiled once, right at every size, equal to the bit however images come."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import tvm
from graph_support import draw, network, node
from onnx import ModelProto
from reference import run_onnx_runtime
from support import assert_matches, reference_conv2d
from tvm import relax, tirx

import tvm_directconv as directconv
from relay_strategies.passes.lower.plan_memory import LEAST_BYTES
from tvm_directconv.errors import InputError, ModelError
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.runtime.recent import Recent
from tvm_directconv.zoo import load_model
from tvm_directconv.zoo.inputs import true_inputs

BATCHES = (1, 2, 3, 7)


def residual(batch: int | str = "n") -> ModelProto:
    """Convolutions of several kinds, a depthwise one between 1x1 ones, pools, a concatenation, an addition, a
    shape that is computed, a dense layer and a softmax."""
    nodes = [
        node("Conv", "x w3", "a", pads=[1, 1, 1, 1], strides=[2, 2]),
        node("Relu", "a", "b"),
        node("MaxPool", "b", "c", kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1]),
        node("Conv", "c w1", "d"),
        node("Clip", "d low high", "e"),
        node("Conv", "e wd", "f", pads=[1, 1, 1, 1], group=32),
        node("Clip", "f low high", "g"),
        node("Conv", "g wp", "h"),
        node("Add", "h c", "i"),
        node("AveragePool", "i", "j", kernel_shape=[2, 2], strides=[2, 2]),
        node("AveragePool", "c", "k", kernel_shape=[2, 2], strides=[2, 2]),
        node("Concat", "j k", "l", axis=1),
        node("Sigmoid", "l", "m"),
        node("Shape", "m", "shape"),
        node("Gather", "shape zero", "images"),
        node("Unsqueeze", "images axes", "first"),
        node("Concat", "first rest", "target", axis=0),
        node("Reshape", "m target", "flat"),
        node("Gemm", "flat v bias", "z"),
        node("Softmax", "z", "y", axis=-1),
    ]
    weights = {
        "w3": draw(16, 3, 3, 3),
        "w1": draw(32, 16, 1, 1),
        "wd": draw(32, 1, 3, 3),
        "wp": draw(16, 32, 1, 1),
        "v": draw(32 * 16, 11),
        "bias": draw(11),
        "low": np.float32(0),
        "high": np.float32(6),
        "zero": np.array(0, np.int64),
        "axes": np.array([0], np.int64),
        "rest": np.array([-1], np.int64),
    }
    return network(nodes, {"x": (batch, 3, 16, 16)}, {"y": (batch, 11)}, weights)


@pytest.fixture(scope="module")
def model() -> directconv.CompiledModel:
    return directconv.compile(residual(), cache=False)


def test_the_batch_stays_open(model: directconv.CompiledModel) -> None:
    assert [info.shape for info in (*model.inputs, *model.outputs)] == [("n", 3, 16, 16), ("n", 11)]
    (size,) = model.sizes
    assert size.is_open and dict(size.typical) == {"n": 1}
    assert size.shapes == {"x": (1, 3, 16, 16)}


def test_one_compile_is_right_at_every_batch(model: directconv.CompiledModel) -> None:
    fixed, images = residual("n"), draw(max(BATCHES), 3, 16, 16)
    alone = np.concatenate([model.run(image[None])[0] for image in images])
    for batch in BATCHES:
        (result,) = model.run(images[:batch])
        assert_matches(result, run_onnx_runtime(fixed, {"x": images[:batch]})[0], f"batch {batch}")
        np.testing.assert_array_equal(result, alone[:batch])
    assert len(model.sizes) == 1


def test_what_a_model_does_it_does_at_any_batch(model: directconv.CompiledModel, tmp_path: Path) -> None:
    image = draw(5, 3, 16, 16)
    (expected,) = model.run(image)
    np.testing.assert_array_equal(model.submit(image).result()[0], expected)
    np.testing.assert_array_equal(model.request().run(image)[0], expected)
    np.testing.assert_array_equal(model(image), expected)
    given = np.empty((5, 11), np.float32)
    model.run(image, given)
    np.testing.assert_array_equal(given, expected)
    model.set_inputs(image)
    model.invoke()
    np.testing.assert_array_equal(model.get_outputs()[0], expected)
    assert len(model.profile(image, rounds=1).calls) == len(model.report().calls)
    assert model.report().layers[0].workload.startswith("n1_")
    model.export_library(tmp_path / "open.so")
    loaded = directconv.load(tmp_path / "open.so")
    assert loaded.inputs == model.inputs
    np.testing.assert_array_equal(loaded.run(image)[0], expected)


def test_it_comes_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_DIRECTCONV_CACHE", str(tmp_path))
    image = draw(4, 3, 16, 16)
    first, second = (directconv.compile(residual()) for _ in range(2))
    assert first.inputs == second.inputs
    np.testing.assert_array_equal(second.run(image)[0], first.run(image)[0])


def test_what_is_no_batch_is_refused(model: directconv.CompiledModel) -> None:
    with pytest.raises(InputError, match=r"input 'x' has shape \(2, 3, 16, 17\), expected \(n, 3, 16, 16\)"):
        model.run(draw(2, 3, 16, 17))
    with pytest.raises(InputError, match="'x' has shape"):
        model.run(draw(3, 16, 16))
    with pytest.raises(ModelError, match="typical names 'm', and the open dimensions are: n"):
        directconv.compile(residual(), typical={"m": 2}, cache=False)
    with pytest.raises(ModelError, match="typical= is of dimensions that stay open; batch="):
        directconv.compile(residual(), typical={"n": 2}, batch=2, cache=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [{"layout": "blocked"}, {"precision": "bfloat16"}, {"algorithm": {"Conv:a": "sconv"}}]
)
def test_options_hold_for_open_batches(options: dict[str, Any]) -> None:
    chosen, image = directconv.compile(residual(), cache=False, **options), draw(3, 3, 16, 16)
    assert chosen.sizes[0].is_open
    fixed = directconv.compile(residual(3), cache=False, **options)
    np.testing.assert_allclose(chosen.run(image)[0], fixed.run(image)[0], rtol=1e-2, atol=1e-3)


def test_a_model_of_one_batch_alone_is_compiled_for_others_when_they_come() -> None:
    """Where a batch is written into a shape, one program cannot take others."""
    nodes = [node("Conv", "x w", "a"), node("Reshape", "a rows", "b"), node("MatMul", "b v", "y")]
    weights = {"w": draw(8, 3, 1, 1), "rows": np.array([-1, 96], np.int64), "v": draw(96, 2)}
    made = network(nodes, {"x": ("n", 3, 6, 6)}, {"y": ("m", 2)}, weights)
    model = directconv.compile(made, cache=False)
    for batch in (1, 2, 5):
        image = draw(batch, 3, 6, 6)
        assert_matches(model.run(image)[0], run_onnx_runtime(made, {"x": image})[0], f"batch {batch}")


def attention() -> ModelProto:
    """Attention of four heads between dense layers, with a norm behind."""
    heads, length, channels = 4, 20, 32
    nodes = []
    for name in "qkv":
        nodes += [
            node("MatMul", f"x w{name}", f"{name}0"),
            node("Reshape", f"{name}0 heads", f"{name}1"),
            node("Transpose", f"{name}1", f"{name}2", perm=[0, 2, 3, 1] if name == "k" else [0, 2, 1, 3]),
        ]
    nodes += [
        node("MatMul", "q2 k2", "s"),
        node("Softmax", "s", "p", axis=-1),
        node("MatMul", "p v2", "o"),
        node("Transpose", "o", "t", perm=[0, 2, 1, 3]),
        node("Reshape", "t rows", "r"),
        node("Add", "r x", "a"),
        node("LayerNormalization", "a gamma beta", "y", axis=-1),
    ]
    weights = {f"w{name}": draw(channels, channels) * np.float32(0.2) for name in "qkv"}
    weights |= {"gamma": draw(channels), "beta": draw(channels)}
    shapes = {"heads": [0, length, heads, channels // heads], "rows": [0, length, channels]}
    weights |= {name: np.array(shape, np.int64) for name, shape in shapes.items()}
    shape = ("n", length, channels)
    return network(nodes, {"x": shape}, {"y": shape}, weights)


def test_attention_of_open_batch() -> None:
    made = attention()
    model = directconv.compile(made, cache=False)
    assert model.report().other_kernels["attention"] == 1 and model.sizes[0].is_open
    for batch in BATCHES:
        image = draw(batch, 20, 32)
        assert_matches(model.run(image)[0], run_onnx_runtime(made, {"x": image})[0], f"batch {batch}")
    assert len(model.sizes) == 1


def test_a_relax_module_of_open_batch() -> None:
    filters, batch, builder = draw(8, 3, 3, 3), tirx.Var("batch", "int64"), relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((batch, 3, 9, 9), "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            y = builder.emit(relax.op.nn.conv2d(x, relax.const(filters), padding=1))
            result = builder.emit_output(relax.op.nn.relu(y))
        builder.emit_func_output(result)
    model = directconv.compile(builder.get(), cache=False)
    assert model.inputs[0].shape == ("batch", 3, 9, 9)
    workload = Conv2dWorkload(4, 9, 9, 3, 8, (3, 3), padding=(1, 1, 1, 1), data_layout="NCHW")
    image = draw(4, 3, 9, 9)
    expected = reference_conv2d(replace(workload, epilogue=Epilogue(low=0)), image, filters, None, None)
    assert_matches(model.run(image)[0], expected, "relax")
    assert len(model.sizes) == 1


def pyramid() -> ModelProto:
    """Two scales of a map, brought together, that any height and width may have."""
    nodes = [
        node("Conv", "x w3", "a", pads=[1, 1, 1, 1], strides=[2, 2]),
        node("LeakyRelu", "a", "b", alpha=0.1),
        node("Conv", "b wd", "c", pads=[1, 1, 1, 1], strides=[2, 2], group=16),
        node("Conv", "c w1", "d"),
        node("MaxPool", "b", "e", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
        node("Concat", "d e", "f", axis=1),
        node("Conv", "f w2", "g", pads=[1, 1, 1, 1]),
        node("Add", "g f", "h"),
        node("GlobalAveragePool", "h", "i"),
        node("Mul", "h i", "y"),
    ]
    weights = {
        "w3": draw(16, 3, 3, 3),
        "wd": draw(16, 1, 3, 3),
        "w1": draw(24, 16, 1, 1),
        "w2": draw(40, 40, 3, 3),
    }
    return network(nodes, {"x": ("n", 3, "h", "w")}, {"y": ("n", 40, "p", "q")}, weights)


@pytest.mark.slow
def test_height_and_width_stay_open() -> None:
    """Drawn sizes, odd and prime ones among them, have the answers of ONNX Runtime, from one program."""
    made, rng = pyramid(), np.random.default_rng(11)
    model = directconv.compile(made, typical={"n": 1, "h": 48, "w": 64}, cache=False)
    (info,) = model.inputs
    assert info.shape == ("n", 3, "h", "w") and model.sizes[0].is_open
    for shape in ((1, 48, 64), (2, 31, 37), (1, 64, 48), *rng.integers((1, 20, 20), (4, 90, 90), (4, 3))):
        batch, height, width = map(int, shape)
        image = draw(batch, 3, height, width)
        (result,), (expected,) = model.run(image), run_onnx_runtime(made, {"x": image})
        assert_matches(result, expected, f"{shape}")
    assert len(model.sizes) == 1


@pytest.mark.slow
def test_what_is_typical_is_guessed() -> None:
    """One image of 224, and sequences of 64, or of 512 where 64 is too short; an error names the guess."""
    size = directconv.compile(pyramid(), cache=False).sizes[0]
    assert size.is_open and size.typical == {"n": 1, "h": 224, "w": 224} and len(repr(size)) < 1000
    for window, guess in ((5, 64), (200, 512)):
        made = network(
            [node("Conv", "x w", "y")], {"x": ("n", 1, "s")}, {"y": ("n", 4, "t")}, {"w": draw(4, 1, window)}
        )
        model = directconv.compile(made, cache=False)
        assert model.sizes[0].shapes == {"x": (1, 1, guess)}
        image = draw(2, 1, 300)
        assert_matches(model.run(image)[0], run_onnx_runtime(made, {"x": image})[0], f"window {window}")
    made = network([node("Conv", "x w", "y")], {"x": (1, 1, "s")}, {"y": (1, 4, "t")}, {"w": draw(4, 1, 800)})
    with pytest.raises(directconv.ModelError, match="sizes were guessed: .*typical=.'s': 64"):
        directconv.compile(made)
    assert directconv.compile(made, typical={"s": 900}, cache=False).run(draw(1, 1, 801))[0].shape == (
        1,
        4,
        2,
    )


@pytest.mark.parametrize("names", [("if", "min", "max"), ("a b", "dim0", "c-d")])
def test_dimensions_have_any_names(names: tuple[str, str, str]) -> None:
    batch, height, width = names
    nodes = [
        node("Conv", "x w", "a", pads=[1, 1, 1, 1], strides=[2, 2]),
        node("MaxPool", "a", "y", kernel_shape=[2, 2], strides=[2, 2]),
    ]
    shapes = {"x": (batch, 3, height, width)}, {"y": (batch, 8, "p", "q")}
    made = network(nodes, *shapes, {"w": draw(8, 3, 3, 3)})
    model = directconv.compile(made, typical={height: 20, width: 28}, cache=False)
    assert model.inputs[0].shape == (batch, 3, height, width) and model.sizes[0].is_open
    for shape in ((1, 3, 20, 28), (2, 3, 33, 47)):
        image = draw(*shape)
        assert_matches(model.run(image)[0], run_onnx_runtime(made, {"x": image})[0], str(shape))


@pytest.mark.slow
def test_a_size_that_is_too_small_for_the_program_is_compiled_when_it_comes() -> None:
    made = pyramid()
    model = directconv.compile(made, typical={"h": 48, "w": 64}, cache=False)
    image = draw(1, 3, 3, 2)
    assert_matches(model.run(image)[0], run_onnx_runtime(made, {"x": image})[0], "narrow")
    assert len(model.sizes) == 2


@pytest.mark.slow
@pytest.mark.parametrize("target", ["llvm -mcpu=native", "llvm -mtriple=x86_64-linux-gnu -mcpu=haswell"])
def test_typical_rows_may_be_narrower_than_borders(target: str) -> None:
    """Kernels for such rows have tiles, and packed filters, of fewer channels; results stay transposed."""
    nodes = [
        node("Conv", "x w", "a", pads=[3] * 4),
        node("Relu", "a", "b"),
        node("Conv", "b v", "c", pads=[3] * 4, group=40),
        node("Conv", "c u", "y", pads=[2] * 4, strides=[2, 2]),
    ]
    weights = {"w": draw(40, 24, 7, 7), "v": draw(40, 1, 7, 7), "u": draw(8, 40, 5, 5)}
    made = network(nodes, {"x": ("n", 24, "h", "w")}, {"y": ("n", 8, "p", "q")}, weights)
    model = directconv.compile(made, target, typical={"h": 3, "w": 3}, cache=False)
    assert model.sizes[0].is_open
    for shape in ((1, 3, 3), (3, 7, 40), (1, 13, 6), (2, 5, 4)):
        image = draw(shape[0], 24, *shape[1:])
        assert_matches(model.run(image)[0], run_onnx_runtime(made, {"x": image})[0], f"{shape}")
    assert len(model.sizes) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["unet", "detector", "squeezenet_int8"])
def test_networks_of_open_batch(name: str) -> None:
    proto = load_model(name)
    fixed = directconv.compile(proto, cache=False)
    opened = ModelProto()
    opened.CopyFrom(proto)
    for value in (*true_inputs(opened.graph), *opened.graph.output):
        value.type.tensor_type.shape.dim[0].dim_param = "n"
    del opened.graph.value_info[:]
    _keep_first_dimension(opened)
    model = directconv.compile(opened, cache=False)
    (size,) = model.sizes
    assert size.is_open and all(condition.startswith("n <= ") for condition in size.conditions)
    (info,) = fixed.inputs
    images = np.random.default_rng(3).random((2, *map(int, info.shape[1:])), np.float32)
    for image, result in zip(images, zip(*model.run(images), strict=True), strict=True):
        for ours, expected in zip(result, fixed.run(image[None]), strict=True):
            np.testing.assert_allclose(ours, expected[0], rtol=1e-4, atol=1e-4)


def _keep_first_dimension(model: ModelProto) -> None:
    """Have reshapes to shapes of one image keep the batch."""
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    constants |= {n.output[0]: n.attribute[0].t for n in model.graph.node if n.op_type == "Constant"}
    for each in model.graph.node:
        tensor = constants.get(each.input[1]) if each.op_type == "Reshape" else None
        shape = None if tensor is None else onnx.numpy_helper.to_array(tensor).copy()
        if tensor is not None and shape is not None and shape.size and shape[0] == 1:
            shape[0] = 0
            tensor.CopyFrom(onnx.numpy_helper.from_array(shape, tensor.name))


@pytest.mark.slow
def test_memory_is_known_before_a_run() -> None:
    """What a run allocates are pieces of powers of two, for as many bytes as the model said."""
    model = directconv.compile(pyramid(), typical={"h": 48, "w": 64}, cache=False)
    for batch, height, width in ((1, 48, 64), (3, 211, 97), (2, 31, 400)):
        pieces: list[int] = []

        def record(function: Any, name: str, before: bool, result: Any, *arguments: Any) -> None:
            if before and name == "vm.builtin.alloc_storage":
                pieces.append(int(arguments[1][0]))  # noqa: B023

        machine = relax.VirtualMachine(model.executable, tvm.cpu())
        machine.set_instrument(record)
        machine["main"](tvm.runtime.tensor(draw(batch, 3, height, width)))
        said = model.memory(n=batch, h=height, w=width)
        assert said <= sum(pieces) <= 2 * said + LEAST_BYTES * len(pieces)
        assert all(piece.bit_count() == 1 for piece in pieces) and len(pieces) < 8
    assert model.memory(h=48) == model.report().activation_bytes
    with pytest.raises(InputError, match="'q' is not an open dimension, which are: n, h, w"):
        model.memory(q=1)
    with pytest.raises(InputError, match="this size is not compiled: .* does not hold"):
        model.memory(h=3, w=2)


@pytest.mark.slow
def test_sizes_are_bounds() -> None:
    made = pyramid()
    model = directconv.compile(made, sizes={"n": (1, 4), "h": (20, 90), "w": (20, 90)}, cache=False)
    assert dict(model.sizes[0].typical) == {"n": 1, "h": 48, "w": 48}
    image = draw(4, 3, 90, 20)
    assert_matches(model.run(image)[0], run_onnx_runtime(made, {"x": image})[0], "at both ends")
    for shape, dim, ends in (((5, 3, 20, 20), "n", "1 to 4"), ((1, 3, 20, 91), "w", "20 to 90")):
        with pytest.raises(InputError, match=f"'{dim}' is compiled for {ends}"):
            model.run(draw(*shape))
    assert len(model.sizes) == 1
    refused: list[tuple[dict[str, Any], str]] = [
        (
            {"sizes": {"h": (9, 2)}},
            r"sizes\['h'\] must be the least and the most of a dimension, not \(9, 2\)",
        ),
        ({"sizes": {"k": (1, 2)}}, "sizes names 'k', and the open dimensions are: n, h, w"),
        ({"sizes": {"h": (1, 2)}, "typical": {"h": 3}}, "3 is typical of 'h', and sizes are 1 to 2"),
        ({"sizes": {"h": (1, 2)}, "batch": 1}, "sizes= is of dimensions that stay open; batch="),
        ({"typical": {"h": 0}}, r"typical\['h'\] must be a positive integer, not 0"),
    ]
    for options, message in refused:
        with pytest.raises(ModelError, match=message):
            directconv.compile(made, cache=False, **options)


def test_names_open_what_a_model_fixes() -> None:
    """Names take the place of numbers, and of other names, in all inputs."""
    nodes = [node("Conv", "x w", "a", strides=[2, 2]), node("Mul", "a z", "y")]
    shapes = {"x": ("batch", 3, 20, 28), "z": ("batch", 1, 1, 1)}
    made = network(nodes, shapes, {"y": (1, 8, 9, 13)}, {"w": draw(8, 3, 3, 3)})
    model = directconv.compile(
        made, shapes={"x": ("n", 3, "h", "w")}, typical={"h": 20, "w": 28}, cache=False
    )
    assert [info.shape for info in model.inputs] == [("n", 3, "h", "w"), ("n", 1, 1, 1)]
    filters = made.graph.initializer[0]
    for n, h, w in ((1, 20, 28), (2, 31, 17)):
        fixed = network(
            nodes,
            {"x": (n, 3, h, w), "z": (n, 1, 1, 1)},
            {"y": (n, 8, (h - 1) // 2, (w - 1) // 2)},
            {"w": onnx.numpy_helper.to_array(filters)},
        )
        given = {"x": draw(n, 3, h, w), "z": draw(n, 1, 1, 1)}
        assert_matches(model.run(given)[0], run_onnx_runtime(fixed, given)[0], f"{(n, h, w)}")
    assert len(model.sizes) == 1
    refused: list[tuple[dict[str, Any], str]] = [
        ({"x": ("n", 3, "h")}, "shapes names dimensions of 'x', and the inputs are x=batchx3x20x28,z="),
        ({"x": ("n", 3, "h", "w"), "z": ("m", 1, 1, 1)}, "shapes calls 'batch' both 'n' and 'm'"),
        ({"x": ("n", 4, "h", "w")}, r"'x' cannot have shape \(\?, 4, \?, \?\)"),
    ]
    for named, message in refused:
        with pytest.raises(ModelError, match=message):
            directconv.compile(made, shapes=named, typical={"h": 20, "w": 28}, cache=False)


def test_recent_values_are_kept() -> None:
    recent = Recent[int, str](2)
    for key in (1, 2):
        recent.put(key, str(key))
    assert recent.get(1) == "1"
    recent.put(3, "3")
    assert [recent.get(key) for key in (1, 2, 3)] == ["1", None, "3"]
