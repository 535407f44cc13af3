"""tune: one layer, or the distinct layers of a network, by measurement, here or on boards.

MetaSchedule's task scheduler gives trials to the layer where they promise most, weighted by its share of the
network's time; its XGBoost model ranks candidates. At the end, the fastest and the analytical choice are
timed again in turns, and the winner of that is what ``compile(tuning=...)`` uses. GPUs have a search of their
own, device.py.
"""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tvm

from relay_strategies.compiler.arguments import check_limits
from relay_strategies.compiler.compiler import compile as compile_model
from relay_strategies.frontends.declared import Given
from relay_strategies.strategies.limits import Limits
from relay_strategies.strategies.records import Records, recorded_workload
from tvm_directconv import zoo
from tvm_directconv.algorithms.accuracy import EXACT
from tvm_directconv.errors import TuningError
from tvm_directconv.locks import one_at_a_time
from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.targets.gpu import GpuTarget, resolve_any_target
from tvm_directconv.targets.target import CompileTarget, require_host
from tvm_directconv.temporary import temporary_folder

from .result import TuningResult
from .status import OnProgress

if TYPE_CHECKING:
    from .measure import Board

TRIALS_PER_LAYER, TRIALS_ON_GPU = 32, 1000
NEEDED = ("xgboost", "psutil", "cloudpickle", "tornado")
"""These packages are imported by MetaSchedule and its RPC."""


@one_at_a_time
def tune(
    model_or_workload: Any,
    target: str | Mapping[str, Any] | tvm.target.Target | CompileTarget | GpuTarget = "llvm -mcpu=native",
    trials: int | None = None,
    records: str | Path | None = None,
    *,
    max_workspace_bytes: int | None = None,
    max_filter_bytes: int | None = None,
    accuracy: str = EXACT,
    threads: int = 1,
    tracker: str | None = None,
    key: str | None = None,
    layout: str = "NHWC",
    precision: str | Mapping[str, str] = FLOAT32,
    shapes: Given | Sequence[Given] | None = None,
    batch: int | Sequence[int] | None = None,
    example_inputs: Any = None,
    seed: int = 0,
    search: str = "model",
    on_progress: OnProgress | None = None,
) -> TuningResult:
    """Measure schedules of a layer, or of a network's layers, and say what that gains.

    Args:
        model_or_workload: A Conv2dWorkload, its descriptor, or what ``compile`` takes.
        target: A target, as of ``compile``. For a GPU, "opencl ...", the OpenCL device at hand measures.
        trials: The most measurements of all layers together, those that the records have included; by default
            32 for each layer, on GPUs 1000.
        records: A file that measurements are appended to, and that earlier ones are taken from: an
            interrupted run goes on where it was.
        max_workspace_bytes: The most workspace that a candidate may take.
        max_filter_bytes: The most bytes that a candidate's packed filter may take.
        accuracy: Which algorithms may be candidates, as of ``compile``.
        threads: How many threads candidates run with.
        tracker: "host:port" of a TVM RPC tracker whose boards measure in place of this host.
        key: The key of these boards.
        layout: The layout that layers run in; candidates are the algorithms that have it.
        precision: As of ``compile``, as are ``shapes``, ``batch`` (the layers of all sizes are tuned) and
            ``example_inputs``.
        shapes: Shapes of inputs, by name.
        batch: The first dimension of inputs.
        example_inputs: What torch.export traces a module with.
        seed: What chance is drawn from.
        search: "model", or, on GPUs, "random", which measures points as they are drawn.
        on_progress: A function that is told how far the run is.

    Returns:
        The best of each layer beside the analytical choice, as a table, and what the network gains.

    Raises:
        TuningError: Records, trackers or budgets do not work.
        TargetError: This host cannot run the target's code, and there are no boards.
        BenchmarkError: There are fewer CPUs than ``threads``.

    Examples:
        >>> import tvm_directconv as directconv
        >>> result = directconv.tune(directconv.Conv2dWorkload(1, 7, 7, 16, 16, kernel=(1, 1)), trials=4)
        >>> result.layers[0].trials
        4
    """
    if trials is not None and not (isinstance(trials, Integral) and trials > 0):
        raise TuningError(f"trials must be an integer, and at least one trial is needed, not {trials!r}")
    limits = Limits(max_workspace_bytes, max_filter_bytes, accuracy)
    check_limits(limits)
    resolved = resolve_any_target(target)
    board = _measuring(resolved, tracker, key, threads)
    layers = tuned_layers(model_or_workload, resolved, layout, shapes, batch, example_inputs, precision)
    store = Records.load(records)
    store.check_writable()
    if isinstance(resolved, GpuTarget):
        from .device import DeviceRun

        on_device = DeviceRun(resolved, layers, store, limits, seed, on_progress, search)
        return on_device.result(trials if trials is not None else TRIALS_ON_GPU * len(on_device.layers))
    if search != "model":
        raise TuningError(f"search={search!r} is of GPUs; on CPUs MetaSchedule searches")
    from .run import Run

    with temporary_folder("directconv-tuning-") as folder:
        run = Run(resolved, layers, store, board, threads, limits, seed, on_progress, folder)
        return run.result(trials if trials is not None else TRIALS_PER_LAYER * len(layers))


def _measuring(
    target: CompileTarget | GpuTarget, tracker: str | None, key: str | None, threads: int
) -> Board | None:
    """The board that measures, None for this host, where that can measure for the target."""
    if isinstance(target, GpuTarget):
        from .device import check_measurable

        if tracker is not None or key is not None or threads != 1:
            raise TuningError("tracker, key and threads are of CPUs; a GPU is tuned where it is")
        check_measurable(target)
        return None
    if (tracker is None) != (key is None):
        raise TuningError("boards are given by both tracker='host:port' and key='...'")
    check_installed()
    from .measure import Board

    if tracker is not None and key is not None:
        return Board.parse(tracker, key)
    require_host(target)
    return None


def check_installed() -> None:
    """Raise TuningError where packages that MetaSchedule imports are missing."""
    missing = [p for p in NEEDED if importlib.util.find_spec(p) is None]
    if missing:
        raise TuningError(f"tuning needs {', '.join(missing)}: pip install 'tvm-directconv[tune]'")


def tuned_layers(
    source: Any,
    target: CompileTarget | GpuTarget,
    layout: str = "NHWC",
    shapes: Given | Sequence[Given] | None = None,
    batch: int | Sequence[int] | None = None,
    example_inputs: Any = None,
    precision: str | Mapping[str, str] = FLOAT32,
) -> dict[Conv2dWorkload, int]:
    """Return the distinct workloads to tune, and how often each occurs."""
    if isinstance(source, str) and zoo.is_descriptor(source):
        source = Conv2dWorkload.parse(source)
    if isinstance(source, Conv2dWorkload):
        return {recorded_workload(source): 1}
    model = zoo.resolve_model(source) if isinstance(source, str) else source
    model = zoo.load_model(model) if isinstance(model, str) else model
    options = {"shapes": shapes, "batch": batch, "example_inputs": example_inputs}
    compiled = compile_model(model, target, layout=layout, precision=precision, **options)
    layers = [layer for size in compiled.sizes for layer in size.report().layers]
    found = Counter(recorded_workload(Conv2dWorkload.parse(layer.workload)) for layer in layers)
    if not found:
        raise TuningError("the model does not contain convolutions or dense layers to tune")
    return dict(found)
