"""Convolution algorithms, one file each: TE compute, schedule, knobs, workspace, and when it applies.

``ALGORITHMS`` is the one list of them: strategies, tests, benchmarks and tables follow from it.
"""

from __future__ import annotations

from . import blocked, direct_nhwc
from .base import Algorithm, ByteAlgorithm
from .gemm import algorithm as im2col_gemm
from .packed import algorithm as packed_nhwc
from .sconv import algorithm as sconv

ALGORITHMS: dict[str, Algorithm] = {
    algorithm.NAME: algorithm for algorithm in (direct_nhwc, packed_nhwc, blocked, sconv, im2col_gemm)
}
BYTE_ALGORITHMS: dict[str, ByteAlgorithm] = {
    algorithm.NAME: algorithm for algorithm in (direct_nhwc, im2col_gemm)
}
"""Those of them that compute quantized workloads."""
