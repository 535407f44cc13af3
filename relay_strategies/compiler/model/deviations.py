"""How far a network in half precision, or by algorithms that round more, is from the same network in float32
by sums of products as its definition has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from tvm_directconv.text import TextTable


class Runnable(Protocol):
    """A compiled model, as far as it is compared."""

    @property
    def output_names(self) -> tuple[str, ...]: ...

    def run(self, inputs: Any) -> list[np.ndarray]: ...


@dataclass
class Deviation:
    """The deviation of one output, or one layer's result, over all inputs.

    ``relative_error`` is the largest difference over the largest value of the reference; ``agreement`` the
    share of images, or rows of the first dimension, whose largest value is at the same place.
    """

    name: str
    difference: float = 0.0
    largest: float = 0.0
    agreeing: int = 0
    rows: int = 0

    @property
    def relative_error(self) -> float:
        return self.difference / self.largest if self.largest else self.difference

    @property
    def agreement(self) -> float:
        return self.agreeing / self.rows if self.rows else 1.0

    def add(self, got: np.ndarray, wanted: np.ndarray) -> None:
        """Compare one more result."""
        got, wanted = got.astype(np.float64), wanted.astype(np.float64)
        same = got == wanted  # infinities, too
        with np.errstate(invalid="ignore"):
            difference = np.where(same, 0.0, np.abs(got - wanted))
        self.difference = float(max(self.difference, np.nan_to_num(difference, nan=np.inf).max(initial=0.0)))
        self.largest = float(max(self.largest, np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0)))
        rows = wanted.shape[0] if wanted.ndim > 1 else 1
        places = (array.reshape(rows, -1).argmax(1) for array in (got, wanted) if array.size)
        agreeing = [*places]
        self.rows += rows
        self.agreeing += int((agreeing[0] == agreeing[1]).sum()) if agreeing else rows


@dataclass
class Compared:
    """Functions that compile a network again, to be compared: as it is and as its reference. Each takes
    whether the results of layers are outputs, too."""

    as_it_is: Callable[[bool], Runnable]
    reference: Callable[[bool], Runnable]

    def measure(self, inputs: Iterable[Any], of_layers: bool) -> list[Deviation]:
        """Compile the network and its reference, and compare them."""
        return deviations(self.as_it_is(of_layers), self.reference(of_layers), inputs)


def deviations(
    model: Runnable, reference: Runnable, inputs: Iterable[Mapping[str, np.ndarray]]
) -> list[Deviation]:
    """Compare the outputs of two models of one network, each of ``inputs`` as ``run`` takes them."""
    found = [Deviation(name) for name in model.output_names]
    for given in inputs:
        results = zip(found, model.run(given), reference.run(given), strict=True)
        for deviation, got, wanted in results:
            if np.issubdtype(wanted.dtype, np.integer) or wanted.dtype == bool:
                got, wanted = got != wanted, np.zeros(wanted.shape)
            deviation.add(got, wanted)
    return found


def deviations_table(found: Sequence[Deviation], title: str) -> TextTable:
    """Return a table with one row for each."""
    table = TextTable(title, ("result", "largest error", "same largest value"), left=("result",))
    for each in found:
        table.add_row(each.name, f"{each.relative_error:.2e}", f"{100 * each.agreement:.0f} %")
    return table
