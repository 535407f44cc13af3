"""AMX: tiles of palette 1, whose shapes are read from memory as the CPU does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .machine import Decoder, Machine, Operand, Step
from .rounding import flushed, fused_flushed, of_bfloat16

TILES, ROWS, ROW_BYTES = 8, 16, 64
CONFIGURATION_BYTES = 64
SYSTEM_CALL_WRITES = ("rax", "rcx", "r11")
ARCH_PRCTL, REQUEST_PERMISSION, TILE_DATA = 158, 0x1023, 18


def tile_number(operand: Operand) -> int:
    return int(operand.text.removeprefix("%tmm"))


def shape(machine: Machine, number: int) -> tuple[int, int]:
    assert machine.shapes is not None, "the tiles are not configured"
    rows, width = machine.shapes[number]
    assert rows and width, f"tile {number} has no rows"
    return rows, width


def decode_configuration(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    address = machine.address(operands[0])

    def load() -> None:
        data = machine.memory.bytes(address(), CONFIGURATION_BYTES)
        assert machine.permitted, "the process did not ask for tiles"
        assert data[0] == 1 and not data[1:16].any(), "palette 1, from the first row on"
        widths, rows = data[16:48].view(np.uint16), data[48:64]
        assert not widths[TILES:].any() and not rows[TILES:].any(), "there are eight tiles"
        assert (widths <= ROW_BYTES).all() and (rows <= ROWS).all(), "tiles are of 16 rows of 64 bytes"
        machine.shapes = [(int(r), int(w)) for r, w in zip(rows[:TILES], widths[:TILES], strict=True)]
        machine.tiles[:] = 0

    return load


def decode_release(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    def release() -> None:
        machine.shapes = None

    return release


def decode_zero(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    number = tile_number(operands[0])
    machine.writes(f"tmm{number}")

    def zero() -> None:
        shape(machine, number)
        machine.tiles[number] = 0

    return zero


def rows_in_memory(machine: Machine, operand: Operand) -> Callable[[int, int], list[np.ndarray]]:
    """The rows of a tile in memory: ``base + row * index * scale``."""
    begin = operand.text.index("(")
    base, *rest = operand.text[begin + 1 : -1].replace(" ", "").split(",")
    offset, scale = int(operand.text[:begin] or 0), int(rest[1]) if len(rest) > 1 else 1
    general = machine.general

    def rows(count: int, width: int) -> list[np.ndarray]:
        stride = general[rest[0][1:]] * scale if rest else 0
        first = general[base[1:]] + offset
        return [machine.memory.bytes(first + row * stride, width) for row in range(count)]

    return rows


def decode_load(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    rows, number = rows_in_memory(machine, operands[0]), tile_number(operands[1])
    machine.writes(f"tmm{number}")

    def load() -> None:
        count, width = shape(machine, number)
        machine.tiles[number] = 0
        for row, data in enumerate(rows(count, width)):
            machine.tiles[number, row, :width] = data

    return load


def decode_store(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    number, rows = tile_number(operands[0]), rows_in_memory(machine, operands[1])

    def store() -> None:
        count, width = shape(machine, number)
        for row, data in enumerate(rows(count, width)):
            data[:] = machine.tiles[number, row, :width]

    return store


def multiplied_bytes(c: np.ndarray, a: np.ndarray, b: np.ndarray, signs: str) -> np.ndarray:
    """Sums of four products in 32 bits. ``a`` is rows by groups of four bytes, ``b`` groups by lanes of
    four."""
    kinds = {"s": np.int8, "u": np.uint8}
    left = a.view(kinds[signs[0]]).astype(np.int64)
    groups = b.view(kinds[signs[1]]).reshape(b.shape[0], -1, 4).astype(np.int64)
    right = groups.transpose(0, 2, 1).reshape(4 * b.shape[0], -1)
    return ((c.view(np.int32) + left @ right) & 0xFFFFFFFF).astype(np.uint32).view(np.int32)


def multiplied_bfloat16(c: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Even and odd elements are summed apart, in order, each multiply-add rounded by itself; then their sums
    are added, and what that gives to the accumulator (Intel's SDM, TDPBF16PS)."""
    left = of_bfloat16(a.view(np.uint16)).reshape(a.shape[0], -1, 2)
    right = of_bfloat16(b.view(np.uint16)).reshape(b.shape[0], -1, 2)
    halves = np.zeros((2, a.shape[0], right.shape[1]), np.float32)
    for k in range(left.shape[1]):
        for half in range(2):
            x, y = np.broadcast_arrays(left[:, k, half, None], right[None, k, :, half])
            halves[half] = fused_flushed(x, y, halves[half])
    return flushed(flushed(c.view(np.float32)) + flushed(halves[0] + halves[1]))


def decode_multiply(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    b, a, c = (tile_number(operand) for operand in operands)
    assert len({a, b, c}) == 3, "tiles of a product are three"
    machine.writes(f"tmm{c}")

    def multiply() -> None:
        machine.tile_products += 1
        (rows, width), (rows_a, width_a), (rows_b, width_b) = (shape(machine, n) for n in (c, a, b))
        assert (rows_a, width_b) == (rows, width) and width_a == 4 * rows_b, "shapes of a product"
        left, right, old = (
            np.ascontiguousarray(machine.tiles[n, :r, :w])
            for n, r, w in ((a, rows_a, width_a), (b, rows_b, width_b), (c, rows, width))
        )
        if mnemonic == "tdpbf16ps":
            result = multiplied_bfloat16(old, left, right)
        else:
            result = multiplied_bytes(old, left, right, mnemonic[4:6])
        machine.tiles[c, :rows, :width] = np.ascontiguousarray(result).view(np.uint8)

    return multiply


def decode_system_call(machine: Machine, mnemonic: str, operands: Sequence[Operand], at: int) -> Step:
    """Linux grants the state of tiles to a process that asks for it."""
    for register in SYSTEM_CALL_WRITES:
        machine.writes(register)

    def call() -> None:
        asked = tuple(machine.general[name] for name in ("rax", "rdi", "rsi"))
        assert asked == (ARCH_PRCTL, REQUEST_PERMISSION, TILE_DATA), f"an unknown call of the system: {asked}"
        machine.permitted = True
        machine.general.update(rax=0, rcx=0, r11=0)

    return call


DECODERS: dict[str, Decoder] = {
    **dict.fromkeys(("tdpbssd", "tdpbsud", "tdpbusd", "tdpbuud", "tdpbf16ps"), decode_multiply),
    "ldtilecfg": decode_configuration,
    "tilerelease": decode_release,
    "tilezero": decode_zero,
    "tileloadd": decode_load,
    "tilestored": decode_store,
    "syscall": decode_system_call,
}
