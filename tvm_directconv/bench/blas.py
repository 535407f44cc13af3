"""A private OpenBLAS with kernels chosen for this host, from the library file inside numpy's wheel.

The instance numpy itself uses chose its kernels before anyone could ask, and on AMD processors with
AVX-512 it chooses the AVX2 ones, which halves a baseline. So the file is loaded a second time, from
a copy, with the core type named in the environment while it loads.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

# Of these OpenBLAS core types the first is asked for whose features the host has.
CORE_TYPES: tuple[tuple[str, frozenset[str]], ...] = (
    ("SKYLAKEX", frozenset({"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"})),
    ("HASWELL", frozenset({"avx2", "fma"})),
)

# These are CBLAS's enumerators.
ROW_MAJOR, NO_TRANSPOSE = 101, 111


class Library:
    """A loaded OpenBLAS: numpy's has 64-bit integers and suffixed names, scipy's has neither."""

    def __init__(self, handle: ctypes.CDLL) -> None:
        wide = hasattr(handle, "scipy_cblas_sgemm64_")
        suffix, integer = ("64_", ctypes.c_int64) if wide else ("", ctypes.c_int32)

        def symbol(name: str, result: object, *arguments: object) -> Callable[..., Any]:
            function = getattr(handle, f"scipy_{name}{suffix}")
            function.restype, function.argtypes = result, list(arguments)
            return function

        pointer, scalar = ctypes.c_void_p, ctypes.c_float
        self._sgemm = symbol(
            "cblas_sgemm",
            None,
            *[ctypes.c_int] * 3,
            *[integer] * 3,
            *[scalar, pointer, integer, pointer, integer, scalar, pointer, integer],
        )
        self.set_threads = symbol("openblas_set_num_threads", None, ctypes.c_int)
        self.core = symbol("openblas_get_corename", ctypes.c_char_p)().decode()
        self.version = symbol("openblas_get_config", ctypes.c_char_p)().decode().split()[1]

    def sgemm(self, a: np.ndarray, b: np.ndarray, c: np.ndarray, columns: int) -> None:
        """Compute ``c[:, :columns] = a @ b``; rows may be longer than what is used of them."""
        self._sgemm(
            ROW_MAJOR,
            NO_TRANSPOSE,
            NO_TRANSPOSE,
            *(a.shape[0], columns, a.shape[1]),
            *(1.0, a.ctypes.data, a.strides[0] // 4, b.ctypes.data, b.strides[0] // 4),
            *(0.0, c.ctypes.data, c.strides[0] // 4),
        )


def bundled_library() -> Path | None:
    """Return the OpenBLAS file that came with numpy's wheel, or with scipy's."""
    places = Path(np.__file__).parents[1]
    for package in ("numpy", "scipy"):
        for path in sorted((places / f"{package}.libs").glob("*openblas*.so*")):
            return path
    return None


def core_type(features: frozenset[str]) -> str | None:
    """Return the name for OPENBLAS_CORETYPE, or None where OpenBLAS's own choice stands."""
    return next((name for name, needed in CORE_TYPES if needed <= features), None)


@lru_cache
def load_library(core: str | None) -> Library:
    """Load a second, private instance of the bundled OpenBLAS with the given core type."""
    source = bundled_library()
    assert source is not None
    before = os.environ.get("OPENBLAS_CORETYPE")
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(source, folder)
        try:
            if core is not None:
                os.environ["OPENBLAS_CORETYPE"] = core
            return Library(ctypes.CDLL(copy))
        finally:
            os.environ.pop("OPENBLAS_CORETYPE", None)
            if before is not None:
                os.environ["OPENBLAS_CORETYPE"] = before
