"""Several sizes of one model at the command line and in benchmarks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from cli_support import fail, small_model, succeed
from graph_support import draw


@pytest.fixture(scope="module")
def open_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_model(tmp_path_factory.mktemp("model"), batch="n")


@pytest.mark.slow
def test_the_command_line_compiles_and_runs_sizes(open_file: Path, tmp_path: Path) -> None:
    library, image = tmp_path / "small.so", tmp_path / "image.npy"
    facts = json.loads(succeed("compile", open_file, "--batch", "1,2", "-o", library, "--json"))
    assert [size["shapes"]["image"][0] for size in facts["sizes"]] == [1, 2]
    np.save(image, draw(2, 3, 8, 8))
    assert "[2, 16, 8, 8]" in succeed("run", library, "--input", f"image={image}")
    assert "[1, 16, 8, 8]" in succeed("run", library)
    assert "[2, 16, 8, 8]" in succeed("run", library, "--batch", "2")
    assert "image=2x3x8x8" in fail("run", library, "--batch", "3")
    report = json.loads(succeed("explain", library, "--shapes", "image=2x?x?x8", "--json"))
    assert report["layers"][0]["workload"].startswith("n2_")
    assert "[2, 16, 8, 8]" in succeed("run", open_file, "--shapes", "image=?x3x8x8", "--batch", "2")
    text = succeed(
        "compile", open_file, "--shapes", "image=1x3x8x8", "--shapes", "image=4x3x8x8", "-o", library
    )
    assert "image=4x3x8x8: 1 convolution" in text


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("explain", "--batch", "1,2"), 2, "give one size"),
        (("run", "--batch", "0"), 2, "'0' is not a positive integer"),
        (("run", "--batch", "1;2"), 2, "'1;2' is not a positive integer"),
        (("run", "--shapes", "1x3x8x8"), 2, "'1x3x8x8' is not NAME=1x3x224x224"),
        (("run", "--shapes", "image=1x3x-8"), 2, "is not NAME=1x3x224x224"),
        (("run", "--typical", "n"), 2, "'n' is not NAME=SIZE, as h=224"),
        (("run", "--typical", "m=2"), 1, "typical names 'm', and the open dimensions are: n"),
        (("run", "--sizes", "n=4"), 2, "'n=4' is not NAME=LEAST..MOST, as h=32..1333"),
        (("run", "--sizes", "n=4..2"), 1, "sizes['n'] must be the least and the most of a dimension"),
        (("run", "--shapes", "image=nx3xhx8", "--batch", "2"), 1, "dimension 2 'h' is symbolic"),
        (("run", "--shapes", "image=1,image=2"), 2, "'image' is there twice"),
        (("run", "--shapes", "imag=1"), 1, "did you mean 'image'"),
        (("bench", "--layers"), 1, "dimension 0 'n' is symbolic"),
        (("bench", "--batch", "1,2"), 2, "give one size"),
        (("tune", "--batch", "1", "--shapes", "image=1x3x8x8"), 1, "leave open, and there are none"),
    ],
)
def test_wrong_sizes_on_the_command_line(
    open_file: Path, arguments: tuple[str, ...], status: int, message: str
) -> None:
    command, *options = arguments
    assert message in fail(command, open_file, *options, status=status)


def test_layers_are_measured_in_the_size_given(open_file: Path) -> None:
    report = json.loads(succeed("pareto", open_file, "--estimate", "--batch", "2", "--json"))
    assert [layer["workload"][:8] for layer in report["layers"]] == ["n2_ih8iw"]
    options = "--algorithm", "sconv", "--shapes", "image=3x3x8x8", "--json"
    (part,) = json.loads(succeed("breakdown", open_file, *options))
    assert part["workload"].startswith("n3_ih8iw8")
    assert "fix the model's input shapes (--shapes, --batch)" in fail("pareto", open_file, "--estimate")
    layer = "n1_ih8iw8_ic3_oc16_k3x3_s1x1_p1x1x1x1_d1x1_g1_float32_NHWC_OIHW"
    assert "--batch does not apply" in fail("breakdown", layer, "--batch", "2", status=2)


@pytest.mark.slow
def test_benchmarks_fix_the_size_for_all_contestants(open_file: Path) -> None:
    options = "--batch", "2", "--contestants", "ours,onnxruntime", "--quick", "--json"
    (comparison,) = json.loads(succeed("bench", open_file, *options))["comparisons"]
    assert comparison["batch"] == 2 and all(m["seconds"] for m in comparison["measurements"])
    (comparison,) = json.loads(succeed("bench", open_file, "--layers", *options))["comparisons"]
    assert comparison["problem"].startswith("n2_")
