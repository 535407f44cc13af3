"""Inline asm wrapped as an always-inlined LLVM IR function, which TVM imports; no C compiler takes part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

PARAMETERS = ("c", "a", "b", "bias", "residual", "taps_h")
"""Arguments of every micro-kernel: five pointers and the number of filter rows to visit (int64)."""


@dataclass
class AsmBody:
    """Lines of assembly (of x86, AT&T's). Labels are numeric and local: functions are inlined repeatedly."""

    lines: list[str] = field(default_factory=list)

    def __call__(self, line: str) -> None:
        self.lines.append(line)

    def text(self) -> str:
        """As an LLVM string: ``$`` doubled, line breaks escaped."""
        return "\\0A\\09".join(line.replace("$", "$$") for line in self.lines)


def llvm_function(
    name: str,
    body: AsmBody,
    registers: Sequence[str],
    clobbers: Sequence[str],
    features: frozenset[str],
    flags: Sequence[str] = ("cc", "dirflag", "fpsr", "flags"),
) -> str:
    """LLVM IR of ``i32 name(ptr c, ptr a, ptr b, ptr bias, ptr residual, i64 taps_h)``.

    ``registers`` pins each parameter, in order; all are returned as clobbered outputs, so that the body may
    change them. ``clobbers`` are the other registers it writes,
    ``flags`` the architecture's names of its flags.
    """
    types = ["i64" if parameter == "taps_h" else "ptr" for parameter in PARAMETERS]
    arguments = ", ".join(f"{t} %{p}" for t, p in zip(types, PARAMETERS, strict=True))
    outputs = ",".join(f"={{{register}}}" for register in registers)
    inputs = ",".join(str(i) for i in range(len(registers)))
    clobbered = ",".join(f"~{{{c}}}" for c in (*clobbers, "memory", *flags))
    wanted = ",".join(f"+{feature}" for feature in sorted(features))
    return (
        f"define i32 @{name}({arguments}) #0 {{\n"
        f"  %r = call {{ {', '.join(types)} }} asm sideeffect "
        f'"{body.text()}", "{outputs},{inputs},{clobbered}"({arguments})\n'
        f"  ret i32 0\n}}\n"
        f'attributes #0 = {{ alwaysinline "target-features"="{wanted}" }}\n'
    )
