"""Convolution algorithms, one file each: TE compute, schedule, knobs, workspace, and when it applies.

``ALGORITHMS`` is the one list of them: strategies, tests, benchmarks and tables follow from it.
"""

from __future__ import annotations

from . import blocked, direct_nhwc, sconv
from .base import Algorithm

ALGORITHMS: dict[str, Algorithm] = {algorithm.NAME: algorithm for algorithm in (direct_nhwc, blocked, sconv)}
