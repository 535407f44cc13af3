"""What is done when TVM is imported: the compiler is named among its pipelines, and PyTorch is left out.

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
TVM, TORCH = ("tvm_ffi", "tvm"), "torch"


def register_pipeline() -> None:
    """Have ``tvm.relax.get_pipeline("directconv")`` find the compiler, now or when TVM is imported."""
    module = sys.modules.get(PIPELINES)
    if module is not None:
        _add(module)
    elif not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def leave_torch_out() -> None:
    """Have TVM be imported without PyTorch, unless that is there already.

    TVM imports PyTorch wherever that is installed, for the sake of faster exchanges of tensors, which takes
    two seconds and half a gigabyte. Programs that use PyTorch have imported it before, or exchange tensors by
    DLPack without it.
    """
    if TVM[0] not in sys.modules and not any(isinstance(f, _WithoutTorch) for f in sys.meta_path):
        sys.meta_path.insert(0, _WithoutTorch())


class _WithoutTorch(MetaPathFinder):
    """Finds no PyTorch while TVM is being imported."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name == TORCH and any(map(_is_importing, TVM)):
            raise ModuleNotFoundError("PyTorch is imported by what uses it", name=TORCH)
        return None


def _is_importing(name: str) -> bool:
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return bool(getattr(spec, "_initializing", False))


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
