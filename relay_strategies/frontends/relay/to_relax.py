"""Conversion of Relay's syntax to a Relax function: resolve names, inline functions, convert operators.

The text is evaluated with Relax expressions for tensors: tuples and closures are gone afterwards, and what
is left is one dataflow block of operators, as importer.py makes of ONNX.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import tvm
from tvm import relax

from relay_strategies.frontends.budget import allow, limited, spend
from relay_strategies.relax.graph import constant, dtype_of, make_constant, operator_name, shape_of
from relay_strategies.relax.movement_calls import pad_value
from relay_strategies.relax.names import NamedBuilder
from tvm_directconv.errors import ModelError, UnsupportedOperatorError, last_line, let_through, nearest

from .converters import CONVERTERS, MAPS, Blocked, Closure, OperatorCall, Value
from .layouts import plain_layout
from .left_out import reason
from .metadata import CONSTANT, Metadata
from .signature import (
    check_names,
    check_result,
    checked_value,
    input_variable,
    main_of,
    printed_name,
    tensor_type,
)
from .syntax import (
    Block,
    Branch,
    Call,
    Definition,
    Expression,
    Function,
    GlobalName,
    Literal,
    MetaReference,
    Module,
    OperatorName,
    Parameter,
    Position,
    Projection,
    TensorType,
    Tuple,
    Variable,
)

MAX_FIELDS = 10_000
"""A result has at most this many tensors; tuples of the same tuples grow as fast as calls."""
MAX_INLINED = 80
"""Functions that call functions, or themselves, are inlined to this depth."""
UNNAMED_SPANS = ("from_string", "GeneratedSource", "")
# Where operators take values that training made, and no one feeds at run time.
WEIGHTS = {
    **dict.fromkeys(("nn.conv2d", "nn.dense", "nn.conv2d_transpose", "nn.contrib_conv2d_NCHWc"), (1,)),
    **dict.fromkeys(("nn.bias_add", "nn.prelu", "qnn.conv2d", "qnn.dense"), (1,)),
    **dict.fromkeys(("nn.contrib_depthwise_conv2d_NCHWc", "nn.contrib_dense_pack"), (1,)),
    "nn.batch_norm": (1, 2, 3, 4),
}


def to_relax(
    module: Module, metadata: Metadata, params: Mapping[str, np.ndarray], *, all_weights: bool
) -> tuple[tvm.IRModule, list[str]]:
    """Return a module whose ``main`` is a Relax function of the parameters that ``params`` lacks, and their
    names.

    With ``all_weights`` a weight that is left without a value is refused. Raises ModelError with line and
    column, UnsupportedOperatorError naming every operator without a converter.
    """
    refuse_operators(module)
    definitions = {definition.name: definition for definition in module.definitions}
    main = main_of(module)
    check_names(main.function, params)
    with limited():
        allow(sum(isinstance(node, Call) for node in _nodes(module)))
        return _Evaluation(definitions, metadata).run(main, params, all_weights)


def refuse_operators(module: Module) -> None:
    """Name every operator without a converter before anything is converted."""
    unknown: dict[str, list[str]] = {}
    for node in _nodes(module):
        if isinstance(node, OperatorName) and node.name not in CONVERTERS:
            unknown.setdefault(node.name, []).append(str(node.position))
    if unknown:
        listed = "; ".join(f"{name}{_why(name)} ({at[0]}{_more(at)})" for name, at in unknown.items())
        raise UnsupportedOperatorError(f"operators that are not supported: {listed}")


def _why(operator: str) -> str:
    why = reason(operator)
    return f", which {why}" if why else nearest(operator, CONVERTERS)


def _more(places: Sequence[str]) -> str:
    return f" and {len(places) - 1} more" if len(places) > 1 else ""


def _nodes(root: Any) -> Iterator[Any]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting.extend(reversed(node))
        elif is_dataclass(node) and not isinstance(node, Position | TensorType):
            yield node
            waiting.extend(reversed([getattr(node, field.name) for field in fields(node)]))


class _Evaluation:
    """The walk over one module's functions."""

    def __init__(self, definitions: Mapping[str, Definition], metadata: Metadata) -> None:
        self._definitions = definitions
        self._metadata = metadata
        self._builder = NamedBuilder()
        self._names: dict[relax.Expr, str] = {}
        self._inputs: dict[relax.Expr, Parameter] = {}
        self._without_value: dict[str, Parameter] = {}
        self._constants: dict[tuple[str, int], relax.Expr] = {}
        self._inlined: list[Function] = []
        self._chosen = 0
        """How many branches are inside of each other of which none is known to be taken."""
        self._fields = 0

    def run(
        self, main: Definition, params: Mapping[str, np.ndarray], all_weights: bool
    ) -> tuple[tvm.IRModule, list[str]]:
        arrays = {printed_name(name): array for name, array in params.items()}
        scope: dict[str, Value] = {}
        inputs: list[relax.Var] = []
        for parameter in main.function.parameters:
            expected = tensor_type(parameter)
            if parameter.name in arrays:
                value = make_constant(checked_value(arrays[parameter.name], expected, parameter))
                self._names[value] = parameter.name
            else:
                value = input_variable(parameter, expected)
                inputs.append(value)
                self._inputs[value] = parameter
            scope[parameter.name] = value
        try:
            with self._builder.function("main", inputs):
                with self._builder.dataflow():
                    result = self._result(self._block(main.function.body, scope), main)
                    output = self._builder.emit_output(result)
                self._builder.emit_func_output(output)
        except BaseException:
            self._builder._end_block()  # TVM warns about a builder that is dropped with an open block
            raise
        if all_weights and self._without_value:
            listed = ", ".join(f"%{name} ({p.position})" for name, p in self._without_value.items())
            raise ModelError(f"weights without a value: {listed}; give them in params")
        module = self._builder.get()
        used = relax.analysis.remove_all_unused(module["main"])
        module.update_func(module.get_global_var("main"), used)
        return module, [self._inputs[var].name for var in inputs]

    def _result(self, value: Value, main: Definition) -> relax.Expr:
        check_result(value, main.function.result_type, main)
        return self._returned(value, main.position)

    def _returned(self, value: Value, position: Position) -> relax.Expr:
        if isinstance(value, Closure):
            raise ModelError(f"{position}: @main returns a function")
        if isinstance(value, tuple):
            self._fields += len(value)
            if self._fields > MAX_FIELDS:
                raise ModelError(f"{position}: @main returns more than {MAX_FIELDS} tensors")
            return relax.Tuple([self._returned(field, position) for field in value])
        return self._call("copy", (), position, "").tensor(value, "the result")

    # ---- expressions

    def _block(self, block: Block, scope: Mapping[str, Value]) -> Value:
        inner = dict(scope)
        for binding in block.bindings:
            value = inner[binding.name] = self._value(binding.value, inner, binding.name)
            if isinstance(value, Closure) and isinstance(binding.value, Function):
                value.scope[binding.name] = value  # which may call itself
        return self._value(block.result, inner, "result")

    def _value(self, node: Expression, scope: dict[str, Value], name: str) -> Value:
        if isinstance(node, Variable):
            return self._variable(node, scope)
        if isinstance(node, Call):
            return self._called(node, scope, name)
        if isinstance(node, Literal):
            return relax.const(np.asarray(node.value, node.dtype), node.dtype)
        if isinstance(node, MetaReference):
            return self._constant(node)
        if isinstance(node, Tuple):
            return tuple(self._value(field, scope, f"{name}_{i}") for i, field in enumerate(node.fields))
        if isinstance(node, Projection):
            return _projected(self._value(node.tuple, scope, name), node.index, node.position)
        if isinstance(node, Function):
            return Closure(node, dict(scope))
        if isinstance(node, Block):
            return self._block(node, scope)
        if isinstance(node, GlobalName):
            return Closure(self._global(node), {})
        if isinstance(node, Branch):
            return self._branch(node, scope, name)
        raise ModelError(f"{node.position}: {type(node).__name__} is not supported as a value")

    def _branch(self, node: Branch, scope: dict[str, Value], name: str) -> Value:
        """The branch of a condition that is known; else both are computed, and one is selected."""
        condition = self._value(node.condition, scope, name)
        call = self._call("where", (), node.position, name)
        known = constant(call.tensor(condition, "the condition"))
        if known is not None:
            return self._block(node.then if bool(known) else node.otherwise, scope)
        self._chosen += 1  # what is computed either way must end by itself
        then, otherwise = (self._block(block, scope) for block in (node.then, node.otherwise))
        self._chosen -= 1
        return self._selected(call, condition, then, otherwise)

    def _selected(self, call: OperatorCall, condition: Value, then: Value, otherwise: Value) -> Value:
        """Each tensor of one value or of the other, which have to be alike."""
        if isinstance(then, tuple) and isinstance(otherwise, tuple) and len(then) == len(otherwise):
            pairs = zip(then, otherwise, strict=True)
            return tuple(self._selected(call, condition, *pair) for pair in pairs)
        mask, *parts = (call.tensor(value, "a branch's value") for value in (condition, then, otherwise))
        if len({(call.shape_of(part), dtype_of(part)) for part in parts}) > 1:
            raise call.error("the branches make tensors of other types, which is known at run time only")
        return call.emit(relax.op.where(mask, *parts))

    def _variable(self, node: Variable, scope: Mapping[str, Value]) -> Value:
        if node.name in scope:
            return scope[node.name]
        # A name may have dots, and so may end in what is a projection.
        whole, dot, index = node.name.rpartition(".")
        if dot and index.isdecimal() and len(index) < 9:
            return _projected(self._variable(replace(node, name=whole), scope), int(index), node.position)
        raise ModelError(f"{node.position}: %{node.name} is not defined{nearest(node.name, scope)}")

    def _constant(self, node: MetaReference) -> relax.Expr:
        key = node.kind, node.index
        if key not in self._constants:
            self._constants[key] = make_constant(self._metadata.constant(node))
        return self._constants[key]

    def _global(self, node: GlobalName) -> Function:
        if node.name not in self._definitions:
            raise ModelError(
                f"{node.position}: @{node.name} is not defined{nearest(node.name, self._definitions)}"
            )
        return self._definitions[node.name].function

    def _called(self, node: Call, scope: dict[str, Value], name: str) -> Value:
        spend(1)
        node = self._with_attributes(node)
        arguments = [self._value(a, scope, f"{name}_{i}") for i, a in enumerate(node.arguments)]
        if isinstance(node.function, OperatorName):
            return self._operator(node, node.function.name, arguments, name)
        closure = self._value(node.function, scope, name)
        if not isinstance(closure, Closure):
            raise ModelError(f"{node.position}: what is called is a tensor, not a function")
        return self._inline(node, closure, arguments)

    def _with_attributes(self, node: Call) -> Call:
        """A call with its attributes, which Relay may have printed as a reference behind its arguments."""
        last = node.arguments[-1] if node.arguments else None
        if not isinstance(last, MetaReference) or last.kind == CONSTANT:
            return node
        known = self._metadata.attributes(last)
        return replace(node, arguments=node.arguments[:-1], attributes=(*node.attributes, *known))

    def _inline(self, node: Call, closure: Closure, arguments: Sequence[Value]) -> Value:
        function = closure.function
        if len(arguments) != len(function.parameters):
            raise ModelError(
                f"{node.position}: {len(arguments)} arguments for a function of {len(function.parameters)}"
            )
        is_active = any(function is active for active in self._inlined)
        if is_active and (self._chosen or not _has_branch(function)):
            raise ModelError(f"{node.position}: recursion whose end is known at run time only, or not at all")
        if len(self._inlined) >= MAX_INLINED:
            raise ModelError(f"{node.position}: recursion, or functions more than {MAX_INLINED} levels deep")
        self._inlined.append(function)
        passed = dict(zip((p.name for p in function.parameters), arguments, strict=True))
        value = self._block(function.body, closure.scope | passed)
        self._inlined.pop()
        return value

    # ---- operators

    def _operator(self, node: Call, operator: str, arguments: list[Value], name: str) -> Value:
        for index in WEIGHTS.get(operator, ()):
            if index < len(arguments) and arguments[index] in self._inputs:
                parameter = self._inputs[arguments[index]]
                self._without_value[parameter.name] = parameter
        layer = node.span if node.span not in UNNAMED_SPANS else self._layer_name(arguments, name)
        layout = _layout(operator, arguments)
        if layout is not None:
            arguments = [self._unblocked(value, layout, node.position) for value in arguments]
        self._builder.name = layer
        call = self._call(operator, arguments, node.position, layer, node)
        try:
            value = CONVERTERS[operator](call)
            call.check_attributes()
            _check_extents(call, value)
        except ModelError:
            raise
        except Exception as error:  # TVM's type relations raise whatever comes up
            let_through(error)
            raise call.error(last_line(error)[:300]) from error
        return value if layout is None else _blocked(value, layout)

    def _call(
        self,
        operator: str,
        arguments: Sequence[Value],
        position: Position,
        name: str,
        node: Call | None = None,
    ) -> OperatorCall:
        attributes = () if node is None else node.attributes
        return OperatorCall(operator, arguments, attributes, position, self._builder, name, self._padding)

    def _layer_name(self, arguments: Sequence[Value], name: str) -> str:
        weight = arguments[1] if len(arguments) > 1 else None
        return self._names.get(weight, name) if isinstance(weight, relax.Expr) else name

    def _padding(self, data: relax.Expr) -> relax.Call | None:
        """The nn.pad with a constant that made ``data``."""
        value = self._builder.lookup_binding(data) if isinstance(data, relax.Var) else None
        if not isinstance(value, relax.Call) or operator_name(value) != "relax.nn.pad":
            return None
        return value if pad_value(value) is not None else None

    def _unblocked(self, value: Value, layout: str, position: Position) -> Value:
        if isinstance(value, Blocked):
            return value.data
        if isinstance(value, relax.Expr) and len(shape_of(value) or ()) == len(plain_layout(layout)) + 1:
            return self._call("layout_transform", (), position, "").change_layout(
                value, layout, plain_layout(layout)
            )
        return value


def _has_branch(function: Function) -> bool:
    return any(isinstance(node, Branch) for node in _nodes(function))


def _check_extents(call: OperatorCall, value: Value) -> None:
    """TVM lets windows be larger than what they slide over."""
    for part in value if isinstance(value, tuple) else (value,):
        data = part.data if isinstance(part, Blocked) else part
        shape = shape_of(data) if isinstance(data, relax.Expr) else None
        if any(isinstance(extent, int) and extent < 1 for extent in shape or ()):
            raise call.error(f"the result would have shape {shape}")


def _layout(operator: str, arguments: Sequence[Value]) -> str | None:
    """The layout with blocks in which an element-wise operator has all its operands that are not scalars."""
    layouts = {value.layout for value in arguments if isinstance(value, Blocked)}
    if operator not in MAPS or len(layouts) != 1:
        return None
    (layout,) = layouts
    rank = len(plain_layout(layout)) + 1
    for value in arguments:
        shape = shape_of(value) if isinstance(value, relax.Expr) else ()
        block = int("".join(filter(str.isdigit, layout)))
        if shape and not (len(shape) == rank and shape[-1] == block):
            return None
    return layout


def _blocked(value: Value, layout: str) -> Value:
    if isinstance(value, tuple):
        return tuple(_blocked(field, layout) for field in value)
    return Blocked(value, layout) if isinstance(value, relax.Expr) else value


def _projected(value: Value, index: int, position: Position) -> Value:
    if not isinstance(value, tuple):
        raise ModelError(f"{position}: .{index} of a value that is not a tuple")
    if index >= len(value):
        raise ModelError(f"{position}: .{index} of a tuple of {len(value)}")
    return value[index]
