"""What is wrong on a command line is one clear line and status 1 or 2, and nothing is left behind."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cli_support import LAYER, call, fail, small_model

import tvm_directconv as directconv
from tvm_directconv.zoo import networks

LAYER_TEXT = str(LAYER)
QUICK = ("--contestants", "ours", "--quick")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_model(tmp_path_factory.mktemp("model"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with files that are none of what is asked for."""
    (tmp_path / "folder.onnx").mkdir()
    (tmp_path / "text").write_text("hello")
    (tmp_path / "lib.so").write_text("hello")
    (tmp_path / "empty.onnx").touch()
    os.mkfifo(tmp_path / "pipe.onnx")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "resnet51"), "neither a file nor a light network.*did you mean 'resnet50'.*light_resnet50"),
        (("run", ""), "nor a light network"),
        (("run", "squeezenet", "--threads", "999"), "^Error: --threads 999 is more than the"),
        (("quantize", "squeezenet", "-o", "x.onnx", "--data", "text"), "inputs are|gpu_0|text"),
        (("quantize", "squeezenet_int8", "-o", "x.onnx"), "is in 8 bits already"),
        (("compare", "squeezenet", "--input", "data_0=text"), "'text' is not a .npy array of numbers"),
        (("run", "no/such.onnx"), "no/such.onnx': no such file"),
        (("run", "missing.so"), "'missing.so': no such file"),
        (("run", "folder.onnx"), "folder.onnx"),
        (("run", "text"), "not an ONNX model"),
        (("run", "lib.so"), "not a library exported"),
        (("run", "squeezenet", "--output", "text"), "cannot write in 'text': 'text' is not a folder"),
        (("run", "squeezenet", "--algorithm", "=sconv"), "names no layer"),
        (("compile", "squeezenet", "-o", "folder.onnx"), "cannot write 'folder.onnx': it is a folder"),
        (("compile", "squeezenet", "-o", "absent/x.so"), "no folder 'absent'"),
        (("explain", "squeezenet", "--target", "llvm -mcpu=znver55"), "znver55.*znver5"),
        (("explain", "squeezenet", "--algorithm", "direct"), "unknown algorithm 'direct'.*direct_nhwc"),
        (("explain", "n1_ih8iw8"), "is not a workload descriptor"),
        (("explain", LAYER_TEXT, "--algorithm", "conv1=sconv"), "a layer alone does not have a name"),
        (("explain", LAYER_TEXT, "--precision", "conv1=bfloat16"), "give --precision bfloat16"),
        (("explain", LAYER_TEXT, "--precision", "bf16"), "precision 'bf16' is not one of"),
        (("kernels", "--isa", "avx51"), "unknown instruction set 'avx51'"),
        (("targets", "llvm -mtripel=x"), "mtripel.*mtriple"),
        (("targets", "[bold]"), r"unknown target kind '\[bold\]'; write 'llvm'"),
        (("targets", "openc"), "unknown target kind 'openc'; write 'llvm'"),
        (("bench", "squeezenet", "--contestants", "onnxrt"), "no contestant 'onnxrt'.*onnxruntime"),
        (("bench", "--layer", LAYER_TEXT, "--contestants", ""), "no contestant ''"),
        (("bench", "--layer", LAYER_TEXT, *QUICK, "--save", "no/x.json"), "cannot write .*no folder 'no'"),
        (("bench", "text"), "cannot be read as an ONNX model"),
        (("breakdown", LAYER_TEXT, "--plot", "x.nonsense"), "names no kind of image.*png"),
        (("pareto", LAYER_TEXT, "--estimate", "--save", "folder.onnx"), "it is a folder"),
        (("bench", "pipe.onnx"), "'pipe.onnx' is not a file"),
        (("pareto", "empty.onnx", "--estimate"), "'empty.onnx' holds no graph"),
        (("pareto", LAYER_TEXT, "--estimate", "--save", "pipe.onnx"), "a device or a pipe"),
        (("tune", "--layer", "²,8,8,3,16,3,3,1,1"), "is not nine numbers"),
        (("tune", "--layer", "1,2,3"), "is not nine numbers"),
        (("tune", "nosuch"), "nor a light network"),
        (("machines", "--measure", "--save", "no/x.json"), "no folder 'no'"),
        (("demo", "--model", "x"), "nor a light network"),
    ],
)
def test_bad_input_is_one_clear_line(arguments: tuple[str, ...], message: str, folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    line = fail(*arguments)
    assert re.search(message, line), line
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run",), "Missing argument 'MODEL'"),
        (("frobnicate",), "No such command"),
        (("demo", "--threads", "0"), "not in the range"),
        (("run", "squeezenet", "--records", "absent"), "'absent' does not exist"),
        (("run", "squeezenet", "--params", "text"), "--params does not apply"),
        (("run", "lib.so", "--target", "llvm"), "--target does not apply: 'lib.so' is compiled already"),
        (("explain", "lib.so", "--max-workspace-bytes", "0"), "--max-workspace-bytes does not apply"),
        (("explain", LAYER_TEXT, "--layout", "NCHW"), "--layout does not apply"),
        (("tune", "squeezenet", "--layer", LAYER_TEXT), "give a MODEL, or --layer"),
        (("machines", "--save", "x"), "give both"),
    ],
)
def test_bad_usage_is_status_two(arguments: tuple[str, ...], message: str, folder: Path) -> None:
    assert message in fail(*arguments, status=2)


def test_bad_inputs_are_one_clear_line(model: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(model.read_bytes()[:50])
    assert "broken.onnx" in fail("run", broken)
    np.save(tmp_path / "small.npy", np.zeros((1, 3, 7, 8), np.float32))
    assert "shape (1, 3, 7, 8), expected (1, 3, 8, 8)" in fail(
        "run", model, "--input", f"image={tmp_path / 'small.npy'}"
    )
    assert "no input 'imag'" in fail("run", model, "--input", f"imag={tmp_path / 'small.npy'}")
    assert "is not NAME=FILE.npy" in fail("run", model, "--input", "image")
    assert "is not a .npy array of numbers" in fail("run", model, "--input", f"image={broken}")
    np.savez(tmp_path / "several.npz", image=np.zeros((1, 3, 8, 8), np.float32))
    assert "is not a .npy array" in fail("run", model, "--input", f"image={tmp_path / 'several.npz'}")
    empty = tmp_path / "empty.npy"
    empty.touch()
    assert "is not a .npy array of numbers" in fail("run", model, "--input", f"image={empty}")
    assert "no such file" in fail("run", model, "--input", f"image={tmp_path / 'absent.npy'}")
    assert "is a directory, not a model's file" in fail("run", tmp_path)


@pytest.mark.parametrize(
    ("package", "arguments", "message"),
    [
        (
            "onnxruntime",
            ("explain", "squeezenet_int8"),
            "'light_squeezenet_int8' is quantized by onnxruntime",
        ),
        ("matplotlib.figure", ("pareto", LAYER_TEXT, "--plot", "x.png"), "pip install matplotlib"),
    ],
)
def test_missing_packages_are_named(
    package: str, arguments: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(networks, "_made", {})  # those that other tests had quantized
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setitem(sys.modules, f"{package}.quantization", None)
    assert message in fail(*arguments)


@pytest.mark.parametrize("status", ["wrong", "absent"])
def test_a_wrong_or_empty_comparison_is_an_error(status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table is printed, and what is wrong with it said."""
    from tvm_directconv import bench
    from tvm_directconv.bench import Comparison, Measurement, NetworkResult

    refused = {"wrong": "wrong result: off by 1.0e+00", "absent": "not installed [bench]"}[status]
    name = {"wrong": "ours", "absent": "onnxruntime"}[status]
    comparison = Comparison("network", 1, (100.0,), (Measurement(name, refused=refused),))
    result = NetworkResult("llvm", 1, (0,), "fma", {"processor": "some CPU"}, (comparison,))
    for name in ("bench_network", "bench_networks"):
        monkeypatch.setattr(bench, name, lambda *arguments, **options: result)
    for command in (("demo",), ("bench", "squeezenet"), ("demo", "--json")):
        ended = call(*command)
        assert ended.exit_code == 1 and refused in ended.stdout
        assert (
            "Error: ours: wrong result" if status == "wrong" else "nothing could be timed"
        ) in ended.stderr


WITHOUT_BIAS = (np.zeros(LAYER.input_shape, np.float32), np.zeros(LAYER.filter_shape, np.float32))


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda: directconv.compile("resnet51"), "'resnet51' is neither a file.*did you mean 'resnet50'"),
        (lambda: directconv.compile("absent.onnx"), "'absent.onnx': no such file"),
        (lambda: directconv.compile(None), "a model is a path, a name.*not of type NoneType"),
        (lambda: directconv.compile("squeezenet", tuning="absent"), "tuning records 'absent': no such file"),
        (lambda: directconv.build_conv2d(LAYER, tuning="absent"), "tuning records 'absent': no such file"),
        (lambda: directconv.build_conv2d("n1_ih8"), "'n1_ih8' is not a workload descriptor"),
        (lambda: directconv.build_conv2d(3), "a layer is a Conv2dWorkload or its descriptor, not 3"),
        (lambda: directconv.build_conv2d(LAYER, "llvm")(*WITHOUT_BIAS, np.zeros(16)), "bias is given"),
        (
            lambda: directconv.build_conv2d(LAYER_TEXT, "llvm")([1], [2]),
            r"data must be float32 \(1, 8, 8, 3\), got int64",
        ),
        (lambda: directconv.breakdown("resnet50"), "'resnet50' is not a workload descriptor"),
        (lambda: directconv.pareto(3), "a model or layer is given by path, name or value, not by 3"),
    ],
)
def test_python_errors(mistake: Callable[[], object], message: str) -> None:
    with pytest.raises(directconv.DirectConvError, match=message):
        mistake()
