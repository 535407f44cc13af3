"""One convolution layer, built and callable on numpy arrays: for trying, checking and timing."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import tvm

from relay_strategies.strategies.records import Records
from relay_strategies.strategies.strategy import AUTO, implement_conv2d, layout_copies
from tvm_directconv.algorithms.base import Conv2dImplementation
from tvm_directconv.errors import InputError
from tvm_directconv.operators import layout
from tvm_directconv.problem.operands import random_operands
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget, require_host, resolve_target


@dataclass(frozen=True)
class Timing:
    """Seconds per call: the median and the best of several repeats."""

    median: float
    best: float


class Conv2dLayer:
    """One convolution compiled for one target; call it with numpy arrays.

    ``layer(data, weights, bias=None, residual=None)`` takes float32 arrays of the workload's shapes and
    layouts, bias (OC,), and returns the output. Filters are packed at each call; ``bind`` packs once.

    Of a quantized workload ``data`` has the workload's dtype, ``weights`` are integers whose zero point is
    ``filter_zero`` (one, or one per output channel), ``bias`` is int32 in units of the sums, and ``scale``
    float32 (OC,), the output's units per unit of the sums, is wanted unless the output is int32.
    """

    def __init__(
        self, workload: Conv2dWorkload, target: CompileTarget, implementation: Conv2dImplementation
    ) -> None:
        self.workload = workload
        self.target = target
        self.implementation = implementation
        functions = {"conv2d": implementation.prim_func}
        inside = implementation.workload
        self._copies = layout_copies(workload, inside)
        self.workspace_bytes = implementation.workspace_bytes + sum(self._copies.values())
        """Bytes beyond input, output and packed filter: the algorithm's, and where its layouts are not the
        workload's, the copies of input, residual and output in its own."""
        image = (workload.batch, workload.height, workload.width, workload.in_channels)
        result = (workload.batch, workload.out_height, workload.out_width, workload.out_channels)
        changes = {
            "data": (image, workload.data_layout, inside.data_layout),
            "residual": (result, workload.out_layout, inside.out_layout),
            "output": (result, inside.out_layout, workload.out_layout),
        }
        for operand in self._copies:
            functions[f"change_{operand}"] = layout.change_layout(*changes[operand], target)
        module = tvm.IRModule(
            {name: func.with_attr("global_symbol", name) for name, func in functions.items()}
        )
        self.executable = tvm.compile(module, target=target.tvm_target)

    def __call__(
        self,
        data: np.ndarray,
        weights: np.ndarray,
        bias: np.ndarray | None = None,
        residual: np.ndarray | None = None,
        scale: np.ndarray | None = None,
        filter_zero: int | np.ndarray = 0,
    ) -> np.ndarray:
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
        _check(w, "data", data, w.input_shape, True, w.dtype)
        _check(w, "weights", weights, w.filter_shape, True, "" if w.quantized else w.dtype)
        _check(w, "bias", bias, (w.out_channels,), w.epilogue.bias, "int32" if w.quantized else w.dtype)
        _check(w, "residual", residual, w.output_shape, w.epilogue.residual, w.dtype)
        scaled = w.quantized is not None and w.out_dtype != "int32"
        _check(w, "scale", scale, (w.out_channels,), scaled, "float32")
        if self.implementation.bias_table is not None:
            weights = less_zero(w, weights, filter_zero)
            bias = self.implementation.bias_table(weights, bias)
        module = self.executable.mod
        output = tvm.runtime.tensor(np.empty(w.output_shape, w.out_dtype))
        given = {
            "data": data,
            "packed": self.implementation.pack(weights),
            "bias": bias,
            "residual": residual,
            "scale": scale,
        }
        tensor = tvm.runtime.tensor
        arguments = {name: tensor(np.ascontiguousarray(a)) for name, a in given.items() if a is not None}
        arguments["output"] = output
        convolve = module["conv2d"]
        before: list[Callable[[], None]] = []
        after: list[Callable[[], None]] = []
        for operand in self._copies:
            inside = self.implementation.workload
            shape = inside.input_shape if operand == "data" else inside.output_shape
            dtype = w.out_dtype if operand == "output" else w.dtype
            copy, outside = tensor(np.zeros(shape, dtype)), arguments[operand]
            change = module[f"change_{operand}"]
            if operand == "output":
                after.append(functools.partial(change, copy, outside))
            else:
                before.append(functools.partial(change, outside, copy))
            arguments[operand] = copy
        order = ("data", "packed", "bias", "residual", "scale", "output")
        operands = [arguments[name] for name in order if name in arguments]

        def run() -> None:
            for change in before:
                change()
            convolve(*operands)
            for change in after:
                change()

        return run, output

    def time(self, repeat: int = 10, min_repeat_ms: float = 20) -> Timing:
        """Time the layer on random operands of its own; TVM_NUM_THREADS sets the number of threads."""
        run, _ = self.bind(*random_operands(self.workload))
        return time_calls(run, repeat, min_repeat_ms)


def build_conv2d(
    workload: Conv2dWorkload,
    target: str | dict | tvm.target.Target | CompileTarget = "llvm -mcpu=native",
    algorithm: str = AUTO,
    max_workspace_bytes: int | None = None,
    tuning: str | os.PathLike[str] | Records | None = None,
) -> Conv2dLayer:
    """Compile one layer. The workload's own layouts are used where the algorithm has them; where it has
    not, tensors are changed at its edges, and ``workspace_bytes`` says what that takes. "auto" chooses
    within ``max_workspace_bytes``; a forced algorithm that needs more is an AlgorithmError. ``tuning``,
    records that ``tune`` made, decides before "auto" does, where it knows the layer."""
    resolved = resolve_target(target)
    known = Records.load(tuning) if isinstance(tuning, str | os.PathLike) else tuning
    found = None
    if known is not None and algorithm == AUTO:
        found = known.choice(workload, resolved, max_workspace_bytes)
    name, knobs = (algorithm, None) if found is None else found
    chosen = implement_conv2d(workload, resolved, name, max_workspace_bytes, knobs)
    return Conv2dLayer(workload, resolved, chosen)


def time_calls(call: Callable[[], None], repeat: int, min_repeat_ms: float) -> Timing:
    """Median and best seconds per call over ``repeat`` batches of at least ``min_repeat_ms``."""
    call()
    start = time.perf_counter()
    call()
    number = max(1, int(min_repeat_ms / 1e3 / max(time.perf_counter() - start, 1e-9)))
    batches = []
    for _ in range(repeat):
        start = time.perf_counter()
        for _ in range(number):
            call()
        batches.append((time.perf_counter() - start) / number)
    return Timing(float(np.median(batches)), min(batches))


def less_zero(workload: Conv2dWorkload, weights: np.ndarray, zero: int | np.ndarray) -> np.ndarray:
    """An integer filter with its zero point, one or one per output channel, taken off."""
    shape = [-1 if axis == "O" else 1 for axis in workload.filter_layout]
    return weights.astype(np.int16) - np.asarray(zero, np.int16).reshape(shape)


def _check(
    workload: Conv2dWorkload,
    name: str,
    array: np.ndarray | None,
    shape: tuple[int, ...],
    wanted: bool,
    dtype: str,
) -> None:
    if (array is not None) != wanted:
        problem = "is missing" if wanted else "is given, but the workload has none"
        raise InputError(f"{name} {problem}; the workload is {workload}")
    if array is None:
        return
    right = np.issubdtype(array.dtype, np.integer) if not dtype else array.dtype == dtype
    if array.shape != shape or not right:
        raise InputError(
            f"{name} must be {dtype or 'integer'} {shape}, got {array.dtype} {array.shape}; the workload is "
            f"{workload}"
        )
