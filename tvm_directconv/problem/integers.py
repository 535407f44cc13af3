"""Numbers that a problem consists of, as Python's integers."""

from __future__ import annotations

import operator
from typing import Any

from tvm_directconv.errors import WorkloadError


def integer(value: Any, what: str) -> int:
    """``value`` as Python's integer; WorkloadError for what is none.

    numpy's are equal to it, and print alike, but TVM does not take them, and sums of them wrap around.
    """
    try:
        return int(operator.index(value))
    except TypeError:
        raise WorkloadError(f"{what} must be an integer, got {value!r}") from None
