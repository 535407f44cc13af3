"""The command line: every command on something small, its JSON, its files, and its errors in one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from click.testing import CliRunner, Result
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from intrinsics.isa import ISAS
from tvm_directconv.cli.group import commands as main
from tvm_directconv.problem.workload import Conv2dWorkload

LAYER = Conv2dWorkload(1, 8, 8, 3, 16, (3, 3), padding=(1, 1, 1, 1))


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def succeed(*arguments: str | Path) -> str:
    result = call(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def fail(*arguments: str | Path) -> str:
    """The one line on standard error of a command that must fail with status 1."""
    result = call(*arguments)
    assert result.exit_code == 1, result.output
    lines = [line for line in result.stderr.splitlines() if line]
    assert len(lines) == 1 and lines[0].startswith("Error: "), result.output
    return lines[0]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A convolution and a ReLU, 1x3x8x8 in."""
    weights = np.random.default_rng(0).standard_normal((16, 3, 3, 3)).astype(np.float32)
    nodes = [
        helper.make_node("Conv", ["image", "w"], ["sum"], name="conv", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["sum"], ["features"], name="relu"),
    ]
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, 8, 8])],
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, [1, 16, 8, 8])],
        [numpy_helper.from_array(weights, "w")],
    )
    path = tmp_path_factory.mktemp("model") / "small.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    return path


def test_run_prints_outputs_and_saves_them(model: Path, tmp_path: Path) -> None:
    image = np.random.default_rng(1).standard_normal((1, 3, 8, 8)).astype(np.float32)
    np.save(tmp_path / "image.npy", image)
    folder = tmp_path / "outputs"
    text = succeed("run", model, "--input", f"image={tmp_path / 'image.npy'}", "--output", folder)
    assert "features: float32[1, 16, 8, 8]" in text and "ms per run" in text and "random" not in text
    assert [path.name for path in folder.iterdir()] == ["features.npy"]
    expected = ReferenceEvaluator(str(model)).run(None, {"image": image})[0]
    np.testing.assert_allclose(np.load(folder / "features.npy"), expected, atol=1e-5)


def test_run_says_when_inputs_are_random(model: Path) -> None:
    assert "random inputs (seed 0): image" in succeed("run", model)
    record = json.loads(succeed("run", model, "--json"))
    assert record["random_inputs"] == ["image"] and record["median_seconds"] > 0


def test_compiled_library_runs_alike(model: Path, tmp_path: Path) -> None:
    library = tmp_path / "small.so"
    facts = json.loads(succeed("compile", model, "-o", library, "--json"))
    assert facts["library_bytes"] == library.stat().st_size and facts["layers"] == 1
    direct, loaded = (json.loads(succeed("run", m, "--json"))["outputs"] for m in (model, library))
    assert direct == loaded
    assert [path.name for path in tmp_path.iterdir()] == ["small.so"]


def test_explain_names_algorithm_kernels_and_workspace(model: Path) -> None:
    report = json.loads(succeed("explain", model, "--json"))
    (layer,) = report["layers"]
    assert (layer["name"], layer["algorithm"], layer["workspace_bytes"]) == ("conv", "direct_nhwc", 0)
    assert Conv2dWorkload.parse(layer["workload"]).epilogue.low == 0
    assert "direct_nhwc" in succeed("explain", model)


def test_explain_takes_a_layer(model: Path) -> None:
    (layer,) = json.loads(succeed("explain", str(LAYER), "--target", "llvm", "--json"))["layers"]
    assert layer["workload"] == str(LAYER) and layer["flops"] == LAYER.flops
    assert all(name.endswith("_portable") for name in layer["kernels"])


def test_kernels_are_the_registry() -> None:
    rows = json.loads(succeed("kernels", "--json"))
    assert {row["isa"] for row in rows} == set(ISAS)
    assert all(row["registers_used"] <= row["registers"] for row in rows)
    (named,) = [row for row in rows if row["name"] == "f32_f32_f32_14x32_row_avx512"]
    assert named["loads_per_fma"] == pytest.approx(16 / 28)
    assert "14x32" not in succeed("kernels", "--isa", "avx2")


def test_targets_lists_machines_and_resolves() -> None:
    rows = json.loads(succeed("targets", "--json"))
    assert {"znver5", "neoverse-n1", "power10"} <= {row["name"] for row in rows}
    facts = json.loads(succeed("targets", "llvm -mtriple=x86_64-linux-gnu -mattr=+avx2,+fma", "--json"))
    assert facts["keys"] == ["x86", "cpu"] and facts["kernels"] == "avx2"
    assert "znver5" in succeed("targets") and "kernels: portable" in succeed("targets", "llvm")


def test_bench_times_a_layer(tmp_path: Path) -> None:
    saved, plot = tmp_path / "result.json", tmp_path / "result.png"
    arguments = ("bench", "--layer", str(LAYER), "--contestants", "ours", "--quick")
    text = succeed(*arguments, "--save", saved, "--plot", plot)
    assert "ours" in text and json.loads(saved.read_text())["kind"] == "LayerResult"
    assert plot.stat().st_size > 0


@pytest.mark.slow
def test_demo_compares_with_tvm_default() -> None:
    record = json.loads(succeed("demo", "--model", "squeezenet", "--rounds", "1", "--json"))
    (summary,) = (record["summary"][name] for name in record["summary"] if "squeezenet" in name)
    assert {"ours", "tvm-default", "onnxruntime"} <= set(summary)
    assert all(summary[name]["median_seconds"] > 0 for name in ("ours", "tvm-default"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "resnet51"), "did you mean|there are .*light_resnet50"),
        (("run", "no/such.onnx"), "no/such.onnx': no such file"),
        (("run", "missing.so"), "'missing.so': no such file"),
        (("explain", "squeezenet", "--target", "llvm -mcpu=znver55"), "znver55.*znver5"),
        (("explain", "squeezenet", "--algorithm", "direct"), "unknown algorithm 'direct'.*direct_nhwc"),
        (("explain", "n1_ih8iw8"), "is no workload descriptor"),
        (("kernels", "--isa", "avx51"), "unknown instruction set 'avx51'"),
        (("targets", "llvm -mtripel=x"), "mtripel.*mtriple"),
        (("bench", "squeezenet", "--contestants", "onnxrt"), "no contestant 'onnxrt'.*onnxruntime"),
    ],
)
def test_bad_input_is_one_clear_line(arguments: tuple[str, ...], message: str) -> None:
    import re

    line = fail(*arguments)
    assert re.search(message, line), line


def test_bad_files_are_one_clear_line(model: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(model.read_bytes()[:50])
    assert "broken.onnx" in fail("run", broken)
    np.save(tmp_path / "small.npy", np.zeros((1, 3, 7, 8), np.float32))
    assert "shape (1, 3, 7, 8), expected (1, 3, 8, 8)" in fail(
        "run", model, "--input", f"image={tmp_path / 'small.npy'}"
    )
    assert "no input 'imag'" in fail("run", model, "--input", f"imag={tmp_path / 'small.npy'}")
    assert "is not NAME=FILE.npy" in fail("run", model, "--input", "image")
    assert "cannot read" in fail("run", model, "--input", f"image={broken}")
    assert "no folder" in fail("compile", model, "-o", tmp_path / "absent" / "x.so")


def test_bad_usage_is_status_two() -> None:
    assert call("run").exit_code == 2
    assert call("frobnicate").exit_code == 2
    assert call("demo", "--threads", "0").exit_code == 2


def test_version_and_help() -> None:
    from tvm_directconv import __version__

    assert __version__ in succeed("--version")
    for command in main.commands:
        assert command in succeed("--help")
        assert "Usage:" in succeed(command, "--help")
