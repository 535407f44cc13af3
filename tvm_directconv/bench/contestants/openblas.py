"""im2col and one OpenBLAS sgemm: the lowering that direct convolution is up against.

The lowering is NHWC (rows of output pixels, columns of taps x channels), whose copies are longer
runs than NCHW's and came out faster; its time counts, and its buffers are reported as workspace.

The product is scipy's, whose OpenBLAS is loaded in this contestant's process with the core type named: on AMD
processors with AVX-512 it chooses the AVX2 kernels by itself, which halves a baseline.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from tvm_directconv.bench.problems import LayerProblem
from tvm_directconv.targets.target import resolve_target

from .base import Contestant, Prepared, Setting

CORE_TYPES: tuple[tuple[str, frozenset[str]], ...] = (
    ("SKYLAKEX", frozenset({"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"})),
    ("HASWELL", frozenset({"avx2", "fma"})),
)
"""OpenBLAS core types and the features that they need: the first that the host has is named."""


class OpenBlas(Contestant):
    name = "im2col+openblas"
    package = "scipy"

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._pool = ThreadPoolExecutor(setting.threads)

    def available(self) -> str | None:
        return super().available() or (None if bundled_library() else "scipy does not bundle OpenBLAS here")

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        library, sgemm = load_openblas()
        library.scipy_openblas_set_num_threads(self.setting.threads)
        w = problem.workload
        lowering = Lowering(problem, self._pool, self.setting.threads)
        pixels = w.batch * w.out_height * w.out_width
        filters = grouped_filters(problem)
        output = np.empty((w.groups, pixels, w.out_channels // w.groups), np.float32)

        def run() -> None:
            for group in range(w.groups):
                # BLAS has columns where these have rows: the transposed product is computed in place.
                sgemm(1.0, filters[group].T, lowering(group).T, c=output[group].T, overwrite_c=1)

        shape = (w.batch, w.out_height, w.out_width, w.out_channels)
        facts: dict[str, str | int | float] = {
            "version": _said(library, "config").split()[1],
            "core": _said(library, "corename"),
            "workspace_bytes": lowering.workspace_bytes,
        }
        return Prepared(run, lambda: [output.transpose(1, 0, 2).reshape(shape)], facts=facts)


def grouped_filters(problem: LayerProblem) -> np.ndarray:
    """Return the filter as a matrix for each group, (groups, taps x channels, filters)."""
    w = problem.workload
    grouped = problem.filter.reshape(w.groups, w.out_channels // w.groups, -1, *w.kernel)
    filters = np.ascontiguousarray(grouped.transpose(0, 3, 4, 2, 1))
    return filters.reshape(w.groups, -1, w.out_channels // w.groups)


def bundled_library() -> Path | None:
    """Return the OpenBLAS file that came with scipy's wheel."""
    spec = importlib.util.find_spec("scipy")
    if spec is None or spec.origin is None:
        return None
    return next(iter(Path(spec.origin).parents[1].glob("scipy.libs/*openblas*.so*")), None)


@lru_cache
def load_openblas() -> tuple[ctypes.CDLL, Any]:
    """Return scipy's OpenBLAS with the kernels of this host, and its sgemm."""
    features = resolve_target("llvm -mcpu=native").features
    core = next((name for name, needed in CORE_TYPES if needed <= features), None)
    before = dict(os.environ)
    os.environ |= {} if core is None else {"OPENBLAS_CORETYPE": core}
    try:
        from scipy.linalg.blas import sgemm
    finally:
        os.environ.clear()
        os.environ |= before
    return ctypes.CDLL(str(bundled_library())), sgemm


def _said(library: ctypes.CDLL, what: str) -> str:
    function = getattr(library, f"scipy_openblas_get_{what}")
    function.restype = ctypes.c_char_p
    return str(function().decode())


class Lowering:
    """The im2col of one group to (pixels, taps x channels); a plain 1x1 layer is that already."""

    def __init__(self, problem: LayerProblem, pool: ThreadPoolExecutor, threads: int) -> None:
        w = problem.workload
        channels = w.in_channels // w.groups
        self._data, self._channels, self._pool = problem.data, channels, pool
        self.identity = w.kernel == w.strides == (1, 1) and not any(w.padding) and w.groups == 1
        self.workspace_bytes = 0
        if self.identity:
            self._rows = problem.data.reshape(-1, channels)
            return
        top, left, bottom, right = w.padding
        padded_shape = (w.batch, w.height + top + bottom, w.width + left + right, w.in_channels)
        self._padded = np.zeros(padded_shape, np.float32) if any(w.padding) else problem.data
        self._inside = self._padded[:, top : top + w.height, left : left + w.width]
        n, h, x, c = self._padded.strides
        shape = (w.batch, w.out_height, w.out_width, *w.kernel, w.in_channels)
        strides = (
            n,
            h * w.strides[0],
            x * w.strides[1],
            h * w.dilation[0],
            x * w.dilation[1],
            c,
        )
        self._windows = np.lib.stride_tricks.as_strided(self._padded, shape, strides)
        self._lowered = np.empty((*shape[:-1], channels), np.float32)
        self._rows = self._lowered.reshape(w.batch * w.out_height * w.out_width, -1)
        self._slices = [
            slice(w.out_height * part // threads, w.out_height * (part + 1) // threads)
            for part in range(threads)
        ]
        self.workspace_bytes = self._lowered.nbytes + (self._padded.nbytes if any(w.padding) else 0)

    def __call__(self, group: int) -> np.ndarray:
        if self.identity:
            return self._rows
        if self._padded is not self._data and group == 0:
            np.copyto(self._inside, self._data)
        channels = slice(group * self._channels, (group + 1) * self._channels)

        def copy(rows: slice) -> None:
            np.copyto(self._lowered[:, rows], self._windows[:, rows][..., channels])

        if len(self._slices) == 1:
            copy(self._slices[0])
        else:
            list(self._pool.map(copy, self._slices))
        return self._rows
