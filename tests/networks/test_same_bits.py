"""Networks give the same bits on every target, with any number of threads, at open sizes as at fixed ones.

One network has a sum of every kind there is; what every operator computes is an output of it, so that a
test that fails names the operator. Targets of this host are run as they are, those of others as C under
emulation.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from c_support import built_example, host_compiler, run_example
from emulation import CPUS, EmulatedCpu
from graph_support import draw, network, node
from onnx import ModelProto, TensorProto, helper
from reference import run_onnx_runtime
from support import assert_matches, runnable_target

import tvm_directconv as directconv
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.algorithms.accuracy import PORTABLE
from tvm_directconv.errors import TargetError, WorkloadError
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import require_host, resolve_target

AVX2, AVX512 = (f"llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-{level}" for level in ("v3", "v4"))
BATCH, LENGTH, WIDTH = 2, 37, 24
TYPICAL = {"n": 1, "l": 50}
IMAGE, TOKENS = (BATCH, 8, 13, 17), (BATCH, LENGTH, WIDTH)

LAYERS = (
    node("Conv", "image dense_w dense_b", "dense", pads=[1, 1, 1, 1]),
    node("Relu", "dense", "relu"),
    node("Conv", "relu depthwise_w", "depthwise", group=24, strides=[2, 2], pads=[2, 2, 2, 2]),
    node("Sigmoid", "depthwise", "sigmoid"),
    node("Mul", "depthwise sigmoid", "silu"),
    node("Conv", "silu grouped_w", "grouped", group=4, dilations=[2, 2], pads=[2, 2, 2, 2]),
    node("InstanceNormalization", "grouped of_40 of_40", "instances"),
    node("AveragePool", "instances", "average", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
    node("GlobalAveragePool", "instances", "global_average"),
    node("LpPool", "instances", "norms", kernel_shape=[2, 2]),
    node("LRN", "instances", "response", size=5),
    node("ConvTranspose", "instances transposed_w", "transposed", strides=[2, 2]),
    node("Resize", "instances - scales", "resized", mode="linear"),
    node("ReduceMean", "grouped channels", "channels_mean"),
    node("LayerNormalization", "tokens of_width of_width", "layer_norm"),
    node("MatMul", "layer_norm query_w", "query"),
    node("MatMul", "layer_norm key_w", "key"),
    node("MatMul", "layer_norm value_w", "value"),
    node("Transpose", "key", "turned_key", perm=[0, 2, 1]),
    node("MatMul", "query turned_key", "products"),
    node("Mul", "products scale", "scores"),
    node("Softmax", "scores", "weights"),
    node("MatMul", "weights value", "attention"),
    # Rows of channels are short enough for code without loops, where LLVM sees what becomes of products.
    node("Transpose", "layer_norm", "turned_tokens", perm=[0, 2, 1]),
    node("MatMul", "turned_tokens layer_norm", "covariances"),
    node("Mul", "covariances temperatures", "tempered"),
    node("Softmax", "tempered", "channel_weights"),
    node("MatMul", "channel_weights turned_tokens", "channel_attention"),
    node("MatMul", "attention wide_w", "wide"),
    node("Erf", "wide", "erf"),
    node("MatMul", "erf narrow_w", "narrow"),
    node("LogSoftmax", "narrow", "log_softmax", axis=-1),
    node("Softmax", "narrow", "softmax_of_columns", axis=1),
    node("CumSum", "narrow channels", "running"),
    node("Transpose", "narrow", "steps", perm=[1, 0, 2]),
    node("LSTM", "steps lstm_w lstm_r lstm_b", "lstm", hidden_size=9),
    node("GRU", "steps gru_w gru_r gru_b", "gru", hidden_size=9),
    *(
        node(f"Reduce{kind}", f"narrow {axes}", f"{kind.lower()}_of_{axes}", keepdims=0)
        for kind in ("Mean", "Sum", "L2", "LogSumExp", "Prod", "SumSquare")
        for axes in ("rows", "channels")
    ),
    *(
        node(kind, "narrow", kind.lower())
        for kind in ("Tanh", "Exp", "Softplus", "Mish", "Sin", "Elu", "Atan")
    ),
)
INSIDE = {
    *("query", "key", "value", "turned_key", "products", "scores", "weights"),
    *("turned_tokens", "covariances", "tempered", "channel_weights"),
}
"""Outputs of these would keep attention from being one kernel."""
BY_OPERATORS = ["channel_attention"]
"""What is one kernel at a fixed length alone: at an open one softmax divides before the values are summed."""
WEIGHTS = {
    "dense_w": draw(24, 8, 3, 3),
    "dense_b": draw(24),
    "depthwise_w": draw(24, 1, 5, 5),
    "grouped_w": draw(40, 6, 3, 3),
    "transposed_w": draw(40, 10, 3, 3),
    "of_40": draw(40),
    "of_width": draw(WIDTH),
    **{f"{name}_w": draw(WIDTH, WIDTH, seed=seed) for seed, name in enumerate(("query", "key", "value"))},
    "wide_w": draw(WIDTH, 96),
    "narrow_w": draw(96, WIDTH),
    **{f"{kind}_w": draw(1, 9 * gates, WIDTH) for kind, gates in (("lstm", 4), ("gru", 3))},
    **{f"{kind}_r": draw(1, 9 * gates, 9) for kind, gates in (("lstm", 4), ("gru", 3))},
    **{f"{kind}_b": draw(1, 18 * gates) for kind, gates in (("lstm", 4), ("gru", 3))},
    "temperatures": draw(WIDTH, 1),
    "scale": np.array(WIDTH**-0.5, np.float32),
    "scales": np.array([1, 1, 2, 2], np.float32),
    "channels": np.array([1]),
    "rows": np.array([-1]),
}
INPUTS = {"image": 3 * draw(*IMAGE), "tokens": 3 * draw(*TOKENS)}


def every_sum(batch: int | str = BATCH, length: int | str = LENGTH) -> ModelProto:
    inputs = {"image": (batch, *IMAGE[1:]), "tokens": (batch, length, WIDTH)}
    model = network(LAYERS, inputs, {}, WEIGHTS, opset=20)
    names = [layer.output[0] for layer in LAYERS]
    model.graph.output.extend(
        helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names if name not in INSIDE
    )
    return model


def differing(
    model: directconv.CompiledModel, got: Sequence[np.ndarray], want: Sequence[np.ndarray]
) -> list[str]:
    """The outputs whose bits are not the same."""
    both = zip(model.outputs, got, want, strict=True)
    return [info.name for info, a, b in both if a.tobytes() != b.tobytes()]


@pytest.fixture(scope="module")
def model() -> directconv.CompiledModel:
    return directconv.compile(every_sum(), target=AVX2, accuracy=PORTABLE)


@pytest.fixture(scope="module")
def wanted(model: directconv.CompiledModel) -> list[np.ndarray]:
    results = model.run(INPUTS)
    for info, got, want in zip(model.outputs, results, run_onnx_runtime(every_sum(), INPUTS), strict=True):
        assert_matches(got, want, info.name, 1e-4)
    return results


@pytest.fixture(scope="module")
def opened() -> directconv.CompiledModel:
    return directconv.compile(every_sum("n", "l"), target=AVX2, accuracy=PORTABLE, typical=TYPICAL)


@pytest.mark.slow
def test_with_any_number_of_threads(
    model: directconv.CompiledModel, wanted: list[np.ndarray], tmp_path: Path
) -> None:
    program = built_example(model.export_c(tmp_path), [host_compiler()])
    for threads in ("1", "2", "3"):
        results = run_example(program, INPUTS, model.outputs, options=["-t", threads])
        assert differing(model, results, wanted) == []


def test_at_open_sizes(opened: directconv.CompiledModel, wanted: list[np.ndarray]) -> None:
    assert differing(opened, opened.run(INPUTS), wanted) == BY_OPERATORS


def test_in_a_batch(opened: directconv.CompiledModel, wanted: list[np.ndarray]) -> None:
    alone = opened.run({name: array[1:] for name, array in INPUTS.items()})
    axes = {"steps": 1, "lstm": 2, "gru": 2}
    of_batch = [
        want.take([1], axes.get(info.name, 0)) for info, want in zip(opened.outputs, wanted, strict=True)
    ]
    assert differing(opened, alone, of_batch) == BY_OPERATORS


@pytest.mark.slow
def test_with_wider_vectors(opened: directconv.CompiledModel, wanted: list[np.ndarray]) -> None:
    try:
        require_host(resolve_target(AVX512))
    except TargetError as error:
        pytest.skip(str(error))
    wider = directconv.compile(every_sum(), target=AVX512, accuracy=PORTABLE)
    assert differing(wider, wider.run(INPUTS), wanted) == []
    wider = directconv.compile(every_sum("n", "l"), target=AVX512, accuracy=PORTABLE, typical=TYPICAL)
    assert differing(wider, wider.run(INPUTS), opened.run(INPUTS)) == []


@pytest.mark.emulated
@pytest.mark.parametrize("cpu", ["cortex-a57", "power9", "power10", "rvv"])
def test_on_other_architectures(cpu: str, wanted: list[np.ndarray], tmp_path: Path) -> None:
    emulated: EmulatedCpu = CPUS[cpu]
    agree(every_sum(), INPUTS, wanted, emulated, tmp_path)


@pytest.mark.emulated
@pytest.mark.slow
@pytest.mark.parametrize("name", ["shufflenet", "keyword_1d"])
def test_networks_on_other_architectures(name: str, tmp_path: Path) -> None:
    model = directconv.compile(name, target=AVX2, accuracy=PORTABLE)
    inputs = {info.name: draw(*map(int, info.shape)) for info in model.inputs}
    for cpu in ("cortex-a57", "power10", "rvv"):
        agree(name, inputs, model.run(inputs), CPUS[cpu], tmp_path)


def agree(
    what: ModelProto | str,
    inputs: dict[str, np.ndarray],
    wanted: Sequence[np.ndarray],
    cpu: EmulatedCpu,
    folder: Path,
) -> None:
    """Run the network as C for the CPU, alone and by three threads, and at every vector length."""
    cpu.architecture.require()
    foreign = directconv.compile(what, target=cpu.target_string, accuracy=PORTABLE)
    program = built_example(foreign.export_c(folder), [cpu.architecture.compiler])
    for emulator, options in [(cpu.emulator, []), *((each, ["-t", "3"]) for each in cpu.emulators)]:
        results = run_example(program, inputs, foreign.outputs, emulator, options)
        assert differing(foreign, results, wanted) == []


# ---- layers

LAYERS_ALONE = (
    Conv2dWorkload(1, 13, 11, 24, 40, kernel=(3, 3), padding=(1, 1, 1, 1)),
    Conv2dWorkload(2, 9, 17, 3, 16, kernel=(5, 5), strides=(2, 2), padding=(2, 1, 2, 1)),
    Conv2dWorkload(1, 7, 7, 96, 24, kernel=(3, 3), groups=4, dilation=(2, 2), padding=(2, 2, 2, 2)),
)


@pytest.mark.slow
@pytest.mark.parametrize("layer", LAYERS_ALONE, ids=str)
def test_whatever_algorithm_has_its_sums_in_order(layer: Conv2dWorkload) -> None:
    """Other plans may agree by chance, and are not asked."""
    target = runnable_target("avx2")
    data, weights = draw(*layer.input_shape), draw(*layer.filter_shape)
    found = {
        name: directconv.build_conv2d(layer, target, algorithm=name)(data, weights)
        for name, algorithm in ALGORITHMS.items()
        if algorithm.applies(layer) and algorithm.plan(layer, target).sums_in_order
    }
    assert {"direct_nhwc", "im2col_gemm"} <= set(found)
    assert {result.tobytes() for result in found.values()} == {found["direct_nhwc"].tobytes()}


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_portable_layers_are_computed_in_order(layout: str) -> None:
    """A layer alone in NCHW takes less time in an order of its own."""
    layer = LAYERS_ALONE[0].in_layouts(layout, layout)
    chosen = directconv.build_conv2d(layer, AVX2, accuracy=PORTABLE).implementation
    assert chosen.plan is not None and chosen.plan.sums_in_order


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"target": "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v2"}, "fused multiply-adds"),
        ({"target": AVX2, "precision": "bfloat16"}, "float32 and 8 bits"),
    ],
)
def test_refuses_what_it_cannot_promise(options: dict[str, str], reason: str) -> None:
    with pytest.raises(WorkloadError, match=reason):
        directconv.compile(every_sum(), accuracy=PORTABLE, **options)
