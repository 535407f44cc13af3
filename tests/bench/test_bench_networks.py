"""Sets of networks, their limits and memory, PyTorch among the contestants, and the table of several."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from bench_support import NATIVE, Right, peers_apart, quick_network, tiny_network
from onnx import TensorProto, helper

from tvm_directconv import zoo
from tvm_directconv.bench import Comparison, Measurement, NetworkResult, Prepared, bench_networks, host
from tvm_directconv.bench.contestants import CannotSolve, Setting, for_networks
from tvm_directconv.bench.contestants.pytorch import PyTorch, PyTorchCompiled, PyTorchDirectConv
from tvm_directconv.bench.operations import network_flops
from tvm_directconv.bench.problems import SEED, LayerProblem, NetworkProblem
from tvm_directconv.bench.quantized_problems import QuantizedNetworkProblem
from tvm_directconv.errors import ModelError
from tvm_directconv.targets.target import resolve_target
from tvm_directconv.zoo import libraries
from tvm_directconv.zoo.inputs import image_of
from tvm_directconv.zoo.sets import MODERN

SETTING = Setting(resolve_target("llvm"))


# Sets


def test_sets_stand_for_their_networks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert zoo.members("light") == tuple(zoo.list_models())
    assert zoo.members("modern") == MODERN and len(MODERN) == 21
    assert zoo.members("modern_int8")[0] == "torchvision:resnet18_int8"
    assert zoo.members("resnet50") == zoo.members("moderns") == ()
    names = zoo.expanded(["unet", "modern", "mine.onnx"])
    assert names[0] == "unet" and names[-1] == "mine.onnx"
    assert len(names) == len(set(names)) == 22
    monkeypatch.chdir(tmp_path)
    (tmp_path / "modern").touch()
    assert zoo.expanded(["modern"]) == ["modern"]  # a file of that name


@pytest.mark.parametrize("library", libraries.LIBRARIES)
def test_the_modern_set_is_of_networks_there_are(library: str) -> None:
    pytest.importorskip(library)
    for name in MODERN:
        if name.startswith(library):
            libraries.parse(name)


@pytest.mark.parametrize(
    ("quantized", "of_libraries", "quick", "some", "none"),
    [
        (False, False, False, "tvm-default", "pytorch"),
        (False, True, False, "pytorch-compile", "tvm-default"),
        (False, True, True, "pytorch", "pytorch-compile"),
        (True, True, False, "ours-f32", "pytorch"),
        (True, False, False, "tvm-default", "pytorch"),
    ],
)
def test_who_takes_part(quantized: bool, of_libraries: bool, quick: bool, some: str, none: str) -> None:
    names = for_networks(quantized, of_libraries, quick)
    assert {"ours", "onnxruntime", "openvino", some} <= set(names) and none not in names


class Solving(Right):
    """Answers networks with the reference."""

    name = "solving"

    def prepare_network(self, problem: NetworkProblem) -> Prepared:
        facts = {"file": str(problem.source), "read": len(onnx.load(problem.readable).graph.node)}
        return Prepared(lambda: None, lambda: problem.references, facts=facts)


def test_a_network_that_cannot_be_made_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    onnx.save(tiny_network(), tmp_path / "tiny.onnx")
    monkeypatch.setattr(zoo, "expanded", lambda names: [*names, "timm:resnet18"])
    monkeypatch.setitem(sys.modules, "timm", None)
    options = {"quick": True, "progress": False}
    with peers_apart():
        result = bench_networks([str(tmp_path / "tiny.onnx")], NATIVE, contestants=[Solving], **options)
    tiny, missing = result.comparisons
    assert tiny["solving"].timed and tiny["solving"].facts["read"] == 3
    assert tiny["solving"].facts["file"].endswith("network.onnx")
    assert "need timm" in missing["solving"].refused
    assert "need timm" in str(result)
    for names in (["resnet51"], "resnet51", [str(tmp_path / "none.onnx")]):
        with pytest.raises(ModelError):
            bench_networks(names, NATIVE, contestants=[Solving], **options)


# Limits


def one_node(
    kind: str, shapes: list[tuple[int, ...]], result: tuple[int, ...], **attributes
) -> onnx.ModelProto:
    names = [f"x{place}" for place in range(len(shapes))]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in zip(names, shapes, strict=True)
    ]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, result)]
    graph = helper.make_graph([helper.make_node(kind, names, ["y"], **attributes)], "one", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize(
    ("kind", "shapes", "result", "attributes", "multiply_adds"),
    [
        ("Conv", [(1, 8, 6, 6), (4, 8, 3, 3)], (1, 4, 4, 4), {}, 16 * 4 * 72),
        ("Conv", [(1, 8, 6, 6), (8, 1, 3, 3)], (1, 8, 4, 4), {"group": 8}, 16 * 8 * 9),
        ("ConvTranspose", [(1, 8, 6, 6), (8, 3, 2, 2)], (1, 3, 12, 12), {"strides": [2, 2]}, 36 * 8 * 12),
        ("Gemm", [(5, 7), (7, 9)], (5, 9), {}, 5 * 7 * 9),
        ("Gemm", [(7, 5), (9, 7)], (5, 9), {"transA": 1, "transB": 1}, 5 * 7 * 9),
        ("MatMul", [(2, 3, 5, 7), (7, 9)], (2, 3, 5, 9), {}, 6 * 5 * 7 * 9),
        ("MatMul", [(7,), (7,)], (), {}, 7),
        ("Einsum", [(2, 5, 7), (2, 9, 7)], (2, 5, 9), {"equation": "bik,bjk->bij"}, 2 * 5 * 7 * 9),
        ("Relu", [(5, 7)], (5, 7), {}, 0),
    ],
)
def test_multiply_adds(
    kind: str, shapes: list[tuple[int, ...]], result: tuple[int, ...], attributes: dict, multiply_adds: int
) -> None:
    assert network_flops(one_node(kind, shapes, result, **attributes)) == 2 * multiply_adds


def test_what_the_compiler_refuses_is_counted_all_the_same() -> None:
    model = one_node("Conv", [(1, 8, 6, 6), (4, 8, 3, 3)], (1, 4, 4, 4))
    model.graph.node.append(helper.make_node("RandomUniformLike", ["y"], ["z"]))
    model.graph.output[0].name = "z"
    assert network_flops(model) == 2 * 16 * 4 * 72


# Memory


def test_memory_is_what_was_held_at_most() -> None:
    if host.resident_bytes() is None:
        pytest.skip("no /proc/self/status")
    host.forget_most()
    before = host.resident_bytes()
    held = np.ones(1 << 24)
    del held
    assert host.resident_bytes(most=True) - before > 100 << 20
    (comparison,) = quick_network([Solving], tiny_network()).comparisons
    assert comparison["solving"].memory_bytes >= 0


# PyTorch


def problem_of(library_name: str, kind: type[NetworkProblem] = NetworkProblem) -> NetworkProblem:
    model = tiny_network()
    return kind("tiny", model, image_of(model, SEED), library_name=library_name)


@pytest.mark.parametrize("kind", [PyTorch, PyTorchCompiled, PyTorchDirectConv])
def test_what_pytorch_cannot_solve(kind: type[PyTorch], monkeypatch: pytest.MonkeyPatch) -> None:
    contestant = kind(SETTING)
    with pytest.raises(CannotSolve, match="no PyTorch module is known"):
        contestant.solves(problem_of(""))
    with pytest.raises(CannotSolve, match="floats only"):
        contestant.solves(problem_of("timm:resnet18", QuantizedNetworkProblem))
    with pytest.raises(CannotSolve, match="whole networks only"):
        contestant.solves(LayerProblem(zoo.layers("zfnet512")[0][0]))
    monkeypatch.setitem(sys.modules, "torch", None)
    assert "torch cannot be imported" in contestant.available()


def test_compiling_pytorch_needs_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from torch._inductor import cpp_builder, exc

    def no_compiler() -> str:
        raise exc.InvalidCxxCompiler

    monkeypatch.setattr(cpp_builder, "get_cpp_compiler", no_compiler)
    assert "finds no C++ compiler" in PyTorchCompiled(SETTING).available()


@pytest.mark.slow
def test_pytorch_has_the_weights_of_the_others() -> None:
    for library in ("torch", "timm"):
        pytest.importorskip(library)
    names = ["pytorch", "onnxruntime", "pytorch-directconv"]
    result = bench_networks(["timm:test_resnet@64"], NATIVE, contestants=names, quick=True, progress=False)
    (comparison,) = result.comparisons
    assert all(comparison[name].timed and comparison[name].error < 1e-4 for name in names)
    assert "leaves a graph" not in comparison["pytorch-directconv"].note


@pytest.mark.slow
def test_the_execution_provider_is_a_contestant(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", minversion="1.24")
    onnx.save(tiny_network(), tmp_path / "tiny.onnx")
    names = ["onnxruntime", "onnxruntime-directconv"]
    options = {"contestants": names, "quick": True, "progress": False}
    result = bench_networks([str(tmp_path / "tiny.onnx")], NATIVE, **options)
    (comparison,) = result.comparisons
    assert all(comparison[name].timed and comparison[name].error < 1e-4 for name in names)


# Tables


def several() -> NetworkResult:
    """Ours 10 ms, the peers 20 and 40 ms, and half of all on a second network, where one crashes."""

    def comparison(name: str, scale: float) -> Comparison:
        crashed = {"refused": "crashes: ended by SIGILL while preparing"} if scale < 1 else {}
        return Comparison(
            name,
            1_000_000_000,
            (200.0, 200.0),
            (
                Measurement("ours", (0.01 * scale,) * 2, error=0.0, memory_bytes=100 << 20),
                Measurement("onnxruntime", (0.02 * scale,) * 2, error=0.0, memory_bytes=50 << 20),
                Measurement("openvino", () if crashed else (0.04,) * 2, error=0.0, **crashed),
            ),
        )

    both = (comparison("torchvision:resnet18", 1.0), comparison("unet", 0.5))
    return NetworkResult("llvm", 1, (0,), "12 x fma", {"processor": "some CPU"}, both)


def test_errors_stand_beside_times_where_contestants_round_more() -> None:
    def named(comparison: Comparison) -> Comparison:
        exact = comparison.measurements[0]
        return replace(
            comparison,
            measurements=(
                *comparison.measurements,
                replace(exact, contestant="ours-fast", error=3e-6, seconds=(0.002,) * 2),
            ),
        )

    assert "largest error" not in str(several())
    text = str(replace(several(), comparisons=tuple(map(named, several().comparisons))))
    lines = [line.split() for line in text.splitlines()]
    assert ["resnet18", "0.50", "1.00", "2.00", "0.10"] in lines
    assert ["resnet18", "0e+00", "0e+00", "0e+00", "3e-06"] in lines


def test_the_table_of_several_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = str(several())
    assert max(map(len, text.splitlines())) <= 80
    lines = [line.split() for line in text.splitlines()]
    assert ["resnet18", "10.0", "20.0", "40.0", "0.50", "50"] in lines
    assert ["unet", "5.00", "10.0", "crashes", "0.50", "100"] in lines
    assert ["mean,", "ours", "/", "theirs", "0.50", "0.25", "0.50", "71"] in lines
    assert ["resnet18", "100", "50", "-"] in lines
    assert "openvino: crashes: ended by SIGILL while preparing (1 of 2)" in text
    details = str(several().details())
    assert max(map(len, details.splitlines())) <= 80
    assert "resnet18" in details and "x 2.0" in details


def test_the_summary_has_the_means() -> None:
    means = json.loads(several().to_json())["summary"]["geometric means"]
    assert means["ours / best"] == {"ours": pytest.approx(0.5)}
    assert means["ours / theirs"] == {"onnxruntime": pytest.approx(0.5), "openvino": pytest.approx(0.25)}
    assert several().comparisons[0].best_peer() == "onnxruntime"
