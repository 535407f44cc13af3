"""Gates in front of convolutions scale the filter where that is less work, and the result is the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import tvm
from graph_support import draw
from relax_numpy import evaluate, function
from support import assert_matches
from tvm import relax

import tvm_directconv as directconv
from relay_strategies import passes
from relay_strategies.passes.lower.gates import gate_shape
from relay_strategies.relax.graph import operator_name, shape_of
from relay_strategies.strategies.strategy import implement_conv2d
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import resolve_target

op = relax.op
TARGET = "llvm -mcpu=native"
CHANNELS = 12
GATE = (1, 1, 1, CHANNELS)


def gated(
    out: int = 5, kernel: int = 1, gate_first: bool = False, again: bool = False, groups: int = 1
) -> Any:
    """A convolution of gated activations, which a second operator may read ``again``."""

    def build(emit: Any, x: Any, gate: Any) -> Any:
        scaled = emit(op.multiply(gate, x) if gate_first else op.multiply(x, gate))
        weight = relax.const(draw(out, kernel, kernel, CHANNELS // groups))
        attributes = {"data_layout": "NHWC", "kernel_layout": "OHWI", "padding": kernel // 2}
        result = emit(op.nn.conv2d(scaled, weight, groups=groups, **attributes))
        if not again:
            return result
        return emit(op.add(op.sum(scaled, 3, keepdims=True), result))

    return build


def multiplied(module: tvm.IRModule) -> list[Sequence[int] | None]:
    """The shapes of the products that are left in a lowered network."""
    module = relax.transform.DeadCodeElimination()(module)
    return [
        shape_of(binding.var)
        for block in module["main"].body.blocks
        for binding in block.bindings
        if operator_name(binding.value) == "relax.multiply"
    ]


def lowered(build: Any, image: Sequence[int], gate: Sequence[int] = GATE) -> tvm.IRModule:
    return passes.LowerConv2d(TARGET)(passes.FuseConv2d(function(build, image, gate)))


IMAGE = (1, 7, 6, CHANNELS)
MOVED: dict[str, dict[str, Any]] = {
    "gate last": {},
    "gate first": {"gate_first": True},
    "3x3": {"kernel": 3, "out": 2},
    "several panels": {"out": 40},
}


@pytest.mark.parametrize("case", MOVED)
def test_gates_scale_the_filter(case: str) -> None:
    image = (1, 19, 20, CHANNELS)
    (shape,) = multiplied(lowered(gated(**MOVED[case]), image))
    assert shape is not None and len(shape) == 5 and CHANNELS in shape  # a packed filter


@pytest.mark.parametrize(
    ("image", "gate", "options"),
    [
        pytest.param(IMAGE, GATE, {"out": 50}, id="fewer pixels than output channels"),
        pytest.param(IMAGE, GATE, {"again": True}, id="read by others"),
        pytest.param((3, *IMAGE[1:]), (3, *GATE[1:]), {}, id="several images"),
        pytest.param(IMAGE, (1, 7, 6, 1), {}, id="by pixel"),
        pytest.param(IMAGE, IMAGE, {}, id="by element"),
        pytest.param(IMAGE, GATE, {"groups": 3, "out": 6}, id="groups"),
    ],
)
def test_other_products_stay(image: Sequence[int], gate: Sequence[int], options: dict[str, Any]) -> None:
    (shape,) = multiplied(lowered(gated(**options), image, gate))
    assert shape == tuple(image)


def square(kernel: int) -> Conv2dWorkload:
    padding = "x".join([str(kernel // 2)] * 4)
    return Conv2dWorkload.of(
        f"n1_ih20iw20_ic12_oc10_k{kernel}x{kernel}_s1x1_p{padding}_d1x1_g1_float32_NHWC_OIHW"
    )


@pytest.mark.parametrize(
    ("algorithm", "kernel"), [(a, k) for a in ALGORITHMS for k in (1, 3) if ALGORITHMS[a].applies(square(k))]
)
def test_gated_packed_filters_are_packed_gated_filters(algorithm: str, kernel: int) -> None:
    """Of every algorithm where some axis of the packed filter is the input channels."""
    chosen = implement_conv2d(square(kernel), resolve_target(TARGET), algorithm)
    shape = gate_shape(chosen)
    assert shape is not None or algorithm != "direct_nhwc"
    if shape is not None:
        weights, gate = draw(10, 12, kernel, kernel), draw(12)
        packed = chosen.pack(weights) * gate.reshape(shape)
        np.testing.assert_array_equal(packed, chosen.pack(weights * gate[:, None, None]))


def test_the_result_is_the_same() -> None:
    build, shapes = gated(out=9, kernel=3), ((1, 19, 20, CHANNELS), GATE)
    module = function(build, *shapes)
    inputs = [draw(*shape, seed=at) for at, shape in enumerate(shapes)]
    (got,) = directconv.compile(module, TARGET).run(inputs)
    assert_matches(np.asarray(got), evaluate(module, inputs), "gated")
