"""ONNX Runtime's Python interface over this library: ``import tvm_directconv.onnxruntime as ort``.

Sessions compile their model by ``tvm_directconv.compile`` (docs/onnxruntime.md says with which sizes).
``install()`` has ``import onnxruntime`` find this module, in packages whose code is not one's own.
``library_path()`` is a library for ONNX Runtime itself, which has this library compile parts of its models.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from .binding import IOBinding as IOBinding
from .description import ModelMetadata as ModelMetadata
from .description import NodeArg as NodeArg
from .errors import Fail
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
_SPARSE, _ADAPTED = "tensors are dense", "adapters are not merged into weights"
_OTHERS = "ONNX Runtime itself compiles models for its providers; tvm_directconv.compile does here"
_ABSENT = {
    **dict.fromkeys(("SparseTensor", "OrtSparseFormat"), _SPARSE),
    **dict.fromkeys(("LoraAdapter", "AdapterFormat"), _ADAPTED),
    **dict.fromkeys(("ModelCompiler", "OrtEpDevice", "OrtHardwareDevice"), _OTHERS),
    **dict.fromkeys(("OrtMemoryInfo", "OrtArenaCfg"), "numpy and TVM allocate memory"),
}
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

    if severity not in range(5):
        raise RuntimeError(f"Invalid logging severity {severity}: 0 is all, and 4 what ends the process")
    LOG.setLevel((10, 20, 30, 40, 50)[severity])


def set_default_logger_verbosity(verbosity: int) -> None:
    """Return at once: there are no degrees of verbosity."""


def set_seed(seed: int) -> None:
    """Warn: random operators have seeds of their own."""
    ignore("set_seed", "a random operator's seed is its own")


def disable_telemetry_events() -> None:
    """Return at once: nothing is sent anywhere."""


enable_telemetry_events = disable_telemetry_events


def get_ep_devices() -> list[Any]:
    """Return an empty list: devices are those of providers from libraries, which are ONNX Runtime's own."""
    return []


def register_execution_provider_library(registration_name: str, library_path: str) -> None:
    """Raise Fail: providers from libraries are ONNX Runtime's own."""
    raise Fail(f"'{registration_name}' is for ONNX Runtime itself: import onnxruntime to register it")


def unregister_execution_provider_library(registration_name: str) -> None:
    """Raise Fail: no library is registered."""
    raise Fail(f"'{registration_name}' is not registered")


def copy_tensors(src: Sequence[OrtValue], dst: Sequence[OrtValue], stream: Any = None) -> None:
    """Copy values into others of the same shapes and types."""
    for one, other in zip(src, dst, strict=True):
        other.update_inplace(one.numpy())


def has_collective_ops() -> bool:
    """Return False."""
    return False


def create_and_register_allocator(*arguments: Any) -> None:
    """Warn: numpy and TVM allocate memory."""
    ignore("create_and_register_allocator", "numpy and TVM allocate memory")


create_and_register_allocator_v2 = create_and_register_allocator


def __getattr__(name: str) -> Any:
    """Say why what ONNX Runtime has is not here: AttributeError."""
    if name in _ABSENT:
        raise AttributeError(f"tvm_directconv.onnxruntime does not have {name}: {_ABSENT[name]}")
    raise AttributeError(f"module '{__name__}' lacks an attribute '{name}'")


def preload_dlls(cuda: bool = True, cudnn: bool = True, msvc: bool = True, directory: Any = None) -> None:
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
