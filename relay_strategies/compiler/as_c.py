"""A compiled model's way to C: lowered again, and written by ``c_export``."""

from __future__ import annotations

import os
from collections.abc import Callable

import tvm

from relay_strategies.c_export import export
from tvm_directconv.errors import DirectConvError, ModelError
from tvm_directconv.files import path_of
from tvm_directconv.targets.target import resolve_target

from .compilation import Clock
from .signature import Size

INSIDE = export.INSIDE
LowerSize = Callable[[Size], tvm.IRModule]
"""A function that returns a size ready for the virtual machine; its kernels are compiled again for C."""


def write_c(
    lower: LowerSize | None,
    size: Size,
    target: str,
    folder: str | os.PathLike[str],
    name: str,
    weights: str,
) -> export.ExportedC:
    """Write one size, of open dimensions the typical ones; see ``CompiledModel.export_c``. A model without
    ``lower`` was loaded from a library."""
    export.check(name, weights)
    path = path_of(folder, "the folder to write", DirectConvError)
    if lower is None:
        raise ModelError("this model was loaded from a library; export C where it is compiled from its file")
    size = size.at(size.shapes) or size
    module = lower(size)
    with Clock(None).phase("code"):
        return export.export_c(module, size.inputs, size.outputs, resolve_target(target), path, name, weights)
