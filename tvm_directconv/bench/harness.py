"""The benchmarks to call: layers or a network in, a result out.

Here inputs become problems and a process is started for each contestant; rounds.py does the measuring.
"""

from __future__ import annotations

import contextlib
import functools
import pickle
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import onnx
import tvm

from relay_strategies.compiler.sizes import guessed_shapes, onnx_inputs, with_size
from relay_strategies.frontends.declared import Given
from tvm_directconv import zoo
from tvm_directconv.errors import BenchmarkError, ModelError
from tvm_directconv.measure.cpus import choose_cpus
from tvm_directconv.measure.profiling import takes
from tvm_directconv.measure.workers import Worker
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.target import CompileTarget, require_host, resolve_target
from tvm_directconv.zoo.inputs import image_of
from tvm_directconv.zoo.libraries import is_library_name
from tvm_directconv.zoo.networks import SUFFIX
from tvm_directconv.zoo.quantized import is_quantized

from .contestants import (
    FOR_LAYERS,
    FOR_QUANTIZED_LAYERS,
    FOR_TFLITE,
    AnyContestant,
    Setting,
    for_networks,
    kind_of,
)
from .figures import Comparison, Measurement
from .host import describe_host
from .operations import network_flops
from .problems import SEED, LayerProblem, NetworkProblem
from .progress import Reporter
from .quantized_problems import Problem, QuantizedLayerProblem, QuantizedNetworkProblem, with_last_bytes
from .results import LayerResult, NetworkResult, merge
from .rounds import Effort, Peak, compare, dtype_of
from .solver import PeakLoops, Solver
from .tflite_problems import is_tflite, tflite_problem

AnyTarget: TypeAlias = "str | dict | tvm.target.Target | CompileTarget"

QUICK_LAYERS = Effort(rounds=3, block_seconds=0.005, least_calls=1)
QUICK_NETWORKS = Effort(rounds=3, block_seconds=0.02, least_calls=1)


def network_effort(rounds: int, quick: bool) -> Effort:
    """Return how long networks are measured."""
    return QUICK_NETWORKS if quick else Effort(rounds, block_seconds=0.1, least_calls=3)


def bench_layers(
    layers: Sequence[Conv2dWorkload | str],
    target: AnyTarget = "llvm -mcpu=native",
    threads: int = 1,
    rounds: int = 7,
    contestants: Sequence[AnyContestant] | None = None,
    *,
    quick: bool = False,
    grouped: bool = True,
    taken_by: Sequence[str] = (),
    shapes: Given | None = None,
    batch: int | None = None,
    progress: bool | None = None,
) -> LayerResult:
    """Time single convolutions beside other libraries, in turns; every answer is checked before.

    Args:
        layers: Workloads, descriptors, or networks by name, set or ONNX file, whose layers are taken. Layers
            that several networks share are timed once.
        target: A target, as of ``compile``, that this host can run.
        threads: How many threads each contestant has.
        rounds: How often they take turns.
        contestants: Names of ``CONTESTANTS``, or classes of others' making that another process can import.
            By default all take part that there are in float32, or in 8 bits where a layer has them.
        quick: Few, short rounds.
        grouped: Whether grouped and depthwise layers of networks are taken.
        taken_by: Algorithms; layers that one of them does not take are left out.
        shapes: The size of networks that leave it open, as of ``compile``.
        batch: The first dimension of networks that leave it open.
        progress: Whether a bar on stderr shows how far it is; by default if that is a terminal.

    Returns:
        The figures, which print as a table. A contestant that is absent, unable or wrong, raises anything,
        crashes or hangs is reported in them.

    Raises:
        BenchmarkError: A contestant is unknown, there are no layers, or there are fewer CPUs than threads.
        TargetError: This host cannot run the target's code.
        WorkloadError: A descriptor is not valid.
        ModelError: A network cannot be read.
    """
    effort = QUICK_LAYERS if quick else Effort(rounds, block_seconds=0.02, least_calls=2)
    problems: list[Problem] = [
        (QuantizedLayerProblem if workload.quantized else LayerProblem)(workload, counts)
        for workload, counts in layer_counts(layers, grouped, shapes, batch, progress).items()
        if all(takes(workload, resolve_target(target), name) for name in taken_by)
    ]
    if not problems:
        raise BenchmarkError(f"none of the layers is taken by all of {', '.join(taken_by)}; give others")
    if contestants is None:
        kinds = {problem.quantized: None for problem in problems}
        names = [name for kind in kinds for name in (FOR_QUANTIZED_LAYERS if kind else FOR_LAYERS)]
        contestants = tuple(dict.fromkeys(names))
    return LayerResult(*benchmark(lambda: problems, target, threads, effort, contestants, progress))


def bench_network(
    network: str | Path | onnx.ModelProto,
    target: AnyTarget = "llvm -mcpu=native",
    threads: int = 1,
    rounds: int = 7,
    contestants: Sequence[AnyContestant] | None = None,
    *,
    quick: bool = False,
    shapes: Given | None = None,
    batch: int | None = None,
    inputs: Mapping[str, np.ndarray] | None = None,
    progress: bool | None = None,
) -> NetworkResult:
    """Time a network beside other runtimes, in turns; every answer is checked before.

    FLOPS count convolutions and matrix products. Quantized networks get their last 8-bit tensor as another
    output, by which answers are judged. A slow contestant (TVM's default) is checked and then timed in the
    first round only, and its measurement says so.

    Args:
        network: A name of the zoo (seeded random weights), the path of an ONNX or .tflite file, or a model.
        target: A target, as of ``compile``, that this host can run.
        threads: How many threads each contestant has.
        rounds: How often they take turns.
        contestants: By default all take part that there are, and with quantized networks their float32 form
            by ours, too; on networks of torchvision and timm also PyTorch, but not TVM's default, and in
            ``quick`` rounds not torch.compile. On .tflite files ours, LiteRT and OpenVINO, which read them.
        quick: Few, short rounds.
        shapes: The size of a network that leaves it open, as of ``compile``.
        batch: The first dimension of a network that leaves it open.
        inputs: Arrays by name; other inputs are drawn.
        progress: As of ``bench_layers``, as are the results and errors.
    """
    effort = network_effort(rounds, quick)

    @functools.cache
    def make() -> list[Problem]:
        return [_network_problem(network, shapes, batch, progress, inputs)]

    if contestants is None and is_tflite(network):
        contestants = FOR_TFLITE
    elif contestants is None:
        contestants = for_networks(make()[0].quantized, bool(_library_name(network)), quick)
    return NetworkResult(*benchmark(make, target, threads, effort, contestants, progress))


def bench_networks(
    networks: Sequence[str | Path | onnx.ModelProto],
    target: AnyTarget = "llvm -mcpu=native",
    threads: int = 1,
    rounds: int = 7,
    contestants: Sequence[AnyContestant] | None = None,
    **options: Any,
) -> NetworkResult:
    """Time networks, and those of named sets ("modern", "light", "modern_int8"), one after the other.

    ``options`` are those of ``bench_network``. Each contestant has a new process for each network. Names that
    nothing has are refused before anything is timed; a network that cannot be made, as where a set's library
    is not installed, is a row that says so, and raises where there is no other.
    """
    given = [networks] if isinstance(networks, str | Path | onnx.ModelProto) else list(networks)
    for network in given:
        if not isinstance(network, onnx.ModelProto) and not zoo.members(str(network)):
            zoo.resolve_model(network)
    chosen = zoo.expanded(given)
    if contestants is None and any(map(_library_name, chosen)):
        quantized = all(isinstance(network, str) and network.endswith(SUFFIX) for network in chosen)
        contestants = for_networks(quantized, True, options.get("quick", False))
    results: list[NetworkResult | tuple[str, ModelError]] = []
    for network in chosen:
        try:
            results.append(bench_network(network, target, threads, rounds, contestants, **options))
        except ModelError as error:
            results.append((str(network), error))
    done = [result for result in results if isinstance(result, NetworkResult)]
    if not done:
        raise next(
            (each[1] for each in results if isinstance(each, tuple)),
            BenchmarkError("no networks to benchmark"),
        )
    names = list(dict.fromkeys(name for result in done for name in result.contestants))
    rows = [
        result
        if isinstance(result, NetworkResult)
        else replace(done[0], comparisons=(_refused(result[0], names, str(result[1])),))
        for result in results
    ]
    return merge(rows)


def _refused(network: str, contestants: Sequence[str], reason: str) -> Comparison:
    """Return the comparison of a network that nobody could be given."""
    measurements = tuple(Measurement(name, refused=reason) for name in contestants)
    return Comparison(network, 0, (), measurements)


def _library_name(network: object) -> str:
    """Return the name by which torchvision or timm builds it in float32, if it has one."""
    if not isinstance(network, str) or not is_library_name(network):
        return ""
    return network.removesuffix(SUFFIX)


def layer_counts(
    layers: Sequence[Conv2dWorkload | str],
    grouped: bool,
    shapes: Given | None,
    batch: int | None,
    progress: bool | None,
) -> dict[Conv2dWorkload, dict[str, int]]:
    """Return the different layers, and how often each network has them."""
    if isinstance(layers, str | Conv2dWorkload):
        layers = [layers]
    counts: dict[Conv2dWorkload, dict[str, int]] = {}
    for entry in zoo.expanded(layers):
        if isinstance(entry, Conv2dWorkload):
            counts.setdefault(entry, {})
        elif zoo.is_descriptor(entry):
            counts.setdefault(Conv2dWorkload.parse(entry), {})
        else:
            network = zoo.resolve_model(entry)
            name = network.stem if isinstance(network, Path) else network
            with Reporter(1, progress) as reporter:
                if isinstance(network, str) and shapes is None and batch is None:
                    found = zoo.layers_of(network, reporter.say)  # which needs no weights
                else:
                    found = zoo.layers_of(with_size(_model_of(network, reporter), shapes, batch))
            for workload, count in found:
                if grouped or workload.groups == 1:
                    counts.setdefault(workload, {})[name] = count
    if not counts:
        raise BenchmarkError("no layers to benchmark: the networks given do not have convolutions")
    return counts


def _model_of(source: Path | str, reporter: Reporter) -> onnx.ModelProto:
    if isinstance(source, Path):
        return zoo.read_onnx(source)
    return zoo.load_model(source, on_phase=reporter.say)


def _network_problem(
    network: str | Path | onnx.ModelProto,
    shapes: Given | None,
    batch: int | None,
    progress: bool | None,
    inputs: Mapping[str, np.ndarray] | None = None,
) -> NetworkProblem:
    if is_tflite(network):
        if shapes or batch:
            raise BenchmarkError(f"'{network}' is timed at the sizes in it: leave out shapes and batch")
        return tflite_problem(Path(str(network)), inputs)
    original: NetworkProblem | None = None
    source = network if isinstance(network, onnx.ModelProto) else zoo.resolve_model(network)
    if isinstance(source, onnx.ModelProto):
        name, model = source.graph.name or "model", source
    else:
        name = source.stem if isinstance(source, Path) else source
        with Reporter(1, progress) as reporter:
            model = _model_of(source, reporter)
    of_inputs = {name: array.shape for name, array in (inputs or {}).items()}
    sized = guessed_shapes(onnx_inputs(model), {**(shapes or {}), **of_inputs}, batch)
    model = with_size(model, sized or None, batch)
    if isinstance(source, str) and name.endswith(SUFFIX):
        original = _network_problem(name.removesuffix(SUFFIX), shapes, batch, progress, inputs)
    flops, values, library = network_flops(model), image_of(model, SEED, inputs), _library_name(source)
    if is_quantized(model):
        shown = with_last_bytes(model)
        return QuantizedNetworkProblem(name, shown, values, flops, library_name=library, original=original)
    return NetworkProblem(name, model, values, flops, library_name=library)


def benchmark(
    make: Callable[[], list[Problem]],
    target: AnyTarget,
    threads: int,
    effort: Effort,
    contestants: Sequence[AnyContestant],
    progress: bool | None,
) -> tuple[str, int, tuple[int, ...], str, dict[str, str | float], tuple[Comparison, ...]]:
    """Return the fields of a Result, in order. The processes start while ``make`` makes the problems, a list
    that is emptied: the data of those done is let go."""
    resolved = resolve_target(target)
    require_host(resolved)
    kinds = {kind_of(chosen).name: chosen for chosen in contestants}
    for name, chosen in kinds.items():
        _require_sendable(name, chosen)
    cpus, host = choose_cpus(threads), describe_host()
    found = take_rounds(make, kinds, Setting(resolved, threads), cpus, effort, progress)
    return str(resolved), threads, cpus, found[0], host, found[1]


def take_rounds(
    make: Callable[[], list[Problem]],
    team: Mapping[str, AnyContestant],
    setting: Setting,
    cpus: tuple[int, ...],
    effort: Effort,
    progress: bool | None,
    with_peak: bool = True,
) -> tuple[str, tuple[Comparison, ...]]:
    """Return what the peak is of, nothing without it, and the comparisons of a ``team``, contestants by name,
    each in a process of its own."""
    if effort.rounds < 1:
        raise BenchmarkError(f"{effort.rounds} rounds: give at least 1")
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))

        def start(make: Callable[..., object], *arguments: object) -> Worker:
            return stack.enter_context(contextlib.closing(Worker(folder, make, *arguments)))

        loops = start(PeakLoops, setting.target, cpus[0]) if with_peak else None
        workers = {name: start(Solver, chosen, setting, cpus) for name, chosen in team.items()}
        problems = make()
        dtypes = sorted({dtype_of(problem) for problem in problems})
        peaks = {} if loops is None else {dtype: Peak(loops, dtype) for dtype in dtypes}
        comparisons = []
        reporter = stack.enter_context(Reporter(len(problems) * (len(team) + effort.rounds), progress))
        while problems:
            problem = problems.pop(0)
            if isinstance(problem, NetworkProblem):
                problem = problem.stored(folder)
            peak = peaks.get(dtype_of(problem))
            comparisons.append(compare(problem, workers, folder, effort, peak, setting.threads, reporter))
        return "; ".join(peak.instruction for peak in peaks.values()), tuple(comparisons)


def _require_sendable(name: str, chosen: AnyContestant) -> None:
    """Raise BenchmarkError for a contestant of which a process of its own could not be made."""
    try:
        pickle.dumps(chosen)
        reason = "is defined in __main__" if getattr(chosen, "__module__", "") == "__main__" else ""
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        reason = f"cannot be pickled ({error})"
    if reason:
        raise BenchmarkError(
            f"contestant '{name}' {reason}, and so cannot be sent to a process of its own; define its class "
            "at the top of a module that can be imported"
        )
