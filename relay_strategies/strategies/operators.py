"""Strategies of operators other than convolutions of images: pools, softmax, normalizations, products of two
computed matrices, transposed and 3-D convolutions.

    @softmax_strategy.register("x86")
    def mine(workload, target):
        strategy = operator_strategy_generic(workload, target)
        strategy.add_implementation(operator_definition, my_schedule, name="mine", plevel=20)
        return strategy

The library's own way, by its passes and kernels, is one implementation; what has a higher priority takes its
place before the passes see the operator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import tvm
from tvm import relax, tirx
from tvm.s_tir import Schedule
from tvm.sym import Analyzer

from tvm_directconv.errors import AlgorithmError
from tvm_directconv.problem.open_sizes import with_variables
from tvm_directconv.problem.size_text import variables_of

from .operands import Operand
from .target_functions import TargetFunctions
from .user_functions import call_users

OWN = "directconv"
"""The name of the library's own implementation of each operator."""
OWN_PLEVEL = 10

_SPATIAL = ("max_pool", "avg_pool", "adaptive_avg_pool")
OPERATORS: Mapping[str, str] = {
    "batch_matmul": "relax.matmul",
    "conv3d": "relax.nn.conv3d",
    **{f"conv{n}d_transpose": f"relax.nn.conv{n}d_transpose" for n in (1, 2, 3)},
    **{f"{name}{n}d": f"relax.nn.{name}{n}d" for name in _SPATIAL for n in (1, 2, 3)},
    **{name: f"relax.nn.{name}" for name in ("softmax", "log_softmax")},
    **{name: f"relax.nn.{name}" for name in ("layer_norm", "group_norm", "instance_norm", "rms_norm")},
}
"""Relax's operators by Relay's names."""


@dataclass(frozen=True)
class OperatorWorkload:
    """One call of an operator, in the layout of the model.

    Args:
        operator: The name in Relay, as "softmax".
        operands: Types and shapes of its tensors, in order. Sizes that stay open are TVM's expressions of
            int64, as TE takes them.
        result: Type and shape of the result.
        attrs: The attributes of Relax's operator, sizes as tuples of numbers.
        call: The call on variables.
    """

    operator: str
    operands: tuple[Operand, ...]
    result: Operand
    attrs: Mapping[str, Any] = field(compare=False)
    call: relax.Call = field(compare=False, repr=False)

    @property
    def is_open(self) -> bool:
        """Return whether any size stays open."""
        shapes = [each.shape or () for each in (*self.operands, self.result)]
        return any(not isinstance(size, int) for shape in shapes for size in shape)

    def __str__(self) -> str:
        return f"{self.operator} of {', '.join(map(str, self.operands))}"


OperatorCompute = Callable[[OperatorWorkload, Any], tirx.PrimFunc]
"""(workload, target) -> unscheduled PrimFunc (operands..., result)."""
OperatorSchedule = Callable[[tirx.PrimFunc, OperatorWorkload, Any], "tirx.PrimFunc | Schedule"]
"""(what compute returned, workload, target) -> its scheduled form, or the Schedule that has it."""


def operator_definition(workload: OperatorWorkload, target: Any) -> tirx.PrimFunc:
    """Return TVM's own definition of an operator, unscheduled: a compute for schedules of a user's.

    Args:
        workload: The operator's call.
        target: The resolved target, which it does not depend on.
    """
    builder = relax.BlockBuilder()
    params = list(workload.call.args)
    with builder.function("main", params):
        builder.emit_func_output(builder.emit(workload.call))
    module = relax.transform.LegalizeOps()(builder.get())
    (function,) = (f for f in module.functions.values() if isinstance(f, tirx.PrimFunc))
    return function


@dataclass(frozen=True)
class OperatorImplementation:
    """One way to compute an operator: a user's functions, or without any the library's own way.
    ``open_sizes`` says whether the functions take workloads with such."""

    name: str
    plevel: int
    compute: OperatorCompute | None = None
    schedule: OperatorSchedule | None = None
    open_sizes: bool = False

    def build(self, workload: OperatorWorkload, target: Any) -> tirx.PrimFunc:
        """Return the scheduled function of a user's, of the workload's operands and its result. Raises
        AlgorithmError where it is of others."""
        assert self.compute is not None and self.schedule is not None
        computed = self._checked("compute", workload, self.compute, workload, target)
        return self._checked("schedule", workload, self.schedule, computed, workload, target)

    def _checked(
        self, what: str, workload: OperatorWorkload, function: Callable[..., Any], *arguments: Any
    ) -> tirx.PrimFunc:
        where = f"{what} of implementation '{self.name}'"
        made = call_users(where, workload, function, *arguments)
        made = made.mod["main"] if isinstance(made, Schedule) else made
        if not isinstance(made, tirx.PrimFunc):
            kind = type(made).__name__
            raise AlgorithmError(f"{where} of {workload} returns a {kind}, not a PrimFunc or Schedule")
        wanted = [*workload.operands, workload.result]
        if not _are_operands(made.params, wanted):
            found = [_buffer(param) for param in made.params]
            takes, needs = (", ".join(map(str, each)) or "nothing" for each in (found, wanted))
            raise AlgorithmError(
                f"{where} of {workload} returns a function of ({takes}); it has to be of ({needs})"
            )
        return made


@dataclass
class OperatorStrategy:
    """The implementations that a target offers for one operator's call."""

    implementations: list[OperatorImplementation]

    def add_implementation(
        self,
        compute: OperatorCompute,
        schedule: OperatorSchedule,
        name: str,
        plevel: int = 10,
        open_sizes: bool = False,
    ) -> None:
        """Add functions of a user's; at a ``plevel`` above the library's, 10, they are used, for sizes that
        stay open where they take such: ``open_sizes``.

        Raises AlgorithmError for a name that is taken.
        """
        if name in (each.name for each in self.implementations):
            raise AlgorithmError(f"the strategy has an implementation '{name}' already; give yours another")
        self.implementations.append(OperatorImplementation(name, plevel, compute, schedule, open_sizes))

    def select(self, workload: OperatorWorkload) -> OperatorImplementation:
        """Return the implementation of a workload that has the highest priority, of equals the first."""
        able = [
            each
            for each in self.implementations
            if each.compute is None or each.open_sizes or not workload.is_open
        ]
        if not able:
            raise AlgorithmError(
                f"none of the implementations of {workload} takes sizes that stay open; have one say "
                "open_sizes=True, or keep the library's own"
            )
        return max(able, key=lambda each: each.plevel)


OperatorFunction = Callable[[OperatorWorkload, Any], OperatorStrategy]


class OperatorStrategies(TargetFunctions[OperatorFunction]):
    """The strategy of one operator."""

    def __call__(self, workload: OperatorWorkload, target: Any) -> OperatorStrategy:
        """Return what the target's function offers for a call. Raises AlgorithmError where it raises."""
        made = call_users("the function", workload, self.function_of(target), workload, target)
        if not isinstance(made, OperatorStrategy):
            raise AlgorithmError(f"the function returns a {type(made).__name__}, not an OperatorStrategy")
        return made

    def is_own(self, target: Any) -> bool:
        """Return whether only the library's own way is offered."""
        return self.function_of(target) is operator_strategy_generic


def operator_strategy_generic(workload: OperatorWorkload, target: Any) -> OperatorStrategy:
    """Return the strategy that targets have by themselves: the library's own way.

    Args:
        workload: The operator's call.
        target: The resolved target.
    """
    return OperatorStrategy([OperatorImplementation(OWN, OWN_PLEVEL)])


STRATEGIES = {operator: OperatorStrategies(operator) for operator in OPERATORS}
"""The strategies by Relay's names."""
for _strategy in STRATEGIES.values():
    _strategy.register("generic")(operator_strategy_generic)

batch_matmul_strategy = STRATEGIES["batch_matmul"]
conv2d_transpose_strategy = STRATEGIES["conv2d_transpose"]
conv3d_strategy = STRATEGIES["conv3d"]
max_pool2d_strategy = STRATEGIES["max_pool2d"]
avg_pool2d_strategy = STRATEGIES["avg_pool2d"]
softmax_strategy = STRATEGIES["softmax"]


def users_operators(target: Any) -> dict[str, str]:
    """Return the operators that a target has a function of a user's for: Relay's names by Relax's."""
    return {OPERATORS[name]: name for name, each in STRATEGIES.items() if not each.is_own(target)}


def workload_of(call: relax.Call, operator: str) -> OperatorWorkload | None:
    """Return the workload of a call; None where an operand is a tuple or a shape."""
    operands = [*map(_tensor, call.args), _tensor(call)]
    tensors = [each for each in operands if each is not None]
    if len(tensors) < len(operands):
        return None
    names = (f"operand{number}" for number in range(len(call.args)))
    variables = [relax.Var(name, arg.ty) for name, arg in zip(names, call.args, strict=True)]
    on_variables = relax.Call(call.op, variables, call.attrs, call.ty_args)
    fields = type(call.attrs).__tvm_ffi_type_info__.fields if call.attrs is not None else ()
    attrs = {each.name: _plain(getattr(call.attrs, each.name)) for each in fields}
    return OperatorWorkload(operator, tuple(tensors[:-1]), tensors[-1], attrs, on_variables)


def _tensor(expr: relax.Expr) -> Operand | None:
    ty = expr.ty
    if not isinstance(ty, relax.TensorType) or not isinstance(ty.shape, relax.ShapeExpr):
        return None
    return Operand(str(ty.dtype), tuple(map(_plain, ty.shape.values)))


def _buffer(param: Any) -> Operand | None:
    """The type of a function's parameter; None for a scalar, and for a tensor with gaps."""
    if not isinstance(param, tirx.Buffer) or param.strides:
        return None
    return Operand(str(param.dtype), tuple(map(_plain, param.shape)))


def _are_operands(params: Sequence[Any], wanted: Sequence[Operand]) -> bool:
    """Whether a function's parameters are these operands; its own variables stand for sizes that are open."""
    found = [*map(_buffer, params)]
    if [_form(each) for each in found] != [_form(each) for each in wanted]:
        return False
    pairs = [
        (size, needed)
        for one, other in zip(found, wanted, strict=True)
        if one is not None and one.shape is not None and other.shape is not None
        for size, needed in zip(one.shape, other.shape, strict=True)
    ]
    known: dict[str, Any] = {}
    for size, needed in pairs:
        if isinstance(size, tirx.Var):
            known.setdefault(size.name, needed)
    prover = Analyzer()
    return all(
        variables_of(size) <= known.keys()
        and prover.can_prove_equal(with_variables(_number(size), known, "int64"), _number(needed))
        for size, needed in pairs
    )


def _form(operand: Operand | None) -> tuple[str, int] | None:
    return None if operand is None or operand.shape is None else (operand.dtype, len(operand.shape))


def _number(size: Any) -> Any:
    return tirx.const(size, "int64") if isinstance(size, int) else size


def _plain(value: Any) -> Any:
    """Return an attribute as Python's own value."""
    if isinstance(value, tvm.ir.Array | list | tuple):
        return tuple(map(_plain, value))
    return value.value if isinstance(value, tirx.IntImm | tirx.FloatImm) else value
