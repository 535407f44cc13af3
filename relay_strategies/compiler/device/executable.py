"""DeviceExecutable: runs a model on a device without TVM's virtual machine, a function for each of its sizes.

Functions take and return TVM's tensors in the host's memory, as the virtual machine's do; what is between
them stays on the device.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import tvm

from tvm_directconv.devices.network import DeviceNetwork, DeviceSession

from ..model.running import DirectExecutable
from ..model.tensors import lent


@dataclass(frozen=True, eq=False)
class DeviceExecutable(DirectExecutable):
    """The networks of a model's sizes by the names of their functions, and of each the functions that its
    launches are of, in order."""

    networks: Mapping[str, DeviceNetwork]
    launched: Mapping[str, tuple[str, ...]]

    @functools.cached_property
    def functions(self) -> Mapping[str, Callable[..., Any]]:
        """The functions by name. A device is looked for when one is first called, and raises DeviceError."""
        return {name: functools.partial(self._run, name) for name in self.networks}

    @functools.cached_property
    def sessions(self) -> dict[str, DeviceSession]:
        """The networks that are on the device already."""
        return {}

    def session(self, name: str) -> DeviceSession:
        """Return a network on the device, where it stays. Raises DeviceError."""
        if name not in self.sessions:
            self.sessions[name] = DeviceSession(self.networks[name])
        return self.sessions[name]

    def _run(self, name: str, *arguments: tvm.runtime.Tensor) -> list[tvm.runtime.Tensor]:
        inputs = [lent(argument) for argument in arguments]
        return [tvm.runtime.tensor(result) for result in self.session(name).run(inputs)]
