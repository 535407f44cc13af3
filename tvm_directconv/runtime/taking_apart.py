"""The compiler, where it is installed: a model is taken apart by it, and runs without it."""

from __future__ import annotations

import importlib
from typing import Any

from tvm_directconv.errors import DirectConvError

PACKAGE = "relay_strategies"
"""What is looked up by name: nothing here imports it."""


def from_compiler(module: str, name: str) -> Any:
    """Return what a module of the compiler's has under a name, which imports TVM. Raises DirectConvError
    where models are only run."""
    try:
        return getattr(importlib.import_module(f"{PACKAGE}.compiler.{module}"), name)
    except ModuleNotFoundError as error:
        if error.name != PACKAGE:
            raise
        raise DirectConvError(
            f"'{name}' is of the compiler, and this is the package that only runs models; pip install "
            "tvm-directconv in its place"
        ) from None
