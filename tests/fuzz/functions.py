"""Functions whose naive formulas cancel, of numbers spread over all exponents, in networks that leave the
numbers as they are, against float64."""

from __future__ import annotations

import random

import numpy as np
from function_table import FUNCTIONS, assert_exact, of_onnx
from graph_support import network, node
from onnx import NodeProto

import tvm_directconv as directconv

LAYOUTS = ("NHWC", "NHWC", "NCHW", "blocked")
TARGETS = ("llvm -mcpu=native", "llvm -mcpu=native", "llvm")
OPSET = 18


def draw_numbers(rng: random.Random, *shape: int) -> np.ndarray:
    """Numbers of both signs in a drawn range of exponents."""
    numbers = np.random.default_rng(rng.getrandbits(32))
    low, high = sorted(rng.choice(((-149, 128), (-30, 7), (-8, 3), (-4, 7))))
    sizes = np.exp2(numbers.uniform(low, high, shape)) * numbers.choice((-1, 1), shape)
    return sizes.astype(np.float32)


def _exactly(rng: random.Random, source: str, result: str, channels: int) -> tuple[list[NodeProto], int]:
    """Nodes that change no digits, and the sign of what they make of numbers."""
    kind = rng.choice(("Neg", "Conv", "Conv", "Transpose", "Relu", "Identity"))
    if kind == "Conv":
        return [node("Conv", f"{source} ones", result, group=channels)], 1
    if kind == "Transpose":
        inner = f"{result}t"
        orders = {"perm": [0, 2, 3, 1]}, {"perm": [0, 3, 1, 2]}
        return [node(kind, source, inner, **orders[0]), node(kind, inner, result, **orders[1])], 1
    if kind == "Relu":  # of a number and its negative: their difference
        names = [f"{result}{part}" for part in "abcd"]
        return [
            node("Relu", source, names[0]),
            node("Neg", source, names[1]),
            node("Relu", names[1], names[2]),
            node("Sub", f"{names[0]} {names[2]}", result),
        ], 1
    return [node(kind, source, result)], -1 if kind == "Neg" else 1


def check(number: int) -> str:
    rng = random.Random(number)
    names = [rng.choice(list(of_onnx())) for _ in range(rng.choice((1, 1, 2, 3)))]
    shape = (rng.choice((1, 1, 2)), rng.choice((1, 3, 8, 19)), rng.choice((1, 5, 14)), rng.choice((1, 6, 13)))
    nodes: list[NodeProto] = []
    signs: list[tuple[int, int]] = []
    for at, name in enumerate(names):
        before, sign = _exactly(rng, "x", f"b{at}", shape[1])
        behind, turned = _exactly(rng, f"f{at}", f"y{at}", shape[1])
        nodes += [*before, *FUNCTIONS[name].nodes(f"b{at}", f"f{at}"), *behind]
        signs.append((sign, turned))
    used = any("ones" in each.input for each in nodes)
    weights = {"ones": np.ones((shape[1], 1, 1, 1), np.float32)} if used else {}
    model = network(nodes, {"x": shape}, {f"y{at}": shape for at in range(len(names))}, weights, opset=OPSET)
    x = draw_numbers(rng, *shape)
    compiled = directconv.compile(model, rng.choice(TARGETS), layout=rng.choice(LAYOUTS))
    for name, (sign, turned), got in zip(names, signs, compiled.run(x), strict=True):
        assert_exact(name, (sign * x).reshape(-1), (turned * got).reshape(-1))
    return "right"
