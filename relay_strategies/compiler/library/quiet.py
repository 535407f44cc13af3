"""TVM's warnings "Scope ..." dropped: it writes one per constant as it saves or loads a model that has run.

They go straight to the process's standard error, so that this is redirected meanwhile. Nothing that can end
the process belongs inside, such as LLVM's code generation: what was said last would be lost.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from tvm_directconv.turns import STDERR, stderr_into


@contextmanager
def without_scope_warnings() -> Iterator[None]:
    """Drop those lines, and write all others when the block ends."""
    with tempfile.TemporaryFile() as said:
        try:
            with stderr_into(said):
                yield
        finally:
            said.seek(0)
            for line in said:
                if b"Warning: Scope" not in line:
                    os.write(STDERR, line)
