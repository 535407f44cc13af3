"""ONNX Runtime's Python interface over this library: ``import tvm_directconv.onnxruntime as ort``.

Sessions compile their model by ``tvm_directconv.compile`` (docs/onnxruntime.md says with which sizes).
``install()`` has ``import onnxruntime`` find this module, in packages whose code is not one's own.
``library_path()`` is a library for ONNX Runtime itself, which has this library compile parts of its models.
"""

from __future__ import annotations

import importlib
import sys
from contextlib import suppress
from typing import Any

from .binding import IOBinding as IOBinding
from .description import ModelMetadata as ModelMetadata
from .description import NodeArg as NodeArg
from .options import AVAILABLE, ignore
from .options import ExecutionMode as ExecutionMode
from .options import ExecutionOrder as ExecutionOrder
from .options import GraphOptimizationLevel as GraphOptimizationLevel
from .options import RunOptions as RunOptions
from .options import SessionOptions as SessionOptions
from .provider.library import library_path as library_path
from .session import InferenceSession as InferenceSession
from .values import OrtDevice as OrtDevice
from .values import OrtValue as OrtValue

from . import capi as capi  # isort: skip  # it has the names above

__version__ = "1.32.0"
"""The version of ONNX Runtime whose Python interface this follows, for packages that ask."""
SessionIOBinding = IOBinding
theirs: Any = None
"""The installed package, whose name ``install`` has taken."""
_PARTS = (
    "capi",
    "capi.onnxruntime_pybind11_state",
    "capi._pybind_state",
    "capi.onnxruntime_inference_collection",
)


def get_available_providers() -> list[str]:
    """Return the names of this library's provider, and of the CPU's, which is the same here."""
    return list(AVAILABLE)


get_all_providers = get_available_providers


def get_device() -> str:
    """Return "CPU"."""
    return "CPU"


def get_version_string() -> str:
    """Return the version of the interface."""
    return __version__


def get_build_info() -> str:
    """Return what this is in place of a build of ONNX Runtime."""
    from tvm_directconv.version import __version__ as own

    return f"tvm-directconv {own}"


def set_default_logger_severity(severity: int) -> None:
    """Set the level of ``logging.getLogger("tvm_directconv")``: from 0, all, to 4, what ends it."""
    from tvm_directconv.log import LOG

    LOG.setLevel((10, 20, 30, 40, 50)[severity])


def set_default_logger_verbosity(verbosity: int) -> None:
    """Return at once: there are no degrees of verbosity."""


def set_seed(seed: int) -> None:
    """Warn: random operators have seeds of their own."""
    ignore("set_seed", "a random operator's seed is its own")


def disable_telemetry_events() -> None:
    """Return at once: nothing is sent anywhere."""


enable_telemetry_events = disable_telemetry_events


def preload_dlls(*arguments: Any, **options: Any) -> None:
    """Return at once: there are no libraries of devices to load."""


def install() -> None:
    """Have ``import onnxruntime`` give this module, in this process, from now on.

    Tools in ONNX Runtime's folders, such as onnxruntime.quantization, are those of the installed package, if
    there is one.
    """
    global theirs
    here = sys.modules[__name__]
    if sys.modules.get("onnxruntime") is not here:
        with suppress(ImportError):
            theirs = importlib.import_module("onnxruntime")
            here.__path__.extend(theirs.__path__)
    sys.modules["onnxruntime"] = here
    for part in _PARTS:
        sys.modules[f"onnxruntime.{part}"] = importlib.import_module(f"{__name__}.{part}")
