"""Convolution algorithms, each a file or a folder: TE compute, schedule, knobs, workspace, and when it
applies.

``ALGORITHMS`` is the one list of them: strategies, tests, benchmarks and tables follow from it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .base import Algorithm

FILES = (
    "direct_nhwc",
    "bordered_nhwc",
    "packed_nhwc.algorithm",
    "blocked",
    "sconv.algorithm",
    "im2col_gemm.algorithm",
    "winograd.algorithm",
)
"""The files of this folder that define algorithms, in the order in which they are offered; each lists its own
as ``ALGORITHMS``."""
ALGORITHMS: dict[str, Algorithm[Any]] = {
    algorithm.name: algorithm
    for file in FILES
    for algorithm in import_module(f".{file}", __name__).ALGORITHMS
}
BYTE_ALGORITHMS = {name: algorithm for name, algorithm in ALGORITHMS.items() if algorithm.of_bytes}
"""The algorithms that compute quantized workloads."""
