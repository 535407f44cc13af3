"""What is done when TVM is imported: its version is checked, the compiler is named among its pipelines, it
carries exceptions of signal handlers, and PyTorch is left out.

Importing TVM takes a second: this library's own import does not do it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

NAME = "directconv"
PIPELINES = "tvm.relax.pipeline"
TVM, TORCH = ("tvm_ffi", "tvm"), "torch"
PINNED = {"apache-tvm": "0.27.0.post1", "apache-tvm-ffi": "0.1.14.post1"}
"""Versions that this library needs: TVM's metadata allows newer versions of its ffi; with 0.1.15,
Schedule.tensorize crashes the process."""


def prepare_tvm() -> None:
    """Have TVM be as this library needs it, now or when it is imported: of the pinned version, which raises
    ImportError where it is not; with exceptions of signal handlers carried through compiled code; and with
    ``tvm.relax.get_pipeline("directconv")`` finding the compiler."""
    with suppress(ModuleNotFoundError):  # where models are only run
        import intrinsics as _  # noqa: F401  # it has TVM's threads sleep while there is nothing to do
    for name, then in ((TVM[0], _carry_exceptions), (PIPELINES, _add)):
        module = sys.modules.get(name)
        if module is not None:
            check_pins()
            then(module)
        elif not any(isinstance(finder, _Finder) and finder.name == name for finder in sys.meta_path):
            sys.meta_path.insert(0, _Finder(name, then))


def check_pins() -> None:
    """Raise ImportError for other versions of TVM than this library needs."""
    from importlib import metadata  # which takes as long as all else that this package imports

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


def leave_torch_out() -> None:
    """Have TVM be imported without PyTorch, unless that is there already.

    TVM imports PyTorch wherever that is installed, for the sake of faster exchanges of tensors, which takes
    two seconds and half a gigabyte. Programs that use PyTorch have imported it before, or exchange tensors by
    DLPack without it.
    """
    if TVM[0] not in sys.modules and not any(isinstance(f, _WithoutTorch) for f in sys.meta_path):
        sys.meta_path.insert(0, _WithoutTorch())


class _WithoutTorch:
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


def _carry_exceptions(module: ModuleType) -> None:
    """TVM carries these through compiled code as what they are, and not as RuntimeErrors."""
    for kind in (KeyboardInterrupt, SystemExit, TimeoutError, InterruptedError):
        module.register_error(kind.__name__, kind)


def _add(module: ModuleType) -> None:
    if NAME not in module.PIPELINE_MAP:
        module.register_pipeline(NAME)(_pipeline)


def _pipeline(**options: Any) -> Any:
    from relay_strategies.pipeline import directconv_pipeline

    return directconv_pipeline(**options)


class _Finder:
    """Finds a module of TVM's, once, as Python does, and has something done with it."""

    def __init__(self, name: str, then: Callable[[ModuleType], None]) -> None:
        self.name, self._then = name, then

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name in TVM and self.name == TVM[0]:
            check_pins()
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self._then)  # type: ignore[assignment]
        return spec


class _Loader:
    """Runs a module, and then does something with it."""

    def __init__(self, loader: Any, then: Callable[[ModuleType], None]) -> None:
        self._loader, self._then = loader, then

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        self._then(module)
