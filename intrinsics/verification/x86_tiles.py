"""AMX's tiles on terms: 16 rows of 16 words each, as the state that kernels run in configures all of them.

A tile is a vector of 256 lanes, row by row. A product adds to each lane the products of a row's elements and
of a column's, all at once: ``tdp`` of the lane, and of both as one term each (``vec``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from .memory import known_address
from .state import Instruction, State
from .terms import Affine, NotCovered, Refutation
from .x86_operands import X86Operands, name_of
from .x86_text import parse_operand

ROWS = LANES = 16
WORD = 4
TILES = tuple(f"tmm{i}" for i in range(8))
PRODUCTS = {
    "tdpbf16ps": ("tdpbf", 2), "tdpbssd": ("tdpss", 1), "tdpbsud": ("tdpsu", 1), "tdpbusd": ("tdpus", 1),
    "tdpbuud": ("tdpuu", 1),
}  # fmt: skip
"""Instructions that multiply tiles: the kind of their terms, and bytes of an element."""
NAMES = ("tilezero", "tileloadd", "tilestored", *PRODUCTS)


def decode_tiles(of: X86Operands, mnemonic: str, texts: Sequence[str]) -> Instruction:
    """Return an instruction on tiles."""
    if mnemonic in PRODUCTS:
        return _product(of, mnemonic, [_tile(text) for text in texts])
    if mnemonic == "tilezero":
        name, zeros = _tile(*texts), (of.zero,) * (ROWS * LANES)
        return Instruction(0, "", lambda state: state.vectors.update({name: zeros}), (name,))
    memory, tile = texts if mnemonic == "tileloadd" else reversed(texts)
    return _move(of, _tile(tile), memory, stores=mnemonic == "tilestored")


def _tile(text: str) -> str:
    match = re.fullmatch(r"%(tmm[0-7])", text)
    if not match:
        raise NotCovered(f"{text} is not a tile")
    return match[1]


def _move(of: X86Operands, name: str, text: str, stores: bool) -> Instruction:
    """A load or a store of 16 rows, each as far from the one before as the index says."""
    place = parse_operand(text).memory
    if place is None or not place.index:
        raise NotCovered(f"{text} does not say where rows of a tile are")
    address, index, scale = of.address(replace(place, index="")), name_of(place.index), place.scale

    def rows(state: State) -> list[Affine]:
        key, at = address(state)
        distance = known_address(of.terms, state.general[index])
        if distance[0]:
            raise Refutation("how far rows of a tile are apart is not known")
        return [(key, at + row * scale * distance[1]) for row in range(ROWS)]

    def load(state: State) -> None:
        words = [of.memory.read(state, where, WORD, LANES, any_stack=True) for where in rows(state)]
        state.vectors[name] = tuple(word for row in words for word in row)

    def store(state: State) -> None:
        lanes = state.vectors[name]
        for row, (key, at) in enumerate(rows(state)):
            for lane in range(LANES):
                of.memory.store(state, (key, at + WORD * lane), WORD, lanes[row * LANES + lane])

    return Instruction(0, "", store if stores else load, () if stores else (name,), stores=stores)


def _product(of: X86Operands, mnemonic: str, names: Sequence[str]) -> Instruction:
    b, a, c = names
    kind, size = PRODUCTS[mnemonic]
    if len({a, b, c}) != len(names):
        raise NotCovered("tiles of a product are three")
    terms = of.terms

    def step(state: State) -> None:
        left, right, old = (state.vectors[name] for name in (a, b, c))
        columns = [
            terms.make(
                "vec", *(part for k in range(ROWS) for part in terms.split(right[k * LANES + n], WORD, size))
            )
            for n in range(LANES)
        ]
        lanes: list[int] = []
        for row in range(ROWS):
            own = left[row * LANES : (row + 1) * LANES]
            if any(terms.nodes[word][0] == "undef" for word in own):
                lanes += [terms.unknown() for _ in range(LANES)]
                continue
            elements = terms.make("vec", *(part for word in own for part in terms.split(word, WORD, size)))
            lanes += [
                terms.make(kind, old[row * LANES + n], elements, column) for n, column in enumerate(columns)
            ]
        state.vectors[c] = tuple(lanes)

    return Instruction(0, "", step, (c,))
