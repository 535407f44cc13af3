"""Instructions on vector registers: those of the table of proofs, which compute elements one by one or move
them, and others of their own.

All of a target register beyond the result becomes zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from intrinsics.verification.x86_table import (
    BROADCASTS,
    LANEWISE,
    MOVING,
    PACKS,
    WITHOUT_NUMBER,
    Lanewise,
)

from .elements import NumpyArithmetic, shuffled, ternary
from .general import reader, register_of
from .machine import VECTOR_BYTES, Decoder, Machine, Operand, Step

Array = np.ndarray
ARITHMETIC = NumpyArithmetic()


def decode_lanewise(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    meaning = LANEWISE[mnemonic]
    compute = partial(meaning.compute, ARITHMETIC)
    if meaning.number:
        number, *operands = operands
        compute = partial(compute, number.immediate)
    *sources, to = operands
    count, per = elements_of(meaning, sources, to), meaning.per
    read = [
        read_elements(machine, operand, f"u{meaning.source}", count * per, per, to)
        for operand in reversed(sources)
    ]
    write = write_elements(machine, to, np.dtype(f"u{meaning.target}"), count)
    old = [read_elements(machine, to, f"u{meaning.target}", count, 1, to)] if meaning.old else []
    if per == 1:
        both = [*old, *read]
        return lambda: write(compute(*[source() for source in both]))

    def step() -> None:
        groups = [tuple(source().reshape(-1, per).T) for source in read]
        write(compute(*[source() for source in old], *groups))

    return step


def elements_of(meaning: Lanewise, sources: Sequence[Operand], target: Operand) -> int:
    """How many elements are computed: as many as every register has."""
    sizes = [(target, meaning.target), *((source, meaning.source * meaning.per) for source in sources)]
    return min(operand.vector[1] // size for operand, size in sizes if operand.vector)


def decode_moving(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    """Elements of the sources that change places, in parts of them or as a whole."""
    meaning, number = MOVING[mnemonic], 0
    if mnemonic not in WITHOUT_NUMBER:
        number, operands = operands[0].immediate, operands[1:]
    assert mnemonic != "vperm2f128" or not number & 0x88, "no zeros"
    *sources, to = operands
    assert to.vector
    count = to.vector[1] // meaning.size
    kind, part = f"u{meaning.size}", meaning.part // meaning.size or count
    read = [read_elements(machine, operand, kind, count, 1, Operand("")) for operand in reversed(sources)]
    write, places = write_elements(machine, to, np.dtype(kind), count), meaning.places(number, count)

    def step() -> None:
        both = np.concatenate([source().reshape(-1, part) for source in read], axis=1)
        write(np.ascontiguousarray(both[:, places]).reshape(-1))

    return step


def decode_ternary(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    table, *_, source, to = operands
    assert to.vector
    count = to.vector[1] // 4
    read, write = (
        read_elements(machine, source, "u4", count, 1, to),
        write_elements(machine, to, np.dtype("u4"), count),
    )
    return lambda: write(ternary(table.immediate, read()))


def decode_shuffle(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    places, source, to = operands
    assert to.vector
    count = to.vector[1]
    read = [read_elements(machine, operand, "u1", count, 1, to) for operand in (source, places)]
    write = write_elements(machine, to, np.dtype("u1"), count)
    return lambda: write(shuffled(*[each() for each in read]))


def read_elements(
    machine: Machine, operand: Operand, kind: str, count: int, per: int, target: Operand
) -> Callable[[], Array]:
    """What reads ``count`` elements; of memory, only those whose lane of ``per`` the target's mask has."""
    if operand.vector:
        number, width = operand.vector
        view = machine.vectors[number, :width].view(kind)[:count]
        return lambda: view
    address, memory, size = machine.address(operand), machine.memory, np.dtype(kind).itemsize
    if operand.repeated:
        together = per * size
        return lambda: np.tile(memory.bytes(address(), together).view(kind), count // per)
    if not target.mask:
        return lambda: memory.bytes(address(), count * size).view(kind)

    def masked() -> Array:
        lanes, found = machine.masks[target.mask], np.zeros(count * size, np.uint8)
        for lane in range(count // per):
            if lanes >> lane & 1:
                at = lane * per * size
                found[at : at + per * size] = memory.bytes(address() + at, per * size)
        return found.view(kind)

    return masked


def write_elements(
    machine: Machine, target: Operand, kind: np.dtype[Any], count: int
) -> Callable[[Array], None]:
    """What writes a result to a register or to memory, through the target's mask."""
    if target.is_memory:
        address, memory = machine.address(target), machine.memory

        def store(result: Array) -> None:
            data = np.ascontiguousarray(result).view(np.uint8)
            lanes = machine.masks[target.mask] if target.mask else ~0
            if lanes & (1 << count) - 1 == (1 << count) - 1:
                memory.bytes(address(), data.size)[:] = data
                return
            for lane in range(count):
                if lanes >> lane & 1:
                    at = lane * kind.itemsize
                    memory.bytes(address() + at, kind.itemsize)[:] = data[at : at + kind.itemsize]

        return store
    assert target.vector
    number, _ = target.vector
    machine.writes(f"mm{number}")
    whole, used = machine.vectors[number], count * kind.itemsize
    view, beyond = whole[:used].view(kind), whole[used:]

    def write(result: Array) -> None:
        if target.mask:
            lanes = np.array([machine.masks[target.mask] >> lane & 1 for lane in range(count)], bool)
            result = np.where(lanes, result, 0 if target.zeroing else view)
        view[:] = result.view(kind)
        beyond[:] = 0

    return write


def decode_broadcast(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    """One element to all lanes, from memory, a vector register or a general one."""
    source, target = operands
    size = BROADCASTS[mnemonic]
    kind = f"u{size}" if size <= 8 else f"V{size}"
    count = target.vector[1] // size if target.vector else 0
    write = write_elements(machine, target, np.dtype(kind), count)
    if source.vector or source.is_memory:
        read = read_elements(machine, source, kind, 1, 1, Operand(""))
        return lambda: write(np.repeat(read(), count))
    value = reader(machine, source, 8 * size)
    return lambda: write(np.full(count, value(), kind))


def decode_pack(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    high, low, target = operands
    wide, narrow, signed = PACKS[mnemonic]
    assert target.vector
    count = target.vector[1] // wide
    read = [read_elements(machine, operand, f"u{wide}", count, 1, target) for operand in (low, high)]
    write = write_elements(machine, target, np.dtype(f"u{narrow}"), 2 * count)

    def step() -> None:
        parts = [source().reshape(-1, 16 // wide) for source in read]
        both = np.concatenate(parts, axis=1).reshape(-1)
        write(ARITHMETIC.saturated(ARITHMETIC.signed(both, 8 * wide), 8 * narrow, signed))

    return step


def decode_masked_by_vector(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    """vmaskmovps, of AVX2: lanes whose mask is negative; others read as zero, and are not stored."""
    if operands[2].is_memory:
        source, mask, target = operands
    else:
        target, mask, source = (operands[2], operands[1], operands[0])
    assert mask.vector
    width = mask.vector[1]
    chosen = machine.vectors[mask.vector[0], :width].view(np.int32)
    if target.is_memory:
        address, (number, _) = machine.address(target), source.vector or (0, 0)

        def store() -> None:
            for lane in np.flatnonzero(chosen < 0):
                data = machine.vectors[number, 4 * lane : 4 * lane + 4]
                machine.memory.bytes(address() + 4 * int(lane), 4)[:] = data

        return store
    address = machine.address(source)
    write = write_elements(machine, target, np.dtype("u4"), width // 4)

    def load() -> None:
        found = np.zeros(width, np.uint8)
        for lane in np.flatnonzero(chosen < 0):
            found[4 * lane : 4 * lane + 4] = machine.memory.bytes(address() + 4 * int(lane), 4)
        write(found.view(np.uint32))

    return load


def decode_scalar(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    """Moves of the lowest element: to a register, whose others become zero, or to memory."""
    kind = {"vmovd": "u4", "vmovss": "u4", "vmovq": "u8", "vmovsd": "u8", "vmovw": "u2"}[mnemonic]
    source, target = operands
    write = write_elements(machine, target, np.dtype(kind), 1) if target.vector or target.is_memory else None
    if source.vector or source.is_memory:
        read = read_elements(machine, source, kind, 1, 1, Operand(""))
        if write:
            return lambda: write(read())
        name, _ = register_of(target)
        machine.writes(name)
        return lambda: machine.general.__setitem__(name, int(read()[0]))
    value = reader(machine, source, 8 * np.dtype(kind).itemsize)
    assert write
    return lambda: write(np.array([value()], kind))


def decode_element(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    """One element taken out to memory, or put in from there."""
    kind = {"b": "u1", "w": "u2", "d": "u4", "s": "u4"}[mnemonic[-1]]
    index = operands[0].immediate
    if mnemonic == "vinsertps":
        assert not index & 0xF and operands[1].is_memory, "none becomes zero, and one comes from memory"
        index >>= 4
    size = np.dtype(kind).itemsize
    if mnemonic.startswith("vpextr"):
        (number, _), address = operands[1].vector or (0, 0), machine.address(operands[2])
        element = machine.vectors[number, index * size : (index + 1) * size]

        def extract() -> None:
            machine.memory.bytes(address(), size)[:] = element

        return extract
    _, source, old, target = operands
    read = read_elements(machine, source, kind, 1, 1, Operand(""))
    before = read_elements(machine, old, kind, 16 // size, 1, Operand(""))
    write = write_elements(machine, target, np.dtype(kind), 16 // size)

    def insert() -> None:
        result = before().copy()
        result[index] = read()[0]
        write(result)

    return insert


def decode_unordered(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    """Which lanes have a NaN in either source: to a mask register, or as lanes of ones."""
    second, first, target = operands
    assert first.vector
    count = first.vector[1] // 4
    a, b = (read_elements(machine, source, "f4", count, 1, target) for source in (first, second))
    if target.vector:
        write = write_elements(machine, target, np.dtype("i4"), count)
        return lambda: write(-(np.isnan(a()) | np.isnan(b())).astype(np.int32))
    number = int(target.text.removeprefix("%k"))
    machine.writes(f"k{number}")

    def compare() -> None:
        lanes = np.isnan(a()) | np.isnan(b())
        machine.masks[number] = sum(1 << int(lane) for lane in np.flatnonzero(lanes))

    return compare


def decode_part(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    """vextracti128 and its like: a part of a register, as wide as the target."""
    number, source, target = operands
    size = {"128": 16, "x4": 16 if "32" in mnemonic else 32}[mnemonic[-3:] if "128" in mnemonic else "x4"]
    register, first = (source.vector or (0, 0))[0], number.immediate * size
    part = machine.vectors[register, first : first + size]
    write = write_elements(machine, target, np.dtype("u1"), size)
    return lambda: write(part.copy())


def decode_upper_half(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    """vmovhps: the upper eight bytes of a register of 16, to memory."""
    source, target = operands
    upper = machine.vectors[(source.vector or (0, 0))[0], 8:16]
    write = write_elements(machine, target, np.dtype("u8"), 1)
    return lambda: write(upper.copy())


def decode_zero_upper(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    """Registers 16 to 31 keep what they have."""

    def step() -> None:
        machine.vectors[:16, 16:VECTOR_BYTES] = 0

    return step


DECODERS: dict[str, Decoder] = {
    **dict.fromkeys(LANEWISE, decode_lanewise),
    **dict.fromkeys(MOVING, decode_moving),
    "vpternlogd": decode_ternary,
    "vpshufb": decode_shuffle,
    **dict.fromkeys(BROADCASTS, decode_broadcast),
    **dict.fromkeys(PACKS, decode_pack),
    **dict.fromkeys(("vmovd", "vmovq", "vmovss", "vmovsd", "vmovw"), decode_scalar),
    **dict.fromkeys(
        ("vpextrb", "vpextrw", "vpextrd", "vpinsrb", "vpinsrw", "vpinsrd", "vinsertps"), decode_element
    ),
    **dict.fromkeys(("vextracti128", "vextractf128", "vextracti64x4", "vextracti32x4"), decode_part),
    "vmovhps": decode_upper_half,
    "vcmpunordps": decode_unordered,
    "vmaskmovps": decode_masked_by_vector,
    "vzeroupper": decode_zero_upper,
}
