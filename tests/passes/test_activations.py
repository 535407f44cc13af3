"""Activations in the spellings of exporters, as steps of the layer before them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tvm
from graph_support import draw, network, node, operators
from relax_numpy import evaluate, function
from tvm import relax

from intrinsics.epilogue import (
    Clip,
    Elu,
    Gelu,
    GeluTanh,
    HardSwish,
    LeakyRelu,
    Mish,
    Residual,
    Scale,
    Shift,
    Sigmoid,
    Silu,
    Softplus,
    Step,
    Tanh,
)
from relay_strategies import passes
from relay_strategies.frontends.onnx.importer import import_model
from relay_strategies.passes.rewrite.activations import POINTS, steps_of_values
from relay_strategies.relax.epilogue_steps import steps_of

op = relax.op
Build = Callable[[Any, Any], Any]
SHAPE = (1, 4, 5, 8)


def number(value: float) -> relax.Expr:
    return relax.const(np.float32(value))


def clip(x: Any, low: float, high: float) -> relax.Expr:
    return op.clip(x, tvm.tirx.const(low, "float32"), tvm.tirx.const(high, "float32"))


class Spelling:
    """Relax's operators on what has been emitted, numbers too."""

    def __init__(self, emit: Any) -> None:
        self._emit = emit

    def __getattr__(self, name: str) -> Callable[..., Any]:
        make = getattr(op, name, None) or getattr(op.nn, name)

        def call(*arguments: Any) -> Any:
            return self._emit(make(*(number(a) if isinstance(a, float) else a for a in arguments)))

        return call

    def clip(self, x: Any, low: float, high: float) -> Any:
        return self._emit(clip(x, low, high))


ROOT = math.sqrt(0.5)
CUBIC = 0.044715


def _elu_of_relus(s: Any, x: Any) -> Any:
    """As TVM writes ONNX's Elu."""
    below = s.multiply(-1.5, s.relu(s.subtract(1.0, s.exp(x))))
    return s.add(below, s.relu(x))


def _elu_of_where(s: Any, x: Any) -> Any:
    below = s.multiply(s.subtract(s.exp(x), 1.0), 1.5)
    return s.where(s.greater(x, 0.0), x, below)


def _softplus(s: Any, x: Any) -> Any:
    return s.add(s.maximum(x, 0.0), s.log(s.add(1.0, s.exp(s.negative(s.abs(x))))))


def _mish(s: Any, x: Any) -> Any:
    e = s.exp(s.minimum(x, 20.0))
    n = s.multiply(e, s.add(e, 2.0))
    return s.multiply(x, s.divide(n, s.add(n, 2.0)))


def _gelu_tanh(s: Any, x: Any) -> Any:
    cube = s.multiply(s.multiply(x, x), x)
    inner = s.multiply(s.add(x, s.multiply(cube, CUBIC)), math.sqrt(2 / math.pi))
    return s.multiply(s.multiply(0.5, x), s.add(1.0, s.tanh(inner)))


SPELLINGS: dict[str, tuple[Callable[[Any, Any], Any], tuple[Step, ...]]] = {
    "sigmoid": (lambda s, x: s.sigmoid(x), (Sigmoid(),)),
    "tanh": (lambda s, x: s.tanh(x), (Tanh(),)),
    "silu": (lambda s, x: s.multiply(s.sigmoid(x), x), (Silu(),)),
    "silu, other order": (lambda s, x: s.multiply(x, s.sigmoid(x)), (Silu(),)),
    "silu, one operator": (lambda s, x: s.silu(x), (Silu(),)),
    "silu by division": (lambda s, x: s.divide(x, s.add(s.exp(s.negative(x)), 1.0)), (Silu(),)),
    "quick gelu": (lambda s, x: s.multiply(x, s.sigmoid(s.multiply(x, 1.702))), (Silu(1.702),)),
    "gelu": (lambda s, x: s.gelu(x), (Gelu(),)),
    "gelu, halved first": (
        lambda s, x: s.multiply(s.multiply(x, 0.5), s.add(s.erf(s.divide(x, math.sqrt(2))), 1.0)),
        (Gelu(),),
    ),
    "gelu, halved last": (
        lambda s, x: s.multiply(s.multiply(x, s.add(1.0, s.erf(s.multiply(x, ROOT)))), 0.5),
        (Gelu(),),
    ),
    "gelu, half in the sum": (
        lambda s, x: s.multiply(s.add(s.multiply(s.erf(s.divide(x, 1.4142)), 0.5), 0.5), x),
        (Gelu(),),
    ),
    "gelu, twice": (
        lambda s, x: s.multiply(x, s.add(s.erf(s.multiply(x, 0.7071)), 1.0)),
        (Gelu(), Scale(2.0)),
    ),
    "gelu by tanh": (_gelu_tanh, (GeluTanh(),)),
    "hard swish": (
        lambda s, x: s.multiply(x, s.divide(s.clip(s.add(x, 3.0), 0.0, 6.0), 6.0)),
        (HardSwish(),),
    ),
    "hard swish, divided last": (
        lambda s, x: s.divide(s.multiply(s.clip(s.add(x, 3.0), 0.0, 6.0), x), 6.0),
        (HardSwish(),),
    ),
    "hard swish of a hard sigmoid": (
        lambda s, x: s.multiply(s.clip(s.add(s.multiply(x, 0.2), 0.5), 0.0, 1.0), x),
        (HardSwish(0.2, 0.5),),
    ),
    "mish": (_mish, (Mish(),)),
    "mish by softplus": (lambda s, x: s.multiply(x, s.tanh(_softplus(s, x))), (Mish(),)),
    "softplus": (_softplus, (Softplus(),)),
    "elu of two relus": (_elu_of_relus, (Elu(1.5),)),
    "elu chosen": (_elu_of_where, (Elu(1.5),)),
    "leaky relu": (lambda s, x: s.leakyrelu(x), (LeakyRelu(0.01),)),
    "leaky relu, chosen": (
        lambda s, x: s.where(s.greater(x, 0.0), x, s.multiply(x, 0.125)),
        (LeakyRelu(0.125),),
    ),
    "leaky relu, a maximum": (lambda s, x: s.maximum(s.multiply(x, 0.125), x), (LeakyRelu(0.125),)),
    "relu, scaled and shifted": (
        lambda s, x: s.add(s.multiply(s.relu(x), -0.5), 0.25),
        (Clip(low=0.0), Scale(-0.5), Shift(0.25)),
    ),
}


def fused(build: Build, *shapes: tuple[int, ...]) -> tuple[tvm.IRModule, tvm.IRModule]:
    """What ``build`` makes of a convolution with a bias, before and after fusion."""
    weight, bias = relax.const(draw(8, 8, 1, 1)), relax.const(draw(8))

    def main(emit: Any, x: Any, *others: Any) -> Any:
        y = emit(op.nn.conv2d(x, weight, data_layout="NHWC", out_layout="NHWC", kernel_layout="OIHW"))
        return build(Spelling(emit), emit(op.add(y, bias)), *others)

    module = function(main, SHAPE, *shapes)
    return module, passes.FuseAffine(passes.FuseConv2d(passes.Simplify(module)))


def steps_in(module: tvm.IRModule) -> list[tuple[Step, ...]]:
    """The steps of the composites that main calls, in order."""
    values = [binding.value for block in module["main"].body.blocks for binding in block.bindings]
    calls = [v for v in values if isinstance(v, relax.Call) and isinstance(v.op, tvm.ir.GlobalVar)]
    return [steps_of(dict(module[call.op].attrs)) for call in calls]


@pytest.mark.parametrize("name", SPELLINGS)
def test_spellings(name: str) -> None:
    spell, steps = SPELLINGS[name]
    before, after = fused(
        spell,
    )
    assert operators(after) == {"fused_conv2d": 1}
    assert [list(map(str, found)) for found in steps_in(after)] == [list(map(str, steps))]
    data = [4 * draw(*SHAPE, seed=3)]
    np.testing.assert_allclose(evaluate(after, data), evaluate(before, data), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("kind", "attributes", "steps", "opset"),
    [
        ("Elu", {"alpha": 0.5}, (Elu(0.5),), 13),
        ("Gelu", {}, (Gelu(),), 20),
        ("Gelu", {"approximate": "tanh"}, (GeluTanh(),), 20),
        ("HardSigmoid", {}, None, 13),
        ("HardSwish", {}, (HardSwish(),), 14),
        ("LeakyRelu", {"alpha": 0.3}, (LeakyRelu(0.3),), 13),
        ("Mish", {}, (Mish(),), 18),
        ("Selu", {}, (Elu(1.6732632), Scale(1.050701)), 13),
        ("Softplus", {}, (Softplus(),), 13),
    ],
)
def test_functions_of_onnx(
    kind: str, attributes: dict[str, Any], steps: tuple[Step, ...] | None, opset: int
) -> None:
    nodes = [node("Conv", "x w", "y"), node(kind, "y", "z", **attributes)]
    model = network(nodes, {"x": (1, 4, 5, 5)}, {"z": (1, 4, 5, 5)}, {"w": draw(4, 4, 1, 1)}, opset=opset)
    module = import_model(model)
    for each in (passes.FoldConstants, passes.Simplify, passes.FoldScales, passes.ToNHWC, passes.FuseConv2d):
        module = each(module)
    (found,) = steps_in(module)
    assert set(operators(module)) == {"fused_conv2d", "permute_dims"}
    if steps is not None:
        for step, wanted in zip(found, steps, strict=True):
            assert type(step) is type(wanted)
            np.testing.assert_allclose(step.constants, wanted.constants, rtol=1e-5)


def _both_sides(s: Any, x: Any, other: Any) -> Any:
    return s.relu(s.add(other, s.multiply(x, s.sigmoid(x))))


def test_residual_between_activations() -> None:
    before, after = fused(_both_sides, SHAPE)
    assert operators(after) == {"fused_conv2d": 1}
    assert steps_in(after) == [(Silu(), Residual(), Clip(low=0.0))]
    data = [draw(*SHAPE), draw(*SHAPE, seed=2)]
    np.testing.assert_allclose(evaluate(after, data), evaluate(before, data), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("build", "left"),
    [
        # Used elsewhere as well: the activation is not all there is.
        (lambda s, x: s.add(s.multiply(x, s.sigmoid(x)), s.multiply(x, x)), {"sigmoid", "multiply", "add"}),
        (lambda s, x: s.multiply(s.sigmoid(x), s.mean(x)), {"sigmoid", "mean", "multiply"}),
        # No step there is.
        (lambda s, x: s.exp(x), {"exp"}),
        (lambda s, x: s.multiply(x, s.tanh(x)), {"multiply", "tanh"}),
        # Near a step, or one up to a bound.
        (lambda s, x: s.multiply(x, s.add(s.erf(s.multiply(x, 0.72)), 1.0)), {"multiply", "erf", "add"}),
        (lambda s, x: s.maximum(s.clip(x, -100.0, 1e4), s.multiply(x, 0.5)), {"maximum", "clip", "multiply"}),
    ],
)
def test_what_is_no_activation_stays(build: Build, left: set[str]) -> None:
    before, after = fused(build)
    assert set(operators(after)) == {"fused_conv2d", *left}
    data = [draw(*SHAPE)]
    np.testing.assert_allclose(evaluate(after, data), evaluate(before, data), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("factor", [1e-7, 1e-3, 1.0])
def test_small_functions_are_told_apart(factor: float) -> None:
    """A function of small values is not taken for any other that is small."""
    with np.errstate(over="ignore"):
        sigmoid = 1 / (1 + np.exp(-POINTS))
    assert [type(step) for step in steps_of_values(factor * POINTS * sigmoid)][:1] == [Silu]
    assert steps_of_values(factor * sigmoid) in ((), (Sigmoid(),))


def test_what_is_always_zero_is_no_step() -> None:
    """Code that multiplies by it would be simplified, and the sums with it."""
    assert steps_of_values(np.zeros_like(POINTS)) == ()


def test_scales_leave_named_activations_alone() -> None:
    """The half of a GELU would go into the filter behind it."""
    weight = relax.const(draw(8, 8, 1, 1, seed=4))

    def build(emit: Any, x: Any) -> Any:
        y = emit(op.nn.conv2d(x, weight))
        y = SPELLINGS["gelu, halved last"][0](Spelling(emit), y)
        y = emit(op.nn.conv2d(y, weight))
        y = SPELLINGS["hard swish, divided last"][0](Spelling(emit), y)
        return emit(op.nn.conv2d(y, weight))

    module = function(build, (1, 8, 5, 4))
    after = module
    for each in (
        passes.Simplify,
        passes.NameActivations,
        passes.FoldScales,
        passes.ToNHWC,
        passes.FuseConv2d,
    ):
        after = each(after)
    assert steps_in(after) == [(Gelu(),), (HardSwish(),), ()]
    data = [draw(1, 8, 5, 4)]
    np.testing.assert_allclose(evaluate(after, data), evaluate(module, data), rtol=1e-5, atol=1e-5)


def test_activation_of_a_normalized_tensor() -> None:
    """Normalization that cannot be folded and its activation are one composite."""
    scale, shift = relax.const(draw(8)), relax.const(draw(8, seed=1))

    def build(emit: Any, x: Any) -> Any:
        s = Spelling(emit)
        y = s.add(s.multiply(x, scale), shift)
        y = s.multiply(y, s.sigmoid(y))
        return s.add(s.mean(y), s.mean(x))

    after = passes.FuseAffine(passes.FuseConv2d(function(build, SHAPE)))
    assert operators(after) == {"fused_affine": 1, "mean": 2, "add": 1}
    assert steps_in(after) == [(Silu(),)]


def test_normalization_among_elementwise_operators_is_left_to_their_kernel() -> None:
    scale = relax.const(draw(8))
    module = function(lambda emit, x: emit(op.add(emit(op.multiply(x, scale)), emit(op.exp(x)))), SHAPE)
    assert operators(passes.FuseAffine(module)) == operators(module)


PARTS: dict[str, tuple[Build, dict[str, int]]] = {
    "of two layers": (lambda s, a, b: s.silu(s.concat([a, b], -1)), {"fused_conv2d": 2, "concat": 1}),
    "spelled out": (
        lambda s, a, b: (lambda y: s.multiply(y, s.sigmoid(y)))(s.concat([a, b], -1)),
        {"fused_conv2d": 2, "concat": 1},
    ),
    "of a layer and what has other uses": (
        lambda s, a, b: s.concat([s.relu(s.concat([a, b], -1)), b], -1),
        {"fused_conv2d": 2, "nn.relu": 1, "concat": 2},
    ),
    "of a layer and what is none": (
        lambda s, a, b: s.relu(s.concat([a, s.exp(b)], -1)),
        {"fused_conv2d": 2, "exp": 1, "nn.relu": 1, "concat": 1},
    ),
}


@pytest.mark.parametrize("name", PARTS)
def test_activations_of_concatenated_layers(name: str) -> None:
    """They are the layers' own, where these are all that is concatenated."""
    build, left = PARTS[name]
    weights, bias = [relax.const(draw(8, 8, 1, 1, seed=at)) for at in range(2)], relax.const(draw(8))

    def main(emit: Any, x: Any) -> Any:
        layouts = {"data_layout": "NHWC", "out_layout": "NHWC", "kernel_layout": "OIHW"}
        a, b = (emit(op.nn.conv2d(x, weight, **layouts)) for weight in weights)
        return build(Spelling(emit), emit(op.add(a, bias)), b)

    module = function(main, SHAPE)
    after = passes.FuseConv2d(passes.SplitActivations(passes.Simplify(module)))
    assert operators(after) == left
    data = [draw(*SHAPE, seed=3)]
    np.testing.assert_allclose(evaluate(after, data), evaluate(module, data), rtol=1e-5, atol=1e-5)


def test_what_several_nodes_use_is_computed_once() -> None:
    """A sum that is normalized and goes on, as in transformers; a slice of all there is is what it is of."""
    nodes = [
        node("Add", "x y", "sum"),
        node("LayerNormalization", "sum scale shift", "normalized"),
        node("Slice", "normalized begin end axes", "whole"),
        node("Add", "sum whole", "z"),
    ]
    numbers = {"begin": np.array([0]), "end": np.array([99]), "axes": np.array([2])}
    constants = {"scale": draw(8), "shift": draw(8), **numbers}
    shapes = {"x": (1, 4, 8), "y": (1, 4, 8)}
    module = passes.Simplify(import_model(network(nodes, shapes, {"z": (1, 4, 8)}, constants, opset=17)))
    assert operators(module) == {"add": 2, "nn.layer_norm": 1}
