"""Relay's text format: what TVM wrote is read, what the printer writes is read back as it was."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from relay_printer import print_module, write_metadata
from relay_support import NAMES, sample_text

from relay_strategies.frontends.relay import syntax
from relay_strategies.frontends.relay.metadata import Metadata
from relay_strategies.frontends.relay.parser import parse, split_metadata
from relay_strategies.frontends.relay.syntax import (
    Attribute,
    Binding,
    Block,
    Call,
    Definition,
    Function,
    FunctionType,
    GlobalName,
    Literal,
    MapValue,
    MetaReference,
    Module,
    OperatorName,
    Parameter,
    Projection,
    TensorType,
    Tuple,
    TupleType,
    Variable,
)
from tvm_directconv.errors import ModelError


def body_of(text: str) -> Block:
    """The body of a main without parameters."""
    return parse(f"def @main() {{ {text} }}").definitions[0].function.body


def expression(text: str) -> syntax.Expression:
    return body_of(text).result


def relu(operand: syntax.Expression) -> Call:
    return Call(OperatorName("nn.relu"), (operand,))


# ---- what TVM wrote


@pytest.mark.parametrize("name", NAMES)
def test_samples_are_read(name: str) -> None:
    text = sample_text(name)
    module = parse(text)
    (main,) = module.definitions
    assert (module.version, main.name) == ("0.0.5", "main")
    assert len(main.function.parameters) == text.count(": Tensor[")
    assert len(main.function.body.bindings) == text.count("\n  %")
    for number, binding in enumerate(main.function.body.bindings):
        assert (binding.name, str(binding.position)) == (str(number), f"line {number + 3}, column 3")
    softmax = main.function.body.result
    assert isinstance(softmax, Call) and softmax.function == OperatorName("nn.softmax")


def test_a_layer_is_read_with_its_attributes() -> None:
    first = parse(sample_text("squeezenet")).definitions[0].function.body.bindings[0]
    assert first.value == Call(
        OperatorName("nn.conv2d"),
        (Variable("data"), Variable("conv1_weight")),
        (
            Attribute("strides", (2, 2)),
            Attribute("padding", (3, 3, 3, 3)),
            Attribute("channels", 96),
            Attribute("kernel_size", (7, 7)),
        ),
    )


@pytest.mark.parametrize("name", NAMES)
def test_samples_are_printed_and_read_back(name: str) -> None:
    module = parse(sample_text(name))
    assert parse(print_module(module)) == module


# ---- the language


@pytest.mark.parametrize(
    ("header", "version"),
    [
        ('#[version = "0.0.5"]', "0.0.5"),
        ('#[version = "0.0.3"]', "0.0.3"),
        ("v0.0.4", "0.0.4"),
        ("", "0.0.5"),
    ],
)
def test_versions(header: str, version: str) -> None:
    assert parse(f"{header}\ndef @main() {{ 1 }}").version == version


@pytest.mark.parametrize(
    ("text", "value", "dtype"),
    [
        ("1", 1, "int32"),
        ("-7", -7, "int32"),
        ("5000000000", 5000000000, "int64"),
        ("3i64", 3, "int64"),
        ("3i16", 3, "int16"),
        ("3u8", 3, "uint8"),
        ("1f", 1.0, "float32"),
        ("-0.5f", -0.5, "float32"),
        ("2.5f64", 2.5, "float64"),
        ("1e-05f", 1e-5, "float32"),
        ("1.5e+10f16", 1.5e10, "float16"),
        ("0.25", 0.25, "float32"),
        ("inff", float("inf"), "float32"),
        ("-inff", float("-inf"), "float32"),
        ("True", True, "bool"),
        ("False", False, "bool"),
    ],
)
def test_literals(text: str, value: float, dtype: str) -> None:
    found = expression(text)
    assert found == Literal(value, dtype)
    assert isinstance(found, Literal) and type(found.value) is type(value)


@pytest.mark.parametrize("text", ["300u8", "-1u8", "40000i16", "1f17", "1i7", "3f8"])
def test_literals_that_do_not_fit_their_type(text: str) -> None:
    with pytest.raises(ModelError, match=r"line 1, column 15: "):
        expression(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Tensor[(1, 3), float32]", TensorType((1, 3), "float32")),
        ("Tensor[(4), int8]", TensorType((4,), "int8")),
        ("Tensor[(4,), int8]", TensorType((4,), "int8")),
        ("Tensor[(?, 2i64), float32]", TensorType((None, 2), "float32")),
        ("Tensor[(), bool]", TensorType((), "bool")),
        ("int64", TensorType((), "int64")),
        ("()", TupleType(())),
        ("(int64,)", TupleType((TensorType((), "int64"),))),
        (
            "fn (int64, int64) -> (int64, int64)",
            FunctionType(
                (TensorType((), "int64"),) * 2, TupleType((TensorType((), "int64"), TensorType((), "int64")))
            ),
        ),
    ],
)
def test_types(text: str, kind: syntax.Type) -> None:
    (definition,) = parse(f"def @main(%x: {text}) -> {text} {{ %x }}").definitions
    assert definition.function.parameters == (Parameter("x", kind),)
    assert definition.function.result_type == kind


def test_attributes_of_every_kind() -> None:
    call = expression(
        'f(1, a=1, b=-2f, c="text \\"quoted\\"", d=[1, [2, 3]], e=None, g=True, h=meta[a.B][3], '
        'i=(1, 2), j={"k"=1}, k.l=float32, m=[], n=1e-05f, o=3i64)'
    )
    assert isinstance(call, Call)
    assert {a.name: a.value for a in call.attributes} == {
        "a": 1,
        "b": -2.0,
        "c": 'text "quoted"',
        "d": (1, (2, 3)),
        "e": None,
        "g": True,
        "h": MetaReference("a.B", 3),
        "i": (1, 2),
        "j": MapValue((("k", 1),)),
        "k.l": "float32",
        "m": (),
        "n": 1e-5,
        "o": 3,
    }


def test_names_with_dots_and_projections() -> None:
    assert expression("%3.0.1") == Projection(Projection(Variable("3"), 0), 1)
    assert expression("(%t).1") == Projection(Variable("t"), 1)
    assert expression("%gpu_0/conv1.weight") == Variable("gpu_0/conv1.weight")
    assert expression("%a::b") == Variable("a::b")
    assert expression("(%a, %b).1") == Projection(Tuple((Variable("a"), Variable("b"))), 1)
    assert expression("nn.dropout(%a).0") == Projection(Call(OperatorName("nn.dropout"), (Variable("a"),)), 0)


def test_tuples_and_brackets() -> None:
    one, two = Literal(1, "int32"), Literal(2, "int32")
    assert expression("()") == Tuple(())
    assert expression("(1,)") == Tuple((one,))
    assert expression("(1, 2)") == Tuple((one, two))
    assert expression("(1, 2,)") == Tuple((one, two))
    assert expression("((1))") == one
    assert expression("(%0 = 1; %0)") == Block((Binding("0", one),), Variable("0"))


def test_infix_operators_bind_as_they_do_elsewhere() -> None:
    def call(name: str, *operands: syntax.Expression) -> Call:
        return Call(OperatorName(name), operands)

    a, b, c = (Variable(name) for name in "abc")
    assert expression("%a + %b * %c") == call("add", a, call("multiply", b, c))
    assert expression("%a - %b - %c") == call("subtract", call("subtract", a, b), c)
    assert expression("%a -1") == call("subtract", a, Literal(1, "int32"))
    assert expression("%a / %b <= %c") == call("less_equal", call("divide", a, b), c)
    assert expression("(%a + %b) * %c") == call("multiply", call("add", a, b), c)


def test_lets_functions_and_free_variables() -> None:
    kind = TensorType((2,), "float32")
    inner = Function(
        (Parameter("y", kind),), Block((), relu(Variable("y"))), kind, (Attribute("Primitive", 1),)
    )
    text = "fn (%y: Tensor[(2), float32], Primitive=1) -> Tensor[(2), float32] { nn.relu(%y) }"
    assert body_of(f"let %f: fn (float32) -> float32 = {text}; %f(@g(1f))") == Block(
        (
            Binding(
                "f",
                inner,
                FunctionType((TensorType((), "float32"),), TensorType((), "float32")),
                let=True,
            ),
        ),
        Call(Variable("f"), (Call(GlobalName("g"), (Literal(1.0, "float32"),)),)),
    )
    main = Definition("main", inner)
    assert parse(text).definitions == (main,)
    free = parse("free_var %x: Tensor[(2), float32]; %0 = nn.relu(%x); %0")
    assert free.definitions[0].function == Function(
        (Parameter("x", kind),), Block((Binding("0", relu(Variable("x"))),), Variable("0"))
    )


def test_comments_and_spans() -> None:
    text = """
    // a line; with %code
    %0 = nn.relu(1f /* ty=float32 */) /* ty=float32 span=Conv_1:0:0 */;  /* a /* nested */ one */
    %1 = nn.relu(%0) /* span=res/block.1:12:3 */;
    %2 = f(%1, a="/* not a comment */ // nor this") /* no span */;
    %2
    """
    values = [binding.value for binding in body_of(text).bindings]
    assert [value.span for value in values if isinstance(value, Call)] == ["Conv_1", "res/block.1", ""]
    (last,) = values[2].attributes  # type: ignore[union-attr]
    assert last.value == "/* not a comment */ // nor this"


def test_annotations_of_devices_are_passed_over() -> None:
    device = "virtual_device=meta[VirtualDevice][0]"
    text = f"def @main(%x {{{device}}}: int64, {device}) {{ %x }}"
    (definition,) = parse(text).definitions
    assert definition.function.parameters == (Parameter("x", TensorType((), "int64")),)


def test_long_chains_take_neither_stack_nor_time() -> None:
    lines = "".join(f"let %v{i + 1} = nn.relu(%v{i});\n" for i in range(3_000))
    start = time.process_time()
    body = parse(f"def @main(%v0: float32) {{ {lines} %v3000 }}").definitions[0].function.body
    assert len(body.bindings) == 3_000
    assert time.process_time() - start < 60  # it is 0.4 s on a free core


@pytest.mark.parametrize(
    "text", ["(" * 5000 + "1" + ")" * 5000, "%x" + ".0" * 5000, "f(" * 200 + ")" * 200, "1" + " + 1" * 5000]
)
def test_deep_nesting_is_refused(text: str) -> None:
    try:
        expression(text)
    except ModelError as error:
        assert "levels deep" in str(error) or "expected" in str(error)


# ---- what the printer writes

LOCALS = st.from_regex(r"[a-z_][a-z0-9_]{0,4}([./][a-z][a-z0-9]{0,3}){0,2}", fullmatch=True)
GRAPH = st.integers(0, 99).map(str)
VARIABLES = (LOCALS | GRAPH).map(Variable)
OPERATORS = st.sampled_from(["nn.conv2d", "add", "nn.contrib_conv2d_NCHWc", "qnn.add", "f"]).map(OperatorName)
FLOATS = st.floats(allow_nan=False)
LITERALS = st.one_of(
    st.integers(-(2**31), 2**31 - 1).map(lambda v: Literal(v, "int32")),
    st.integers(-(2**63), 2**63 - 1).map(lambda v: Literal(v, "int64")),
    st.integers(0, 255).map(lambda v: Literal(v, "uint8")),
    st.tuples(FLOATS, st.sampled_from(["float16", "float32", "float64"])).map(lambda v: Literal(*v)),
    st.booleans().map(lambda v: Literal(v, "bool")),
)
METAS = st.builds(MetaReference, st.sampled_from(["relay.Constant", "VirtualDevice"]), st.integers(0, 99))
DTYPES = st.sampled_from(["float32", "int8", "uint8", "bool", "int64"])
TENSORS = st.builds(TensorType, st.lists(st.none() | st.integers(0, 9999), max_size=5).map(tuple), DTYPES)
TYPES = st.recursive(
    TENSORS,
    lambda inner: (
        st.builds(TupleType, st.lists(inner, max_size=3).map(tuple))
        | st.builds(FunctionType, st.lists(inner, max_size=3).map(tuple), inner)
    ),
    max_leaves=4,
)
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | FLOATS | TEXTS | METAS,
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple)
        | st.lists(st.tuples(TEXTS, inner), max_size=2).map(lambda entries: MapValue(tuple(entries)))
    ),
    max_leaves=4,
)
ATTRIBUTE_NAMES = st.sampled_from(["strides", "padding", "axis", "relay.reshape_only", "Primitive", "_x"])
ATTRIBUTES = st.lists(
    st.builds(Attribute, ATTRIBUTE_NAMES, VALUES), max_size=3, unique_by=lambda a: a.name
).map(tuple)


def blocks(expressions: st.SearchStrategy[syntax.Expression], least: int = 0) -> st.SearchStrategy[Block]:
    graph = st.builds(Binding, GRAPH, expressions)
    let = st.builds(Binding, LOCALS, expressions, st.none() | TYPES, st.just(True))
    return st.builds(Block, st.lists(graph | let, min_size=least, max_size=3).map(tuple), expressions)


def functions(expressions: st.SearchStrategy[syntax.Expression]) -> st.SearchStrategy[Function]:
    parameters = st.lists(st.builds(Parameter, LOCALS, st.none() | TYPES), max_size=3).map(tuple)
    return st.builds(Function, parameters, blocks(expressions), st.none() | TYPES, ATTRIBUTES)


def compound(inner: st.SearchStrategy[syntax.Expression]) -> st.SearchStrategy[syntax.Expression]:
    several = st.lists(inner, max_size=3).map(tuple)
    called = OPERATORS | VARIABLES | st.just(GlobalName("g"))
    return st.one_of(
        st.builds(Tuple, several),
        st.builds(Projection, inner, st.integers(0, 9)),
        st.builds(Call, called, several, ATTRIBUTES),
        functions(inner),
        blocks(inner, least=1),
        st.builds(syntax.Branch, inner, blocks(inner), blocks(inner)),
    )


EXPRESSIONS = st.recursive(VARIABLES | LITERALS | METAS | OPERATORS, compound, max_leaves=8)
MODULES = st.builds(
    Module,
    st.sampled_from(["0.0.4", "0.0.5"]),
    st.lists(
        st.builds(Definition, st.sampled_from(["main", "f", "g.h"]), functions(EXPRESSIONS)),
        min_size=1,
        max_size=2,
        unique_by=lambda d: d.name,
    ).map(tuple),
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(MODULES)
def test_printed_programs_are_read_back_as_they_were(module: Module) -> None:
    assert parse(print_module(module)) == module


# ---- the metadata section

ARRAYS = [
    np.arange(6, dtype=np.float32).reshape(2, 3),
    np.array(-7, np.int64),
    np.array([True, False]),
    np.arange(4, dtype=np.uint8).reshape(1, 2, 2, 1),
    np.zeros((0, 3), np.float16),
]


def test_constants_come_back_from_the_metadata_section() -> None:
    module = parse("def @main() { meta[relay.Constant][0] }")
    text = print_module(module, ARRAYS)
    program, section, line = split_metadata(text)
    assert parse(program) == module
    assert text.splitlines()[line - 1] == "#[metadata]"
    metadata = Metadata(section, line)
    for index, array in enumerate(ARRAYS):
        found = metadata.constant(MetaReference("relay.Constant", index))
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)
    with pytest.raises(ModelError, match="has 5 of that kind"):
        metadata.constant(MetaReference("relay.Constant", 5))


def test_the_metadata_section_is_tvms_own() -> None:
    """A tensor's bytes as TVM's serializer lays them out: [[1, 2, 3], [4, 5, 6]] of float32."""
    stored = (
        "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAIgAQACAAAAAAAAAAMAAAAAAAAAGAAAAAAAAAAA"
        "AIA/AAAAQAAAQEAAAIBAAACgQAAAwEA="
    )
    array = np.arange(1, 7, dtype=np.float32).reshape(2, 3)
    assert stored in write_metadata([array])
