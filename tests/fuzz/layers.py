"""float32 layers: every algorithm on every instruction set, with any of its knobs, against float64."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
from algorithm_support import arguments, fitted, lowered, tolerance_of
from layouts import from_layout
from support import assert_matches, operands, reference_conv2d

from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.problem.workload import Epilogue

from .workloads import draw_knobs, draw_target, draw_workload, run


def check(number: int) -> str:
    rng = random.Random(number)
    workload = draw_workload(rng)
    target, cpu = draw_target(rng, of_bytes=False)
    algorithm = ALGORITHMS[rng.choice(list(ALGORITHMS))]
    workload = fitted(algorithm, workload)
    among = workload.in_layouts(rng.choice(("NHWC", "NCHW")))  # of the layers around it
    inside = among.in_layouts(*algorithm.layouts(among, target))
    if not algorithm.applies(inside):
        return f"{algorithm.name} does not apply"
    knobs = draw_knobs(rng, algorithm, inside, target)
    what = f"{algorithm.name} {target} {knobs} {inside}"
    arrays = operands(workload)
    plan = algorithm.plan(inside, target, knobs)
    got = run(lowered(plan), arguments(plan, arrays), target, cpu)
    nhwc = from_layout(got, inside.out_layout, inside.out_channels)
    want = reference_conv2d(workload, *arrays)
    # A clip makes outputs smaller than the sums whose rounding they have.
    open_ended = replace(workload, epilogue=Epilogue(workload.epilogue.bias, workload.epilogue.residual))
    largest = np.abs(reference_conv2d(open_ended, *arrays)).max()
    tolerance = tolerance_of(algorithm, inside, target)
    assert_matches(nhwc, want, what, tolerance * max(1.0, largest / max(1.0, np.abs(want).max())))
    return f"{algorithm.name} right"
