"""A model of the cycles that a whole network takes, by which ``NarrowTensors`` chooses a precision.

Layers take what the algorithm that would be chosen is estimated to take, products of computed matrices and
attention what their own model says. Of all else the bytes count that are read and stored, and the casts of
half precision, where they are part of a kernel as instructions, and else as a pass of their own. GPUs have a
model of layers alone.
"""

from __future__ import annotations

import math
from typing import Any

import tvm
from tvm import relax

from relay_strategies.operators.products import HALF, cycles_of_product
from relay_strategies.relax import composite
from relay_strategies.relax.arithmetic_calls import CAST
from relay_strategies.relax.graph import (
    Rewriter,
    composite_name,
    dtype_of,
    operator_name,
    shape_of,
    variables,
)
from relay_strategies.relax.movement_calls import RESHAPES
from relay_strategies.strategies import strategy
from relay_strategies.strategies.gpu import is_offered
from relay_strategies.strategies.limits import NO_LIMITS, Limits
from tvm_directconv.model.cost import cast_cycles, pass_cycles
from tvm_directconv.problem.element_types import HALVES, element_bytes
from tvm_directconv.targets.gpu import GpuTarget
from tvm_directconv.targets.target import CompileTarget

from .by_name import ByName, Words
from .layer_workload import conv2d_workload, layer_name

PRODUCTS = (composite.ATTENTION, composite.MATMUL)


def network_cycles(
    module: tvm.IRModule,
    target: CompileTarget | GpuTarget,
    algorithm: Words = strategy.AUTO,
    limits: Limits = NO_LIMITS,
) -> float:
    """The estimated cycles on one core, or on a GPU, of a network whose layers have been fused, each by the
    algorithm given for its name within the limits. Raises AlgorithmError where a layer has none."""
    builder = relax.BlockBuilder(module)
    return sum(
        _NetworkCost(function, builder, target, ByName(algorithm, strategy.AUTO), limits).total
        for function in module.functions.values()
        if isinstance(function, relax.Function) and composite_name(function) is None
    )


class _NetworkCost(Rewriter):
    """Reads one function, and rewrites nothing."""

    def __init__(
        self,
        function: relax.Function,
        builder: relax.BlockBuilder,
        target: CompileTarget | GpuTarget,
        algorithms: ByName,
        limits: Limits,
    ) -> None:
        super().__init__(function, builder)
        self._target, self._algorithms, self._limits = target, algorithms, limits

    @property
    def total(self) -> float:
        return sum(self._cycles(var, value) for var, value in self.graph.bindings)

    def _cycles(self, var: relax.Var, value: relax.Expr) -> float:
        found = composite.composite_of(self, value)
        if found is not None and found.name in composite.LAYERS:
            return self._of_layer(var, found)
        if not isinstance(value, relax.Call) or operator_name(value) in RESHAPES:
            return 0.0
        if isinstance(self._target, GpuTarget):
            return 0.0
        if operator_name(value) == CAST:
            return self._of_cast(var, value, self._target)
        if found is not None and found.name in PRODUCTS:
            return cycles_of_product(found, self._target)
        moved = sum(map(self._read_bytes, variables(value))) + self._stored_bytes(var)
        return pass_cycles(self._target.machine, moved)

    def _of_layer(self, var: relax.Var, layer: composite.Composite) -> float:
        target: Any = self._target  # strategies of either kind
        workload = conv2d_workload(layer)
        named = self._algorithms.of(layer_name(var, self.graph.definition[var]))
        if isinstance(target, GpuTarget) and not is_offered(workload, target, named):
            return 0.0  # dlight's kernels, as all that is no layer, have no model
        offers = strategy.conv2d_strategy(workload, target)
        cost = offers.select(workload, target, named, self._limits).estimate(workload, target)
        return 0.0 if cost is None else cost.total

    def _of_cast(self, var: relax.Var, cast: relax.Call, target: CompileTarget) -> float:
        """Instructions, and where no kernel beside it does them as it stores or loads, a pass."""
        source, types = cast.args[0], (dtype_of(cast.args[0]), dtype_of(var))
        half = next((kind for kind in types if kind in HALVES), None)
        elements, machine = _elements(var), target.machine
        cycles = 0.0 if half is None else cast_cycles(machine, elements, half)
        joined = self._casts_as_it_stores(source) if types[1] in HALVES else self._casts_as_it_loads(var)
        if half is not None and joined:
            return cycles
        return cycles + pass_cycles(machine, elements * sum(map(element_bytes, types)))

    def _casts_as_it_stores(self, source: relax.Expr) -> bool:
        """Whether what computes a tensor is a kernel that can store halves of it alone."""
        sole = isinstance(source, relax.Var) and self.graph.only_consumer(source) is not None
        made = self.graph.definition.get(source) if sole else None
        return isinstance(made, relax.Call) and self._is_kernel(made)

    def _casts_as_it_loads(self, var: relax.Var) -> bool:
        users = self.graph.consumers.get(var, [])
        return bool(users) and all(self._is_kernel(self.graph.definition[user]) for user in users)

    def _is_kernel(self, value: relax.Expr) -> bool:
        """Whether a call has a kernel of which casts become part: no micro-kernels are in it that read and
        write one type."""
        found = composite.composite_of(self, value)
        if found is None:
            return isinstance(value, relax.Call) and operator_name(value) != CAST
        return found.name not in composite.LAYERS and (found.name not in PRODUCTS or HALF in found.attributes)

    def _read_bytes(self, var: relax.Var) -> float:
        """Return the bytes that are read of a tensor, which a cast may widen as it is loaded."""
        cast = self.graph.call(var, CAST)
        wide = cast is not None and dtype_of(cast.args[0]) in HALVES and self._casts_as_it_loads(var)
        return _bytes(cast.args[0] if cast is not None and wide else var)

    def _stored_bytes(self, var: relax.Var) -> float:
        user = self.graph.only_consumer(var)
        rounds = user is not None and operator_name(self.graph.definition[user]) == CAST
        stored = user if user is not None and rounds and dtype_of(user) in HALVES else None
        return _bytes(var if stored is None else stored)


def _elements(tensor: relax.Expr) -> int:
    """Return the number of a tensor's elements; none for tuples, and where the shape is not known."""
    shape = shape_of(tensor)
    return 0 if shape is None else math.prod(shape)


def _bytes(tensor: relax.Expr) -> int:
    elements = _elements(tensor)
    return elements * element_bytes(dtype_of(tensor)) if elements else 0
