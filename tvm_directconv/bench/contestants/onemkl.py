"""im2col and one sgemm of oneMKL, the lowering of ``openblas.py`` by another library.

The filter is packed ahead (``cblas_sgemm_pack``) where that is faster than a plain product. On processors of
AMD's oneMKL takes AVX2 kernels: its times there say little of what it does on Intel's, and a note says so.
"""

from __future__ import annotations

import ctypes
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

import numpy as np

from tvm_directconv.bench.problems import LayerProblem
from tvm_directconv.targets.host import processor_name

from .base import Contestant, Prepared, Setting, faster
from .openblas import Lowering, grouped_filters

ROWS, PLAIN, PACKED, FILTERS = 101, 111, 151, 162
"""CBLAS's row-major order, matrices as they are and packed, and oneMKL's word for the second matrix."""
ALIGNMENT = 64
NOT_INTEL = "on this CPU, which is not Intel's, oneMKL takes AVX2 kernels"


class OneMkl(Contestant):
    name = "im2col+onemkl"

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._pool = ThreadPoolExecutor(setting.threads)

    def available(self) -> str | None:
        return super().available() or (None if library_file() else "the package 'mkl' is not installed")

    def prepare_layer(self, problem: LayerProblem) -> Prepared:
        library, w = load_onemkl(), problem.workload
        library.MKL_Set_Num_Threads(self.setting.threads)
        lowering = Lowering(problem, self._pool, self.setting.threads)
        filters = grouped_filters(problem)
        groups, depth, columns = filters.shape
        pixels = w.batch * w.out_height * w.out_width
        output = np.empty((groups, pixels, columns), np.float32)
        packed = [_packed(library, pixels, each) for each in filters]
        size = pixels, columns, depth
        one, nothing = ctypes.c_float(1), ctypes.c_float(0)

        def plain() -> None:
            for group in range(groups):
                rows = lowering(group)
                tail = (_at(filters[group]), columns, nothing, _at(output[group]), columns)
                library.cblas_sgemm(ROWS, PLAIN, PLAIN, *size, one, _at(rows), depth, *tail)

        def ahead() -> None:
            for group in range(groups):
                rows = lowering(group)
                tail = (_at(packed[group]), columns, nothing, _at(output[group]), columns)
                library.cblas_sgemm_compute(ROWS, PLAIN, PACKED, *size, _at(rows), depth, *tail)

        shape = (w.batch, w.out_height, w.out_width, w.out_channels)
        text = ctypes.create_string_buffer(200)
        library.MKL_Get_Version_String(text, len(text))
        facts: dict[str, str | int | float] = {
            "version": text.value.decode().split("Version ")[-1].split("-")[0],
            "workspace_bytes": lowering.workspace_bytes,
        }
        return faster(
            [
                Prepared(
                    run,
                    lambda: [output.transpose(1, 0, 2).reshape(shape)],
                    facts={**facts, "filter": what},
                    note="" if "Intel" in processor_name() else NOT_INTEL,
                )
                for what, run in (("packed ahead", ahead), ("plain", plain))
            ]
        )


def library_file() -> Path | None:
    """Return oneMKL's library, which its wheel puts beside the environment's own."""
    return next(iter(sorted(Path(sys.prefix, "lib").glob("libmkl_rt.so*"))), None)


@lru_cache
def load_onemkl() -> ctypes.CDLL:
    """Return oneMKL with its OpenMP threads."""
    library = ctypes.CDLL(str(library_file()))
    library.cblas_sgemm_pack_get_size.restype = ctypes.c_size_t
    return library


def _at(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _packed(library: ctypes.CDLL, pixels: int, filters: np.ndarray) -> np.ndarray:
    """Return a group's filters in oneMKL's own order, for products of so many pixels."""
    depth, columns = filters.shape
    size = library.cblas_sgemm_pack_get_size(FILTERS, pixels, columns, depth)
    memory = np.empty(size + ALIGNMENT, np.uint8)
    packed = memory[-memory.ctypes.data % ALIGNMENT :][:size]
    library.cblas_sgemm_pack(
        *(ROWS, FILTERS, PLAIN, pixels, columns, depth, ctypes.c_float(1)),
        *(_at(filters), columns, _at(packed)),
    )
    return packed
