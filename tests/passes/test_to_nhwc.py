"""ToNHWC: how operators follow their data into another order of axes, and how often data is moved for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest
import tvm
from graph_support import draw, layout_changes, run_by_plain_tvm
from support import assert_matches
from tvm import relax

from relay_strategies import passes
from relay_strategies.frontends.onnx.importer import import_model
from relay_strategies.operators import orders
from relay_strategies.relax.graph import shape_of
from tvm_directconv import zoo
from tvm_directconv.zoo import own

op = relax.op
Emit = Callable[[relax.Expr], relax.Var]
Build = Callable[[Emit, relax.Var], relax.Expr]
SHAPE = (2, 6, 3, 5)
"""Of what a case is given, which a convolution has made: two images, and no two extents alike."""


def weights(*shape: int) -> relax.Expr:
    return relax.const(draw(*shape))


def convolved(emit: Emit, x: relax.Expr, channels: int = 4) -> relax.Var:
    inputs = (shape_of(x) or ())[1]
    return emit(op.nn.conv2d(x, weights(channels, inputs, 1, 1)))


def permuted(emit: Emit, x: relax.Expr, *axes: int) -> relax.Var:
    return emit(op.permute_dims(x, list(axes)))


def shaped(emit: Emit, x: relax.Expr, *shape: int) -> relax.Var:
    return emit(op.reshape(x, shape))


def tokens(emit: Emit, x: relax.Expr) -> relax.Var:
    """(N, C, H, W) to (N, H W, C)."""
    return permuted(emit, shaped(emit, x, 2, 6, 15), 0, 2, 1)


def layer_scale(emit: Emit, x: relax.Var) -> relax.Expr:
    """ConvNeXt: rows of channels through a dense layer, back to an image, scaled and added."""
    rows = permuted(emit, x, 0, 2, 3, 1)
    rows = emit(op.matmul(emit(op.nn.layer_norm(rows, weights(6), weights(6), [-1])), weights(6, 6)))
    scaled = emit(op.multiply(permuted(emit, rows, 0, 3, 1, 2), weights(6, 1, 1)))
    return convolved(emit, emit(op.add(x, scaled)))


def through_tokens(emit: Emit, x: relax.Var) -> relax.Expr:
    rows = emit(op.matmul(tokens(emit, x), weights(6, 6)))
    rows = emit(op.add(rows, weights(6)))
    return convolved(emit, shaped(emit, permuted(emit, rows, 0, 2, 1), *SHAPE))


def channel_shuffle(emit: Emit, x: relax.Var) -> relax.Expr:
    parts = permuted(emit, shaped(emit, x, 2, 2, 3, 3, 5), 0, 2, 1, 3, 4)
    return convolved(emit, shaped(emit, parts, *SHAPE))


def pixel_shuffle(emit: Emit, x: relax.Var) -> relax.Expr:
    wide = convolved(emit, x, 12)
    parts = permuted(emit, shaped(emit, wide, 2, 3, 2, 2, 3, 5), 0, 1, 4, 2, 5, 3)
    return convolved(emit, shaped(emit, parts, 2, 3, 6, 10))


def space_to_depth(emit: Emit, x: relax.Var) -> relax.Expr:
    wide = emit(op.nn.max_pool2d(x, (1, 2)))  # 4 columns
    parts = permuted(emit, shaped(emit, wide, 2, 6, 3, 2, 2), 0, 4, 1, 2, 3)
    return convolved(emit, shaped(emit, parts, 2, 12, 3, 2))


def windows(emit: Emit, x: relax.Var) -> relax.Expr:
    """Swin: rows of windows, which do not lie together."""
    wide = emit(op.nn.max_pool2d(x, (2, 2)))  # 2 rows, 4 columns
    rows = shaped(emit, permuted(emit, wide, 0, 2, 3, 1), 2, 1, 2, 2, 2, 6)
    return emit(op.nn.relu(shaped(emit, permuted(emit, rows, 0, 1, 3, 2, 4, 5), 4, 4, 6)))


def slices(emit: Emit, x: relax.Var) -> relax.Expr:
    first = emit(op.strided_slice(x, [1, -1], [0, 4], [6, 0], [2, -1]))
    return convolved(emit, first)


def split(emit: Emit, x: relax.Var) -> relax.Expr:
    parts = emit(op.split(x, [2], 1))
    first, second = (emit(relax.TupleGetItem(parts, i)) for i in (0, 1))
    return convolved(emit, emit(op.concat([second, emit(op.nn.relu(first))], 1)))


def rows_and_columns(emit: Emit, x: relax.Var) -> relax.Expr:
    """Coordinate attention: means of rows and of columns, joined."""
    across = emit(op.mean(x, [3], True))
    down = permuted(emit, emit(op.mean(x, [2], True)), 0, 1, 3, 2)
    return convolved(emit, emit(op.concat([across, down], 2)))


def gate(emit: Emit, x: relax.Var) -> relax.Expr:
    """Squeeze and excite, written without the map's axes."""
    scale = emit(op.matmul(emit(op.mean(x, [2, 3])), weights(6, 6)))
    return convolved(emit, emit(op.multiply(x, shaped(emit, emit(op.sigmoid(scale)), 2, 6, 1, 1))))


def joined_orders(emit: Emit, x: relax.Var) -> relax.Expr:
    """Of what lies in two orders the smaller is moved."""
    plain = emit(op.matmul(weights(2, 2, 3, 1), emit(op.mean(x, [1, 2], True))))
    return convolved(emit, emit(op.concat([x, plain], 1)))


def alone(build: Callable[[relax.Var], relax.Expr]) -> Build:
    return lambda emit, x: emit(build(x))


CASES: dict[str, tuple[Build, int]] = {
    "layer_scale": (layer_scale, 0),
    "through_tokens": (through_tokens, 0),
    "channel_shuffle": (channel_shuffle, 1),
    "pixel_shuffle": (pixel_shuffle, 1),
    "space_to_depth": (space_to_depth, 0),
    "windows": (windows, 1),
    "slices": (slices, 0),
    "split": (split, 0),
    "rows_and_columns": (rows_and_columns, 0),
    "gate": (gate, 0),
    "joined_orders": (joined_orders, 1),
    "softmax_of_channels": (lambda emit, x: convolved(emit, emit(op.nn.softmax(x, 1))), 0),
    "softmax_of_columns": (lambda emit, x: emit(op.nn.relu(emit(op.nn.softmax(x, -1)))), 1),
    "largest_channel": (alone(lambda x: op.argmax(x, 1)), 0),
    "largest_of_all": (alone(lambda x: op.argmax(x)), 1),
    "columns_summed": (lambda emit, x: emit(op.nn.relu(emit(op.sum(x, [-1])))), 0),
    "one_channel_taken": (alone(lambda x: op.take(x, relax.const(np.int64(3)), 1)), 0),
    "channels_taken": (
        lambda emit, x: convolved(emit, emit(op.take(x, relax.const(np.int64([3, 1])), 1))),
        0,
    ),
    "channels_taken_twice": (alone(lambda x: op.take(x, relax.const(np.int64([[3], [1]])), 1)), 1),
    "flipped": (lambda emit, x: convolved(emit, emit(op.flip(x, 1))), 0),
    "repeated": (lambda emit, x: convolved(emit, emit(op.repeat(x, 2, 1))), 0),
    "tiled": (lambda emit, x: convolved(emit, emit(op.tile(x, (1, 2, 1, 3)))), 0),
    "broadcast": (
        lambda emit, x: convolved(emit, emit(op.broadcast_to(emit(op.mean(x, [2, 3], True)), SHAPE))),
        0,
    ),
    "enlarged_and_convolved": (
        lambda emit, x: convolved(emit, emit(op.image.resize2d(x, (12, 20)))),
        0,
    ),
    "padded": (lambda emit, x: convolved(emit, emit(op.nn.pad(x, [0, 0, 1, 2, 0, 0, 3, 0]))), 0),
    "reflected": (
        lambda emit, x: convolved(emit, emit(op.nn.pad(x, [0, 0, 0, 0, 1, 1, 2, 0], "reflect"))),
        0,
    ),
    "group_norm": (
        lambda emit, x: convolved(emit, emit(op.nn.group_norm(x, weights(6), weights(6), 3, 1, [2, 3]))),
        0,
    ),
    "instance_norm": (
        lambda emit, x: convolved(emit, emit(op.nn.instance_norm(x, weights(6), weights(6), 1, [2, 3]))),
        0,
    ),
    "layer_norm_of_a_map": (
        lambda emit, x: emit(op.nn.layer_norm(x, weights(6, 3, 5), weights(6, 3, 5), [1, 2, 3])),
        1,
    ),
    "scaled_by_a_vector_of_columns": (lambda emit, x: convolved(emit, emit(op.multiply(x, weights(5)))), 0),
    "scaled_by_a_computed_row": (
        lambda emit, x: convolved(emit, emit(op.add(x, emit(op.mean(x, [0, 1]))))),
        0,
    ),
    "flattened": (lambda emit, x: emit(op.nn.relu(shaped(emit, x, 2, 90))), 1),
}


def module_of(builds: list[Build]) -> tvm.IRModule:
    """Main, whose results are those of the cases."""
    builder, x = relax.BlockBuilder(), relax.Var("x", relax.TensorType((2, 3, 3, 5), "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            results = [build(builder.emit, convolved(builder.emit, x, 6)) for build in builds]
            result = builder.emit_output(relax.Tuple(results))
        builder.emit_func_output(result)
    return builder.get()


@pytest.mark.parametrize("case", CASES)
def test_data_is_moved_as_often_as_it_has_to_be(case: str) -> None:
    build, moves = CASES[case]
    module = passes.ToNHWC(passes.FoldConstants(module_of([build])))
    relax.analysis.well_formed(module)
    assert len(layout_changes(module)) == moves, module["main"]


@pytest.mark.parametrize(
    ("size", "method", "moved"),
    [
        ((12, 20), "linear", [SHAPE]),
        ((12, 20), "nearest_neighbor", [SHAPE]),
        ((12, 20), "cubic", []),  # it has a good kernel for NHWC alone
        ((2, 2), "linear", []),
    ],
)
def test_what_an_enlarged_result_is_made_of_is_moved(
    size: tuple[int, int], method: str, moved: list[tuple[int, ...]]
) -> None:
    """Else the result is, as that of any network."""

    def build(emit: Emit, x: relax.Var) -> relax.Expr:
        return emit(op.nn.relu(emit(op.image.resize2d(x, size, method=method))))

    module = passes.ToNHWC(passes.FoldConstants(module_of([build])))
    assert [sorted(shape) for shape in layout_changes(module)] == [sorted(shape) for shape in moved]


@pytest.mark.slow
def test_values_stay() -> None:
    module = passes.FoldConstants(module_of([build for build, _ in CASES.values()]))
    inputs = [draw(2, 3, 3, 5)]
    after = run_by_plain_tvm(passes.ToNHWC(module), inputs)
    for case, got, wanted in zip(CASES, after, run_by_plain_tvm(module, inputs), strict=True):
        assert got.shape == wanted.shape, case
        assert_matches(got, wanted, case)


# ---- orders of axes


def test_a_reshape_of_what_lies_in_an_order_is_the_reshape_of_the_tensor() -> None:
    """For every order, what ``of_reshape`` answers: numpy's reshape of the tensor, permuted."""
    changes: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((2, 6, 3, 5), (2, 6, 15)),
        ((2, 6, 3, 5), (2, 2, 3, 3, 5)),
        ((2, 6, 3, 5), (12, 15)),
        ((2, 6, 3, 5), (180,)),
        ((1, 6, 15), (1, 6, 3, 5)),
        ((1, 6, 1, 5), (6, 5)),
        ((6, 5), (1, 6, 1, 5, 1)),
        ((2, 1, 6), (2, 6, 1)),
        ((4, 6), (3, 8)),
        ((1, 1), (1,)),
    ]
    for before, after in changes:
        tensor = np.arange(np.prod(before)).reshape(before)
        for order in permutations(range(len(before))):
            found = orders.of_reshape(before, after, order)
            assert found, (before, after, order)
            for source, result in found:
                stored = tensor.transpose(source).reshape([after[axis] for axis in result])
                wanted = tensor.reshape(after).transpose(result)
                assert np.array_equal(stored, wanted), (before, after, order, source)
    assert not orders.of_reshape((0, 2), (2, 0), (1, 0))


def test_permutations_of_fewer_axes_say_the_same() -> None:
    for shape in ((2, 3, 4, 5), (2, 1, 3, 1), (1, 1, 7), (2, 3, 1, 4, 5)):
        tensor = np.arange(np.prod(shape)).reshape(shape)
        for axes in permutations(range(len(shape))):
            extents, moved = orders.merged(shape, axes)
            wanted = tensor.transpose(axes).reshape(-1)
            assert np.array_equal(tensor.reshape(extents).transpose(moved).reshape(-1), wanted), (shape, axes)
            assert all(second != first + 1 for first, second in pairwise(moved))
            assert orders.is_free(shape, axes) == (len(moved) < 2)


# ---- networks

MOVED: dict[str, list[tuple[int, ...]]] = {
    # Boxes that were decoded row by row join scores that were not.
    "detector": [(1, 84, 4, 16), (1, 4, 84)],
}
"""What networks have moved between their inputs and outputs; the others nothing."""


NETWORKS: dict[str, Callable[[], Any]] = {
    "unet": lambda: own.unet(size=32, width=4),
    "detector": lambda: own.detector(size=64, width=4, classes=5),
    "keyword_1d": lambda: own.keyword_1d(samples=2000, width=8),
    "video_3d": lambda: own.video_3d(),
    **{name: partial(zoo.load_model, name) for name in zoo.list_models()},
}
QUICK = ("unet", "detector", "keyword_1d", "light_shufflenet", "light_squeezenet")


def network_cases() -> list[Any]:
    return [pytest.param(n, marks=[] if n in QUICK else [pytest.mark.slow]) for n in NETWORKS]


@pytest.mark.slow
@pytest.mark.parametrize("name", network_cases())
def test_networks_move_data_at_their_edges_alone(name: str) -> None:
    module = import_model(NETWORKS[name]())
    for graph_pass in passes.graph_passes("llvm"):
        module = graph_pass(module)
        if graph_pass.info.name == passes.ToNHWC.info.name:
            break
    assert sorted(layout_changes(module)) == sorted(MOVED.get(name, []))
