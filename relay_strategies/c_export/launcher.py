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

import tvm
import tvm_ffi

from tvm_directconv.memory import ALIGNMENT
from tvm_directconv.targets import llvm
from tvm_directconv.targets.target import CompileTarget

from .launches import WORKSPACE, Launches
from .plain_kernels import Phase, PlainKernel

MISALIGNED, WRONG_WEIGHTS, THREADS_FAILED = 1, 2, 3
"""What the functions return, as the header says."""
HEADER_BYTES = 64
"""A file of weights begins with so many bytes that say whose they are."""
MAGIC = b"TVMDCC01"
WEIGHTS_SECTIONS = {"darwin": "__TEXT,__const", "windows": '.rdata,"dr"'}
"""The sections of what is only read, by system; ELF's is the default."""
ELF_SECTION = '.rodata,"a"'
OUTSIDE = r"^define (?:dllexport |weak dso_local )(?=.*@)"
DEBUGGING = r"(,? !dbg !\d+|^    #dbg_\w+\(.*\)\n|^!llvm\.dbg\.cu = .*\n)"


@dataclass(frozen=True)
class Tensors:
    """The bytes of the inputs and outputs, in order."""

    inputs: Sequence[int]
    outputs: Sequence[int]


def label_of(weights: bytes) -> bytes:
    """Return the first bytes of a file of these weights."""
    digest = hashlib.blake2b(weights, digest_size=HEADER_BYTES - len(MAGIC) - 8).digest()
    return MAGIC + len(weights).to_bytes(8, "little") + digest


def write_object(
    path: Path,
    name: str,
    launches: Launches,
    kernels: Mapping[str, PlainKernel],
    tensors: Tensors,
    target: CompileTarget,
    weights: Path | None,
) -> None:
    """Write the object; ``weights`` is a file whose bytes get into it, or None where they are beside it."""
    phases = {phase.symbol: phase for kernel in kernels.values() for phase in kernel.phases}
    text = _kernel_text(phases, target) + "\n" + _launcher(name, launches, kernels, tensors, target, weights)
    source = path.with_suffix(".ll")
    source.write_text(text)
    module = tvm_ffi.get_global_func("ffi.Module.load_from_file.ll")(str(source), "ll")
    source.unlink()
    module.write_to_file(str(path), "o")


def workspace_needs(kernels: Mapping[str, PlainKernel]) -> list[tuple[int, int]]:
    """Return what kernels need beyond their operands: bytes, and bytes of each task; each once, the least of
    two that are the same but for one that needs no more."""
    needs = set()
    for kernel in kernels.values():
        if any(phase.parallel for phase in kernel.phases):
            needs.add((kernel.shared_bytes, kernel.task_bytes))
        else:
            needs.add((kernel.shared_bytes + kernel.task_bytes, 0))
    return [
        need
        for need in sorted(needs)
        if not any(o != need and o[0] >= need[0] and o[1] >= need[1] for o in needs)
    ]


def workspace_bytes(launches: Launches, kernels: Mapping[str, PlainKernel], threads: int = 1) -> int:
    """Return the bytes of workspace that a run in so many threads takes."""
    return launches.arena_bytes + max(shared + threads * own for shared, own in workspace_needs(kernels))


def _kernel_text(phases: Mapping[str, Phase], target: CompileTarget) -> str:
    functions = {s: phase.function.with_attr("global_symbol", s) for s, phase in phases.items()}
    compiled = tvm_ffi.get_global_func("target.build.llvm")(tvm.IRModule(functions), target.tvm_target)
    text = compiled.inspect_source("ll")
    text = re.sub(DEBUGGING, "", text, flags=re.MULTILINE)
    return re.sub(OUTSIDE, "define internal ", text, flags=re.MULTILINE)


def _launcher(
    name: str,
    launches: Launches,
    kernels: Mapping[str, PlainKernel],
    tensors: Tensors,
    target: CompileTarget,
    weights: Path | None,
) -> str:
    operands = [place for call in launches.calls for place in call.operands]
    steps, first = [], 0
    for call in launches.calls:
        for phase in kernels[call.kernel].phases:
            fields = f"i32 {int(phase.parallel)}, i32 {first}, i32 {phase.operands}"
            steps.append(f"%{name}.step {{ ptr @{name}.{phase.symbol}, {fields} }}")
        first += len(call.operands)
    needs = workspace_needs(kernels)
    label = label_of(launches.weights)
    values = {
        "name": name,
        "operand_count": len(operands),
        "operands": ", ".join(f"%{name}.operand {{ i64 {p.block}, i64 {p.offset} }}" for p in operands),
        "step_count": len(steps),
        "steps": ", ".join(steps),
        "need_count": len(needs),
        "needs": ", ".join(f"%{name}.need {{ i64 {shared}, i64 {own} }}" for shared, own in needs),
        "input_count": len(tensors.inputs),
        "input_sizes": ", ".join(f"i64 {size}" for size in tensors.inputs),
        "output_count": len(tensors.outputs),
        "output_sizes": ", ".join(f"i64 {size}" for size in tensors.outputs),
        "arena_bytes": launches.arena_bytes,
        "block_count": WORKSPACE + 1 + len(tensors.inputs) + len(tensors.outputs),
        "first_output": WORKSPACE + 1 + len(tensors.inputs),
        "frame_count": 2 + max(len(call.operands) for call in launches.calls),
        "header_bytes": HEADER_BYTES,
        "label": "".join(f"\\{byte:02X}" for byte in label),
        "file_bytes": HEADER_BYTES + len(launches.weights),
        "alignment_mask": ALIGNMENT - 1,
        "inside": "false" if weights is None else "true",
        "inside_pointer": "null" if weights is None else f"@{name}.weights",
        "weights": "" if weights is None else _embedded(name, weights, target),
        "misaligned": MISALIGNED,
        "wrong_weights": WRONG_WEIGHTS,
        "threads_failed": THREADS_FAILED,
    }
    template = Template(files(__package__).joinpath("launcher.ll").read_text())
    phases = (phase for kernel in kernels.values() for phase in kernel.phases)
    return "\n".join([template.substitute(values), *(_entry(name, phase) for phase in phases)])


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
