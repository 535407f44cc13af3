"""Instructions on general registers and masks, jumps, and what has no effect."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

from .machine import LOW_BITS, Decoder, Machine, Operand, Step

OLD_NAMES = {f"e{name}": f"r{name}" for name in ("ax", "bx", "cx", "dx", "si", "di", "bp")}
ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "shl": operator.lshift,
    "shr": operator.rshift,
    "imul": operator.mul,
}


def register_of(operand: Operand) -> tuple[str, int]:
    """A general register's 64-bit name, and how many of its bits an operand is."""
    name = operand.text.removeprefix("%")
    if name in OLD_NAMES:
        return OLD_NAMES[name], 32
    return (name[:-1], 32) if name.endswith("d") else (name, 64)


def reader(machine: Machine, operand: Operand, bits: int) -> Callable[[], int]:
    """What reads a number from an immediate, a register or memory."""
    if operand.text.startswith("$"):
        value = operand.immediate & ((1 << bits) - 1)
        return lambda: value
    if operand.is_memory:
        address, memory = machine.address(operand), machine.memory
        return lambda: int.from_bytes(memory.bytes(address(), bits // 8).tobytes(), "little")
    name, width = register_of(operand)
    keep = (1 << min(width, bits)) - 1
    return lambda: machine.general[name] & keep


def decode_arithmetic(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    *sources, target = operands
    name, bits = register_of(target)
    read, compute, keep = reader(machine, sources[0], bits), ARITHMETIC[mnemonic], (1 << bits) - 1
    machine.writes(name) if name != "rsp" else None

    def step() -> None:
        result = compute(machine.general[name] & keep, read()) & keep
        machine.general[name], machine.zero = result, result == 0

    return step


def decode_dec(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    return decode_arithmetic(machine, "sub", [Operand("$1"), *operands], at)


def decode_test(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    name, bits = register_of(operands[1])
    read = reader(machine, operands[0], bits)

    def step() -> None:
        machine.zero = read() & machine.general[name] == 0

    return step


def decode_move(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    source, target = operands
    bits = {"movzbl": 8, "movzwl": 16}.get(mnemonic)
    if target.is_memory:
        name, width = register_of(source)
        address = machine.address(target)

        def store() -> None:
            value = machine.general[name] & LOW_BITS & ((1 << width) - 1)
            machine.memory.bytes(address(), width // 8)[:] = list(value.to_bytes(width // 8, "little"))

        return store
    name, width = register_of(target)
    read = reader(machine, source, bits or width)
    machine.writes(name) if name != "rsp" else None

    def step() -> None:
        machine.general[name] = read()

    return step


def decode_address(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    address, (name, _) = machine.address(operands[0]), register_of(operands[1])
    machine.writes(name)

    def step() -> None:
        machine.general[name] = address() & LOW_BITS

    return step


def decode_mask(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    bits = {"b": 8, "w": 16, "d": 32, "q": 64}[mnemonic[-1]]
    read, number = reader(machine, operands[0], bits), int(operands[1].text.removeprefix("%k"))
    machine.writes(f"k{number}")

    def step() -> None:
        machine.masks[number] = read()

    return step


def decode_jump(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    to = machine.program.target(operands[0].text, at)
    if mnemonic == "jmp":
        return lambda: to
    wanted = mnemonic == "jz"
    return lambda: to if machine.zero == wanted else None


def decode_nothing(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    return lambda: None


DECODERS: dict[str, Decoder] = {
    **dict.fromkeys(ARITHMETIC, decode_arithmetic),
    **dict.fromkeys(("mov", "movzbl", "movzwl"), decode_move),
    **dict.fromkeys(("kmovb", "kmovw", "kmovd", "kmovq"), decode_mask),
    **dict.fromkeys(("jmp", "jz", "jnz"), decode_jump),
    **dict.fromkeys(("prefetcht1", "prefetcht0"), decode_nothing),
    "dec": decode_dec,
    "test": decode_test,
    "lea": decode_address,
}
