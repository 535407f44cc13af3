"""x86's instructions on general registers and masks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from .memory import known_address
from .state import Data, Instruction, State
from .terms import WORD, Affine, NotCovered, Refutation
from .x86_text import X86Operand

if TYPE_CHECKING:
    from .x86_operands import X86Operands

MOVES = {"mov": 0, "movq": 64, "movl": 32, "movabs": 64, "movabsq": 64}
ZERO_EXTENDING = {"movzbl": 1, "movzwl": 2}
MASKS = {"kmovb": 8, "kmovw": 16, "kmovd": 32, "kmovq": 64}
PREFETCHES = ("prefetcht0", "prefetcht1", "prefetcht2", "prefetchnta")
FRAME_ALIGNMENT = 64


def decode_scalar_instruction(
    of: X86Operands, mnemonic: str, operands: Sequence[X86Operand]
) -> Instruction | None:
    """Return the instruction; None for others."""
    if any(o.mask or o.zeroing or o.repeated for o in operands):
        return None
    if mnemonic in MOVES:
        return _move(of, operands)
    if mnemonic in ZERO_EXTENDING:
        return _load_narrow(of, ZERO_EXTENDING[mnemonic], operands)
    if mnemonic in MASKS:
        return _mask(of, MASKS[mnemonic], operands)
    if mnemonic in PREFETCHES:
        return _prefetch(of, operands)
    if mnemonic == "lea":
        source, target = operands
        assert source.memory and source.memory.base != "rip" and target.bits == 64
        return _writing(target, of.address(source.memory))
    plain = (
        mnemonic[:-1]
        if mnemonic[:-1] in ("add", "sub", "dec", "inc", "test", "shl", "shr", "and", "or", "xor")
        and mnemonic[-1] in "ql"
        else mnemonic
    )
    if plain in ("dec", "inc"):
        return _arithmetic(of, "add", [X86Operand("", immediate=1 if plain == "inc" else -1), *operands])
    if plain in ("add", "sub", "and", "or", "xor", "shl", "shr"):
        return _arithmetic(of, plain, operands)
    if plain == "test":
        return _test(operands)
    return None


def _writing(target: X86Operand, value: Callable[[State], object]) -> Instruction:
    name = _name(target)

    def step(state: State) -> None:
        state.general[name] = value(state)

    return Instruction(0, "", step, (name,), scalar=True)


def _name(operand: X86Operand) -> str:
    assert operand.general
    return "sp" if operand.general == "rsp" else operand.general


def _move(of: X86Operands, operands: Sequence[X86Operand]) -> Instruction:
    source, target = operands
    if target.memory:
        name, address = _name(source), of.address(target.memory)
        assert source.bits == 64
        return Instruction(
            0, "", lambda s: of.memory.keep(s, address(s), s.general[name]), scalar=False, stores=True
        )
    if source.immediate is not None:
        value = source.immediate & WORD if target.bits == 64 else source.immediate & 0xFFFFFFFF
        signed = value - (WORD + 1) if value >> 63 else value
        return _writing(target, lambda state: (0, signed))
    if source.memory:
        address = of.address(source.memory)
        assert source.memory.base != "rip"
        if target.bits == 64:
            return _writing(target, lambda state: of.memory.kept(state, address(state)))
        return _writing(target, lambda state: Data(of.memory.read(state, address(state), 4)[0]))
    name = _name(source)
    assert source.bits == target.bits

    def moved(state: State) -> object:
        value = state.general[name]
        if target.bits == 32 and isinstance(value, tuple) and (value[0] or not 0 <= value[1] < 1 << 32):
            return None
        return value

    return _writing(target, moved)


def _load_narrow(of: X86Operands, size: int, operands: Sequence[X86Operand]) -> Instruction:
    source, target = operands
    assert source.memory and source.memory.base != "rip" and target.bits == 32
    address = of.address(source.memory)

    def load(state: State) -> object:
        return Data(of.op.zero_extended(of.memory.read(state, address(state), size)[0], size, 4))

    return _writing(target, load)


def _mask(of: X86Operands, bits: int, operands: Sequence[X86Operand]) -> Instruction:
    source, target = operands
    name, mask = _name(source), target.mask_register
    assert mask and source.bits == max(32, bits)

    def step(state: State) -> None:
        value = state.general[name]
        if isinstance(value, tuple) and value[0] == 0:
            state.masks[mask] = int(value[1]) & (1 << bits) - 1
        else:
            state.masks[mask] = None
        state.nans.pop(mask, None)

    return Instruction(0, "", step, (mask,))


def _prefetch(of: X86Operands, operands: Sequence[X86Operand]) -> Instruction:
    """Return an instruction that does nothing: prefetches may point anywhere."""
    (place,) = operands
    assert place.memory
    return Instruction(0, "", lambda state: None)


def _test(operands: Sequence[X86Operand]) -> Instruction:
    one, other = operands
    name = _name(one)
    assert one == other and one.bits == 64

    def step(state: State) -> None:
        value = state.general[name]
        state.flag = value if isinstance(value, tuple) else None

    return Instruction(0, "", step, ("flags",), scalar=True)


def _arithmetic(of: X86Operands, kind: str, operands: Sequence[X86Operand]) -> Instruction:
    source, target = operands
    name, bits = _name(target), target.bits
    read = _reader(of, source, bits)
    same = source.general == target.general and kind == "xor"
    assert source.immediate is not None or source.bits == bits or source.memory

    def step(state: State) -> None:
        old = state.general[name]
        value = (0, 0) if same else _result(of, kind, old, read(state), bits)
        if name == "sp" and kind == "and":
            value = _aligned(of, state, old, source.immediate)
        state.general[name] = value
        state.flag = value if isinstance(value, tuple) else None

    return Instruction(0, "", step, (name, "flags"), scalar=True)


def _reader(of: X86Operands, operand: X86Operand, bits: int) -> Callable[[State], object]:
    if operand.immediate is not None:
        value: Affine = (0, operand.immediate)
        return lambda state: value
    if operand.memory:
        assert bits == 64
        address = of.address(operand.memory)
        return lambda state: of.memory.kept(state, address(state))
    name = _name(operand)
    return lambda state: state.general[name]


def _result(of: X86Operands, kind: str, old: object, other: object, bits: int) -> object:
    """Return what a general register holds then; None for what is not known."""
    terms, op = of.terms, of.op
    if bits == 64 and isinstance(old, tuple) and isinstance(other, tuple):
        if kind == "add":
            return terms.plus(old, other)
        if kind == "sub":
            return terms.minus(old, other)
        if kind == "shl" and other[0] == 0 and 0 <= other[1] < 64:
            return terms.times(old, (0, 1 << other[1]))
        return None
    if bits != 32:
        return None
    if isinstance(old, Data) and isinstance(other, tuple) and other[0] == 0 and 0 <= other[1] < 32:
        if kind == "shl":
            return Data(op.shift_left(old.term, other[1], 4))
        if kind == "shr":
            return Data(op.shift_right(old.term, other[1], 4))
    if isinstance(old, Data) and isinstance(other, Data) and kind == "or":
        return Data(op.either(old.term, other.term))
    return None


def _aligned(of: X86Operands, state: State, old: object, mask: int | None) -> Affine:
    """Return the stack pointer rounded down to whole cache lines: from there on it is a symbol of its own."""
    pointer = known_address(of.terms, old)
    if mask != -FRAME_ALIGNMENT or pointer[0] != of.terms.symbol("sp")[0] or "frame" in state.reserved:
        raise NotCovered(f"the stack pointer is not moved as it is known (line {of.line.number})")
    if pointer[1] > 0:
        raise Refutation("the stack pointer is moved up")
    state.reserved["frame"] = -pointer[1]
    return of.terms.symbol("frame")
