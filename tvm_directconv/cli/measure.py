"""Commands that measure: ``tvm-directconv bench | breakdown | pareto``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tvm_directconv.errors import AlgorithmError, nearest

from .console import print_comparison, print_json, print_result, print_table, progress
from .options import (
    DEMO_NETWORK,
    Renamed,
    batch_option,
    is_given,
    json_option,
    layers_options,
    only_size,
    plot_option,
    refuse_options,
    save_option,
    shapes_option,
    target_option,
    threads_option,
    typical_option,
    verbose_option,
)

if TYPE_CHECKING:
    import onnx

    from tvm_directconv.bench import LiftResult

    from .options import Batches, Sizes

_ALONE = ("layers", "descriptors", "contestants", "algorithms", "taken", "precision", "trials")
"""Options of bench, by their values' names, that --at-once leaves no room for."""
_OF_CPUS = (
    *("layers", "algorithms", "taken", "precision", "trials", "at_once", "shapes", "batch"),
    *("drawn", "typical", "operators"),
)
"""Options of bench that --lift does not take."""
_OF_MODELS = (
    *("layers", "descriptors", "algorithms", "taken", "at_once", "precision", "trials"),
    *("drawn", "typical", "shapes", "batch"),
)
"""Options of bench that --operators does not take."""
HALVES = ("bfloat16", "float16")


@click.command()
@click.argument("models", nargs=-1)
@click.option("--layers", is_flag=True, help="Time the networks' convolution layers one by one.")
@click.option("--layer", "descriptors", multiple=True, metavar="DESCRIPTOR", help="A single layer.")
@click.option("--contestants", help="Comma-separated; default: all that take part.")
@click.option(
    "--algorithms",
    metavar="NAMES",
    help="Also time these algorithms, each in its own layouts: comma-separated, also families of them as "
    "winograd_nhwc, or 'all'. Implies --layers.",
)
@click.option("--taken", is_flag=True, help="Only layers that all of --algorithms take, grouped ones, too.")
@click.option("--rounds", type=click.IntRange(1), default=7, show_default=True)
@click.option(
    "--at-once",
    is_flag=True,
    help="Time single-threaded runs, as many at a time as --threads, of ours, ONNX Runtime and OpenVINO.",
)
@click.option("--quick", is_flag=True, help="Few, short rounds; torch.compile only where it is named.")
@click.option(
    "--precision",
    type=click.Choice(HALVES),
    help="Time contestants that have it in half precision, too, beside themselves in float32.",
)
@click.option(
    "--lift",
    is_flag=True,
    help="Time lift on a GPU, on VGG-16's layers or those of --layer and MODELS, beside CLBlast and others.",
)
@click.option(
    "--records",
    type=click.Path(path_type=Path),
    help="With --lift: records of 'tune' for the GPU, whose best points take part.",
)
@click.option(
    "--trials",
    cls=Renamed,
    formerly=("--tuning",),
    type=click.IntRange(1),
    metavar="COUNT",
    help="Tune layers first, with so many trials each, and as many of MetaSchedule's own CPU space.",
)
@click.option(
    "--sizes",
    "drawn",
    type=click.IntRange(1),
    metavar="COUNT",
    help="Time an open model at its typical size and so many drawn ones, compiled once, and for each alone.",
)
@click.option(
    "--operators",
    type=click.IntRange(1),
    metavar="COUNT",
    help="Time so many single operators of drawn shapes, each of ONNX's in turn or of the MODELS' names.",
)
@typical_option
@shapes_option
@batch_option
@plot_option
@save_option
@target_option
@threads_option
@verbose_option
@json_option
def bench(
    lift: bool,
    trials: int | None,
    plot: Path | None,
    save: Path | None,
    verbose: bool,
    as_json: bool,
    records: Path | None,
    **given: Any,
) -> None:
    """Time networks or layers beside other libraries.

    MODELS are files, names of networks, and named sets of them: modern, which has networks of torchvision and
    timm, light, which has those of the onnx package, and both in 8 bits, modern_int8 and light_int8.

    Contestants take turns, round by round, after each one's answer was checked; the FMA peak is taken in
    the same rounds. --algorithms adds this project's algorithms to the automatic choice, and tells how
    good that was, and that of ours-standard and ours-fast, where they are among the contestants; without
    MODELS on the layers of every light network; not on grouped ones, which not all take. --trials takes
    six layers of ResNet-50, or those of --layer.

    --lift is about GPUs: --target is then by default 'opencl -device=native', --threads are what PoCL has,
    and --quick halves the maps of VGG-16's layers, too.
    """
    result: Any
    if lift:
        refuse_options(*_OF_CPUS, reason="--lift times layers in float32 on a GPU")
        result = _on_device(records, **given)
    else:
        refuse_options("records", reason="it is about --lift")
        if trials is not None and plot is not None:
            raise click.UsageError("--plot does not apply: --trials does not draw its result")
        result = _on_host(trials, **given)
    if save is not None:
        result.to_json(save)
    if plot is not None:
        result.plot(plot)
    if trials is None:
        print_comparison(result, as_json, verbose)
    else:
        print_result(result, as_json)


@click.command()
@click.argument("model")
@click.option("--algorithm", default="all", show_default=True, help="Comma-separated names, or 'all'.")
@layers_options
def breakdown(
    model: str,
    algorithm: str,
    shapes: Sizes,
    batch: Batches,
    plot: Path | None,
    save: Path | None,
    target: str,
    as_json: bool,
) -> None:
    """Show where the time of MODEL's convolutions goes.

    Its parts are packing, micro-kernels and the rest. MODEL may also be a layer's descriptor. Each algorithm
    runs alone, on one thread, in the layouts it takes, with the cycle counter read around every packing
    routine and micro-kernel; what reading it takes is subtracted. "plain us" is the time of a call without
    that. Algorithms that do not take a layer are left out of it.
    """
    from tvm_directconv import zoo
    from tvm_directconv.files import write_atomically
    from tvm_directconv.measure.profiling import breakdown as measure
    from tvm_directconv.measure.profiling import breakdown_table, takes
    from tvm_directconv.runtime.words import target_label
    from tvm_directconv.targets.target import resolve_target

    resolved = resolve_target(target)
    names = named_algorithms(algorithm)
    parts = []
    with progress("measuring") as phase:
        for workload, _ in zoo.layers_of(_in_size(model, shapes, batch)):
            for name in names:
                if takes(workload, resolved, name):
                    phase(f"measuring {name} on {workload}")
                    parts.append(measure(workload, resolved, name))
    if not parts:
        raise AlgorithmError(f"{', '.join(names)}: no layer of '{model}' is taken; give another --algorithm")
    records = [part.as_dict() for part in parts]
    if save is not None:
        write_atomically(save, json.dumps(records, indent=1).encode())
    if plot is not None:
        from tvm_directconv.bench.plots import plot_breakdown

        plot_breakdown(parts, plot)
    if as_json:
        print_json(records)
        return
    print_table(breakdown_table(parts, f"time by part, 1 thread, {target_label(str(resolved))}"))


@click.command()
@click.argument("model")
@click.option("--estimate", is_flag=True, help="Ask the cost model, in cycles, instead of measuring.")
@click.option(
    "--records",
    type=click.Path(path_type=Path),
    help="Records of 'tune' for a GPU, whose points are weighed.",
)
@layers_options
def pareto(
    model: str,
    estimate: bool,
    records: Path | None,
    shapes: Sizes,
    batch: Batches,
    plot: Path | None,
    save: Path | None,
    target: str,
    as_json: bool,
) -> None:
    """Weigh time against workspace on MODEL's convolutions.

    Every algorithm is weighed. MODEL may also be a layer's descriptor. Workspace is what an algorithm
    allocates beyond input, output and packed filter, with copies for changes of layout. Marked are the
    optimal ones: no other is at least as fast with at most their workspace. Set TVM_NUM_THREADS to measure on
    other than TVM's default threads.
    """
    from tvm_directconv.bench.pareto import pareto as measure

    with progress("estimating" if estimate else "measuring"):
        report = measure(_in_size(model, shapes, batch), target, estimate, records)
    if save is not None:
        report.to_json(save)
    if plot is not None:
        from tvm_directconv.bench.plots import plot_pareto

        plot_pareto(report, plot)
    print_result(report, as_json)


# ---- helpers


def _in_size(model: str, shapes: Sizes, batch: Batches) -> str | onnx.ModelProto:
    """Return MODEL in the size that --shapes and --batch name, as it is where neither is given."""
    from relay_strategies.compiler.sizes import with_size
    from tvm_directconv import zoo

    size = only_size(shapes, batch)
    if size == (None, None):
        return model
    if zoo.is_descriptor(model):
        refuse_options("shapes", "batch", reason="a layer's descriptor says its shapes")
    source = zoo.resolve_model(model)
    return with_size(zoo.read_onnx(source) if isinstance(source, Path) else zoo.load_model(source), *size)


def _on_device(
    records: Path | None,
    models: tuple[str, ...],
    descriptors: tuple[str, ...],
    contestants: str | None,
    rounds: int,
    quick: bool,
    target: str,
    threads: int,
    **others: object,
) -> LiftResult:
    """Return the result of --lift; of ``others`` none is given."""
    from tvm_directconv.bench.lift_layers import NATIVE_DEVICE, bench_lift

    layers = [*models, *descriptors] or None
    names = None if contestants is None else contestants.split(",")
    device = target if is_given("target") else NATIVE_DEVICE
    return bench_lift(layers, device, threads, rounds, names, quick=quick, records=records)


def _on_host(
    trials: int | None,
    models: tuple[str, ...],
    layers: bool,
    descriptors: tuple[str, ...],
    contestants: str | None,
    algorithms: str | None,
    taken: bool,
    rounds: int,
    at_once: bool,
    quick: bool,
    precision: str | None,
    drawn: int | None,
    operators: int | None,
    typical: dict[str, int] | None,
    shapes: Sizes,
    batch: Batches,
    target: str,
    threads: int,
) -> Any:
    """Return what is timed on CPUs."""
    from tvm_directconv import zoo
    from tvm_directconv.bench import PEERS, bench_layers, bench_networks, bench_sizes, bench_tuning
    from tvm_directconv.bench.contestants.requests import AT_ONCE
    from tvm_directconv.bench.tuning import LAYERS

    effort, size = (target, threads, rounds), only_size(shapes, batch)
    options: dict[str, Any] = {"quick": quick, "shapes": size[0], "batch": size[1]}
    if operators is not None:
        return _of_operators(operators, models, contestants, effort, quick)
    if taken and algorithms is None:
        raise click.UsageError("--taken is about --algorithms: name some, or leave it out")
    by_layer = layers or bool(descriptors) or algorithms is not None
    if not models and not descriptors and trials is None:
        models = (DEMO_NETWORK,) if algorithms is None else tuple(zoo.list_models())
    names: Any = _contestants(contestants, precision, by_layer)
    if drawn is not None:
        if len(models) != 1 or not typical or by_layer or at_once or trials is not None:
            raise click.UsageError("--sizes takes one MODEL, and what is --typical of its open dimensions")
        refuse_options("shapes", "batch", "precision", reason="--sizes draws sizes")
        return bench_sizes(models[0], typical, drawn, *effort, names, quick=quick)
    refuse_options("typical", reason="it is about --sizes")
    if at_once:
        refuse_options(*_ALONE, reason="--at-once has its own contestants, on whole networks")
        names = AT_ONCE
    taken_by = named_algorithms(algorithms) if taken and algorithms is not None else ()
    if algorithms is not None:
        names = tuple(dict.fromkeys(("ours", *named_algorithms(algorithms), *(names or PEERS))))
    if trials is not None:
        if models or contestants or algorithms:
            raise click.UsageError("--trials has its own contestants, and takes layers by --layer")
        refuse_options("shapes", "batch", "precision", reason="--trials takes float32 layers")
        return bench_tuning(descriptors or LAYERS, target, trials, threads, rounds, quick=quick)
    if by_layer:
        grouped = algorithms is None or taken
        all_layers = [*models, *descriptors]
        return bench_layers(all_layers, *effort, names, grouped=grouped, taken_by=taken_by, **options)
    return bench_networks(models, *effort, names, **options)


def _of_operators(
    count: int, names: tuple[str, ...], contestants: str | None, effort: tuple[str, int, int], quick: bool
) -> Any:
    """Return what is timed of so many drawn operators of these names."""
    from tvm_directconv.bench import bench_operators

    refuse_options(*_OF_MODELS, reason="--operators draws models of one operator")
    peers = _contestants(contestants, None, False)
    return bench_operators(count, *effort, peers, only=names, quick=quick)


def _contestants(given: str | None, precision: str | None, by_layer: bool) -> tuple[str, ...] | None:
    """Return those given, or None, and with a precision also themselves in it."""
    from tvm_directconv.bench.contestants import FOR_HALVES, FOR_LAYERS, in_half

    names = None if given is None else tuple(given.split(","))
    if precision is None:
        return names
    return in_half(names or (FOR_LAYERS if by_layer else FOR_HALVES), precision)


def named_algorithms(text: str) -> tuple[str, ...]:
    """Return the algorithms in a comma-separated list, of a family all its variants, or all there are."""
    from tvm_directconv.algorithms import ALGORITHMS

    if text == "all":
        return tuple(ALGORITHMS)
    chosen: list[str] = []
    for name in text.split(","):
        family = [known for known in ALGORITHMS if known.startswith(f"{name}_")]
        found = [name] if name in ALGORITHMS else family
        if not found:
            known = ", ".join(ALGORITHMS)
            raise AlgorithmError(f"no algorithm '{name}'{nearest(name, ALGORITHMS)}; there are all, {known}")
        chosen += found
    return tuple(dict.fromkeys(chosen))
