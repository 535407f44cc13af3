"""DeviceModel: a network compiled for a GPU, which runs as any compiled model does, and is written as a
folder."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from relay_strategies.frontends.declared import Given
from tvm_directconv.devices.network_files import read_network, write_network
from tvm_directconv.errors import DirectConvError, InputError
from tvm_directconv.runtime.compiled_model import Inputs
from tvm_directconv.runtime.metadata import Metadata, Size

from ..model.executable_model import ExecutableModel
from ..model.profile import ROUNDS, Profile
from ..model.running import drawn
from ..report import Report
from .executable import DeviceExecutable
from .profile import profiled_on_device

LAUNCHED = "launched"
METADATA = "metadata"


class DeviceModel(ExecutableModel):
    """A network compiled for a GPU, in one size or several.

    Everything of ``ExecutableModel`` runs on the OpenCL device that is preferred (docs/gpu.md), and raises
    DeviceError where there is none. ``executable`` are the launch lists.
    """

    executable: DeviceExecutable

    def timings(self, size: Size | None = None) -> list[tuple[str, str, float]]:
        """Return of each launch of a size (the first unless another is given) the function, the kernel and
        the seconds that it took on the device, by the device's own clock, in order. It runs on what was last
        run."""
        name = (size or self.sizes[0]).function
        timed = self._lanes.use(lambda _: self.executable.session(name).timings())
        launched = self.executable.launched[name]
        return [(function, *found) for function, found in zip(launched, timed, strict=True)]

    def report(self, timed: bool = False, size: Size | None = None) -> Report:
        """Return what ``ExecutableModel.report`` does; shares of the time are those of the device's clock."""
        of = size or self.sizes[0]
        if not timed:
            return of.report()
        seconds: dict[str, float] = defaultdict(float)
        self.timings(of)  # the first launches of a program are compiled
        for function, _, taken in self.timings(of):
            seconds[function] += taken
        total = sum(seconds.values()) or 1.0
        shares = {name: seconds[name] / total for name in of.report().other_kernels}
        return replace(of.report(), time_shares=shares)

    def profile(
        self, inputs: Inputs | None = None, *, rounds: int = ROUNDS, size: Size | None = None
    ) -> Profile:
        """Return what ``ExecutableModel.profile`` does, by the device's clock, beside the peak that its
        description has."""
        given = drawn(size or self.sizes[0]) if inputs is None else inputs
        runner, arrays = self._chosen(self._ordered(given))
        name = runner.size.function
        launched = self.executable.launched[name]
        return self._lanes.use(
            lambda _: profiled_on_device(
                self.executable.session(name), launched, self.target, runner.size, arrays, rounds
            )
        )

    def _check_concurrency(self, count: int) -> None:
        if count > 1:
            raise InputError("a device runs one network after the other: leave concurrency at 1")

    def export(
        self, folder: str | os.PathLike[str], shapes: Given | None = None, batch: int | None = None
    ) -> None:
        """Write one size as a new folder of kernels, launch list and weights, which ``load`` reads back and a
        C program can run (examples/opencl); never part of one. ``shapes`` and ``batch`` name the size.

        Raises DirectConvError where the folder has something in it already, or cannot be written.
        """
        size = self.size(shapes, batch)
        alone = Metadata(self.target, size.inputs, size.outputs, (size,))
        facts = {
            METADATA: json.loads(alone.to_bytes()),
            LAUNCHED: list(self.executable.launched[size.function]),
        }
        write_network(replace(self.executable.networks[size.function], facts=facts), folder)

    def export_library(self, path: str | os.PathLike[str], *, linker: str | None = None) -> NoReturn:
        """Raise DirectConvError: a GPU's network is written by ``export``."""
        raise DirectConvError(
            f"a network for '{self.target}' is not a library; write it as a folder, by export"
        )

    def export_c(
        self,
        folder: str | os.PathLike[str],
        *,
        name: str = "",
        weights: str = "",
        size: Size | None = None,
    ) -> NoReturn:
        """Raise DirectConvError, as ``export_library`` does."""
        self.export_library(folder)


def load_folder(folder: Path) -> DeviceModel:
    """Return a model that ``export`` wrote. Raises ModelError for anything else."""
    network = read_network(folder)
    metadata = Metadata.from_bytes(json.dumps(network.facts.get(METADATA)).encode())
    name = metadata.sizes[0].function
    launched = tuple(map(str, network.facts.get(LAUNCHED, ())))
    return DeviceModel(DeviceExecutable({name: network}, {name: launched}), metadata)
