"""The compiler's name among TVM's pipelines, from when TVM's module of them is imported on.

Importing TVM takes a second: this library's own import does not do it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

NAME = "directconv"
PIPELINES = "tvm.relax.pipeline"


def register_pipeline() -> None:
    """Have ``tvm.relax.get_pipeline("directconv")`` find the compiler, now or when TVM is imported."""
    module = sys.modules.get(PIPELINES)
    if module is not None:
        _add(module)
    elif not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def _add(module: ModuleType) -> None:
    if NAME not in module.PIPELINE_MAP:
        module.register_pipeline(NAME)(_pipeline)


def _pipeline(**options: Any) -> Any:
    from relay_strategies.pipeline import directconv_pipeline

    return directconv_pipeline(**options)


class _Finder(MetaPathFinder):
    """Finds TVM's module of pipelines, once, as Python does."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != PIPELINES:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(Loader):
    """Runs a module, and then adds the compiler to it."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        _add(module)
