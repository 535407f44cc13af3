"""Everyone who can be compared: one file and one line here each."""

from __future__ import annotations

from collections.abc import Sequence

from tvm_directconv.algorithms import ALGORITHMS, BYTE_ALGORITHMS
from tvm_directconv.errors import BenchmarkError, nearest

from .base import CannotSolve, Contestant, OnnxContestant, Prepared, Setting
from .onednn import OneDnn
from .onnx_runtime import OnnxRuntime
from .openblas import OpenBlas
from .openvino import OpenVino, OpenVinoNode
from .ours import Ours, OursFloat, by_algorithm
from .tvm_default import TvmDefault

_ON_LAYERS: tuple[type[Contestant], ...] = (
    Ours,
    TvmDefault,
    OnnxRuntime,
    OpenVino,
    OpenVinoNode,
    OneDnn,
    OpenBlas,
)
_SPECIAL: tuple[type[Contestant], ...] = (*map(by_algorithm, ALGORITHMS), OursFloat)
CONTESTANTS: dict[str, type[Contestant]] = {kind.name: kind for kind in (*_ON_LAYERS, *_SPECIAL)}

FOR_LAYERS = tuple(kind.name for kind in _ON_LAYERS)
PEERS = tuple(name for name in FOR_LAYERS if name not in (Ours.name, TvmDefault.name))
"""These are the other libraries that take single layers."""
FOR_NETWORKS = (Ours.name, TvmDefault.name, OnnxRuntime.name, OpenVino.name)
FOR_QUANTIZED_LAYERS = (Ours.name, *BYTE_ALGORITHMS, OnnxRuntime.name, OpenVinoNode.name, OneDnn.name)
FOR_QUANTIZED_NETWORKS = (Ours.name, OursFloat.name, *FOR_NETWORKS[1:])


def make_contestants(chosen: Sequence[str | type[Contestant]], setting: Setting) -> list[Contestant]:
    """Make contestants by name, or by class; BenchmarkError for an unknown name."""
    made = []
    for entry in chosen:
        if isinstance(entry, str) and entry not in CONTESTANTS:
            raise BenchmarkError(
                f"no contestant '{entry}'{nearest(entry, CONTESTANTS)}; there are {', '.join(CONTESTANTS)}"
            )
        kind = CONTESTANTS[entry] if isinstance(entry, str) else entry
        made.append(kind(setting))
    return made


__all__ = [
    "CONTESTANTS",
    "FOR_LAYERS",
    "FOR_NETWORKS",
    "FOR_QUANTIZED_LAYERS",
    "FOR_QUANTIZED_NETWORKS",
    "PEERS",
    "CannotSolve",
    "Contestant",
    "OnnxContestant",
    "Prepared",
    "Setting",
    "make_contestants",
]
