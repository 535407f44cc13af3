"""A compiled model's way to C: lowered again, and written by ``c_export``."""

from __future__ import annotations

import os
from collections.abc import Callable

import tvm

from relay_strategies.c_export import export
from tvm_directconv.errors import DirectConvError, ModelError
from tvm_directconv.files import path_of
from tvm_directconv.runtime.metadata import Size
from tvm_directconv.targets.target import resolve_target

from .compilation import Clock

INSIDE = export.INSIDE
Use = Callable[[tvm.IRModule], export.ExportedC]
LowerSize = Callable[[Size, Use], export.ExportedC]
"""A function that lowers a size again, and returns what is made of that; its kernels are compiled again for
C."""


def write_c(
    lower: LowerSize | None,
    size: Size,
    target: str,
    folder: str | os.PathLike[str],
    name: str,
    weights: str,
) -> export.ExportedC:
    """Write one size, or one of open dimensions; see ``CompiledModel.export_c``. A model without ``lower``
    was loaded from a library."""
    export.check(name, weights)
    path = path_of(folder, "the folder to write", DirectConvError)
    if lower is None:
        raise ModelError("this model was loaded from a library; export C where it is compiled from its file")

    def written(module: tvm.IRModule) -> export.ExportedC:
        ends = size.inputs, size.outputs
        with Clock(None).phase("code"):
            return export.export_c(module, *ends, resolve_target(target), path, name, weights)

    return lower(size, written)
