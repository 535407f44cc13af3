"""The compiler as a pipeline of TVM's, and its importer for other pipelines."""

from __future__ import annotations

import logging
import subprocess
import sys
from typing import Any

import numpy as np
import onnx
import pytest
import tvm
from graph_support import draw, network, node
from onnx_node_cases import node_cases
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

import tvm_directconv as directconv
from tvm_directconv.errors import DirectConvError, TargetError

LLVM = directconv.resolve_target("llvm -mcpu=native").tvm_target
WEIGHTS = {"w": draw(16, 3, 3, 3), "v": draw(8, 16, 3, 3), "b": draw(16)}


def layers(x: tuple[Any, ...], **attributes: Any) -> onnx.ModelProto:
    """Two convolutions, with a pool between them, of an input of this shape."""
    nodes = [
        node("Conv", "x w b", "a", pads=[1, 1, 1, 1]),
        node("Relu", "a", "r"),
        node("MaxPool", "r", "c", kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", "c v", "y"),
    ]
    return network(nodes, {"x": x}, {"y": ("p", 8, "q", "r_")}, WEIGHTS)


def outputs(module: tvm.IRModule, pipeline: Any, *inputs: np.ndarray, name: str = "main") -> list[np.ndarray]:
    executable = tvm.compile(module, target=LLVM, relax_pipeline=pipeline)
    return ran(relax.VirtualMachine(executable, tvm.cpu()), *inputs, name=name)


def ran(machine: relax.VirtualMachine, *inputs: np.ndarray, name: str = "main") -> list[np.ndarray]:
    result = machine[name](*map(tvm.runtime.tensor, inputs))
    return [each.numpy() for each in ([result] if isinstance(result, tvm.runtime.Tensor) else result)]


def assert_close(ours: list[np.ndarray], theirs: list[np.ndarray]) -> None:
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def kernels(module: tvm.IRModule, **options: Any) -> set[str]:
    with LLVM:
        made = relax.get_pipeline("directconv", **options)(module)
    return {var.name_hint for var, _ in made.functions_items()}


@pytest.mark.parametrize("as_parameters", [False, True])
def test_modules_of_tvms_importer(as_parameters: bool) -> None:
    module, given = from_onnx(layers((1, 3, 32, 32)), keep_params_in_input=as_parameters), []
    if as_parameters:
        module, params = relax.frontend.detach_params(module)
        given = [each.numpy() for each in params["main"]]
    x = draw(1, 3, 32, 32)
    assert_close(outputs(module, "directconv", x, *given), outputs(module, "default", x, *given))
    assert "main_direct_nhwc_3x32x32_16_k3x3_s1x1_bias_clip" in kernels(module)


def test_options_are_compiles() -> None:
    module = from_onnx(layers((1, 3, 32, 32)))
    assert any("main_packed_nhwc" in name for name in kernels(module, algorithm="packed_nhwc"))
    x = draw(1, 3, 32, 32)
    half = outputs(module, relax.get_pipeline("directconv", precision="bfloat16"), x)
    whole = outputs(module, "default", x)
    assert 0 < np.abs(half[0] - whole[0]).max() < 0.1
    for wrong in (
        {"precision": "float8"},
        {"algorithm": "none"},
        {"typical": {"h": 0}},
        {"tuning": "no.json"},
    ):
        with pytest.raises(DirectConvError):
            kernels(module, **wrong)


@pytest.mark.slow
def test_sizes_stay_open() -> None:
    """One program is right for all sizes, and says which it was not compiled for."""
    module = from_onnx(layers(("n", 3, "h", "w")))
    pipeline = relax.get_pipeline("directconv", typical={"h": 32, "w": 32}, sizes={"h": (8, 64)})
    machine = relax.VirtualMachine(tvm.compile(module, target=LLVM, relax_pipeline=pipeline), tvm.cpu())
    for shape in ((1, 3, 32, 32), (3, 3, 17, 41), (2, 3, 64, 20)):
        x = draw(*shape)
        assert_close(ran(machine, x), outputs(from_onnx(layers(shape)), "default", x))
    with pytest.raises(ValueError, match="sizes have to be: 8 <= h <= 64"):
        machine["main"](tvm.runtime.tensor(draw(1, 3, 65, 32)))


@pytest.mark.slow
def test_sizes_that_are_tied() -> None:
    """A map that is halved and doubled is joined with itself: its height is even."""
    nodes = [
        node("Conv", "x w", "a", pads=[1, 1, 1, 1]),
        node("MaxPool", "a", "b", kernel_shape=[2, 1], strides=[2, 1]),
        node("Concat", "b b", "c", axis=2),
        node("Add", "a c", "y"),
    ]
    graph = network(nodes, {"x": ("n", 3, "h", 16)}, {"y": ("n", 16, "h", 16)}, {"w": WEIGHTS["w"]})
    model = directconv.compile(graph, typical={"h": 16}, cache=False)
    pipeline = relax.get_pipeline("directconv", typical={"h": 16})
    module = directconv.from_onnx(graph, typical={"h": 16})
    machine = relax.VirtualMachine(tvm.compile(module, target=LLVM, relax_pipeline=pipeline), tvm.cpu())
    x = draw(2, 3, 12, 16)
    assert_close(ran(machine, x), model.run(x))
    with pytest.raises(Exception, match="match_cast|shape"):
        machine["main"](tvm.runtime.tensor(draw(2, 3, 13, 16)))


def functions() -> tvm.IRModule:
    """Several functions: of two inputs, of two outputs, and one that calls another."""
    builder = relax.BlockBuilder()
    shape = relax.TensorType([1, 6, 6, 3], "float32")
    x, y, z = (relax.Var(name, shape) for name in "xyz")
    with builder.function("added", [x, y]):
        builder.emit_func_output(builder.emit(relax.op.nn.relu(builder.emit(relax.op.add(x, y)))))
    added = builder.get().get_global_var("added")
    with builder.function("both", [z]):
        one, two = builder.emit(relax.op.nn.softmax(z)), builder.emit(relax.op.nn.relu(z))
        builder.emit_func_output(relax.Tuple([one, two]))
    w = relax.Var("w", shape)
    with builder.function("calling", [w]):
        builder.emit_func_output(builder.emit(relax.Call(added, [w, w])))
    return builder.get()


def test_functions_keep_their_names(caplog: pytest.LogCaptureFixture) -> None:
    machine = relax.VirtualMachine(
        tvm.compile(functions(), target=LLVM, relax_pipeline="directconv"), tvm.cpu()
    )
    x = draw(1, 6, 6, 3)
    assert_close(ran(machine, x, -x / 2, name="added"), [np.maximum(x / 2, 0)])
    exponentials = np.exp(x - x.max(-1, keepdims=True))
    softmax = exponentials / exponentials.sum(-1, keepdims=True)
    assert_close(ran(machine, x, name="both"), [softmax, np.maximum(x, 0)])
    assert_close(ran(machine, x, name="calling"), [np.maximum(2 * x, 0)])


def test_what_is_not_supported_is_tvms(caplog: pytest.LogCaptureFixture) -> None:
    builder, x = relax.BlockBuilder(), relax.Var("x", relax.TensorType((2, 3), "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            found = builder.emit_output(builder.emit(relax.op.unique(relax.op.nn.relu(x))))
        builder.emit_func_output(found)
    given = np.array([[1, -1, 2], [2, -3, 1]], np.float32)
    with caplog.at_level(logging.WARNING):
        assert_close(outputs(builder.get(), "directconv", given), [np.array([0, 1, 2], np.float32)])
    assert "TVM's default pipeline compiles 'main'" in caplog.text and "static tensor shape" in caplog.text


@pytest.mark.slow
def test_what_nothing_is_said_of_is_guessed() -> None:
    module = from_onnx(layers(("n", 3, "h", "w")))
    x = draw(2, 3, 20, 24)
    assert_close(outputs(module, "directconv", x), outputs(module, "default", x))


def test_targets() -> None:
    """Of the pass, of what surrounds it, and those that are not of a CPU."""
    module = from_onnx(layers((1, 3, 32, 32)))
    arm = "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72"
    made = relax.get_pipeline("directconv", target=arm)(module)
    assert "neon" in made.script() and "avx" not in made.script()
    with pytest.raises(TargetError, match="compiles for CPUs"), tvm.target.Target("cuda"):
        relax.get_pipeline("directconv")(module)


@pytest.mark.slow
@pytest.mark.parametrize("first", ["tvm", "tvm.relax", "tvm_directconv"])
def test_the_name_is_known_in_any_order(first: str) -> None:
    code = (
        f"import {first}; import tvm_directconv, tvm; from tvm import relax; "
        "print(relax.get_pipeline('directconv', precision='bfloat16').info.name)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "directconv.Pipeline\n", done.stderr


ONLY_OURS = (
    "test_lstm_with_peepholes", "test_gru_seq_length", "test_rnn_seq_length", "test_qlinearconv",
    "test_qlinearmatmul_2D_uint8_float32", "test_convinteger_with_padding",
    "test_group_normalization_epsilon", "test_basic_deform_conv_with_padding", "test_scan9_sum",
    "test_nonzero_example", "test_unique_sorted_with_axis",
)  # fmt: skip
"""Node tests of ONNX's whose operators TVM's importer does not have, or not as they are there."""


@pytest.mark.slow
@pytest.mark.parametrize("name", ONLY_OURS)
@pytest.mark.parametrize("pipeline", ["default", "directconv"])
def test_imported_modules_are_for_any_pipeline(name: str, pipeline: str) -> None:
    case = node_cases()[name]
    inputs, wanted = case.data_sets[0]
    ranks = [len(value.type.tensor_type.shape.dim) for value in case.model.graph.input]
    arrays = [np.asarray(x).reshape(np.shape(x)[:rank]) for x, rank in zip(inputs, ranks, strict=True)]
    found = outputs(directconv.from_onnx(case.model), pipeline, *arrays)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_from_onnx_takes_shapes_and_refuses_others() -> None:
    open_model = layers(("n", 3, "h", "w"))
    fixed = directconv.from_onnx(open_model, {"x": (1, 3, 32, 32)})
    assert [int(size) for size in fixed["main"].params[0].ty.shape.values] == [1, 3, 32, 32]
    x = draw(2, 3, 20, 24)
    module = directconv.from_onnx(open_model, typical={"h": 32, "w": 32})
    assert_close(outputs(module, "default", x), outputs(from_onnx(open_model), "default", x))
    for wrong, said in (
        ({"shape_dict": {"z": (1,)}}, "z"),
        ({"shape_dict": {"x": (1, 3, 32)}}, "x"),
    ):
        with pytest.raises(DirectConvError, match=said):
            directconv.from_onnx(open_model, **wrong)
    with pytest.raises(DirectConvError, match="not a Relax module|a model is a path"):
        directconv.from_onnx(fixed)  # type: ignore[arg-type]
