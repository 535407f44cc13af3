"""Whether a plan's function computes its convolution, every output once, and touches nothing else."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from tvm import tirx
from tvm_ffi import structural_walk

from intrinsics.verification import NOT_COVERED, PROVEN, REFUTED, Verification
from intrinsics.verification.terms import NotCovered
from tvm_directconv.algorithms.base import Conv2dImplementation, KernelPlan
from tvm_directconv.algorithms.winograd.algorithm import WinogradPlan
from tvm_directconv.problem.element_types import numpy_type
from tvm_directconv.problem.extents import Extent, is_open
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.runtime.size_values import evaluated

from .elements import Memory, PlanError, Uncovered
from .interpretation import Interpretation
from .layer_definition import DrawnLayer, expected, in_nhwc
from .prime_field import DRAWS, PRIME, UNKNOWN, Uninterpreted, residue
from .routine_meanings import routine

OPEN_SIZES, TRIES = 4, 40
"""Functions of open sizes are evaluated at so many of them, of so many that are drawn."""
CLOSE = 2.0**-22
"""What is rounded once is within this of what it is."""


def prove_plan(
    plan: KernelPlan[Any],
    func: tirx.PrimFunc | None = None,
    sizes: Mapping[str, int] | None = None,
    seed: int = 0,
) -> Verification:
    """Return whether a plan's function is its convolution (docs/verification.md).

    Args:
        plan: The plan.
        func: The function, lowered to calls; by default what the plan makes.
        sizes: Of open dimensions, the sizes that it is evaluated at, by name.
        seed: Numbers are drawn by it.
    """
    start = time.perf_counter()
    func = plan.schedule(plan.compute()) if func is None else func
    workload, variables = plan.workload, {}
    if sizes is not None:
        batch, height, width = (int(evaluated(str(extent), sizes)) for extent in plan.workload.sizes)
        workload = plan.workload.of_sizes((batch, height, width))
        variables = {variable: sizes[variable.name] for variable in _variables(func)}
    outcome, reason = PROVEN, ""
    try:
        _check(plan, workload, func, variables, np.random.default_rng(seed))
    except PlanError as error:
        outcome, reason = REFUTED, str(error)
    except (Uncovered, NotCovered) as error:
        outcome, reason = NOT_COVERED, str(error)
    return Verification(str(workload), outcome, reason, seconds=time.perf_counter() - start)


def prove_implementation(chosen: Conv2dImplementation) -> Verification:
    """Return whether an implementation's function is its convolution.

    Where sizes are open, it is evaluated at typical ones and at some that are drawn, and is said not to be
    covered where it is right at all of these.
    """
    name, plan = f"{chosen.name} {chosen.workload}", chosen.plan
    if not isinstance(plan, KernelPlan):
        return Verification(name, NOT_COVERED, "the function is not of this project's plans")
    if not is_open(plan.workload.sizes):
        return replace(prove_plan(plan, chosen.prim_func), name=name)
    start, sizes = time.perf_counter(), drawn_sizes(plan)
    proofs = [prove_plan(plan, chosen.prim_func, at) for at in sizes]
    wrong = [proof for proof in proofs if not proof]
    if wrong:
        return replace(wrong[0], name=name, reason=f"{wrong[0].name}: {wrong[0].reason}")
    reason = f"sizes are open; it is proven at {len(sizes)} of them, the largest {sizes[-1]}"
    return Verification(name, NOT_COVERED, reason, seconds=time.perf_counter() - start)


def drawn_sizes(plan: KernelPlan[Any], count: int = OPEN_SIZES, seed: int = 0) -> list[dict[str, int]]:
    """Return sizes of a plan's open dimensions, by name, that it holds at: its typical ones, and others that
    are not above twice these, the largest last."""
    extents: tuple[Any, ...] = plan.workload.sizes
    opened = next(extent.sizes for extent in extents if isinstance(extent, Extent))
    generator, typical = random.Random(seed), dict(opened.typical)
    found = [typical]
    for _ in range(TRIES):
        at = {name: generator.randint(1, 2 * usual) for name, usual in typical.items()}
        holds = all(evaluated(str(condition), at) for condition in opened.assumptions)
        if holds and at not in found and len(found) < count:
            found.append(at)
    return sorted(found, key=lambda at: math.prod(at.values()))


def _variables(func: tirx.PrimFunc) -> list[tirx.Var]:
    """Return the variables of the operands' open extents."""
    found: list[tirx.Var] = []
    for extent in (extent for parameter in func.params for extent in parameter.shape):
        structural_walk(extent, (tirx.Var, found.append))
    return found


def _check(
    plan: KernelPlan[Any],
    w: Conv2dWorkload,
    func: tirx.PrimFunc,
    variables: Mapping[tirx.Var, int],
    generator: np.random.Generator,
) -> None:
    functions, layer = Uninterpreted.drawn(generator), DrawnLayer.of(w, generator)
    given = [layer.data, packed(plan, layer), *_further(plan, layer)]
    output = Memory("output", np.full((DRAWS, int(np.prod(w.stored_output_shape))), UNKNOWN))
    memories = [
        Memory(parameter.name, values.reshape(DRAWS, -1), constant=True)
        for parameter, values in zip(func.params, given, strict=False)
    ]
    buffers = dict(zip(func.params, [*memories, output], strict=True))
    meanings = cache(lambda name: routine(name, functions))
    Interpretation(buffers, variables, meanings).run(func)
    _compare(w, output, expected(w, layer, functions), once=not variables)


def packed(plan: KernelPlan, layer: DrawnLayer) -> np.ndarray:
    """Return the packed filter [DRAWS, ...] that the plan makes of the layer's."""
    if isinstance(plan, WinogradPlan):
        return _transformed_filter(plan, layer)
    dtype = np.int64 if plan.workload.quantized else numpy_type(plan.workload.dtype)
    return layer.filter.made(lambda weights: plan.pack(weights.astype(dtype)))


def _transformed_filter(plan: WinogradPlan, layer: DrawnLayer) -> np.ndarray:
    """Return the filter that Winograd's plan transforms and packs: the sum of what it makes of each tap."""
    taps = plan.geometry.filtering.taps
    total = np.zeros((DRAWS, *plan.packed_filter_shape), np.int64)
    for place in np.ndindex(taps, taps):
        tap = _Tap(plan, place)
        total = (total + layer.filter.made(tap.weights) * tap.coefficients(residue)) % PRIME
    return total


@dataclass(frozen=True)
class _Tap:
    """One tap (row, column) of a filter that Winograd's plan packs, the others zero."""

    plan: WinogradPlan
    place: tuple[int, ...]

    def coefficients(self, number: Callable[[Fraction], float]) -> np.ndarray:
        """Return what the tap is multiplied by at each point, on the packed filter's axis of points."""
        rows = self.plan.geometry.filtering.filter
        found = [number(row[self.place[0]] * column[self.place[1]]) for row in rows for column in rows]
        return np.array(found).reshape(-1, *[1] * (len(self.plan.packed_filter_shape) - 3))

    def weights(self, filters: np.ndarray) -> np.ndarray:
        """Return the weights at their places in the packed filter, zero where there are none: what is packed
        over the coefficients. Raises PlanError where that is not, but for a rounding, an integer."""
        axes: dict[str, Any] = dict(zip("HW", self.place, strict=True))
        chosen = tuple(axes.get(axis, slice(None)) for axis in self.plan.workload.filter_layout)
        alone = np.zeros(filters.shape, np.float32)
        alone[chosen] = filters[chosen]
        made, coefficients = self.plan.pack(alone), self.coefficients(float)
        found = np.rint(made / np.where(coefficients == 0, 1, coefficients))
        if (np.abs(found * coefficients - made) > CLOSE * np.abs(made)).any():
            raise PlanError("the packed filter is not the transformed filter")
        return found


def _further(plan: KernelPlan, layer: DrawnLayer) -> list[np.ndarray]:
    """Return the operands between the packed filter and the output."""
    if plan.workload.quantized is None:
        further = [None if layer.bias is None else layer.bias.made(), layer.residual]
    else:
        table = layer.filter.made(lambda weights: plan.bias_table(weights, None))
        if layer.bias is not None:
            nothing = np.zeros(plan.workload.filter_shape, np.int64)
            table = (table + layer.bias.made(lambda bias: plan.bias_table(nothing, bias))) % PRIME
        further = [table, layer.scale]
        if layer.residual is not None and layer.scale is not None:
            scales = np.broadcast_to(layer.scale[:, None], table.shape)
            further = [np.concatenate([table, scales], axis=2), layer.residual]
    return [operand for operand in further if operand is not None]


def _compare(w: Conv2dWorkload, output: Memory, wanted: np.ndarray, once: bool) -> None:
    """Raise PlanError where an element of the output is not as expected, or was not stored, or not ``once``.
    Tiles of rows of open width may overlap."""
    shape = w.stored_output_shape
    first, channels = w.out_slice
    own = slice(first, first + w.out_channels)
    found = in_nhwc(w.out_layout, output.values.reshape(DRAWS, *shape), channels)
    stores = in_nhwc(w.out_layout, output.stores.reshape(1, *shape), channels)[0]
    for wrong, what in (
        (stores[..., own] == 0, "is never stored"),
        (once & (stores[..., own] > 1), "is stored more than once"),
        ((found[..., own] != wanted).any(0), "is not that of the convolution"),
    ):
        if wrong.any():
            at = tuple(map(int, np.argwhere(wrong)[0]))
            raise PlanError(f"the output's element (n, y, x, oc) = {at} {what}, and {wrong.sum()} in all")
    others = np.ones(channels, bool)
    others[own] = False
    if stores[..., others].any():
        raise PlanError("channels that belong to others are stored to")
