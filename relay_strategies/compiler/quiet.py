"""TVM's warnings "Scope ..." dropped: it writes one per constant as it saves or loads a model that has run.

They go straight to the process's standard error, so that this is redirected meanwhile. Nothing that can end
the process belongs inside, such as LLVM's code generation: what was said last would be lost.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_scope_warnings() -> Iterator[None]:
    """Drop those lines, and write all others when the block ends."""
    with tempfile.TemporaryFile() as said:
        sys.stderr.flush()
        stderr = os.dup(2)
        os.dup2(said.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)
            said.seek(0)
            for line in said:
                if b"Warning: Scope" not in line:
                    os.write(2, line)
