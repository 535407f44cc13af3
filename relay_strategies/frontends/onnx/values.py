"""The values of a graph that becomes Relax: each is known, or an expression, and has a type.

Values are called by names that are theirs alone, whatever graph they are made in.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, TensorProto, TypeProto, ValueInfoProto, helper
from tvm import relax
from tvm.ir import GenericConst

from relay_strategies.frontends.checked import INPUT_NAMES
from relay_strategies.frontends.sizes import refuse_size
from relay_strategies.relax.graph import dtype_of, make_constant, shape_of
from relay_strategies.relax.inner_functions import with_inner
from relay_strategies.relax.outputs import OUTPUT_NAMES
from relay_strategies.relax.parameters import size_params
from tvm_directconv.errors import DirectConvError, ModelError, last_line, let_through
from tvm_directconv.problem.extents import Extent, depends_on_data, is_open, typical

from .checks import ELEMENTS, Facts, Refusals, element_name
from .constant_operands import constant_operands
from .float_sizes import float_results, is_float
from .functions import opset_versions
from .node_converter import NodeConverter
from .nodes import DEFAULT_DOMAINS, item_bytes, node_name, static_dims, tensor_type
from .open_shapes import is_open_array, shape_expression
from .scopes import Scope
from .taken_apart import filters_of, is_weight, named_apart, needed

NARROW_ELEMENTS = (TensorProto.FLOAT16, TensorProto.BFLOAT16)


class Values:
    """The values of the function ``main`` of ``module``, which is made of a model's graph.

    ``nodes`` are those that are converted, ``known`` the values that are known, ``types`` the types of all.
    Once something is refused nothing is converted any more, but looked at, so that errors name all of a kind.
    """

    def __init__(self, model: ModelProto, inputs: Mapping[str, TypeProto.Tensor], most: int | None) -> None:
        self.nodes: list[NodeProto] = []
        self.known: dict[str, np.ndarray] = {}
        self.types = dict(inputs)
        self._weights: dict[str, np.ndarray] = {}
        self._refusals = Refusals()
        self._failure: DirectConvError | None = None
        self._most, self._opsets = most, opset_versions(model)
        self._opset = self._opsets[""]
        self._facts = Facts(self.types, self.known, self._weights, inputs, self._opset)
        self._converter = NodeConverter(self._opset)
        self._scope = Scope(self._converter.bb)
        self._numbers = itertools.count()
        self._params: list[relax.Var] = []
        self._differs = False
        self._needed, self._used = needed(model.graph)
        self._outputs, copies = named_apart(model.graph)
        self._needed += copies
        self._filters = filters_of(self._needed)
        self._made = set(inputs)
        self._sizes_in_floats: dict[str, np.ndarray] = {}
        """Floats that follow from open sizes, which are tensors, too (``float_sizes.py``)."""
        self._empty: dict[str, Extent] = {}
        """Conditions that are true where a size is 0, which is known when the model runs."""
        self._taken = {*inputs, *self._used, *(name for node in self._needed for name in node.output)}
        for name, kind in inputs.items():
            refuse_size(static_dims(kind) or (), item_bytes(kind), f"tensor '{name}'", most)
            self._refuse_element(name)
            self._learn_empty([name])
            if kind.elem_type in ELEMENTS:
                dtype = str(helper.tensor_dtype_to_np_dtype(kind.elem_type))
                self._params.append(self._converter.input(name, static_dims(kind) or (), dtype))
                if name not in self.known:
                    self._values[name] = self._params[-1]

    @contextlib.contextmanager
    def _function(self, names: Iterable[str]) -> Iterator[None]:
        """Make the module of a function ``main`` of the inputs ``names``, with the bindings made inside."""
        builder = self._converter.bb
        with builder.function("main", params=[*self._params, *size_params()]):
            with builder.dataflow():
                yield
                outputs = [
                    self._converter.output(self._tensor(value.name), value.type.tensor_type.elem_type)
                    for value in self._outputs
                ]
                result = builder.emit_output(outputs[0] if len(outputs) == 1 else relax.Tuple(outputs))
            builder.emit_func_output(result)
        self.module = with_inner(builder.get(), self._scope.inner)
        attributes = {INPUT_NAMES: list(names), OUTPUT_NAMES: [value.name for value in self._outputs]}
        main = relax.analysis.remove_all_unused(self.module["main"].with_attrs(attributes))
        sizes = size_params()  # with those that were computed on the way
        main = relax.Function([*self._params, *sizes], main.body, main.ret_ty, main.is_pure, main.attrs)
        self.module.update_func(self.module.get_global_var("main"), main)

    def _give(self, name: str, array: np.ndarray) -> None:
        """Take a constant of the model; weights, unlike shapes, are not evaluated."""
        refuse_size(array.shape, array.itemsize, f"tensor '{name}'", self._most)
        self._learn(name, array)
        if is_weight(name, array, self._filters):
            self._weights[name] = self.known.pop(name)
            self._refuse_element(name)

    def _refuse_element(self, name: str) -> None:
        if self.types[name].elem_type not in ELEMENTS:
            self._refusals.add("element", f"'{name}' is of {element_name(self.types[name])}")

    def _learn(self, name: str, array: np.ndarray) -> None:
        self.known[name] = array
        self._made.add(name)
        kind = self.types.get(name)
        if not is_open_array(array):
            element = helper.np_dtype_to_tensor_dtype(array.dtype)
        else:
            element = kind.elem_type if kind is not None and kind.elem_type else TensorProto.INT64
        self.types[name] = tensor_type(element, array.shape)

    @property
    def _values(self) -> dict[str, relax.Expr]:
        """The expressions of values in the function that is being made."""
        return self._scope.values

    def _value(self, name: str) -> relax.Expr:
        """The expression of a value that is known, or was converted, or belongs to an outer function."""
        if name not in self._values:
            array = self._weights[name] if name in self._weights else self.known.get(name)
            if array is None:
                self._values[name] = self._from_outside(name)
            else:
                self._values[name] = shape_expression(array) if is_open_array(array) else make_constant(array)
        return self._values[name]

    def _from_outside(self, name: str) -> relax.Expr:
        """A value of an outer function, which the inner one is given."""
        scope = self._scope
        if scope.outer is None:
            raise KeyError(name)
        with self._in(scope.outer):
            value = self._variable(self._tensor(name))
        return scope.reads(value)

    @contextlib.contextmanager
    def _in(self, scope: Scope) -> Iterator[Scope]:
        """Convert into another function."""
        before, self._scope = self._scope, scope
        builder, self._converter.bb = self._converter.bb, scope.builder
        try:
            yield scope
        finally:
            self._scope, self._converter.bb = before, builder

    def _variable(self, value: relax.Expr) -> relax.Expr:
        """A value, bound to a variable unless it is a constant."""
        is_bound = isinstance(value, relax.Var | GenericConst)
        return value if is_bound else self._converter.bb.emit(value)

    def _tensor(self, name: str) -> relax.Expr:
        """``_value`` as a tensor, for sizes that are computed with."""
        value = self._value(name)
        if not isinstance(value, relax.ShapeExpr):
            return value
        dtype = str(helper.tensor_dtype_to_np_dtype(self.types[name].elem_type))
        return self._converter.of_sizes(value, self.known[name].shape, dtype)

    def _constant(self, name: str, array: np.ndarray) -> str:
        name = self._name(name)
        self._learn(name, array)
        return name

    def _learn_empty(self, names: Iterable[str]) -> None:
        """Tensors without elements are known; one of an open size as an expression."""
        for name in names:
            kind = self.types.get(name)
            if kind is None or not _is_empty(kind):
                continue
            dtype, dims = helper.tensor_dtype_to_np_dtype(kind.elem_type), static_dims(kind) or ()
            if is_open(dims):
                self._values[name] = self._converter.zeros(dims, str(dtype))
            else:
                self._learn(name, np.zeros(dims, dtype))

    def _in_floats(self, node: NodeProto) -> dict[str, np.ndarray] | None:
        """The results of a node on floats that follow from open sizes, where these are known. Of those that
        are open floats it is kept what they are, and the node is converted."""
        results = float_results(node, self.known, self._sizes_in_floats, self.types)
        if results is not None and any(map(is_float, results.values())):
            self._sizes_in_floats.update(results)
            return None
        return results

    def _name(self, name: str) -> str:
        """The name, or one like it that nothing has yet."""
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def _leave(self, node: NodeProto) -> None:
        """Convert a node. Results without elements are constants."""
        if node.op_type == "Concat":
            full = [name for name in node.input if not _is_empty(self.types.get(name))]
            node.input[:] = full or list(node.input)
        named = [name for name in node.output if name]
        self._learn_empty(named)
        self._made.update(named)
        if named and all(name in self.known or name in self._values for name in named):
            return
        self.nodes.append(node)
        self._refusals.look(node, self._facts)
        if self._is_refused:
            return
        try:
            self._convert(node)
        except DirectConvError as error:
            self._failure = error  # what is refused behind it says more
        except Exception as error:
            let_through(error)
            self._failure = ModelError(f"TVM's ONNX importer fails: {last_line(error)}")

    @property
    def _is_refused(self) -> bool:
        """Whether something was refused, so that nothing is known of what follows."""
        return bool(self._refusals) or self._failure is not None

    def _convert(self, node: NodeProto) -> None:
        # Results that nothing reads are not asked for, as a MaxPool's indices; a Split keeps all parts.
        while node.op_type != "Split" and node.domain in DEFAULT_DOMAINS and len(node.output) > 1:
            if node.output[-1] in self._used:
                break
            node.output.pop()
        shapes = constant_operands(node)
        for name in shapes:
            if name not in self.known and name not in self._weights:
                self._measure(name, node)
        operands = [
            (self._value(name) if name in shapes else self._tensor(name)) if name else None
            for name in node.input
        ]
        results = self._converter.convert(node, operands)
        for name, result in zip(node.output, results, strict=False):
            if name and name not in self.known:
                self._values[name] = result
                self._take_type(name, result, node)

    def _measure(self, name: str, node: NodeProto) -> None:
        """Have the integers of a tensor be sizes, which are known when the model runs."""
        sizes = self._converter.measured(self._value(name), node)
        self.known[name] = np.array(sizes, object).reshape(static_dims(self.types[name]) or ())
        del self._values[name]

    def _take_type(self, name: str, result: relax.Expr, node: NodeProto) -> None:
        """Take the type of a result; a narrow float's is as ONNX has it, and not the one computed in."""
        dims, kind = shape_of(result), self.types.get(name)
        if dims is None or (kind is not None and static_dims(kind) == list(dims)):
            return
        self._differs |= static_dims(kind) is not None
        element = 0 if kind is None else kind.elem_type
        if not element:
            computed = helper.np_dtype_to_tensor_dtype(np.dtype(dtype_of(result)))
            given = (self.types[name].elem_type for name in node.input if name in self.types)
            narrow = next((kind for kind in given if kind in NARROW_ELEMENTS), computed)
            element = narrow if computed == TensorProto.FLOAT else computed
        self.types[name] = tensor_type(element, dims)

    def _finish_outputs(self) -> None:
        """Find the types of the outputs, and raise what the model is refused for."""
        makers = {name: node for node in self._needed for name in node.output}
        for output in self._outputs:
            self._finish_output(output, makers.get(output.name))
        self._refusals.raise_any()
        if self._failure is not None:
            raise self._failure
        for output in self._outputs:
            if not output.type.tensor_type.HasField("shape"):
                raise ModelError(f"output '{output.name}' does not have a shape, and none can be inferred")

    def _finish_output(self, value: ValueInfoProto, maker: NodeProto | None) -> None:
        """An output has the type that is found; what a model declares otherwise is refused."""
        if value.name not in self._made:
            raise ModelError(f"not a valid ONNX model: output '{value.name}' is made by no node")
        declared = value.type.tensor_type
        found = self.types.get(value.name, declared)
        if found is not declared and not self._fits(declared, found):
            what = f"output '{value.name}' is declared to be {_text(declared)}, and is {_text(found)}"
            raise ModelError(f"not a valid ONNX model: {what}") if maker is None else invalid(maker, what)
        if value.name in self.known:
            self._refuse_element(value.name)
        if found is not declared:
            declared.CopyFrom(found)

    def _fits(self, declared: TypeProto.Tensor, found: TypeProto.Tensor) -> bool:
        """Whether an output may be declared so: runtimes take another rank for an older shape, and where
        onnx finds other sizes, exporters declare either."""
        if declared.elem_type not in (0, found.elem_type):
            return False
        dims, shape = declared.shape.dim, static_dims(found)
        if shape is None or len(dims) != len(shape) or self._differs:
            return True
        return all(
            not dim.HasField("dim_value") or depends_on_data(size) or dim.dim_value == typical(size)
            for dim, size in zip(dims, shape, strict=True)
        )


def _is_empty(kind: TypeProto.Tensor | None) -> bool:
    """Whether a tensor lacks elements: it has one value only, so that what reads it reads a constant."""
    return 0 in (static_dims(kind) or ())


def _text(kind: TypeProto.Tensor) -> str:
    dims = [dim.dim_value if dim.HasField("dim_value") else dim.dim_param or "?" for dim in kind.shape.dim]
    return f"{onnx.TensorProto.DataType.Name(kind.elem_type)} {dims}"


def invalid(node: NodeProto, why: str) -> ModelError:
    return ModelError(f"not a valid ONNX model: node '{node_name(node)}' ({node.op_type}): {why}")
