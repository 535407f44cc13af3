"""Reader of Relay's text format: from text to the syntax of syntax.py.

The grammar is grammar.lark's; Lark makes the tables and the tree. Comments go before the grammar sees the
text (Relay nests them, and hides spans in them), the metadata section is metadata.py's. Trees are walked
without recursion, so that no text can exhaust the stack.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import lark

from tvm_directconv.errors import ModelError

from .syntax import (
    Attribute,
    Binding,
    Block,
    Branch,
    Call,
    Definition,
    Expression,
    Function,
    FunctionType,
    GlobalName,
    Literal,
    MapValue,
    MetaReference,
    Module,
    OperatorName,
    Parameter,
    Position,
    Projection,
    TensorType,
    Tuple,
    TupleType,
    Variable,
)

VERSIONS = tuple(f"0.0.{n}" for n in range(1, 6))
METADATA = re.compile(r"^[ \t]*#\[metadata\]", re.MULTILINE)
MAX_DIGITS = 20
MAX_DEPTH = 100
"""Texts are nested no deeper than this; what TVM printed has fewer than ten levels."""
REFUSED_WORDS = {
    "type": "algebraic data types are",
    "match": "pattern matching is",
    "ref": "references are",
    "ref_read": "references are",
    "ref_write": "references are",
    "extern": "external functions are",
    "import": "imports are",
}
INFIX = {
    **{"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "<": "less", ">": "greater"},
    **{"<=": "less_equal", ">=": "greater_equal", "==": "equal", "!=": "not_equal"},
}
_LEXEME = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*|\*/')
_SPAN = re.compile(r"\bspan=(.*?)(?::-?\d+)*(?::-?\d+)?\s*$", re.DOTALL)
_META = re.compile(r"meta\[(.+)\]\[(\d+)\]")
_NUMBER = re.compile(r"(.*?)([fiu]\d*)?$")
_INT32 = range(-(2**31), 2**31)


def parse_error(message: str, position: Position) -> ModelError:
    """What to raise for text that is not Relay's."""
    return ModelError(f"{position}: {message}")


def split_metadata(text: str) -> tuple[str, str | None, int]:
    """(the program, the metadata section's JSON or None, the line on which that begins)."""
    found = METADATA.search(text)
    if found is None:
        return text, None, 0
    return text[: found.start()], text[found.end() :], text.count("\n", 0, found.end()) + 1


def parse(program: str) -> Module:
    """The module that a program, without a metadata section, says. Raises ModelError.

    A program that is one function, or an expression over free variables, becomes the function ``main``.
    """
    plain, spans = _without_comments(program)
    if not plain.strip():
        raise parse_error(
            "the text is empty; a Relay module begins with #[version] or def @main", Position(1, 1)
        )
    try:
        tree = _grammar().parse(plain)
    except lark.exceptions.UnexpectedInput as error:
        raise _syntax_error(plain, error) from None
    return _build(tree, spans)


@functools.cache
def _grammar() -> lark.Lark:
    return lark.Lark.open("grammar.lark", rel_to=__file__, parser="lalr", propagate_positions=True)


def _without_comments(text: str) -> tuple[str, dict[int, str]]:
    """The text with blanks for comments, and the span in each comment by the offset of what it follows."""
    pieces, spans, depth, start, kept = [], dict[int, str](), 0, 0, 0
    for found in _LEXEME.finditer(text):
        lexeme = found.group()
        if lexeme.startswith("//") and depth == 0:
            pieces += [text[kept : found.start()], " " * len(lexeme)]
            kept = found.end()
        elif lexeme == "/*":
            if depth == 0:
                start = found.start()
            depth += 1
        elif lexeme == "*/" and depth > 0:
            depth -= 1
            if depth == 0:
                pieces += [text[kept:start], re.sub(r"[^\n]", " ", text[start : found.end()])]
                span = _SPAN.search(text, start, found.start())
                if span is not None and span.group(1):
                    spans[len(text[kept:start].rstrip()) + kept] = span.group(1)
                kept = found.end()
    if depth > 0:
        raise parse_error("this comment does not end", _position_at(text, start))
    return "".join([*pieces, text[kept:]]), spans


def _position_at(text: str, offset: int) -> Position:
    return Position(text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1)


def _syntax_error(text: str, error: lark.exceptions.UnexpectedInput) -> ModelError:
    offset = error.pos_in_stream
    if offset is None or not text[offset:].strip() or getattr(error, "token", None) == "":
        end = len(text.rstrip())
        return parse_error("the text ends too early; is the file truncated?", _position_at(text, end))
    position = _position_at(text, offset)
    word = re.match(r'\w+|"[^"\n]*"?|%[\w.]*|\S', text[offset:])
    shown = word.group() if word else ""
    before = re.search(r"(\w+)\s*$", text[:offset])
    for candidate in (shown, before.group(1) if before else ""):
        if candidate in REFUSED_WORDS:
            return parse_error(f"{REFUSED_WORDS[candidate]} not supported ('{candidate}')", position)
    return parse_error(f"'{shown[:40]}' is not expected here", position)


# ---- from Lark's tree to syntax


class _Node:
    """One rule of the grammar that has been read: its name, its place, and its children already built."""

    def __init__(self, meta: Any, children: list[Any], spans: dict[int, str]) -> None:
        self.children = children
        self.position = Position() if meta.empty else Position(meta.line, meta.column)
        self.span = "" if meta.empty else spans.get(meta.end_pos, "")

    def of(self, *kinds: type) -> list[Any]:
        return [child for child in self.children if isinstance(child, kinds)]

    @property
    def text(self) -> str:
        return str(self.children[0])


def _build(tree: lark.Tree, spans: dict[int, str]) -> Module:
    built: dict[int, Any] = {}
    depth: dict[int, int] = {}
    for subtree in tree.iter_subtrees():
        children = subtree.children
        inner = [child for child in children if isinstance(child, lark.Tree)]
        depth[id(subtree)] = 1 + max((depth[id(child)] for child in inner), default=0)
        node = _Node(subtree.meta, [built[id(c)] if isinstance(c, lark.Tree) else c for c in children], spans)
        if depth[id(subtree)] > MAX_DEPTH:
            raise parse_error(f"nested more than {MAX_DEPTH} levels deep", node.position)
        built[id(subtree)] = BUILD[str(subtree.data)](node)
    module = built[id(tree)]
    assert isinstance(module, Module)
    return module


def _start(node: _Node) -> Module:
    version = next(iter(node.of(str)), VERSIONS[-1])
    definitions = tuple(node.of(Definition))
    seen: dict[str, Definition] = {}
    for definition in definitions:
        if definition.name in seen:
            raise parse_error(f"@{definition.name} is defined twice", definition.position)
        seen[definition.name] = definition
    return Module(str(version), definitions or (_only_function(*node.of(_Body)),))


def _only_function(body: _Body) -> Definition:
    result = body.block.result
    if isinstance(result, Function) and not body.block.bindings and not body.free:
        return Definition("main", result, result.position)
    position = body.block.position
    return Definition("main", Function(body.free, body.block, None, (), position), position)


def _version(node: _Node) -> str:
    version = node.text.strip('"').removeprefix("v")
    if version not in VERSIONS:
        raise parse_error(
            f"version '{version}' of the text format is not known; there are {VERSIONS[0]} to {VERSIONS[-1]}",
            node.position,
        )
    return version


def _definition(node: _Node) -> Definition:
    name, function = node.children
    return Definition(str(name)[1:], function, node.position)


def _function(node: _Node) -> Function:
    (body,) = node.of(_Body)
    if body.free:
        raise parse_error("free_var stands outside of functions", body.free[0].position)
    types = node.of(TensorType, TupleType, FunctionType)
    parameters, attributes = tuple(node.of(Parameter)), tuple(node.of(Attribute))
    return Function(parameters, body.block, types[0] if types else None, attributes, node.position)


class _Body:
    """A block and the free variables declared in it."""

    def __init__(self, node: _Node) -> None:
        *statements, result = node.children
        self.free = tuple(s for s in statements if isinstance(s, Parameter))
        bindings = tuple(s for s in statements if isinstance(s, Binding))
        self.block = Block(bindings, result, node.position)


def _group(node: _Node) -> Expression:
    (body,) = node.children
    if body.free:
        raise parse_error("free_var stands outside of expressions", body.free[0].position)
    return body.block if body.block.bindings else body.block.result


def _parameter(node: _Node) -> Parameter:
    types = node.of(TensorType, TupleType, FunctionType)
    return Parameter(node.text[1:], types[0] if types else None, node.position)


def _let(node: _Node) -> Binding:
    types = node.of(TensorType, TupleType, FunctionType)
    value = node.children[-1]
    return Binding(node.text[1:], value, types[0] if types else None, True, node.position)


def _graph(node: _Node) -> Binding:
    return Binding(node.text[1:], node.children[1], position=node.position)


def _infix(node: _Node) -> Call:
    left, sign, right = node.children
    operator = OperatorName(INFIX[str(sign)], node.position)
    return Call(operator, (left, right), (), node.position, node.span)


def _call(node: _Node) -> Call:
    function, *rest = node.children
    attributes = tuple(a for a in rest if isinstance(a, Attribute))
    arguments = tuple(a for a in rest if not isinstance(a, Attribute))
    seen = set()
    for attribute in attributes:
        if attribute.name in seen:
            raise parse_error(f"attribute '{attribute.name}' is given twice", attribute.position)
        seen.add(attribute.name)
    return Call(function, arguments, attributes, node.position, node.span)


def _projection(node: _Node) -> Projection:
    return Projection(node.children[0], _index(node, node.children[1][1:]), node.position)


def _number(node: _Node) -> tuple[int | float, str]:
    """A number and its dtype: float32 and int32 where the text does not say another."""
    found = _NUMBER.match(node.text)
    assert found is not None
    digits, suffix = found.groups()
    is_float = not re.fullmatch(r"-?\d+", digits) or (suffix or "").startswith("f")
    kind = {"f": "float", "i": "int", "u": "uint"}[suffix[0] if suffix else "f" if is_float else "i"]
    if not is_float and len(digits) > MAX_DIGITS:
        raise parse_error(f"{digits[:20]}... is too large", node.position)
    value: int | float = float(digits) if is_float else int(digits)
    wide = "64" if isinstance(value, int) and value not in _INT32 else "32"
    bits = (suffix or "")[1:] or wide
    if bits not in ("8", "16", "32", "64") or (kind == "float" and bits == "8"):
        raise parse_error(f"'{node.text}' is not a number of a known type", node.position)
    if isinstance(value, int):
        signed = kind == "int"
        most = (1 << int(bits) - signed) - 1
        if not (-most - 1 if signed else 0) <= value <= most:
            raise parse_error(f"{node.text[:40]} does not fit into {kind}{bits}", node.position)
    return value, f"{kind}{bits}"


def _literal(node: _Node) -> Literal:
    return Literal(*_number(node), node.position)


def _meta(node: _Node) -> MetaReference:
    found = _META.fullmatch(node.text)
    assert found is not None
    kind, index = found.groups()
    return MetaReference(kind, _index(node, index), node.position)


def _index(node: _Node, digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise parse_error(f"index {digits[:20]}... is too large", node.position)
    return int(digits)


def _string(node: _Node) -> str:
    text = node.text
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text.startswith('"') else text


def _dimension(node: _Node) -> int | None:
    if node.text == "?":
        return None
    value, _ = _number(node)
    if value < 0:
        raise parse_error(f"a dimension is {value}", node.position)
    return int(value)


def _tensor_type(node: _Node) -> TensorType:
    *shape, dtype = node.children
    return TensorType(tuple(shape), str(dtype))


def _function_type(node: _Node) -> FunctionType:
    *parameters, result = node.of(TensorType, TupleType, FunctionType)
    return FunctionType(tuple(parameters), result)


BUILD: dict[str, Callable[[_Node], Any]] = {
    "start": _start,
    "version": _version,
    "definition": _definition,
    "function": _function,
    "type_parameters": lambda node: None,
    "parameter": _parameter,
    "device": lambda node: None,
    "body": _Body,
    "let": _let,
    "graph": _graph,
    "free": lambda node: node.children[0],
    "infix": _infix,
    "call": _call,
    "projection": _projection,
    "variable": lambda node: Variable(node.text[1:], node.position),
    "global": lambda node: GlobalName(node.text[1:], node.position),
    "operator": lambda node: OperatorName(node.text, node.position),
    "integer": _literal,
    "float": _literal,
    "true": lambda node: Literal(True, "bool", node.position),
    "false": lambda node: Literal(False, "bool", node.position),
    "meta": _meta,
    "closure": lambda node: node.children[0],
    "branch": lambda node: Branch(
        node.children[0], node.children[1].block, node.children[2].block, node.position
    ),
    "tuple": lambda node: Tuple(tuple(node.children), node.position),
    "group": _group,
    "attribute": lambda node: Attribute(node.text, node.children[1], node.position),
    "integer_value": lambda node: _number(node)[0],
    "float_value": lambda node: _number(node)[0],
    "true_value": lambda node: True,
    "false_value": lambda node: False,
    "none_value": lambda node: None,
    "string_value": _string,
    "meta_value": _meta,
    "list_value": lambda node: tuple(node.children),
    "map_value": lambda node: MapValue(tuple(node.children)),
    "entry": lambda node: (node.children[0], node.children[1]),
    "tensor_type": _tensor_type,
    "scalar_type": lambda node: TensorType((), node.text),
    "tuple_type": lambda node: TupleType(tuple(node.of(TensorType, TupleType, FunctionType))),
    "function_type": _function_type,
    "dimension": _dimension,
}
