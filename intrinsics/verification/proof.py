"""Whether a kernel's code computes what its name says, and nothing else."""

from __future__ import annotations

import gc
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from intrinsics.emit.asm import INTEGERS
from intrinsics.instruction_set import ANY_ARCH, Isa
from intrinsics.isa import ISAS
from intrinsics.microkernel import BYTES, KernelInstance
from intrinsics.packing import panels, windows
from intrinsics.registry import emit_named
from intrinsics.winograd import routines

from .architectures import ARCHITECTURES
from .comparison import Comparison
from .execution import Execution
from .inline_asm import InlineAsm, inline_asm_of_lines, read_function, read_inline_asm
from .machine_code import check_machine_code
from .memory import Memory
from .specification import Specification
from .state import State
from .term_arithmetic import Integer, TermArithmetic
from .terms import Affine, NotCovered, Refutation, Terms
from .windows import Windows

ROUTINES = (panels.PREFIX, windows.PREFIX, routines.INPUT, routines.OUTPUT)
"""Names that begin so are of routines that are not micro-kernels."""
MOST_CHANNELS = 1 << 20
"""Kernels that walk more channels for a filter row are not looked at: it would take long."""
LARGEST_PAIR = 255 * 128
"""Unsigned bytes times both weights of a word of B sum to at most this where a filter is packed so."""
PROVEN, REFUTED, NOT_COVERED = "proven", "refuted", "not covered"


@dataclass(frozen=True)
class Verification:
    """What became of the proof of one kernel, which is true where the kernel is proven.

    ``outcome`` is "proven", "refuted" or "not covered"; ``reason`` says where code is another than its name
    says, or what is not covered. ``details`` may have the ``line`` of the assembly, counted from one, and the
    ``expected`` and ``found`` terms. ``seconds`` is what the proof took.
    """

    name: str
    outcome: str
    reason: str = ""
    details: Mapping[str, object] = field(default_factory=dict)
    seconds: float = field(default=0.0, compare=False)

    def __bool__(self) -> bool:
        return self.outcome == PROVEN

    def __str__(self) -> str:
        parts = [f"{self.name}: {self.outcome}", *([self.reason] if self.reason else [])]
        return "; ".join([*parts, *(f"{key} {value}" for key, value in self.details.items())])


def verify(name: str, code: str | None = None, machine_code: bool = False) -> Verification:
    """Return whether a kernel's code computes what its name says (docs/verification.md).

    Args:
        name: The name of a micro-kernel instance, as ``KernelInstance.name`` is.
        code: LLVM IR of the kernel's form, or lines of assembly with the kernel's registers; by default the
            code that is emitted for the name.
        machine_code: Whether the bytes that LLVM makes of the emitted code are compared with it, too.

    Raises:
        ValueError: The name is not that of a kernel, or there is no such kernel.
    """
    start = time.perf_counter()
    collects = gc.isenabled()
    gc.disable()  # terms are many, and none is garbage before the end
    try:
        outcome, reason, details = _outcome(name, code, machine_code)
    finally:
        if collects:
            gc.enable()
    return Verification(name, outcome, reason, details, time.perf_counter() - start)


def _outcome(name: str, code: str | None, machine_code: bool) -> tuple[str, str, Mapping[str, object]]:
    if name.startswith(ROUTINES):
        return NOT_COVERED, "packing and other routines are not covered", {}
    instance = KernelInstance.parse(name)
    isa = ISAS.get(instance.kernel.isa)
    if isa is None:
        raise ValueError(f"'{name}' is of an unknown instruction set")
    emitted = emit_named(name)
    try:
        Proof(instance, isa, _read(isa, code, emitted)).check()
        if machine_code and isa.arch != "x86_64":
            raise NotCovered("machine code is compared on x86 only")
        if machine_code:
            check_machine_code(emitted, read_inline_asm(emitted))
    except NotCovered as error:
        # Of code that is given, what cannot be read is not what the name says.
        return (NOT_COVERED if code is None else REFUTED), str(error), {}
    except Refutation as error:
        return REFUTED, str(error), error.found
    except Exception as error:
        # Odd code may be odd in ways that nobody thought of; that it is right is not shown.
        outcome = NOT_COVERED if code is None else REFUTED
        return outcome, f"the code cannot be followed ({type(error).__name__}: {error})", {}
    return PROVEN, "", {}


def _read(isa: Isa, code: str | None, emitted: str) -> InlineAsm:
    if isa.arch == ANY_ARCH:
        return read_function(emitted if code is None else code)
    known = read_inline_asm(emitted)
    if code is None:
        return known
    if "define" not in code:
        return inline_asm_of_lines(code, known)
    given = read_inline_asm(code)
    if not given.features >= known.features:
        raise Refutation("LLVM is not told of all features that the kernel's instructions are of")
    return given


class OperandArithmetic(TermArithmetic):
    """Arithmetic that knows which weights an instruction set's kernels of bytes are for."""

    def __init__(self, terms: Terms, isa: Isa) -> None:
        super().__init__(terms)
        self._largest, self._complements = isa.largest_weight, isa.complements

    def ranges(self, element: int) -> tuple[int, int] | None:
        if self._weight(element) is None:
            return None
        return max(-128, -self._largest), min(127, self._largest)

    def bounds(self, x: Integer) -> tuple[int, int]:
        if self._complements and self._is_pair(x):
            return -LARGEST_PAIR, LARGEST_PAIR
        return super().bounds(x)

    def exclusive_or(self, a: int, b: int, size: int = 4) -> int:
        if not self._complements or size == 1:
            return super().exclusive_or(a, b, size)
        bytes_of = self.terms.bytes_of
        pairs = zip(bytes_of(a, size), bytes_of(b, size), strict=True)
        return self.terms.join(tuple(super(OperandArithmetic, self).exclusive_or(*pair, 1) for pair in pairs))

    def _is_pair(self, x: Integer) -> bool:
        """Whether these are unsigned bytes times both weights of a word of B."""
        weights, nodes = list[Affine](), self.terms.nodes
        for product, factor in x.items():
            of_kind = {nodes[atom][0]: nodes[atom] for atom in product}
            if factor != 1 or len(product) != 2 or of_kind.keys() != {"u", "s"} or of_kind["u"][2] != 8:
                return False
            weight = self._weight(of_kind["s"][1])
            weights += [] if weight is None else [weight]
        if len(weights) != 2 or len(x) != 2:
            return False
        (key, one), (other_key, other) = sorted(weights)
        return key == other_key and one % 2 == 0 and other == one + 1

    def _weight(self, element: int) -> Affine | None:
        """The address of a byte of B, if it is one."""
        node = self.terms.nodes[element]
        if node[0] != "ld" or node[1] != 1 or (("*b",), 1) not in self.terms.keys[node[2]]:
            return None
        return node[2], node[3]


class Proof:
    """The proof of one instance's code."""

    def __init__(self, instance: KernelInstance, isa: Isa, code: InlineAsm) -> None:
        if code.name != instance.name:
            raise Refutation(f"the code defines {code.name}, and not the kernel")
        segments = (*instance.segments, *instance.tail_segments)
        if sum(segment.length for segment in segments) * max(1, instance.blocks) > MOST_CHANNELS:
            raise NotCovered(f"the kernel walks more than {MOST_CHANNELS} channels")
        self.instance, self.isa, self.code = instance, isa, code
        self.architecture = ARCHITECTURES[isa.arch]
        self.terms = Terms()
        self.op = OperandArithmetic(self.terms, isa)
        self.specification = Specification(instance, self.terms, self.op)

    def check(self) -> None:
        """Refutation, or NotCovered, unless all paths store what is specified, and nothing else."""
        terms, of = self.terms, self.architecture
        memory = Memory(terms, BYTES[self.instance.kernel.destination], of.red_zone)
        program = of.program(terms, self.op, memory, self.code.lines)
        self._check_clobbers({name for i in program for name in i.writes}, any(i.stores for i in program))
        execution = memory.execution = Execution(terms, program)
        try:
            paths = execution.run(self._entry(), 0, len(execution.program))
            for state in paths:
                self._check_end(state)
                Comparison(self.specification, state).check()
            Windows(self.specification).check(execution)
            self._check_clobbers(execution.written, stores=False)
        except Refutation as error:
            error.found.setdefault("line", execution.line)
            with suppress(IndexError, TypeError):
                error.found["instruction"] = self.code.lines[int(str(error.found["line"])) - 1]
            raise

    def _check_clobbers(self, written: set[str], stores: bool) -> None:
        of = self.architecture
        declared = frozenset(of.aliases.get(name, name) for name in self.code.declared)
        undeclared = sorted(name for name in written if not of.is_declared(name, declared))
        if undeclared:
            raise Refutation(f"LLVM is not told that these registers are written: {', '.join(undeclared)}")
        if stores and "memory" not in self.code.declared:
            raise Refutation("LLVM is not told that memory is written")

    def _check_end(self, state: State) -> None:
        if state.general["sp"] != self.terms.symbol("sp"):
            raise Refutation("the stack pointer is not put back")

    def _entry(self) -> State:
        """The state in which the assembly begins."""
        state, wanted, given = (
            self.architecture.state(self.terms),
            self.instance.parameters,
            self.code.parameters,
        )
        kinds = ["i64" if name in INTEGERS else "ptr" for name in wanted]
        if [parameter.split()[0] for parameter in given] != kinds:
            raise Refutation("the function does not have the parameters of the kernel")
        for name, parameter in zip(wanted, given, strict=True):
            register = self.code.registers.get(parameter.split()[1])
            if register is None:
                continue
            register = self.architecture.aliases.get(register, register)
            if register not in state.general or register == "sp":
                raise NotCovered(f"a parameter is in the register {register}")
            state.general[register] = self.terms.symbol(name if name in INTEGERS else f"*{name}")
        return state


__all__ = ["NOT_COVERED", "PROVEN", "REFUTED", "Verification", "verify"]
