"""The code of one model in several sizes: equal kernels and equal constants are in it once.

Each size is a Relax function and the kernels that it calls. Kernels are compiled as a size is added, and all
functions are linked to TVM's executable whenever that is asked for, which compiles nothing.

TVM has each kernel check the type, shape, strides and device of every tensor that it is given, which takes
LLVM about as long as the kernel. Here those check that are given a size's inputs; what others read and write
the program itself has allocated. What is compiled without these checks asserts nothing, so that kernels with
assertions of their own keep both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import tvm
import tvm_ffi
from tvm import relax, tirx
from tvm.ir import GlobalVar
from tvm.relax import vm_build

from relay_strategies.relax.graph import make_constant
from relay_strategies.relax.kernels import asserts, kernels_of_inputs
from tvm_directconv.targets.target import CompileTarget
from tvm_directconv.threads import in_threads

from .kernel_code import CHECKS, SYMBOL, KernelCode, built, groups

METADATA_FUNCTION = "directconv_metadata"
ENTRY = "main"


@dataclass(frozen=True)
class Part:
    """The addition of one size: its module, which calls kernels by their names in the whole program, the name
    of its function, and the compiled kernels that no part before it has."""

    module: tvm.IRModule
    function: str
    libraries: tuple[Any, ...]


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

    def adding(self, module: tvm.IRModule) -> Program:
        """Return the program with the functions of a module that is ready for the virtual machine."""
        kernels, names = dict(self.kernels), set(self.names)
        renamed, fresh = module.clone(), set()

        def unused(name: str) -> str:
            name = f"{name}_size{len(self.parts)}" if self.parts else name
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
                symbol = found[0] if self.parts and found else unused(var.name_hint)
                if symbol not in self.names:
                    kernels[key] = (*known, (symbol, bare))
                    fresh.add(symbol)
            elif isinstance(body, relax.Function):
                symbol = unused(var.name_hint)
                function = symbol if var.name_hint == ENTRY else function
            else:
                continue
            renamed.update_func(var, body.with_attr(SYMBOL, symbol))
        renamed = relax.transform.NormalizeGlobalVar()(renamed)
        part = Part(renamed, function, self._compiled(renamed, fresh))
        return Program(self.target, (*self.parts, part), kernels, frozenset(names), self.code)

    def executable(self, metadata: bytes) -> relax.VMExecutable:
        """Return all sizes' functions, and one that returns ``metadata``, as TVM's executable."""
        constants: dict[str, Any] = {}
        for part in self.parts:
            attributes = dict(part.module.attrs) if part.module.attrs else {}
            constants.update(dict(attributes.get("const_name_to_constant", {})))
        return linked(self.target, self.modules(metadata), self.libraries, constants)

    @property
    def libraries(self) -> list[Any]:
        """The compiled kernels of all sizes."""
        return [library for part in self.parts for library in part.libraries]

    def modules(self, metadata: bytes) -> list[tvm.IRModule]:
        """Return the modules with all sizes' functions, and that with one that returns ``metadata``."""
        return [*(part.module for part in self.parts), _returning(metadata)]

    def _compiled(self, module: tvm.IRModule, fresh: set[str]) -> tuple[Any, ...]:
        """The libraries of a module's kernels of these names, and those that came with the module."""
        attributes = dict(module.attrs) if module.attrs else {}
        given = attributes.get("external_mods", [])
        kernels = [
            (var.name_hint, body.without_attr(SYMBOL))
            for var, body in module.functions_items()
            if var.name_hint in fresh
        ]
        if self.code is not None:
            return (*given, *self.code.libraries(kernels))
        current = tvm.transform.PassContext.current()
        return (*given, *in_threads(lambda group: built(group, self.target, current), groups(kernels)))


def linked(
    target: CompileTarget,
    modules: Iterable[tvm.IRModule],
    libraries: Sequence[Any],
    constants: Mapping[str, Any] | None = None,
) -> relax.VMExecutable:
    """Return the Relax functions of all modules with the libraries whose kernels they call."""
    builder = relax.ExecBuilder()
    for module in modules:
        vm_build._vmcodegen(builder, module)
    # TVM's own _vmlink puts a C source before the libraries, for which the first run starts a C compiler.
    first, *others = libraries or [tirx.build(tvm.IRModule(), target=target.tvm_target)]
    return relax.VMExecutable(
        vm_build._ffi_api.VMLink(builder, target.tvm_target, first, others, dict(constants or {}))
    )


def _returning(data: bytes) -> tvm.IRModule:
    """A module with a function that returns ``data`` as a tensor of bytes."""
    builder = relax.BlockBuilder()
    with builder.function(METADATA_FUNCTION, []):
        builder.emit_func_output(make_constant(np.frombuffer(data, np.uint8)))
    function = builder.get()[METADATA_FUNCTION].with_attr(SYMBOL, METADATA_FUNCTION)
    return tvm.IRModule({GlobalVar(METADATA_FUNCTION): function})
