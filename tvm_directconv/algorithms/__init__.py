"""Convolution algorithms, each a file or a folder: TE compute, schedule, knobs, workspace, and when it
applies.

``ALGORITHMS`` is the one list of them: strategies, tests, benchmarks and tables follow from it.
"""

from __future__ import annotations

from typing import Any

from .base import Algorithm
from .blocked import Blocked
from .bordered_nhwc import BorderedNhwc
from .direct_nhwc import DirectNhwc
from .im2col_gemm.algorithm import Im2colGemm
from .packed_nhwc.algorithm import PackedNhwc
from .sconv.algorithm import Sconv
from .winograd.algorithm import Winograd

ALGORITHMS: dict[str, Algorithm[Any]] = {
    algorithm.name: algorithm
    for algorithm in (
        DirectNhwc(),
        BorderedNhwc(),
        PackedNhwc(),
        Blocked(),
        Sconv(),
        Im2colGemm(),
        Winograd(2),
        Winograd(4),
        Winograd(6),
        Winograd(2, taps=5),
    )
}
BYTE_ALGORITHMS = {name: algorithm for name, algorithm in ALGORITHMS.items() if algorithm.of_bytes}
"""The algorithms that compute quantized workloads."""
