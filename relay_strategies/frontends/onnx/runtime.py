"""ONNX Runtime itself, for what it is asked of models."""

from __future__ import annotations

import importlib
from typing import Any

ONNXRUNTIME = "onnxruntime"


def installed() -> Any:
    """Import ONNX Runtime, also where this library's own interface has taken its name and keeps it as
    ``theirs``. Raises ImportError."""
    module = importlib.import_module(ONNXRUNTIME)
    found = getattr(module, "theirs", module)
    if found is None:
        raise ImportError("it is not installed")
    return found
