"""Whether a kernel's code computes what its name says, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field

from intrinsics.isa import ISAS, Isa
from intrinsics.microkernel import BYTES, KernelInstance
from intrinsics.registry import emit_named

from .arithmetic import TermArithmetic
from .comparison import Comparison
from .execution import Execution
from .inline_asm import InlineAsm, read_inline_asm
from .memory import Memory
from .specification import Specification
from .state import State
from .terms import NotCovered, Refutation, Terms
from .windows import Windows
from .x86_machine import LANES, X86Decoder
from .x86_text import GENERAL, Text

INTEGERS = ("taps_h", "step", "line")
RED_ZONE = 128
"""Code around inline assembly may keep so many bytes below the stack pointer."""


@dataclass(frozen=True)
class Verification:
    """What became of a proof; true where the kernel is proven."""

    name: str
    outcome: str
    """One of "proven", "refuted" and "not covered"."""
    reason: str = ""
    details: dict[str, object] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.outcome == "proven"


def verify(name: str, code: str | None = None) -> Verification:
    instance = KernelInstance.parse(name)
    text = code if code is not None else emit_named(name)
    try:
        Proof(instance, read_inline_asm(text)).check()
    except NotCovered as error:
        return Verification(name, "not covered", str(error))
    except Refutation as error:
        return Verification(name, "refuted", str(error), error.found)
    return Verification(name, "proven")


class OperandArithmetic(TermArithmetic):
    """Knows that the filter's bytes are such as an instruction set's kernels are exact for."""

    def __init__(self, terms: Terms, isa: Isa) -> None:
        super().__init__(terms)
        self._largest = isa.largest_weight

    def ranges(self, element: int) -> tuple[int, int] | None:
        node = self.terms.nodes[element]
        if node[0] != "ld" or node[1] != 1 or (("*b",), 1) not in self.terms.keys[node[2]]:
            return None
        return max(-128, -self._largest), min(127, self._largest)


class Proof:
    def __init__(self, instance: KernelInstance, code: InlineAsm) -> None:
        if code.name != instance.name:
            raise Refutation(f"the code defines {code.name}, not {instance.name}")
        self.instance, self.code = instance, code
        self.isa = ISAS[instance.kernel.isa]
        self.terms = Terms()
        self.op = OperandArithmetic(self.terms, self.isa)
        self.specification = Specification(instance, self.terms, self.op)

    def check(self) -> None:
        terms = self.terms
        memory = Memory(terms, BYTES[self.instance.kernel.destination], RED_ZONE)
        text = Text(self.code.lines)
        program = X86Decoder(terms, self.op, memory, text).program()
        written = {name for i in program for name in i.writes}
        undeclared = {n for n in written if not self._declared(n)}
        if undeclared:
            raise Refutation(f"LLVM is not told that these registers are written: {', '.join(sorted(undeclared))}")
        if any(i.stores for i in program) and "memory" not in self.code.declared:
            raise Refutation("LLVM is not told that memory is written")
        execution = memory.execution = Execution(terms, program)
        paths = execution.run(self.entry(), 0, len(program))
        windows = Windows(self.specification)
        for state in paths:
            if state.general["sp"] != terms.symbol("sp"):
                raise Refutation("the stack pointer is not put back")
            Comparison(self.specification, execution, state).check()
        windows.check(execution)

    def _declared(self, name: str) -> bool:
        if name == "sp":
            return True
        if name.startswith("mm"):
            return any(width + name in self.code.declared for width in "xyz")
        return name in self.code.declared

    def entry(self) -> State:
        terms, state = self.terms, State()
        for register, (name, _) in GENERAL.items():
            if register == name and name != "rsp":
                state.general[name] = terms.symbol(f"in.{name}")
        state.general["sp"] = terms.symbol("sp")
        expected = [("i64 %" if p in INTEGERS else "ptr %") + p for p in self.instance.parameters]
        if [p.split()[0] for p in expected] != [p.split()[0] for p in self.code.parameters] or len(expected) != len(self.code.parameters):
            raise Refutation("the function does not have the parameters of the kernel")
        for name, given in zip(self.instance.parameters, self.code.parameters, strict=True):
            register = self.code.registers.get(given.split()[1])
            if register:
                state.general[register] = terms.symbol(name if name in INTEGERS else f"*{name}")
        for number in range(32):
            name = f"mm{number}"
            state.vectors[name] = tuple(terms.make("undef", name, lane) for lane in range(LANES))
        state.masks = {f"k{n}": None for n in range(8)}
        return state
