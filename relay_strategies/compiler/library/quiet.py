"""Drop TVM's warnings "Scope ...", one per constant when it saves or loads a model that has run.

TVM writes them to the process's standard error, so that this is redirected meanwhile. Nothing that can end
the process belongs inside, such as LLVM's code generation: what was said last would be lost.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from tvm_directconv.locks import STDERR, with_stderr_into
from tvm_directconv.temporary import temporary_file

Result = TypeVar("Result")


def without_scope_warnings(function: Callable[[], Result]) -> Result:
    """Call a function, drop those lines, and write all others when it ends."""
    with temporary_file() as path, path.open("w+b") as said:
        try:
            return with_stderr_into(said, function)
        finally:
            said.seek(0)
            for line in said:
                if b"Warning: Scope" not in line:
                    os.write(STDERR, line)
