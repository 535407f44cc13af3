"""The compiler: right answers, one kernel per layer, clear errors, reports, libraries that load back."""

from __future__ import annotations

import ast
import json
import pickle
from dataclasses import replace
from itertools import cycle
from threading import Thread
from typing import Any

import numpy as np
import pytest
import tvm
from graph_cases import CASES, FOREIGN, IMAGE, compiled
from graph_support import EDGE_KERNELS, draw, inputs_of, network, node
from reference import run_onnx_runtime
from support import assert_matches
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

import tvm_directconv as directconv
from relay_strategies.compiler.report import Report
from tvm_directconv import zoo
from tvm_directconv.errors import (
    AlgorithmError,
    DirectConvError,
    InputError,
    ModelError,
    TargetError,
    WorkloadError,
)
from tvm_directconv.problem.workload import Conv2dWorkload


@pytest.mark.parametrize("case", CASES)
def test_networks_agree_with_onnx_runtime(case: str) -> None:
    model = CASES[case].model
    inputs = inputs_of(model)
    wanted = run_onnx_runtime(model, inputs)
    for _ in range(2):  # the second run reuses the first one's memory
        got = compiled(case).run(inputs)
        assert len(got) == len(wanted)
        for output, reference in zip(got, wanted, strict=True):
            assert output.dtype == reference.dtype
            assert_matches(output, reference, case)


@pytest.mark.slow
@pytest.mark.parametrize(("case", "layout"), list(zip(CASES, cycle(("NCHW", "blocked")))))
def test_networks_in_other_layouts_agree_with_onnx_runtime(case: str, layout: str) -> None:
    model = CASES[case].model
    inputs = inputs_of(model)
    results = directconv.compile(model, "llvm -mcpu=native", layout=layout).run(inputs)
    for output, reference in zip(results, run_onnx_runtime(model, inputs), strict=True):
        assert output.dtype == reference.dtype
        assert_matches(output, reference, f"{case} {layout}")


@pytest.mark.parametrize("case", CASES)
def test_layers_and_other_operators_are_the_kernels_expected(case: str) -> None:
    report = compiled(case).report()
    others = {name: count for name, count in report.other_kernels.items() if name not in EDGE_KERNELS}
    assert len(report.layers) == CASES[case].layers
    assert others == dict(CASES[case].kernels)
    edges = sum(report.other_kernels.get(name, 0) for name in EDGE_KERNELS)
    assert edges <= len(compiled(case).inputs) + len(compiled(case).outputs)


KERNELS = {
    "light_bvlc_alexnet": (8, {"lrn": 2, "max_pool2d": 3, "softmax": 1}),
    "light_densenet121": (
        121,
        {"concat_affine": 58, "channel_affine": 4, "max_pool2d": 1, "avg_pool2d": 3, "global_avg_pool2d": 1},
    ),
    "light_inception_v1": (58, {"lrn": 2, "max_pool2d": 13, "avg_pool2d": 1, "softmax": 1}),
    "light_inception_v2": (
        70,
        {"max_pool2d": 5, "avg_pool2d": 7, "place": 2, "global_avg_pool2d": 1, "softmax": 1},
    ),
    "light_resnet50": (54, {"max_pool2d": 1, "global_avg_pool2d": 1, "softmax": 1}),
    "light_shufflenet": (
        50,
        {
            "max_pool2d": 1,
            "avg_pool2d": 3,
            "channel_shuffle": 16,
            "concat_affine": 3,
            "global_avg_pool2d": 1,
            "softmax": 1,
        },
    ),
    "light_squeezenet": (26, {"max_pool2d": 3, "global_avg_pool2d": 1, "softmax": 1}),
    "light_vgg19": (19, {"max_pool2d": 5, "softmax": 1}),
    "light_zfnet512": (8, {"lrn": 2, "max_pool2d": 3, "softmax": 1}),
}
"""Calls in each light network: layers, and the rest. Beside them, one layout change of the image."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "target"),
    list(zip(zoo.list_models(), cycle(("llvm", "llvm -mtriple=x86_64-linux-gnu -mattr=+avx2,+fma")))),
)
def test_kernels_of_the_light_networks(name: str, target: str) -> None:
    model = zoo.load_model(name, weights="original")
    # What is asked of the reports needs no optimized code.
    report = directconv.compile(model, target=f"{target} -opt-level=0", algorithm="direct_nhwc").report()
    layers, others = KERNELS[name]
    nodes = [node.op_type for node in model.graph.node]
    assert len(report.layers) == layers == nodes.count("Conv") + nodes.count("Gemm")
    assert report.workspace_bytes == 0
    assert all(layer.algorithm == "direct_nhwc" for layer in report.layers)
    assert dict(report.other_kernels) == others | {"nchw_to_nhwc": 1}


def test_reports_say_what_each_phase_took() -> None:
    seconds = compiled("conv_bias_relu").report().compile_seconds
    assert set(seconds) == {"import", "graph", "kernels", "code"} and all(seconds.values())


# ---- inputs and outputs


def test_inputs_by_name_by_position_and_alone() -> None:
    model = compiled("conv_bias_relu")
    assert model.input_names == ("x",) and model.output_names == ("y",)
    assert model.inputs[0].shape == IMAGE["x"] and model.inputs[0].dtype == "float32"
    image = draw(*IMAGE["x"])
    (wanted,) = model.run({"x": image})
    for given in ([image], (image,), image, [tvm.runtime.tensor(image)], [image[:, ::-1][:, ::-1]]):
        assert np.array_equal(model.run(given)[0], wanted)


def test_a_model_says_what_it_is_and_that_it_is_not_pickled() -> None:
    model = compiled("conv_bias_relu")
    assert repr(model).startswith(f"<ExecutableModel ({model.inputs[0]}) -> ({model.outputs[0]}) for ")
    with pytest.raises(TypeError, match="export_library writes it"):
        pickle.dumps(model)


def test_outputs_are_the_callers_own() -> None:
    """Nothing a later run does may change them, nor the other way round."""
    model = compiled("input_returned")
    image = draw(*IMAGE["x"])
    kept = image.copy()
    (first,) = model.run(image)
    model.run(draw(*IMAGE["x"], seed=1))
    assert np.array_equal(first, kept)
    first[:] = 0
    assert np.array_equal(image, kept)


def test_invoke_runs_on_the_inputs_set_last() -> None:
    model = directconv.compile(CASES["conv_bias_relu"].model)
    with pytest.raises(InputError, match="set_inputs"):
        model.invoke()
    first, second = draw(*IMAGE["x"]), draw(*IMAGE["x"], seed=1)
    wanted = [model.run(image)[0] for image in (first, second)]
    for image, result in zip((first, second), wanted, strict=True):
        model.set_inputs(image)
        with_copy = image.copy()
        image[:] = 0  # it was copied
        model.invoke()
        model.invoke()
        assert np.array_equal(model.get_outputs()[0], result)
        image[:] = with_copy
    with pytest.raises(InputError, match="has run nothing yet"):
        directconv.compile(CASES["conv_bias_relu"].model).get_outputs()


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"X": draw(1)}, "no input 'X'"),
        ({"xx": draw(1)}, "did you mean 'x'"),
        ({}, "missing input 'x'"),
        ([], "0 inputs given, 1 expected: x: float32"),
        ([draw(1), draw(1)], "2 inputs given"),
        (draw(1, 8, 14, 15), r"shape \(1, 8, 14, 15\), expected \(1, 8, 14, 14\)"),
        (draw(8, 14, 14), r"shape \(8, 14, 14\)"),
        (draw(*IMAGE["x"]).astype(np.float64), r"dtype float64, expected float32; .*astype\('float32'\)"),
        ({"x": None}, r"input 'x' is None; expected x: float32\[1, 8, 14, 14\]"),
    ],
)
def test_wrong_inputs_are_named(inputs: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compiled("conv_bias_relu").run(inputs)
    with pytest.raises(InputError, match=message):
        compiled("conv_bias_relu").set_inputs(inputs)


def test_calls_from_several_threads_take_turns() -> None:
    model = compiled("dense_block")
    images = [draw(*IMAGE["x"], seed=seed) for seed in range(4)]
    wanted = [model.run(image)[0] for image in images]
    wrong: list[int] = []

    def work(index: int) -> None:
        for _ in range(20):
            if not np.array_equal(model.run(images[index])[0], wanted[index]):
                wrong.append(index)

    threads = [Thread(target=work, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# ---- what compile takes


@pytest.mark.parametrize("algorithm", ["sconv", "blocked"])
def test_dense_layers_by_algorithms_of_other_layouts(algorithm: str) -> None:
    """Several rows change places with their channels, on the way in and out."""
    weights = {"a": draw(6, 9), "b": draw(9, 6)}
    nodes = [node("MatMul", "x a", "c"), node("MatMul", "c b", "d"), node("Add", "d x", "y")]
    model = network(nodes, {"x": (5, 6)}, {"y": (5, 6)}, weights)
    compiled_so, x = directconv.compile(model, algorithm=algorithm, cache=False), draw(5, 6)
    assert {layer.algorithm for layer in compiled_so.report().layers} == {algorithm}
    np.testing.assert_allclose(compiled_so.run(x)[0], x @ weights["a"] @ weights["b"] + x, atol=1e-5)


def test_relax_modules_compile_like_their_onnx_models() -> None:
    """Imported by the user with weights as parameters: ONNX Sum is then a sum of stacked tensors."""
    model = CASES["sum_of_three"].model
    module = from_onnx(model, keep_params_in_input=True)
    main = module["main"]
    tensors = main.attrs["params"]
    names = [param.name for param in main.params[1:]]
    params = dict(zip(names, tensors, strict=True))
    module.update_func(module.get_global_var("main"), main.without_attr("params"))
    built = directconv.compile(module, params=params)
    assert built.input_names == ("x",)
    assert [layer.workload for layer in built.report().layers] == [
        layer.workload for layer in compiled("sum_of_three").report().layers
    ]
    inputs = inputs_of(model)
    assert_matches(built.run(inputs)[0], run_onnx_runtime(model, inputs)[0], "sum_of_three")


def test_symbolic_shapes_are_fixed_by_the_caller() -> None:
    model = network([node("Relu", "x", "y")], {"x": (8, "n")}, {"y": (8, "n")})
    with pytest.raises(ModelError, match="'x': dimension 1 'n' is symbolic; .*shapes="):
        directconv.compile(model, on_demand=True)
    assert directconv.compile(model, shapes={"x": (8, 3)}).outputs[0].shape == (8, 3)


def test_the_executable_is_tvms_own() -> None:
    image = draw(*IMAGE["x"])
    model = compiled("conv_bias_relu")
    machine = relax.VirtualMachine(model.executable, tvm.cpu())
    assert np.array_equal(machine["main"](tvm.runtime.tensor(image)).numpy(), model.run(image)[0])


def test_phases_are_announced_in_order() -> None:
    told: list[str] = []
    model = directconv.compile(CASES["conv_bias_relu"].model, on_phase=told.append)
    assert told == ["import", "graph", "kernels", "code"]
    assert list(model.report().compile_seconds) == told


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"algorithm": "direct_nhw"}, AlgorithmError, "did you mean 'direct_nhwc'"),
        ({"layout": "NCHW8c"}, WorkloadError, "layout 'NCHW8c' is not one of NHWC, NCHW, blocked"),
        ({"target": "llvm -mcpu=zenver5"}, TargetError, "znver5"),
        ({"target": "lvm"}, TargetError, "lvm"),
    ],
)
@pytest.mark.parametrize("case", ["conv_bias_relu", "input_returned"])
def test_wrong_options_are_named(
    options: dict[str, Any], error: type[DirectConvError], message: str, case: str
) -> None:
    with pytest.raises(error, match=message):
        directconv.compile(CASES[case].model, **options)


def test_named_algorithms_are_used() -> None:
    model = directconv.compile(CASES["conv_bias_relu"].model, algorithm="direct_nhwc")
    assert [layer.algorithm for layer in model.report().layers] == ["direct_nhwc"]


@pytest.mark.parametrize("pattern", ["*", "Conv:*"])
def test_layers_that_a_named_algorithm_does_not_take_can_be_left_to_the_choice(pattern: str) -> None:
    """im2col_gemm takes no depthwise layers; what the error says to write is a choice that compiles."""
    nodes = [
        node("Conv", "x v", "a"),
        node("Conv", "a w", "b", group=8),
        node("Conv", "b v", "c"),
        node("Conv", "c w", "y", group=8),
    ]
    weights = {"v": draw(8, 8, 1, 1), "w": draw(8, 1, 3, 3)}
    model = network(nodes, {"x": (1, 8, 8, 8)}, {"y": (1, 8, 4, 4)}, weights)
    with pytest.raises(AlgorithmError, match="does not apply to 'Conv:b'.* 'Conv:y'") as raised:
        directconv.compile(model, algorithm={pattern: "im2col_gemm"})
    said = ast.literal_eval(str(raised.value).rpartition("algorithm=")[2])
    assert said == {"Conv:b": "auto", "Conv:y": "auto", pattern: "im2col_gemm"}
    layers = directconv.compile(model, algorithm=said).report().layers
    assert [layer.algorithm == "im2col_gemm" for layer in layers] == [True, False, True, False]


def test_users_strategies_decide() -> None:
    """An implementation registered from outside the package is what the network is compiled with."""
    strategy = directconv.conv2d_strategy
    calls: list[Conv2dWorkload] = []

    @strategy.register("mykey")
    def mine(workload, target):  # type: ignore[no-untyped-def]
        calls.append(workload)
        return strategy.functions["generic"](workload, target)

    try:
        model = directconv.compile(CASES["residual_of_two_convolutions"].model, "llvm -keys=mykey")
    finally:
        del strategy.functions["mykey"]
    assert {str(w) for w in calls} >= {layer.workload for layer in model.report().layers}


def test_code_for_another_machine_compiles_but_does_not_run() -> None:
    model = directconv.compile(CASES["conv_bias_relu"].model, FOREIGN)
    assert model.report().layers[0].kernels
    with pytest.raises(TargetError, match="cannot run code for"):
        model.run(draw(*IMAGE["x"]))


# ---- reports


def test_reports_say_what_runs() -> None:
    report = compiled("residual_of_two_convolutions").report()
    first, second = report.layers
    assert (first.name, second.name) == ("Conv:c", "Conv:d")
    workload = Conv2dWorkload.parse(second.workload)
    assert workload.epilogue.residual and workload.epilogue.low == 0 and not workload.epilogue.bias
    assert second.flops == workload.flops == 2 * 14 * 14 * 16 * 8 * 9
    assert second.algorithm == "direct_nhwc" and second.kernels and second.tile
    assert report.flops == first.flops + second.flops
    assert report.packed_filter_bytes >= 2 * 16 * 8 * 9 * 4
    # The image in NHWC and two results at least, and no more than twice that.
    least = 4 * (8 + 16) * 14 * 14
    assert least <= report.activation_bytes <= 4 * least
    assert report.target == str(directconv.resolve_target("llvm -mcpu=native"))


def test_reports_as_json_and_as_a_table() -> None:
    report = compiled("classifier").report()
    assert Report.from_json(report.to_json()) == report
    timed = replace(report, time_shares=dict.fromkeys(report.other_kernels, 0.1))
    assert Report.from_json(timed.to_json()).time_shares == timed.time_shares
    fields = json.loads(report.to_json())
    assert fields["flops"] == report.flops
    assert [layer["kind"] for layer in fields["layers"]] == ["conv2d", "dense"]
    text, details = str(report), report.details()
    for layer in report.layers:
        assert layer.name in text and layer.algorithm in text
        assert layer.workload in details and layer.kernels[0] in details
    assert "1 x softmax" in text
