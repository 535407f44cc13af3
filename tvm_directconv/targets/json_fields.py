"""The fields of a JSON file that describes a machine, each checked as it is taken; errors name file and
field.

Below machine_format.py and gpu_machine.py, whose files may come from elsewhere.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn

from tvm_directconv.errors import TargetError, nearest

if TYPE_CHECKING:
    from typing_extensions import Self


class Fields:
    """The fields of a JSON object are each taken once; those ``left`` at the end are unknown."""

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise TargetError(f"{where} is malformed: {json.dumps(value)} is no object with fields")
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

    def refuse_rest(self, known: Iterable[str]) -> None:
        for name in self.left:
            raise TargetError(f"{self.where} has the unknown field '{name}'{nearest(name, known)}")

    def _take(self, name: str) -> Any:
        if name not in self.left:
            raise TargetError(f"{self.where} lacks the field '{name}'")
        return self.left.pop(name)

    def refuse(self, name: str, value: object, wanted: str) -> NoReturn:
        raise TargetError(f"{self.where} is malformed: '{name}' is {json.dumps(value)}, not {wanted}")
