"""Parts of tensors in place: convolutions that read and write them, and concatenations of slices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import tvm
from graph_support import draw as drawn
from graph_support import inputs_of, network, node
from operator_support import run
from reference import run_onnx_runtime
from support import ISA_TARGETS, Compiled, assert_matches, operands, reference_conv2d, runnable_target
from tvm import relax

import tvm_directconv as directconv
from relay_strategies.compiler.layer import build_conv2d
from relay_strategies.relax.graph import Graph
from relay_strategies.relax.slices import ChannelSlice, channel_slice
from relay_strategies.strategies.records import recorded_workload
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.errors import AlgorithmError, WorkloadError
from tvm_directconv.operators.concat import joined_channels, placed_channels
from tvm_directconv.problem.storage import Storage
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue

IN_PARTS = [name for name, algorithm in ALGORITHMS.items() if algorithm.of_parts]
WORKLOADS = [
    Conv2dWorkload(2, 5, 7, 13, 21, (1, 1), epilogue=Epilogue.parse("bias+silu")),
    Conv2dWorkload(2, 9, 8, 19, 35, (3, 3), (2, 1), (1, 1, 0, 1), epilogue=Epilogue(bias=True)),
    Conv2dWorkload(1, 8, 8, 6, 12, (3, 2), dilation=(2, 1), padding=(2, 0, 2, 1), groups=3),
    Conv2dWorkload(2, 9, 9, 19, 19, (3, 3), padding=(1, 1, 1, 1), groups=19),
]


@pytest.mark.slow
@pytest.mark.parametrize("isa", [isa for isa in ISA_TARGETS if isa in ("portable", "avx2", "avx512")])
@pytest.mark.parametrize("algorithm", IN_PARTS)
@pytest.mark.parametrize("workload", WORKLOADS, ids=str)
def test_convolutions_read_and_write_parts(algorithm: str, workload: Conv2dWorkload, isa: str) -> None:
    """Around what is read there are NaN, and around what is written nothing changes."""
    target, chosen = runnable_target(isa), ALGORITHMS[algorithm]
    if not chosen.applies(workload):
        pytest.skip("another algorithm's")
    data, weights, bias, _ = operands(workload)
    part = replace(workload, storage=Storage((3, workload.in_channels + 8), (5, workload.out_channels + 6)))
    plan = chosen.plan(part, target)
    executable = Compiled({"conv2d": plan.schedule(plan.compute())}, target)
    whole = np.full(part.stored_input_shape, np.nan, np.float32)
    whole[..., 3 : 3 + workload.in_channels] = data
    before = drawn(*part.stored_output_shape)
    given = [whole, plan.pack(weights), *([] if bias is None else [bias]), before]
    tensors = [tvm.runtime.tensor(array) for array in given]
    executable["conv2d"](*tensors)
    after = tensors[-1].numpy()
    want = reference_conv2d(workload, data, weights, bias, None)
    assert_matches(after[..., 5 : 5 + workload.out_channels], want, f"{isa} {part}")
    rest = [0, 1, 2, 3, 4, -1]
    assert np.array_equal(after[..., rest], before[..., rest])


def test_a_layer_alone_has_tensors_of_its_own() -> None:
    """What a report says of a network's layer can be measured, and records of one serve the other."""
    part = replace(WORKLOADS[1], storage=Storage((3, 40), (0, 50)))
    layer, arrays = build_conv2d(str(part)), operands(WORKLOADS[1])
    assert_matches(layer(*arrays), reference_conv2d(WORKLOADS[1], *arrays), str(part))
    assert recorded_workload(part) == recorded_workload(WORKLOADS[1])


def test_other_algorithms_refuse_parts() -> None:
    part = replace(WORKLOADS[0], storage=Storage(data_part=(0, 20)))
    for name in sorted(set(ALGORITHMS) - set(IN_PARTS)):
        with pytest.raises(AlgorithmError):
            ALGORITHMS[name].plan(part, runnable_target("portable"))


# ---- concatenations


@pytest.mark.parametrize("isa", [isa for isa in ISA_TARGETS if isa in ("portable", "avx2", "avx512")])
@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize(
    ("pixels", "channels", "firsts"),
    [((2, 5, 7), 29, (3, 0)), ((1, 3, 3), 16, (0, 16, 1)), ((3,), 1, (2, 0, 1, 5)), ((2, 9), 5, (4, 1))],
)
def test_slices_are_joined(
    pixels: tuple[int, ...], channels: int, firsts: tuple[int, ...], interleaved: bool, isa: str
) -> None:
    target = runnable_target(isa)
    data = [drawn(*pixels, first + channels + i, seed=i) for i, first in enumerate(firsts)]
    parts = [array[..., first : first + channels] for array, first in zip(data, firsts, strict=True)]
    want = np.stack(parts, -1).reshape(*pixels, -1) if interleaved else np.concatenate(parts, -1)
    shapes, counts = [array.shape for array in data], [channels] * len(data)
    function = joined_channels(shapes, firsts, counts, target, interleaved=interleaved)
    assert np.array_equal(run(function, data, want.shape, target, firsts), want)


def test_joined_slices_are_checked() -> None:
    target = runnable_target("portable")
    with pytest.raises(WorkloadError, match="do not have channels up to"):
        joined_channels([(1, 4), (1, 4)], [0, 2], [4, 3], target)
    with pytest.raises(WorkloadError, match="cannot be interleaved"):
        joined_channels([(1, 4), (1, 4)], [0, 2], [4, 2], target, interleaved=True)


def test_slices_of_channels_are_recognized() -> None:
    op, builder = relax.op, relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((2, 3, 5, 12), "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            cut = builder.emit(op.strided_slice(x, [-1], [-9], [2**31], [1]))  # 3 to 12
            halves = builder.emit(op.split(cut, [2, 5], 3))
            second = builder.emit(relax.TupleGetItem(halves, 1))  # 5 to 8
            thirds = builder.emit(op.split(second, 3, -1))
            last = builder.emit(relax.TupleGetItem(thirds, 2))
            others = [
                builder.emit(op.strided_slice(x, [3], [0], [12], [2])),
                builder.emit(op.strided_slice(x, [1, 3], [0, 0], [2, 6], [1, 1])),
                builder.emit(op.strided_slice(x, [3], [11], [-13], [-1])),
                builder.emit(relax.TupleGetItem(builder.emit(op.split(x, 3, 1)), 1)),
            ]
            result = builder.emit_output(relax.Tuple([cut, second, last, *others]))
        builder.emit_func_output(result)
    graph = Graph(builder.get()["main"])
    assert channel_slice(graph, cut) == ChannelSlice(x, 3, 9)
    assert channel_slice(graph, second) == ChannelSlice(x, 5, 3)
    assert channel_slice(graph, last) == ChannelSlice(x, 7, 1)
    for other in others:
        found = channel_slice(graph, other)
        assert found is not None and found.is_whole and found.source == other


# ---- in networks


def test_networks_read_slices_in_place() -> None:
    """ShuffleNet v2's unit twice, and YOLO's split that is joined again behind a branch."""
    halves = np.array([10, 10], np.int64)
    nodes = [node("Conv", "x w0", "a")]
    for i, name in enumerate(("a", "b")):
        after = "bc"[i]
        nodes += [
            node("Split", f"{name} halves", f"l{i} r{i}", axis=1),
            node("Conv", f"r{i} w1", f"m{i}"),
            node("Relu", f"m{i}", f"n{i}"),
            node("Conv", f"n{i} depthwise", f"o{i}", group=10, pads=[1, 1, 1, 1]),
            node("Concat", f"l{i} o{i}", f"j{i}", axis=1),
            node("Reshape", f"j{i} groups", f"g{i}"),
            node("Transpose", f"g{i}", f"t{i}", perm=[0, 2, 1, 3, 4]),
            node("Reshape", f"t{i} images", after),
        ]
    nodes += [
        node("Split", "c halves", "first second", axis=1),
        node("Conv", "second w3", "third", pads=[1, 1, 1, 1]),
        node("Concat", "first second third", "all", axis=1),
        node("Conv", "all w4", "y"),
    ]
    weights = {
        "w0": drawn(20, 3, 1, 1),
        "w1": drawn(10, 10, 1, 1),
        "depthwise": drawn(10, 1, 3, 3),
        "w3": drawn(10, 10, 3, 3),
        "w4": drawn(7, 30, 1, 1),
        "halves": halves,
        "groups": np.array([2, 2, 10, 5, 7], np.int64),
        "images": np.array([2, 20, 5, 7], np.int64),
    }
    model = network(nodes, {"x": (2, 3, 5, 7)}, {"y": (2, 7, 5, 7)}, weights)
    compiled, inputs = directconv.compile(model), inputs_of(model)
    kernels = compiled.report().other_kernels
    assert kernels == {"nchw_to_nhwc": 1, "interleave_channels": 2, "place": 1, "nhwc_to_nchw": 1}
    assert_matches(compiled.run(inputs)[0], run_onnx_runtime(model, inputs)[0], "slices")


@pytest.mark.parametrize(
    ("shape", "first", "channels"), [((2, 5, 7, 13), 3, 20), ((3,), 2, 5), ((1, 70), 0, 70)]
)
def test_channels_are_copied_to_their_place(shape: tuple[int, ...], first: int, channels: int) -> None:
    target = runnable_target("portable")
    function = placed_channels(shape, first, channels, target).with_attr("global_symbol", "place")
    executable = tvm.compile(tvm.IRModule({"place": function}), target=target.tvm_target)
    data, before = drawn(*shape), drawn(*shape[:-1], channels)
    output = tvm.runtime.tensor(before)
    executable.mod["place"](tvm.runtime.tensor(data), output)
    wanted = before.copy()
    wanted[..., first : first + shape[-1]] = data
    assert np.array_equal(output.numpy(), wanted)
    with pytest.raises(WorkloadError, match="are not a part of"):
        placed_channels(shape, first + 1, shape[-1] + first, target)


def test_networks_write_concatenations_in_place() -> None:
    """Two of one size, of convolutions and a pool; what another convolution reads in its place, and what has
    to be a tensor of its own: a residual, an output, a term given twice, what a pool makes."""
    nodes = [
        node("Conv", "x w0", "a"),
        node("Conv", "a w1", "b0"),
        node("Relu", "b0", "b"),
        node("Conv", "b w3", "c", pads=[1, 1, 1, 1]),
        node("MaxPool", "a", "p", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        node("Concat", "b c p", "first", axis=1),
        node("Conv", "first w2", "d"),
        node("Conv", "first w2", "e"),
        node("Conv", "d w1", "f"),
        node("Add", "e f", "g"),
        node("Conv", "g w1", "h"),
        node("Conv", "g w3", "y2", pads=[1, 1, 1, 1]),
        node("Concat", "h f y2", "second", axis=1),
        node("Conv", "second w2", "i"),
        node("Concat", "i i d", "third", axis=1),
        node("Conv", "third w2", "y1"),
    ]
    weights = {
        "w0": drawn(9, 3, 1, 1),
        "w1": drawn(9, 9, 1, 1, seed=1),
        "w2": drawn(9, 27, 1, 1),
        "w3": drawn(9, 9, 3, 3),
    }
    shapes = {"y1": (2, 9, 5, 7), "y2": (2, 9, 5, 7)}
    model = network(nodes, {"x": (2, 3, 5, 7)}, shapes, weights)
    compiled, inputs = directconv.compile(model), inputs_of(model)
    written = [layer.workload.partition("-NHWC@")[2] for layer in compiled.report().layers]
    places = ["0of27", "0of27", "18of27", "9of27"]
    assert sorted(part.partition("_")[0] for part in written if part) == places
    kernels = compiled.report().other_kernels
    assert kernels["place"] == 9 - len(places) and "concat" not in kernels
    for got, wanted in zip(compiled.run(inputs), run_onnx_runtime(model, inputs), strict=True):
        assert_matches(got, wanted, "in place")


@pytest.mark.parametrize("sections", [3, (4, 8)])
def test_slices_of_an_uneven_split(sections: int | tuple[int, ...]) -> None:
    """Ten channels in three: four, four and two."""
    x = relax.Var("x", relax.TensorType((1, 2, 2, 10), "float32"))
    builder = relax.BlockBuilder()
    with builder.function("main", [x]):
        with builder.dataflow():
            split = builder.emit(relax.op.split(x, sections, axis=3))
            parts = [builder.emit(relax.TupleGetItem(split, index)) for index in range(3)]
            cut = builder.emit(relax.op.strided_slice(parts[1], [3], [1], [3]))
            result = builder.emit_output(relax.Tuple([*parts, cut]))
        builder.emit_func_output(result)
    graph = Graph(builder.get()["main"])
    found = [channel_slice(graph, part) for part in (*parts, cut)]
    assert [(part.first, part.channels) for part in found if part] == [(0, 4), (4, 4), (8, 2), (5, 2)]
