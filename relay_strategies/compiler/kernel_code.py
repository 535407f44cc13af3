"""Machine code of single kernels: made while their network is still being lowered, or by an earlier compile.

A kernel's key is a digest of all that its code depends on: the kernel and its name, the target, how kernels
are built, and what builds them. LLVM works without Python's lock, beside the passes that go on.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import tvm
import tvm_ffi
from tvm import tirx
from tvm.ir import GlobalVar

from tvm_directconv.cache import Files
from tvm_directconv.targets.target import CompileTarget
from tvm_directconv.threads import core_count
from tvm_directconv.version import __version__

FORMAT = 1
SYMBOL = "global_symbol"
CHECKS = "directconv.checks"
"""This attribute marks the kernels that check their arguments."""
SWITCH_SECONDS = 0.0005
"""A thread waits so long for another that is in Python, where a kernel's way to LLVM has many short steps."""


class KernelCode:
    """The kernels of one compilation, a context: what is still being made as it ends is let go."""

    def __init__(self, target: CompileTarget, kept: Files) -> None:
        self._target, self._kept = target, kept
        self._context = tvm.transform.PassContext.current()
        self._started: dict[tuple[str, int], list[tuple[tirx.PrimFunc, Future[bytes]]]] = {}

    def __enter__(self) -> KernelCode:
        self._pool = ThreadPoolExecutor(core_count())
        self._switching = sys.getswitchinterval()
        sys.setswitchinterval(min(SWITCH_SECONDS, self._switching))
        return self

    def __exit__(self, *_: object) -> None:
        sys.setswitchinterval(self._switching)
        self._pool.shutdown(cancel_futures=True)
        self._kept.trim()

    def start(self, name: str, kernel: tirx.PrimFunc) -> None:
        """Begin with a kernel that the network will have, as it seems, and that checks nothing."""
        self._code(name, kernel.with_attr(CHECKS, False))

    def libraries(self, kernels: Iterable[tuple[str, tirx.PrimFunc]]) -> list[Any]:
        """Return TVM's modules of the code of kernels with these names, in order; those that check their
        arguments say so by their attribute."""
        codes = [self._code(name, kernel) for name, kernel in kernels]
        return [static_library(code.result()) for code in codes]

    def _code(self, name: str, kernel: tirx.PrimFunc) -> Future[bytes]:
        alike = self._started.setdefault((name, tvm_ffi.structural_hash(kernel)), [])
        for known, code in alike:
            if tvm_ffi.structural_equal(known, kernel):
                return code
        code = self._pool.submit(self._made, name, kernel)
        alike.append((kernel, code))
        return code

    def _made(self, name: str, kernel: tirx.PrimFunc) -> bytes:
        key = self._key(name, kernel)
        code = self._kept.get(key)
        if code is None:
            with build_context(self._context, bool(kernel.attrs[CHECKS])):
                module = tvm.IRModule({GlobalVar(name): kernel.with_attr(SYMBOL, name)})
                code = object_code(tirx.build(module, target=self._target.tvm_target))
            self._kept.put(key, code)
        return code

    def _key(self, name: str, kernel: tirx.PrimFunc) -> str:
        config = sorted((str(option), str(value)) for option, value in self._context.config.items())
        passes = list(map(str, [*self._context.required_pass, "-", *self._context.disabled_pass]))
        versions = [FORMAT, __version__, tvm.__version__, tvm_ffi.__version__]
        target = str(self._target.tvm_target)
        described = [
            versions,
            target,
            self._context.opt_level,
            config,
            passes,
            name,
            tvm.ir.save_json(kernel),
        ]
        return hashlib.sha256(json.dumps(described).encode()).hexdigest()


def build_context(current: tvm.transform.PassContext, checks: bool) -> tvm.transform.PassContext:
    """Return the current context, in which kernels check their arguments or do not."""
    config = dict(current.config) if checks else {**current.config, "tirx.disable_assert": True}
    passes = current.required_pass, current.disabled_pass
    return tvm.transform.PassContext(current.opt_level, *passes, current.instruments, config)


def object_code(library: Any) -> bytes:
    """Return the object file of a module's code."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernels.o"
        library.write_to_file(str(path), "o")
        return path.read_bytes()


def static_library(code: bytes) -> Any:
    """Return TVM's module of an object file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernels.o"
        path.write_bytes(code)
        return tvm.runtime.load_static_library(str(path), [])
