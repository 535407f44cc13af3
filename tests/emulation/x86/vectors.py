"""Instructions on vector registers: what each computes of its sources' elements, as a table.

Sources are in Intel's order, which is the reverse of the text's, with the old value of the target first where
it counts. All of a target register beyond the result becomes zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .elements import (
    dot_bfloat16,
    dot_bytes,
    halves_permuted,
    narrowed,
    packed,
    pairs_saturated,
    parts_permuted,
    permuted,
    saturated,
    shuffled,
    ternary,
    to_integers,
    widened,
    words,
)
from .general import reader, register_of
from .machine import VECTOR_BYTES, Decoder, Machine, Operand, Step
from .rounding import fused, to_bfloat16

Array = np.ndarray


@dataclass(frozen=True)
class Lanewise:
    """An instruction that computes each element of the target of ``per`` elements of each source."""

    compute: Callable[..., Array]
    source: str
    target: str = ""
    per: int = 1
    old: bool = False
    """The target's old value is the first source."""

    @property
    def result(self) -> np.dtype[Any]:
        return np.dtype(self.target or self.source)


LANEWISE = {
    "vaddps": Lanewise(np.add, "f4"),
    "vmulps": Lanewise(np.multiply, "f4"),
    "vdivps": Lanewise(np.divide, "f4"),
    # Where a source is NaN, or both are zero, the result is the second.
    "vmaxps": Lanewise(lambda a, b: np.where(a > b, a, b), "f4"),
    "vminps": Lanewise(lambda a, b: np.where(a < b, a, b), "f4"),
    "vfmadd132ps": Lanewise(lambda old, a, b: fused(old, b, a), "f4", old=True),
    "vfmadd213ps": Lanewise(lambda old, a, b: fused(a, old, b), "f4", old=True),
    "vfmadd231ps": Lanewise(lambda old, a, b: fused(a, b, old), "f4", old=True),
    "vfmadd231ph": Lanewise(lambda old, a, b: fused(a, b, old), "f2", old=True),
    "vaddph": Lanewise(np.add, "f2"),
    "vmulph": Lanewise(np.multiply, "f2"),
    "vdpbf16ps": Lanewise(dot_bfloat16, "u2", "f4", per=2, old=True),
    "vcvtneps2bf16": Lanewise(to_bfloat16, "f4", "u2"),
    "vcvtph2ps": Lanewise(widened("f4"), "f2", "f4"),
    "vcvtph2psx": Lanewise(widened("f4"), "f2", "f4"),
    "vcvtps2phx": Lanewise(widened("f2"), "f4", "f2"),
    "vcvtdq2ps": Lanewise(widened("f4"), "i4", "f4"),
    "vcvtps2dq": Lanewise(to_integers, "f4", "i4"),
    "vpmovsxbd": Lanewise(widened("i4"), "i1", "i4"),
    "vpmovzxbd": Lanewise(widened("u4"), "u1", "u4"),
    "vpmovsxbw": Lanewise(widened("i2"), "i1", "i2"),
    "vpmovzxbw": Lanewise(widened("u2"), "u1", "u2"),
    "vpmovzxwd": Lanewise(widened("u4"), "u2", "u4"),
    "vpmovzxdq": Lanewise(widened("u8"), "u4", "u8"),
    "vpmovdb": Lanewise(widened("u1"), "u4", "u1"),
    "vpmovdw": Lanewise(widened("u2"), "u4", "u2"),
    "vpmovusdb": Lanewise(saturated("u1"), "u4", "u1"),
    "vpaddd": Lanewise(np.add, "i4"),
    "vpsubd": Lanewise(np.subtract, "i4"),
    "vpabsb": Lanewise(np.abs, "i1", "u1"),
    "vpsignb": Lanewise(lambda a, b: a * np.sign(b), "i1"),
    "vpmaddubsw": Lanewise(pairs_saturated, "i1", "i2", per=2),
    "vpmaddwd": Lanewise(words, "i2", "i4", per=2),
    "vpdpbusd": Lanewise(dot_bytes, "i1", "i4", per=4, old=True),
    "vpdpwssd": Lanewise(lambda old, a, b: old + words(a, b), "i2", "i4", per=2, old=True),
    "vpshufb": Lanewise(shuffled, "u1"),
    "vmovsldup": Lanewise(lambda x: x.reshape(-1, 2)[:, [0, 0]].reshape(-1), "f4"),
    **dict.fromkeys(("vxorps", "vpxor", "vpxord"), Lanewise(np.bitwise_xor, "u4")),
    **dict.fromkeys(("vandps", "vpand", "vpandd"), Lanewise(np.bitwise_and, "u4")),
    **dict.fromkeys(("vorps", "vpor", "vpord"), Lanewise(np.bitwise_or, "u4")),
    **dict.fromkeys(("vmovups", "vmovaps", "vmovdqa", "vmovdqu"), Lanewise(np.copy, "u4")),
    **dict.fromkeys(("vmovdqa32", "vmovdqu32"), Lanewise(np.copy, "u4")),
    "vmovdqu16": Lanewise(np.copy, "u2"),
    "vmovdqu8": Lanewise(np.copy, "u1"),
}
"""Instructions of a result element each, by their names."""
WITH_NUMBER: dict[str, tuple[Callable[..., Array], str, str]] = {
    "vpslld": (lambda number, x: x << number, "u4", "u4"),
    "vpsllw": (lambda number, x: x << number, "u2", "u2"),
    "vpsrld": (lambda number, x: x >> number, "u4", "u4"),
    "vpsrlw": (lambda number, x: x >> number, "u2", "u2"),
    "vpsrad": (lambda number, x: x >> number, "i4", "i4"),
    "vpsraw": (lambda number, x: x >> number, "i2", "i2"),
    "vcvtps2ph": (narrowed, "f4", "f2"),
    "vpternlogd": (ternary, "u4", "u4"),
    "vpermilps": (permuted, "u4", "u4"),
    "vshuff32x4": (parts_permuted, "u4", "u4"),
    "vperm2f128": (halves_permuted, "u4", "u4"),
}
"""Instructions whose first operand is a number: what they compute, and of what to what."""
BROADCASTS = {
    "vbroadcasti128": "V16",
    "vbroadcastss": "u4",
    "vpbroadcastd": "u4",
    "vpbroadcastw": "u2",
    "vpbroadcastb": "u1",
}
PACKS = {
    "vpackssdw": ("i4", "i2"),
    "vpackusdw": ("i4", "u2"),
    "vpacksswb": ("i2", "i1"),
    "vpackuswb": ("i2", "u1"),
}


def decode_lanewise(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    if mnemonic in WITH_NUMBER:
        number, *operands = operands
        of_number, source, target = WITH_NUMBER[mnemonic]
        meaning = Lanewise(partial(of_number, number.immediate), source, target)
    else:
        meaning = LANEWISE[mnemonic]
    *sources, to = operands
    count = elements_of(meaning, sources, to)
    read = [
        read_elements(machine, operand, meaning.source, count * meaning.per, meaning.per, to)
        for operand in reversed(sources)
    ]
    if meaning.old:
        read.insert(0, read_elements(machine, to, meaning.result.str, count, 1, to))
    write, compute = write_elements(machine, to, meaning.result, count), meaning.compute
    return lambda: write(compute(*[source() for source in read]))


def elements_of(meaning: Lanewise, sources: Sequence[Operand], target: Operand) -> int:
    """How many elements are computed: as many as every register has."""
    sizes = [(target, meaning.result.itemsize)]
    sizes += [(source, np.dtype(meaning.source).itemsize * meaning.per) for source in sources]
    return min(operand.vector[1] // size for operand, size in sizes if operand.vector)


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
    kind = BROADCASTS[mnemonic]
    size = np.dtype(kind).itemsize
    count = target.vector[1] // size if target.vector else 0
    write = write_elements(machine, target, np.dtype(kind), count)
    if source.vector or source.is_memory:
        read = read_elements(machine, source, kind, 1, 1, Operand(""))
        return lambda: write(np.repeat(read(), count))
    value = reader(machine, source, 8 * size)
    return lambda: write(np.full(count, value(), kind))


def decode_pack(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    high, low, target = operands
    wide, narrow = PACKS[mnemonic]
    assert target.vector and target.vector[1] == 16, "wider ones work on halves"
    count = 16 // np.dtype(wide).itemsize
    first, second = (read_elements(machine, operand, wide, count, 1, target) for operand in (low, high))
    write = write_elements(machine, target, np.dtype(narrow), 2 * count)
    return lambda: write(packed(first(), second(), narrow))


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


def decode_zero_upper(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    """Registers 16 to 31 keep what they have."""

    def step() -> None:
        machine.vectors[:16, 16:VECTOR_BYTES] = 0

    return step


DECODERS: dict[str, Decoder] = {
    **dict.fromkeys((*LANEWISE, *WITH_NUMBER), decode_lanewise),
    **dict.fromkeys(BROADCASTS, decode_broadcast),
    **dict.fromkeys(PACKS, decode_pack),
    **dict.fromkeys(("vmovd", "vmovq", "vmovss", "vmovsd", "vmovw"), decode_scalar),
    **dict.fromkeys(
        ("vpextrb", "vpextrw", "vpextrd", "vpinsrb", "vpinsrw", "vpinsrd", "vinsertps"), decode_element
    ),
    **dict.fromkeys(("vextracti128", "vextractf128", "vextracti64x4", "vextracti32x4"), decode_part),
    "vcmpunordps": decode_unordered,
    "vmaskmovps": decode_masked_by_vector,
    "vzeroupper": decode_zero_upper,
}
