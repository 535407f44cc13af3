"""What users pass to ``compile`` and ``build_conv2d``, checked before anything starts."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from numbers import Integral
from typing import Any

from relay_strategies.passes.lower.by_name import Words
from relay_strategies.passes.lower.narrow_tensors import PRECISIONS
from relay_strategies.passes.rows.choice import FASTEST, MEMORIES
from relay_strategies.relax.epilogue_steps import FLOAT
from relay_strategies.strategies import strategy
from relay_strategies.strategies.gpu import DEFAULT
from relay_strategies.strategies.limits import Limits
from relay_strategies.strategies.records import Records, history_best
from tvm_directconv.algorithms.accuracy import ACCURACIES, PORTABLE
from tvm_directconv.errors import AlgorithmError, InputError, ModelError, TuningError, WorkloadError, nearest
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu import GpuTarget
from tvm_directconv.targets.target import CompileTarget

MOST_ELEMENTS = (1 << 63) - 1
LAYOUTS = ("NHWC", "NCHW", "blocked")


def check_options(algorithm: Any, precision: Any, layout: Any, limits: Limits, max_tensor_bytes: Any) -> None:
    """Raise the class of error that belongs to the first option of a wrong type or value."""
    names = algorithm.items() if isinstance(algorithm, Mapping) else [("", algorithm)]
    for layer, name in names:
        if not isinstance(name, str) or not isinstance(layer, str):
            raise AlgorithmError(
                f"algorithm must be a name, or names by the names of layers, not {algorithm!r}"
            )
    if layout not in LAYOUTS:
        raise WorkloadError(f"layout {layout!r} is not one of {', '.join(LAYOUTS)}")
    _check_precision(precision, layout)
    check_limits(limits)
    check_bytes("max_tensor_bytes", max_tensor_bytes)


def check_algorithms(given: Words, target: CompileTarget | GpuTarget) -> None:
    """Raise AlgorithmError for a name that the target's strategy does not offer for plain convolutions: a
    network without convolutions would never look at the names."""
    offered = [
        implementation.name
        for size in (3, 5)
        for implementation in strategy.conv2d_strategy(_plain(size), target).implementations
    ]
    names = list(dict.fromkeys([strategy.AUTO, *offered]))
    names += [DEFAULT] if isinstance(target, GpuTarget) else []
    for algorithm in [given] if isinstance(given, str) else given.values():
        if algorithm not in names:
            raise AlgorithmError(
                f"unknown algorithm '{algorithm}'{nearest(algorithm, names)}; {target} has {', '.join(names)}"
            )


def check_combination(
    target: CompileTarget | GpuTarget,
    threads: int | None,
    verify: bool,
    on_demand: bool,
    fallback: str | None,
) -> None:
    """Raise InputError for options that a GPU lacks, for proofs of what is compiled later or in parts, and
    for sizes that are compiled later in several instruction sets."""
    if isinstance(target, GpuTarget) and threads is not None:
        raise InputError("threads= are a CPU's; it does not apply to a GPU")
    if isinstance(target, GpuTarget) and verify:
        raise InputError("verify= proves a CPU's kernels; it does not apply to a GPU")
    if verify and (on_demand or fallback is not None):
        raise InputError("verify= proves what is compiled now: give neither on_demand= nor fallback=")
    if on_demand and isinstance(target, CompileTarget) and target.dispatch:
        raise InputError(
            "on_demand= compiles further sizes for this host's CPU, and the target has several instruction "
            "sets: leave sizes open, give several, or name one CPU"
        )


def _plain(size: int) -> Conv2dWorkload:
    return Conv2dWorkload(1, 16, 16, 32, 32, (size, size), padding=(size // 2,) * 4)


def _check_precision(precision: Any, layout: str) -> None:
    """Raise WorkloadError for unknown precisions, for two kinds of half precision together, and for
    precisions that the layout's kernels do not support."""
    given = list(precision.values()) if isinstance(precision, Mapping) else [precision]
    if isinstance(precision, Mapping) and not all(isinstance(layer, str) for layer in precision):
        raise WorkloadError(f"precision must be a word, or words by the names of layers, not {precision!r}")
    for word in given:
        check_precision(word)
    others = sorted(set(given) - {FLOAT})
    if len(others) > 1:
        raise WorkloadError(f"a network has one precision beside float32, not {' and '.join(others)}")
    if others and layout != "NHWC":
        raise WorkloadError(f"half precision is computed in NHWC, and the layout is {layout!r}")


def check_precision(word: Any) -> None:
    """Raise WorkloadError for a precision that is none."""
    if word not in PRECISIONS:
        hint = nearest(str(word), PRECISIONS)
        raise WorkloadError(f"precision {word!r} is not one of {', '.join(PRECISIONS)}{hint}")


def check_sizes(shapes: Any, batch: Any) -> None:
    """Raise ModelError unless ``shapes`` is a mapping of shapes by the names of inputs or a list of them, and
    ``batch`` is a positive integer or a list of them."""
    several = list(shapes) if isinstance(shapes, list | tuple) else [shapes]
    for given in [] if shapes is None else several or [shapes]:
        if not isinstance(given, Mapping):
            raise ModelError(f"shapes must be shapes by the names of inputs, or several, not {shapes!r}")
        for name, shape in given.items():
            is_shape = isinstance(shape, list | tuple) and all(
                size is None or is_extent(size, 0) or (isinstance(size, str) and size) for size in shape
            )
            if not isinstance(name, str) or not is_shape:
                raise ModelError(
                    f"shapes[{name!r}] must be a tuple of integers from 0 on, or names, not {shape!r}"
                )
    batches = list(batch) if isinstance(batch, list | tuple) else [batch]
    if batch is not None and not (batches and all(map(is_extent, batches))):
        raise ModelError(f"batch must be a positive integer, or several, not {batch!r}")


def check_open_sizes(typical: Any, sizes: Any) -> None:
    """Raise ModelError unless ``typical`` has positive integers by name, and ``sizes`` pairs of them, the
    least one first."""
    for said, given, what in (("typical", typical, "an integer"), ("sizes", sizes, "the least and the most")):
        if given is not None and not isinstance(given, Mapping):
            raise ModelError(f"{said} must have {what} by the names of dimensions, not {given!r}")
    for name, size in (typical or {}).items():
        if not isinstance(name, str) or not is_extent(size):
            raise ModelError(f"typical[{name!r}] must be a positive integer, not {size!r}")
    for name, ends in (sizes or {}).items():
        is_pair = isinstance(ends, list | tuple) and len(ends) == 2 and all(map(is_extent, ends))
        if not isinstance(name, str) or not is_pair or ends[0] > ends[1]:
            raise ModelError(f"sizes[{name!r}] must be the least and the most of a dimension, not {ends!r}")


def is_extent(size: Any, least: int = 1) -> bool:
    """Return whether a value can be the extent of a dimension that is at least ``least``."""
    return isinstance(size, Integral) and not isinstance(size, bool) and least <= int(size) <= MOST_ELEMENTS


def check_limits(limits: Limits) -> None:
    """Raise WorkloadError for limits that are not numbers of bytes, and for an unknown accuracy."""
    check_bytes("max_workspace_bytes", limits.workspace_bytes)
    check_bytes("max_filter_bytes", limits.filter_bytes)
    if limits.accuracy not in ACCURACIES:
        hint = nearest(str(limits.accuracy), ACCURACIES)
        raise WorkloadError(f"accuracy {limits.accuracy!r} is not one of {', '.join(ACCURACIES)}{hint}")


def check_portable(accuracy: str, precision: Any, target: CompileTarget | GpuTarget) -> None:
    """Raise WorkloadError where ``accuracy="portable"`` cannot be promised: in half precision, on GPUs, and
    on CPUs that round products before they are added."""
    if accuracy != PORTABLE:
        return
    if precision not in (None, FLOAT):
        raise WorkloadError(
            f'accuracy="portable" is of float32 and 8 bits; leave out precision={precision!r}'
        )
    if isinstance(target, GpuTarget):
        raise WorkloadError(f'accuracy="portable" is of CPUs; {target} is a GPU')
    if target.arch == "x86_64" and "fma" not in target.features:
        raise WorkloadError(
            f'accuracy="portable" needs fused multiply-adds, which {target} lacks; -mcpu=x86-64-v3 has them'
        )


def check_memory(memory: Any, most: Any, target: CompileTarget | GpuTarget) -> None:
    """Raise WorkloadError for an unknown ``memory``, for a ``max_memory_bytes`` that is not a number of
    bytes, and where either is asked for a GPU."""
    check_bytes("max_memory_bytes", most)
    if memory not in MEMORIES:
        hint = nearest(str(memory), MEMORIES)
        raise WorkloadError(f"memory {memory!r} is not one of {', '.join(MEMORIES)}{hint}")
    if isinstance(target, GpuTarget) and (memory != FASTEST or most is not None):
        raise WorkloadError(f"memory and max_memory_bytes are of CPUs; {target} is a GPU")


def peak_of(compiled: Any) -> int:
    """Return the most bytes that a run takes, in any size, on one thread."""
    return max(int(size.report().peak_bytes) for size in compiled.sizes)


def check_peak(compiled: Any, most: int | None) -> None:
    """Raise ModelError for a model that takes more than ``max_memory_bytes``."""
    if most is not None and peak_of(compiled) > most:
        raise ModelError(
            f"max_memory_bytes={most} is too little: a run takes {peak_of(compiled)} bytes at the least"
        )


def check_bytes(what: str, value: Any) -> None:
    """Raise WorkloadError for what is neither None nor a number of bytes."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise WorkloadError(f"{what} must be a number of bytes, not {value!r}")


def known_records(tuning: Any) -> Records | None:
    """The records that ``tuning`` is or names, else those of ``apply_history_best``; a warning says how many
    of a file's lines were none."""
    if tuning is None or isinstance(tuning, Records):
        return history_best() if tuning is None else tuning
    if not isinstance(tuning, str | os.PathLike):
        raise TuningError(f"tuning must be a file of records, not {tuning!r}")
    records = Records.load(tuning, must_exist=True)
    if records.skipped:
        warnings.warn(
            f"{len(records.skipped)} lines of '{records.path}' are not tuning records and are skipped; the "
            f"first is {records.skipped[0]}",
            stacklevel=4,
        )
    return records
