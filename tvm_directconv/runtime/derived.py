"""Filters of an instruction set that are made of others in the library when it is loaded.

Where they are large, the user's cache keeps them, so that the processes which come after have them mapped
from there and share their memory. Without the cache, as where only models are run, each process makes its
own.
"""

from __future__ import annotations

import ctypes
import importlib
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tvm_directconv.memory import LARGE_PAGE, large_memory

from .repacking import Masks, remade

CACHE = "tvm_directconv.cache"
"""What is looked up by name: nothing here imports it."""
FILE = "filters.bin"


def derived_filters(described: Mapping[str, Any], weights: int, label: str) -> memoryview | None:
    """Return memory with the filters of the instruction set ``described`` that are made of others among the
    weights at an address, None where there are none. ``label`` is what the cache's list calls them."""
    if not described.get("derived"):
        return None
    size, key = described["derived_bytes"], described["derived_digest"]
    kept = _cache(key) if size >= LARGE_PAGE else None
    if kept is None:
        return _made(described, weights)

    def read(contents: Any) -> memoryview:
        memory: memoryview = contents.memory(FILE)
        if len(memory) != size:
            raise ValueError(f"{FILE} is of another library")
        return memory

    found: memoryview | None = kept.get(key, read)
    if found is not None:
        return found
    made = _made(described, weights)
    metadata = described["metadata"]
    facts = {"target": metadata["instruction_set"], "options": "filters", "target_string": metadata["target"]}
    kept.put(key, lambda folder: (folder / FILE).write_bytes(made), label, facts)
    found = kept.get(key, read)
    return made if found is None else found


def _cache(key: str) -> Any:
    """Return the user's cache; None, without a warning, where it is turned off or not installed, or where an
    entry is not there and cannot be."""
    try:
        cache = importlib.import_module(CACHE)
        Path.home()
    except (ImportError, RuntimeError):
        return None
    kept = cache.user_cache() if cache.is_on() else None
    if kept is None:
        return None
    there = next((each for each in (kept.folder, *kept.folder.parents) if each.exists()), kept.folder)
    return kept if (kept.folder / key).exists() or os.access(there, os.W_OK) else None


def _made(described: Mapping[str, Any], weights: int) -> memoryview:
    memory = large_memory(described["derived_bytes"])
    whole = np.frombuffer(memory, np.uint8)
    for start, shape, place, wanted, item_bytes, *masks in described["derived"]:
        size = math.prod(shape) * item_bytes
        data = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(weights + start))
        of_source, of_wanted = (each and Masks(*each) for each in masks)
        filters = remade(data.view(f"u{item_bytes}").reshape(shape), wanted, of_source, of_wanted)
        whole[place : place + filters.nbytes] = filters.reshape(-1).view(np.uint8)
    return memory
