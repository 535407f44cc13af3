"""The command line: ``tvm-directconv demo | run | compile | explain | kernels | targets``.

Commands that measure, ``bench | breakdown | pareto``, are in cli_measure.py.

A thin door: each command reads its arguments, calls the library, and prints a table, or JSON where a machine
may read. Heavy modules are imported inside commands, so that ``--help`` is quick. What is wrong with a user's
input is one line on standard error and exit status 1.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tvm_directconv import __version__
from tvm_directconv.errors import InputError, ModelError

from .console import (
    NATIVE,
    as_json,
    print_json,
    print_result,
    print_rows,
    progress,
    reports_errors,
    target_option,
    threads_option,
)
from .measure import DEMO_NETWORK, bench, breakdown, network_argument, pareto
from .tune import tune

if TYPE_CHECKING:
    import numpy as np

    from relay_strategies.compiler.compiled_model import CompiledModel

LIBRARY_SUFFIXES = (".so", ".dylib", ".dll")
SHOWN_VALUES = 5

algorithm_option = click.option(
    "--algorithm",
    "algorithms",
    multiple=True,
    metavar="[LAYER=]NAME",
    help="Force an algorithm, for all layers or for those whose name matches LAYER; repeatable.",
)
layout_option = click.option(
    "--layout",
    type=click.Choice(["NHWC", "NCHW", "blocked"]),
    default="NHWC",
    show_default=True,
    help="Layout of activations between layers.",
)
params_option = click.option("--params", type=click.Path(path_type=Path), help="Weights of a Relay model.")
budget_option = click.option(
    "--max-workspace-bytes", type=click.IntRange(0), help="Workspace a layer may take beyond its tensors."
)
tuning_option = click.option(
    "--tuning", type=click.Path(path_type=Path), help="Records that tune made; known layers use them."
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tvm-directconv")
def main() -> None:
    """CPU convolutions for Apache TVM: compile networks, explain and measure them.

    MODEL is an ONNX file, a Relay module's text, or the name of a light network of the onnx package, such as
    resnet50; resnet50_int8 is the same network quantized to 8 bits by onnxruntime.
    """


@main.command()
@click.option("--model", default=DEMO_NETWORK, show_default=True, help="Network to run.")
@target_option
@threads_option
@click.option("--rounds", type=click.IntRange(1), default=5, show_default=True)
@as_json
@reports_errors
def demo(model: str, target: str, threads: int, rounds: int, as_json: bool) -> None:
    """Compile a network with and without this project, check both, and compare their speed."""
    from tvm_directconv.bench import bench_network

    names = ("ours", "tvm-default", "onnxruntime")
    print_result(bench_network(network_argument(model), target, threads, rounds, names), as_json)


@main.command()
@click.argument("model")
@click.option("--input", "inputs", multiple=True, metavar="NAME=FILE.npy", help="An input; repeatable.")
@click.option("--output", type=click.Path(path_type=Path), help="Folder to save outputs in, as .npy.")
@target_option
@algorithm_option
@layout_option
@budget_option
@params_option
@tuning_option
@click.option("--repeat", type=click.IntRange(1), default=10, show_default=True, help="Timed runs.")
@as_json
@reports_errors
def run(
    model: str,
    inputs: tuple[str, ...],
    output: Path | None,
    target: str,
    algorithms: tuple[str, ...],
    layout: str,
    max_workspace_bytes: int | None,
    params: Path | None,
    tuning: Path | None,
    repeat: int,
    as_json: bool,
) -> None:
    """Run MODEL, or a library made by ``compile``, and print its outputs and time.

    Inputs not given are random, from seed 0.
    """
    import numpy as np

    from relay_strategies.compiler.layer import time_calls

    compiled = _compiled(model, target, algorithms, layout, max_workspace_bytes, tuning, params)
    given = dict(_read_input(text) for text in inputs)
    drawn = [info.name for info in compiled.inputs if info.name not in given]
    rng = np.random.default_rng(0)
    for info in compiled.inputs:
        if info.name in drawn:
            given[info.name] = rng.standard_normal(info.shape).astype(info.dtype)
    compiled.set_inputs(given)
    with progress(f"running {repeat} times"):
        timing = time_calls(compiled.invoke, repeat, min_repeat_ms=0)
    results = dict(zip(compiled.output_names, compiled.get_outputs(), strict=True))
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        for name, array in results.items():
            _save_array(output / f"{name.replace('/', '_')}.npy", array)
    if as_json:
        described = {name: _describe(array) for name, array in results.items()}
        record = {"random_inputs": drawn, "outputs": described}
        print_json(record | {"median_seconds": timing.median, "best_seconds": timing.best})
        return
    if drawn:
        click.echo(f"random inputs (seed 0): {', '.join(drawn)}")
    for name, array in results.items():
        top = np.argsort(array, axis=None)[::-1][:SHOWN_VALUES]
        values = ", ".join(f"[{i}] {array.flat[i]:.5g}" for i in top)
        click.echo(f"{name}: {array.dtype}{list(array.shape)}, largest: {values}")
    click.echo(f"{timing.median * 1e3:.2f} ms per run (median of {repeat}; best {timing.best * 1e3:.2f})")


@main.command()
@click.argument("model")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="Library to write.")
@target_option
@algorithm_option
@layout_option
@budget_option
@params_option
@tuning_option
@click.option("--linker", help="Compiler driver for a foreign target, e.g. aarch64-linux-gnu-gcc.")
@as_json
@reports_errors
def compile(
    model: str,
    output: Path,
    target: str,
    algorithms: tuple[str, ...],
    layout: str,
    max_workspace_bytes: int | None,
    params: Path | None,
    tuning: Path | None,
    linker: str | None,
    as_json: bool,
) -> None:
    """Compile MODEL to a shared library for ``run``, or for ``tvm_directconv.load``."""
    compiled = _compiled(model, target, algorithms, layout, max_workspace_bytes, tuning, params)
    with progress("linking"):
        compiled.export_library(output, linker=linker)
    report = compiled.report()
    size, seconds = output.stat().st_size, sum(report.compile_seconds.values())
    facts = {
        "library": str(output),
        "library_bytes": size,
        "layers": len(report.layers),
        "packed_filter_bytes": report.packed_filter_bytes,
        "activation_bytes": report.activation_bytes,
        "workspace_bytes": report.workspace_bytes,
        "compile_seconds": seconds,
    }
    if as_json:
        print_json(facts)
        return
    click.echo(
        f"{output}: {size / 1e6:.1f} MB for {report.target}\n"
        f"{len(report.layers)} convolutions and dense layers; packed filters "
        f"{report.packed_filter_bytes / 1e6:.1f} MB, activations {report.activation_bytes / 1e6:.1f} MB, "
        f"workspace {report.workspace_bytes} B; compiled in {seconds:.1f} s"
    )


@main.command()
@click.argument("model")
@target_option
@algorithm_option
@layout_option
@budget_option
@params_option
@tuning_option
@as_json
@reports_errors
def explain(
    model: str,
    target: str,
    algorithms: tuple[str, ...],
    layout: str,
    max_workspace_bytes: int | None,
    params: Path | None,
    tuning: Path | None,
    as_json: bool,
) -> None:
    """Show what every convolution of MODEL, or one layer given by descriptor, is compiled to, and why: the
    estimated cycles by which the algorithm was chosen, its tiles, for sconv the slicing analysis."""
    if "_ih" in model and not Path(model).exists():
        report = _explain_layer(model, target, _forced(algorithms), max_workspace_bytes, tuning)
    else:
        report = _compiled(model, target, algorithms, layout, max_workspace_bytes, tuning, params).report()
    print_result(report, as_json)


@main.command()
@click.option("--isa", help="One instruction set only.")
@click.option("--analyze", metavar="TARGET", help="Estimate inner loops with llvm-mca's model of a CPU.")
@as_json
@reports_errors
def kernels(isa: str | None, analyze: str | None, as_json: bool) -> None:
    """List the registered micro-kernels; smaller tiles of each are generated as they are needed.

    --analyze compiles those of a target, which need not be this host's, cuts out their inner loops and
    prints what LLVM's scheduling model makes of them: an estimate, not a measurement.
    """
    from intrinsics.isa import ISAS
    from intrinsics.registry import kernel_table
    from tvm_directconv.errors import TargetError, nearest

    if isa is not None and isa not in ISAS:
        raise TargetError(f"unknown instruction set '{isa}'{nearest(isa, ISAS)}; there are {', '.join(ISAS)}")
    if analyze is not None:
        from tvm_directconv.measure.analysis import analyze as analyze_target
        from tvm_directconv.targets.target import resolve_target

        target = resolve_target(analyze)
        with progress(f"analyzing kernels for {target}"):
            loops = [asdict(loop) for loop in analyze_target(target)]
        print_rows(loops, f"inner loops by llvm-mca's model, {target}", as_json)
        return
    rows = kernel_table(ISAS[isa] if isa else None)
    print_rows(rows, "micro-kernels", as_json)


@main.command()
@click.argument("target", required=False)
@as_json
@reports_errors
def targets(target: str | None, as_json: bool) -> None:
    """List the machines with a description, or show what TARGET resolves to."""
    from tvm_directconv.targets.target import known_machines, machine_table, resolve_target

    if target is None:
        cpu = str(resolve_target(NATIVE).tvm_target.attrs.get("mcpu", ""))
        machines = zip(machine_table(), known_machines().values(), strict=True)
        rows = [row | {"host": cpu in machine.mcpu} for row, machine in machines]
        hidden = () if as_json else ("features", "source", "mcpu")
        print_rows([{k: v for k, v in row.items() if k not in hidden} for row in rows], "machines", as_json)
        return
    from intrinsics.isa import best_isa

    resolved = resolve_target(target)
    machine = resolved.machine
    facts = {
        "target": str(resolved),
        "keys": list(resolved.keys),
        "kernels": best_isa(resolved.features).name,
        "8-bit kernels": best_isa(resolved.features, "u8", "s8").name,
        "machine": machine.name,
        "vector_bits": machine.vector_bits,
        "vector_registers": machine.vector_registers,
        "fma_per_cycle": machine.fma_per_cycle,
        "caches": [cache.size_bytes for cache in machine.caches],
        "features": sorted(resolved.features),
    }
    if as_json:
        print_json(facts)
        return
    for name, value in facts.items():
        click.echo(f"{name}: {', '.join(map(str, value)) if isinstance(value, list) else value}")


for command in (bench, breakdown, pareto, tune):
    main.add_command(command)

# ---- helpers


def _forced(algorithms: tuple[str, ...]) -> dict[str, str]:
    """--algorithm's values by layer or pattern, "*" for a bare name."""
    pairs = (text.rpartition("=") for text in algorithms)
    return {layer or "*": name for layer, _, name in pairs} or {"*": "auto"}


def _compiled(
    model: str,
    target: str,
    algorithms: tuple[str, ...] = (),
    layout: str = "NHWC",
    max_workspace_bytes: int | None = None,
    tuning: Path | None = None,
    params: Path | None = None,
) -> CompiledModel:
    """MODEL compiled, or the library it already is loaded."""
    from tvm_directconv import compile as compile_model
    from tvm_directconv import load, zoo

    if model.endswith(LIBRARY_SUFFIXES):
        return load(model)
    with progress(f"compiling {model}") as phase:
        is_file = model.endswith((".onnx", ".relay")) or Path(model).exists()
        if not is_file and "/" in model:
            raise ModelError(f"'{model}': no such file")
        source: Any = model
        if not is_file:
            source = zoo.load_model(model, on_phase=lambda name: phase(f"preparing {model}: {name}"))
        return compile_model(
            source,
            target,
            algorithm=_forced(algorithms),
            layout=layout,
            max_workspace_bytes=max_workspace_bytes,
            tuning=tuning,
            params=params,
            on_phase=lambda name: phase(f"compiling {model}: {name}"),
        )


def _explain_layer(
    descriptor: str, target: str, algorithms: dict[str, str], budget: int | None, tuning: Path | None
) -> Any:
    """The report of one layer, in the form of a network's. It has no name but a pattern's."""
    from relay_strategies.compiler.layer import build_conv2d
    from relay_strategies.compiler.report import Report
    from relay_strategies.passes.layer_report import layer_report
    from tvm_directconv.problem.workload import Conv2dWorkload
    from tvm_directconv.targets.target import resolve_target

    workload = Conv2dWorkload.parse(descriptor)
    resolved = resolve_target(target)
    layer = build_conv2d(workload, resolved, algorithms.get("*", "auto"), budget, tuning)
    described = layer_report("layer", "conv2d", "conv2d", layer.implementation)
    described = replace(described, workload=descriptor, workspace_bytes=layer.workspace_bytes)
    return Report(str(resolved), (described,), {}, 0)


def _read_input(text: str) -> tuple[str, np.ndarray]:
    import numpy as np

    name, separator, file = text.partition("=")
    if not separator:
        raise InputError(f"--input '{text}' is not NAME=FILE.npy")
    try:
        return name, np.load(file, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise InputError(f"--input '{text}': cannot read '{file}' as a .npy array ({error})") from error


def _save_array(path: Path, array: np.ndarray) -> None:
    """Write beside the file and rename, so that it is whole or absent."""
    import numpy as np

    handle, partial = tempfile.mkstemp(dir=path.parent, suffix=".partial")
    with os.fdopen(handle, "wb") as file:
        np.save(file, array)
    os.replace(partial, path)


def _describe(array: np.ndarray) -> dict[str, Any]:
    return {"dtype": str(array.dtype), "shape": list(array.shape), "max": float(array.max())}
