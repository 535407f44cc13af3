"""Memory for what is large and stays: weights, in large pages where the system has them, or as a file's own.

To get small pages takes longer than to fill them; and what runs through many weights waits less for the
addresses of large ones. What lies here is not copied again: nobody writes to it once it is filled. A file's
pages are small, and shared by all processes that map it.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, BinaryIO

import numpy as np

ALIGNMENT = 64
"""Alignment in bytes of tensors, which TVM's kernels take for granted."""
LARGE_PAGE = 2 << 20
"""Bytes of a large page, on the systems that give them on request; less does not need them."""


class _Pages(mmap.mmap):
    """Pages that are filled once."""


def large_memory(size: int) -> memoryview:
    """Return new memory of so many bytes, all zero, at the beginning of a page."""
    advice = getattr(mmap, "MADV_HUGEPAGE", None)
    if advice is None or size < LARGE_PAGE:
        return memoryview(_Pages(-1, max(size, 1)))[:size]
    # From a large page's beginning on; behind the last whole one nothing is taken that is not used.
    # Pages that processes would share, as Python's are unless told, systems seldom give large.
    pages = _Pages(-1, size + LARGE_PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    start = -ctypes.addressof(ctypes.c_char.from_buffer(pages)) % LARGE_PAGE
    with suppress(OSError):  # a system without them
        pages.madvise(advice, start, size // LARGE_PAGE * LARGE_PAGE)
    return memoryview(pages)[start : start + size]


def file_memory(file: BinaryIO) -> memoryview:
    """Return a file's content: mapped where the system lets others replace and remove the file meanwhile, so
    that all processes which read it share its pages, else copied."""
    size = os.fstat(file.fileno()).st_size
    if os.name == "posix" and size >= LARGE_PAGE:
        return memoryview(_Pages(file.fileno(), size, access=mmap.ACCESS_COPY))
    memory = large_memory(size)
    file.seek(0)
    file.readinto(memory)  # type: ignore[attr-defined]
    return memory


def large_zeros(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return a new array, in such memory where it is large; for whoever fills it, and then no more."""
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if size < LARGE_PAGE:
        return np.zeros(shape, dtype)
    return np.frombuffer(large_memory(size), np.uint8).view(dtype).reshape(shape)


def page_aligned(array: np.ndarray) -> np.ndarray:
    """Return the array in C order, and where it is large, in memory that nobody writes to any more: itself
    where it is there."""
    if array.nbytes < LARGE_PAGE or array.dtype.hasobject or memory_of(array) is not None:
        return np.asarray(array, order="C")
    copy = large_zeros(array.shape, array.dtype)
    parts = min(len(array), -(-array.nbytes // LARGE_PAGE))
    copy_all(list(zip(np.array_split(copy, parts), np.array_split(array, parts), strict=True)))
    return copy


def copy_all(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> None:
    """Copy into the first array of each pair what is in the second, on all cores where it is much."""
    if sum(array.nbytes for array, _ in pairs) < LARGE_PAGE:
        for array, source in pairs:
            np.copyto(array, source)
    else:
        from tvm_directconv.workers import in_threads

        in_threads(lambda pair: np.copyto(*pair), pairs)


def memory_of(array: np.ndarray) -> memoryview | None:
    """Return the memory of ``large_memory`` that a large array lies in as kernels read it, in C order and
    from such an address on; None for any other."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    is_ours = isinstance(base, memoryview) and isinstance(base.obj, _Pages) and array.nbytes >= LARGE_PAGE
    return base if is_ours and array.flags.c_contiguous and array.ctypes.data % ALIGNMENT == 0 else None
