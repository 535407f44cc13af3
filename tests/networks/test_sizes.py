"""Several sizes of one model: which are meant, one program that shares what is equal, and more on demand."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
import tvm
from graph_support import draw, inputs_of, network, node
from onnx import ModelProto
from reference import run_onnx_runtime
from support import assert_matches
from tvm import relax

import tvm_directconv as directconv
from relay_strategies.compiler.library.program import Program, executable
from relay_strategies.compiler.sizes import ShapeSpec, described, onnx_inputs, relax_inputs, with_size
from relay_strategies.passes import finish_passes
from relay_strategies.passes.lower.share_constants import ShareConstants
from tvm_directconv.errors import InputError, ModelError
from tvm_directconv.runtime.metadata import Metadata, Size, TensorInfo, check_shapes

FILTER = draw(16, 8, 3, 3)
DENSE = draw(16, 40)


def classifier(*dims: int | str) -> ModelProto:
    """A convolution, pooling over the map, and a dense layer."""
    nodes = [
        node("Conv", "x w", "c", pads=[1, 1, 1, 1]),
        node("Relu", "c", "r"),
        node("GlobalAveragePool", "r", "g"),
        node("Flatten", "g", "f"),
        node("MatMul", "f v", "y"),
    ]
    return network(nodes, {"x": dims}, {"y": (dims[0], 40)}, {"w": FILTER, "v": DENSE})


OPEN = classifier("n", 8, "h", "w")


def assert_right(model: directconv.CompiledModel, *shape: int) -> None:
    image = draw(*shape)
    fixed = with_size(OPEN, {"x": shape}, None)
    assert_matches(model.run(image)[0], run_onnx_runtime(fixed, {"x": image})[0], str(shape))


# ---- which sizes are meant

DECLARED = {"x": ("n", 3, "h", "h"), "mask": ("n", 7), "scale": (1,)}
WANTED: list[tuple[dict[str, Any], list[tuple[int, int]]]] = [
    ({"shapes": {"x": (2, 3, 8, 8)}}, [(2, 8)]),
    ({"shapes": {"x": (None, None, 8, None)}, "batch": 2}, [(2, 8)]),
    ({"shapes": {"x": [None, 3, None, 8], "mask": (2, None)}}, [(2, 8)]),
    ({"shapes": {"x": (None, 3, 8, 8)}, "batch": (1, 4)}, [(1, 8), (4, 8)]),
    ({"shapes": [{"x": (1, 3, 8, 8)}, {"x": (2, 3, 9, 9)}]}, [(1, 8), (2, 9)]),
    ({"shapes": [{"x": (None, 3, h, h)} for h in (8, 9)], "batch": [1, 1]}, [(1, 8), (1, 9)]),
]  # fmt: skip


@pytest.mark.parametrize(("said", "wanted"), WANTED)
def test_sizes_are_what_shapes_and_batch_say(said: dict[str, Any], wanted: list[tuple[int, int]]) -> None:
    found = ShapeSpec(**said).sizes(DECLARED)
    assert found == [{"x": (n, 3, h, h), "mask": (n, 7), "scale": (1,)} for n, h in wanted]


@pytest.mark.parametrize(
    ("shapes", "batch", "message"),
    [
        (None, None, "'x': dimension 0 'n' and .* are symbolic; .*batch=, or with shapes="),
        (None, 8, "'x': dimension 2 'h' and dimension 3 'h' are symbolic; .*with shapes="),
        ({"maks": (1,)}, None, "names 'maks', which is not an input.*did you mean 'mask'"),
        ({"x": (1, 3, 8)}, None, r"'x' cannot have shape \(1, 3, 8\): the model declares \(n, 3, h, h\)"),
        ({"x": (1, 4, None, 8)}, None, r"cannot have shape \(1, 4, \?, 8\)"),
        ({"x": (1, 3, 8, 9)}, None, "gives 'h' two values, 8 and 9"),
        ({"x": (1, 3, 8, 8), "mask": (2, 7)}, None, "gives 'n' two values"),
        ({"x": (1, 3, 8, 8)}, 2, "leave open, and there are none"),
    ],
)
def test_wrong_sizes_are_named(shapes: Any, batch: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        ShapeSpec(shapes, batch).sizes(DECLARED)


def test_a_fixed_batch_is_said_to_be_fixed() -> None:
    with pytest.raises(ModelError, match="none: x=1x8x6x6; export the model with a symbolic batch"):
        directconv.compile(classifier(1, 8, 6, 6), batch=8)


def test_inputs_of_unknown_rank_take_what_is_given() -> None:
    assert ShapeSpec({"x": (None, 3)}, 2).sizes({"x": None}) == [{"x": (2, 3)}]
    assert ShapeSpec().sizes({"x": None}) == [{}]  # the importer says that it does not have a shape


def test_what_models_declare() -> None:
    model = classifier("n", 8, "", 7)
    assert onnx_inputs(model) == {"x": ("n", 8, "x.2", 7)}
    n = tvm.tirx.Var("n", "int64")
    x, w = (
        relax.Var(name, relax.TensorType((n, size), "float32")) for name, size in (("x", 4), ("w", n + 1))
    )
    builder = relax.BlockBuilder()
    with builder.function("main", [x, w]):
        builder.emit_func_output(x)
    assert relax_inputs(builder.get(), {}) == {"x": ("n", 4), "w": ("n", "w.1")}
    assert relax_inputs(builder.get(), {"w": 0}) == {"x": ("n", 4)}


def sized(shape: tuple[int, ...], result: tuple[int, ...]) -> Size:
    return Size((TensorInfo("x", shape, "float32"),), (TensorInfo("y", result, "float32"),), None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sizes", "declared", "grows", "wanted"),
    [
        ([((1, 3), (1, 5))], {"x": ("n", 3)}, False, ((1, 3), (1, 5))),
        ([((1, 3), (1, 5))], {"x": ("n", 3), "y": ("n", 5)}, True, (("n", 3), ("n", 5))),
        ([((1, 3), (1, 5)), ((2, 3), (2, 5))], {"x": ("n", "c")}, False, (("n", 3), ("n", 5))),
        ([((1, 3), (2, 5)), ((2, 3), (4, 5))], {"x": ("n", 3)}, False, (("n", 3), ("y.0", 5))),
        ([((1, 3), (1, 5)), ((2, 4), (2, 5))], {}, False, (("x.0", "x.1"), ("x.0", 5))),
    ],
)
def test_dimensions_that_differ_have_names(sizes: Any, declared: Any, grows: bool, wanted: Any) -> None:
    inputs, outputs = described([sized(*shapes) for shapes in sizes], declared, grows)
    assert (inputs[0].shape, outputs[0].shape) == wanted


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ({"x": (2, 4), "m": (2,)}, r"'x' has shape \(2, 4\), expected \(n, 3\)"),
        ({"x": (2, 3), "m": ()}, r"'m' has shape \(\), expected \(n,\)"),
        ({"x": (2, 3), "m": (3,)}, r"'m' has shape \(3,\), and 'n' was 2"),
    ],
)
def test_shapes_of_no_size_are_refused(shapes: Any, message: str) -> None:
    infos = TensorInfo("x", ("n", 3), "float32"), TensorInfo("m", ("n",), "float32")
    with pytest.raises(InputError, match=message):
        check_shapes(infos, shapes, {})


# ---- several at once


@pytest.fixture(scope="module")
def several() -> directconv.CompiledModel:
    return directconv.compile(OPEN, shapes=[{"x": (None, 8, 6, 6)}, {"x": (None, 8, 6, 9)}], batch=(1, 3))


SHAPES = [(1, 8, 6, 6), (3, 8, 6, 6), (1, 8, 6, 9), (3, 8, 6, 9)]


def test_the_size_is_that_of_the_inputs(several: directconv.CompiledModel) -> None:
    assert [size.shapes["x"] for size in several.sizes] == SHAPES
    for shape in reversed(SHAPES):
        assert_right(several, *shape)
    assert [str(info) for info in (*several.inputs, *several.outputs)] == [
        "x: float32[n, 8, 6, w]",
        "y: float32[n, 40]",
    ]
    with pytest.raises(
        InputError, match=r"does not have size x=2x8x6x6; it is compiled for x=1x8x6x6; x=3x8x6x6; x=1x8x6x9"
    ):
        several.run(draw(2, 8, 6, 6))
    with pytest.raises(InputError, match=r"shape \(1, 8, 7, 6\), expected \(n, 8, 6, w\)"):
        several.set_inputs(draw(1, 8, 7, 6))


def test_inputs_set_say_the_size_to_invoke(several: directconv.CompiledModel) -> None:
    for shape in SHAPES:
        several.set_inputs(draw(*shape))
        several.invoke()
        assert np.array_equal(several.get_outputs()[0], several.run(draw(*shape))[0])


def test_sizes_have_their_reports(several: directconv.CompiledModel) -> None:
    large = several.size({"x": (None, 8, 6, 9)}, batch=3)
    assert large is several.sizes[3] and large.report().flops > several.report().flops
    assert several.size() is several.sizes[0] and several.report() is several.sizes[0].report()
    with pytest.raises(InputError, match="does not have size x=2x8x6x6"):
        several.size({"x": (2, 8, 6, 6)})
    with pytest.raises(ModelError, match="'x': dimension 3 'w' is symbolic"):
        several.size(batch=3)
    assert all(str(size) in str(several) for size in several.sizes)


def test_the_batch_of_all_sizes_names_them() -> None:
    """As for ``compile``, although no dimension is open where there is one."""
    shapes = {"x": (None, 8, 6, 6)}
    model = directconv.compile(OPEN, "llvm", shapes=shapes, batch=2)
    assert model.size(shapes, batch=2) is model.size(batch=2) is model.sizes[0]
    with pytest.raises(InputError, match="does not have a size of batch 3; it is compiled for x=2x8x6x6"):
        model.size(shapes, batch=3)


def test_libraries_hold_all_sizes_and_equal_weights_once(
    several: directconv.CompiledModel, tmp_path: Path
) -> None:
    several.export_library(tmp_path / "several.so")
    loaded = directconv.load(tmp_path / "several.so")
    assert loaded.sizes == several.sizes and loaded.inputs == several.inputs
    for shape in SHAPES:
        assert np.array_equal(loaded.run(draw(*shape))[0], several.run(draw(*shape))[0])
    with pytest.raises(InputError, match="does not have size"):
        loaded.run(draw(2, 8, 6, 6))


def test_one_size_in_a_list_is_that_size() -> None:
    model = directconv.compile(OPEN, shapes=[{"x": (1, 8, 6, 6)}], batch=None, target="llvm")
    assert model.inputs == model.sizes[0].inputs and model.inputs[0].shape == (1, 8, 6, 6)


def test_relax_modules_are_compiled_in_sizes() -> None:
    n = tvm.tirx.Var("n", "int64")
    x, w = (
        relax.Var(name, relax.TensorType(shape, "float32"))
        for name, shape in (("x", (n, 8, 6, 6)), ("w", (16, 8, 3, 3)))
    )
    builder = relax.BlockBuilder()
    with builder.function("main", [x, w]):
        with builder.dataflow():
            result = builder.emit_output(builder.emit(relax.op.nn.conv2d(x, w, padding=1)))
        builder.emit_func_output(result)
    model = directconv.compile(builder.get(), params={"w": FILTER}, batch=1, on_demand=True)
    assert (model.inputs[0].shape, model.outputs[0].shape) == (("n", 8, 6, 6), ("n", 16, 6, 6))
    image = draw(2, 8, 6, 6)
    both, halves = model.run(image)[0], [model.run(half[None])[0] for half in image]
    assert_matches(both, np.concatenate(halves), "batch of two")


def kernels_of(size: int) -> tvm.IRModule:
    """A function of two kernels, the second of which is the same for every ``size``."""
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((size, 4), "float32"))
    y = relax.Var("y", relax.TensorType((5,), "float32"))
    with builder.function("main", [x, y]):
        with builder.dataflow():
            results = [builder.emit(relax.op.exp(x)), builder.emit(relax.op.negative(y))]
            result = builder.emit_output(relax.Tuple(results))
        builder.emit_func_output(result)
    return tvm.transform.Sequential([relax.transform.LegalizeOps(), *finish_passes()])(builder.get())


def test_equal_kernels_are_compiled_once() -> None:
    empty = Program(directconv.resolve_target("llvm"))
    one = empty.adding(kernels_of(2))
    again = one.adding(kernels_of(2))
    assert not again.parts[1].libraries and again.kernels == one.kernels and not empty.parts
    other = again.adding(kernels_of(3))
    assert len(other.parts[2].libraries) == 1
    assert sum(map(len, other.kernels.values())) == sum(map(len, one.kernels.values())) + 1
    machine = relax.VirtualMachine(executable(other.target, other.parts, b"data"), tvm.cpu())
    for part, size in zip(other.parts, (2, 2, 3), strict=True):
        given = np.full((size, 4), 1.5, np.float32), np.arange(5, dtype=np.float32)
        first, second = machine[part.function](*map(tvm.runtime.tensor, given))
        np.testing.assert_allclose(first.numpy(), np.exp(given[0]), rtol=1e-5)
        assert np.array_equal(second.numpy(), -given[1])


def test_equal_constants_are_one() -> None:
    def constants_of(array: np.ndarray) -> list[Any]:
        builder = relax.BlockBuilder()
        x = relax.Var("x", relax.TensorType(array.shape, str(array.dtype)))
        with builder.function("main", [x]):
            with builder.dataflow():
                half = builder.emit(relax.op.add(x, relax.const(array)))
                result = builder.emit_output(relax.op.add(half, relax.const(array.copy())))
            builder.emit_func_output(result)
        bindings = ShareConstants(known)(builder.get())["main"].body.blocks[0].bindings[:2]
        return [binding.value.args[1] for binding in bindings]

    known: dict[Any, Any] = {}
    floats = draw(3, 4)
    first, again = constants_of(floats), constants_of(floats)
    assert all(constant.same_as(first[0]) for constant in first + again) and len(known) == 1
    for other in (floats.reshape(4, 3), floats.view(np.int32), floats + 1):
        (constant, _) = constants_of(other)
        assert np.array_equal(constant.value.numpy(), other) and not constant.same_as(first[0])
    assert len(known) == 4


def test_a_library_of_two_sizes_holds_the_weights_of_one(tmp_path: Path) -> None:
    nodes = [node("Conv", "x w", "y", kernel_shape=[1, 1])]
    proto = network(nodes, {"x": ("n", 512, 2, 2)}, {"y": ("n", 512, 2, 2)}, {"w": draw(512, 512, 1, 1)})
    sizes = []
    for batch in (1, (1, 2)):
        model = directconv.compile(proto, "llvm", batch=batch)
        model.export_library(tmp_path / "model.so")
        sizes.append((tmp_path / "model.so").stat().st_size)
    filters = [size.report().packed_filter_bytes for size in model.sizes]
    assert filters == [512 * 512 * 4] * 2
    assert sizes[1] - sizes[0] < filters[0] / 4


# ---- on demand


def growing(**options: Any) -> directconv.CompiledModel:
    return directconv.compile(OPEN, "llvm", shapes={"x": (1, 8, 6, 6)}, on_demand=True, **options)


def test_new_sizes_are_compiled_when_inputs_ask_for_them(tmp_path: Path) -> None:
    told: list[str] = []
    model = growing(on_phase=told.append)
    assert [str(i) for i in (*model.inputs, *model.outputs)] == [
        "x: float32[n, 8, h, w]",
        "y: float32[n, 40]",
    ]
    before = model.executable
    model.set_inputs(draw(1, 8, 6, 6))
    assert len(told) == 4
    for _ in range(2):
        assert_right(model, 2, 8, 5, 5)
    assert told[4:] == [f"{phase} of x=2x8x5x5" for phase in ("import", "graph", "kernels", "code")]
    assert [size.shapes["x"] for size in model.sizes] == [(1, 8, 6, 6), (2, 8, 5, 5)]
    model.invoke()  # of the size that was set before
    assert model.get_outputs()[0].shape == (1, 40) and model.executable is not before
    model.export_library(tmp_path / "model.so")
    assert_right(directconv.load(tmp_path / "model.so"), 2, 8, 5, 5)
    with pytest.raises(InputError, match=r"shape \(1, 9, 6, 6\), expected \(n, 8, h, w\)"):
        model.run(draw(1, 9, 6, 6))


def test_who_waits_for_a_size_gets_the_same_and_others_run_on() -> None:
    told: list[str] = []
    compiling, done = Event(), Event()

    def announce(phase: str) -> None:
        told.append(phase)
        if phase.startswith("graph of"):
            compiling.set()
            assert done.wait(60)

    model = growing(on_phase=announce)
    results: list[np.ndarray] = []
    threads = [Thread(target=lambda: results.extend(model.run(draw(2, 8, 6, 6)))) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert compiling.wait(60)
    assert_right(model, 1, 8, 6, 6)
    done.set()
    for thread in threads:
        thread.join()
    assert told.count("import of x=2x8x6x6") == 1 and len(model.sizes) == 2
    assert len(results) == 3 and all(np.array_equal(result, results[0]) for result in results)


@pytest.mark.slow
@pytest.mark.parametrize("phase", ["import", "graph", "kernels", "code"])
def test_an_interrupted_size_leaves_the_model_as_it_was(phase: str) -> None:
    stops = [phase]

    def announce(told: str) -> None:
        if stops and told.startswith(f"{stops[0]} of"):
            stops.clear()
            raise KeyboardInterrupt

    model = growing(on_phase=announce)
    with pytest.raises(KeyboardInterrupt):
        model.run(draw(2, 8, 6, 6))
    assert len(model.sizes) == 1
    assert_right(model, 1, 8, 6, 6)
    assert_right(model, 2, 8, 6, 6)
    assert len(model.sizes) == 2


def test_a_size_that_does_not_compile_leaves_the_model_as_it_was() -> None:
    weights = {"shape": np.array([2, 6], np.int64)}
    proto = network([node("Reshape", "x shape", "y")], {"x": ("n", 4)}, {"y": (2, 6)}, weights)
    model = directconv.compile(proto, "llvm", batch=3, on_demand=True)
    proto.Clear()  # the model has its own
    for _ in range(2):
        with pytest.raises(ModelError, match="Reshape"):
            model.run(draw(2, 4))
    assert np.array_equal(model.run(draw(3, 4))[0].reshape(-1), draw(3, 4).reshape(-1))
    assert len(model.sizes) == 1


# ---- libraries and the command line


def test_libraries_of_another_format_are_refused(several: directconv.CompiledModel) -> None:
    metadata = Metadata("llvm", several.inputs, several.outputs, several.sizes)
    assert Metadata.from_bytes(metadata.to_bytes()) == metadata
    old = json.loads(metadata.to_bytes()) | {"format": 1}
    with pytest.raises(ModelError, match="library format 1 is not 9.*compile the model again"):
        Metadata.from_bytes(json.dumps(old).encode())
    with pytest.raises(ModelError, match="does not contain a size"):
        Metadata.from_bytes(json.dumps(json.loads(metadata.to_bytes()) | {"sizes": []}).encode())


def test_a_model_of_one_size_is_given_to_others_as_it_is() -> None:
    model = classifier(1, 8, 6, 6)
    assert with_size(model, None, None) is model
    assert inputs_of(with_size(OPEN, {"x": (None, 8, 6, 6)}, 2))["x"].shape == (2, 8, 6, 6)
