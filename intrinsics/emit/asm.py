"""Inline asm wrapped as an always-inlined LLVM IR function, which TVM imports; no C compiler takes part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

PARAMETERS = ("c", "a", "b", "bias", "residual", "taps_h")
"""Every micro-kernel has these arguments: five pointers and the number of filter rows to visit (int64)."""
AHEAD = "ahead"
"""Those that fetch the filter ahead of its use have this one behind them, a pointer to what they fetch."""


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

    Every routine enters and leaves it by itself, which is right wherever it is called from. ``declarations``
    stand before the function.
    """

    enter: tuple[str, ...]
    leave: tuple[str, ...]
    declarations: tuple[str, ...] = ()


def llvm_routine(signature: str, call: str, setup: ThreadSetup | None, attributes: str = "") -> str:
    """LLVM IR of a function that makes one call, in the state that ``setup`` makes, and returns 0."""
    enter, leave, declarations = (setup.enter, setup.leave, setup.declarations) if setup else ((), (), ())
    lines = [*declarations, f"{signature} {attributes}{{", *(f"  {line}" for line in (*enter, call, *leave))]
    return "\n".join([*lines, "  ret i32 0", "}\n"])


def llvm_function(
    name: str,
    body: AsmBody,
    registers: Sequence[str],
    clobbers: Sequence[str],
    features: frozenset[str],
    flags: Sequence[str],
    setup: ThreadSetup | None = None,
    ahead: bool = False,
) -> str:
    """LLVM IR of ``i32 name(ptr c, ptr a, ptr b, ptr bias, ptr residual, i64 taps_h[, ptr ahead])``.

    ``registers`` pins each parameter, in order, but for ``ahead`` where it is not used; all are returned as
    clobbered outputs, so that the body may change them. ``clobbers`` are the other registers it writes,
    ``flags`` the architecture's names of its flags, and ``setup`` is the state it runs in.
    """
    parameters = [f"{'i64' if p == 'taps_h' else 'ptr'} %{p}" for p in (*PARAMETERS, *[AHEAD] * ahead)]
    pinned = parameters[: len(registers)]
    types = ", ".join(parameter.split()[0] for parameter in pinned)
    outputs = ",".join(f"={{{register}}}" for register in registers)
    inputs = ",".join(str(i) for i in range(len(registers)))
    clobbered = ",".join(f"~{{{c}}}" for c in (*clobbers, "memory", *flags))
    wanted = ",".join(f"+{feature}" for feature in sorted(features))
    call = (
        f"%r = call {{ {types} }} asm sideeffect "
        f'"{body.text()}", "{outputs},{inputs},{clobbered}"({", ".join(pinned)}) #1'
    )
    routine = llvm_routine(f"define i32 @{name}({', '.join(parameters)})", call, setup, "#0 ")
    # LLVM takes the whole kernel for one instruction, and would unroll loops around it.
    return (
        f'{routine}attributes #0 = {{ alwaysinline "target-features"="{wanted}" }}\n'
        "attributes #1 = { noduplicate }\n"
    )
