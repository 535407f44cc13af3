"""The memory that a function is evaluated on: what its elements hold, and who wrote and read them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .prime_field import DRAWS, UNKNOWN


class PlanError(Exception):
    """A plan is not the convolution; ``where`` says in which call or element."""


class Uncovered(Exception):
    """A function has something that is not known here."""


class Memory:
    """The elements of one buffer, of all tasks where each has its own.

    Attributes:
        name: The buffer's name.
        values: Numbers [DRAWS, elements], UNKNOWN where nothing was stored.
        constant: Whether it is an operand, which nothing may be stored to.
    """

    def __init__(self, name: str, values: np.ndarray, constant: bool = False) -> None:
        self.name, self.values, self.constant = name, values, constant
        elements = values.shape[1]
        self._writer = np.full(elements, UNKNOWN)
        self._reader = np.full(elements, UNKNOWN)
        self.stores = np.zeros(elements, np.int32)
        """How often each element was stored without being read in between."""

    @staticmethod
    def empty(name: str, elements: int) -> Memory:
        return Memory(name, np.full((DRAWS, elements), UNKNOWN))

    def read(self, at: np.ndarray, tasks: Tasks) -> np.ndarray:
        """Return the numbers [DRAWS, *at.shape] of elements [tasks, ...].

        Raises:
            PlanError: Another task of the loop wrote one of them.
        """
        if not self.constant:
            task = tasks.like(at)
            if ((self._writer[at] >= tasks.first) & (self._writer[at] != task)).any():
                raise PlanError(f"a task reads of {self.name} what another task of the loop stores")
            reader = self._reader[at]
            marked = np.where((reader >= tasks.first) & (reader != task), tasks.first, task)
            self._reader[at] = marked
            self._reader[at[self._reader[at] != marked]] = tasks.first
            self.stores[at] = 0
        return self.values[:, at]

    def write(self, at: np.ndarray, values: np.ndarray, tasks: Tasks) -> None:
        """Store numbers [DRAWS, *at.shape] to elements [tasks, ...].

        Raises:
            PlanError: The buffer is an operand, another task of the loop reads or stores one of the elements,
                or values for the same element differ.
        """
        if self.constant:
            raise PlanError(f"{self.name} is an operand, and is stored to")
        task = tasks.like(at)
        for other in (self._writer[at], self._reader[at]):
            if ((other >= tasks.first) & (other != task)).any():
                raise PlanError(f"tasks of one loop share an element of {self.name} that one of them stores")
        self.values[:, at] = values
        self._writer[at] = task
        np.add.at(self.stores, at, 1)
        if (self._writer[at] != task).any():
            raise PlanError(f"two tasks of a loop store the same element of {self.name}")
        if (self.values[:, at] != values).any():
            raise PlanError(f"an element of {self.name} is stored twice at once, and differs")


@dataclass
class Tasks:
    """The tasks that are under way, by number: those of one parallel loop are above ``first``, which stands
    for several of them. Outside of parallel loops there is one, renewed behind each loop."""

    numbers: np.ndarray
    first: int

    def like(self, at: np.ndarray) -> np.ndarray:
        """Return the numbers as an array of the shape of ``at`` [tasks, ...]."""
        return np.broadcast_to(self.numbers.reshape(-1, *[1] * (at.ndim - 1)), at.shape)

    def of(self, chosen: np.ndarray) -> Tasks:
        """Return some of them; the one outside of loops remains the same object."""
        numbers = self.numbers[chosen]
        return self if len(numbers) == len(self.numbers) == 1 else Tasks(numbers, self.first)


@dataclass(frozen=True)
class Pointer:
    """An element of a buffer for each task that is under way.

    Attributes:
        memory: The buffer.
        base: The first element of each task's own part [tasks].
        size: Elements of that part.
        offset: Where the pointer points to in it [tasks].
    """

    memory: Memory
    base: np.ndarray
    size: int
    offset: np.ndarray

    def at(self, elements: np.ndarray) -> np.ndarray:
        """Return the places of elements [tasks, ...] counted from the pointer.

        Raises:
            PlanError: One of them lies outside of the buffer.
        """
        more = (slice(None), *[None] * (elements.ndim - 1))
        found = elements + self.offset[more]
        if found.size and (found.min() < 0 or found.max() >= self.size):
            outside = found.min() if found.min() < 0 else found.max()
            raise PlanError(f"element {outside} of {self.memory.name} is outside of its {self.size}")
        return found + self.base[more]

    def within(self, first: int, last: int) -> None:
        """Raise PlanError unless elements ``first`` to ``last`` from the pointer on are the buffer's."""
        self.at(np.broadcast_to(np.array([first, last]), (len(self.offset), 2)))

    def of(self, chosen: np.ndarray) -> Pointer:
        """Return the pointers of some of the tasks."""
        return Pointer(self.memory, self.base[chosen], self.size, self.offset[chosen])


Arguments = list[Pointer | np.ndarray]
"""What a call gives: pointers, and integers [tasks]."""


def alike(tasks: Tasks, arguments: Arguments) -> Iterator[tuple[Tasks, list[Pointer], list[int]]]:
    """Give the tasks whose integers are the same, with their pointers and those integers."""
    integers = [given for given in arguments if isinstance(given, np.ndarray)]
    keys = np.stack([np.zeros(len(tasks.numbers), np.int64), *integers], axis=1)
    for key in np.unique(keys, axis=0):
        same = np.flatnonzero((keys == key).all(axis=1))
        pointers = [given.of(same) for given in arguments if isinstance(given, Pointer)]
        yield tasks.of(same), pointers, [int(number) for number in key[1:]]


def known(pointer: Pointer, elements: np.ndarray, tasks: Tasks) -> np.ndarray:
    """Return the numbers [DRAWS, tasks, ...] of elements [...] behind a pointer.

    Raises:
        PlanError: An element is outside of the buffer, or nothing was stored to it.
    """
    at = pointer.at(np.broadcast_to(elements, (len(tasks.numbers), *elements.shape)))
    values = pointer.memory.read(at, tasks)
    if values.size and values.min() < 0:
        raise PlanError(f"an element of {pointer.memory.name} is used that nothing was stored to")
    return values
