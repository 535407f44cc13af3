"""Numbers that a problem consists of, as Python's integers."""

from __future__ import annotations

import operator
from typing import Any, cast

from tvm_directconv.errors import WorkloadError

from .extents import Extent


def integer(value: Any, what: str) -> int:
    """``value`` as Python's integer, or the extent that it is; WorkloadError for what is neither.

    numpy's are equal to it, and print alike, but TVM does not take them, and sums of them wrap around.
    """
    if isinstance(value, Extent):
        return cast(int, value)
    try:
        return int(operator.index(value))
    except TypeError:
        raise WorkloadError(f"{what} must be an integer, got {value!r}") from None
