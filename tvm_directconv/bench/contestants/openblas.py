"""im2col and one OpenBLAS sgemm: the lowering that direct convolution is up against.

The lowering is NHWC (rows of output pixels, columns of taps x channels), whose copies are longer
runs than NCHW's and came out faster; its time counts, and its buffers are reported as workspace.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from tvm_directconv.bench.blas import bundled_library, core_type, load_library
from tvm_directconv.bench.problems import LayerProblem
from tvm_directconv.targets.target import resolve_target

from .base import Contestant, Prepared, Setting


class OpenBlas(Contestant):
    name = "im2col+openblas"

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._pool = ThreadPoolExecutor(setting.threads)

    def available(self) -> str | None:
        return None if bundled_library() else "neither numpy nor scipy bundles an OpenBLAS here"

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        library = load_library(core_type(resolve_target("llvm -mcpu=native").features))
        library.set_threads(self.setting.threads)
        w = problem.workload
        lowering = Lowering(problem, self._pool, self.setting.threads)
        pixels = w.batch * w.out_height * w.out_width
        taps = w.kernel[0] * w.kernel[1] * (w.in_channels // w.groups)
        out_per_group = w.out_channels // w.groups
        grouped = problem.filter.reshape(w.groups, out_per_group, -1, *w.kernel)
        filters = np.ascontiguousarray(
            grouped.transpose(0, 3, 4, 2, 1).reshape(w.groups, taps, out_per_group)
        )
        output = np.empty((pixels, w.out_channels), np.float32)

        def run() -> None:
            for group in range(w.groups):
                rows = lowering(group)
                library.sgemm(rows, filters[group], output[:, group * out_per_group :], out_per_group)

        facts = {
            "version": library.version,
            "core": library.core,
            "workspace_bytes": lowering.workspace_bytes,
        }
        shape = (w.batch, w.out_height, w.out_width, w.out_channels)
        return Prepared(run, lambda: [output.reshape(shape).copy()], facts=facts)


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
