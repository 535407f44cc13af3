"""The share of a run's time that kernels take which are no layers: measured where somebody asks for it."""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from typing import Any

import numpy as np
import tvm
from tvm import relax

from .signature import Size

ROUNDS = 9


def time_shares(executable: Any, size: Size, rounds: int = ROUNDS) -> dict[str, float]:
    """Return the median share of a run's time of every kernel that the report counts among the others, by the
    name that it has there. Inputs are drawn from 0 to 1, integers are 0."""
    machine = relax.VirtualMachine(executable, tvm.cpu(), memory_cfg="pooled")
    generator = np.random.default_rng(0)
    inputs = [
        tvm.runtime.tensor(np.asarray(generator.random(size.shapes[info.name]), info.dtype))
        for info in size.inputs
    ]
    layers = {layer.function for layer in size.report.layers}
    seconds: defaultdict[str, float] = defaultdict(float)
    start = 0.0

    def tick(function: Any, name: str, before: bool, *rest: object) -> None:
        nonlocal start
        if before:
            start = time.perf_counter()
        else:
            seconds["" if name in layers else kernel_kind(name)] += time.perf_counter() - start

    run = machine[size.function]
    run(*inputs)
    machine.set_instrument(tick)
    shares: list[dict[str, float]] = []
    for _ in range(rounds):
        seconds.clear()
        run(*inputs)
        total = sum(seconds.values())
        shares.append({kind: seconds[kind] / total for kind in size.report.other_kernels})
    return {kind: statistics.median(share[kind] for share in shares) for kind in size.report.other_kernels}


def kernel_kind(name: str) -> str:
    """Return what kernels that only a number tells apart are called in reports."""
    return name.rstrip("0123456789_")
