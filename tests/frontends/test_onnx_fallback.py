"""Models of which nodes do not compile: ``fallback`` gives what ONNX Runtime does, whatever stands where."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from click.testing import CliRunner
from onnx import ModelProto, numpy_helper
from onnx_node_cases import node_cases, reason_excluded
from reference import run_by_name

import tvm_directconv as directconv
from relay_strategies.compiler.fallback.model import PartedModel
from tvm_directconv.cache import FOLDER, SWITCH
from tvm_directconv.cli.group import commands
from tvm_directconv.errors import DirectConvError, InputError, ModelError, UnsupportedOperatorError

RNG = np.random.default_rng(3)
WEIGHTS = {
    "w": RNG.standard_normal((3, 3, 3, 3), np.float32) / 4,
    "half": (RNG.standard_normal((3, 3, 3, 3)) / 4).astype(np.float16),
    "one": np.array(1),
    "last": np.array([2, 3]),
    "zero": np.float32(0),
    "long": np.arange(3),
}
X = RNG.standard_normal((1, 3, 6, 6), np.float32)
IMAGE = "float[1,3,6,6]"


@dataclass(frozen=True)
class Case:
    """A model in ONNX's text, and what it is run on; ``parts`` says whether each part is compiled."""

    signature: str
    nodes: str
    parts: tuple[bool, ...]
    inputs: tuple[dict[str, Any], ...] = ({"x": X},)
    options: dict[str, Any] = field(default_factory=dict)

    def model(self) -> ModelProto:
        text = f"""<ir_version: 8, opset_import: ["" : 17]> g {self.signature} {{ {self.nodes} }}"""
        model = onnx.parser.parse_model(text)
        read = {name for node in model.graph.node for name in node.input}
        read |= {value.name for value in model.graph.output}
        arrays = [numpy_helper.from_array(array, name) for name, array in WEIGHTS.items() if name in read]
        model.graph.initializer.extend(arrays)
        return model


def conv(source: str, result: str, weights: str = "w") -> str:
    return f"{result} = Conv <pads = [1, 1, 1, 1]> ({source}, {weights})"


def det(source: str, result: str) -> str:
    """Scale by determinants, which are of an operator that is not supported."""
    return f"""{result}_det = Det ({source})  {result}_last = Unsqueeze ({result}_det, last)
        {result} = Mul ({source}, {result}_last)"""


LOOP = """b = Loop (n, go, a) <body = turns (int64 i, bool c, float[1,3,6,6] v) => (bool d, float[1,3,6,6] u)
    { d = Identity (c)  s = Det (a)  t = ReduceSum <keepdims = 0> (s)  u = Add (v, t) }>"""
TURNS = ({"x": X, "n": np.array(3), "go": np.array(True)}, {"x": X, "n": np.array(0), "go": np.array(True)})
SIZES = tuple({"x": RNG.standard_normal((n, 3, 6, 6), np.float32)} for n in (1, 4, 2))
HALF = ({"x": X.astype(np.float16)},)
SAME = f"({IMAGE} x) => ({IMAGE} y)"
OPEN = "(float[N,3,6,6] x) => (float[N,3,6,6] y)"
CASES = {
    "in the middle": Case(SAME, f"{conv('x', 'a')} {det('a', 'b')} {conv('b', 'y')}", (True, False, True)),
    "at the beginning": Case(SAME, f"{det('x', 'a')} {conv('a', 'y')}", (False, True)),
    "at the end": Case(SAME, f"{conv('x', 'a')} {det('a', 'y')}", (True, False)),
    "in a branch": Case(
        SAME, f"{conv('x', 'a')} {det('a', 'b')} {conv('a', 'c')} y = Add (b, c)", (True, False)
    ),
    "two": Case(
        SAME,
        f"{conv('x', 'a')} {det('a', 'b')} {conv('b', 'c')} {det('c', 'd')} {conv('d', 'y')}",
        (True, False, True, False, True),
    ),
    "alone": Case(SAME, det("x", "y"), (False,)),
    "a loop": Case(
        f"({IMAGE} x, int64 n, bool go) => ({IMAGE} y)",
        f"{conv('x', 'a')} {LOOP} {conv('b', 'y')}",
        (True, False, True),
        TURNS,
    ),
    "a sequence as an output": Case(
        f"({IMAGE} x) => (seq(float[1,3,6,6]) s, {IMAGE} y)",
        f"{conv('x', 'y')} s = SequenceConstruct (x, y)",
        (True, False),
    ),
    "text as an output": Case(
        f"({IMAGE} x) => (string[1,3,6,6] s, {IMAGE} y)",
        f"{conv('x', 'y')} big = Greater (y, zero) n = Cast <to = 7> (big) s = Cast <to = 8> (n)",
        (True, False),
    ),
    "bool, integers and inputs as outputs": Case(
        f"({IMAGE} x, int64[2] k) => (bool[1,3,6,6] p, int64[4] m, int64[2] k, int64[3] long, {IMAGE} y)",
        f"{conv('x', 'a')} p = Greater (a, zero) m = Shape (a) {det('a', 'b')} {conv('b', 'y')}",
        (True, False, True),
        ({"x": X, "k": np.array([7, -1])},),
    ),
    "float16": Case(
        "(float16[1,3,6,6] x) => (float16[1,3,6,6] y)",
        f"{conv('x', 'a', 'half')} c = Cast <to = 1> (a) {det('c', 'd')} b = Cast <to = 10> (d)"
        f" {conv('b', 'y', 'half')}",
        (True, False, True),
        HALF,
    ),
    "nothing found": Case(
        f"({IMAGE} x) => (int64[4,M] where, {IMAGE} y)",
        f"{conv('x', 'a')} {det('a', 'b')} r = Relu (b)"
        f" n = Less (r, zero) where = NonZero (n) {conv('b', 'y')}",
        (True, False, True),
    ),
    "an open batch": Case(
        OPEN, f"{conv('x', 'a')} {det('a', 'b')} {conv('b', 'y')}", (True, False, True), SIZES
    ),
    "a size computed of an open one": Case(
        OPEN,
        f"{conv('x', 'a')} k = Shape (x) {det('a', 'b')} c = Reshape (b, k) {conv('c', 'y')}",
        (True, False, True),
        SIZES,
    ),
    "several sizes": Case(
        OPEN, f"{conv('x', 'a')} {det('a', 'b')} {conv('b', 'y')}", (True, False, True), SIZES,
        {"batch": (1, 4, 2)},
    ),
    "open images": Case(
        "(float[1,3,h,h] x) => (float[1,3,h,h] y)",
        f"{conv('x', 'a')} {det('a', 'b')} {conv('b', 'y')}",
        (True, False, True),
        tuple({"x": RNG.standard_normal((1, 3, n, n), np.float32)} for n in (6, 9)),
        {"typical": {"h": 6}},
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_model(name: str) -> None:
    case = CASES[name]
    proto = case.model()
    model = directconv.compile(proto, cache=False, fallback="onnxruntime", **case.options)
    assert isinstance(model, PartedModel)
    assert tuple(step.model is not None for step in model.executable.steps) == case.parts
    assert model.stays and all(model.stays.values())
    for inputs in case.inputs:
        expected = run_by_name(proto, inputs)
        for answers in (model.run(inputs), model.request().run(inputs), model.submit(inputs).result()):
            assert_same(answers, list(expected.values()))


def assert_same(answers: list[Any], expected: list[Any]) -> None:
    for answer, right in zip(answers, expected, strict=True):
        if isinstance(right, list):
            assert_same(answer, right)
            continue
        assert (answer.shape, answer.dtype) == (right.shape, right.dtype)
        if right.dtype.kind == "f":
            bound = 1e-4 if right.dtype == np.float32 else 1e-2
            np.testing.assert_allclose(answer, right, rtol=bound, atol=bound * max(1, abs(right).max()))
        else:
            np.testing.assert_array_equal(answer, right)


def two_parts() -> PartedModel:
    return directconv.compile(CASES["in the middle"].model(), cache=False, fallback="onnxruntime")


def test_the_model_is_used_like_others(tmp_path: Path) -> None:
    model = two_parts()
    (expected,) = model.run({"x": X})
    assert [str(info) for info in (*model.inputs, *model.outputs)] == [
        "x: float32[1, 3, 6, 6]",
        "y: float32[1, 3, 6, 6]",
    ]
    np.testing.assert_array_equal(model(X), expected)
    np.testing.assert_array_equal(model(x=X), expected)
    given = np.empty_like(expected)
    assert model.run(X, given)[0] is given
    model.set_inputs(X)
    model.invoke()
    np.testing.assert_array_equal(model.get_outputs()[0], given)
    model.concurrency = 2
    results = [model.submit(X) for _ in range(4)]
    assert all(np.array_equal(each.result()[0], expected) for each in results)
    report = model.report()
    assert len(report.layers) == 2 and "Det" in str(report) and model.memory() > 0
    assert type(report).from_json(report.to_json()).stays == report.stays == model.stays
    profile = model.profile(rounds=1)
    assert {"onnxruntime"} < {call.name for call in profile.calls}
    assert profile.seconds > 0 and "onnxruntime" in str(profile)
    for write in (model.export_library, model.export_c):
        with pytest.raises(DirectConvError, match=r"computed by ONNX Runtime.*'b_det \(Det\)'"):
            write(tmp_path / "network.so")
    assert not list(tmp_path.iterdir())
    with pytest.raises(InputError, match="'x' has shape"):
        model.run(X[0])


def test_results_do_not_share_memory_with_inputs() -> None:
    case = CASES["bool, integers and inputs as outputs"]
    model = directconv.compile(case.model(), cache=False, fallback="onnxruntime")
    inputs = {name: array.copy() for name, array in case.inputs[0].items()}
    first = model.run(inputs)
    for result in first:
        result.fill(1)
    assert_same(model.run(inputs), list(run_by_name(case.model(), case.inputs[0]).values()))


def test_without_fallback_the_error_says_both_ways_out() -> None:
    with pytest.raises(UnsupportedOperatorError, match=r"Det.*fallback='onnxruntime'.*tvm-directconv split"):
        directconv.compile(CASES["in the middle"].model(), cache=False)


def test_what_compiles_as_a_whole_is_an_ordinary_model() -> None:
    proto = Case(SAME, conv("x", "y"), ()).model()
    assert not isinstance(directconv.compile(proto, cache=False, fallback="onnxruntime"), PartedModel)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"fallback": "tensorrt"}, "'tensorrt'"),
        ({"fallback": "onnxruntime", "target": "opencl -device=mali -model=g72"}, "Det.*b_det|b_det.*Det"),
        ({"fallback": "onnxruntime", "shapes": {"z": (1,)}}, "'z'"),
    ],
)
def test_errors(options: dict[str, Any], error: str) -> None:
    with pytest.raises(DirectConvError, match=error):
        directconv.compile(CASES["in the middle"].model(), cache=False, **options)


def test_without_onnxruntime_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ModelError, match=r"Det.*pip install onnxruntime"):
        two_parts()


def test_parts_come_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SWITCH, "1")
    monkeypatch.setenv(FOLDER, str(tmp_path))
    for expected in (True, False):
        phases = list[str]()
        directconv.compile(CASES["in the middle"].model(), fallback="onnxruntime", on_phase=phases.append)
        assert ("code" in phases) is expected


RUNNING: dict[str, Callable[[list[str]], list[str]]] = {
    "run": lambda rest: ["run", *rest, "--rounds", "1", "--json"],
    "explain": lambda rest: ["explain", *rest, "--json"],
    "profile": lambda rest: ["profile", *rest, "--rounds", "1", "--json"],
}


@pytest.mark.parametrize("command", RUNNING)
def test_commands(command: str, tmp_path: Path) -> None:
    path = tmp_path / "network.onnx"
    onnx.save(CASES["in the middle"].model(), path)
    result = CliRunner().invoke(commands, RUNNING[command]([str(path), "--fallback", "onnxruntime"]))
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    if command == "explain":
        assert list(told["stays"]) == ["b_det (Det)"]
    refused = CliRunner().invoke(commands, RUNNING[command]([str(path)]))
    assert refused.exit_code and "fallback" in refused.output


LEAST_OPERATORS = 12
"""Operators of node tests that are refused, and that ONNX Runtime has."""


@pytest.mark.slow
def test_refused_node_tests_between_layers() -> None:
    """One of ONNX's own tests of each operator that is refused, in a model with two layers."""
    tried, ran = set[str](), 0
    for name, case in node_cases().items():
        kind = case.model.graph.node[-1].op_type
        if reason_excluded(name) is None or kind in tried:
            continue
        model, inputs = between(case.model), given_to(case)
        try:
            expected = run_by_name(model, inputs)
        except Exception:  # ONNX Runtime does not have the operator or the type
            continue
        tried.add(kind)
        compiled = directconv.compile(model, cache=False, fallback="onnxruntime")
        assert any(step.model is not None for step in compiled.executable.steps), name
        assert_same_values(compiled.run(inputs), list(expected.values()), name)
        ran += 1
    assert ran >= LEAST_OPERATORS


def between(given: ModelProto) -> ModelProto:
    model = ModelProto()
    model.CopyFrom(given)
    graph = model.graph
    if not any(entry.domain == "" for entry in model.opset_import):
        model.opset_import.append(onnx.helper.make_opsetid("", 17))
    graph.node.insert(0, onnx.helper.make_node("Conv", ["image", "w"], ["between"], "first"))
    graph.node.append(onnx.helper.make_node("Conv", ["between", "w"], ["layers"], "second"))
    graph.initializer.append(numpy_helper.from_array(WEIGHTS["w"], "w"))
    graph.input.append(onnx.helper.make_tensor_value_info("image", onnx.TensorProto.FLOAT, X.shape))
    graph.output.append(onnx.ValueInfoProto(name="layers"))
    return model


def given_to(case: Any) -> dict[str, Any]:
    names = [value.name for value in case.model.graph.input]
    return {**dict(zip(names, map(plain, case.data_sets[0][0]), strict=False)), "image": X}


def plain(value: Any) -> Any:
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    return value if value is None or isinstance(value, list) else np.asarray(value)


def assert_same_values(answers: list[Any], expected: list[Any], name: str) -> None:
    for answer, right in zip(answers, expected, strict=True):
        if isinstance(right, list):
            assert_same_values(answer, right, name)
        elif right is None or np.asarray(right).dtype.kind not in "fc":
            assert np.array_equal(answer, right), name
        else:
            np.testing.assert_allclose(answer, right, rtol=1e-3, atol=1e-3, err_msg=name)
