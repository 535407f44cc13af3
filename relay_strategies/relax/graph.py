"""Relax functions read and rebuilt, which is how every graph pass works.

A pass reads a function once (``Graph``: bindings in order, definitions, use counts), then a ``Rewriter``
walks the bindings and emits each one, changed or not, into a new function. Constants are looked at as
numpy arrays without copying; TVM's own constant folding compiles every expression and takes minutes.

Some of the functions here see every expression of every pass. They look at an expression's type before they
ask ``isinstance``, and at slices of TVM's arrays, which are lists: both take a third of the time.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
import tvm
import tvm_ffi
from tvm import relax
from tvm.ir import GenericConst
from tvm.relax.expr_functor import PyExprMutator, mutator

from tvm_directconv import errors
from tvm_directconv.errors import let_through
from tvm_directconv.memory import memory_of, page_aligned
from tvm_directconv.problem.open_sizes import size_of, sizes_of

from .names import NamedBuilder, name_of

VARIABLES = (relax.Var, relax.DataflowVar)
COMPOSITE = "Composite"
PREFIX = "directconv."

Chain = TypeVar("Chain")

# TVM runs passes in C++; an error raised in one comes out as its registered class, others as RuntimeError.
for _name, _class in vars(errors).items():
    if isinstance(_class, type) and issubclass(_class, errors.DirectConvError):
        tvm_ffi.register_error(_name, _class)


class Graph:
    """Read one Relax function, once."""

    def __init__(self, function: relax.Function) -> None:
        self.function = function
        self.bindings: list[tuple[relax.Var, relax.Expr]] = []
        self.definition: dict[relax.Var, relax.Expr] = {}
        self.uses: Counter[relax.Var] = Counter()
        self.consumers: dict[relax.Var, list[relax.Var]] = {}
        for binding in bindings(function.body):
            var, value = binding.var, binding.value
            self.bindings.append((var, value))
            self.definition[var] = value
            for used in variables(value):
                self.uses[used] += 1
                self.consumers.setdefault(used, []).append(var)
        self.uses.update(variables(function.body.body))

    @property
    def is_dataflow(self) -> bool:
        return all(isinstance(b, relax.DataflowBlock) for b in self.function.body.blocks)

    def resolve(self, expr: relax.Expr) -> relax.Expr:
        """``expr`` with aliases (``v = u``) followed to what defines them: call, constant or parameter."""
        while isinstance(expr, relax.Var) and expr in self.definition:
            expr = self.definition[expr]
        return expr

    def call(self, expr: relax.Expr, *names: str) -> relax.Call | None:
        """The operator call that defines ``expr`` when its operator is one of ``names``."""
        value = self.resolve(expr)
        return value if isinstance(value, relax.Call) and operator_name(value) in names else None

    def sole_call(self, expr: relax.Expr, *names: str) -> relax.Call | None:
        """Return what ``call`` does, when nothing else uses the result."""
        if isinstance(expr, relax.Var) and self.uses[expr] == 1:
            return self.call(expr, *names)
        return None

    def only_consumer(self, var: relax.Var) -> relax.Var | None:
        """The variable bound to the only expression that uses ``var``; None for several or the output."""
        consumers = self.consumers.get(var, [])
        return consumers[0] if len(consumers) == 1 and self.uses[var] == 1 else None


class Rewriter:
    """Rebuilds one function binding by binding. A pass overrides ``visit``; what it emits for a call has that
    call's name."""

    def __init__(self, function: relax.Function, module_builder: relax.BlockBuilder) -> None:
        self.graph = Graph(function)
        self.builder = NamedBuilder()
        self._module_builder = module_builder
        self._functions = {v: f for v, f in module_builder.get().functions_items()}
        self._environment: dict[relax.Var, relax.Expr] = {}

    def prepare(self) -> None:
        """Find out what a pass has to know of the old function before the walk."""

    def changes(self) -> bool:
        """Whether there is anything to do, as far as ``prepare`` has found out."""
        return True

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        """Return what ``var`` is bound to in the new function; None when a later binding has absorbed it."""
        return self.new(value)

    def new(self, expr: relax.Expr) -> relax.Expr:
        """``expr`` of the old function in terms of the new function's variables; itself where these are the
        same."""
        kind = type(expr)
        if kind in VARIABLES:
            known = self._environment.get(expr)
            if known is None and (known := self.made(expr)) is not None:
                self.bind(expr, known)
            return expr if known is None else known
        if kind is relax.Call:
            old = expr.args[:]
            arguments = [self.new(argument) for argument in old]
            if all(map(operator.is_, arguments, old)):
                return expr
            return relax.Call(expr.op, arguments, expr.attrs, expr.ty_args, expr.span)
        if kind is relax.TupleGetItem:
            source = expr.tuple_value
            whole = self.new(source)
            if isinstance(whole, relax.Tuple):
                return whole.fields[expr.index]
            return expr if whole is source else relax.TupleGetItem(whole, expr.index)
        if kind is relax.Tuple:
            old = expr.fields[:]
            fields = [self.new(field) for field in old]
            return expr if all(map(operator.is_, fields, old)) else relax.Tuple(fields)
        if isinstance(expr, relax.If | relax.SeqExpr | relax.Function):
            for var in relax.analysis.free_vars(expr):
                self.new(var)
            return _Substitution(self._environment).visit_expr(expr)
        return expr

    def made(self, var: relax.Var) -> relax.Expr | None:
        """Return what stands for an old variable that is asked for before it was bound, made now; None where
        that is the variable itself."""
        return None

    def bind(self, var: relax.Var, value: relax.Expr) -> None:
        """Make ``value`` stand for the old ``var`` from here on."""
        self._environment[var] = value

    def emit(self, value: relax.Expr, name: str = "lv") -> relax.Var:
        """Bind ``value`` to a new variable."""
        return self.builder.emit(value, name_hint=name)

    def reshaped(self, data: relax.Expr, shape: Sequence[int]) -> relax.Expr:
        """``data`` in another shape, itself where it has that."""
        return data if shape_of(data) == tuple(shape) else self.emit(relax.op.reshape(data, shape))

    def produced(self, expr: relax.Expr, *names: str) -> relax.Call | None:
        """The operator call that defines ``expr`` in the new function when it is one of ``names``."""
        value = self.builder.lookup_binding(expr) if isinstance(expr, relax.Var) else None
        return value if isinstance(value, relax.Call) and operator_name(value) in names else None

    def produced_chain(self, expr: relax.Expr, *names: str) -> list[relax.Call] | None:
        """The calls of these operators that lead to ``expr``, each the first argument of the one before."""
        calls = []
        for name in names:
            call = self.produced(expr, name)
            if call is None:
                return None
            calls.append(call)
            expr = call.args[0]
        return calls

    def function(self, global_var: tvm.ir.GlobalVar) -> tvm.ir.BaseFunc:
        """A function of the module the pass was given, or one that ``add_function`` added."""
        return self._functions[global_var]

    def add_function(self, function: relax.Function | tvm.tirx.PrimFunc, name: str) -> tvm.ir.GlobalVar:
        """Add a function to the module; a structurally equal one that is there already is returned."""
        global_var = self._module_builder.add_func(function, name)
        self._functions[global_var] = function
        return global_var

    def run(self, params: Sequence[relax.Var] | None = None) -> relax.Function:
        """The rewritten function, dead bindings removed."""
        old = self.graph.function
        attributes = dict(old.attrs) if old.attrs else {}
        self.prepare()
        if params is None and not self.changes():
            return old
        params = list(old.params) if params is None else list(params)
        with self.builder.function("rewritten", params, attributes, bool(old.is_pure), private=True):
            if self.graph.is_dataflow:
                with self.builder.dataflow():
                    self._walk()
                    self.builder.name = name_of(self.graph.resolve(old.body.body))
                    result = self.builder.emit_output(self.output(old.body.body))
            else:
                self._walk()
                self.builder.name = name_of(self.graph.resolve(old.body.body))
                result = self.output(old.body.body)
            self.builder.emit_func_output(result)
        return relax.analysis.remove_all_unused(self.builder.get()["rewritten"])

    def output(self, expr: relax.Expr) -> relax.Expr:
        """Return what the new function returns for the old result ``expr``."""
        return self.new(expr)

    def _walk(self) -> None:
        for binding in bindings(self.graph.function.body):
            if isinstance(binding, relax.MatchCast):
                matched = self.builder.match_cast(self.new(binding.value), binding.ty)
                self.bind(binding.var, matched)
                continue
            var, old = binding.var, binding.value
            self.builder.name = name_of(old)
            value = self.visit(var, old)
            if value is None:
                continue
            if not isinstance(value, relax.Var | GenericConst | relax.Tuple):
                if value is old and isinstance(var, relax.DataflowVar) == self.graph.is_dataflow:
                    # As it was: what is known of it need not be found out again.
                    self.builder.emit_normalized(binding)
                    continue
                value = self.emit(value, var.name)
            self.bind(var, value)


class ChainRewriter(Rewriter, Generic[Chain]):
    """Replaces chains of operations, each the only consumer of the one before, by one expression.

    ``prepare`` claims the chains; a chain's expression stands where its last variable was bound.
    """

    def __init__(self, function: relax.Function, module_builder: relax.BlockBuilder) -> None:
        super().__init__(function, module_builder)
        self._chains: dict[relax.Var, Chain] = {}
        self._absorbed: set[relax.Var] = set()

    def claim(self, variables: Sequence[relax.Var], chain: Chain) -> None:
        """Make ``chain`` of the bindings of ``variables``, given in order."""
        *absorbed, last = variables
        self._absorbed.update(absorbed)
        self._chains[last] = chain

    def changes(self) -> bool:
        return bool(self._chains)

    def is_claimed(self, var: relax.Var) -> bool:
        return var in self._absorbed or var in self._chains

    def emit_chain(self, var: relax.Var, chain: Chain) -> relax.Expr:
        """The expression of a chain that ends at ``var``."""
        raise NotImplementedError

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        if var in self._absorbed:
            return None
        return self.emit_chain(var, self._chains[var]) if var in self._chains else self.new(value)


def rewrite_module(
    module: tvm.IRModule, make: Callable[[relax.Function, relax.BlockBuilder], Rewriter]
) -> tvm.IRModule:
    """``module`` with every Relax function rewritten, except the bodies of composite functions."""
    builder = relax.BlockBuilder(module.clone())  # update_func changes a module where it is
    rewritten = {}
    for global_var, function in module.functions_items():
        if isinstance(function, relax.Function) and composite_name(function) is None:
            rewritten[global_var] = make(function, builder).run()
    result = builder.get()
    for global_var, function in rewritten.items():
        result.update_func(global_var, function)
    if module.attrs:
        result = result.with_attrs(dict(module.attrs))
    return result


def rewrite_pass(
    name: str, make: Callable[[relax.Function, relax.BlockBuilder], Rewriter]
) -> tvm.transform.Pass:
    """Return the pass of that name that does to a module what ``rewrite_module`` does."""
    return tvm.transform.module_pass(
        lambda module, context: rewrite_module(module, make), opt_level=0, name=f"directconv.{name}"
    )


def composite_name(function: tvm.ir.BaseFunc) -> str | None:
    """The name of the composite operator a function stands for, None for an ordinary function."""
    name = function.attrs.get(COMPOSITE) if function.attrs else None
    return None if name is None else str(name)


def bindings(body: relax.SeqExpr) -> Iterator[relax.Binding]:
    """Return what a function's body, or a branch, binds, in order."""
    return (binding for block in body.blocks for binding in block.bindings[:])


def variables(expr: relax.Expr) -> list[relax.Var]:
    """The variables ``expr`` uses, one entry per use."""
    kind = type(expr)
    if kind in VARIABLES:
        return [expr]
    if kind is GenericConst:
        return []
    if kind is relax.Call:
        return [var for argument in expr.args[:] for var in variables(argument)]
    if kind is relax.Tuple:
        return [var for field in expr.fields[:] for var in variables(field)]
    if kind is relax.TupleGetItem:
        return variables(expr.tuple_value)
    if isinstance(expr, relax.If | relax.SeqExpr | relax.Function):
        # Twice, so that nobody takes a variable that a branch reads for singly used.
        return list(relax.analysis.free_vars(expr)) * 2
    return []


def operator_name(expr: relax.Expr) -> str:
    """Return a call's operator, such as ``relax.nn.conv2d``; "" for other expressions than operator calls."""
    return expr.op.name if isinstance(expr, relax.Call) and isinstance(expr.op, tvm.ir.Op) else ""


def constant(expr: relax.Expr) -> np.ndarray | None:
    """Return a constant's values, read-only and without a copy; None if the expression is not a constant."""
    if not isinstance(expr, GenericConst) or not isinstance(expr.value, tvm.runtime.Tensor):
        return None
    try:
        return np.from_dlpack(expr.value)
    except (BufferError, RuntimeError, TypeError) as error:
        let_through(error)
        return expr.value.numpy()  # a dtype DLPack or numpy does not exchange


def scalar(expr: relax.Expr) -> float | None:
    """The value of a constant with a single element."""
    array = constant(expr)
    return float(array.reshape(())) if array is not None and array.size == 1 else None


def is_filled(expr: relax.Expr, value: float) -> bool:
    """Whether all of a constant's elements are ``value``."""
    array = constant(expr)
    return array is not None and bool((array == value).all())


def make_constant(array: np.ndarray) -> GenericConst:
    """A constant of an array's values: a copy of them, or these where nobody writes to them (memory.py)."""
    array = page_aligned(array)
    memory = memory_of(array)
    if memory is None or array.dtype.kind == "V":  # a type that numpy does not have itself
        return relax.const(tvm.runtime.tensor(array))
    whole = np.frombuffer(memory, np.uint8)
    first = array.ctypes.data - whole.ctypes.data
    # Kernels know of no offset in a tensor: it begins where the array does.
    values = tvm.runtime.from_dlpack(whole[first : first + array.nbytes])
    return relax.const(values._create_view(array.shape, str(array.dtype), 0))


def shape_of(expr: relax.Expr) -> tuple[int, ...] | None:
    """The static shape of a tensor expression, with extents where it is open; None when it has none."""
    ty = expr.ty
    if not isinstance(ty, relax.TensorType) or not isinstance(ty.shape, relax.ShapeExpr):
        return None
    dims = ty.shape.values[:]
    if all([type(d) is tvm.tirx.IntImm for d in dims]):
        return tuple([d.value for d in dims])
    return sizes_of(dims)


def extents_of(expr: relax.Expr) -> tuple[int, ...]:
    """The static shape of a tensor that is known to have one."""
    shape = shape_of(expr)
    assert shape is not None
    return shape


def ints(values: Iterable[Any]) -> Any:
    """An operator's list of sizes as a tuple; its length is the operator's own."""
    return tuple(map(size_of, values))


def dtype_of(expr: relax.Expr) -> str:
    return str(expr.ty.dtype) if isinstance(expr.ty, relax.TensorType) else ""


@mutator
class _Substitution(PyExprMutator):
    """Replaces variables inside branches and closures."""

    def __init__(self, environment: dict[relax.Var, relax.Expr]) -> None:
        super().__init__()
        self._environment = environment

    def visit_var_(self, op: relax.Var) -> relax.Expr:
        return self._environment.get(op, op)

    def visit_dataflow_var_(self, op: relax.Var) -> relax.Expr:
        return self._environment.get(op, op)
