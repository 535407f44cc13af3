"""The object file of a network: its kernels, the launcher, and the weights, by TVM's LLVM alone.

TVM compiles the kernels, and gives their optimized IR as text; with the launcher's IR beside it, it becomes
one object whose only symbols are those of the header. Nobody's C compiler, archiver or linker is asked for
anything.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

import tvm
import tvm_ffi
from tvm import tirx

from tvm_directconv.memory import ALIGNMENT
from tvm_directconv.problem.extents import as_expression, is_open, typical
from tvm_directconv.problem.open_sizes import OpenSizes, active_sizes
from tvm_directconv.problem.ties import rebuilt
from tvm_directconv.targets import llvm
from tvm_directconv.targets.target import CompileTarget

from .cpu_check import baseline_of, cpu_check
from .joining import is_same_code, joined, with_suffix
from .launches import WORKSPACE, Launch, Launches
from .lowering import finished_functions
from .plain_kernels import Phase, PlainKernel
from .routines import with_routines_together
from .table import COMPUTE, Sizes, Table, computing

MISALIGNED, WRONG_WEIGHTS, THREADS_FAILED, WRONG_SIZES, WRONG_CPU = 1, 2, 3, 4, 5
"""What the functions return, as the header says."""
NUMBER_BYTES = 8
HEADER_BYTES = 64
"""A file of weights begins with so many bytes that say whose they are."""
MAGIC = b"TVMDCC01"
WEIGHTS_SECTIONS = {"darwin": "__TEXT,__const", "windows": '.rdata,"dr"'}
"""The sections of what is only read, by system; ELF's is the default."""
ELF_SECTION = '.rodata,"a"'
OUTSIDE = r"^define (?:dllexport |weak dso_local )(?=.*@)"
DEBUGGING = r"(,? !dbg !\d+|^    #dbg_\w+\(.*\)\n|^!llvm\.dbg\.cu = .*\n)"


@dataclass(frozen=True)
class Opened:
    """The open sizes of a network, as the compiler and as a run has them, and the outputs' shapes."""

    sizes: OpenSizes
    given: Sizes
    outputs: Sequence[Sequence[Any]]

    @property
    def rank(self) -> int:
        """Return the most dimensions that an output has."""
        return max(1, *map(len, self.outputs))


def label_of(weights: bytes) -> bytes:
    """Return the first bytes of a file of these weights."""
    digest = hashlib.blake2b(weights, digest_size=HEADER_BYTES - len(MAGIC) - 8).digest()
    return MAGIC + len(weights).to_bytes(8, "little") + digest


@dataclass(frozen=True)
class SetCode:
    """A network's code for one instruction set, called ``name``: its IR, and the bytes of its workspace in
    one thread. ``internal`` is what names of its functions begin with."""

    name: str
    internal: str
    target: CompileTarget
    launches: Launches
    text: str
    workspace_bytes: int
    opened: Opened | None


def code_of(
    network: str,
    name: str,
    launches: Launches,
    kernels: Mapping[str, PlainKernel],
    target: CompileTarget,
    opened: Opened | None,
) -> SetCode:
    """Return the code of a network for the instruction set called ``name``."""
    functions = {phase.symbol: phase.function for kernel in kernels.values() for phase in kernel.phases}
    table, internal = Table(), f"{network}.{name}"
    launcher = _launcher(internal, launches, kernels, table, opened)
    if opened is not None:
        compute = computing(table, opened.given, opened.sizes, WRONG_SIZES)
        host = target.tvm_target.with_host(target.tvm_target)
        functions |= finished_functions({COMPUTE: compute.with_attr("target", host)})
    text = "\n".join([_kernel_text(functions, target), launcher])
    needed = workspace_bytes(launches, kernels)
    return SetCode(name, internal, target, launches, with_suffix(text, f".{name}", internal), needed, opened)


def without_repetitions(codes: Sequence[SetCode]) -> list[SetCode]:
    """Return the codes, the best first, but for those that are another's for fewer CPUs."""

    def repeats(code: SetCode, other: SetCode) -> bool:
        alike = other.text.replace(f".{other.name}", f".{code.name}")
        return other.target.features <= code.target.features and is_same_code(code.text, alike)

    return [code for n, code in enumerate(codes) if not any(repeats(code, o) for o in codes[n + 1 :])]


def write_object(path: Path, name: str, codes: Sequence[SetCode], weights: Path | None, label: bytes) -> None:
    """Write the object with the codes, the best first; ``weights`` is a file whose bytes get into it, or None
    where they are beside it, behind a ``label``."""
    target, triple = codes[-1].target, codes[-1].target.triple
    # A function without a CPU of its own is for the last one's.
    texts = joined([code.text for code in reversed(codes)])
    check = cpu_check(name, [code.target.features for code in codes], triple)
    text = "\n".join([texts, _entries(name, codes, weights, label, target), check])
    source = path.with_suffix(".ll")
    source.write_text(text)
    module = tvm_ffi.get_global_func("ffi.Module.load_from_file.ll")(str(source), "ll")
    source.unlink()
    module.write_to_file(str(path), "o")


def _entries(
    name: str, codes: Sequence[SetCode], weights: Path | None, label: bytes, target: CompileTarget
) -> str:
    """The IR of the functions that the header declares."""
    sizes = "" if codes[0].opened is None else "ptr %sizes, "
    arguments = f"{sizes}i32 signext %number"
    baseline = baseline_of(llvm.arch_of(target.triple))
    functions = []
    kinds = {"input_bytes": arguments, "output_bytes": arguments}
    kinds |= {"output_extent": f"{arguments}, i32 signext %axis"} if sizes else {}
    for kind, given in kinds.items():
        functions += [
            f"define i64 @{name}_{kind}({given}) {baseline} {{",
            f"  %result = call i64 @{codes[-1].internal}_{kind}({given})",
            "  ret i64 %result",
            "}",
        ]
    functions.append(f"define i64 @{name}_workspace_bytes({arguments}) {baseline} {{")
    for number, code in enumerate(codes):
        before = f"%most{number - 1}" if number else "0"
        functions += [
            f"  %own{number} = call i64 @{code.internal}_workspace_bytes({arguments})",
            f"  %more{number} = icmp ugt i64 %own{number}, {before}",
            f"  %most{number} = select i1 %more{number}, i64 %own{number}, i64 {before}",
        ]
    functions += [f"  ret i64 %most{len(codes) - 1}", "}"]
    values = {
        "name": name,
        "sizes": sizes,
        "set_count": len(codes),
        "runs": ", ".join(f"ptr @{code.internal}_run" for code in codes),
        "functions": "\n".join(functions),
        "baseline": baseline,
        "wrong_cpu": WRONG_CPU,
        "wrong_weights": WRONG_WEIGHTS,
        "misaligned": MISALIGNED,
        "alignment_mask": ALIGNMENT - 1,
        "header_bytes": HEADER_BYTES,
        "label": "".join(f"\\{byte:02X}" for byte in label),
        "file_bytes": HEADER_BYTES + codes[0].launches.weights.size,
        "inside": "false" if weights is None else "true",
        "inside_pointer": "null" if weights is None else f"@{name}.weights",
        "weights": "" if weights is None else _embedded(name, weights, target),
    }
    return Template(files(__package__).joinpath("entries.ll").read_text()).substitute(values)


def workspace_needs(launches: Launches, kernels: Mapping[str, PlainKernel]) -> list[tuple[Any, Any]]:
    """Return what kernels need beyond their operands: bytes, and bytes of each task; each once, of what is
    not open the least of two that are the same but for one that needs no more."""
    needs: dict[str, tuple[Any, Any]] = {}
    for call in launches.calls:
        kernel = kernels[call.kernel]
        shared, own = (_of_call(size, call, kernel) for size in (kernel.shared_bytes, kernel.task_bytes))
        need = (shared, own) if any(phase.parallel for phase in kernel.phases) else (shared + own, 0)
        needs[str(need)] = need
    fixed = {need for need in needs.values() if not is_open(need)}
    least = [
        need
        for need in sorted(fixed)
        if not any(o != need and o[0] >= need[0] and o[1] >= need[1] for o in fixed)
    ]
    return [*least, *(need for need in needs.values() if is_open(need))]


def _of_call(size: Any, call: Launch, kernel: PlainKernel) -> Any:
    """A number of bytes over a kernel's sizes, as one of the network's in a call."""
    sizes = active_sizes()
    if isinstance(size, int) or sizes is None:
        return size
    given = {var: as_expression(call.shapes[n][axis]) for var, (n, axis) in kernel.sizes.items()}

    def leaf(part: tirx.Expr) -> Any:
        if isinstance(part, tirx.Div):  # of sizes, which are not negative
            return tirx.floordiv(rebuilt(part.a, leaf), rebuilt(part.b, leaf))
        return given[part] if isinstance(part, tirx.Var) else None

    return sizes.extent(rebuilt(size, leaf))


def workspace_bytes(launches: Launches, kernels: Mapping[str, PlainKernel], threads: int = 1) -> int:
    """Return the bytes of workspace that a run in so many threads takes, of open sizes the typical ones."""
    needs = [tuple(map(typical, need)) for need in workspace_needs(launches, kernels)]
    return int(typical(launches.arena_bytes) + max(shared + threads * own for shared, own in needs))


def _kernel_text(functions: Mapping[str, tirx.PrimFunc], target: CompileTarget) -> str:
    together = with_routines_together(functions)
    named = {symbol: function.with_attr("global_symbol", symbol) for symbol, function in together.items()}
    compiled = tvm_ffi.get_global_func("target.build.llvm")(tvm.IRModule(named), target.tvm_target)
    text = compiled.inspect_source("ll")
    text = re.sub(DEBUGGING, "", text, flags=re.MULTILINE)
    return re.sub(OUTSIDE, "define internal ", text, flags=re.MULTILINE)


def _launcher(
    name: str,
    launches: Launches,
    kernels: Mapping[str, PlainKernel],
    table: Table,
    opened: Opened | None,
) -> str:
    """The IR of the launcher, whose numbers are put in ``table``."""
    inputs, outputs = len(launches.inputs), len(launches.outputs)
    table_block = WORKSPACE + 1 + inputs + outputs
    steps, operands = [], list[tuple[int, int]]()
    for call in launches.calls:
        kernel = kernels[call.kernel]
        for phase in kernel.phases:
            fields = f"i32 {int(phase.parallel)}, i32 {len(operands)}, i32 {phase.operands}"
            steps.append(f"%{name}.step {{ ptr @{name}.{phase.symbol}, {fields} }}")
        operands += [(place.block, table.place(place.offset)) for place in call.operands]
        sizes = [table.place(call.shapes[operand][axis]) for operand, axis in kernel.sizes.values()]
        operands += [(table_block, table.place(NUMBER_BYTES * size)) for size in sizes]
    needs = workspace_needs(launches, kernels)
    first_need = table.row([number for need in needs for number in need])[0]
    first_input, first_output = table.row(launches.inputs), table.row(launches.outputs)
    values = {
        "name": name,
        "operand_count": len(operands),
        "operands": ", ".join(f"%{name}.operand {{ i64 {block}, i64 {place} }}" for block, place in operands),
        "step_count": len(steps),
        "steps": ", ".join(steps),
        "need_count": len(needs),
        "first_need": first_need,
        "input_count": inputs,
        "first_input_size": first_input.start,
        "output_count": outputs,
        "first_output_size": first_output.start,
        "arena": table.place(launches.arena_bytes),
        "block_count": table_block + 1,
        "table_block": table_block,
        "first_output": WORKSPACE + 1 + inputs,
        "frame_count": 2 + max(phase.operands for kernel in kernels.values() for phase in kernel.phases),
        "alignment_mask": ALIGNMENT - 1,
        "misaligned": MISALIGNED,
        "threads_failed": THREADS_FAILED,
    }
    templates = ["launcher.ll"]
    if opened is not None:
        rows = [extent for shape in opened.outputs for extent in [*shape, *[0] * (opened.rank - len(shape))]]
        values |= {"rank": opened.rank, "first_extent": table.row(rows).start}
        templates.append("launcher_sizes.ll")
    values |= _table_values(name, table, opened)
    texts = [Template(files(__package__).joinpath(each).read_text()).substitute(values) for each in templates]
    phases = (phase for kernel in kernels.values() for phase in kernel.phases)
    return "\n".join([*texts, *(_entry(name, phase) for phase in phases)])


def _table_values(name: str, table: Table, opened: Opened | None) -> dict[str, Any]:
    """What makes the launcher's table: a constant, or a call of what computes it."""
    count = len(table.values)
    if opened is None:
        numbers = ", ".join(f"i64 {value}" for value in table.values)
        constant = f"@{name}.table = internal constant [{count} x i64] [{numbers}]"
        return {
            "sizes": "",
            "table": f"  %table = getelementptr i64, ptr @{name}.table, i64 0",
            "numbers": constant,
        }
    made = f"  %table = alloca [{count} x i64], align 8\n  call void @{COMPUTE}(ptr %sizes, ptr %table)"
    return {"sizes": "ptr %sizes, ", "table": made, "numbers": ""}


def _entry(name: str, phase: Phase) -> str:
    """What takes a kernel's arguments out of a frame."""
    lines = [f"define internal void @{name}.{phase.symbol}(ptr %frame, i32 signext %task) {{"]
    lines.append("  %tasks = load i32, ptr %frame")
    arguments = ["i32 %task", "i32 %tasks"]
    for number in [*range(2, 2 + phase.operands), 1]:
        lines.append(f"  %place{number} = getelementptr ptr, ptr %frame, i64 {number}")
        lines.append(f"  %value{number} = load ptr, ptr %place{number}")
        arguments.append(f"ptr %value{number}")
    lines.append(f"  call void @{phase.symbol}({', '.join(arguments)})")
    return "\n".join([*lines, "  ret void", "}", ""])


def _embedded(name: str, weights: Path, target: CompileTarget) -> str:
    """The bytes of a file as constants of the object, without a copy of them in the IR."""
    system = llvm.system_of(target.triple)
    apple = system in ("darwin", "macos", "ios")
    section = WEIGHTS_SECTIONS.get("darwin" if apple else system, ELF_SECTION)
    symbol = f"{'_' if apple else ''}{name}.weights"
    quoted = str(weights).replace("\\", "\\\\").replace('"', '\\"')
    lines = [f".section {section}", f".balign {ALIGNMENT}", f'"{symbol}":', f'.incbin "{quoted}"', ".text"]
    assembly = ['module asm "' + line.replace("\\", "\\5C").replace('"', "\\22") + '"' for line in lines]
    return "\n".join([*assembly, f"@{name}.weights = external hidden constant [0 x i8], align {ALIGNMENT}"])
