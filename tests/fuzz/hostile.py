"""Small files that ask for much: they expand, nest, or hold what onnx's own code hangs or crashes on.

Each is refused in one line, or compiles to what numpy computes. Time and memory are the worker's to limit.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable

import numpy as np
import onnx
from graph_support import network, node
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

import tvm_directconv as directconv
from tvm_directconv.errors import DirectConvError
from tvm_directconv.zoo.inference import infer_shapes

SIZES = (1, 2, 2, 3, 3, 4, 8)
NUMBERS = (0, 1, 1, 2, 3, -1, -2, 4, 7, -100, 2**31 - 1, 1 - 2**31, 65536)
PARTS = ("i", "j", "k", "ij", "...", "...", ",", "->", " ", ".", "A", "-", ">", "1")
LONGEST = 2000
VECTOR = np.array([-1, 0.5], np.float32)

Given = ModelProto | bytes | str


def check(number: int) -> str:
    rng = random.Random(number)
    name = rng.choice(list(FILES))
    return f"{name} {FILES[name](rng)}"


def pair(name: str) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, [2])


def nested_branches(depth: int) -> ModelProto:
    """``depth`` branches of a constant condition in each other, the innermost a Relu; a name is made again at
    each level. Built field by field: protobuf copies nothing as deep by its bytes."""
    graph, other = GraphProto(name="leaf"), GraphProto(name="other")
    graph.node.append(node("Relu", "x", "t"))
    other.node.append(node("Identity", "x", "t"))
    for each in (graph, other):
        each.output.append(pair("t"))
    for level in range(depth):
        chosen = helper.make_node("If", ["c"], ["y" if level == depth - 1 else "t"])
        for name, branch in (("then_branch", graph), ("else_branch", other)):
            chosen.attribute.add(name=name, type=AttributeProto.GRAPH).g.CopyFrom(branch)
        graph = GraphProto(name="level")
        graph.node.add().CopyFrom(chosen)
        graph.output.append(pair("t"))
    model = network([], {"x": (2,)}, {"y": (2,)}, {"c": np.array(True)})
    model.graph.node.add().CopyFrom(chosen)
    return model


def nested_loops(turns: list[int], body: list[NodeProto]) -> ModelProto:
    """Loops in each other, the outermost first, around a body from "s" to "o"."""
    state, out, most = pair("s"), pair("o"), {f"m{level}": np.array(n) for level, n in enumerate(turns)}
    nodes = body
    for level in reversed(range(len(turns))):
        graph = helper.make_graph(
            nodes or [node("Identity", "s", "o")] if level < len(turns) - 1 or body else [],
            f"body{level}",
            [
                helper.make_tensor_value_info("i", TensorProto.INT64, []),
                helper.make_tensor_value_info("k", TensorProto.BOOL, []),
                state,
            ],
            [helper.make_tensor_value_info("k", TensorProto.BOOL, []), out if nodes else state],
        )
        given, made = ("x", "y") if level == 0 else ("s", "o")
        nodes = [helper.make_node("Loop", [f"m{level}", "go", given], [made], body=graph)]
    return network(nodes, {"x": (2,)}, {"y": (2,)}, {**most, "go": np.array(True)})


def doubling_functions(levels: int, calls: int) -> ModelProto:
    """Local functions that each call the one before so many times; the first is a Relu."""
    standard, own = helper.make_opsetid("", 13), helper.make_opsetid("own", 1)
    made = [helper.make_function("own", "f0", ["a"], ["o"], [node("Relu", "a", "o")], [standard])]
    for level in range(1, levels + 1):
        names = ["a", *(f"t{call}" for call in range(calls - 1)), "o"]
        inner = [
            helper.make_node(f"f{level - 1}", [names[call]], [names[call + 1]], domain="own")
            for call in range(calls)
        ]
        made.append(helper.make_function("own", f"f{level}", ["a"], ["o"], inner, [standard, own]))
    model = network([node("Identity", "x", "y")], {"x": (2,)}, {"y": (2,)})
    del model.graph.node[:]
    model.graph.node.append(helper.make_node(f"f{levels}", ["x"], ["y"], domain="own"))
    model.functions.extend(made)
    model.opset_import.append(own)
    return model


def relay_functions(levels: int, calls: int) -> str:
    kind = "Tensor[(2), float32]"
    text = f'#[version = "0.0.5"]\ndef @f0(%x: {kind}) {{ nn.relu(%x) }}\n'
    for level in range(1, levels + 1):
        called = f"@f{level - 1}(" * calls + "%x" + ")" * calls
        text += f"def @f{level}(%x: {kind}) {{ {called} }}\n"
    return text + f"def @main(%x: {kind}) {{ @f{levels}(%x) }}\n"


def _compiled(given: Given, want: np.ndarray | None, *inputs: np.ndarray, cache: bool = False) -> str:
    try:
        got = directconv.compile(given, "llvm -mcpu=native", cache=cache).run(list(inputs))
    except DirectConvError as error:
        text = str(error)
        assert text and "\n" not in text and len(text) < LONGEST, f"no message for people: {text!r}"
        return "refused"
    if want is not None:
        np.testing.assert_allclose(got[0], want, 1e-5, 1e-6)
    return "compiled"


def _numbers(rng: random.Random) -> str:
    """Bytes that are numbers without end, alone or in front of others."""
    data = rng.choice((b"", b"\x08", b"\x3a", b"\x3a\x7f\x2a")) + rng.choice((b"\xff", b"\x80")) * (
        1 << rng.randrange(21)
    )
    data += rng.choice((b"", b"\x01", bytes(rng.randrange(256) for _ in range(40))))
    return _compiled(data, None, cache=True)


def _fields(rng: random.Random) -> str:
    """Many short fields, which nobody asks for."""
    data = rng.choice((b"\x08\x01", b"\x3a\x00", b"\x10\x80\x01", b"\x3a\x02\x2a\x00"))
    return _compiled(data * (1 << rng.randrange(19)), None, cache=True)


def _branches(rng: random.Random) -> str:
    model = nested_branches(rng.choice((*range(1, 40), 100, 300)))
    return _compiled(model, np.maximum(VECTOR, 0), VECTOR)


def _loops(rng: random.Random) -> str:
    turns = [rng.choice((0, 1, 2, 7, 50, 5000, 1 << 40)) for _ in range(rng.choice((1, 1, 2, 3)))]
    body = [] if rng.random() < 0.4 else [node("Relu", "s", "o")]
    ran = bool(body) and all(turns)
    return _compiled(nested_loops(turns, body), np.maximum(VECTOR, 0) if ran else VECTOR, VECTOR)


def _functions(rng: random.Random) -> str:
    return _compiled(
        doubling_functions(rng.choice((1, 3, 6, 12, 40, 500)), rng.choice((1, 1, 2, 3))),
        np.maximum(VECTOR, 0),
        VECTOR,
    )


def _relay(rng: random.Random) -> str:
    return _compiled(
        relay_functions(rng.choice((1, 3, 6, 12, 40)), rng.choice((1, 2, 3))), np.maximum(VECTOR, 0), VECTOR
    )


def _einsum(rng: random.Random) -> str:
    equation = "".join(rng.choice(PARTS) for _ in range(rng.randrange(1, 9)))
    terms = equation.partition("->")[0].split(",")
    extents = {letter: rng.choice(SIZES) for letter in "ijkA"}
    arrays = [
        np.ones([extents[c] for c in term if c in extents] + [2] * term.count("..."), np.float32)
        for term in terms
    ]
    names = [f"x{number}" for number in range(len(arrays))]
    try:
        want = np.asarray(np.einsum(equation, *arrays))
    except ValueError:
        want = None
    model = network(
        [helper.make_node("Einsum", names, ["y"], equation=equation)],
        {name: array.shape for name, array in zip(names, arrays, strict=True)},
        {"y": () if want is None else want.shape},
    )
    return _compiled(model, want, *arrays)


def _operator(rng: random.Random) -> str:
    """One operator of some opset with any attributes, of operands of any kind: inferred, then compiled."""
    schemas = [s for s in onnx.defs.get_all_schemas_with_history() if s.domain == ""]
    schema = rng.choice(schemas)
    opset = max(schema.since_version, 7)
    made = [_operand(rng, f"x{number}") for number in range(rng.randint(1, 4))]
    names = [f"x{number}" for number in range(len(made))]
    one = helper.make_node(schema.name, names, [f"y{n}" for n in range(max(1, min(schema.min_output, 3)))])
    for name, formal in sorted(schema.attributes.items()):
        if formal.required or rng.random() < 0.5:
            one.attribute.append(_attribute(rng, name, int(formal.type.value)))
    graph = helper.make_graph(
        [one],
        "g",
        [value for value in made if isinstance(value, ValueInfoProto)],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in one.output],
        [value for value in made if isinstance(value, TensorProto)],
    )
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("own", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=rng.choice((4, 8, 10)))
    for strict in (False, True):
        with contextlib.suppress(Exception):  # it raises whatever came up
            infer_shapes(model, strict_mode=strict)
    try:
        directconv.compile(model, "llvm -mcpu=native", cache=False)
    except DirectConvError:
        return "refused"
    return "compiled"


def _operand(rng: random.Random, name: str) -> ValueInfoProto | TensorProto:
    shape = [rng.choice(SIZES) for _ in range(rng.randrange(5))]
    kind = rng.random()
    if kind < 0.4:
        numbers = np.array([rng.choice(NUMBERS) for _ in range(int(np.prod(shape[:2])))], np.int64)
        tensor = onnx.numpy_helper.from_array(numbers.reshape(shape[:2]), name)
        if kind < 0.05:
            tensor.dims.append(rng.choice((-1, 5, 2**40)))
        return tensor
    value = helper.make_tensor_value_info(name, rng.choice((1, 1, 7, 9, 10)), shape)
    if kind > 0.95:
        value.type.Clear()
    return value


def _attribute(rng: random.Random, name: str, kind: int) -> AttributeProto:
    made = AttributeProto(name=name, type=kind)
    if kind == AttributeProto.INT:
        made.i = rng.choice(NUMBERS)
    elif kind == AttributeProto.INTS:
        made.ints.extend(rng.choice(NUMBERS) for _ in range(rng.randrange(5)))
    elif kind == AttributeProto.FLOAT:
        made.f = rng.choice((0.0, 1.0, -1.0, 1e30, float("nan")))
    elif kind == AttributeProto.STRING:
        made.s = rng.choice((b"", b"linear", b"SAME_UPPER", b"constant", b"ij->ji", b"\xff"))
    return made


FILES: dict[str, Callable[[random.Random], str]] = {
    "numbers": _numbers,
    "fields": _fields,
    "branches": _branches,
    "loops": _loops,
    "functions": _functions,
    "relay": _relay,
    "einsum": _einsum,
    "operator": _operator,
}
