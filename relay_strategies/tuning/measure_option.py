"""How the configurations of a task are measured, in AutoTVM's words: options, and what comes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tvm_directconv.errors import TuningError

BUILD_SECONDS = 60
RUN_SECONDS = 30
REPEATS, BATCH_MS = 5, 10
"""A candidate is timed in so many batches of about that length."""


class MeasureErrorNo:
    """What a measurement ended with."""

    NO_ERROR = 0
    INSTANTIATION_ERROR = 1
    COMPILE_HOST = 2
    RUNTIME_DEVICE = 4


class MeasureResult(NamedTuple):
    """Seconds of a call in each batch, none where ``error_no`` is not 0 and ``error`` says why; ``all_cost``
    are the seconds that the measurement took, and ``timestamp`` is when it ended."""

    costs: tuple[float, ...]
    error_no: int
    all_cost: float
    timestamp: float
    error: str = ""


@dataclass(frozen=True)
class LocalBuilder:
    """Builds on this host.

    Attributes:
        timeout: Seconds that each build may take.
        n_parallel: How many are built at a time; None, on all CPUs.
    """

    timeout: float = BUILD_SECONDS
    n_parallel: int | None = None


@dataclass(frozen=True, kw_only=True)
class LocalRunner:
    """Times on this host.

    Attributes:
        timeout: Seconds that each candidate may take.
        number: The least calls of a batch.
        repeat: The number of batches.
        min_repeat_ms: The least milliseconds of a batch.
        enable_cpu_cache_flush: Whether it times as in a network, where the filter comes from memory, so that
            records are comparable with those of ``tune``.
        threads: How many threads a candidate runs with.
    """

    timeout: float = RUN_SECONDS
    number: int = 1
    repeat: int = REPEATS
    min_repeat_ms: int = BATCH_MS
    enable_cpu_cache_flush: bool = True
    threads: int = 1


@dataclass(frozen=True)
class RPCRunner(LocalRunner):
    """Times on all boards that ask a tracker for work; the rest as of LocalRunner.

    Attributes:
        key: The boards' key.
        host: The tracker's address.
        port: The tracker's port.
    """

    key: str
    host: str = "127.0.0.1"
    port: int = 9190


class MeasureOption(NamedTuple):
    """A builder and a runner."""

    builder: LocalBuilder
    runner: LocalRunner


def measure_option(
    builder: LocalBuilder | str = "local", runner: LocalRunner | str = "local"
) -> MeasureOption:
    """Return how to measure.

    Args:
        builder: A LocalBuilder; "local" is one with its defaults.
        runner: A LocalRunner or an RPCRunner; "local" is a LocalRunner with its defaults.

    Raises:
        TuningError: Anything else is given.
    """
    builder = LocalBuilder() if builder == "local" else builder
    runner = LocalRunner() if runner == "local" else runner
    if not isinstance(builder, LocalBuilder) or not isinstance(runner, LocalRunner):
        raise TuningError(
            f"a measure option has a LocalBuilder, and a LocalRunner or an RPCRunner, not {builder!r} and "
            f"{runner!r}"
        )
    return MeasureOption(builder, runner)
