"""Time against workspace: what is optimal, what is measured and estimated, the command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import onnx
import pytest
from bench_support import tiny_network
from click.testing import CliRunner
from graph_support import network, node
from rich.console import Console

import tvm_directconv
from tvm_directconv import conv2d_strategy, resolve_target, zoo
from tvm_directconv.algorithms import BYTE_ALGORITHMS
from tvm_directconv.bench.pareto import CYCLES, SECONDS, Point, mark_optimal, pareto
from tvm_directconv.cli.group import commands as main
from tvm_directconv.errors import ModelError, TargetError, WorkloadError
from tvm_directconv.problem.quantized_types import QuantizedTypes
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.zoo import layers_of

NATIVE = resolve_target("llvm -mcpu=native")
LAYER = Conv2dWorkload(1, 14, 14, 32, 40, (3, 3), (1, 1), (1, 1, 1, 1))


def test_optimal_points_are_those_no_other_dominates() -> None:
    points = [
        Point("big", 1.0, 1000),
        Point("middle", 2.0, 100),
        Point("dominated", 2.5, 500),
        Point("equal but larger", 2.0, 101),
        Point("free", 3.0, 0),
        Point("slow and free", 4.0, 0),
    ]
    marked = mark_optimal(points)
    assert [p.algorithm for p in marked if p.optimal] == ["free", "middle", "big"]
    assert {p.algorithm for p in marked} == {p.algorithm for p in points}
    assert [p.workspace_bytes for p in marked] == sorted(p.workspace_bytes for p in points)


def test_every_algorithm_is_measured_with_its_workspace() -> None:
    report = tvm_directconv.pareto(LAYER, NATIVE)
    (layer,) = report.layers
    offered = {i.name: i for i in conv2d_strategy(LAYER, NATIVE).implementations}
    assert report.unit == SECONDS
    assert {point.algorithm for point in layer.points} == set(offered)
    for point in layer.points:
        assert point.time > 0
        assert point.workspace_bytes == offered[point.algorithm].workspace(LAYER, NATIVE)
    assert layer.points[0].optimal and layer.points[0].workspace_bytes == 0
    assert min(layer.points, key=lambda point: point.time).optimal


def test_quantized_layers_are_measured_with_what_they_store() -> None:
    types = QuantizedTypes("uint8", data_zero=7, largest_weight=127)
    epilogue = Epilogue(bias=True)
    workload = replace(LAYER, dtype="uint8", quantized=types, epilogue=epilogue)
    assert layers_of(str(workload)) == [(workload, 1)]
    (layer,) = pareto(workload, NATIVE).layers
    assert {point.algorithm for point in layer.points} == set(BYTE_ALGORITHMS)
    assert all(point.time > 0 for point in layer.points)
    assert layer.points[0].workspace_bytes == 0 < layer.points[-1].workspace_bytes
    (estimated,) = pareto(workload, NATIVE, estimate=True).layers
    assert {point.algorithm for point in estimated.points} == set(BYTE_ALGORITHMS)


def test_estimates_are_those_the_choice_is_made_by() -> None:
    arm = resolve_target("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1")
    report = pareto(LAYER, arm, estimate=True)
    offered = {i.name: i for i in conv2d_strategy(LAYER, arm).implementations}
    assert report.unit == CYCLES
    for point in report.layers[0].points:
        cost = offered[point.algorithm].estimate(LAYER, arm)
        assert cost is not None and point.time == cost.total
    with pytest.raises(TargetError):
        pareto(LAYER, arm)


def test_layers_of_networks_files_and_descriptors(tmp_path: Path) -> None:
    path = tmp_path / "tiny.onnx"
    onnx.save(tiny_network(), path)
    (layer,) = layers_of(path)
    assert layers_of(str(path)) == layers_of(tiny_network()) == [layer]
    assert layer[0].out_channels == 16 and layer[1] == 1
    assert layers_of("squeezenet") == zoo.layers("squeezenet")
    fused = LAYER.with_epilogue(Epilogue(bias=True))
    assert layers_of(str(fused)) == layers_of(fused) == [(LAYER, 1)]
    with pytest.raises(ModelError, match="no such file"):
        layers_of(str(tmp_path / "none.onnx"))
    with pytest.raises(ModelError, match="none.tflite' is a TensorFlow Lite model: only ONNX models"):
        layers_of(str(tmp_path / "none.tflite"))
    with pytest.raises(WorkloadError):
        layers_of("n1_ih8iw8")
    with pytest.raises(ModelError, match="does not contain convolutions to weigh"):
        pareto(network([node("Relu", "x", "y")], {"x": (4,)}, {"y": (4,)}), estimate=True)


def test_report_counts_and_prints() -> None:
    report = pareto("squeezenet", NATIVE, estimate=True)
    assert sum(layer.count for layer in report.layers) == sum(n for _, n in zoo.layers("squeezenet"))
    record = json.loads(report.to_json())
    assert record["unit"] == CYCLES and len(record["layers"]) == len(report.layers)
    assert Conv2dWorkload.parse(record["layers"][0]["workload"]) == report.layers[0].workload
    console = Console(width=200)
    with console.capture() as capture:
        console.print(report.table())
    text = capture.get()
    assert "estimated cycles" in text and "direct_nhwc" in text and f"of {len(report.layers)} layers" in text


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--estimate",)], ids=["measured", "estimated"])
def test_command(options: tuple[str, ...], tmp_path: Path) -> None:
    saved, plot = tmp_path / "pareto.json", tmp_path / "pareto.png"
    arguments = ["pareto", str(LAYER), *options, "--save", str(saved), "--plot", str(plot)]
    ran = CliRunner().invoke(main, arguments)
    assert ran.exit_code == 0, ran.output
    assert "im2col_gemm" in ran.stdout and "*" in ran.stdout
    record = json.loads(saved.read_text())
    assert record["unit"] == (CYCLES if options else SECONDS)
    assert plot.read_bytes().startswith(b"\x89PNG")
    printed = CliRunner().invoke(main, ["pareto", str(LAYER), "--estimate", "--json"])
    assert json.loads(printed.stdout)["layers"][0]["count"] == 1


def test_command_refuses_unknown_networks() -> None:
    ran = CliRunner().invoke(main, ["pareto", "resnet51"])
    assert ran.exit_code == 1 and "resnet50" in ran.stderr
