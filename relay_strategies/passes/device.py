"""The way of a network to a GPU: the graph passes that know no CPU, layers by strategy, all else by TVM's
dlight.

``device_graph_passes``, ``device_kernel_passes`` and ``device_finish_passes`` are their order, which ends in
a main function that allocates planned storage and calls kernels: the compiler makes a launch list of it.
Convolutions and dense layers are composites until ``LowerDeviceConv2d`` asks the target's strategy for them;
those it has nothing for become plain operators again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import tvm
from tvm import relax, tirx
from tvm.ir import GlobalVar
from tvm.s_tir import dlight
from tvm_ffi import structural_map

from relay_strategies.relax import composite
from relay_strategies.relax.epilogue_steps import FLOAT
from relay_strategies.relax.graph import (
    Rewriter,
    constant,
    make_constant,
    rewrite_module,
    rewrite_pass,
    shape_of,
)
from relay_strategies.relax.kernels import asserts, is_scheduled
from relay_strategies.strategies import strategy
from relay_strategies.strategies.gpu import is_offered
from relay_strategies.strategies.limits import NO_LIMITS, Limits
from tvm_directconv.devices.source import lower_kernels
from tvm_directconv.errors import DeviceError, let_through
from tvm_directconv.targets.gpu import GpuTarget

from . import first_passes, operator_passes
from .fuse.fuse_conv2d import FuseConv2d
from .fuse.inline_composites import InlineComposites
from .lower.by_name import Words
from .lower.check_calls import CheckCalls
from .lower.device_kernels import for_device
from .lower.layer_kernels import LayerKernels, Tuned
from .lower.layer_workload import conv2d_workload, layer_name
from .lower.lower_conv2d import LAYERS
from .lower.make_empty import MakeEmpty
from .lower.narrow_tensors import NarrowTensors
from .lower.thread_reduction import ThreadReduction
from .rewrite.fold_constants import FoldDequantize
from .rewrite.unroll_recurrences import UnrollRecurrences

UNROLLING = ("pragma_auto_unroll_max_step", "pragma_unroll_explicit")


def device_graph_passes(
    target: GpuTarget,
    algorithm: Words = strategy.AUTO,
    limits: Limits = NO_LIMITS,
    tuning: Tuned | None = None,
    precision: Words = FLOAT,
) -> list[tvm.transform.Pass]:
    """Return the passes from an imported network to calls of layers' kernels and plain operators."""
    return [
        UnrollRecurrences,
        *first_passes(target),
        FoldDequantize,
        FuseConv2d,
        NarrowTensors(target, precision, algorithm, limits),
        LowerDeviceConv2d(target, algorithm, limits, tuning),
        MakeEmpty,
        InlineComposites,
        relax.transform.DeadCodeElimination(),
    ]


def device_kernel_passes(target: GpuTarget) -> list[tvm.transform.Pass]:
    """Return the passes that write and schedule kernels for the operators left."""
    return [
        PlainNames,
        relax.backend.DispatchSortScan(),
        *operator_passes(),
        ScheduleOnDevice(target),
        CheckCalls,
    ]


def device_finish_passes() -> list[tvm.transform.Pass]:
    """Return the passes from calls of kernels to a main function of planned storage."""
    transform = relax.transform
    return [
        transform.ToNonDataflow(),
        transform.RemovePurityChecking(),
        transform.CallTIRRewrite(),
        transform.StaticPlanBlockMemory(),
    ]


def ScheduleOnDevice(target: GpuTarget) -> tvm.transform.Pass:
    """Schedule every kernel that still lacks threads by the first of dlight's rules that takes it.

    If TVM cannot lower the result, the last rule schedules the kernel: it takes all kernels, and treats
    reductions like other loops.
    """
    gpu = dlight.gpu
    named = (gpu.Matmul(), gpu.GEMV(), ThreadReduction(), gpu.Reduction(), gpu.GeneralReduction())
    rules = dlight.ApplyDefaultSchedule(*map(_Declining, named), gpu.Fallback())
    last = dlight.ApplyDefaultSchedule(gpu.Fallback())

    def scheduled(rules: tvm.transform.Pass, functions: Mapping[GlobalVar, tirx.PrimFunc]) -> tvm.IRModule:
        with target.tvm_target:
            module = rules(tvm.IRModule(functions))
        return tvm.IRModule({var: _rolled(function) for var, function in module.functions_items()})

    @tvm.transform.module_pass(opt_level=0, name="directconv.ScheduleOnDevice")
    def schedule(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
        functions = {
            var: for_device(function)
            for var, function in module.functions_items()
            if isinstance(function, tirx.PrimFunc) and (asserts(function) or not is_scheduled(function))
        }
        made = scheduled(rules, functions)
        broken = {var: functions[var] for var in functions if not _lowers(made[var], target)}
        if broken:
            made.update(scheduled(last, broken))
        result = module.clone()
        result.update(made)
        return result

    return schedule


class _Declining(dlight.ScheduleRule):
    """Wrap a dlight rule so that it declines (returns None) when it raises."""

    def __init__(self, rule: dlight.ScheduleRule) -> None:
        self._rule = rule

    def apply(self, func: tirx.PrimFunc, target: tvm.target.Target, tunable: bool) -> Any:
        try:
            return self._rule.apply(func, target, tunable)
        except Exception as error:  # what a rule takes for granted of a kernel it asserts, or TVM does
            let_through(error)
            return None


def _lowers(function: tirx.PrimFunc, target: GpuTarget) -> bool:
    try:
        lower_kernels(function, target.tvm_target)
    except DeviceError:
        return False
    return True


def _rolled(function: tirx.PrimFunc) -> tirx.PrimFunc:
    """The function without the rules' wish to write loops out, which makes sources of megabytes; a device's
    compiler does that as it likes."""

    def rolled(loop: tirx.For) -> tirx.For:
        kept = {key: value for key, value in loop.annotations.items() if key not in UNROLLING}
        if len(kept) == len(loop.annotations):
            return loop
        fields = (loop.loop_var, loop.min, loop.extent, loop.kind, loop.body, loop.thread_binding)
        return tirx.For(*fields, kept)

    return function.with_body(structural_map(function.body, (tirx.For, rolled)))


def LowerDeviceConv2d(
    target: GpuTarget,
    algorithm: Words = strategy.AUTO,
    limits: Limits = NO_LIMITS,
    tuning: Tuned | None = None,
) -> tvm.transform.Pass:
    """Make calls of the kernels that the target's strategy chooses out of composites of ``FuseConv2d``, and
    keep what was chosen in the module, as ``LowerConv2d`` does."""

    @tvm.transform.module_pass(opt_level=0, name="directconv.LowerDeviceConv2d")
    def lower(module: tvm.IRModule, context: tvm.transform.PassContext) -> tvm.IRModule:
        kernels = LayerKernels(target, algorithm, limits, tuning)
        lowered = rewrite_module(module, lambda f, builder: _LowerDevice(f, builder, kernels))
        kernels.check_names()
        return lowered.with_attr(LAYERS, json.dumps(kernels.layers))

    return lower


class _PlainNames(Rewriter):
    def run(self, params: Sequence[relax.Var] | None = None) -> relax.Function:
        given = self.graph.function.params
        plain = [relax.Var(f"input{at}", param.ty) for at, param in enumerate(given)]
        for old, new in zip(given, plain, strict=True):
            self.bind(old, new)
        return super().run(plain)


PlainNames = rewrite_pass("PlainNames", _PlainNames)
"""Give main's parameters names that a language takes: kernels call their arguments by them."""


class _LowerDevice(Rewriter):
    def __init__(self, function: relax.Function, builder: relax.BlockBuilder, kernels: LayerKernels) -> None:
        super().__init__(function, builder)
        self._kernels = kernels

    def visit(self, var: relax.Var, value: relax.Expr) -> relax.Expr | None:
        layer = composite.composite_of(self, value)
        if layer is None or layer.name not in (composite.CONV2D, composite.DENSE):
            return self.new(value)
        name, workload = layer_name(var, value), conv2d_workload(layer)
        array = constant(layer.arguments[1])
        offered = is_offered(workload, self._kernels.target, self._kernels.wanted(name))
        if array is None or not offered:
            return self.new(value)
        chosen, kernel = self._kernels.get(self, name, workload)
        self._kernels.record(name, layer.name.removeprefix(composite.PREFIX), workload, (chosen, kernel))
        native = chosen.workload
        arguments = [self.new(argument) for argument in layer.arguments]
        arguments[0] = self.reshaped(arguments[0], native.input_shape)
        arguments[1] = make_constant(chosen.pack(array.reshape(native.filter_shape)))
        if native.epilogue.residual:
            arguments[-1] = self.reshaped(arguments[-1], native.output_shape)
        result_type = relax.TensorType(native.output_shape, native.out_dtype)
        result = self.emit(relax.call_tir(kernel, arguments, result_type), var.name)
        return self.reshaped(result, shape_of(var) or native.output_shape)
