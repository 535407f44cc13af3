"""How fast micro-kernels' inner loops are by LLVM's model of a CPU: an estimate where there is no hardware.

Each kernel is compiled for the target, its inner loop cut out of the assembly, and given to llvm-mca, which
simulates LLVM's scheduling model of the CPU: dispatch, ports, latencies, no caches. The peak is the same
model's rate of a loop of independent multiply-adds. Nothing here is a measurement.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import dataclass

import tvm
from tvm import tirx

from intrinsics import registry
from intrinsics.isa import ISAS, Isa, best_isa
from intrinsics.microkernel import DEPTHWISE, PANEL, KernelInstance, MicroKernel, Segment
from tvm_directconv.algorithms.lowering import attach_kernels
from tvm_directconv.errors import DirectConvError
from tvm_directconv.targets.target import CompileTarget

CHANNELS = 256
"""The channels of the loop analyzed: enough for the kernel to have a loop."""
ITERATIONS = 200
NEWEST, OLDEST = 30, 15
"""The versions of llvm-mca looked for; older ones lack models or have wrong ones."""
MODEL_OPTIONS = {"neoverse-n1": ("-dispatch=4",), "neoverse-v2": ("-dispatch=8",)}
"""What corrects LLVM's model of a CPU, by the CPU's name: Neoverse N1 decodes four instructions per cycle,
Neoverse V2 dispatches eight (its Software Optimization Guide, 4.1), where LLVM has six and counts a load that
moves its pointer as two."""
MODEL_OF = {"carmel": "cortex-a57", "cortex-a76": "neoverse-n1", "grace": "neoverse-v2"}
"""The CPUs that LLVM does not model, and whose model stands in: Neoverse N1's core is Cortex-A76's, of which
LLVM's model is Cortex-A57's."""


@dataclass(frozen=True)
class LoopAnalysis:
    """One kernel's inner loop by the model: cycles per loop iteration and its multiply-adds, the percent of
    the model's multiply-add peak that is (as simulated, and by reciprocal throughput alone, as if nothing
    ever waited), loads per multiply-add, and vector registers in use."""

    kernel: str
    multiply_adds: int
    cycles: float
    percent_of_peak: float
    throughput_cycles: float
    throughput_percent: float
    loads_per_fma: float
    registers: int


def analyze(target: CompileTarget, kernels: tuple[MicroKernel, ...] | None = None) -> list[LoopAnalysis]:
    """Every registered kernel of the target's best instruction set for float32, and of all it has for bytes;
    depthwise ones (which lack a loop) left out.

    Raises DirectConvError where llvm-mca is missing, or does not model the CPU.
    """
    if best_isa(target).loop is None:
        raise DirectConvError(f"'{target}' has only portable kernels, which are LLVM's to schedule")
    simulate = _Simulator(target)
    chosen = kernels or _kernels_of(target)
    peaks = {name: _peak(ISAS[name], simulate) for name in dict.fromkeys(kernel.isa for kernel in chosen)}
    return [_analyze_kernel(kernel, target, simulate, peaks[kernel.isa]) for kernel in chosen]


def peak_products(isa: Isa, target: CompileTarget) -> tuple[float, float]:
    """Return how many products LLVM's model of the CPU adds up per cycle in the instruction set's peak loop:
    as simulated, and as the units that it takes would alone allow. The second is the greater where the loop
    waits for results, as in-order CPUs do, or where the model knows no rate, as of matrix units.

    Raises DirectConvError where llvm-mca is missing, or does not model the CPU or the instructions.
    """
    assert isa.loop is not None
    result = _Simulator(target)(_peak_loop(isa))
    products = isa.loop.operations / 2 * isa.loop.form.longer(target.features)
    return products / result["cycles"], products / result["throughput"]


def _kernels_of(target: CompileTarget) -> tuple[MicroKernel, ...]:
    of_floats = best_isa(target)
    return tuple(
        kernel
        for isa in ISAS.values()
        if isa is of_floats or (not isa.of_floats and isa.runs_on(target) and isa.loop is not None)
        for kernel in registry.registered_kernels(isa)
        if kernel.layout != DEPTHWISE
        if not isa.of_halves or best_isa(target, kernel.lhs, kernel.lhs, kernel.layout) is isa
    )


def _peak(isa: Isa, simulate: _Simulator) -> float:
    """Multiply-adds of vectors per cycle, of independent ones. Where a multiply-add takes several
    instructions, their mix has the peak."""
    assert isa.loop is not None
    body = _peak_loop(isa)
    return isa.loop.form.vectors * multiply_adds(body, isa) / simulate(body)["throughput"]


def _peak_loop(isa: Isa) -> list[str]:
    assert isa.loop is not None
    return [*isa.loop.form.modelled(isa.loop.form.begin(isa.loop.accumulators)), *isa.loop.body()]


def _analyze_kernel(
    kernel: MicroKernel, target: CompileTarget, simulate: _Simulator, peak: float
) -> LoopAnalysis:
    isa = ISAS[kernel.isa]
    body = inner_loop(assembly(kernel, target), isa)
    count = multiply_adds(body, isa)
    result = simulate(body)
    cycles, throughput = result["cycles"], result["throughput"]
    vectors = count * isa.engine.vectors_per_multiply(isa.tile(kernel))
    return LoopAnalysis(
        kernel.name,
        count,
        cycles,
        100 * vectors / cycles / peak,
        throughput,
        100 * vectors / throughput / peak,
        isa.loads_per_step(kernel) / isa.multiplications_per_step(kernel),
        isa.registers_needed(kernel),
    )


def assembly(kernel: MicroKernel, target: CompileTarget) -> str:
    """Assembly of a function that calls the kernel once, on one segment of many channels."""
    isa, panel = ISAS[kernel.isa], kernel.layout == PANEL
    group = isa.channels_per_step(kernel.layout)
    instance = KernelInstance(
        kernel,
        kernel.nr,
        a_row=group if panel else CHANNELS,
        a_step=CHANNELS,
        b_row=isa.filter_row(kernel.nr, kernel.layout),
        b_step=CHANNELS * kernel.nr,
        c_row=kernel.nr,
        segments=(Segment(0, kernel.mr, 0, 0, CHANNELS),),
        a_k=kernel.mr if panel else 1,
    )
    buffers = [tirx.decl_buffer((CHANNELS * 1024,), "float32", name) for name in ("c", "a", "b")]
    pointers = [buffer.access_ptr("rw") for buffer in buffers]
    arguments = [*pointers, pointers[0], pointers[0], tirx.IntImm("int64", 1)]
    call = tirx.Evaluate(tirx.call_extern("int32", instance.name, *arguments))
    func = tirx.PrimFunc(buffers, attach_kernels(call))
    module = tvm.compile(func.with_attr("global_symbol", "kernel"), target=target.tvm_target)
    return str(module.mod.inspect_source("asm"))


def inner_loop(text: str, isa: Isa) -> list[str]:
    """The innermost loop with the most multiply-adds of the instruction set, without its label: from a label
    to the jump back. Before it are remarks for llvm-mca, where it needs any."""
    assert isa.loop is not None
    instructions: list[str] = []
    labels: dict[str, int] = {}
    best: list[str] = []
    for line in text.splitlines():
        code = re.split(r"\s(?:#(?![-\d])|//)", line.strip())[0].strip()
        label = re.fullmatch(r"([\w.$]+):", code)
        if label:
            labels[label[1]] = len(instructions)
        elif code and not code.startswith((".", "#")):
            instructions.append(code)
            jump = re.search(r"[\s,](?:(\d+)b|(\.L\w+))$", code)
            start = labels.get(jump[1] or jump[2]) if jump else None
            if start is not None and start == max(labels.values()):
                body = [*isa.loop.form.modelled(instructions[:start]), *instructions[start:]]
                if multiply_adds(body, isa) > multiply_adds(best, isa):
                    best = body
    return best


def multiply_adds(lines: list[str], isa: Isa) -> int:
    """How many of the lines multiply, as kernels of the instruction set do."""
    assert isa.loop is not None
    pattern = re.compile(rf"\b({isa.loop.multiplies})\b")
    return sum(bool(pattern.search(line)) for line in lines)


def _version(tool: str) -> int:
    said = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
    match = re.search(r"version (\d+)", said)
    return int(match[1]) if match else 0


class _Simulator:
    """llvm-mca for a target's CPU."""

    def __init__(self, target: CompileTarget) -> None:
        cpu = str(target.tvm_target.attrs.get("mcpu", ""))
        if not cpu:
            raise DirectConvError(
                f"'{target}' names no CPU; add -mcpu, so that LLVM's model of it can be used"
            )
        cpu = MODEL_OF.get(cpu, cpu)
        names = [*(f"llvm-mca-{version}" for version in range(NEWEST, OLDEST - 1, -1)), "llvm-mca"]
        found = [path for name in names if (path := shutil.which(name))]
        if not found or _version(found[0]) < OLDEST:
            raise DirectConvError(
                f"llvm-mca is not installed in version {OLDEST} or later (Debian: package llvm-22)"
            )
        self._command = [found[0], f"-mtriple={target.triple}", f"-mcpu={cpu}", f"-iterations={ITERATIONS}"]
        self._command += [*MODEL_OPTIONS.get(cpu, ()), "--json", "-"]

    def __call__(self, body: list[str]) -> dict[str, float]:
        """Cycles per iteration, as simulated and by the reciprocal throughput of the whole body."""
        straight = [line for line in body if not re.search(r"[\s,](?:\d+b|\.L\w+)$", line)]
        done = subprocess.run(
            self._command, input="\n".join(straight) + "\n", capture_output=True, text=True, check=False
        )
        if done.returncode:
            said = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr)
            raise DirectConvError(f"{' '.join(self._command[:3])}: {said.strip()}")
        summary = json.loads(done.stdout)["CodeRegions"][0]["SummaryView"]
        return {
            "cycles": summary["TotalCycles"] / summary["Iterations"],
            "throughput": summary["BlockRThroughput"],
        }
