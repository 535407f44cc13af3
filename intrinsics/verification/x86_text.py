"""Lines of x86 assembly in AT&T's syntax: operands, labels, and constants among the code."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from .terms import NotCovered

MEMORY = re.compile(
    r"(?:(?P<label>[\w.$]+)\+?)??(?P<offset>-?(?:0x[0-9a-fA-F]+|\d+)(?![fb\w]))?"
    r"\(%(?P<base>\w+)(?:, *%(?P<index>\w+)(?:, *(?P<scale>[1248]))?)?\)"
)
LABEL = re.compile(r"([\w.$]+):")
VECTOR = re.compile(r"%([xyz])mm(\d|[12]\d|3[01])")
DECORATION = re.compile(r"\{(%k[1-7]|z|1to(?:2|4|8|16|32))\}")
WIDTHS = {"x": 16, "y": 32, "z": 64}
NUMBER = r"-?(?:0x[0-9a-fA-F]+|\d+)"
GENERAL = {
    **{f"r{name}": (f"r{name}", 64) for name in ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp")},
    **{f"e{name}": (f"r{name}", 32) for name in ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp")},
    **{f"r{number}": (f"r{number}", 64) for number in range(8, 16)},
    **{f"r{number}d": (f"r{number}", 32) for number in range(8, 16)},
}
"""The 64-bit name of each general register, and the bits that a name is of."""


@dataclass(frozen=True)
class Address:
    """An operand in memory: a label or a base register, an offset, an index and its scale."""

    label: str
    offset: int
    base: str
    index: str
    scale: int


@dataclass(frozen=True)
class X86Operand:
    """An operand as it is written, one of these kinds, and what is written behind it in braces."""

    text: str
    immediate: int | None = None
    general: str = ""
    bits: int = 0
    vector: str = ""
    bytes: int = 0
    mask_register: str = ""
    memory: Address | None = None
    mask: str = ""
    zeroing: bool = False
    repeated: int = 0


def _split(text: str) -> list[str]:
    """The operands of a line; commas in parentheses are theirs."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "({") - (character in ")}")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


@lru_cache(1 << 16)
def parse_operand(text: str) -> X86Operand:
    """Return an operand; NotCovered for what it cannot be."""
    marks = DECORATION.findall(text)
    plain = DECORATION.sub("", text).strip()
    if "{" in plain:
        raise NotCovered(f"the operand {text} is not known")
    mask = next((mark[1:] for mark in marks if mark.startswith("%k")), "")
    repeated = next((int(mark[3:]) for mark in marks if mark.startswith("1to")), 0)
    operand = _plain_operand(plain)
    if operand is None:
        raise NotCovered(f"the operand {text} is not known")
    return replace(operand, text=text, mask=mask, zeroing="z" in marks, repeated=repeated)


def _plain_operand(plain: str) -> X86Operand | None:
    """An operand without what is written in braces."""
    if re.fullmatch(rf"\${NUMBER}", plain):
        return X86Operand(plain, immediate=int(plain[1:], 0))
    vector = VECTOR.fullmatch(plain)
    if vector:
        return X86Operand(plain, vector=f"mm{vector[2]}", bytes=WIDTHS[vector[1]])
    if plain[:1] == "%" and plain[1:] in GENERAL:
        name, bits = GENERAL[plain[1:]]
        return X86Operand(plain, general=name, bits=bits)
    if re.fullmatch(r"%k[0-7]", plain):
        return X86Operand(plain, mask_register=plain[1:])
    memory = MEMORY.fullmatch(plain)
    if not memory or bool(memory["label"]) != (memory["base"] == "rip"):
        return None
    base, index = memory["base"], memory["index"] or ""
    if any(GENERAL.get(name, ("", 0))[1] != 64 for name in (base, index) if name not in ("rip", "")):
        return None
    if index == "rsp" or (base == "rip" and index):
        return None
    offset, scale = int(memory["offset"] or "0", 0), int(memory["scale"] or 1)
    return X86Operand(plain, memory=Address(memory["label"] or "", offset, base, index, scale))


@lru_cache(1 << 16)
def parse_line(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a line's mnemonic, and its operands as they are written."""
    plain = text.removeprefix("{vex}").strip()
    mnemonic, _, rest = plain.replace("\t", " ").partition(" ")
    return mnemonic, tuple(_split(rest.strip())) if rest.strip() else ()


@dataclass(frozen=True)
class TextLine:
    """A line that is an instruction, or the data that stands there."""

    number: int
    text: str
    data: bool = False


class Text:
    """Lines of assembly: instructions, where labels are, and the data behind each."""

    def __init__(self, lines: Sequence[str], comment: str = "#") -> None:
        self.lines: list[TextLine] = []
        self._labels: list[tuple[str, int, int]] = []
        self.data = bytearray()
        self._aligned_at: dict[int, int] = {}
        for number, line in enumerate(lines, 1):
            self._add(number, line.split(comment)[0].strip())

    def _add(self, number: int, text: str) -> None:
        label = LABEL.fullmatch(text)
        if not text:
            return
        if label:
            self._labels.append((label[1], len(self.lines), len(self.data)))
        elif text.startswith("."):
            data = _data_of(text)
            if data is None:
                self._aligned_at[len(self.data)] = 1 << int(text.split()[1].split(",")[0])
                return
            self.data += data
            self.lines.append(TextLine(number, text, data=True))
        elif ";" in text or ":" in text:
            raise NotCovered(f"line {number}: '{text}' is not one instruction")
        else:
            self._aligned_at.pop(len(self.data), None)
            self.lines.append(TextLine(number, text))

    def block(self, at: int) -> str:
        """Return the label that line ``at`` is behind."""
        return [label for label, line, _ in self._labels if line <= at][-1]

    def jump_target(self, label: str, origin: int) -> int:
        """Return the line that a jump from line ``origin`` goes to."""
        return self._found(label, origin)[1]

    def bytes_at(self, place: Address, origin: int, size: int) -> bytes:
        """Return so many bytes of the data at a label and an offset."""
        _, line, start = self._found(place.label, origin)
        at = start + place.offset
        run = 0
        while line + run < len(self.lines) and self.lines[line + run].data:
            run += 1
        length = sum(len(_data_of(each.text) or b"") for each in self.lines[line : line + run])
        if at < start or at + size > start + length:
            raise NotCovered(
                f"{place.label}+{place.offset}: {size} bytes that are not data behind that label"
            )
        return bytes(self.data[at : at + size])

    def alignment(self, place: Address, origin: int) -> int:
        """Return what the address of data is known to be a multiple of."""
        _, _, start = self._found(place.label, origin)
        known = self._aligned_at.get(start, 1)
        while place.offset % known:
            known //= 2
        return known

    def _found(self, label: str, origin: int) -> tuple[str, int, int]:
        if re.fullmatch(r"\d+[fb]", label):
            places = [each for each in self._labels if each[0] == label[:-1]]
            behind = [each for each in places if each[1] > origin]
            before = [each for each in places if each[1] <= origin]
            found = behind[:1] if label[-1] == "f" else before[-1:]
        else:
            found = [each for each in self._labels if each[0] == label]
        if len(found) != 1:
            raise NotCovered(f"the label {label} is not known")
        return found[0]


@lru_cache(1 << 12)
def _data_of(text: str) -> bytes | None:
    """Return the bytes of a directive; None for an alignment."""
    if re.fullmatch(r"\.p2align\s+\d(,.*)?", text):
        return None
    fill = re.fullmatch(rf"\.fill\s+(\d{{1,5}}), *([124]), *({NUMBER})", text)
    if fill:
        return int(fill[1]) * (int(fill[3], 0) & (1 << 8 * int(fill[2])) - 1).to_bytes(int(fill[2]), "little")
    long = re.fullmatch(rf"\.long\s+({NUMBER}(?:, *{NUMBER})*)", text)
    if long:
        values = [int(part, 0) & 0xFFFFFFFF for part in long[1].split(",")]
        return struct.pack(f"<{len(values)}I", *values)
    raise NotCovered(f"the directive '{text}' is not known")
