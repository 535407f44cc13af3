"""A compiled model's way to C: lowered again, and written by ``c_export``."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import tvm

from relay_strategies.c_export import export
from relay_strategies.c_export.launcher import SetCode
from relay_strategies.c_export.launches import Weights
from tvm_directconv.errors import DirectConvError, ModelError
from tvm_directconv.files import path_of
from tvm_directconv.runtime.metadata import Size
from tvm_directconv.targets import llvm
from tvm_directconv.targets.target import CompileTarget

from .compilation import Clock

INSIDE = export.INSIDE
Use = Callable[[tvm.IRModule], SetCode]
LowerSize = Callable[[Size, Use], SetCode]
"""A function that lowers a size again, and returns what is made of that; its kernels are compiled again for
C."""


@dataclass(frozen=True)
class Lowering:
    """How a model is lowered again for each of its target's instruction sets, by name, the best last."""

    target: CompileTarget
    sets: Mapping[str, LowerSize]


def write_c(
    lowering: Lowering | None,
    size: Size,
    folder: str | os.PathLike[str],
    name: str,
    weights: str,
) -> export.ExportedC:
    """Write one size, or one of open dimensions; see ``CompiledModel.export_c``. A model without ``lowering``
    was loaded from a library."""
    export.check(name, weights)
    path = path_of(folder, "the folder to write", DirectConvError)
    if lowering is None:
        raise ModelError("this model was loaded from a library; export C where it is compiled from its file")
    target = lowering.target
    among = Weights(llvm.arch_of(target.triple) in llvm.BIG_ENDIAN)

    def code(instruction_set: str) -> Use:
        own = target.instruction_sets[instruction_set]
        return lambda module: export.set_code(module, name, instruction_set, own, among)

    with Clock(None).phase("code"):
        codes = [lower(size, code(each)) for each, lower in lowering.sets.items()]
        if len({each.opened is None for each in codes}) > 1:
            raise ModelError("some instruction sets leave sizes open that others do not; name one size")
        return export.export_c(codes[::-1], size.inputs, size.outputs, target, path, name, weights)
