"""tvm-directconv: the CPU convolution library of Apache TVM, and a compiler of networks that uses it.

import tvm_directconv as directconv
model = directconv.compile("resnet50.onnx", target="llvm -mcpu=native")
outputs = model.run([image])
"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

__version__ = "0.1.0"

PINNED = {"apache-tvm": "0.27.0.post1", "apache-tvm-ffi": "0.1.14.post1"}
"""TVM's metadata allows newer versions of its ffi; with 0.1.15, Schedule.tensorize crashes the process."""


def _check_pins() -> None:
    wrong = []
    for package, version in PINNED.items():
        try:
            found = metadata.version(package)
        except metadata.PackageNotFoundError:
            found = "none"
        if found != version:
            wrong.append(f"{package}=={version} (found {found})")
    if wrong:
        raise ImportError(f"tvm-directconv needs {' and '.join(wrong)}; pip install them exactly")


_check_pins()

# In a checkout that is not installed, the sub-packages are the folders beside this one.
_ROOT = Path(__file__).resolve().parent.parent
if (_ROOT / "intrinsics" / "microkernel.py").is_file():
    __path__.append(str(_ROOT))

# The package is its own front door: what follows needs the pinned TVM.
from .errors import DirectConvError  # noqa: E402
from .profiling import Breakdown, breakdown  # noqa: E402
from .quantization import QuantizedTypes  # noqa: E402
from .relay_strategies.compiler import CompiledModel, compile, load  # noqa: E402
from .relay_strategies.layer import Conv2dLayer, build_conv2d  # noqa: E402
from .relay_strategies.pareto import ParetoReport, pareto  # noqa: E402
from .relay_strategies.relay_model import from_relay  # noqa: E402
from .relay_strategies.strategy import conv2d_strategy  # noqa: E402
from .relay_strategies.tuning.tune import tune  # noqa: E402
from .target import CompileTarget, resolve_target  # noqa: E402
from .workload import Conv2dWorkload, Epilogue  # noqa: E402

__all__ = [
    "Breakdown",
    "CompileTarget",
    "CompiledModel",
    "Conv2dLayer",
    "Conv2dWorkload",
    "DirectConvError",
    "Epilogue",
    "ParetoReport",
    "QuantizedTypes",
    "breakdown",
    "build_conv2d",
    "compile",
    "conv2d_strategy",
    "from_relay",
    "load",
    "pareto",
    "resolve_target",
    "tune",
]
