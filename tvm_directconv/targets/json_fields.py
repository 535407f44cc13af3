"""JSON files that describe machines: found, read, and their fields checked as they are taken.

Below machine_format.py, machine_files.py and gpu_machine.py. The files may come from elsewhere; errors name
file and field.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from tvm_directconv.errors import TargetError, nearest
from tvm_directconv.files import read_file

if TYPE_CHECKING:
    from typing_extensions import Self


SUFFIX = ".json"
MOST_BYTES = 1 << 24
"""Most bytes of a file that describes a machine."""
Number = TypeVar("Number")


def is_path(name: str) -> bool:
    """Return whether a machine's name is the path of a file that describes it."""
    return "/" in name or name.endswith(SUFFIX)


def named(what: str, name: str) -> str:
    """Return what errors call the file of machine ``name``, a "machine file" or other ``what``."""
    return f"{what} '{name.removesuffix(SUFFIX)}{SUFFIX}'"


def text_of(path: Path, what: str) -> str:
    """Return the text of a user's file. Raises TargetError."""
    try:
        return read_file(path, f"the {what} '{path}'", TargetError, MOST_BYTES).decode()
    except UnicodeDecodeError:
        raise TargetError(f"{what} '{path}' is malformed: it is not text in UTF-8") from None


def texts_in(folder: str) -> dict[str, str]:
    """Return the texts of the files in a folder here, by the names of machines, which are theirs."""
    paths = [path for path in (resources.files(__package__) / folder).iterdir() if path.name.endswith(SUFFIX)]
    names = {path.name.removesuffix(SUFFIX): path for path in sorted(paths, key=lambda path: path.name)}
    return {name: path.read_text("utf-8") for name, path in names.items()}


class Fields:
    """The fields of a JSON object are each taken once; those ``left`` at the end are unknown."""

    @classmethod
    def of_text(cls, text: str, what: str, name: str) -> Self:
        """Read the text of the file of machine ``name``."""
        where = named(what, name)
        try:
            return cls(json.loads(text), where)
        except (ValueError, RecursionError) as error:
            raise TargetError(f"{where} is malformed: {error}") from None

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise TargetError(f"{where} is malformed: {json.dumps(value)} is not an object with fields")
        self.left: dict[str, Any] = dict(value)
        self.where = where

    def text(self, name: str) -> str:
        value = self._take(name)
        if not isinstance(value, str) or not value.strip():
            self.refuse(name, value, f"a {name} in words")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        values = self._take(name)
        if not isinstance(values, list) or not all(isinstance(value, str) and value for value in values):
            self.refuse(name, values, "a list of names")
        return tuple(values)

    def choice(self, name: str, choices: Iterable[str]) -> str:
        value = self._take(name)
        if value not in choices:
            raise TargetError(f"{self.where} has the unknown {name} '{value}'{nearest(str(value), choices)}")
        return value

    def whole(self, name: str, unit: int = 1) -> int:
        value = self._take(name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1 or value % unit:
            wanted = f"a multiple of {unit}" if unit > 1 else "a positive whole number"
            self.refuse(name, value, wanted)
        return value

    def flag(self, name: str) -> bool:
        value = self._take(name)
        if not isinstance(value, bool):
            self.refuse(name, value, "true or false")
        return value

    def positive(self, name: str) -> float:
        value = self._take(name)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or value <= 0:
            self.refuse(name, value, "a positive number")
        return float(value) if isinstance(value, float) else value

    def objects(self, name: str) -> list[Self]:
        values = self._take(name)
        if not isinstance(values, list):
            self.refuse(name, values, "a list")
        return [type(self)(value, f"{self.where}, {name} {n}") for n, value in enumerate(values, start=1)]

    def sourced(
        self, name: str, what: str, number: Callable[[Self, str], Number]
    ) -> dict[str, tuple[Number, str]]:
        """Return the numbers of a list of groups, by their names, and the source of each: its group's. A list
        that is left out is empty. ``number`` takes one from a group; ``what`` they are is said in errors."""
        found: dict[str, tuple[Number, str]] = {}
        for group in self.objects(name) if name in self.left else ():
            source = group.text("source")
            for each in tuple(group.left):
                if each in found:
                    raise TargetError(f"{self.where} gives {what} '{each}' twice")
                found[each] = number(group, each), source
        return found

    def refuse_rest(self, known: Iterable[str]) -> None:
        for name in self.left:
            raise TargetError(f"{self.where} has the unknown field '{name}'{nearest(name, known)}")

    def _take(self, name: str) -> Any:
        if name not in self.left:
            raise TargetError(f"{self.where} lacks the field '{name}'")
        return self.left.pop(name)

    def refuse(self, name: str, value: object, wanted: str) -> NoReturn:
        raise TargetError(f"{self.where} is malformed: '{name}' is {json.dumps(value)}, not {wanted}")
