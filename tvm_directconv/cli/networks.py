"""Commands that compile networks: ``tvm-directconv demo | run | compile | split | export-c``."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .console import print_comparison, print_json, progress
from .inputs import given_inputs, input_option
from .options import (
    COMPILE_PARAMETERS,
    DEMO_NETWORK,
    NewFile,
    NewFolder,
    Renamed,
    batch_option,
    compile_options,
    instruction_set_option,
    json_option,
    only_size,
    refuse_options,
    run_threads_option,
    shapes_option,
    target_option,
    threads_option,
)

if TYPE_CHECKING:
    import numpy as np

    from tvm_directconv.runtime.compiled_model import CompiledModel
    from tvm_directconv.runtime.metadata import Size

    from .options import Batches, Sizes

LIBRARY_SUFFIXES = (".so", ".dylib", ".dll")
SHOWN_VALUES = 5
PERCENTILES = (90, 99)
"""Percentiles of the times of runs that are printed beside the median."""


@click.command()
@click.option("--model", default=DEMO_NETWORK, show_default=True, help="Network to run.")
@target_option
@threads_option
@click.option("--rounds", type=click.IntRange(1), default=5, show_default=True)
@json_option
def demo(model: str, target: str, threads: int, rounds: int, as_json: bool) -> None:
    """Compare a network compiled with and without this project.

    Both answers are checked, and both and ONNX Runtime are timed. The exit status is 1 if this project's
    answer is wrong, or if nothing could be timed.
    """
    from tvm_directconv.bench import bench_network

    names = ("ours", "tvm-default", "onnxruntime")
    print_comparison(bench_network(model, target, threads, rounds, names), as_json)


@click.command()
@click.argument("model")
@input_option
@click.option("--output", type=NewFolder(), help="Folder to save outputs in, as .npy.")
@compile_options
@run_threads_option
@instruction_set_option
@click.option(
    "--rounds",
    cls=Renamed,
    formerly=("--repeat",),
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Timed runs.",
)
@click.option("--duration", type=click.FloatRange(0), help="Seconds of timed runs, in place of a number.")
@click.option("--warmup", type=click.IntRange(0), default=1, show_default=True, help="Runs before these.")
@json_option
def run(
    model: str,
    inputs: tuple[str, ...],
    output: Path | None,
    rounds: int,
    duration: float | None,
    warmup: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Run MODEL, and print its outputs and time.

    MODEL may also be a library made by 'compile'. Inputs not given are random, from seed 0.
    """
    import numpy as np

    from tvm_directconv.measure.timing import time_calls
    from tvm_directconv.text import wrapped

    size = only_size(options["shapes"], options["batch"])
    model_to_run = compiled(model, **options)
    drawn, given = given_inputs(model_to_run, inputs, size)
    model_to_run.set_inputs(given)
    with progress(f"running {rounds} times" if duration is None else f"running for {duration:g} s"):
        timing = time_calls(model_to_run.invoke, rounds, 0, warmup, duration)
    percentiles = {percent: timing.percentile(percent) for percent in PERCENTILES}
    results = dict(zip(model_to_run.output_names, model_to_run.get_outputs(), strict=True))
    if output is not None:
        _save_arrays(output, results)
    if as_json:
        described = {name: _describe(array) for name, array in results.items()}
        record: dict[str, Any] = {"random_inputs": drawn, "outputs": described}
        record |= {"median_seconds": timing.median, "best_seconds": timing.best}
        print_json(record | {f"p{percent}_seconds": seconds for percent, seconds in percentiles.items()})
        return
    if drawn:
        click.echo(wrapped(f"random inputs (seed 0): {', '.join(drawn)}"))
    for name, array in results.items():
        top = np.argsort(array, axis=None)[::-1][:SHOWN_VALUES]
        values = ", ".join(f"[{i}] {array.flat[i]:.5g}" for i in top)
        click.echo(wrapped(f"{name}: {array.dtype}{list(array.shape)}, largest: {values}"))
    times = ", ".join(f"p{percent} {seconds * 1e3:.2f}" for percent, seconds in percentiles.items())
    of = f"median of {len(timing.batches)}; best {timing.best * 1e3:.2f}, {times}"
    click.echo(f"{timing.median * 1e3:.2f} ms per run ({of}), {1 / timing.median:.1f} runs a second")


@click.command()
@click.argument("model")
@click.option(
    "-o", "--output", required=True, type=NewFile(), help="Library to write; of a GPU, a new folder."
)
@compile_options
@click.option("--linker", help="Compiler driver for a foreign target, e.g. aarch64-linux-gnu-gcc.")
@json_option
def compile(model: str, output: Path, linker: str | None, as_json: bool, **options: Any) -> None:
    """Compile MODEL to a shared library, or for a GPU to a folder.

    'run' and other commands, and tvm_directconv.load, take either as a model.
    """
    from relay_strategies.compiler.device.model import DeviceModel
    from relay_strategies.compiler.library.linking import library_maker
    from tvm_directconv.targets.gpu import is_gpu_target
    from tvm_directconv.targets.target import resolve_target

    if is_gpu_target(options["target"]):
        refuse_options("linker", reason="a GPU's network is a folder, and nothing is linked")
    else:
        library_maker(output, resolve_target(options["target"]), linker)
    model_to_export = compiled(model, **options)
    with progress("linking"):
        if isinstance(model_to_export, DeviceModel):
            model_to_export.export(output)
        else:
            model_to_export.export_library(output, linker=linker)
    sizes = model_to_export.sizes
    files = [output] if output.is_file() else list(output.iterdir())
    length = sum(file.stat().st_size for file in files)
    seconds = sum(sum(size.report().compile_seconds.values()) for size in sizes)
    facts = {
        "library": str(output),
        "library_bytes": length,
        "compile_seconds": seconds,
        "sizes": [_size_facts(size) for size in sizes],
    }
    if as_json:
        print_json(facts)
        return
    from tvm_directconv.runtime.words import target_label
    from tvm_directconv.text import bytes_label, layers_label, wrapped

    heading = f"{output}: {bytes_label(length)} for {target_label(model_to_export.target)}"
    click.echo(f"{heading}, compiled in {seconds:.1f} s")
    for size in sizes:
        named = f"{size}: " if len(sizes) > 1 else ""
        report = size.report()
        click.echo(wrapped(f"{named}{layers_label(len(report.whole_layers))}; {report.totals()}"))


@click.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("first", type=NewFile())
@click.argument("rest", type=NewFile())
@shapes_option
@batch_option
@json_option
def split(
    model: Path,
    first: Path,
    rest: Path,
    shapes: Sizes,
    batch: Batches,
    as_json: bool,
) -> None:
    """Cut MODEL into a part that compiles, and the rest.

    The part of an ONNX model that compiles is written to FIRST, what comes after it to REST. Sizes that
    follow from data begin where a detector selects boxes; operators may be unknown. REST, whose inputs are
    outputs of FIRST and of MODEL's inputs those that it reads, is for another runtime.
    """
    from relay_strategies.frontends.onnx.split import split as split_model
    from tvm_directconv.files import write_atomically

    if len({os.path.realpath(path) for path in (model, first, rest)}) < 3:
        raise click.UsageError("MODEL, FIRST and REST are three files: one would be written over another")
    with progress(f"splitting {model}"):
        parts = split_model(model, *only_size(shapes, batch))
    facts = []
    for path, part in zip((first, rest), parts, strict=True):
        if part is not None:
            write_atomically(path, part.SerializeToString())
            inputs, outputs = ([v.name for v in values] for values in (part.graph.input, part.graph.output))
            nodes = len(part.graph.node)
            facts.append({"file": str(path), "nodes": nodes, "inputs": inputs, "outputs": outputs})
            if not as_json:
                click.echo(f"{path}: {nodes} nodes, {len(inputs)} inputs, {len(outputs)} outputs")
    if as_json:
        print_json({"parts": facts})
    elif parts[1] is None:
        click.echo(f"all of {model} compiles: there is no rest")


@click.command("export-c")
@click.argument("model")
@click.argument("folder", type=NewFolder())
@click.option("--name", default="network", show_default=True, help="What its files and functions begin with.")
@click.option(
    "--weights",
    type=click.Choice(["inside", "beside"]),
    default="inside",
    show_default=True,
    help="In the object, or in a file beside it.",
)
@compile_options
@json_option
def export_c(model: str, folder: Path, name: str, weights: str, as_json: bool, **options: Any) -> None:
    """Write MODEL to FOLDER as an object and a C header.

    They need no runtime.
    """
    from relay_strategies.c_export.export import check
    from relay_strategies.compiler.compilation import keeping_lowered

    check(name, weights)
    named = only_size(options["shapes"], options["batch"])
    with keeping_lowered():
        compiled_model = compiled(model, **options)
        leaves_open = any(not isinstance(size, int) for shape in (named[0] or {}).values() for size in shape)
        size = None if leaves_open else compiled_model.size(*named)
        with progress("compiling to C"):
            exported = compiled_model.export_c(folder, name=name, weights=weights, size=size)
    paths = [path for path in (exported.object, exported.header, exported.weights) if path is not None]
    if as_json:
        sizes = {path.name: path.stat().st_size for path in paths}
        print_json(
            {
                "files": sizes,
                "weights_bytes": exported.weights_bytes,
                "workspace_bytes": exported.workspace_bytes,
            }
        )
        return
    from tvm_directconv.runtime.words import target_label
    from tvm_directconv.text import bytes_label, wrapped

    for path in paths:
        click.echo(f"{path}: {bytes_label(path.stat().st_size)}")
    click.echo(
        wrapped(
            f"for {target_label(compiled_model.target)}; {bytes_label(exported.weights_bytes)} of weights, "
            f"{bytes_label(exported.workspace_bytes)} of workspace in one thread"
        )
    )


# ---- helpers


def compiled(model: str, instruction_set: str | None = None, **options: Any) -> CompiledModel:
    """Compile MODEL with ``compile_options``, or load the library or the folder of a GPU's network it already
    is, a library in one ``instruction_set``."""
    from tvm_directconv.devices.network_files import LIST
    from tvm_directconv.runtime.loading import load
    from tvm_directconv.warm import compile as compile_model

    if model.endswith(LIBRARY_SUFFIXES) or (Path(model) / LIST).is_file():
        # --shapes and --batch name one of the sizes that it has.
        refuse_options(*COMPILE_PARAMETERS, reason=f"'{model}' is compiled already")
        return load(model, threads=options.get("threads"), instruction_set=instruction_set)
    refuse_options(
        "instruction_set", reason=f"'{model}' is not a library; --target says what it is compiled for"
    )
    from tvm_directconv import zoo

    with progress(f"compiling {model}") as phase:
        source = zoo.resolve_model(model)
        if isinstance(source, str):
            refuse_options("params", reason=f"'{model}' has weights and inputs of its own")
        return compile_model(source, **options, on_phase=lambda name: phase(f"compiling {model}: {name}"))


def _size_facts(size: Size) -> dict[str, Any]:
    report = size.report()
    return {
        "shapes": size.shapes,
        "layers": len(report.whole_layers),
        "packed_filter_bytes": report.packed_filter_bytes,
        "activation_bytes": report.activation_bytes,
        "workspace_bytes": report.workspace_bytes,
    }


def _save_arrays(folder: Path, arrays: dict[str, np.ndarray]) -> None:
    import numpy as np

    from tvm_directconv.files import write_atomically

    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        content = io.BytesIO()
        np.save(content, array)
        write_atomically(folder / f"{name.replace('/', '_')}.npy", content.getvalue())


def _describe(array: np.ndarray) -> dict[str, Any]:
    largest = float(array.max()) if array.size else None
    return {"dtype": str(array.dtype), "shape": list(array.shape), "max": largest}
