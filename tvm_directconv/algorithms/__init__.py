"""Convolution algorithms, one file each: TE compute, schedule, knobs, workspace, and when it applies.

``ALGORITHMS`` is the one list of them: strategies, tests, benchmarks and tables follow from it.
"""

from __future__ import annotations

from . import blocked, direct_nhwc, im2col_gemm, packed_nhwc, sconv
from .base import Algorithm, ByteAlgorithm

ALGORITHMS: dict[str, Algorithm] = {
    algorithm.NAME: algorithm for algorithm in (direct_nhwc, packed_nhwc, blocked, sconv, im2col_gemm)
}
BYTE_ALGORITHMS: dict[str, ByteAlgorithm] = {
    algorithm.NAME: algorithm for algorithm in (direct_nhwc, im2col_gemm)
}
"""Those of them that compute quantized workloads."""
