"""The benchmark in 8 bits: right answers, who takes part, what is refused. No test asserts a time."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from bench_support import DEPTHWISE, NATIVE, ODD, SMALL, Right, quick, quick_network, tiny_network
from click.testing import CliRunner
from graph_support import network, node
from onnx import helper
from quantized_models import quantize
from reference import run_onnx_runtime

from tvm_directconv.algorithms import BYTE_ALGORITHMS
from tvm_directconv.bench import (
    FOR_LAYERS,
    FOR_QUANTIZED_LAYERS,
    FOR_QUANTIZED_NETWORKS,
    LayerResult,
    Measurement,
    Prepared,
    bench_network,
)
from tvm_directconv.bench.answers import LEAST_SHARE, OF_NETWORKS, Units
from tvm_directconv.bench.contestants import CannotSolve, Setting
from tvm_directconv.bench.contestants.base import SATURATED
from tvm_directconv.bench.contestants.onednn import OneDnn
from tvm_directconv.bench.contestants.onnx_runtime import UNSIGNED, OnnxRuntime
from tvm_directconv.bench.contestants.openvino import OpenVinoNode
from tvm_directconv.bench.exact_sums import LARGEST_EXACT_WEIGHT, sums_saturate
from tvm_directconv.bench.layer_models import qdq, qlinear
from tvm_directconv.bench.problems import SEED
from tvm_directconv.bench.quantized_problems import (
    QuantizedLayerProblem,
    QuantizedNetworkProblem,
    units_of,
    with_last_bytes,
)
from tvm_directconv.cli.group import commands as main
from tvm_directconv.errors import WorkloadError
from tvm_directconv.problem.quantized_types import QuantizedTypes
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.targets.target import resolve_target
from tvm_directconv.zoo.inputs import image_of


def quantized(
    workload: Conv2dWorkload, dtype: str = "uint8", bias: bool = True, low: float = -np.inf, **types
) -> Conv2dWorkload:
    of_bytes = QuantizedTypes(**{"out_dtype": "uint8", "largest_weight": 127, **types})
    return replace(workload, dtype=dtype, quantized=of_bytes, epilogue=Epilogue(bias, low=low))


BYTES = quantized(SMALL, data_zero=3, out_zero=128)
POINTWISE = quantized(Conv2dWorkload(1, 10, 10, 24, 40, (1, 1)))
STRIDED = quantized(Conv2dWorkload(1, 14, 14, 64, 32, (1, 1), (2, 2)), data_zero=7)
CASES = {
    "small": BYTES,
    "odd": quantized(ODD, data_zero=255, out_zero=9),
    "depthwise": quantized(DEPTHWISE, data_zero=1),
    "signed": quantized(SMALL, "int8", out_dtype="int8", data_zero=-128, out_zero=-5),
    "pointwise": POINTWISE,
    "strided": STRIDED,
    "without bias": quantized(SMALL, bias=False, data_zero=3),
    "7 bits": quantized(SMALL, largest_weight=LARGEST_EXACT_WEIGHT, data_zero=3),
}


def within_7_bits(workload: Conv2dWorkload) -> Conv2dWorkload:
    return replace(workload, quantized=replace(workload.quantized, largest_weight=LARGEST_EXACT_WEIGHT))


def quantized_network(format: str = "QDQ", reduce_range: bool = False) -> onnx.ModelProto:
    """A quantized convolution and dense layer before a softmax."""
    model = tiny_network()
    head = [
        onnx.helper.make_node("Flatten", ["answer"], ["flat"]),
        onnx.helper.make_node("Gemm", ["flat", "m"], ["logits"]),
        onnx.helper.make_node("Softmax", ["logits"], ["probabilities"], axis=1),
    ]
    weights = np.random.default_rng(1).standard_normal((16, 12), np.float32)
    model.graph.node.extend(head)
    model.graph.initializer.append(onnx.numpy_helper.from_array(weights, "m"))
    kind = onnx.TensorProto.FLOAT
    model.graph.output[0].CopyFrom(onnx.helper.make_tensor_value_info("probabilities", kind, [1, 12]))
    return quantize(model, format, reduce_range=reduce_range)


# The right answers


@pytest.mark.parametrize("workload", CASES.values(), ids=CASES)
@pytest.mark.parametrize("form", [qlinear, qdq])
def test_reference_is_the_meaning_of_the_onnx_models(form, workload: Conv2dWorkload) -> None:
    problem = QuantizedLayerProblem(workload)
    model = form(problem)
    onnx.checker.check_model(model, full_check=True)
    (answer,) = run_onnx_runtime(model, {"data": problem.data_nchw})
    expected = problem.references[0]
    assert expected.dtype == answer.dtype == np.dtype(workload.out_dtype)
    # Rounding of the requantized sums is free.
    assert problem.judge([answer.transpose(0, 2, 3, 1)])[1] == ""
    assert (expected != answer.transpose(0, 2, 3, 1)).mean() < 0.01
    # Neither saturated nor idle: a wrong sum shows.
    assert np.unique(expected).size > 50


def test_surroundings_do_not_change_the_layer() -> None:
    problem = QuantizedLayerProblem(STRIDED)
    alone = run_onnx_runtime(qdq(problem), {"data": problem.data_nchw})[0]
    with_sibling = run_onnx_runtime(qdq(problem, sibling=True), {"data": problem.data_nchw})
    from_float = run_onnx_runtime(qdq(problem, True), {"data": problem.real_data_nchw})[0]
    assert len(with_sibling) == 2 and with_sibling[1].shape == (1, 16, 14, 14)
    np.testing.assert_array_equal(with_sibling[0], alone)
    np.testing.assert_array_equal(from_float, alone)


def test_operands_fill_their_ranges() -> None:
    problem = QuantizedLayerProblem(BYTES)
    assert (problem.data.min(), problem.data.max()) == (0, 255)
    assert (problem.filter.min(), problem.filter.max()) == (-127, 127)
    half = QuantizedLayerProblem(quantized(SMALL, largest_weight=64)).filter
    assert (half.min(), half.max()) == (-64, 64)
    unsigned = QuantizedLayerProblem(quantized(SMALL, filter_dtype="uint8", largest_weight=128)).filter
    assert unsigned.dtype == np.uint8 and unsigned.max() == 255
    assert QuantizedLayerProblem(quantized(SMALL, bias=False)).bias is None
    with pytest.raises(WorkloadError, match="only int8 and uint8 filters"):
        QuantizedLayerProblem(quantized(SMALL, filter_dtype="int9"))


@pytest.mark.parametrize("out_dtype", ["int32", "float32"])
def test_sums_and_floats_are_judged_as_such(out_dtype: str) -> None:
    workload = quantized(SMALL, out_dtype=out_dtype, data_zero=3)
    problem = QuantizedLayerProblem(workload)
    (answer,) = problem.references
    assert answer.dtype == np.dtype(out_dtype) and problem.judge([answer]) == (0.0, "")
    off = answer.copy()
    off[0, 0, 0, 0] += 1
    assert "wrong result" in problem.judge([off])[1]
    (comparison,) = quick(["ours", *BYTE_ALGORITHMS], [workload]).comparisons
    assert all(comparison[name].timed for name in ("ours", *BYTE_ALGORITHMS))
    for kind in (OnnxRuntime, OpenVinoNode, OneDnn):
        with pytest.raises(CannotSolve):
            kind(Setting(resolve_target(NATIVE))).prepare(problem)


@pytest.mark.parametrize(
    ("units", "allowed", "right"),
    [
        ([0] * 100, Units(0, 1), True),
        ([0] * 99 + [1], Units(0, 1), True),
        ([0] * 98 + [1] * 2, Units(0, 1), False),
        ([0] * 99 + [-2], Units(0, 1), False),
        ([3] * 100, OF_NETWORKS, True),
        ([0] * 99 + [-8], OF_NETWORKS, True),
        ([0] * 98 + [4] * 2, OF_NETWORKS, False),
        ([0] * 99 + [9], OF_NETWORKS, False),
    ],
)
def test_units(units: list[int], allowed: Units, right: bool) -> None:
    reference = np.full(100, 128, np.uint8)
    output = (reference + np.array(units)).astype(np.uint8)
    assert (allowed.wrong([output], [reference]) == "") == right


def test_a_network_allows_twice_what_rounding_of_its_inputs_makes_of_it() -> None:
    reference = np.zeros(100)

    def widened(off: int, count: int) -> Units:
        return OF_NETWORKS.widened([reference, np.where(np.arange(100) < count, off, 0)], [reference] * 2)

    assert widened(0, 0) == widened(3, 100) == OF_NETWORKS, "a steady network allows no more"
    assert (widened(7, 8).most, widened(7, 8).share) == (14, pytest.approx(0.84))
    assert widened(40, 60).share == LEAST_SHARE, "nor does one whose answers are noise allow all"


def test_an_unsteady_network_is_judged_by_its_own_steadiness() -> None:
    scales = {"s": np.float32(1 / 127), "z": np.array(128, np.uint8), "f": np.float32(5e4)}
    nodes = [node("Mul", "x f", "m"), node("Sin", "m", "t"), node("QuantizeLinear", "t s z", "y")]
    model = network(nodes, {"x": (1, 1000)}, {"y": (1, 1000)}, scales)
    model.graph.output[0].type.tensor_type.elem_type = onnx.TensorProto.UINT8
    inputs = {"x": np.random.default_rng(0).standard_normal((1, 1000), np.float32)}
    problem = QuantizedNetworkProblem("unsteady", model, inputs)
    (right,) = problem.references
    (shaken,) = problem.reference_of({"x": inputs["x"] * np.float32(1 + 5e-7)})
    assert OF_NETWORKS.wrong([shaken], [right]) and not problem.judge([shaken])[1]
    assert problem.judge([255 - right])[1]


def test_units_do_not_wrap_around() -> None:
    assert "255 units off" in OF_NETWORKS.wrong([np.array([0], np.uint8)], [np.array([255], np.uint8)])


class Off(Right):
    """Two units off in one element."""

    name = "off"

    def prepare_quantized_layer(self, problem: QuantizedLayerProblem) -> Prepared:
        answer = problem.references[0].copy()
        answer.flat[0] ^= 2
        return Prepared(lambda: None, lambda: [answer])


def test_wrong_bytes_are_refused() -> None:
    (comparison,) = quick([Off, Right], [BYTES]).comparisons
    assert "up to 2 units off" in comparison["off"].refused and not comparison["off"].timed
    assert comparison["right"].refused == "right is not compared on 8-bit layers"


# The contestants on layers


@pytest.mark.slow
@pytest.mark.parametrize("name", [*FOR_QUANTIZED_LAYERS, "ours-f32", "litert"])
def test_layer_contestants_agree_with_the_definition(name: str) -> None:
    layers = [form(workload) for workload in CASES.values() for form in (lambda w: w, within_7_bits)]
    refused = {}
    for comparison in quick([name], layers).comparisons:
        measurement = comparison[name]
        types = Conv2dWorkload.parse(comparison.problem).quantized
        if measurement.refused == SATURATED:
            assert name in ("openvino-node", "onednn") and sums_saturate()
            assert types.largest_weight > LARGEST_EXACT_WEIGHT
        elif measurement.refused is not None:
            assert "wrong" not in measurement.refused
            assert name not in ("ours", "direct_nhwc")
            refused[measurement.refused] = comparison.problem
        else:
            check_quantized_layer(name, measurement)
    if refused:
        pytest.skip("; ".join(refused))


def check_quantized_layer(name: str, measurement: Measurement) -> None:
    assert len(measurement.timed) == 3
    if name == "openvino-node":
        assert measurement.facts["executed"].endswith(("_I8", "_i8", "_u8"))
    if name == "onnxruntime":
        assert measurement.facts["form"] in ("NHWC", "NCHW")
        assert sums_saturate() or UNSIGNED not in measurement.note
    if name in BYTE_ALGORITHMS:
        assert measurement.facts["algorithm"] == name and measurement.facts["layout_seconds"] == 0


@pytest.mark.slow
def test_contestants_of_floats_say_that_they_are() -> None:
    names = ["im2col+openblas", "tvm-default", "sconv"]
    (comparison,) = quick(names, [BYTES]).comparisons
    assert comparison["sconv"].refused == "does not take the layer"
    for name in names[:2]:
        assert comparison[name].refused == f"{name} is not compared on 8-bit layers"
    (comparison,) = quick(["ours-f32"], [SMALL]).comparisons
    assert "no float32 form" in comparison["ours-f32"].refused


def test_layers_of_floats_and_bytes_each_have_their_peak() -> None:
    result = quick(["ours"], [SMALL, BYTES])
    assert len(result.peak_instruction.split("; ")) == 2
    floats, integers = result.comparisons
    if "avx512vnni" in resolve_target(NATIVE).features:
        assert "dpbusd" in result.peak_instruction and "vfmadd213ps" in result.peak_instruction
        assert max(integers.peaks) > max(floats.peaks)
    assert LayerResult.from_json(result.to_json()) == result


def test_default_contestants_follow_the_types(monkeypatch: pytest.MonkeyPatch) -> None:
    from tvm_directconv.bench import bench_layers, harness

    asked: list[tuple[str, ...]] = []

    def note(problems, target, threads, effort, contestants, progress):
        asked.append(tuple(contestants))
        return "llvm", 1, (0,), "fma", {"processor": "some CPU"}, ()

    monkeypatch.setattr(harness, "benchmark", note)
    bench_layers([SMALL])
    bench_layers([BYTES])
    bench_layers([SMALL, BYTES])
    assert asked == [
        FOR_LAYERS,
        FOR_QUANTIZED_LAYERS,
        tuple(dict.fromkeys((*FOR_LAYERS, *FOR_QUANTIZED_LAYERS))),
    ]


# Networks


@pytest.mark.slow
@pytest.mark.parametrize("name", FOR_QUANTIZED_NETWORKS)
def test_network_contestants_agree_with_the_reference(name: str) -> None:
    for model in (quantized_network(), quantized_network(reduce_range=True)):
        (comparison,) = quick_network([name], model).comparisons
        measurement = comparison[name]
        if measurement.refused != SATURATED:
            break
        assert name == "openvino" and sums_saturate()
    assert comparison.flops == 2 * (8 * 8 * 16 * 27 + 16 * 12)
    if name == "ours-f32":
        assert measurement.refused.startswith("no float32 form of it is known")
        return
    if measurement.refused is not None:
        assert "wrong" not in measurement.refused and measurement.refused != SATURATED
        pytest.skip(measurement.refused)
    assert measurement.timed
    facts = {"ours": ("layers", "1 qconv2d, 1 qdense"), "onnxruntime": ("convolutions", "1 QLinearConv")}
    if name in facts:
        key, value = facts[name]
        assert measurement.facts[key] == value
    if name == "openvino":
        assert measurement.facts["convolutions"] and measurement.facts["precision"]


def test_last_bytes_become_an_output() -> None:
    model = quantized_network()
    shown = with_last_bytes(model)
    (added,) = list(shown.graph.output)[1:]
    assert added.type.tensor_type.elem_type == onnx.TensorProto.UINT8
    inputs = image_of(model, SEED)
    problem = QuantizedNetworkProblem("tiny", shown, inputs)
    probabilities, logits = problem.references
    assert (logits.dtype, logits.shape) == (np.uint8, (1, 12))
    assert problem.judge([probabilities, logits])[1] == ""
    # A softmax may turn with a unit; what it turned from may not.
    flipped = probabilities[:, ::-1]
    assert "wrong result" in problem.judge([np.ones_like(probabilities), logits])[1]
    wrong = np.where(logits < 128, logits + 5, logits - 5).astype(np.uint8)
    assert "5 units off" in problem.judge([probabilities, wrong])[1]
    assert problem.judge([flipped, logits[:, :5]])[0] == np.inf
    # Networks without one stay as they are, and those whose softmax is somewhere within.
    assert with_last_bytes(tiny_network()) == tiny_network()
    inner = quantized_network()
    inner.graph.node.append(helper.make_node("Relu", [inner.graph.output[0].name], ["rectified"]))
    inner.graph.output[0].name = "rectified"
    assert with_last_bytes(inner) == inner


def test_values_of_bytes_are_judged_in_units() -> None:
    nodes = [
        node("DequantizeLinear", "bytes scale zero", "values"),
        node("Reshape", "values shape", "y"),
        node("Sqrt", "y", "z"),
    ]
    constants = {"scale": np.float32(0.5), "zero": np.uint8(10), "shape": np.array([2, 3], np.int64)}
    given = {"bytes": np.arange(10, 250, 40, dtype=np.uint8).reshape(1, 6)}
    model = network(nodes, {"bytes": given["bytes"].shape}, {"y": (2, 3), "z": (2, 3)}, constants)
    model.graph.input[0].type.tensor_type.elem_type = onnx.TensorProto.UINT8
    problem = QuantizedNetworkProblem("values", model, given)
    assert units_of(model) == [0.5, None]
    y, z = problem.references
    assert problem.judge([y + np.float32(1.5), z])[1] == ""
    assert "4 units off" in problem.judge([y + np.float32(2), z])[1]
    assert "of the largest output" in problem.judge([y, 2 * z])[1]


@pytest.mark.slow
def test_quantized_light_network_beside_its_float_form() -> None:
    names = ["ours", "ours-f32", "onnxruntime"]
    result = bench_network("squeezenet_int8", NATIVE, contestants=names, quick=True, progress=False)
    (comparison,) = result.comparisons
    assert comparison.problem == "light_squeezenet_int8"
    assert all(comparison[name].refused is None for name in names)
    assert comparison["ours"].facts["layers"] == "26 qconv2d"
    assert comparison["ours-f32"].facts["layers"] == "26 conv2d"
    assert comparison.time_ratio("ours-f32", "ours") > 0


# The command


@pytest.mark.slow
def test_command_times_bytes_by_every_algorithm(tmp_path: Path) -> None:
    saved, plot = tmp_path / "result.json", tmp_path / "result.png"
    arguments = ["bench", "--layer", str(BYTES), "--algorithms", "all", "--quick", "--save", str(saved)]
    ran = CliRunner().invoke(main, [*arguments, "--contestants", "onnxruntime", "--plot", str(plot)])
    assert ran.exit_code == 0, ran.output
    assert "uint8z" in ran.stdout
    record = json.loads(saved.read_text())
    (summary,) = record["summary"]["layers"].values()
    assert summary["im2col_gemm"]["gflops"] > 0 and summary["sconv"]["gflops"] is None
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_commands_take_names_of_quantized_networks() -> None:
    ran = CliRunner().invoke(main, ["explain", "squeezenet_int8", "--json"])
    assert ran.exit_code == 0, ran.output
    layers = json.loads(ran.stdout)["layers"]
    assert len(layers) == 26 and {layer["kind"] for layer in layers} == {"qconv2d"}
    ran = CliRunner().invoke(main, ["pareto", "squeezenet_int8", "--estimate", "--json"])
    workloads = [Conv2dWorkload.parse(layer["workload"]) for layer in json.loads(ran.stdout)["layers"]]
    assert workloads and all(workload.quantized for workload in workloads)
    ran = CliRunner().invoke(main, ["run", "resnet5_int8"])
    assert ran.exit_code == 1 and "did you mean 'resnet50'" in ran.stderr
