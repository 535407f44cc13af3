"""ONNX Runtime itself, for what it is asked of models, and its names of tensors' types."""

from __future__ import annotations

import importlib
from typing import Any

ONNXRUNTIME = "onnxruntime"
_NAMES = {"float32": "float", "float64": "double"}
"""Element types that ONNX Runtime calls otherwise than numpy does."""
_NUMPY_NAMES = {name: dtype for dtype, name in _NAMES.items()}


def type_of(dtype: str) -> str:
    """Return ONNX Runtime's name of a tensor of numpy's dtype, as tensor(float)."""
    return f"tensor({_NAMES.get(dtype, dtype)})"


def dtype_of(kind: str) -> str:
    """Return numpy's name of the elements of tensor(float) and the like; other types as they are."""
    if not kind.startswith("tensor("):
        return kind
    element = kind.removeprefix("tensor(").removesuffix(")")
    return _NUMPY_NAMES.get(element, element)


def installed() -> Any:
    """Import ONNX Runtime, also where this library's own interface has taken its name and keeps it as
    ``theirs``. Raises ImportError."""
    module = importlib.import_module(ONNXRUNTIME)
    found = getattr(module, "theirs", module)
    if found is None:
        raise ImportError("it is not installed")
    return found
