"""The code of one model in several sizes: equal kernels and equal constants are in it once.

Each size is a Relax function and the kernels that it calls. Kernels are compiled as a size is added, and all
functions are linked to TVM's executable whenever that is asked for, which compiles nothing.

TVM has each kernel check the type, shape, strides and device of every tensor that it is given, which takes
LLVM about as long as the kernel. Here those check that are given a size's inputs; what others read and write
the program itself has allocated. What is compiled without these checks asserts nothing, so that kernels with
assertions of their own keep both.

Machine code is made while the network is still being lowered (``KernelCode``), or was made by an earlier
compile. Its key is a digest of all that it depends on: the kernel and its name, the target, how kernels
are built, and what builds them. LLVM works without Python's lock, beside the passes that go on. The kernels
that nobody announced, which are small and many, are compiled and kept in groups: LLVM begins anew with each.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import tvm
import tvm_ffi
from tvm import relax, tirx
from tvm.ir import GlobalVar
from tvm.relax import vm_build

from relay_strategies.relax.graph import make_constant
from relay_strategies.relax.kernels import NOT_OF_CALLS, asserts, calls_routines, kernels_of_inputs
from tvm_directconv.cache import Files
from tvm_directconv.locks import without_fork
from tvm_directconv.targets.target import CompileTarget
from tvm_directconv.temporary import temporary_file
from tvm_directconv.threads import core_count
from tvm_directconv.version import __version__
from tvm_directconv.workers import Workers, in_threads

from .loop_code import generate

METADATA_FUNCTION = "directconv_metadata"
ENTRY = "main"
FORMAT = 2
SYMBOL = "global_symbol"
CHECKS = "directconv.checks"
"""This attribute marks the kernels that check their arguments."""
MOST_GROUPS, LEAST_KERNELS = 8, 8
"""Kernels are compiled in at most so many groups at once, of at least so many kernels."""
SWITCH_SECONDS = 0.0005
"""A thread waits so long for another that is in Python, where a kernel's way to LLVM has many short steps."""

Named = tuple[str, tirx.PrimFunc]


@dataclass(frozen=True)
class Part:
    """The addition of one size: its module, which calls kernels by their names in the whole program, the name
    of its function, the compiled kernels that no part before it has, and those names by the module's own."""

    module: tvm.IRModule
    function: str
    libraries: tuple[Any, ...]
    symbols: Mapping[str, str]
    fresh: frozenset[str]
    """The symbols of its kernels that no part before it, and no other instruction set, has."""


@dataclass(frozen=True)
class Program:
    """The sizes so far. Adding one gives another program: a size that fails leaves nothing behind."""

    target: CompileTarget
    parts: tuple[Part, ...] = ()
    kernels: Mapping[int, tuple[tuple[str, tirx.PrimFunc], ...]] = field(default_factory=dict)
    """The kernels and their names, by structural hash."""
    names: frozenset[str] = frozenset({METADATA_FUNCTION})
    code: KernelCode | None = None
    """The source of the kernels' machine code; None: LLVM generates it when they first run."""
    suffix: str = ""
    """What symbols end in, which is another for each instruction set of a model."""

    def beside(self, target: CompileTarget, suffix: str, code: KernelCode | None) -> Program:
        """Return a program of another instruction set, which is linked with this one. It calls this one's
        kernels where they are equal, and code for this one runs on its CPUs with vectors as long."""
        alike = self.target.machine.vector_bits == target.machine.vector_bits
        kernels = self.kernels if alike and self.target.features <= target.features else {}
        return Program(target, kernels=kernels, names=self.names, code=code, suffix=suffix)

    def adding(self, module: tvm.IRModule) -> Program:
        """Return the program with the functions of a module that is ready for the virtual machine."""
        kernels, names = dict(self.kernels), set(self.names)
        renamed, fresh, symbols = module.clone(), set(), dict[str, str]()

        def unused(name: str) -> str:
            name = f"{name}_size{len(self.parts)}" if self.parts else name
            name += self.suffix
            while name in names:
                name += "_"
            names.add(name)
            return name

        function, checking = ENTRY, kernels_of_inputs(module)
        for var, body in module.functions_items():
            if isinstance(body, tirx.PrimFunc):
                bare = body.without_attr(SYMBOL).with_attr(CHECKS, var in checking or asserts(body))
                body = bare
                key = tvm_ffi.structural_hash(bare)
                known = kernels.get(key, ())
                found = [n for n, kernel in known if tvm_ffi.structural_equal(kernel, bare)]
                known_before = self.parts or self.suffix
                found = [n for n in found if n not in symbols.values()]  # inner functions may have it, too
                symbol = found[0] if known_before and found else unused(var.name_hint)
                if symbol not in self.names:
                    kernels[key] = (*known, (symbol, bare))
                    fresh.add(symbol)
            elif isinstance(body, relax.Function):
                symbol = unused(var.name_hint)
                function = symbol if var.name_hint == ENTRY else function
            else:
                continue
            symbols[str(var.name_hint)] = symbol
            renamed.update_func(var, body.with_attr(SYMBOL, symbol))
        renamed = relax.transform.NormalizeGlobalVar()(renamed)
        part = Part(renamed, function, self._compiled(renamed, fresh), symbols, frozenset(fresh))
        return replace(self, parts=(*self.parts, part), kernels=kernels, names=frozenset(names))

    def _compiled(self, module: tvm.IRModule, fresh: set[str]) -> tuple[Any, ...]:
        """The libraries of a module's kernels of these names, and those that came with the module."""
        attributes = dict(module.attrs) if module.attrs else {}
        given = attributes.get("external_mods", [])
        kernels = [
            (var.name_hint, body.without_attr(SYMBOL))
            for var, body in module.functions_items()
            if var.name_hint in fresh
        ]
        if self.code is not None and self.code.is_entered:
            return (*given, *self.code.libraries(kernels))
        current = tvm.transform.PassContext.current()
        return (*given, *in_threads(lambda group: built(group, self.target, current), groups(kernels)))


class KernelCode:
    """The kernels of one compilation, a context: what is still being made as it ends is let go. Sizes that
    are compiled later, when inputs ask for them, do without."""

    is_entered = False

    def __init__(self, target: CompileTarget, kept: Files) -> None:
        self._target, self._kept = target, kept
        self._context = tvm.transform.PassContext.current()
        self._started: dict[tuple[str, int], list[tuple[tirx.PrimFunc, Future[bytes]]]] = {}

    def __enter__(self) -> KernelCode:
        self._pool, self.is_entered = Workers(core_count()), True
        self._switching = sys.getswitchinterval()
        sys.setswitchinterval(min(SWITCH_SECONDS, self._switching))
        return self

    def __exit__(self, *_: object) -> None:
        sys.setswitchinterval(self._switching)
        self.is_entered = False
        self._pool.shutdown(cancel_futures=True)
        self._kept.trim()

    def start(self, name: str, kernel: tirx.PrimFunc) -> None:
        """Begin with a kernel that the network will have, as it seems, and that checks nothing."""
        if not self.is_entered:
            return
        kernel = kernel.with_attr(CHECKS, False)
        code = self._pool.submit(without_fork, self._made, ((name, kernel),))
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
        codes += [self._pool.submit(without_fork, self._made, tuple(group)) for group in groups(rest)]
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


def executable(target: CompileTarget, parts: Sequence[Part], metadata: bytes) -> relax.VMExecutable:
    """Return the functions of all parts, and one that returns ``metadata``, as TVM's executable."""
    constants: dict[str, Any] = {}
    for part in parts:
        attributes = dict(part.module.attrs) if part.module.attrs else {}
        constants.update(dict(attributes.get("const_name_to_constant", {})))
    libraries = [library for part in parts for library in part.libraries]
    return linked(target, modules(parts, metadata), libraries, constants)


def modules(parts: Sequence[Part], metadata: bytes) -> list[tvm.IRModule]:
    """Return the modules with the functions of all parts, and that with one that returns ``metadata``."""
    return [*(part.module for part in parts), _returning(metadata)]


def linked(
    target: CompileTarget,
    modules: Iterable[tvm.IRModule],
    libraries: Sequence[Any],
    constants: Mapping[str, Any] | None = None,
) -> relax.VMExecutable:
    """Return the Relax functions of all modules with the libraries whose kernels they call."""
    builder = relax.ExecBuilder()
    for module in modules:
        generate(builder, module)
    # TVM's own _vmlink puts a C source before the libraries, for which the first run starts a C compiler.
    first, *others = libraries or [tirx.build(tvm.IRModule(), target=target.tvm_target)]
    return relax.VMExecutable(
        vm_build._ffi_api.VMLink(builder, target.tvm_target, first, others, dict(constants or {}))
    )


def context_as_written(context: tvm.transform.PassContext) -> list[Any]:
    """Return what a context says, as JSON."""
    config = sorted((str(option), str(value)) for option, value in context.config.items())
    passes = list(map(str, [*context.required_pass, "-", *context.disabled_pass]))
    return [int(context.opt_level), config, passes]


def groups(kernels: Iterable[Named]) -> list[list[Named]]:
    """Return kernels in groups to be compiled at once, each of kernels that are built alike."""
    ordered, found = sorted(kernels, key=lambda named: named[0]), []
    for build in itertools.product((True, False), repeat=2):
        alike = [
            named for named in ordered if (bool(named[1].attrs[CHECKS]), calls_routines(named[1])) == build
        ]
        # As many groups on every machine, so that equal models are equal code.
        count = min(MOST_GROUPS, -(-len(alike) // LEAST_KERNELS))
        found += [alike[number::count] for number in range(count)]
    return found


def built(kernels: Sequence[Named], target: CompileTarget, current: tvm.transform.PassContext) -> Any:
    """Return TVM's module of a group of kernels, as the context would have them built."""
    symbols = {GlobalVar(name): kernel.with_attr(SYMBOL, name) for name, kernel in kernels}
    with build_context(current, bool(kernels[0][1].attrs[CHECKS]), calls_routines(kernels[0][1])):
        return tirx.build(tvm.IRModule(symbols), target=target.tvm_target)


def build_context(
    current: tvm.transform.PassContext, checks: bool, is_calls: bool = False
) -> tvm.transform.PassContext:
    """Return the current context, in which kernels check their arguments or do not, without passes that do
    nothing for calls of generated routines where kernels are such calls."""
    config = dict(current.config) if checks else {**current.config, "tirx.disable_assert": True}
    disabled = [*current.disabled_pass, *(NOT_OF_CALLS if is_calls else ())]
    return tvm.transform.PassContext(
        current.opt_level, current.required_pass, disabled, current.instruments, config
    )


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


def _returning(data: bytes) -> tvm.IRModule:
    """A module with a function that returns ``data`` as a tensor of bytes."""
    builder = relax.BlockBuilder()
    with builder.function(METADATA_FUNCTION, []):
        builder.emit_func_output(make_constant(np.frombuffer(data, np.uint8)))
    function = builder.get()[METADATA_FUNCTION].with_attr(SYMBOL, METADATA_FUNCTION)
    return tvm.IRModule({GlobalVar(METADATA_FUNCTION): function})
