"""Sums, differences, products and quotients with constants, one after the other: as numpy rounds them in
float32, or in a filter and bias where nothing shows."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from graph_support import network, node
from onnx import ModelProto, NodeProto
from relay_support import compiled

import tvm_directconv as directconv

TARGETS = ("llvm -mcpu=native", "llvm")
"""With fused multiply-adds, where the host has them, and without."""
HALF_UP = 1.5 * 2**23
"""Adding it rounds a float32 to a whole number."""
LARGE = (HALF_UP, 2.0**23, 65536.0, 49152.0, 1000.0, -HALF_UP)
SMALL = (3.0, 0.1, 255.0, -0.7, 1 / 255, 0.25, 1e-6)
EXTREME = (1e38, 1e-38, 3e20, 1e-42)
CHANNELS = 6
SHAPE = (1, CHANNELS, 5, 7)
Numbers = np.ndarray
FUNCTIONS: dict[str, Callable[[Numbers, Numbers], Numbers]] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.divide,
}
INVERSE = {"Add": "Sub", "Sub": "Add", "Mul": "Div", "Div": "Mul"}
BETWEEN: dict[str, Callable[[Numbers], Numbers]] = {
    "Relu": lambda x: np.maximum(x, np.float32(0)),
    "Abs": np.abs,
    "Neg": np.negative,
    "Identity": lambda x: x,
}


class Chains:
    """Chains of operators on one input, each with a result; and what numpy makes of them in float32."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.nodes: list[NodeProto] = []
        self.weights: dict[str, np.ndarray] = {}
        self.results: dict[str, list[tuple[str, np.ndarray | None, bool]]] = {}

    def constant(self, value: np.ndarray) -> str:
        name = f"c{len(self.weights)}"
        self.weights[name] = value
        return name

    def add(self, steps: Sequence[tuple[str, np.ndarray | None, bool]], source: str = "x") -> None:
        """A chain of (operator, constant, whether the constant comes first)."""
        for kind, value, first in steps:
            names = [source] if value is None else [source, self.constant(value)]
            source = f"t{len(self.nodes)}"
            self.nodes.append(node(kind, " ".join(names[::-1] if first else names), source))
        self.results[source] = list(steps)

    def drawn(self) -> list[tuple[str, np.ndarray | None, bool]]:
        """Two to five operators, whose constants repeat or have to do with each other."""
        steps: list[tuple[str, np.ndarray | None, bool]] = []
        number = self.rng.choice((*LARGE, *SMALL, *EXTREME))
        known = number
        while len(steps) < self.rng.randint(2, 5):
            kind = self.rng.choice(("Add", "Sub") if abs(known) >= 256 else tuple(FUNCTIONS))
            kind = INVERSE[steps[-1][0]] if steps and steps[-1][0] in INVERSE and self.chance(0.5) else kind
            known = self.rng.choice((number, number, number, 2 * number, -number, self.rng.choice(SMALL)))
            # A product and a small term are one fused multiply-add, where there is one.
            while kind in ("Add", "Sub") and steps and steps[-1][0] == "Mul" and abs(known) < 256:
                kind = self.rng.choice(("Mul", "Div"))
            shape = self.rng.choice(((), (1,), (1, CHANNELS, 1, 1), (CHANNELS, 1, 1), SHAPE))
            steps.append((kind, np.full(shape, known, np.float32), self.chance(0.2)))
            if self.chance(0.2):
                steps.append((self.rng.choice(tuple(BETWEEN)), None, False))
        return steps

    def chance(self, part: float) -> bool:
        return self.rng.random() < part

    def model(self, nodes: Sequence[NodeProto] = (), **weights: np.ndarray) -> ModelProto:
        outputs = dict.fromkeys(self.results, SHAPE)
        return network([*nodes, *self.nodes], {"x": SHAPE}, outputs, self.weights | weights)


def computed(steps: Sequence[tuple[str, np.ndarray | None, bool]], x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        for kind, value, first in steps:
            operands = (value, x) if first else (x, value)
            x = BETWEEN[kind](x) if value is None else FUNCTIONS[kind](*operands)
    assert x.dtype == np.float32
    return x


def numbers() -> np.ndarray:
    x = np.random.default_rng(7).standard_normal(SHAPE, np.float32) * np.float32(20)
    x[0, :, 0, :] = np.float32([0.5, 1.5, -2.5, 0.0, 1e-30, -3e30, 100.49])
    return x


def assert_equal(got: np.ndarray, wanted: np.ndarray, what: object) -> None:
    same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
    assert same.all(), f"{what}: {got[~same][:4]} for {wanted[~same][:4]}"


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_chains_round_as_numpy_does(target: str) -> None:
    """Whatever is added and taken off, multiplied by and divided by, in which order, and written how."""
    chains = Chains(len(target))
    for c in (*LARGE, *SMALL, *EXTREME):
        for kind in FUNCTIONS:
            constant = np.float32(c)
            chains.add([(kind, constant, False), (INVERSE[kind], constant, False)])
            chains.add([(kind, constant, True), (kind, constant, True)])
    for _ in range(40):
        chains.add(chains.drawn())
    made = directconv.compile(chains.model(), target)
    x = numbers()
    for got, steps in zip(made.run({"x": x}), chains.results.values(), strict=True):
        assert_equal(got, computed(steps, x), steps)


def test_a_product_before_a_large_sum_is_rounded() -> None:
    """A fused multiply-add rounds x * c + 1.5 * 2^23 once: what lies halfway is another number then."""
    chains, kinds = Chains(0), ("Mul", "Add", "Sub")
    for shape in ((), (1, CHANNELS, 1, 1)):
        constants = [np.full(shape, value, np.float32) for value in (0.1, HALF_UP, HALF_UP)]
        chains.add([(kind, value, False) for kind, value in zip(kinds, constants, strict=True)])
        chains.add([("Abs", None, False), *((k, v, False) for k, v in zip(kinds, constants, strict=True))])
    x = (np.arange(math.prod(SHAPE), dtype=np.float32) * np.float32(5)).reshape(SHAPE)
    made = directconv.compile(chains.model(), TARGETS[0])
    for got, steps in zip(made.run({"x": x}), chains.results.values(), strict=True):
        assert_equal(got, computed(steps, x), steps)


def quarters(*shape: int) -> np.ndarray:
    """Numbers whose sums of products float32 holds, so that layers of them are exact in any order."""
    return np.random.default_rng(shape).integers(-9, 10, shape).astype(np.float32) / np.float32(4)


CONVOLUTION = node("Conv", "x w", "layer", pads=[1, 1, 1, 1])


def behind_layer(steps_of: Sequence[Sequence[tuple[str, np.ndarray | None, bool]]]) -> None:
    """Each chain behind a convolution of its own, and behind the sum of one and the input."""
    chains, nodes, sums = Chains(0), [], []
    for number, steps in enumerate(steps_of):
        nodes.append(node("Conv", "x w", f"layer{number}", pads=[1, 1, 1, 1]))
        nodes.append(node("Add", f"layer{number} x", f"sum{number}"))
        nodes.append(node("Conv", "x w", f"other{number}", pads=[1, 1, 1, 1]))
        for source in (f"sum{number}", f"other{number}"):
            chains.add(steps, source)
            sums.append(source.startswith("sum"))
    filters, x = quarters(CHANNELS, CHANNELS, 3, 3), quarters(*SHAPE)
    layer = directconv.compile(
        network([CONVOLUTION], {"x": SHAPE}, {"layer": SHAPE}, {"w": filters}), TARGETS[0]
    ).run({"x": x})[0]
    made = directconv.compile(chains.model(nodes, w=filters), TARGETS[0])
    for got, steps, with_x in zip(made.run({"x": x}), chains.results.values(), sums, strict=True):
        wanted = computed(steps, layer + x if with_x else layer)
        large = any(value is not None and np.abs(value).max() > 256 for _, value, _ in steps)
        if large:
            assert_equal(got, wanted, steps)
        largest = np.abs(wanted[np.isfinite(wanted)]).max(initial=0)
        np.testing.assert_allclose(got, wanted, rtol=2e-6, atol=2e-6 * largest)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(), (1, CHANNELS, 1, 1)])
def test_rounding_survives_behind_layers(shape: tuple[int, ...]) -> None:
    """Also where a zero point is part of the constant, and where an activation follows."""

    def chain(*steps: tuple[str, float] | str) -> list[tuple[str, np.ndarray | None, bool]]:
        return [
            (step, None, False)
            if isinstance(step, str)
            else (step[0], np.full(shape, step[1], np.float32), False)
            for step in steps
        ]

    behind_layer(
        [
            *(chain(("Add", c), ("Sub", c)) for c in LARGE),
            chain(("Add", HALF_UP + 5), ("Sub", HALF_UP), "Relu"),
            chain(("Add", HALF_UP), ("Sub", HALF_UP), ("Add", 3.0), ("Mul", 0.5)),
            chain("Relu", ("Add", HALF_UP), ("Sub", HALF_UP)),
            chain(("Mul", 1e38), ("Div", 1e38)),
            chain(("Mul", 0.25), ("Add", HALF_UP), ("Sub", HALF_UP), ("Mul", 4.0)),
            chain(("Sub", 3.0), ("Div", 7.0), ("Mul", 1.5), ("Add", 0.25)),
            chain(("Add", 1.0), ("Sub", 1.0), "Relu", ("Mul", 3.0), ("Mul", 5.0)),
        ]
    )


def test_rounding_survives_before_layers_and_between_branches() -> None:
    filters, x = quarters(CHANNELS, CHANNELS, 3, 3), quarters(*SHAPE) + np.float32(0.3)
    weights = {"w": filters, "big": np.float32(HALF_UP)}
    nodes = [
        node("Add", "x big", "a"),
        node("Sub", "a big", "b"),
        node("Conv", "b w", "layer", pads=[1, 1, 1, 1]),
        node("Conv", "x w", "first", pads=[1, 1, 1, 1]),
        node("Add", "first big", "c"),
        node("Sub", "c big", "d"),
        node("Conv", "b w", "second", pads=[1, 1, 1, 1]),
        node("Add", "d second", "branches"),
    ]
    outputs = dict.fromkeys(("layer", "branches", "first"), SHAPE)
    layer, branches, first = directconv.compile(
        network(nodes, {"x": SHAPE}, outputs, weights), TARGETS[0]
    ).run({"x": x})
    whole = np.rint(x)
    padded = np.pad(whole.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    wanted = np.einsum("nchwij,ocij->nohw", windows, filters.astype(np.float64))
    assert_equal(layer, wanted.astype(np.float32), "before")
    assert_equal(branches, (np.rint(first) + wanted).astype(np.float32), "between")


@pytest.mark.parametrize("constants", [(), (CHANNELS, 1, 1)])
def test_a_normalization_written_out_is_part_of_the_layer(constants: tuple[int, ...]) -> None:
    """Sub mean, Div deviation, Mul gamma, Add beta; another scale and shift; and a mean larger than any
    magnitude of the layer's results."""
    rng = np.random.default_rng(3)
    names = ["mean", "deviation", "gamma", "beta", "scale", "shift"]
    weights = {name: rng.uniform(0.5, 2, constants).astype(np.float32) for name in names}
    weights["mean"] *= np.float32(20)
    kinds = ["Sub", "Div", "Mul", "Add", "Mul", "Add"]
    tensors = ["layer", "a", "b", "c", "d", "e", "y"]
    steps = [node(k, f"{tensors[i]} {names[i]}", tensors[i + 1]) for i, k in enumerate(kinds)]
    filters = {"w": quarters(CHANNELS, CHANNELS, 3, 3)}
    module = network([CONVOLUTION, *steps], {"x": SHAPE}, {"y": SHAPE}, weights | filters)
    report = directconv.compile(module, TARGETS[0]).report()
    (layer,) = report.layers
    assert layer.workload.endswith("bias")
    assert not report.other_kernels


def test_a_mean_is_a_quotient() -> None:
    """Sums that float32 holds, divided as numpy does, by numbers without an exact reciprocal."""
    x = np.random.default_rng(0).integers(-99, 99, SHAPE).astype(np.float32)
    nodes = [
        node("GlobalAveragePool", "x", "map"),
        node("ReduceMean", "x", "rows", axes=[3], keepdims=1),
        node("ReduceMean", "x", "channels", axes=[1], keepdims=1),
        node("AveragePool", "x", "windows", kernel_shape=[3, 3]),
    ]
    outputs = {"map": (1, 6, 1, 1), "rows": (1, 6, 5, 1), "channels": (1, 1, 5, 7), "windows": (1, 6, 3, 5)}
    results = directconv.compile(network(nodes, {"x": SHAPE}, outputs), TARGETS[0]).run({"x": x})
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))
    sums = [(x.sum((2, 3), keepdims=True), 35), (x.sum(3, keepdims=True), 7), (x.sum(1, keepdims=True), 6)]
    for got, (total, count) in zip(results, [*sums, (windows.sum((4, 5)), 9)], strict=True):
        assert_equal(got, total / np.float32(count), count)


def test_no_float_is_taken_for_a_real_number() -> None:
    """What TVM's simplifier would say of x - x, (x + y) - y, x * 0, x != x and not x < y."""
    x = numbers()
    x[0, 0, 1, :3] = np.nan, np.inf, -np.inf
    weights = {"zero": np.float32(0), "one": np.float32(1)}
    nodes = [
        node("Sub", "x x", "difference"),
        node("Abs", "x", "size"),
        node("Sqrt", "size", "root"),
        node("Add", "x root", "sum"),
        node("Sub", "sum root", "back"),
        node("Sub", "x sum", "other"),
        node("Mul", "x zero", "nothing"),
        node("Div", "zero x", "none"),
        node("Div", "x zero", "infinite"),
        node("Equal", "x x", "same"),
        node("Less", "x one", "less"),
        node("Not", "less", "not_less"),
        node("Where", "not_less one zero", "chosen"),
        node("Where", "same one zero", "itself"),
    ]
    outputs = ("difference", "back", "other", "nothing", "none", "infinite", "chosen", "itself")
    results = directconv.compile(
        network(nodes, {"x": SHAPE}, dict.fromkeys(outputs, SHAPE), weights), TARGETS[0]
    ).run({"x": x})
    with np.errstate(all="ignore"):
        root, zero = np.sqrt(np.abs(x)), np.float32(0)
        wanted = [x - x, (x + root) - root, x - (x + root), x * zero, zero / x, x / zero]
        wanted += [(~(x < 1)).astype(np.float32), (x == x).astype(np.float32)]
    for name, got, right in zip(outputs, results, wanted, strict=True):
        assert_equal(got, right, name)


def test_constants_of_relay_programs() -> None:
    x = numbers()
    body = "subtract(add(%x, 12582912f), 12582912f)", "divide(multiply(%x, 1e38f), 1e38f)", "divide(%x, 3f)"
    results = compiled(f"({', '.join(body)})", {"x": x})
    with np.errstate(over="ignore"):
        big, three, huge = np.float32(HALF_UP), np.float32(3), np.float32(1e38)
        wanted = (x + big) - big, (x * huge) / huge, x / three
    for got, right in zip(results, wanted, strict=True):
        assert_equal(got, right, body)


def test_a_small_term_behind_an_activation_stays() -> None:
    """1e-6 beside numbers about 1 is within what activations are recognised by; logarithms need it."""
    nodes = [CONVOLUTION, node("Relu", "layer", "a"), node("Add", "a least", "b"), node("Log", "b", "y")]
    weights = {"w": -np.abs(quarters(CHANNELS, CHANNELS, 3, 3)), "least": np.float32(1e-6)}
    x = np.abs(quarters(*SHAPE))
    (got,) = directconv.compile(network(nodes, {"x": SHAPE}, {"y": SHAPE}, weights), TARGETS[0]).run({"x": x})
    np.testing.assert_allclose(got, np.full(SHAPE, math.log(1e-6)), rtol=1e-6)
