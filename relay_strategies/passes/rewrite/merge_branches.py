"""MergeBranches: convolutions of one tensor whose results are summed become one convolution.

Networks are trained with parallel branches (RepVGG, MobileOne, ACNet: a 3x3, a 1x1 and the input itself, each
normalized) whose sum is linear. A filter whose taps are all among those of another, at the same strides, is
added to it; the input itself is a filter of one tap. That takes the operations of the larger one alone.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np
import tvm
from tvm import relax

from relay_strategies.relax.arithmetic_calls import ADD, MULTIPLY, SUBTRACT
from relay_strategies.relax.calls import replaced
from relay_strategies.relax.filters import CONVOLUTION, filter_of
from relay_strategies.relax.graph import (
    ChainRewriter,
    constant,
    dtype_of,
    ints,
    make_constant,
    operator_name,
    rewrite_module,
    shape_of,
)
from relay_strategies.relax.scales import LARGEST_SHIFT

from .fold_scales import FoldScales

SUMS = {ADD: 1, SUBTRACT: -1}
"""The operators whose terms are looked at, and the sign of the second."""


@tvm.transform.module_pass(opt_level=0, name="directconv.MergeBranches")
def MergeBranches(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
    """Make one convolution of summed ones; wants ``FoldScales`` before it. What stood at a sum goes into the
    filter that it has become, which may be a term of another then."""
    while True:
        merged = rewrite_module(module, _MergeBranches)
        functions = zip(merged.functions_items(), module.functions_items(), strict=True)
        if all(after.same_as(before) for (_, after), (_, before) in functions):
            return module
        module = FoldScales(merged)


@dataclass
class _Sum:
    """Terms, each used by nothing else unless it is a layer's input, and constants per channel."""

    shape: tuple[int, ...]
    terms: list[relax.Expr] = field(default_factory=list)
    signs: dict[relax.Expr, int] = field(default_factory=dict)
    shifts: list[np.ndarray] = field(default_factory=list)
    absorbed: list[relax.Var] = field(default_factory=list)
    filters: dict[relax.Expr, np.ndarray] = field(default_factory=dict)
    """The filters that those of these terms, convolutions, have become."""


class _MergeBranches(ChainRewriter[_Sum]):
    def prepare(self) -> None:
        for var, value in reversed(self.graph.bindings):
            shape = shape_of(var)
            if self.is_claimed(var) or operator_name(value) not in SUMS or shape is None:
                continue
            if dtype_of(var) != "float32" or len(shape) != 4:
                continue
            total = _Sum(shape)
            self._collect(value, 1, total)
            if self._merge(total):
                self.claim([*total.absorbed, var], total)

    def _collect(self, value: relax.Call, sign: int, total: _Sum) -> None:
        for operand, own in zip(value.args, (sign, sign * SUMS[operator_name(value)]), strict=True):
            array = constant(operand)
            inner = self.graph.sole_call(operand, *SUMS)
            if array is not None:
                total.shifts.append(own * array.astype(np.float64))
            elif inner is not None and shape_of(inner) == total.shape:
                total.absorbed.append(operand)
                self._collect(inner, own, total)
            else:
                total.terms.append(operand)
                total.signs[operand] = own

    def _merge(self, total: _Sum) -> bool:
        """Add every term to the filter of another that has all its taps; say whether there was one."""
        large = any(np.any(np.abs(shift) > LARGEST_SHIFT) for shift in total.shifts)
        if large or len(set(total.terms)) != len(total.terms):
            return False
        hosts = [term for term in total.terms if self._convolution(term) is not None]
        hosts.sort(key=lambda term: -np.prod(self._filter(term).shape[2:]))
        for term in [*hosts[::-1], *(t for t in total.terms if t not in hosts)]:
            for host in hosts:
                own = total.filters.get(host, self._filter(host))
                added = None if host is term or term in total.filters else self._as_filter(term, host, own)
                if added is not None:
                    total.filters[host] = own + added * (total.signs[term] * total.signs[host])
                    total.terms.remove(term)
                    hosts = [each for each in hosts if each is not term]
                    if term != self._data(host):
                        total.absorbed.append(term)
                    break
        return bool(total.filters)

    def _convolution(self, term: relax.Expr) -> relax.Call | None:
        call = self.graph.sole_call(term, CONVOLUTION)
        if call is None or call.attrs.data_layout != call.attrs.out_layout:
            return None
        return None if filter_of(self.graph, call) is None else call

    def _data(self, host: relax.Expr) -> relax.Expr:
        return self.graph.definition[host].args[0]

    def _filter(self, term: relax.Expr) -> np.ndarray:
        """Return a convolution's filter as OIHW in float64."""
        found = filter_of(self.graph, self.graph.definition[term])
        assert found is not None
        return found.ordered.astype(np.float64)

    def _as_filter(self, term: relax.Expr, host: relax.Expr, own: np.ndarray) -> np.ndarray | None:
        """The filter by which ``host`` computes ``term``; None where it cannot."""
        of_host, call = self.graph.definition[host], self._convolution(term)
        if call is not None:
            alike = ("strides", "groups", "data_layout")
            if any(str(getattr(call.attrs, name)) != str(getattr(of_host.attrs, name)) for name in alike):
                return None
            return (
                None if call.args[0] != of_host.args[0] else _placed(self._filter(term), call, own, of_host)
            )
        scaled = self.graph.sole_call(term, MULTIPLY)
        factor = None if scaled is None else constant(scaled.args[1])
        channel_axis = str(of_host.attrs.data_layout).index("C")
        scale = np.ones(1) if factor is None else _per_channel(factor, channel_axis)
        data = term if factor is None or scaled is None else scaled.args[0]
        channels, group = own.shape[:2]
        if scale is None or data != of_host.args[0] or set(ints(of_host.attrs.strides)) != {1}:
            return None
        if channels != group * int(of_host.attrs.groups) or shape_of(data) != shape_of(host):
            return None
        identity = np.zeros((channels, group, 1, 1))
        identity[np.arange(channels), np.arange(channels) % group] = scale.reshape(-1, 1, 1)
        return _placed(identity, None, own, of_host)

    def emit_chain(self, var: relax.Var, chain: _Sum) -> relax.Expr:
        merged, others = [], []
        for term in chain.terms:
            if term not in chain.filters:
                others.append((self.new(term), chain.signs[term]))
                continue
            call = self.graph.definition[term]
            known = filter_of(self.graph, call)
            assert known is not None
            weight = make_constant(known.reordered(chain.filters[term] * chain.signs[term]))
            merged.append(self.emit(replaced(call, [self.new(call.args[0]), weight])))
        result, *rest = merged
        if chain.shifts:
            shift = sum(chain.shifts, np.zeros(()))
            result = self.emit(relax.op.add(result, make_constant(shift.astype(np.float32))))
        for term, sign in [*((term, 1) for term in rest), *others]:
            result = self.emit(relax.op.add(result, term) if sign > 0 else relax.op.subtract(result, term))
        return result


def _placed(
    small: np.ndarray, call: relax.Call | None, own: np.ndarray, host: relax.Call
) -> np.ndarray | None:
    """A filter at the taps of another that see the same pixels; None where one is not there.

    ``call`` is the convolution of the smaller filter, None for one tap that sees a result's own pixel.
    """
    if small.shape[:2] != own.shape[:2]:
        return None
    result = np.zeros_like(own)
    places = []
    for axis in range(2):
        first, dilation = -ints(host.attrs.padding)[axis], ints(host.attrs.dilation)[axis]
        before = 0 if call is None else ints(call.attrs.padding)[axis]
        step = 1 if call is None else ints(call.attrs.dilation)[axis]
        seen = [tap * step - before - first for tap in range(small.shape[2 + axis])]
        places.append([offset // dilation for offset in seen])
        if any(offset % dilation or not 0 <= offset // dilation < own.shape[2 + axis] for offset in seen):
            return None
    for row, column in itertools.product(*(range(extent) for extent in small.shape[2:])):
        result[:, :, places[0][row], places[1][column]] += small[:, :, row, column]
    return result


def _per_channel(array: np.ndarray, axis: int) -> np.ndarray | None:
    """The values of a constant that varies along that axis of four at most."""
    wide = (1,) * (4 - array.ndim) + array.shape
    several = [each for each, extent in enumerate(wide) if extent != 1]
    return array.reshape(-1).astype(np.float64) if several in ([], [axis]) else None
