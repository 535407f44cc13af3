"""Inline asm wrapped as an always-inlined LLVM IR function, which TVM imports; no C compiler takes part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

PARAMETERS = ("c", "a", "b", "bias", "residual", "taps_h")
"""Every micro-kernel has these arguments: five pointers and the number of filter rows to visit (int64)."""
STEP = "step"
"""Parameter of kernels whose ``a_step`` is open: the elements of A from a filter row to the next (int64)."""
LINE = "line"
"""Parameter of kernels whose ``lines.c`` is open: the elements of C from a line to the next (int64)."""
AHEAD = "ahead"
"""Parameter of kernels that fetch the filter ahead of its use, behind all others: a pointer to what they
fetch."""
INTEGERS = ("taps_h", STEP, LINE)
"""Parameters that are int64; all others are pointers."""


def declared(parameter: str) -> str:
    """The parameter with its LLVM type."""
    return f"{'i64' if parameter in INTEGERS else 'ptr'} %{parameter}"


@dataclass
class AsmBody:
    """Lines of assembly (of x86, AT&T's). Labels are numeric and local: functions are inlined repeatedly."""

    lines: list[str] = field(default_factory=list)

    def __call__(self, line: str) -> None:
        self.lines.append(line)

    def text(self) -> str:
        """The lines as an LLVM string: ``$`` doubled, line breaks escaped."""
        return "\\0A\\09".join(line.replace("$", "$$") for line in self.lines)


@dataclass(frozen=True)
class ThreadSetup:
    """A state of the thread that instructions need and other code must not see, as statements of LLVM IR that
    enter and leave it (AMX's configuration of tiles, Arm's streaming mode).

    They are the bodies of two routines, which ``thread_state`` calls around kernels. ``declarations`` stand
    before the functions.
    """

    name: str
    enter: tuple[str, ...]
    leave: tuple[str, ...]
    declarations: tuple[str, ...] = ()

    @property
    def entering(self) -> str:
        """The name of the routine that enters the state."""
        return f"enter__{self.name}"

    @property
    def leaving(self) -> str:
        """The name of the routine that leaves it."""
        return f"leave__{self.name}"

    def llvm_ir(self) -> str:
        """LLVM IR of both routines, each ``i32 name()``."""
        return "\n".join(self.declarations) + "".join(
            f"\n{llvm_routine(f'define i32 @{name}()', lines, 'alwaysinline ')}"
            for name, lines in ((self.entering, self.enter), (self.leaving, self.leave))
        )


def llvm_routine(signature: str, statements: Sequence[str], attributes: str = "") -> str:
    """LLVM IR of a function of these statements that returns 0."""
    return "\n".join(
        [f"{signature} {attributes}{{", *(f"  {line}" for line in statements), "  ret i32 0", "}\n"]
    )


def llvm_function(
    name: str,
    body: AsmBody,
    registers: Sequence[str],
    clobbers: Sequence[str],
    features: frozenset[str],
    flags: Sequence[str],
    parameters: Sequence[str],
) -> str:
    """LLVM IR of ``i32 name(ptr c, ptr a, ptr b, ptr bias, ptr residual, i64 taps_h[, i64 step][, i64 line][,
    ptr ahead])``.

    ``registers`` pins each parameter, in order, but for ``ahead`` where it is not used; all are returned as
    clobbered outputs, so that the body may change them. ``clobbers`` are the other registers it writes,
    ``flags`` the architecture's names of its flags.
    """
    declarations = [declared(parameter) for parameter in parameters]
    pinned = declarations[: len(registers)]
    types = ", ".join(parameter.split()[0] for parameter in pinned)
    outputs = ",".join(f"={{{register}}}" for register in registers)
    inputs = ",".join(str(i) for i in range(len(registers)))
    clobbered = ",".join(f"~{{{c}}}" for c in (*clobbers, "memory", *flags))
    wanted = ",".join(f"+{feature}" for feature in sorted(features))
    call = (
        f"%r = call {{ {types} }} asm sideeffect "
        f'"{body.text()}", "{outputs},{inputs},{clobbered}"({", ".join(pinned)}) #1'
    )
    routine = llvm_routine(f"define i32 @{name}({', '.join(declarations)})", [call], "#0 ")
    # LLVM takes the whole kernel for one instruction, and would unroll loops around it.
    return (
        f'{routine}attributes #0 = {{ alwaysinline "target-features"="{wanted}" }}\n'
        "attributes #1 = { noduplicate }\n"
    )
