"""8-bit layers: every algorithm of bytes on every instruction set, against exact integers."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
from byte_support import FILTER_RANGES, OUT_DTYPES, arguments, draw_operands, quantized, reference

from tvm_directconv.algorithms import BYTE_ALGORITHMS
from tvm_directconv.errors import WorkloadError
from tvm_directconv.problem.quantized_types import RANGES, QuantizedTypes

from .workloads import draw_knobs, draw_target, draw_workload, run


def check(number: int) -> str:
    rng = random.Random(number)
    target, cpu = draw_target(rng, of_bytes=True)
    dtype, types = _draw_types(rng)
    workload = quantized(replace(draw_workload(rng), filter_layout="OIHW"), dtype, types)
    algorithm = BYTE_ALGORITHMS[rng.choice(list(BYTE_ALGORITHMS))]
    if not algorithm.applies(workload):
        return f"{algorithm.name} does not apply"
    knobs = draw_knobs(rng, algorithm, workload, target)
    what = f"{algorithm.name} {target} {knobs} {workload}"
    given = draw_operands(workload)
    try:
        function, arrays = arguments(algorithm, workload, target, given, knobs)
    except WorkloadError as error:
        assert "beyond int32" in str(error), what
        return f"{algorithm.name} refused, for sums that 32 bits do not hold"
    np.testing.assert_array_equal(run(function, arrays, target, cpu), reference(workload, given), what)
    return f"{algorithm.name} right"


def _draw_types(rng: random.Random) -> tuple[str, QuantizedTypes]:
    """(the input's dtype, types), zero points at both ends among them."""
    dtype, out = rng.choice(("uint8", "int8")), rng.choice(OUT_DTYPES)
    filters = rng.choice(("int8", "int8", *FILTER_RANGES))
    largest = rng.choice((64, 127, 128)) if filters == "int8" else 128

    def zero(of: str) -> int:
        low, high = RANGES[of]
        return rng.choice((0, low, high, rng.randint(low, high)))

    return dtype, QuantizedTypes(out, zero(dtype), zero(out) if out in RANGES else 0, filters, largest)
