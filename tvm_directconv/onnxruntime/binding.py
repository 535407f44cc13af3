"""IOBinding: inputs and outputs of a session that are bound once and used by several runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .errors import InvalidArgument
from .values import OrtValue, array_at


class IOBinding:
    """What a session's inputs and outputs are bound to."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self.inputs: dict[str, np.ndarray] = {}
        self.outputs: dict[str, np.ndarray | None] = {}
        self._results: list[np.ndarray] = []

    def bind_cpu_input(self, name: str, arr_on_cpu: np.ndarray) -> None:
        """Bind an input to an array."""
        self._bind_input(name, np.asarray(arr_on_cpu))

    def bind_input(
        self,
        name: str,
        device_type: str,
        device_id: int,
        element_type: Any,
        shape: Sequence[int],
        buffer_ptr: int,
    ) -> None:
        """Bind an input to the memory at an address, which has to stay."""
        self._bind_input(name, array_at(buffer_ptr, shape, element_type))

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        """Bind an input to a value."""
        self._bind_input(name, ortvalue._array)

    def bind_output(
        self,
        name: str,
        device_type: str = "cpu",
        device_id: int = 0,
        element_type: Any = None,
        shape: Sequence[int] | None = None,
        buffer_ptr: int | None = None,
    ) -> None:
        """Bind an output to the memory at an address; without one, each run allocates it."""
        array = None if buffer_ptr is None else array_at(buffer_ptr, shape or (), element_type)
        self._bind_output(name, array)

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        """Bind an output to a value, which a run writes."""
        self._bind_output(name, ortvalue._array)

    def get_outputs(self) -> list[OrtValue]:
        """Return the outputs of the last run, in the order in which they were bound."""
        return [OrtValue(array) for array in self._results]

    def copy_outputs_to_cpu(self) -> list[np.ndarray]:
        """Return copies of the outputs of the last run."""
        return [array.copy() for array in self._results]

    def get_outputs_as_ortvaluevector(self) -> list[OrtValue]:
        """Return the outputs of the last run, as ``get_outputs`` does."""
        return self.get_outputs()

    def clear_binding_inputs(self) -> None:
        """Bind no input."""
        self.inputs.clear()

    def clear_binding_outputs(self) -> None:
        """Bind no output."""
        self.outputs.clear()
        self._results = []

    def synchronize_inputs(self) -> None:
        """Return at once: all memory is the CPU's."""

    def synchronize_outputs(self) -> None:
        """Return at once: all memory is the CPU's."""

    def run(self) -> None:
        """Run the session on what is bound. Raises RuntimeError for what the session does not take."""
        if not self.outputs:
            raise RuntimeError("Error in execution: At least one output should be requested.")
        try:
            results = self._session.run(list(self.outputs), self.inputs)
        except (InvalidArgument, ValueError) as error:
            said = str(error).rpartition(f"{InvalidArgument.title} : ")[2]
            raise RuntimeError(f"Error in execution: {said}") from error
        for place, (array, (name, bound)) in enumerate(zip(results, self.outputs.items(), strict=True)):
            if bound is not None:
                if bound.shape != array.shape:
                    raise RuntimeError(
                        f"Error in execution: output '{name}' has shape {list(array.shape)}, and is bound to "
                        f"memory of shape {list(bound.shape)}"
                    )
                bound[...] = array
                results[place] = bound
        self._results = results

    def _bind_input(self, name: str, array: np.ndarray) -> None:
        if name not in [each.name for each in self._session.get_inputs()]:
            raise RuntimeError(f"Failed to find NodeArg with name: {name} in the def list")
        self.inputs[name] = array

    def _bind_output(self, name: str, array: np.ndarray | None) -> None:
        self.outputs[name] = array
