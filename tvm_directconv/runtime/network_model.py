"""NetworkModel: a model that runs without TVM, and is taken apart by TVM when that is asked for."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from .compiled_model import ROUNDS, CompiledModel, Inputs
from .metadata import Metadata, Size
from .network import Network
from .teams import CONTROL


class NetworkModel(CompiledModel):
    """A model whose library runs by itself. What takes it apart imports TVM, and makes the model once
    more."""

    def __init__(self, network: Network, metadata: Metadata, whole: Callable[[], Any]) -> None:
        """``whole`` returns the model as TVM runs it."""
        super().__init__(network, metadata, CONTROL)
        self._make, self._made = whole, None

    @property
    def taken_apart(self) -> Any:
        """The same model as TVM runs it, an ExecutableModel: with TVM's executable, and all that it can
        do."""
        if self._made is None:
            self._made = self._make()
        return self._made

    @property
    def executable(self) -> Any:
        return self.taken_apart.executable

    @property
    def compared(self) -> Any:
        return self.taken_apart.compared

    def size(self, shapes: Any = None, batch: int | None = None) -> Size:
        return self.sizes[0] if shapes is None and batch is None else self.taken_apart.size(shapes, batch)

    def report(self, timed: bool = False, size: Size | None = None) -> Any:
        return self.taken_apart.report(timed, size) if timed else (size or self.sizes[0]).report()

    def profile(self, inputs: Inputs | None = None, *, rounds: int = ROUNDS, size: Size | None = None) -> Any:
        return self.taken_apart.profile(inputs, rounds=rounds, size=size)

    def deviations(self, *inputs: Any, of_layers: bool = False) -> Any:
        return self.taken_apart.deviations(*inputs, of_layers=of_layers)

    def export_library(self, path: str | os.PathLike[str], *, linker: str | None = None) -> None:
        self.taken_apart.export_library(path, linker=linker)

    def export_c(
        self,
        folder: str | os.PathLike[str],
        *,
        name: str = "network",
        weights: str = "inside",
        size: Size | None = None,
    ) -> Any:
        return self.taken_apart.export_c(folder, name=name, weights=weights, size=size)
