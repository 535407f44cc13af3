"""The architectures whose assembly is known: how lines become instructions, and where
code begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from intrinsics.emit.asm import AHEAD, LINE, PARAMETERS, STEP
from intrinsics.instruction_set import ANY_ARCH

from .arm_machine import ArmDecoder
from .arm_operands import GENERAL as ARM_GENERAL
from .arm_operands import LANES as ARM_LANES
from .arm_operands import VECTORS as ARM_VECTORS
from .ir_machine import IrDecoder
from .memory import Memory
from .power_machine import PowerDecoder
from .power_operands import ACCUMULATORS
from .power_operands import GENERAL as POWER_GENERAL
from .power_operands import VECTORS as POWER_VECTORS
from .riscv_machine import RiscvDecoder
from .riscv_operands import GENERAL as RISCV_GENERAL
from .riscv_operands import SCALARS as RISCV_SCALARS
from .riscv_operands import VECTORS as RISCV_VECTORS
from .state import Instruction, State
from .term_arithmetic import TermArithmetic
from .terms import Terms
from .x86_machine import X86Decoder
from .x86_operands import LANES
from .x86_text import GENERAL, Text
from .x86_tiles import ROWS as TILE_ROWS
from .x86_tiles import TILES

POWER_RED_ZONE = 288
RED_ZONE = 128
"""Code around inline assembly may keep so many bytes below the stack pointer (System V's ABI, and Apple's of
Arm)."""


@dataclass(frozen=True)
class Architecture:
    """What a proof needs of an architecture."""

    program: Callable[[Terms, TermArithmetic, Memory, Sequence[str]], list[Instruction]]
    """Makes instructions of lines."""
    state: Callable[[Terms], State]
    """Makes the state before the first line, in which nothing is known but the stack pointer."""
    is_declared: Callable[[str, frozenset[str]], bool]
    """Whether a register that is written is among those that LLVM knows to be."""
    red_zone: int = 0
    """Bytes below the stack pointer that belong to the code around."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """LLVM's names of registers that assembly calls otherwise."""


def _x86_program(terms: Terms, op: TermArithmetic, memory: Memory, lines: Sequence[str]) -> list[Instruction]:
    return X86Decoder(terms, op, memory, Text(lines)).program()


def _x86_state(terms: Terms) -> State:
    general = {name: terms.symbol(f"in.{name}") for name, (whole, _) in GENERAL.items() if name == whole}
    del general["rsp"]
    state = initial_state(terms, general, [f"mm{i}" for i in range(32)], LANES, [f"k{i}" for i in range(8)])
    for name in TILES:
        state.vectors[name] = (terms.unknown(),) * (TILE_ROWS * LANES)
    return state


def initial_state(
    terms: Terms, general: Mapping[str, object], vectors: Sequence[str], lanes: int, masks: Sequence[str] = ()
) -> State:
    """Return a state whose registers hold what nothing is known of."""
    undefined = {name: tuple(terms.make("undef", name, i) for i in range(lanes)) for name in vectors}
    return State({**general, "sp": terms.symbol("sp")}, undefined, dict.fromkeys(masks))


def _x86_declared(name: str, declared: frozenset[str]) -> bool:
    if name == "sp":
        return True  # that it is put back is seen in the end
    if name.startswith("mm"):
        return any(width + name in declared for width in "xyz")
    return name in declared


def _arm_program(terms: Terms, op: TermArithmetic, memory: Memory, lines: Sequence[str]) -> list[Instruction]:
    return ArmDecoder(terms, op, memory, Text(lines, "//")).program()


def _arm_state(terms: Terms) -> State:
    general = {name: terms.symbol(f"in.{name}") for name in ARM_GENERAL}
    return initial_state(terms, general, ARM_VECTORS, ARM_LANES)


def _is_among(name: str, declared: frozenset[str]) -> bool:
    return name == "sp" or name in declared


def _power_program(
    terms: Terms, op: TermArithmetic, memory: Memory, lines: Sequence[str]
) -> list[Instruction]:
    return PowerDecoder(terms, op, memory, Text(lines)).program()


def _power_state(terms: Terms) -> State:
    general = {name: terms.symbol(f"in.{name}") for name in POWER_GENERAL}
    vectors = (*POWER_VECTORS, *ACCUMULATORS)
    return initial_state(terms, general, vectors, ARM_LANES)


def _power_declared(name: str, declared: frozenset[str]) -> bool:
    return name == "sp" or name.startswith("acc") or name in declared


def _riscv_program(
    terms: Terms, op: TermArithmetic, memory: Memory, lines: Sequence[str]
) -> list[Instruction]:
    return RiscvDecoder(terms, op, memory, Text(lines)).program()


def _riscv_state(terms: Terms) -> State:
    general = {name: terms.symbol(f"in.{name}") for name in RISCV_GENERAL}
    return initial_state(terms, general, (*RISCV_VECTORS, *RISCV_SCALARS, *RISCV_GENERAL), 1)


def _ir_program(terms: Terms, op: TermArithmetic, memory: Memory, lines: Sequence[str]) -> list[Instruction]:
    return IrDecoder(terms, op, memory, Text(lines, ";")).program()


def _ir_state(terms: Terms) -> State:
    general = {f"%{name}": terms.symbol(f"in.{name}") for name in (*PARAMETERS, STEP, LINE, AHEAD)}
    return initial_state(terms, general, (), 0)


def _is_own(name: str, declared: frozenset[str]) -> bool:
    """Whether it may be written: names of LLVM IR are the function's own."""
    return True


ARCHITECTURES = {
    ANY_ARCH: Architecture(_ir_program, _ir_state, _is_own),
    "x86_64": Architecture(_x86_program, _x86_state, _x86_declared, RED_ZONE),
    "powerpc64le": Architecture(_power_program, _power_state, _power_declared, POWER_RED_ZONE),
    "riscv64": Architecture(_riscv_program, _riscv_state, _is_among),
    "aarch64": Architecture(_arm_program, _arm_state, _is_among, RED_ZONE, {"lr": "x30"}),
}
"""Architectures by LLVM's names."""
