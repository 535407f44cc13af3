"""Everyone who can be compared: one file and one line here each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from tvm_directconv.algorithms import ALGORITHMS, BYTE_ALGORITHMS
from tvm_directconv.problem.element_types import FLOATS

from . import openvino, ours, pytorch
from .base import CannotSolve, Contestant, OnnxContestant, Prepared, Setting, Variant, check_known
from .litert import LiteRt
from .onednn import OneDnn
from .onemkl import OneMkl
from .onnx_runtime import OnnxRuntime, OnnxRuntimeDirectConv
from .openblas import OpenBlas
from .openvino import OpenVino, OpenVinoNode
from .ours import Ours, OursFixed, OursFloat, by_algorithm
from .pytorch import PyTorch, PyTorchCompiled, PyTorchDirectConv
from .tvm_default import TvmDefault

Kind: TypeAlias = "type[Contestant] | Variant"
AnyContestant: TypeAlias = "str | Kind"

_ON_LAYERS: tuple[type[Contestant], ...] = (
    Ours,
    TvmDefault,
    OnnxRuntime,
    OpenVino,
    OpenVinoNode,
    OneDnn,
    OpenBlas,
)
IN_HALF: tuple[Kind, ...] = (*ours.IN_HALF, *openvino.IN_HALF, pytorch.IN_HALF)
_SPECIAL: tuple[Kind, ...] = (
    *map(by_algorithm, ALGORITHMS),
    OursFloat,
    OursFixed,
    PyTorch,
    PyTorchCompiled,
    PyTorchDirectConv,
    OnnxRuntimeDirectConv,
    OneMkl,
    LiteRt,
    *IN_HALF,
    *ours.LESS_EXACT,
)
CONTESTANTS: dict[str, Kind] = {kind.name: kind for kind in (*_ON_LAYERS, *_SPECIAL)}

FOR_LAYERS = tuple(kind.name for kind in _ON_LAYERS)
PEERS = tuple(name for name in FOR_LAYERS if name not in (Ours.name, TvmDefault.name))
"""The other libraries that take single layers."""
FOR_NETWORKS = (Ours.name, TvmDefault.name, OnnxRuntime.name, OpenVino.name)
FOR_TFLITE = (Ours.name, LiteRt.name, OpenVino.name)
"""Contestants on networks in .tflite files."""
FOR_SIZES = (Ours.name, OursFixed.name, OnnxRuntime.name, OpenVino.name)
"""Contestants on networks of open sizes."""
FOR_OPERATORS = (Ours.name, OnnxRuntime.name, OpenVino.name)
"""Contestants on single operators."""
FOR_QUANTIZED_LAYERS = (Ours.name, *BYTE_ALGORITHMS, OnnxRuntime.name, OpenVinoNode.name, OneDnn.name)
FOR_QUANTIZED_NETWORKS = (Ours.name, OursFloat.name, *FOR_NETWORKS[1:])
FOR_LIBRARIES = (Ours.name, OnnxRuntime.name, OpenVino.name, PyTorch.name, PyTorchCompiled.name)
"""Contestants for lists that have networks of torchvision or timm: without TVM's default, which takes minutes
for each."""
FOR_QUANTIZED_LIBRARIES = (Ours.name, OursFloat.name, OnnxRuntime.name, OpenVino.name)
FOR_HALVES = (Ours.name, OnnxRuntime.name, OpenVino.name, PyTorch.name)
"""Contestants in float32, on networks that are compared in half precision, too."""
LONG_TO_PREPARE = (PyTorchCompiled.name,)
"""Contestants that compile for most of a minute, and take part in quick rounds only where they are named."""


def in_half(names: Sequence[str], precision: str) -> tuple[str, ...]:
    """Return contestants in float32, each followed by itself in that precision where it has it."""
    pairs = ((name, f"{name}-{FLOATS[precision]}") for name in names)
    return tuple(name for pair in pairs for name in pair if name in (pair[0], *CONTESTANTS))


def for_networks(quantized: bool, of_libraries: bool, quick: bool) -> tuple[str, ...]:
    """Return the contestants on networks, where none are named."""
    if of_libraries:
        names = FOR_QUANTIZED_LIBRARIES if quantized else FOR_LIBRARIES
    else:
        names = FOR_QUANTIZED_NETWORKS if quantized else FOR_NETWORKS
    return tuple(name for name in names if not quick or name not in LONG_TO_PREPARE)


def kind_of(chosen: AnyContestant) -> Kind:
    """Return what makes a contestant, where that or its name is given; BenchmarkError for an unknown name."""
    if not isinstance(chosen, str):
        return chosen
    check_known(chosen, CONTESTANTS, CONTESTANTS)
    return CONTESTANTS[chosen]


__all__ = [
    "CONTESTANTS",
    "FOR_HALVES",
    "FOR_LAYERS",
    "FOR_LIBRARIES",
    "FOR_NETWORKS",
    "FOR_QUANTIZED_LAYERS",
    "FOR_QUANTIZED_NETWORKS",
    "FOR_TFLITE",
    "PEERS",
    "AnyContestant",
    "CannotSolve",
    "Contestant",
    "Kind",
    "OnnxContestant",
    "Prepared",
    "Setting",
    "Variant",
    "for_networks",
    "in_half",
    "kind_of",
]
