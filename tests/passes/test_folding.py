"""Scales, shifts and parallel branches folded into filters: what is left of them, and that it is the same."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
import tvm
from graph_support import draw, operators
from hypothesis import given, settings
from hypothesis import strategies as st
from relax_numpy import evaluate, function
from tvm import relax

from relay_strategies import passes
from relay_strategies.operators.linear import _groups, _regrouped

op = relax.op
MAP, ROWS = (1, 6, 5, 4), (2, 5, 12)


def constant(*shape: int, seed: int = 1) -> relax.Expr:
    return relax.const(draw(*shape, seed=seed) + np.float32(0.7))


def convolution(
    emit: Any, x: Any, channels: int = 6, kernel: int = 3, seed: int = 0, **attributes: Any
) -> Any:
    weight = relax.const(draw(channels, 6 // attributes.get("groups", 1), kernel, kernel, seed=seed))
    return emit(op.nn.conv2d(x, weight, **({"padding": kernel // 2} | attributes)))


def normalized(emit: Any, x: Any, seed: int = 1) -> Any:
    """Batch normalization as Simplify leaves it."""
    channels = int(x.ty.shape.values[1])
    scaled = emit(op.multiply(x, constant(1, channels, 1, 1, seed=seed)))
    return emit(op.add(scaled, constant(1, channels, 1, 1, seed=seed + 1)))


def dense(emit: Any, x: Any, outputs: int = 12, seed: int = 0) -> Any:
    inputs = int(x.ty.shape.values[-1])
    return emit(op.matmul(x, relax.const(draw(inputs, outputs, seed=seed))))


@dataclass
class Case:
    build: Callable[..., relax.Expr]
    shape: tuple[int, ...]
    """The operators that scale or add a constant, and how many there are when all is folded."""
    left: dict[str, int] = field(default_factory=dict)


def _concatenated(emit: Any, x: Any) -> Any:
    return normalized(emit, emit(op.concat([convolution(emit, x, 4), convolution(emit, x, 5, 1)], 1)))


def _partly_concatenated(emit: Any, x: Any) -> Any:
    return normalized(emit, emit(op.concat([convolution(emit, x), x], 1)))


def _layer_scale(emit: Any, x: Any) -> Any:
    rows = emit(op.reshape(emit(op.permute_dims(x, [0, 2, 3, 1])), (1, 20, 6)))
    back = emit(op.reshape(dense(emit, rows, 6), (1, 5, 4, 6)))
    scaled = emit(op.multiply(emit(op.permute_dims(back, [0, 3, 1, 2])), constant(6, 1, 1)))
    return emit(op.add(x, scaled))


def _queries(emit: Any, x: Any) -> Any:
    """Queries, keys and values of one product; the queries are scaled behind a split of heads."""
    split = emit(op.reshape(emit(op.add(dense(emit, x, 36), constant(36))), (2, 5, 3, 4, 3)))
    heads = emit(op.permute_dims(split, [2, 0, 3, 1, 4]))
    parts = [emit(op.take(heads, relax.const(np.int64(i)), axis=0)) for i in range(3)]
    queries = emit(op.multiply(parts[0], relax.const(np.float32(0.5))))
    scores = emit(op.matmul(queries, emit(op.permute_dims(parts[1], [0, 1, 3, 2]))))
    return emit(op.matmul(emit(op.nn.relu(scores)), parts[2]))


def _scores(emit: Any, x: Any) -> Any:
    keys = emit(op.permute_dims(dense(emit, x, 8, seed=1), [0, 2, 1]))
    scores = emit(op.matmul(dense(emit, x, 8), keys))
    return emit(op.multiply(scores, relax.const(np.float32(0.125))))


def _sliced(emit: Any, x: Any) -> Any:
    rows = dense(emit, x)
    first = emit(op.multiply(emit(op.strided_slice(rows, [2], [0], [4])), constant(4)))
    return emit(op.concat([emit(op.strided_slice(rows, [2], [4], [12])), first], 2))


def _split(emit: Any, x: Any) -> Any:
    parts = emit(op.split(convolution(emit, x), 2, 1))
    first = normalized(emit, emit(relax.TupleGetItem(parts, 0)))
    return emit(op.concat([first, emit(relax.TupleGetItem(parts, 1))], 1))


def _untrained(emit: Any, x: Any) -> Any:
    """Parts of a split as batch normalization shifts them before any training: by zeros."""
    parts, zeros = emit(op.split(convolution(emit, x), 2, 1)), relax.const(np.zeros((1, 3, 1, 1), np.float32))
    shifted = [emit(op.add(emit(relax.TupleGetItem(parts, part)), zeros)) for part in range(2)]
    return emit(op.concat([emit(op.multiply(shifted[0], constant(1, 3, 1, 1))), shifted[1]], 1))


def _two_users(emit: Any, x: Any) -> Any:
    y = convolution(emit, x)
    return emit(op.add(emit(op.nn.relu(normalized(emit, y))), y))


def _forward(emit: Any, x: Any) -> Any:
    y = normalized(emit, emit(op.nn.relu(x)))
    return emit(op.concat([convolution(emit, y, 4, 1), convolution(emit, y, 4, 1, groups=2)], 1))


def _residual(emit: Any, x: Any) -> Any:
    return normalized(emit, emit(op.add(convolution(emit, x), convolution(emit, x, 6, 1, seed=5))))


def _pooled(emit: Any, x: Any) -> Any:
    return normalized(emit, emit(op.nn.avg_pool2d(convolution(emit, x), (2, 2))))


def _pooled_padded(emit: Any, x: Any) -> Any:
    pooled = op.nn.avg_pool2d(convolution(emit, x), (3, 3), padding=1, count_include_pad=True)
    return normalized(emit, emit(pooled))


def _gated(emit: Any, x: Any) -> Any:
    gate = emit(op.sigmoid(emit(op.mean(x, [2, 3], keepdims=True))))
    y = emit(op.multiply(convolution(emit, x), gate))
    return emit(op.multiply(y, constant(1, 6, 1, 1)))


def _activated(emit: Any, x: Any) -> Any:
    """A positive number goes through a ReLU, one per channel of either sign does not."""
    y = emit(op.multiply(emit(op.nn.relu(convolution(emit, x))), relax.const(np.float32(1.7))))
    negative = relax.const(-np.abs(draw(1, 6, 1, 1)))
    return emit(op.multiply(emit(op.nn.relu(convolution(emit, y))), negative))


def _after_gelu(emit: Any, x: Any) -> Any:
    """An activation's own numbers stay numbers."""
    y = convolution(emit, x)
    half = emit(op.multiply(y, relax.const(np.float32(0.5))))
    both = emit(op.add(emit(op.erf(y)), relax.const(np.float32(1))))
    return emit(op.multiply(emit(op.multiply(half, both)), constant(1, 6, 1, 1)))


CASES: dict[str, Case] = {
    "convolution": Case(lambda emit, x: normalized(emit, convolution(emit, x)), MAP, {"add": 1}),
    "depthwise": Case(lambda emit, x: normalized(emit, convolution(emit, x, groups=6)), MAP, {"add": 1}),
    "rows": Case(lambda emit, x: emit(op.multiply(dense(emit, x), constant(12))), ROWS),
    "concatenation": Case(_concatenated, MAP, {"add": 2}),
    "concatenation with the input": Case(_partly_concatenated, MAP, {"multiply": 1, "add": 1}),
    "layer scale": Case(_layer_scale, MAP, {"add": 1}),
    "queries": Case(_queries, ROWS, {"add": 1}),
    "scores": Case(_scores, ROWS),
    "slice": Case(_sliced, ROWS),
    "split": Case(_split, MAP, {"add": 1}),
    "split, untrained": Case(_untrained, MAP),
    "two users": Case(_two_users, MAP, {"multiply": 1, "add": 2}),
    "forward": Case(_forward, MAP, {"add": 2}),
    "sum": Case(_residual, MAP, {"add": 2}),
    "average": Case(_pooled, MAP, {"add": 1}),
    "average with padding": Case(_pooled_padded, MAP, {"add": 1}),
    "after GELU": Case(_after_gelu, MAP, {"multiply": 3, "add": 1}),
    "gate": Case(_gated, MAP, {"multiply": 1}),
    "activation": Case(_activated, MAP, {"multiply": 1}),
}


def assert_same(before: tvm.IRModule, after: tvm.IRModule, shape: tuple[int, ...]) -> None:
    relax.analysis.well_formed(after)
    data = [draw(*shape, seed=9)]
    want, got = evaluate(before, data), evaluate(after, data)
    # Filters are rounded to float32 once more.
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_scales_are_folded(name: str) -> None:
    case = CASES[name]
    module = function(case.build, case.shape)
    folded = passes.FoldScales(module)
    assert_same(module, folded, case.shape)
    counts = operators(folded)
    assert {kind: counts[kind] for kind in ("multiply", "add") if counts[kind]} == case.left


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_values_of_reshaped_tensors(data: st.DataObject) -> None:
    """What broadcasts against a shape, made to broadcast against another, is the same reshaped."""
    extents = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))
    cuts = [data.draw(st.sets(st.integers(0, len(extents)), max_size=3)) for _ in range(2)]

    def shape(cut: set[int]) -> tuple[int, ...]:
        places = [0, *sorted(cut - {0, len(extents)}), len(extents)]
        return tuple(int(np.prod(extents[a:b])) for a, b in itertools.pairwise(places))

    before, after = shape(cuts[0]), shape(cuts[1])
    kept = [extent if data.draw(st.booleans()) else 1 for extent in before]
    array = np.arange(np.prod(kept), dtype=np.float64).reshape(kept)
    got = _regrouped(array, before, after, list(_groups(before, after)))
    assert np.array_equal(np.broadcast_to(got, after), np.broadcast_to(array, before).reshape(after))


# ---- branches


def test_slices_at_computed_places_keep_their_scale() -> None:
    """Where such a slice begins is known when the network runs, and so are the outputs that it takes."""
    first, builder = tvm.tirx.Var("first", "int64"), relax.BlockBuilder()
    params = [
        relax.Var("x", relax.TensorType((1, 8, 8, 6), "float32")),
        relax.Var("p", relax.ShapeType([first])),
    ]
    with builder.function("main", params):
        with builder.dataflow():
            made = builder.emit(relax.op.nn.conv2d(params[0], constant(12, 6, 1, 1), data_layout="NHWC"))
            ends = [first + 4]
            part = builder.emit(relax.op.strided_slice(made, [3], [first], ends, [1], assume_inbound=True))
            scaled = builder.emit_output(relax.op.multiply(part, relax.const(np.float32(3))))
        builder.emit_func_output(scaled)
    module = builder.get()
    assert "multiply" in operators(passes.FoldScales(module))


def _block(emit: Any, x: Any, groups: int, stride: int, identity: bool) -> Any:
    """RepVGG's block in training form: 3x3, 1x1 and, where it can be, the input itself, each normalized."""
    branches = [
        normalized(emit, convolution(emit, x, 6, kernel, kernel, groups=groups, strides=stride), kernel)
        for kernel in (3, 1)
    ]
    branches += [normalized(emit, x, 7)] if identity else []
    total = branches[0]
    for branch in branches[1:]:
        total = emit(op.add(branch, total))
    return emit(op.nn.relu(total))


@pytest.mark.parametrize("groups", [1, 2, 6])
@pytest.mark.parametrize(("stride", "identity"), [(1, True), (1, False), (2, False)])
def test_branches_become_one_convolution(groups: int, stride: int, identity: bool) -> None:
    module = function(lambda emit, x: _block(emit, x, groups, stride, identity), MAP)
    merged = passes.MergeBranches(passes.FoldScales(module))
    assert operators(merged) == {"nn.conv2d": 1, "add": 1, "nn.relu": 1}
    assert_same(module, merged, MAP)


def _other_sum(emit: Any, x: Any) -> Any:
    """Two pairs of two tensors, and what belongs to neither."""
    y = emit(op.nn.relu(x))
    of_x = emit(op.add(convolution(emit, x, 6, 1), convolution(emit, x, 6, 3, 1)))
    of_y = emit(op.add(convolution(emit, y, 6, 1, 2), y))
    strided = convolution(emit, emit(op.sigmoid(x)), 6, 3, 3)
    return emit(op.add(emit(op.add(of_x, strided)), of_y))


def _apart(emit: Any, x: Any) -> Any:
    """Other dilation, other groups, or a result that is used elsewhere."""
    first = convolution(emit, x, 6, 3)
    dilated = convolution(emit, x, 6, 3, 1, dilation=2, padding=2)
    grouped = convolution(emit, x, 6, 1, 2, groups=2)
    twice = convolution(emit, x, 6, 1, 3)
    total = emit(op.add(emit(op.add(first, dilated)), emit(op.add(grouped, twice))))
    return emit(op.multiply(total, twice))


def _within(emit: Any, x: Any) -> Any:
    """1x3, 3x1 and a dilated 1x1 among the taps of a 3x3."""
    weights = [relax.const(draw(6, 6, *kernel, seed=i)) for i, kernel in enumerate([(3, 3), (1, 3), (3, 1)])]
    pads = [(1, 1), (0, 1), (1, 0)]
    parts = [emit(op.nn.conv2d(x, w, padding=pad)) for w, pad in zip(weights, pads, strict=True)]
    return emit(op.add(emit(op.add(parts[1], parts[0])), parts[2]))


def _mixer(emit: Any, x: Any) -> Any:
    """FastViT's: the input and a scaled difference of two of its linear functions."""
    mixed = emit(op.add(convolution(emit, x, 6, 3, groups=6), normalized(emit, x, 3)))
    difference = emit(op.subtract(mixed, normalized(emit, x, 5)))
    return emit(op.add(x, emit(op.multiply(difference, constant(1, 6, 1, 1)))))


def test_a_whole_mixer_is_one_convolution() -> None:
    module = function(_mixer, MAP)
    merged = passes.MergeBranches(passes.FoldScales(module))
    assert operators(merged) == {"nn.conv2d": 1, "add": 1}
    assert_same(module, merged, MAP)


@pytest.mark.parametrize(("build", "left"), [(_other_sum, 3), (_apart, 4), (_within, 1)])
def test_which_convolutions_are_merged(build: Callable[..., relax.Expr], left: int) -> None:
    module = function(build, MAP)
    merged = passes.MergeBranches(module)
    assert operators(merged)["nn.conv2d"] == left
    assert_same(module, merged, MAP)
