"""The command line: every command on something small, its JSON and its files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from cli_support import LAYER, fail, small_model, succeed
from graph_support import draw, network, node
from onnx.reference import ReferenceEvaluator

from intrinsics.isa import ISAS
from tvm_directconv.cli.group import commands
from tvm_directconv.problem.workload import Conv2dWorkload

TARGET = "llvm -mtriple=x86_64-linux-gnu -mcpu=znver4"
"""What is chosen, and its workspace, follow from a machine's caches: from these, not the host's."""
WIDE = Conv2dWorkload(1, 28, 28, 128, 128, kernel=(3, 3), padding=(1, 1, 1, 1))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_model(tmp_path_factory.mktemp("model"))


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


def test_run_repeats_for_a_time(model: Path) -> None:
    times = json.loads(succeed("run", model, "--json", "--duration", 0.05, "--warmup", 0))
    assert times["best_seconds"] <= times["median_seconds"] <= times["p90_seconds"] <= times["p99_seconds"]
    assert "p99" in succeed("run", model, "--rounds", 3) and "median of 3" in succeed(
        "run", model, "--rounds", 3
    )


def test_options_go_by_their_former_names(model: Path) -> None:
    assert "median of 2" in succeed("run", model, "--repeat", 2)
    assert "--repeat" not in succeed("run", "--help")


def test_a_home_folder_is_written_as_in_a_shell(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also behind an =, where shells leave it as it is."""
    monkeypatch.setenv("HOME", str(model.parent))
    np.save(model.parent / "image.npy", np.zeros((1, 3, 8, 8), np.float32))
    text = succeed("run", f"~/{model.name}", "--input", "image=~/image.npy", "--rounds", 1)
    assert "random" not in text


def test_errors_speak_of_options(tmp_path: Path) -> None:
    nodes = [node("Relu", "x", "y")]
    onnx.save(network(nodes, {"x": (1, 3)}, {"y": (1, 3)}, {}), tmp_path / "x.onnx")
    line = fail("run", tmp_path / "x.onnx", "--batch", 2)
    assert line.startswith("Error: --batch sets the first dimensions") and "batch=" not in line


def test_short_help_fits_eighty_columns() -> None:
    """The list of commands has a sentence for each, and cuts none."""
    listed = succeed("--help").split("Commands:")[1]
    assert "..." not in listed and max(map(len, listed.splitlines())) < 80


def test_a_model_is_compared_with_other_runtimes(tmp_path: Path) -> None:
    """Whatever its inputs are, here indices and a mask, at the sizes that given inputs have."""
    nodes = [node("Gather", "table at", "rows"), node("Where", "mask rows zero", "y")]
    values = {"table": np.arange(8, dtype=np.float32).reshape(2, 4), "zero": np.zeros(1, np.float32)}
    inputs = {"at": ("n", 3), "mask": ("n", 3, 4)}
    of_types = {"at": onnx.TensorProto.INT64, "mask": onnx.TensorProto.BOOL}
    of_numpy = {"at": np.int64, "mask": np.bool_}
    found = network(nodes, inputs, {"y": ("n", 3, 4)}, values)
    for value in found.graph.input:
        value.type.tensor_type.elem_type = of_types[value.name]
    onnx.save(found, tmp_path / "x.onnx")
    given: list[str | Path] = []
    for name, shape in {"at": (2, 3), "mask": (2, 3, 4)}.items():
        np.save(tmp_path / f"{name}.npy", np.ones(shape, of_numpy[name]))
        given += ["--input", f"{name}={tmp_path / name}.npy"]
    result = json.loads(succeed("compare", tmp_path / "x.onnx", *given, "--rounds", 1, "--json"))
    (comparison,) = result["comparisons"]
    names = [each["contestant"] for each in comparison["measurements"] if each["seconds"]]
    assert names[:2] == ["ours", "onnxruntime"]


@pytest.mark.slow
def test_open_sizes_are_guessed_where_models_are_compared(tmp_path: Path) -> None:
    nodes = [node("Conv", "x w", "a", strides=[8, 8]), node("GlobalAveragePool", "a", "y")]
    made = network(nodes, {"x": ("n", 3, "h", "w")}, {"y": ("n", 4, 1, 1)}, {"w": draw(4, 3, 3, 3)})
    onnx.save(made, tmp_path / "open.onnx")
    for given, batch in (((), 1), (("--batch", 2), 2), (("--shapes", "x=3x3x32x40"), 3)):
        result = json.loads(succeed("compare", tmp_path / "open.onnx", *given, "--rounds", 1, "--json"))
        assert result["comparisons"][0]["batch"] == batch


def test_a_model_is_quantized_on_real_inputs(model: Path, tmp_path: Path) -> None:
    drawn = np.random.default_rng(3).standard_normal((3, 1, 3, 8, 8)).astype(np.float32)
    (tmp_path / "images").mkdir()
    for at, image in enumerate(drawn[:2]):
        np.save(tmp_path / "images" / f"{at}.npy", image)
    np.savez(tmp_path / "images" / "last.npz", image=drawn[2])
    into = tmp_path / "narrow.onnx"
    facts = json.loads(
        succeed(
            "quantize", model, "-o", into, "--data", tmp_path / "images", "--format", "QOperator", "--json"
        )
    )
    assert facts["inputs"] == 3 and 0 < facts["relative_error"] < 0.02
    assert "QLinearConv" in {each.op_type for each in onnx.load(into).graph.node}
    assert "calibrated on 1 random inputs" in succeed("quantize", model, "-o", into, "--draws", 1)
    np.savez(tmp_path / "other.npz", picture=drawn[2])
    line = fail("quantize", model, "-o", into, "--data", tmp_path / "other.npz")
    assert "has ['picture'], and the model's inputs are ['image']" in line


def test_inspect_says_what_a_model_is(tmp_path: Path) -> None:
    nodes = [
        node("Conv", "x w", "a"),
        node("Relu", "a", "b"),
        node("Unheard", "b", "c"),
        node("Relu", "c", "y"),
    ]
    weights = {"w": np.ones((4, 3, 3, 3), np.float32)}
    onnx.save(
        network(nodes, {"x": ("n", 3, "h", 16)}, {"y": ("n", 4, "k", 14)}, weights), tmp_path / "x.onnx"
    )
    found = json.loads(succeed("inspect", tmp_path / "x.onnx", "--json", "--typical", "h=20"))
    assert found["operators"] == {"Conv": 1, "Relu": 2, "Unheard": 1}
    assert found["open_sizes"] == {"n": 1, "h": 20} and found["weights_bytes"] == 4 * 27 * 4
    assert found["inputs"] == [{"name": "x", "shape": ["n", 3, "h", 16], "dtype": "float32"}]
    assert found["refused"]["Unheard:c (Unheard)"] == "operator Unheard is not supported"
    text = succeed("inspect", tmp_path / "x.onnx")
    assert "n (1 looked at), h (224 looked at)" in text and "Unheard:c (Unheard): " in text


def test_outputs_without_a_largest_number_are_json(tmp_path: Path) -> None:
    """An empty one, and one that has NaN."""
    nodes = [node("Slice", "x zero zero", "none"), node("Log", "x", "log")]
    dims: dict[str, tuple[int | str, ...]] = {"none": (0, 8), "log": (2, 8)}
    onnx.save(network(nodes, {"x": (2, 8)}, dims, {"zero": np.zeros(1, np.int64)}), tmp_path / "x.onnx")
    outputs = json.loads(succeed("run", tmp_path / "x.onnx", "--json"))["outputs"]
    assert {name: output["max"] for name, output in outputs.items()} == {"none": None, "log": None}


def test_compiled_library_runs_alike(model: Path, tmp_path: Path) -> None:
    library = tmp_path / "small.so"
    facts = json.loads(succeed("compile", model, "-o", library, "--json"))
    assert facts["library_bytes"] == library.stat().st_size
    assert [(size["shapes"], size["layers"]) for size in facts["sizes"]] == [({"image": [1, 3, 8, 8]}, 1)]
    direct, loaded = (json.loads(succeed("run", m, "--json"))["outputs"] for m in (model, library))
    assert direct == loaded
    assert [path.name for path in tmp_path.iterdir()] == ["small.so"]


def test_explain_names_algorithm_kernels_and_workspace(model: Path) -> None:
    report = json.loads(succeed("explain", model, "--target", TARGET, "--json"))
    (layer,) = report["layers"]
    assert (layer["name"], layer["algorithm"], layer["workspace_bytes"]) == ("conv", "sconv", 6912)
    assert Conv2dWorkload.parse(layer["workload"]).epilogue.low == 0


def test_explain_measures_the_share_of_kernels_that_are_no_layers(model: Path) -> None:
    others = json.loads(succeed("explain", model, "--algorithm", "direct_nhwc", "--json"))
    assert others["other_kernels"] and not others["time_shares"]
    shares = json.loads(succeed("explain", model, "--algorithm", "direct_nhwc", "--time", "--json"))[
        "time_shares"
    ]
    assert shares.keys() == others["other_kernels"].keys()
    assert all(share > 0 for share in shares.values()) and sum(shares.values()) < 1
    assert "% of the time): 1 x" in succeed("explain", model, "--algorithm", "direct_nhwc", "--time").replace(
        "\n", " "
    )


@pytest.mark.parametrize("columns", ["80", "120", ""])
def test_explain_takes_a_line_for_a_layer(model: Path, columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = succeed("explain", model, "--target", TARGET).splitlines()
    (layer,) = [line for line in lines if line.startswith("conv")]
    assert "3x8x8 -> 16 3x3" in layer and "sconv" in layer
    assert max(map(len, lines)) <= int(columns or 100)
    details = succeed("explain", model, "--verbose")
    assert str(LAYER.in_layouts("NHWC"))[:40] in details and "kilocycles" in details


def test_explain_takes_a_layer(model: Path) -> None:
    (layer,) = json.loads(succeed("explain", str(LAYER), "--target", "llvm", "--json"))["layers"]
    assert layer["workload"] == str(LAYER) and layer["flops"] == LAYER.flops
    assert all(name.endswith("_portable") for name in layer["kernels"])


@pytest.mark.parametrize(
    ("cpu", "precision", "dtype", "isa"),
    [
        ("znver4", "bfloat16", "bfloat16", "avx512bf16"),
        ("znver4", "auto", "bfloat16", "avx512bf16"),
        ("znver3", "auto", "float32", "avx2"),
    ],
)
def test_explain_takes_a_layer_in_another_precision(cpu: str, precision: str, dtype: str, isa: str) -> None:
    target = f"llvm -mtriple=x86_64-linux-gnu -mcpu={cpu}"
    text = succeed("explain", str(WIDE), "--target", target, "--precision", precision, "--json")
    (layer,) = json.loads(text)["layers"]
    assert layer["workload"] == layer["asked"] == str(replace(WIDE, dtype=dtype))
    assert all(name.endswith(f"_{isa}") for name in layer["kernels"])


def test_kernels_are_the_registry() -> None:
    rows = json.loads(succeed("kernels", "--json"))
    assert {row["isa"] for row in rows} == set(ISAS)
    assert all(row["registers_used"] <= row["registers"] for row in rows)
    (named,) = [row for row in rows if row["name"] == "f32_f32_f32_14x32_row_avx512"]
    assert named["loads_per_fma"] == pytest.approx(16 / 28)
    assert "14x32" not in succeed("kernels", "--isa", "avx2")


def test_targets_lists_machines_and_resolves() -> None:
    rows = json.loads(succeed("machines", "--json"))
    assert {"znver5", "neoverse-n1", "power10"} <= {row["name"] for row in rows}
    facts = json.loads(succeed("targets", "llvm -mtriple=x86_64-linux-gnu -mattr=+avx2,+fma", "--json"))
    assert facts["keys"] == ["x86", "cpu"] and facts["kernels"] == "avx2"
    facts = json.loads(succeed("targets", "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a710", "--json"))
    assert facts["8-bit kernels"] == ["neonmixed", "neoni8mm", "neonwide"]
    assert facts["bfloat16 kernels"] == ["neonbf16", "neonbfmmla"] and facts["float16 kernels"] == ["neonfhm"]
    assert "znver5" in succeed("machines") and "kernels: portable" in succeed("targets", "llvm")


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


def test_targets_mark_this_host() -> None:
    rows = json.loads(succeed("machines", "--json"))
    assert sum(row["host"] for row in rows) == 1
    assert sum(line.rstrip().endswith("yes") for line in succeed("machines").splitlines()) == 1


def test_version_and_help() -> None:
    from tvm_directconv import __version__

    assert __version__ in succeed("--version")
    for command in commands.commands:
        assert command in succeed("--help")
        text = succeed(command, "--help")
        assert "Usage:" in text and "``" not in text


def test_help_imports_no_tvm() -> None:
    """Help of any command is there at once."""
    program = (
        "import sys; from click.testing import CliRunner; from tvm_directconv.cli.group import commands\n"
        "for name in commands.commands: CliRunner().invoke(commands, [name, '--help'])\n"
        "assert not {'tvm', 'numpy', 'rich', 'onnx'} & set(sys.modules)"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)


@pytest.mark.slow
def test_a_reader_may_go_away() -> None:
    """A reader such as head stops reading; the status is 1, as of other Python programs."""
    command = [sys.executable, "-m", "tvm_directconv", "targets", "--json"]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert (process.wait(), process.stderr.read()) == (1, b"")


def test_warnings_are_a_line_and_a_closed_output_is_no_error(tmp_path: Path) -> None:
    program = f"'{sys.executable}' -m tvm_directconv"
    command = f"{program} kernels --isa avx2 >&- && {program} cache"
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    environment |= {"TVM_DIRECTCONV_CACHE_BYTES": "2G", "TVM_DIRECTCONV_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, env=environment)
    assert done.returncode == 0 and "0 compiled networks" in done.stdout
    limit = "TVM_DIRECTCONV_CACHE_BYTES must be a number of bytes, not '2G'; the limit is 2147483648"
    assert done.stderr == f"Warning: {limit}\n"
