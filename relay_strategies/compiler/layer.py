"""One convolution layer, built and callable on numpy arrays: for trying, checking and timing."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import tvm
from tvm import tirx

from relay_strategies.passes.lower.narrow_tensors import fastest
from relay_strategies.strategies.device_candidates import space_of_layer
from relay_strategies.strategies.limits import Limits
from relay_strategies.strategies.operands import check_arguments
from relay_strategies.strategies.records import Records, recorded_workload
from relay_strategies.strategies.strategy import AUTO, conv2d_strategy, implement_conv2d, layout_copies
from tvm_directconv.algorithms.accuracy import EXACT, FAST
from tvm_directconv.algorithms.base import Conv2dImplementation
from tvm_directconv.errors import AlgorithmError, TuningError, WorkloadError
from tvm_directconv.locks import one_at_a_time
from tvm_directconv.measure.timing import Timing, time_calls
from tvm_directconv.operators import layout
from tvm_directconv.problem.element_types import FLOAT32, HALVES, numpy_type
from tvm_directconv.problem.operands import random_operands
from tvm_directconv.problem.taps import with_scales
from tvm_directconv.problem.workload import Conv2dWorkload, data_shape
from tvm_directconv.runtime.arrays import array_of
from tvm_directconv.targets.gpu import GpuTarget, resolve_any_target
from tvm_directconv.targets.target import CompileTarget, require_host

from .arguments import check_limits, check_portable, check_precision, known_records
from .device_layer import DeviceConv2dLayer
from .layer_arguments import check_repeat, checked_operands, layer_text, less_zero
from .library.program import build_context
from .model.thread_count import check_threads, use_threads

OPERANDS = ("data", "packed", "bias", "residual", "scale", "output")
"""This is the order in which a compiled convolution takes those that it has."""


@dataclass(frozen=True)
class LayoutChange:
    """A copy of one operand in another layout; ``shape`` is (batch, height, width, channels)."""

    shape: tuple[int, int, int, int]
    source: str
    result: str
    dtype: str

    def func(self, target: CompileTarget) -> tirx.PrimFunc:
        """Return the PrimFunc (source, result) that copies."""
        return layout.change_layout(self.shape, self.source, self.result, target, self.dtype)

    def empty(self, layout: str) -> tvm.runtime.Tensor:
        """Return a tensor of zeros for the operand in one of the two layouts."""
        return tvm.runtime.tensor(np.zeros(data_shape(layout, *self.shape), numpy_type(self.dtype)))


def layout_changes(workload: Conv2dWorkload, native: Conv2dWorkload) -> dict[str, LayoutChange]:
    """Return the changes of layout, by operand, that let ``native`` run in place of the same convolution
    ``workload``."""
    w = workload
    image = (w.batch, w.height, w.width, w.in_channels)
    result = (w.batch, w.out_height, w.out_width, w.out_channels)
    changes = {
        "data": LayoutChange(image, w.data_layout, native.data_layout, w.dtype),
        "residual": LayoutChange(result, w.out_layout, native.out_layout, w.out_dtype),
        "output": LayoutChange(result, native.out_layout, w.out_layout, w.out_dtype),
    }
    return {operand: changes[operand] for operand in layout_copies(workload, native)}


class Conv2dLayer:
    """One convolution compiled for one target; call it with numpy arrays.

    ``layer(data, weights, bias=None, residual=None)`` takes float32 arrays of the workload's shapes and
    layouts, bias (OC,), and returns the output. Filters are packed at each call; ``bind`` packs once. Of a
    workload in half precision all but bias, and residual and output where they are float32, are of its type;
    bfloat16 is that of ml_dtypes.

    Of a quantized workload ``data`` has the workload's dtype, ``weights`` are integers whose zero point is
    ``filter_zero`` (one, or one per output channel), ``bias`` is int32 in units of the sums, and ``scale``
    float32 (OC,), the output's units per unit of the sums, is wanted unless the output is int32.

    Attributes:
        workload: The layer.
        target: What it is compiled for.
        threads: How many of TVM's threads it uses; None, all of them.
        workspace_bytes: What it takes beyond input, output and packed filter: the algorithm's workspace, and
            where the algorithm's layouts are not the workload's, copies of input, residual and output in
            them.
    """

    def __init__(
        self, workload: Conv2dWorkload, target: CompileTarget, implementation: Conv2dImplementation
    ) -> None:
        self.workload = workload
        self.target = target
        self.implementation = implementation
        self.threads: int | None = None
        native = implementation.workload
        self.workspace_bytes = implementation.workspace_bytes + sum(layout_copies(workload, native).values())
        self._changes = layout_changes(workload, native)
        functions = {"conv2d": implementation.prim_func}
        functions |= {f"change_{operand}": change.func(target) for operand, change in self._changes.items()}
        module = tvm.IRModule(
            {name: func.with_attr("global_symbol", name) for name, func in functions.items()}
        )
        # TVM's checks of what functions are given take LLVM as long as the functions; ``bind`` checks it.
        with build_context(tvm.transform.PassContext.current(), checks=False):
            self.executable = tvm.compile(module, target=target.tvm_target)

    def __str__(self) -> str:
        return layer_text(self.workload, self.target, self.implementation, self.workspace_bytes)

    def __call__(
        self,
        data: np.ndarray,
        weights: np.ndarray,
        bias: np.ndarray | None = None,
        residual: np.ndarray | None = None,
        scale: np.ndarray | None = None,
        filter_zero: int | np.ndarray = 0,
    ) -> np.ndarray:
        """Return the output for these operands; InputError for one that is missing or of another type."""
        call, output = self.bind(data, weights, bias, residual, scale, filter_zero)
        call()
        return output.numpy()

    def bind(
        self,
        data: np.ndarray,
        weights: np.ndarray,
        bias: np.ndarray | None = None,
        residual: np.ndarray | None = None,
        scale: np.ndarray | None = None,
        filter_zero: int | np.ndarray = 0,
    ) -> tuple[Callable[[], None], tvm.runtime.Tensor]:
        """Pack and hold the operands; return a function that runs the layer on them, and its output."""
        require_host(self.target)
        w = self.workload
        operands = {"data": data, "weights": weights, "bias": bias, "residual": residual, "scale": scale}
        given = checked_operands(w, operands)
        weights, bias = array_of(weights, "weights"), given["bias"]
        if self.implementation.bias_table is not None:
            weights = less_zero(w, weights, filter_zero)
            table = self.implementation.bias_table(weights, bias)
            if w.epilogue.residual:
                table, given["scale"] = with_scales(table, array_of(scale, "scale")), None
            given["bias"] = table
        given["packed"] = self.implementation.pack(weights)
        given["output"] = np.empty(w.output_shape, numpy_type(w.out_dtype))
        arguments = {
            name: tvm.runtime.tensor(np.ascontiguousarray(given[name]))
            for name in OPERANDS
            if given[name] is not None
        }
        output = arguments["output"]
        # Each step is a function with its arguments; the copies go around the convolution.
        before, after = [], []
        for operand, change in self._changes.items():
            copy, outside = self.executable.mod[f"change_{operand}"], arguments[operand]
            if operand == "output":
                arguments[operand] = change.empty(change.source)
                after.append((copy, (arguments[operand], outside)))
            else:
                arguments[operand] = change.empty(change.result)
                before.append((copy, (outside, arguments[operand])))
        check_arguments(self.implementation, arguments)
        steps = [*before, (self.executable.mod["conv2d"], tuple(arguments.values())), *after]

        def run() -> None:
            use_threads(self.threads)
            for function, operands in steps:
                function(*operands)

        return run, output

    def assembly(self) -> str:
        """Return the machine code as text, micro-kernels inside their loops; what LLVM made of it."""
        return self.executable.mod.inspect_source("asm")

    def time(self, repeat: int = 10, min_repeat_ms: float = 20) -> Timing:
        """Time the layer on random operands of its own, ``repeat`` times at least ``min_repeat_ms`` of calls;
        TVM_NUM_THREADS sets the number of threads. Raises InputError for a ``repeat`` below 1."""
        check_repeat(repeat)
        run, _ = self.bind(*random_operands(self.workload))
        return time_calls(run, repeat, min_repeat_ms / 1e3)


@one_at_a_time
def build_conv2d(
    workload: Conv2dWorkload | str,
    target: str | dict | tvm.target.Target | CompileTarget | GpuTarget = "llvm -mcpu=native",
    algorithm: str = AUTO,
    max_workspace_bytes: int | None = None,
    tuning: str | os.PathLike[str] | Records | None = None,
    max_filter_bytes: int | None = None,
    accuracy: str = EXACT,
    precision: str | None = None,
    threads: int | None = None,
    knobs: Mapping[str, Any] | None = None,
) -> Conv2dLayer | DeviceConv2dLayer:
    """Compile one layer for one target.

    Args:
        workload: The layer, or its descriptor. Of which larger tensors its own are parts is left out: a layer
            alone has tensors of its own. Layouts that the algorithm does not have are changed at its edges,
            and ``workspace_bytes`` of the layer says what that takes.
        target: A target string, dict, tag or tvm.target.Target, of a CPU or a GPU, as of ``compile``.
        algorithm: A name; "auto" chooses within the limits.
        max_workspace_bytes: The most workspace that a call may take.
        tuning: Records that ``tune`` made, which decide before "auto" does where they know the layer.
        max_filter_bytes: The most bytes that the packed filter may take.
        accuracy: "exact", or "standard" or "fast", which allow algorithms that round more, or "portable":
            results have the same bits on every CPU.
        precision: The type of the layer's tensors in place of the workload's own: "float32", "bfloat16",
            "float16", or "auto", the one in which it is estimated to take least.
        threads: How many of TVM's threads the layer uses, all of them by default.
        knobs: Tile parameters of the algorithm, which has to be named; those that are left out are as the
            analytical model sets them. ``create_task(...).config_space`` has their values.

    Raises:
        WorkloadError: The workload is not valid.
        AlgorithmError: The algorithm is unknown, does not take the layer, or needs more than is allowed.
        TargetError: The target is unknown or not supported.
        TuningError: The knobs are not those of a schedule.

    Examples:
        >>> import numpy as np
        >>> import tvm_directconv as directconv
        >>> workload = directconv.Conv2dWorkload(1, 8, 8, 16, 32, kernel=(3, 3), padding=(1, 1, 1, 1))
        >>> layer = directconv.build_conv2d(workload, algorithm="direct_nhwc")
        >>> layer(np.ones((1, 8, 8, 16), np.float32), np.ones((32, 16, 3, 3), np.float32))[0, 4, 4, :3]
        array([144., 144., 144.], dtype=float32)
    """
    workload = Conv2dWorkload.of(workload).of_whole_tensors()
    check_threads(threads)
    if not isinstance(algorithm, str):
        raise AlgorithmError(f"algorithm must be a name, not {algorithm!r}")
    limits = Limits(max_workspace_bytes, max_filter_bytes, accuracy)
    check_limits(limits)
    resolved: Any = resolve_any_target(target)
    check_portable(accuracy, precision, resolved)
    known = known_records(tuning)
    if precision is not None:
        workload = in_precision(workload, precision, resolved, algorithm, limits)
    found = None
    if known is not None and algorithm == AUTO:
        found = known.choice(workload, resolved, limits)
    name, chosen_knobs = (algorithm, None) if found is None else found
    if knobs is not None:
        chosen_knobs = _knobs_of(workload, resolved, algorithm, knobs)
    chosen = implement_conv2d(workload, resolved, name, limits, chosen_knobs)
    if isinstance(resolved, GpuTarget):
        return DeviceConv2dLayer(workload, resolved, chosen)
    layer = Conv2dLayer(workload, resolved, chosen)
    layer.threads = threads
    return layer


def _knobs_of(workload: Conv2dWorkload, target: Any, name: str, given: Mapping[str, Any]) -> Any:
    """Return the knobs of an algorithm where some are given, and the others as its model sets them."""
    if name == AUTO:
        raise TuningError("knobs are of an algorithm: name it by algorithm=")
    native = conv2d_strategy(workload, target).select(workload, target, name).native(workload, target)
    space = space_of_layer(recorded_workload(native), target, Limits(accuracy=FAST))
    set_by_model = space.analytical_knobs(name)
    own = {} if set_by_model is None else asdict(set_by_model)
    if own and (unknown := given.keys() - own.keys()):
        raise TuningError(f"{name} does not have a knob '{min(unknown)}': it has {', '.join(own)}")
    return space.candidate_from({"algorithm": name, "knobs": {**own, **given}}).knobs


def in_precision(
    workload: Conv2dWorkload,
    precision: str,
    target: CompileTarget | GpuTarget,
    algorithm: str,
    limits: Limits,
) -> Conv2dWorkload:
    """Return the workload of floats in another type, "auto" the one in which it is estimated to take least on
    the target. Raises WorkloadError for a workload of integers and for a type that is none."""
    check_precision(precision)
    if workload.quantized is not None:
        raise WorkloadError(f"precision {precision!r} is of layers of floats, and the workload is {workload}")
    kinds = {
        kind: replace(workload, dtype=kind, to_float32=workload.to_float32 and kind in HALVES)
        for kind in (FLOAT32, *HALVES)
    }
    if precision != AUTO:
        return kinds[precision]

    anywhere: Any = target  # strategies of either kind

    def cycles(of_kind: Conv2dWorkload) -> float:
        try:
            offers = conv2d_strategy(of_kind, anywhere)
            cost = offers.select(of_kind, anywhere, algorithm, limits).estimate(of_kind, anywhere)
        except AlgorithmError:
            return math.inf  # nothing computes it so
        return math.inf if cost is None else cost.total

    return kinds[fastest({kind: cycles(of_kind) for kind, of_kind in kinds.items()})]
