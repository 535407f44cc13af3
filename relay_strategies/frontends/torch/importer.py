"""PyTorch in: a module or an exported program becomes a Relax module with its weights bound.

TVM's own importer of exported programs converts what this folder's ``converters/`` do not. All that depends
on no input is computed by PyTorch itself and becomes a constant. Each result is checked against the shape and
type that torch.export has for it, so that a wrong conversion is an error here, which names the node.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
import tvm
from torch import fx
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind, TensorArgument
from torch.utils import _pytree as pytree
from tvm import relax
from tvm.relax.frontend.torch.exported_program_translator import ExportedProgramImporter

from relay_strategies.relax.graph import dtype_of, make_constant, operator_name, shape_of
from relay_strategies.relax.names import LAYERS, NamedBuilder
from relay_strategies.relax.parameters import size_params
from tvm_directconv.errors import (
    DirectConvError,
    ModelError,
    UnsupportedOperatorError,
    last_line,
    let_through,
)
from tvm_directconv.problem.extents import is_open
from tvm_directconv.runtime.arrays import of_torch as array_of

from .changes import new_values, read_by
from .converters import (
    CHECKS,
    CONVERTERS,
    KEPT,
    OF_COMPLEX,
    OF_OPEN_NUMBERS,
    PARTWISE,
    Complex,
    Node,
    spectra,
)
from .converters.node import NAMES, as_rows, real_type
from .empty import empty_of, is_unchanged
from .export import input_values, lowered_program, tensor_inputs
from .symbols import Symbols

CHANGED = ".changed"
"""Ends the name of a result that is the new value of an input."""
Imported = tuple[tvm.IRModule, list[str], list[str], dict[str, str], list[str]]
"""A module, names of its inputs and outputs, inputs whose new values outputs are, and all complex ones."""
INTEGERS = ("int", "Optional[int]", "List[int]", "Optional[List[int]]")
"""Types of arguments that are sizes, as schemas have them; results are computed with other numbers."""


def import_program(program: ExportedProgram, shapes: Mapping[str, Sequence[int]] | None = None) -> Imported:
    """The Relax module of an exported program, and the names of its inputs and outputs.

    Raises ModelError, and UnsupportedOperatorError naming every operator that cannot be compiled.
    """
    with contextlib.redirect_stdout(io.StringIO()):
        lowered = lowered_program(program, shapes or {})
        return _ProgramImporter(lowered, shapes or {}).imported()


class _ProgramImporter(ExportedProgramImporter):
    """Asks ``CONVERTERS`` first and TVM's table for everything else."""

    def __init__(self, program: ExportedProgram, shapes: Mapping[str, Sequence[int]]) -> None:
        super().__init__()
        self._program = program
        self._symbols = Symbols(program, input_values(program), shapes)
        self._known: dict[fx.Node, Any] = {}
        self._names: dict[fx.Node, str] = {}
        self._places: dict[relax.Expr, relax.Expr] = {}
        self._pairs: list[str] = []
        self.block_builder = NamedBuilder()

    def imported(self) -> Imported:
        nodes = list(self._program.graph.nodes)
        self._bind_weights(nodes)
        inputs = {spec.arg.name: self._input(spec.arg.name, nodes) for spec in tensor_inputs(self._program)}
        outputs = self._outputs(nodes[-1])
        read = read_by(outputs.values())
        nodes = [
            node for node in nodes if node.op != "call_function" or node in read or node.target in CHECKS
        ]
        self._refuse(nodes)
        builder = self.block_builder
        with builder.function("main", [*inputs.values(), *size_params()]):
            with builder.dataflow():
                for node in nodes:
                    if node.op == "placeholder" and node.name in inputs and node not in self._known:
                        self.env[node] = self._given(inputs[node.name], node)
                    elif isinstance(node.meta.get("val"), torch.SymInt):
                        self.env[node] = self._symbols.size(node.meta["val"])
                    elif node.op == "call_function" and node.target not in CHECKS and _is_tensor(node):
                        self._call(node)
                results = [self._result(name, output) for name, output in outputs.items()]
                value = builder.emit_output(results[0] if len(results) == 1 else relax.Tuple(results))
            builder.emit_func_output(value)
        return builder.get(), list(inputs), list(outputs), self._changed, self._pairs

    def _bind_weights(self, nodes: list[fx.Node]) -> None:
        """Make parameters, buffers and constants known, by the names that the network has for them."""
        program, state = self._program, new_values(self._program)
        specs = {spec.arg.name: spec for spec in program.graph_signature.input_specs}
        for node in nodes:
            if node.op == "get_attr":
                self._known[node] = getattr(program.graph_module, str(node.target))
            if node.op != "placeholder":
                continue
            spec = specs[node.name]
            if spec.kind is InputKind.TOKEN:  # the order of checks
                continue
            if spec.kind is InputKind.USER_INPUT or spec.arg.name in state:
                if not isinstance(spec.arg, TensorArgument):
                    self._known[node] = getattr(spec.arg, "value", None)
                elif (nothing := empty_of(node.meta["val"])) is not None:
                    self._known[node] = nothing
                continue
            source = program.constants if spec.target in program.constants else program.state_dict
            if spec.target not in source:
                raise ModelError(f"the exported program lacks a value for '{spec.target}'")
            value = source[spec.target]
            if not isinstance(value, torch.Tensor):
                raise ModelError(f"'{spec.target}' is a {type(value).__name__}, and no tensor")
            self._known[node] = value.detach()
            self._names[node] = str(spec.target)

    def _input(self, name: str, nodes: list[fx.Node]) -> relax.Var:
        value = next(node for node in nodes if node.op == "placeholder" and node.name == name).meta["val"]
        shape, dtype = self._symbols.shape(value), real_type(value.dtype)
        if dtype not in NAMES:
            raise ModelError(f"input '{name}' has type {value.dtype}, which is not supported")
        if value.is_complex():
            self._pairs.append(name)
            shape = (*shape, 2)
        return relax.Var(name, relax.TensorType(shape, NAMES[dtype]))

    def _given(self, var: relax.Var, node: fx.Node) -> relax.Expr | Complex:
        return spectra.apart(self._about(node), var) if _is_complex(node.meta["val"]) else var

    def _outputs(self, output: fx.Node) -> dict[str, fx.Node]:
        """The results that users get, by name, and new values of inputs that the program changes."""
        specs = self._program.graph_signature.output_specs
        spec = self._program.call_spec.out_spec
        marks = pytree.tree_unflatten(list(range(spec.num_leaves)), spec)
        paths = [path for path, _ in pytree.tree_flatten_with_path(marks)[0]]
        names = iter([_name_of(path, place) for place, path in enumerate(paths)])
        results: dict[str, fx.Node] = {}
        for kind, value in zip(specs, output.args[0], strict=True):
            if kind.kind is not OutputKind.USER_OUTPUT:
                continue
            name = next(names)
            if value is None:
                continue
            if not isinstance(value, fx.Node) or not isinstance(value.meta.get("val"), torch.Tensor):
                raise UnsupportedOperatorError(f"output '{name}' is {value}, no tensor")
            results[name if name not in results else f"{name}_{len(results)}"] = value
        if not results:
            raise ModelError("the network does not have an output that is a tensor")
        values = new_values(self._program)
        self._changed = {f"{name}{CHANGED}": name for name in values}
        return {**results, **{f"{name}{CHANGED}": value for name, value in values.items()}}

    def _refuse(self, nodes: list[fx.Node]) -> None:
        """Name every operator that nobody converts, and compute what depends on no input."""
        unknown: dict[str, list[str]] = {}
        for node in nodes:
            for operand in node.all_input_nodes if node.target in CHECKS else ():
                condition = operand.meta.get("val")
                if isinstance(condition, torch.SymBool) and not self._symbols.is_found(condition):
                    self._symbols.guard(condition.node.expr)
            if node.op != "call_function" or node.target in CHECKS:
                continue
            value = node.meta.get("val")
            if (nothing := empty_of(value)) is not None:
                self._known[node] = nothing
                continue
            if isinstance(value, torch.SymInt):
                continue
            if isinstance(value, torch.SymBool) and all(user.target in CHECKS for user in node.users):
                continue
            if isinstance(value, torch.SymFloat | torch.SymBool) or not self._is_known(value):
                raise UnsupportedOperatorError(
                    f"node '{node.name}' ({node.target}): how large its result is, is known when it runs only"
                )
            # What is converted here draws nothing: of layers with dropout, those in evaluation.
            is_random = torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())
            is_random = is_random and getattr(node.target, "__name__", "") not in CONVERTERS
            is_computed = node.all_input_nodes or isinstance(node.target, torch._ops.OpOverload)
            is_computed = is_computed and getattr(node.target, "__name__", "") not in KEPT
            is_computed = is_computed and _is_static(value)
            if is_computed and not is_random and all(n in self._known for n in node.all_input_nodes):
                self._evaluate(node)
            elif is_random or not self._is_converted(node):
                unknown.setdefault(str(node.target), []).append(node.name)
        if unknown:
            listed = "; ".join(f"{name} ({', '.join(map(repr, names))})" for name, names in unknown.items())
            raise UnsupportedOperatorError(f"operators that are not supported: {listed}")

    def _is_known(self, value: Any) -> bool:
        """Whether a result's sizes are numbers, or follow from those of inputs or of what is found."""
        if isinstance(value, list | tuple):
            return all(map(self._is_known, value))
        return not isinstance(value, torch.Tensor) or all(map(self._symbols.is_known, value.shape))

    def _is_converted(self, node: fx.Node) -> bool:
        name = getattr(node.target, "__name__", "")
        if isinstance(node.target, torch._ops.OpOverload):
            return name in CONVERTERS or name in OF_COMPLEX or name in self.convert_map
        return name == "getitem"

    def _evaluate(self, node: fx.Node) -> None:
        def value_of(argument: fx.Node) -> Any:
            return self._known[argument]

        arguments = fx.map_arg(node.args, value_of), fx.map_arg(node.kwargs, value_of)
        try:
            with torch.no_grad():
                self._known[node] = node.target(*arguments[0], **arguments[1])
        except Exception as error:  # torch raises whatever came up
            let_through(error)
            raise ModelError(
                f"node '{node.name}' ({node.target}) cannot be computed: {last_line(error)}"
            ) from error
        name = next((self._names[n] for n in node.all_input_nodes if n in self._names), None)
        if name is not None:
            self._names[node] = name

    def _operand(self, node: fx.Node) -> relax.Expr:
        """A node's value in Relax; what PyTorch has computed becomes a constant when it is first needed."""
        if node not in self.env:
            value = self._known[node]
            if isinstance(value, torch.Tensor) and value.is_complex():
                parts = (make_constant(array_of(part.contiguous())) for part in (value.real, value.imag))
                value = Complex(*parts)
            elif isinstance(value, torch.Tensor):
                value = make_constant(array_of(value))
            elif isinstance(value, list | tuple):
                value = tuple(make_constant(array_of(v)) if isinstance(v, torch.Tensor) else v for v in value)
            self.env[node] = value
        return self.env[node]

    def _result(self, name: str, output: fx.Node) -> relax.Expr:
        value = self._operand(output)
        if isinstance(value, Complex):
            self._pairs.append(name)
            return spectra.interleaved(self._about(output), value)
        return value

    def _call(self, node: fx.Node) -> None:
        if node in self._known:
            return
        for operand in node.all_input_nodes:
            self._operand(operand)
        about = self._about(node)
        self._refuse_numbers(about)
        self.block_builder.name = about.name
        try:
            result = self._converted(about)
            if isinstance(result, relax.Expr):
                result = self._emitted(result, about)
                result = spectra.widened(about, result) if _is_complex(about.meta) else result
            self.env[node] = self._checked(result, about)
        except DirectConvError:
            raise
        except Exception as error:  # converters and Relax's shape inference raise whatever came up
            let_through(error)
            raise ModelError(f"{about.label} cannot be imported: {last_line(error)}") from error

    def _about(self, node: fx.Node) -> Node:
        layer = _module_path(node)
        return Node(
            *(node, layer, self._layer_name(node, layer), self._arguments(node)),
            *(self.block_builder, self._symbols.shape, self._places),
        )

    def _converted(self, about: Node) -> Any:
        """What the node's converter makes of it, of complex tensors for each part or by their own."""
        node, name = about.source, about.source.target.__name__
        operands = {n: self.env[n] for n in node.all_input_nodes if isinstance(self.env.get(n), Complex)}
        if operands and name in OF_COMPLEX:
            return OF_COMPLEX[name](about)
        if operands and name.partition(".")[0] in PARTWISE:
            return self._by_parts(about, operands)
        if name == "getitem":
            source = self.env[node.args[0]]
            index = int(node.args[1])
            return source[index] if isinstance(source, tuple) else relax.TupleGetItem(source, index)
        if operands and name not in spectra.CONVERTERS:
            raise about.refusal("it is of complex numbers")
        if is_unchanged(node):
            return self._operand(node.all_input_nodes[0])
        if name in CONVERTERS:
            return as_rows(CONVERTERS[name])(about)
        return self.convert_map[name](node)

    def _by_parts(self, about: Node, operands: Mapping[fx.Node, Complex]) -> Any:
        """A node's result of the real parts of its operands, and of the imaginary ones."""
        node, results = about.source, list[Any]()
        for place in (0, 1):
            self.env.update({each: value.parts[place] for each, value in operands.items()})
            try:
                part = replace(about, arguments=self._arguments(node))
                results.append(self._emitted(self._converted(part), about))
            finally:
                self.env.update(operands)
        if isinstance(about.meta, tuple | list):
            raise about.refusal("it makes several complex tensors")
        return Complex(*results)

    def _arguments(self, node: fx.Node) -> dict[str, Any]:
        if not isinstance(node.target, torch._ops.OpOverload):
            return {}
        values = dict(node.kwargs)
        for argument, value in zip(node.target._schema.arguments, node.args, strict=False):
            values[argument.name] = value
        for argument in node.target._schema.arguments:
            values.setdefault(argument.name, argument.default_value)
        return {name: fx.map_arg(value, self._operand) for name, value in values.items()}

    def _refuse_numbers(self, about: Node) -> None:
        """Raise where an open size is computed with as a number, of which converters take the value."""
        target = about.source.target
        if isinstance(target, torch._ops.OpOverload) and target.__name__ not in OF_OPEN_NUMBERS:
            for argument in target._schema.arguments:
                value = about[argument.name]
                values = value if isinstance(value, list | tuple) else [value]
                if is_open(values) and str(argument.type) not in INTEGERS:
                    raise about.refusal(f"'{argument.name}' is an open size, {value}")

    def _layer_name(self, node: fx.Node, layer: str) -> str:
        """The module path of a layer: that of its weights, else of the module that the call is in."""
        names = [self._names[n] for n in node.all_input_nodes if n in self._names]
        weights = [name for name in names if not name.endswith("bias")] or names
        owner = weights[0].replace(".parametrizations", "").rpartition(".")[0] if weights else ""
        return owner or layer or node.name

    def _emitted(self, value: relax.Expr, about: Node) -> relax.Expr:
        if operator_name(value) in LAYERS:
            return about.emit_layer(value)
        is_new = isinstance(value, relax.Call | relax.Tuple | relax.TupleGetItem)
        return self.block_builder.emit(value) if is_new else value

    def _checked(self, result: Any, about: Node) -> Any:
        """The result, of exactly the shape and type that torch.export knows."""
        known = about.meta
        if isinstance(result, Complex):
            return Complex(*(self._checked(part, about) for part in result.parts))
        if isinstance(known, torch.Tensor) and isinstance(result, relax.Expr):
            found_shape, dtype = shape_of(result), NAMES.get(real_type(known.dtype))
            self._symbols.find(known, found_shape)
            shape = self._symbols.shape(known)
            if found_shape != shape:
                raise about.refusal(f"it is imported with shape {found_shape}, not {shape}")
            found = dtype_of(result)
            if found != dtype and dtype is not None and "int" in found and "int" in dtype:
                return about.cast(result, dtype)
            if found != dtype:
                raise about.refusal(f"it is imported with type {found}, not {dtype}")
        return result


def _is_static(value: Any) -> bool:
    """Whether a result's sizes are numbers."""
    if isinstance(value, list | tuple):
        return all(map(_is_static, value))
    if isinstance(value, torch.Tensor):
        return all(isinstance(size, int) for size in value.shape)
    return not isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool)


def _is_complex(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_complex()


def _is_tensor(node: fx.Node) -> bool:
    """Whether a node computes tensors, and not a size."""
    return not isinstance(node.meta.get("val"), torch.SymInt | torch.SymBool)


def _module_path(node: fx.Node) -> str:
    stack = node.meta.get("nn_module_stack") or {}
    return str(list(stack.values())[-1][0]) if stack else ""


def _name_of(path: Sequence[Any], place: int) -> str:
    """The name of an output: the keys that lead to it where there are any."""
    keys = [str(step.key) for step in path if isinstance(step, pytree.MappingKey)]
    rest = [str(step.idx) for step in path if isinstance(step, pytree.SequenceKey)]
    return "_".join([*keys, *rest]) if keys else f"output{place}"
