"""Inline assembly as emitters wrap it in LLVM IR: the lines, the registers of parameters, what is clobbered.

The form is read strictly: what differs from it is not covered, and therefore not proven.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from .terms import NotCovered

FUNCTION = re.compile(
    r"\s*define i32 @(?P<name>[\w.\-]+)\((?P<parameters>[^)]*)\) #0 \{\s*"
    r"%r = call \{ (?P<types>[^}]*) \} asm sideeffect "
    r'"(?P<body>[^"]*)", "(?P<constraints>[^"]*)"\((?P<arguments>[^)]*)\) #1\s*'
    r"ret i32 0\s*\}\s*"
    r'attributes #0 = \{ alwaysinline "target-features"="(?P<features>[^"]*)" \}\s*'
    r"attributes #1 = \{ noduplicate \}\s*"
)

PLAIN = re.compile(
    r"\s*define i32 @(?P<name>[\w.\-]+)\((?P<parameters>[^)]*)\) alwaysinline \{\n"
    r"(?P<body>entry:\n[^}]*)\}\n(?P<declarations>(?:declare [^\n]* @llvm\.[^\n]*\n)*)\s*"
)


@dataclass(frozen=True)
class InlineAsm:
    """A function that is one statement of inline assembly."""

    name: str
    lines: tuple[str, ...]
    registers: dict[str, str]
    """The register of each parameter that the assembly gets, by the parameter's position as text."""
    declared: frozenset[str]
    """Registers, flags and memory that LLVM is told are changed."""
    parameters: tuple[str, ...]
    features: frozenset[str]


def read_inline_asm(llvm_ir: str) -> InlineAsm:
    """Return the function; NotCovered for LLVM IR of another form."""
    match = FUNCTION.fullmatch(llvm_ir)
    if not match:
        raise NotCovered("the LLVM IR is not one function of one statement of inline assembly")
    parameters = tuple(part.strip() for part in match["parameters"].split(","))
    pieces = match["constraints"].split(",")
    outputs = [piece[2:-1] for piece in pieces if re.fullmatch(r"=\{[\w.]+\}", piece)]
    inputs = [piece for piece in pieces if piece.isdigit()]
    clobbers = [piece[2:-1] for piece in pieces if re.fullmatch(r"~\{[\w.]+\}", piece)]
    arguments = [part.strip() for part in match["arguments"].split(",")]
    types = [part.strip() for part in match["types"].split(",")]
    ordered = [*(f"={{{o}}}" for o in outputs), *inputs, *(f"~{{{c}}}" for c in clobbers)]
    if ordered != pieces or not len(outputs) == len(types) == len(inputs) == len(arguments):
        raise NotCovered("the constraints of the inline assembly are not of a form that is known")
    if sorted(map(int, inputs)) != list(range(len(outputs))) or len(set(outputs)) != len(outputs):
        raise NotCovered("an operand of the inline assembly is not tied to a register of its own")
    registers = {}
    for tie, argument in zip(inputs, arguments, strict=True):
        if argument not in parameters or types[int(tie)] != argument.split()[0]:
            raise NotCovered(f"the argument '{argument}' of the inline assembly is not a parameter")
        registers[argument.split()[1]] = outputs[int(tie)]
    if len(registers) != len(arguments):
        raise NotCovered("an argument of the inline assembly is given twice")
    template = match["body"].replace("\\0A\\09", "\n").replace("\n\t", "\n")
    if re.search(r"(?<!\$)\$(?:\$\$)*(?!\$)", template) or "\\" in template:
        raise NotCovered("the template of the inline assembly has operands or escapes that are not known")
    lines = tuple(template.replace("$$", "$").split("\n"))
    return InlineAsm(
        match["name"],
        lines,
        registers,
        frozenset((*outputs, *clobbers)),
        parameters,
        frozenset(match["features"].split(",")),
    )


def read_function(llvm_ir: str) -> InlineAsm:
    """Return a function of plain LLVM IR as one whose lines that is.

    Raises:
        NotCovered: The LLVM IR is not one function of that form.
    """
    match = PLAIN.fullmatch(llvm_ir)
    if not match:
        raise NotCovered("the LLVM IR is not one function without attributes of its own")
    parameters = tuple(part.strip() for part in match["parameters"].split(","))
    registers = {part.split()[1]: part.split()[1] for part in parameters}
    declared = frozenset({"memory"})
    lines = tuple(match["body"].split("\n"))
    return InlineAsm(match["name"], lines, registers, declared, parameters, frozenset())


def inline_asm_of_lines(text: str, emitted: InlineAsm) -> InlineAsm:
    """Return lines of assembly in place of those that were emitted, with the same registers and clobbers."""
    return replace(emitted, lines=tuple(text.split("\n")))
