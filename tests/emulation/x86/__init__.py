"""x86 kernels interpreted, for hosts that lack their instructions: AVX-512, VNNI, half precision, AMX.

qemu's user mode knows none of them. Bochs does, but boots whole systems from disk images; Unicorn's x86 is
qemu's of 2018; Intel's SDE is in no package registry. What emitters write is a few dozen instructions in
AT&T's syntax, so each of them is here as a few lines of numpy (``vectors``, ``tiles``, ``general``), run by a
``machine`` with registers and memory.

Stricter than a CPU: reading or writing outside of the operands fails, and so do masked-out lanes that are
touched, registers that a kernel writes without saying so to LLVM, and a stack pointer that is not put back.
Results are those of a CPU to the bit, but for which NaN of two is kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from . import general, tiles, vectors
from .machine import Machine, Program

ASM = re.compile(r'asm sideeffect "([^"]*)", "([^"]*)"')
DECODERS = {**general.DECODERS, **vectors.DECODERS, **tiles.DECODERS}


def interpret(
    llvm_ir: str, operands: Sequence[np.ndarray], taps: int, distances: Sequence[int] = ()
) -> list[np.ndarray]:
    """What the kernel in LLVM IR leaves in its operands (c, a, b, bias, residual), which stay as they are.
    ``distances`` are what it leaves open. What it fetches ahead is b."""
    machine = Machine()
    addresses = [machine.memory.place(array) for array in operands]
    execute(machine, llvm_ir, [*addresses, taps, *distances, addresses[2]])
    return [machine.memory.array(at, array) for at, array in zip(addresses, operands, strict=True)]


def execute(machine: Machine, llvm_ir: str, arguments: Sequence[int] = ()) -> None:
    """Run each line of inline assembly in order: what enters a thread's state, a kernel, what leaves it. The
    arguments are those of a kernel."""
    for template, constraints in ASM.findall(llvm_ir):
        outputs = re.findall(r"=\{(\w+)\}", constraints)
        machine.general.update(zip(outputs, arguments, strict=False))
        allowed = {*outputs, *re.findall(r"~\{(\w+)\}", constraints)}
        with np.errstate(all="ignore"):
            machine.run(Program(template.replace("$$", "$").split("\\0A\\09")), DECODERS, allowed)
