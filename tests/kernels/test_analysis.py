"""Inner loops cut from assembly, and what llvm-mca makes of them."""

from __future__ import annotations

import itertools
import json
import shutil

import pytest
from click.testing import CliRunner

from intrinsics.isa import ISAS, Isa, best_isa
from intrinsics.microkernel import PANEL, ROW, MicroKernel
from intrinsics.riscv.rvv import LENGTHS
from tvm_directconv.cli.group import commands as main
from tvm_directconv.errors import DirectConvError
from tvm_directconv.measure import analysis
from tvm_directconv.model.tiling import peak_cycles
from tvm_directconv.targets.target import CompileTarget, Machine, known_machines, resolve_target

needs_mca = pytest.mark.skipif(
    not any(shutil.which(f"llvm-mca-{version}") for version in range(15, 31)),
    reason="llvm-mca is not installed (Debian: llvm-22)",
)

ARM = "llvm -mtriple=aarch64-linux-gnu"
POWER10 = "llvm -mtriple=powerpc64le-linux-gnu -mcpu=pwr10"


@pytest.mark.parametrize(
    ("target", "kernel", "multiply_adds"),
    [
        (f"{ARM} -mcpu=cortex-a57", "f32_f32_f32_8x12_panel_neon", 4 * 24),
        (f"{ARM} -mcpu=neoverse-n1", "f32_f32_f32_7x12_row_neon", 4 * 21),
        (POWER10, "f32_f32_f32_8x16_panel_mma", 4 * 8),
        (f"{ARM} -mcpu=cortex-a57", "u8_u8_u8_4x4_panel_neonumull", 2 * 16),
        (f"{ARM} -mcpu=neoverse-n1", "s8_s8_s8_7x12_row_neondot", 4 * 21),
        (f"{ARM} -mcpu=neoverse-v1", "u8_u8_s8_8x12_panel_neoni8mm", 4 * 24),
        (POWER10, "u8_u8_s8_8x16_panel_mmabytes", 4 * 8),
        (f"{ARM} -mcpu=neoverse-v1", "bf16_bf16_bf16_8x12_panel_neonbfmmla", 4 * 24),
        (f"{ARM} -mcpu=neoverse-v1", "f16_f16_f16_7x24_row_neonfhm", 4 * 21),
        (POWER10, "f16_f16_f16_8x16_panel_mmahalves", 4 * 8),
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=haswell", "f32_f32_f32_6x16_row_avx2", None),
    ],
)
def test_the_inner_loop_is_cut_whole(target: str, kernel: str, multiply_adds: int | None) -> None:
    parsed = MicroKernel.parse(kernel)
    isa = ISAS[parsed.isa]
    body = analysis.inner_loop(analysis.assembly(parsed, resolve_target(target)), isa)
    count = analysis.multiply_adds(body, isa)
    if multiply_adds is None:
        vectors = parsed.mr * parsed.nr // 8
        assert count > vectors and count % vectors == 0
    else:
        assert count == multiply_adds
    assert not any(line.endswith(":") for line in body)


def test_loops_that_hold_loops_are_left_out() -> None:
    text = "f:\n.Louter:\n fmla v0.4s, v1.4s, v2.4s\n1:\n fmla v1.4s, v1.4s, v2.4s\n b.ne 1b\n b.ne .Louter\n"
    assert analysis.inner_loop(text, ISAS["neon"]) == ["fmla v1.4s, v1.4s, v2.4s", "b.ne 1b"]


@needs_mca
@pytest.mark.parametrize(
    ("target", "least"),
    [
        (f"{ARM} -mcpu=cortex-a57", {"8x12_panel": 95, "7x12_row": 90, "6x16_row": 90}),
        (f"{ARM} -mcpu=neoverse-n1", {"8x12_panel": 95, "7x12_row": 90, "6x16_row": 90}),
        (POWER10, {"8x16_panel": 80}),
    ],
)
def test_inner_loops_are_near_the_models_peak(target: str, least: dict[str, int]) -> None:
    resolved = resolve_target(target)
    isa = "mma" if target == POWER10 else "neon"
    kernels = tuple(MicroKernel.parse(f"f32_f32_f32_{name}_{isa}") for name in least)
    for loop, percent in zip(analysis.analyze(resolved, kernels), least.values(), strict=True):
        assert percent <= loop.percent_of_peak <= 101, loop
        assert max(95, loop.percent_of_peak - 1) <= loop.throughput_percent <= 101, loop


@needs_mca
@pytest.mark.parametrize(
    ("target", "least"),
    [
        (
            f"{ARM} -mcpu=neoverse-n1",
            {
                "u8_u8_u8_4x4_panel_neonumull": 95,
                "s8_s8_s8_4x4_panel_neonsmull": 95,
                "s8_s8_s8_4x4_panel_neonsmlal": 95,
                "s8_s8_s8_7x12_row_neondot": 95,
                "s8_s8_s8_12x8_panel_neondot": 95,
                "u8_u8_u8_8x12_panel_neonudot": 95,
                # Moving activations by 128 takes the multipliers' time.
                "u8_u8_s8_7x12_row_neondot": 90,
            },
        ),
        (f"{ARM} -mcpu=cortex-a57", {"u8_u8_u8_4x4_panel_neonumull": 95}),
        (
            f"{ARM} -mcpu=neoverse-v1",
            {"u8_u8_s8_8x12_panel_neoni8mm": 95, "u8_u8_s8_7x12_row_neonmixed": 95},
        ),
        (POWER10, {"u8_u8_s8_8x16_panel_mmabytes": 90}),
    ],
)
def test_inner_loops_of_bytes_are_near_the_models_peak(target: str, least: dict[str, int]) -> None:
    kernels = tuple(map(MicroKernel.parse, least))
    for loop, percent in zip(analysis.analyze(resolve_target(target), kernels), least.values(), strict=True):
        assert percent <= loop.percent_of_peak <= 101, loop


@pytest.mark.slow
@needs_mca
@pytest.mark.parametrize(
    ("target", "least"),
    [
        *(
            (
                f"{ARM} -mcpu={cpu}",
                {
                    "bf16_bf16_bf16_8x12_panel_neonbfmmla": 95,
                    "bf16_bf16_bf16_7x12_row_neonbf16": 95,
                    "f16_f16_f16_8x24_panel_neonfhm": 95,
                    "f16_f16_f16_7x24_row_neonfhm": 95,
                },
            )
            for cpu in ("neoverse-v1", "neoverse-v2", "cortex-a710")
        ),
        (
            f"{ARM} -mcpu=neoverse-n1",
            {"f16_f16_f16_8x24_panel_neonfp16": 95, "f16_f16_f16_7x24_row_neonfp16": 95},
        ),
        # Widening takes the multipliers' time.
        (f"{ARM} -mcpu=cortex-a57", {"bf16_bf16_bf16_8x12_panel_neonhalves": 85}),
        (POWER10, {"bf16_bf16_bf16_8x16_panel_mmahalves": 90, "f16_f16_f16_8x16_panel_mmahalves": 90}),
    ],
)
def test_inner_loops_of_halves_are_near_the_models_peak(target: str, least: dict[str, int]) -> None:
    kernels = tuple(map(MicroKernel.parse, least))
    for loop, percent in zip(analysis.analyze(resolve_target(target), kernels), least.values(), strict=True):
        assert percent <= loop.percent_of_peak <= 101, loop


@needs_mca
@pytest.mark.parametrize("cpu", ["spacemit-x60", "sifive-x280", "sifive-p670"])
def test_inner_loops_of_vectors_of_any_length_are_near_the_models_peak(cpu: str) -> None:
    """Widening bytes takes the multipliers' time."""
    least = {
        "f32_f32_f32_6x64_row_rvv": 95,
        "f32_f32_f32_6x64_panel_rvv": 95,
        "f16_f16_f16_6x64_row_rvvfp16": 90,
        "u8_u8_u8_6x64_row_rvvbytes": 80,
    }
    target = resolve_target(f"llvm -mtriple=riscv64-linux-gnu -mcpu={cpu}")
    kernels = tuple(kernel for kernel in map(MicroKernel.parse, least) if ISAS[kernel.isa].runs_on(target))
    assert len(kernels) >= 3
    for loop in analysis.analyze(target, kernels):
        assert least[loop.kernel] <= loop.percent_of_peak <= 101, loop


def test_a_multiply_add_comes_with_a_quarter_of_an_instruction_at_every_length() -> None:
    """And less where vectors are short: a scalar and a step's pointers serve all vectors of a group, of which
    64 channels have two at least."""
    for name in ("6x64_row", "6x64_panel"):
        kernel = MicroKernel.parse(f"f32_f32_f32_{name}_rvv")
        isa, found = ISAS[kernel.isa], []
        body = analysis.inner_loop(analysis.assembly(kernel, resolve_target(isa.cpus[0].target)), isa)
        instructions = sum(not line.startswith("#") for line in body)
        group = isa.engine.vectors_per_multiply(isa.tile(kernel))
        for bits in LENGTHS:
            vectors = min(group, kernel.nr * 32 / bits)
            found.append(instructions / (vectors * analysis.multiply_adds(body, isa)))
        assert found == sorted(found) and found[0] < 0.65 and found[-1] <= 1.25, (name, found)


@pytest.mark.slow
@needs_mca
def test_command_prints_a_row_per_kernel() -> None:
    printed = CliRunner().invoke(main, ["kernels", "--analyze", f"{ARM} -mcpu=cortex-a72", "--json"])
    assert printed.exit_code == 0, printed.output
    rows = json.loads(printed.output)
    names = [row["kernel"] for row in rows]
    assert "f32_f32_f32_8x12_panel_neon" in names and "u8_u8_u8_4x4_panel_neonumull" in names
    assert not any("dot" in name for name in names), "Cortex-A72 has no dot products"
    assert all(0 < row["percent_of_peak"] <= 101 and 0 < row["registers"] <= 32 for row in rows)


def test_missing_tool_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis.shutil, "which", lambda name: None)
    with pytest.raises(DirectConvError, match="llvm-mca is not installed"):
        analysis.analyze(resolve_target(f"{ARM} -mcpu=cortex-a57"))


@pytest.mark.parametrize(
    ("target", "message"),
    [("llvm -mtriple=riscv64-linux-gnu", "only portable kernels"), (ARM, "names no CPU; add -mcpu")],
)
def test_targets_without_a_model_are_refused(target: str, message: str) -> None:
    with pytest.raises(DirectConvError, match=message):
        analysis.analyze(resolve_target(target))


OTHERWISE = {
    "three of Apple's four vector pipes": {
        "apple-m1": "neon neonhalves neonfhm neondot neonudot",
        "apple-m2": "neon neonbfmmla neonbf16 neonfhm neoni8mm neonmixed",
    },
    "Cortex-A57 stands in, which has one pipe": {
        "carmel": "neon neonfp16 neonhalves neonsmlal neonsmull neonumull"
    },
    "two units of 64 bits count as two of 128": {"cortex-a55": "neon neonfp16 neonhalves"},
    "one of two pipes, but for float16": {"cortex-a78": "neon neonhalves"},
    "Alder Lake's other core stands in": {"gracemont": "avx2 avx2halves avxvnni"},
    "one 512-bit unit where there are two": {
        "emeraldrapids": "avx512 avx512fp16 avx512bf16halves",
        "graniterapids": "avx512 avx512fp16 avx512bf16halves",
        "sapphirerapids": "avx512 avx512fp16 avx512bf16halves",
        "icelake-server": "avx512 avx512halves",
        "znver5": "avx512 avx512halves avx512vnni",
    },
    "two 512-bit units for bytes where there is one": {
        "icelake-client": "avx512vnni",
        "tigerlake": "avx512vnni",
    },
    "512-bit sums on a third port": {"skylake-avx512": "avx512maddubs avx512complement avx512maddwd"},
    "instructions lack": {"oryon-1": "neonbf16 neonmixed"},
    "measured otherwise": {"znver4": "avx512bf16", "znver5": "avx512bf16"},
    "a cycle more for each instruction": {"sifive-x280": "rvv rvvbf16"},
    "widening multiply-adds are counted by what is widened": {
        "sifive-p670": "rvvbytes",
        "sifive-x280": "rvvbytes rvvfp16",
    },
    "two cycles for a vpdpbusd of 512 bits, which nothing confirms": {"znver4": "avx512vnni"},
}
"""LLVM 22's models have this, by which they differ from the machines' rates of these instruction sets."""


def _in_use(target: CompileTarget) -> list[Isa]:
    """Return the instruction sets with loops that kernels of the target are of."""
    kinds = [(half, half) for half in ("f32", "bf16", "f16")] + list(
        itertools.product(("u8", "s8"), repeat=2)
    )
    found = {
        best_isa(target, *kind, layout, weight).name
        for kind, layout, weight in itertools.product(kinds, (ROW, PANEL), (64, 127, 128))
    }
    return [isa for name, isa in ISAS.items() if name in found and isa.loop is not None]


@pytest.mark.slow
@needs_mca
@pytest.mark.parametrize("machine", [m for m in known_machines().values() if m.mcpu], ids=lambda m: m.name)
def test_rates_are_llvm_mcas_or_differ_for_a_reason(machine: Machine) -> None:
    target = resolve_target(f"llvm -mtriple={machine.arch}-linux-gnu -mcpu={machine.mcpu[0]}")
    different = []
    for isa in _in_use(target):
        products = 1 / peak_cycles(isa, machine, isa.layouts[0], 1.0)
        try:
            simulated, possible = analysis.peak_products(isa, target)
        except DirectConvError:
            simulated = possible = 0.0
        if not 0.9 * simulated <= products <= 1.1 * possible:
            different.append(isa.name)
    expected = {name for of in OTHERWISE.values() for name in of.get(machine.name, "").split()}
    assert set(different) == expected


def test_power10_multiplies_twice_as_often_in_its_matrix_units() -> None:
    """249.6 GFLOPS at 3.9 GHz, SConv's Table 1."""
    target = resolve_target(POWER10)
    assert 2 * 3.9 / peak_cycles(ISAS["mma"], target.machine, PANEL, 1.0) == pytest.approx(249.6)
