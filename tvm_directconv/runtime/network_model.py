"""NetworkModel: a model that runs without TVM, and is taken apart by TVM when that is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .metadata import Metadata, Size
from .model import CompiledModel, Inputs
from .network import Network
from .teams import CONTROL


class NetworkModel(CompiledModel):
    """A model whose library runs by itself. What takes it apart imports TVM, and makes the model once more."""

    def __init__(self, network: Network, metadata: Metadata, whole: Callable[[], Any]) -> None:
        """``whole`` returns the model as TVM runs it."""
        super().__init__(network, metadata, CONTROL)
        self._make, self._made = whole, None

    @property
    def taken_apart(self) -> Any:
        """The same model as TVM runs it, an ExecutableModel: with TVM's executable, and all that it can do."""
        if self._made is None:
            self._made = self._make()
        return self._made

    @property
    def executable(self) -> Any:
        """The executable of TVM's virtual machine."""
        return self.taken_apart.executable

    def size(self, shapes: Any = None, batch: int | None = None) -> Size:
        """Return the size that ``shapes`` and ``batch`` name; see ``ExecutableModel.size``."""
        return self.sizes[0] if shapes is None and batch is None else self.taken_apart.size(shapes, batch)

    def report(self, timed: bool = False, size: Size | None = None) -> Any:
        """Return what a size consists of; see ``ExecutableModel.report``."""
        return self.taken_apart.report(timed, size) if timed else (size or self.sizes[0]).report()

    def profile(self, inputs: Inputs | None = None, **options: Any) -> Any:
        """Return the time of every call of a kernel, by TVM; see ``ExecutableModel.profile``."""
        return self.taken_apart.profile(inputs, **options)

    def deviations(self, *inputs: Any, of_layers: bool = False) -> Any:
        """Compare the outputs with those of exact float32; see ``ExecutableModel.deviations``."""
        return self.taken_apart.deviations(*inputs, of_layers=of_layers)

    def export_library(self, path: Any, *, linker: str | None = None) -> None:
        """Write the model as a shared library; see ``ExecutableModel.export_library``."""
        self.taken_apart.export_library(path, linker=linker)

    def export_c(self, folder: Any, **options: Any) -> Any:
        """Write a size as C; see ``ExecutableModel.export_c``."""
        return self.taken_apart.export_c(folder, **options)
