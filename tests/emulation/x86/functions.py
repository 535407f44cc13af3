"""Whole functions for an x86 CPU that the host is not: the host runs what is around kernels, and calls the
interpreter for these, on the memory that it gives them. One thread at a time."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from intrinsics import registry
from intrinsics.emit.asm import INTEGERS, declared
from intrinsics.isa import ISAS
from intrinsics.microkernel import KernelInstance

from . import ASM, execute
from .machine import Machine, Memory

TILE_PRODUCTS = "products of tiles"


class HostMemory(Memory):
    """All of the process, unchecked."""

    def place(self, array: np.ndarray) -> int:
        data = np.ascontiguousarray(array).reshape(-1).view(np.uint8).copy()
        self._spaces.append((data.ctypes.data, data))
        return data.ctypes.data

    def bytes(self, address: int, size: int) -> np.ndarray:
        return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))


@contextmanager
def kernels_interpreted() -> Iterator[Counter[str]]:
    """Functions scheduled meanwhile call the interpreter for every kernel that is assembly, and are to be
    compiled for the host, and run, before the end. Counts the calls of each routine, and TILE_PRODUCTS."""
    machine, emit_named = Machine(memory=HostMemory()), registry.emit_named
    counts: Counter[str] = Counter()
    errors: list[Exception] = []
    kept: list[object] = []

    def routine(name: str, code: str, parameters: tuple[str, ...]) -> str:
        types = [ctypes.c_int64 if parameter in INTEGERS else ctypes.c_void_p for parameter in parameters]

        def called(*arguments: int | None) -> int:
            counts[name] += 1
            before = machine.tile_products
            try:
                execute(machine, code, [argument or 0 for argument in arguments])
            except Exception as error:
                errors.append(error)
            counts[TILE_PRODUCTS] += machine.tile_products - before
            return 0

        function = ctypes.CFUNCTYPE(ctypes.c_int32, *types)(called)
        kept.append(function)
        address = ctypes.cast(function, ctypes.c_void_p).value
        given = ", ".join(map(declared, parameters))
        call = f"call i32 inttoptr (i64 {address} to ptr)({given})"
        return f"define i32 @{name}({given}) alwaysinline {{\n  %r = {call}\n  ret i32 %r\n}}\n"

    def interpreted(name: str) -> str:
        for setup in filter(None, (isa.thread_setup for isa in ISAS.values())):
            if name in (setup.entering, setup.leaving):
                return routine(setup.entering, "\n".join(setup.enter), ()) + routine(
                    setup.leaving, "\n".join(setup.leave), ()
                )
        code = emit_named(name)
        return routine(name, code, KernelInstance.parse(name).parameters) if ASM.search(code) else code

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "emit_named", _once(interpreted))
        yield counts
    if errors:
        raise errors[0]


def _once(make: Callable[[str], str]) -> Callable[[str], str]:
    """With the same text for the same name, and for the two routines of one text."""
    known: dict[str, str] = {}

    def made(name: str) -> str:
        text = next((text for text in known.values() if f"@{name}(" in text), None)
        return known.setdefault(name, text or make(name))

    return made
