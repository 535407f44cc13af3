"""Profiles of networks on a device: each call by the device's own clock, beside the peak that the machine's
description has.

As model/profile.py does for CPUs. A call may be several launches, which follow each other on one queue.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from tvm_directconv.devices.network import DeviceSession
from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.runtime.metadata import Size
from tvm_directconv.targets.gpu import resolve_gpu_target

from ..kernel_calls import KernelCall
from ..model.profile import Profile, Span, check_rounds, timed_calls, untimed


def profiled_on_device(
    session: DeviceSession,
    launched: Sequence[str],
    target: str,
    size: Size,
    arrays: Sequence[np.ndarray],
    rounds: int,
) -> Profile:
    """Measure the calls of one size of a network, whose launches are of the functions ``launched``. A plain
    run copies inputs and outputs, a run under the instrument launches and waits for the last."""
    check_rounds(rounds)
    machine = resolve_gpu_target(target).machine
    plain, instrumented, every = list[float](), list[float](), list[list[Span]]()
    session.run(arrays)  # the first launches of a program are compiled
    for _ in range(rounds):
        start = time.perf_counter()
        session.run(arrays)
        plain.append(time.perf_counter() - start)
        start = time.perf_counter()
        seconds = [taken for _, taken in session.timings()]
        instrumented.append(time.perf_counter() - start)
        every.append(_spans(size.report().calls, launched, seconds))
    calls = timed_calls(untimed(size), every, instrumented.index(min(instrumented)))
    peaks = {FLOAT32: (machine.peak_gflops,) * rounds}
    where = f"by the description of {machine.description}"
    return Profile(target, str(size), 0, where, peaks, calls, tuple(instrumented), tuple(plain))


def _spans(calls: Sequence[KernelCall], launched: Sequence[str], seconds: Sequence[float]) -> list[Span]:
    """The calls' times one behind the other; all calls of a function are as many launches."""
    launches, called = Counter(launched), Counter(call.kernel for call in calls)
    ends = [0.0, *accumulate(seconds)]
    places = [0, *accumulate(launches[call.kernel] // called[call.kernel] for call in calls)]
    return [
        (call.kernel, ends[first], ends[behind])
        for call, first, behind in zip(calls, places, places[1:], strict=False)
    ]
