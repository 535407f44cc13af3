"""Chains and fans of element-wise operators: compiling them takes time in proportion, whatever they hold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from graph_support import network, node
from onnx import NodeProto
from reference import run_onnx_runtime
from tvm import te, tirx, topi
from tvm_ffi import structural_walk

import tvm_directconv as directconv
from tvm_directconv.operators import schedule_default
from tvm_directconv.targets.target import resolve_target

# fmt: off
UNARY = (
    "Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Cos",
    "Cosh", "Erf", "Exp", "Floor", "Gelu", "HardSigmoid", "HardSwish", "LeakyRelu", "Log",
    "Mish", "Neg", "Reciprocal", "Relu", "Round", "Selu", "Sigmoid", "Sign", "Sin",
    "Sinh", "Softplus", "Softsign", "Sqrt", "Tan", "Tanh", "ThresholdedRelu",
)
# fmt: on
BINARY = ("Add", "Mul", "Sub", "Div", "Max", "Min")
SHAPES = ((1, 16, 8, 8), (1, 8, 9, 13), (2, 24), (4,), (1, 64, 7, 1))
OPSET = 20
LENGTHS = (6, 12)


def chain(*operators: str) -> list[NodeProto]:
    names = ["x", *(f"t{i}" for i in range(1, len(operators))), "y"]
    return [node(kind, names[i], names[i + 1]) for i, kind in enumerate(operators)]


def drawn(seed: int) -> tuple[list[NodeProto], tuple[int, ...]]:
    """Up to eight operators, each on the result of the one before; the second operand is any earlier one."""
    rng = np.random.default_rng(seed)
    names, nodes = ["x"], []
    count = int(rng.integers(4, 9))
    for number in range(count):
        if rng.random() < 0.3:
            nodes.append(node(str(rng.choice(BINARY)), f"{names[-1]} {rng.choice(names)}", f"t{number}"))
        else:
            nodes.append(node(str(rng.choice(UNARY)), names[-1], f"t{number}"))
        names.append(f"t{number}")
    return [*nodes, node("Identity", names[-1], "y")], SHAPES[seed % len(SHAPES)]


def squares(count: int) -> list[NodeProto]:
    """x = x * x + x again and again: written out, the value would be there 3^count times."""
    nodes, value = [], "x"
    for number in range(count):
        nodes += [
            node("Mul", f"{value} {value}", f"m{number}"),
            node("Add", f"m{number} {value}", f"s{number}"),
        ]
        value = f"s{number}"
    return [*nodes, node("Identity", value, "y")]


def fan(count: int) -> list[NodeProto]:
    kinds = ("Tanh", "Exp", "Sigmoid", "Softplus", "Erf")
    branches = [node(kinds[number % len(kinds)], "x", f"b{number}") for number in range(count)]
    return [*branches, node("Sum", " ".join(f"b{number}" for number in range(count)), "y")]


GRAPHS: dict[str, list[NodeProto]] = {
    "tanh of tanh": chain("Tanh", "Tanh", "Tanh", "Tanh"),
    "mish twice": chain("Mish", "Mish"),
    "mish in parts": [node("Softplus", "x", "s"), node("Tanh", "s", "t"), node("Mul", "x t", "y")],
    "tanh of exp": chain("Exp", "Tanh", "Sigmoid", "Softplus", "Tanh"),
    "hard swishes": chain(*["HardSwish"] * 40),
    "squares": squares(30),
    "a fan": fan(30),
    "long": chain(*["Neg", "Abs", "Sigmoid", "Relu"] * 50),
    "division by a difference": [node("Sub", "x x", "d"), node("Div", "x d", "q"), node("Abs", "q", "y")],
    "no vectors of cosh": chain("Cosh", "Sinh"),
}
"""Each took minutes to compile, or did not end, where an expression repeated its parts."""


def check(nodes: list[NodeProto], shape: tuple[int, ...]) -> None:
    model = network(nodes, {"x": shape}, {"y": shape}, opset=OPSET)
    image = np.random.default_rng(0).uniform(0.1, 0.9, shape).astype(np.float32)
    (got,) = directconv.compile(model).run(image)
    (want,) = run_onnx_runtime(model, {"x": image})
    finite = np.isfinite(want) & np.isfinite(got)
    np.testing.assert_allclose(got[finite], want[finite], rtol=1e-4, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("name", GRAPHS)
def test_these_compile_and_are_right(name: str) -> None:
    check(GRAPHS[name], SHAPES[0])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_drawn_chains_compile_and_are_right(seed: int) -> None:
    check(*drawn(seed))


STEPS: dict[str, Callable[[te.Tensor], te.Tensor]] = {
    "tanh": topi.tanh,
    "exp": topi.exp,
    "used twice": lambda x: x * x + x,
    "used twice, costly": lambda x: topi.sigmoid(x) * x,
    "branches": lambda x: te.compute(x.shape, lambda *i: tirx.if_then_else(i[0] > 2, x(*i), x(*i) + 1.0)),
}


@pytest.mark.parametrize("step", STEPS)
def test_kernels_grow_with_the_chain(step: str) -> None:
    target = resolve_target("llvm -mtriple=x86_64-linux-gnu -mcpu=znver3")
    sizes = []
    for length in LENGTHS:
        x = value = te.placeholder((8, 64), name="x")
        for _ in range(length):
            value = STEPS[step](value)
        nodes: list[tirx.Expr] = []
        scheduled = schedule_default(te.create_prim_func([x, value]), target)
        structural_walk(scheduled.body, (tirx.Expr, nodes.append))
        sizes.append(len(nodes))
    assert sizes[1] < 3 * sizes[0], sizes
