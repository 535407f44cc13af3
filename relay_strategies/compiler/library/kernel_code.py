"""Machine code of single kernels: made while their network is still being lowered, or by an earlier compile.

A kernel's key is a digest of all that its code depends on: the kernel and its name, the target, how kernels
are built, and what builds them. LLVM works without Python's lock, beside the passes that go on. The kernels
that nobody announced, which are small and many, are compiled and kept in groups: LLVM begins anew with each.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from typing import Any

import tvm
import tvm_ffi
from tvm import tirx
from tvm.ir import GlobalVar

from tvm_directconv.cache import Files
from tvm_directconv.targets.target import CompileTarget
from tvm_directconv.temporary import temporary_file
from tvm_directconv.threads import Workers, core_count
from tvm_directconv.turns import whole
from tvm_directconv.version import __version__

FORMAT = 1
SYMBOL = "global_symbol"
CHECKS = "directconv.checks"
"""This attribute marks the kernels that check their arguments."""
MOST_GROUPS, LEAST_KERNELS = 8, 8
"""Kernels are compiled in at most so many groups at once, of at least so many kernels."""
SWITCH_SECONDS = 0.0005
"""A thread waits so long for another that is in Python, where a kernel's way to LLVM has many short steps."""


Named = tuple[str, tirx.PrimFunc]


class KernelCode:
    """The kernels of one compilation, a context: what is still being made as it ends is let go."""

    def __init__(self, target: CompileTarget, kept: Files) -> None:
        self._target, self._kept = target, kept
        self._context = tvm.transform.PassContext.current()
        self._started: dict[tuple[str, int], list[tuple[tirx.PrimFunc, Future[bytes]]]] = {}

    def __enter__(self) -> KernelCode:
        self._pool = Workers(core_count())
        self._switching = sys.getswitchinterval()
        sys.setswitchinterval(min(SWITCH_SECONDS, self._switching))
        return self

    def __exit__(self, *_: object) -> None:
        sys.setswitchinterval(self._switching)
        self._pool.shutdown(cancel_futures=True)
        self._kept.trim()

    def start(self, name: str, kernel: tirx.PrimFunc) -> None:
        """Begin with a kernel that the network will have, as it seems, and that checks nothing."""
        kernel = kernel.with_attr(CHECKS, False)
        code = self._pool.submit(whole, self._made, ((name, kernel),))
        self._started.setdefault((name, tvm_ffi.structural_hash(kernel)), []).append((kernel, code))

    def libraries(self, kernels: Iterable[Named]) -> list[Any]:
        """Return TVM's modules of the code of kernels with these names, in an order of their own; those that
        check their arguments say so by their attribute."""
        codes, rest = [], []
        for name, kernel in kernels:
            code = self._found(name, kernel)
            if code is None:
                rest.append((name, kernel))
            else:
                codes.append(code)
        codes += [self._pool.submit(whole, self._made, tuple(group)) for group in groups(rest)]
        return [static_library(code.result()) for code in codes]

    def _found(self, name: str, kernel: tirx.PrimFunc) -> Future[bytes] | None:
        for known, code in self._started.get((name, tvm_ffi.structural_hash(kernel)), ()):
            if tvm_ffi.structural_equal(known, kernel):
                return code
        return None

    def _made(self, kernels: tuple[Named, ...]) -> bytes:
        key = self._key(kernels)
        code = self._kept.get(key)
        if code is None:
            code = object_code(built(kernels, self._target, self._context))
            self._kept.put(key, code)
        return code

    def _key(self, kernels: tuple[Named, ...]) -> str:
        versions = [FORMAT, __version__, tvm.__version__, tvm_ffi.__version__]
        build = [str(self._target.tvm_target), *context_as_written(self._context)]
        described = [versions, build, [[name, tvm.ir.save_json(kernel)] for name, kernel in kernels]]
        return hashlib.sha256(json.dumps(described).encode()).hexdigest()


def context_as_written(context: tvm.transform.PassContext) -> list[Any]:
    """Return what a context says, as JSON."""
    config = sorted((str(option), str(value)) for option, value in context.config.items())
    passes = list(map(str, [*context.required_pass, "-", *context.disabled_pass]))
    return [int(context.opt_level), config, passes]


def groups(kernels: Iterable[Named]) -> list[list[Named]]:
    """Return kernels in groups to be compiled at once, each of kernels that check their arguments, or of such
    that do not."""
    ordered, found = sorted(kernels, key=lambda named: named[0]), []
    for checks in (True, False):
        alike = [named for named in ordered if bool(named[1].attrs[CHECKS]) == checks]
        # As many groups on every machine, so that equal models are equal code.
        count = min(MOST_GROUPS, -(-len(alike) // LEAST_KERNELS))
        found += [alike[number::count] for number in range(count)]
    return found


def built(kernels: Sequence[Named], target: CompileTarget, current: tvm.transform.PassContext) -> Any:
    """Return TVM's module of a group of kernels, as the context would have them built."""
    symbols = {GlobalVar(name): kernel.with_attr(SYMBOL, name) for name, kernel in kernels}
    with build_context(current, bool(kernels[0][1].attrs[CHECKS])):
        return tirx.build(tvm.IRModule(symbols), target=target.tvm_target)


def build_context(current: tvm.transform.PassContext, checks: bool) -> tvm.transform.PassContext:
    """Return the current context, in which kernels check their arguments or do not."""
    config = dict(current.config) if checks else {**current.config, "tirx.disable_assert": True}
    passes = current.required_pass, current.disabled_pass
    return tvm.transform.PassContext(current.opt_level, *passes, current.instruments, config)


def object_code(library: Any) -> bytes:
    """Return the object file of a module's code."""
    with temporary_file() as path:
        library.write_to_file(str(path), "o")
        return path.read_bytes()


def static_library(code: bytes) -> Any:
    """Return TVM's module of an object file."""
    with temporary_file() as path:
        path.write_bytes(code)
        return tvm.runtime.load_static_library(str(path), [])
