"""Whether the bytes that LLVM makes of x86 assembly are the instructions that were proven.

The kernel is compiled by TVM's LLVM as it is emitted, and its function disassembled (capstone). There the
lines of the assembly have to be, one after the other: the same instructions with the same operands, jumps to
the same lines, and constants with the same bytes at the same distances.
"""

from __future__ import annotations

import struct
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from .inline_asm import InlineAsm
from .terms import WORD, NotCovered, Refutation
from .x86_text import Text, TextLine, X86Operand, parse_line, parse_operand

TRIPLE = 'target triple = "x86_64-unknown-linux-gnu"\n'
ALIASES = {"jne": "jnz", "je": "jz", "movabs": "mov", "kmovw": "kmovw"}
SUFFIXED = ("mov", "movabs", "add", "sub", "and", "or", "xor", "shl", "shr", "dec", "inc", "test", "lea")
"""Instructions whose mnemonics may have a letter more for their width."""
COMMUTATIVE = (
    "vaddps", "vmulps", "vpaddd", "vpmaddwd", "vxorps", "vpxor", "vandps", "vpand", "vorps", "vpor",
)  # fmt: skip
JUMPS = ("jmp", "jz", "jnz")
MOST_BEFORE = 64
"""A function has at most so many instructions before its assembly."""


def check_machine_code(llvm_ir: str, code: InlineAsm) -> None:
    """Refutation unless LLVM makes the lines' instructions of them; NotCovered where they cannot be read."""
    section = _text_section(_object_code(llvm_ir))
    found = _disassembled(section)
    text = Text(code.lines)
    lines = [line for line in text.lines if not line.data]
    if not lines:
        raise NotCovered("the kernel does not have instructions")
    for first in range(min(MOST_BEFORE, len(found))):
        if _is_same(text, lines, found[first : first + len(lines)], section):
            return
    if found[-1].address + found[-1].size < len(section):
        raise NotCovered(f"capstone cannot read the code from byte {found[-1].address + found[-1].size} on")
    raise Refutation("LLVM makes other instructions of the assembly than those that are written there")


def _object_code(llvm_ir: str) -> bytes:
    import tvm  # noqa: F401  # it registers its functions
    from tvm_ffi import get_global_func

    load = get_global_func("ffi.Module.load_from_file.ll")
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "kernel.ll"), Path(folder, "kernel.o")
        source.write_text(TRIPLE + llvm_ir)
        load(str(source), "ll").write_to_file(str(target), "o")
        return target.read_bytes()


def _text_section(elf: bytes) -> bytes:
    """The bytes of the only section of code of an ELF file of 64 bits."""
    start, *_ = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", elf, start + i * size) for i in range(count)]
    at = headers[names][4]
    for name, _, _, _, offset, length, *_ in headers:
        if elf[at + name : elf.index(b"\0", at + name)] == b".text":
            return elf[offset : offset + length]
    raise NotCovered("the object file does not have code")


def _disassembled(section: bytes) -> list[Any]:
    try:
        import capstone
    except ImportError as error:
        raise NotCovered("machine code is read by capstone: pip install 'tvm-directconv[verify]'") from error
    machine = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    machine.syntax = capstone.CS_OPT_SYNTAX_ATT
    return list(machine.disasm(section, 0))


def _is_same(text: Text, lines: list[TextLine], found: list[Any], section: bytes) -> bool:
    """Whether the instructions found are those of the lines, at which the first of both begins."""
    if len(found) < len(lines) or not _same_operation(lines[0].text, found[0]):
        return False
    address = {line.number: instruction.address for line, instruction in zip(lines, found, strict=True)}
    end = found[len(lines) - 1].address + found[len(lines) - 1].size
    for line, instruction in zip(lines, found, strict=True):
        mnemonic, operands = parse_line(line.text)
        at = text.lines.index(line)
        if mnemonic in JUMPS:
            goes = text.jump_target(operands[0], at)
            behind = [each for each in text.lines[goes:] if not each.data]
            wanted = address[behind[0].number] if behind else None
            if not _jumps(mnemonic, instruction, wanted, end):
                return False
            continue
        constants = "(%rip)" in line.text
        if not _same_operation(line.text, instruction):
            return False
        if constants and not _same_constants(text, line, at, instruction, section):
            return False
    return True


def _jumps(mnemonic: str, instruction: Any, wanted: int | None, end: int) -> bool:
    goes = int(instruction.op_str, 16)
    known = ALIASES.get(instruction.mnemonic, instruction.mnemonic) == mnemonic
    return known and (goes == wanted if wanted is not None else goes >= end)


def _same_operation(line: str, instruction: Any) -> bool:
    """Whether an instruction is that of a line; where it jumps to, or finds constants, is not asked."""
    ours, texts = parse_line(line)
    theirs, others = parse_line(f"{instruction.mnemonic} {instruction.op_str}".strip())
    if _plain(ours) != _plain(theirs) or len(texts) != len(others):
        return False
    if ours in JUMPS:
        return True
    one, other = [_operand(text) for text in texts], [_operand(text) for text in others]
    # LLVM swaps the sources of these where the encoding is shorter then.
    return one == other or (ours in COMMUTATIVE and [one[1], one[0], *one[2:]] == other)


def _plain(mnemonic: str) -> str:
    if mnemonic[-1:] in "ql" and mnemonic[:-1] in SUFFIXED:
        mnemonic = mnemonic[:-1]
    return ALIASES.get(mnemonic, mnemonic)


def _operand(text: str) -> X86Operand:
    """An operand without how it is written, and without the place of constants."""
    text = text.replace(" ", "")
    if text.endswith("(%rip)") or "(%rip){" in text:
        text = "L" + text[text.index("(") :]
    operand = parse_operand(text)
    immediate = None if operand.immediate is None else operand.immediate & WORD
    if immediate is not None and immediate >> 31 in (1, (1 << 33) - 1):
        immediate &= 0xFFFFFFFF  # of a register's lower half, with and without its sign
    return replace(operand, text="", immediate=immediate)


def _same_constants(text: Text, line: TextLine, at: int, instruction: Any, section: bytes) -> bool:
    """Whether an operand beside the code has the bytes that the line's label and offset say."""
    ours = next(parse_operand(t) for t in parse_line(line.text)[1] if "(%rip)" in t)
    assert ours.memory
    distance = next(o for o in instruction.op_str.split(", ") if "(%rip)" in o).split("(")[0]
    there = instruction.address + instruction.size + int(distance, 16)
    for size in (64, 32, 16, 4):
        try:
            wanted = text.bytes_at(ours.memory, at, size)
        except NotCovered:
            continue
        return section[there : there + size] == wanted
    return False
