"""Operators behind layers of every rank, as a Relax module of one's own may spell them: axes from the end,
none named, repeats of the last axes alone, slices from before the tensor. Passes keep what they compute."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import tvm
from graph_support import draw, run_by_plain_tvm
from support import assert_matches
from tvm import relax

from relay_strategies import passes
from relay_strategies.relax.graph import extents_of

op = relax.op
LAYERS: dict[str, tuple[Callable[..., relax.Expr], tuple[int, ...], tuple[int, ...]]] = {
    "conv1d": (op.nn.conv1d, (2, 3, 9), (8, 3, 3)),
    "conv2d": (op.nn.conv2d, (2, 3, 5, 7), (8, 3, 3, 3)),
    "conv3d": (op.nn.conv3d, (2, 3, 4, 5, 3), (8, 3, 2, 3, 2)),
    "conv1d_transpose": (op.nn.conv1d_transpose, (2, 3, 5), (3, 8, 3)),
    "conv2d_transpose": (op.nn.conv2d_transpose, (2, 3, 4, 3), (3, 8, 3, 2)),
}
CHANNELS = 8
Spelled = Callable[[relax.Var], relax.Expr]


def constant(*shape: int) -> relax.Expr:
    return relax.const(draw(*shape))


def rank_of(x: relax.Expr) -> int:
    return len(extents_of(x))


def of_channels(x: relax.Expr) -> relax.Expr:
    return constant(CHANNELS, *[1] * (rank_of(x) - 2))


def swapped(x: relax.Var) -> list[int]:
    """The last two axes, counted from the end."""
    return [*range(rank_of(x) - 2), -1, -2]


def axis_normalized(x: relax.Expr, axis: int) -> relax.Expr:
    extent = extents_of(x)[axis]
    ones, zeros = (relax.const(np.full(extent, value, np.float32)) for value in (1, 0))
    return op.nn.layer_norm(x, ones, zeros, [axis])


SPELLINGS: dict[str, Spelled] = {
    "argmax of one": lambda x: op.argmax(x, 1),
    "argmax from the end": lambda x: op.argmax(x, -1, keepdims=True),
    "argmin of all": lambda x: op.argmin(x),
    "mean of all": lambda x: op.mean(x),
    "mean of some": lambda x: op.mean(x, [-1, 1]),
    "max, kept": lambda x: op.max(x, [-1], keepdims=True),
    "sum of channels": lambda x: op.sum(x, [1]),
    "tile": lambda x: op.tile(x, [2]),
    "tile of two": lambda x: op.tile(x, [3, 1]),
    "tile to more axes": lambda x: op.tile(x, [2] * 6),
    "tile of batches": lambda x: op.tile(x, [2, *[1] * (rank_of(x) - 1)]),
    "repeat": lambda x: op.repeat(x, 2, -1),
    "repeat of all": lambda x: op.repeat(x, 2),
    "flip": lambda x: op.flip(x, -1),
    "reversed": lambda x: op.permute_dims(x),
    "swapped": lambda x: op.permute_dims(x, swapped(x)),
    "swapped and scaled": lambda x: op.multiply(op.permute_dims(x, swapped(x)), constant(extents_of(x)[-2])),
    "channels last": lambda x: op.permute_dims(x, [0, *range(2, rank_of(x)), 1]),
    "slice from before": lambda x: op.multiply(
        op.strided_slice(x, [1], [-CHANNELS - 2], [4]), relax.const(np.float32(3))
    ),
    "slice from the end": lambda x: op.multiply(
        op.strided_slice(x, [-rank_of(x) + 1], [-3], [99]), relax.const(np.float32(3))
    ),
    "split": lambda x: op.split(x, [2, 5], -rank_of(x) + 1)[1],
    "take from the end": lambda x: op.take(x, relax.const(np.array([1, 0])), -1),
    "softmax": lambda x: op.nn.softmax(x, 1),
    "pad": lambda x: op.nn.pad(x, [0, 0, 1, 0, *[2, 1] * (rank_of(x) - 2)]),
    "squeezed": lambda x: op.squeeze(op.mean(x, [-1], keepdims=True), [-1]),
    "channels added": lambda x: op.add(x, of_channels(x)),
    "more axes added": lambda x: op.add(x, constant(*[1] * 6)),
    "normalized channels": lambda x: op.multiply(axis_normalized(x, 1), relax.const(np.float32(2))),
    "normalized columns": lambda x: op.add(axis_normalized(x, -1), relax.const(np.float32(2))),
}


def module_of(layer: str) -> tvm.IRModule:
    """The layer, and every spelling behind it."""
    make, data, weights = LAYERS[layer]
    builder, x = relax.BlockBuilder(), relax.Var("x", relax.TensorType(data, "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            made = builder.emit(make(x, constant(*weights)))
            for_each = [builder.emit(builder.normalize(spell(made))) for spell in SPELLINGS.values()]
            results = builder.emit_output(relax.Tuple(for_each))
        builder.emit_func_output(results)
    return builder.get()


@pytest.mark.parametrize("layer", LAYERS)
def test_spellings_mean_the_same(layer: str) -> None:
    module, inputs = module_of(layer), [draw(*LAYERS[layer][1])]
    rewritten = tvm.transform.Sequential([*passes.FIRST_PASSES, *passes.TO_NHWC, passes.FuseNormalization])(
        module
    )
    relax.analysis.well_formed(rewritten)
    found = run_by_plain_tvm(rewritten, inputs)
    for name, got, wanted in zip(SPELLINGS, found, run_by_plain_tvm(module, inputs), strict=True):
        assert got.shape == wanted.shape, name
        assert_matches(got, wanted, name)
