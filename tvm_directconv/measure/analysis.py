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
from intrinsics.isa import ISAS, best_isa
from intrinsics.microkernel import DEPTHWISE, PANEL, KernelInstance, MicroKernel, Segment
from tvm_directconv.algorithms.lowering import attach_kernels
from tvm_directconv.errors import DirectConvError
from tvm_directconv.targets.target import CompileTarget

CHANNELS = 256
"""Of the loop analyzed: enough for the kernel to have a loop."""
ITERATIONS = 200
NEWEST, OLDEST = 30, 15
"""Versions of llvm-mca looked for; older ones lack models or have wrong ones."""
MODEL_OPTIONS = {"neoverse-n1": ("-dispatch=4",)}
"""Where LLVM's model says more than the CPU has: Neoverse N1 decodes four instructions per cycle."""
MODEL_OF = {"carmel": "cortex-a57"}
"""CPUs LLVM has no model of, and whose model stands in."""
MULTIPLY_ADD = re.compile(
    r"\b(fmla|xvf32gerpp|xvmadd[am]sp|vfmadd\d+ps|[us]mull2?|[us]mlal2|[us]dot|sudot|usdot|u?[us]mmla"
    r"|xvi8ger4pp|vpdpbusd|vpmaddubsw|vpmaddwd)\b"
)
INDEPENDENT = {
    "avx512": ("vfmadd231ps %zmm30, %zmm31, %zmm{}", 24),
    "avx2": ("vfmadd231ps %ymm14, %ymm15, %ymm{}", 12),
    "neon": ("fmla v{}.4s, v30.4s, v31.s[0]", 24),
    "vsx": ("xvmaddasp {}, 62, 63", 48),
    "mma": ("xvf32gerpp {}, 62, 63", 8),
    "avx512vnni": ("vpdpbusd %zmm30, %zmm31, %zmm{}", 24),
    "avx512maddubs": (
        "vpmaddubsw %zmm30, %zmm31, %zmm29\nvpmaddwd %zmm28, %zmm29, %zmm29\nvpaddd %zmm29, %zmm{0}, %zmm{0}",
        24,
    ),
    "avx512maddwd": ("vpmaddwd %zmm30, %zmm31, %zmm29\nvpaddd %zmm29, %zmm{0}, %zmm{0}", 24),
    "avxvnni": ("{{vex}} vpdpbusd %ymm14, %ymm15, %ymm{}", 12),
    "avx2maddubs": (
        "vpmaddubsw %ymm14, %ymm15, %ymm13\nvpmaddwd %ymm12, %ymm13, %ymm13\nvpaddd %ymm13, %ymm{0}, %ymm{0}",
        12,
    ),
    "avx2maddwd": ("vpmaddwd %ymm14, %ymm15, %ymm13\nvpaddd %ymm13, %ymm{0}, %ymm{0}", 12),
    "neoni8mm": ("smmla v{}.4s, v30.16b, v31.16b", 24),
    "neonmixed": ("sudot v{}.4s, v30.16b, v31.4b[0]", 24),
    "neondot": ("sdot v{}.4s, v30.16b, v31.4b[0]", 24),
    "neonudot": ("udot v{}.4s, v30.16b, v31.4b[0]", 24),
    "neonsmlal": (
        "smull v24.8h, v30.8b, v31.8b\nsmlal2 v24.8h, v30.16b, v31.16b\nsadalp v{}.4s, v24.8h",
        16,
    ),
    "neonsmull": ("smull v24.8h, v30.8b, v31.8b\nsadalp v{}.4s, v24.8h", 16),
    "neonumull": ("umull v24.8h, v30.8b, v31.8b\nuadalp v{}.4s, v24.8h", 16),
    "mmabytes": ("xvi8ger4pp {}, 62, 63", 8),
}
"""A multiply-add with the accumulator left open, and accumulators enough to hide its latency. Where it takes
several instructions, their mix has the peak."""


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
    depthwise ones (which have no loop) left out.

    Raises DirectConvError where llvm-mca is missing, or has no model of the CPU.
    """
    if best_isa(target.features).name not in INDEPENDENT:
        raise DirectConvError(f"'{target}' has only portable kernels, which are LLVM's to schedule")
    cpu = str(target.tvm_target.attrs.get("mcpu", ""))
    if not cpu:
        raise DirectConvError(f"'{target}' names no CPU; add -mcpu, so that LLVM's model of it can be used")
    simulate = _Simulator(target.triple, MODEL_OF.get(cpu, cpu))
    chosen = kernels or _kernels_of(target)
    peaks = {name: _peak(name, simulate) for name in dict.fromkeys(kernel.isa for kernel in chosen)}
    return [_analyze_kernel(kernel, target, simulate, peaks[kernel.isa]) for kernel in chosen]


def _kernels_of(target: CompileTarget) -> tuple[MicroKernel, ...]:
    of_floats = best_isa(target.features)
    return tuple(
        kernel
        for isa in ISAS.values()
        if isa is of_floats or (isa.of_bytes and isa.features <= target.features and isa.name in INDEPENDENT)
        for kernel in registry.registered_kernels(isa)
        if kernel.layout != DEPTHWISE
    )


def _peak(isa: str, simulate: _Simulator) -> float:
    """Multiply-adds per cycle of independent ones."""
    pattern, accumulators = INDEPENDENT[isa]
    body = [line for i in range(accumulators) for line in pattern.format(i).splitlines()]
    return _multiply_adds(body) / simulate(body)["throughput"]


def _analyze_kernel(
    kernel: MicroKernel, target: CompileTarget, simulate: _Simulator, peak: float
) -> LoopAnalysis:
    isa = ISAS[kernel.isa]
    body = inner_loop(assembly(kernel, target))
    count = _multiply_adds(body)
    result = simulate(body)
    cycles, throughput = result["cycles"], result["throughput"]
    return LoopAnalysis(
        kernel.name,
        count,
        cycles,
        100 * count / cycles / peak,
        throughput,
        100 * count / throughput / peak,
        isa.loads_per_step(kernel) / isa.multiplications_per_step(kernel),
        isa.registers_needed(kernel),
    )


def assembly(kernel: MicroKernel, target: CompileTarget) -> str:
    """Assembly of a function that calls the kernel once, on one segment of many channels."""
    panel, group = kernel.layout == PANEL, ISAS[kernel.isa].group
    instance = KernelInstance(
        kernel,
        kernel.nr,
        a_row=group if panel else CHANNELS,
        a_step=CHANNELS,
        b_row=kernel.nr * group,
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


def inner_loop(text: str) -> list[str]:
    """The innermost loop with the most multiply-adds, without its label: from a label to the jump back."""
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
                body = instructions[start:]
                if _multiply_adds(body) > _multiply_adds(best):
                    best = body
    return best


def _multiply_adds(lines: list[str]) -> int:
    return sum(bool(MULTIPLY_ADD.search(line)) for line in lines)


def _version(tool: str) -> int:
    said = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
    match = re.search(r"version (\d+)", said)
    return int(match[1]) if match else 0


class _Simulator:
    """llvm-mca for one CPU."""

    def __init__(self, triple: str, cpu: str) -> None:
        names = [*(f"llvm-mca-{version}" for version in range(NEWEST, OLDEST - 1, -1)), "llvm-mca"]
        found = [path for name in names if (path := shutil.which(name))]
        if not found or _version(found[0]) < OLDEST:
            raise DirectConvError(
                f"llvm-mca is not installed in version {OLDEST} or later (Debian: package llvm-22)"
            )
        self._command = [found[0], f"-mtriple={triple}", f"-mcpu={cpu}", f"-iterations={ITERATIONS}"]
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
