"""Words that users give for layers: one for all, or several by the name of a layer or a pattern."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping

from tvm_directconv.errors import AlgorithmError, nearest

Words = str | Mapping[str, str]
"""One word for all layers, or words by layer name or pattern ("*" for those not named)."""


class ByName:
    """The words given for layers; ``otherwise`` is that of a layer that nothing given names."""

    def __init__(self, given: Words, otherwise: str) -> None:
        self._words = {"*": given} if isinstance(given, str) else dict(given)
        self._otherwise = otherwise
        self._matched: set[str] = set()
        self._names: list[str] = []

    def of(self, name: str) -> str:
        """A layer's own name goes before patterns, and those in the order they were given."""
        self._names.append(name)
        matching = [p for p in self._words if p == name or fnmatch.fnmatchcase(name, p)]
        self._matched.update(matching)
        matching.sort(key=lambda pattern: (pattern != name, pattern == "*"))
        return self._words[matching[0]] if matching else self._otherwise

    def but(self, names: Iterable[str], word: str) -> dict[str, str]:
        """The words as they were given, but for layers that are to have another ``word``."""
        other = dict.fromkeys(names, word)
        return other | {pattern: given for pattern, given in self._words.items() if pattern not in other}

    def check(self, what: str) -> None:
        """Raise AlgorithmError for a name or pattern that no layer has had; ``what`` is given by them."""
        for pattern in self._words:
            if pattern != "*" and pattern not in self._matched:
                hint = nearest(pattern, self._names)
                raise AlgorithmError(f"{what} given for '{pattern}', but no layer has that name{hint}")
