"""What surrounds half precision: its accuracy measured, libraries, the command line, records, benchmarks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bench_support import SMALL, quick, quick_network, tiny_network
from cli_support import fail, small_model, succeed
from graph_support import draw, network, node
from onnx_support import TARGET

import tvm_directconv as directconv
from relay_strategies.compiler.model.deviations import Deviation
from relay_strategies.strategies.record_files import Record
from relay_strategies.strategies.records import Records
from relay_strategies.tuning.tune import tuned_layers
from tvm_directconv.bench.contestants import CONTESTANTS, in_half
from tvm_directconv.errors import ModelError, WorkloadError
from tvm_directconv.problem.element_types import numpy_type
from tvm_directconv.problem.operands import random_operands
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import resolve_target
from tvm_directconv.text import layer_label

ZEN5 = "llvm -mtriple=x86_64-linux-gnu -mcpu=znver5"
HALF = Conv2dWorkload(1, 8, 8, 3, 16, (3, 3), padding=(1, 1, 1, 1), dtype="bfloat16")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_model(tmp_path_factory.mktemp("model"))


def two_layers() -> object:
    nodes = [node("Conv", "x a", "c"), node("Relu", "c", "r"), node("Conv", "r b", "y")]
    weights = {"a": draw(8, 6, 1, 1), "b": draw(5, 8, 1, 1)}
    return network(nodes, {"x": (2, 6, 4, 4)}, {"y": (2, 5, 4, 4)}, weights)


@pytest.mark.slow
def test_deviations_of_outputs_and_of_layers() -> None:
    model = directconv.compile(two_layers(), TARGET, precision="bfloat16", cache=False)
    wanted = directconv.compile(two_layers(), TARGET, cache=False)
    inputs = [draw(2, 6, 4, 4, seed=seed) for seed in range(3)]
    (output,) = model.deviations(*inputs)
    differences = [np.abs(model.run(x)[0] - wanted.run(x)[0]).max() for x in inputs]
    largest = max(np.abs(wanted.run(x)[0]).max() for x in inputs)
    assert output.relative_error == pytest.approx(max(differences) / largest) and output.relative_error > 1e-4
    assert output.rows == 6 and 0 <= output.agreement <= 1
    assert [each.name for each in model.deviations(inputs[0], of_layers=True)] == ["y", "Conv:c", "Conv:y"]


def test_deviations_count_what_agrees() -> None:
    deviation = Deviation("y")
    wanted = np.array([[1, 2, 3], [3, 2, 1]], np.float32)
    deviation.add(wanted + np.array([[0, 0, 0.5], [0, 1.5, 0]], np.float32), wanted)
    assert (deviation.relative_error, deviation.agreement) == (0.5, 0.5)
    deviation.add(np.array([[np.inf, np.nan, 0]]), np.array([[np.inf, 1, 0]]))
    assert deviation.relative_error == np.inf


def test_only_half_precision_is_compared() -> None:
    with pytest.raises(ModelError, match="only models compiled with a precision"):
        directconv.compile(two_layers(), TARGET, cache=False).deviations(draw(2, 6, 4, 4))


BYTES = "n1_ih8iw8_ic8_oc8_k3x3_s1x1_p1x1x1x1_d1x1_g1_uint8z7-int8w127-uint8z3_NHWC_OIHW_bias"
WHOLE = replace(HALF, dtype="float32", in_channels=32, out_channels=32)


@pytest.mark.parametrize(
    ("options", "dtype"),
    [
        ({}, "float32"),
        ({"precision": "bfloat16"}, "bfloat16"),
        ({"precision": "float16"}, "float16"),
        ({"precision": "auto", "target": "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64"}, "float32"),
        ({"precision": "auto", "target": ZEN5}, "bfloat16"),
        ({"precision": "auto", "target": ZEN5, "algorithm": "sconv"}, "float32"),
    ],
)
def test_layers_in_another_precision(options: dict[str, Any], dtype: str) -> None:
    layer = directconv.build_conv2d(WHOLE, **{"target": TARGET, **options})
    assert layer.workload.dtype == dtype
    if options.get("precision") == dtype:
        data, weights, *_ = random_operands(layer.workload)
        assert layer(data, weights).dtype == numpy_type(dtype)


@pytest.mark.parametrize(
    ("workload", "precision", "message"),
    [
        (WHOLE, "bf16", "precision 'bf16' is not one of float32, bfloat16"),
        (WHOLE, {"*": "bfloat16"}, "is not one of"),
        (
            BYTES,
            "float16",
            "of floats",
        ),
    ],
)
def test_precisions_that_a_layer_has_not(workload: object, precision: object, message: str) -> None:
    with pytest.raises(WorkloadError, match=message):
        directconv.build_conv2d(workload, TARGET, precision=precision)  # type: ignore[arg-type]


def test_libraries_and_the_cache_keep_half_precision(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    library = tmp_path / "small.so"
    succeed("compile", model, "-o", library, "--precision", "float16")
    loaded = directconv.load(library)
    (layer,) = loaded.report().layers
    assert "float16-float32" in layer.workload and "float16 -> float32" in str(loaded.report())
    x = draw(1, 3, 8, 8)
    fresh = directconv.compile(model, precision="float16", cache=False)
    np.testing.assert_array_equal(loaded.run(x)[0], fresh.run(x)[0])
    assert not np.array_equal(fresh.run(x)[0], directconv.compile(model, cache=False).run(x)[0])


def test_exported_code_asks_for_its_tiles(tmp_path: Path) -> None:
    """Linux gives them to a process that asks, by system call 158; a task configures them and lets go."""
    target = "llvm -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids"
    compiled = directconv.compile(two_layers(), target, precision="bfloat16", cache=False)
    code = compiled.export_c(tmp_path).object.read_bytes()
    asks, system_call, release = b"\xb8\x9e\x00\x00\x00", b"\x0f\x05", b"\xc4\xe2\x78\x49\xc0"
    assert asks in code and system_call in code and release in code


def test_accuracy_at_the_command_line(model: Path) -> None:
    (found,) = json.loads(succeed("accuracy", model, "--precision", "bfloat16", "--draws", "2", "--json"))
    assert found["name"] == "features" and 0 < found["relative_error"] < 0.01 and found["rows"] == 2
    text = succeed("accuracy", model, "--precision", "float16", "--layers", "--draws", "1")
    assert "features" in text and "conv" in text
    assert "give the --precision" in fail("accuracy", model, status=2)
    assert "nothing to compare" in fail("accuracy", model, "--precision", "float32")


def test_precision_by_layer_at_the_command_line(model: Path) -> None:
    (layer,) = json.loads(succeed("explain", model, "--precision", "conv=bfloat16", "--json"))["layers"]
    assert "_bfloat16-float32_" in layer["workload"]
    assert "'bf16' is not one of" in fail("explain", model, "--precision", "bf16")
    assert "--precision '=bfloat16' names no layer" in fail("explain", model, "--precision", "=bfloat16")
    whole = str(HALF).replace("bfloat16", "float32")
    (layer,) = json.loads(succeed("explain", whole, "--precision", "bfloat16", "--json"))["layers"]
    assert layer["workload"] == str(HALF)


def test_layers_are_told_with_their_types() -> None:
    assert layer_label(HALF) == "3x8x8 -> 16 3x3 bfloat16"


def test_records_of_half_precision_are_their_own(model: Path) -> None:
    """A network is tuned in its precision, and float32's records say nothing of it."""
    target = resolve_target(TARGET)
    (tuned,) = tuned_layers(model, target, precision="bfloat16")
    assert (tuned.dtype, tuned.to_float32) == ("bfloat16", True)
    whole = Conv2dWorkload.parse(str(tuned).replace("bfloat16-float32", "float32"))
    knobs = {"nr": 8, "strip": 8, "rows": 8, "prefetch": False, "c_ib": 0, "mr": 0}
    record = Record(str(target), 1, str(whole), "direct_nhwc", knobs, (1e-3,))
    records = Records(records=[record])
    assert records.choice(whole, target) is not None
    assert records.choice(tuned, target) is None


def test_ours_in_half_precision_is_judged_as_such() -> None:
    names = ["ours", *in_half(["ours"], "bfloat16")[1:], "ours-f16"]
    (comparison,) = quick(names, [SMALL]).comparisons
    assert (
        comparison["ours"].error < 1e-5 < comparison["ours-f16"].error < comparison["ours-bf16"].error < 1e-2
    )
    (comparison,) = quick_network(["ours-bf16"], tiny_network()).comparisons
    assert 1e-5 < comparison["ours-bf16"].error < 1e-2


def test_layers_are_given_in_float32_to_be_compared() -> None:
    assert "give the layer in float32" in fail("bench", "--layer", str(HALF), "--quick")


def test_who_is_compared_in_half_precision() -> None:
    assert in_half(("ours", "onnxruntime", "pytorch"), "bfloat16") == (
        "ours", "ours-bf16", "onnxruntime", "pytorch", "pytorch-bf16",
    )  # fmt: skip
    assert in_half(("pytorch", "openvino"), "float16") == ("pytorch", "openvino", "openvino-f16")
    assert {"ours-bf16", "ours-f16", "openvino-bf16", "openvino-f16", "pytorch-bf16"} <= set(CONTESTANTS)
