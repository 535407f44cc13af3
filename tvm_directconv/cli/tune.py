"""``tvm-directconv tune``: measure schedules of a layer or a network, and keep them in a file of records."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tvm_directconv.errors import WorkloadError

from .console import print_result
from .interrupts import interrupted, when_interrupted
from .options import (
    accuracy_option,
    batch_option,
    json_option,
    max_filter_option,
    precision_option,
    refuse_options,
    save_option,
    shapes_option,
    target_option,
    threads_option,
)

if TYPE_CHECKING:
    from relay_strategies.tuning.status import Status
    from tvm_directconv.problem.workload import Conv2dWorkload

SHOWN_LAYERS = 16


@click.command()
@click.argument("model", required=False)
@click.option(
    "--layer",
    metavar="N,H,W,IC,OC,KH,KW,STRIDE,PAD",
    help="Tune one float32 layer, given by its extents or by its descriptor.",
)
@click.option(
    "--trials", type=click.IntRange(1), help="Measurements in all; default: 32 for each layer, 1000 on GPUs."
)
@click.option(
    "--records",
    type=click.Path(path_type=Path),
    help="File that measurements are appended to; what it has is not measured again.",
)
@click.option("--max-workspace-bytes", type=click.IntRange(0), help="Leave out what takes more.")
@click.option("--layout", default="NHWC", show_default=True, help="Activations' layout: NHWC, NCHW, blocked.")
@precision_option
@accuracy_option
@max_filter_option
@click.option("--tracker", metavar="HOST:PORT", help="Measure on boards of this RPC tracker.")
@click.option("--key", help="The boards' key at the tracker.")
@click.option("--seed", default=0, show_default=True)
@click.option(
    "--search",
    type=click.Choice(["model", "random"]),
    default="model",
    show_default=True,
    help="GPUs' points: half by the model's rank, or all by chance.",
)
@shapes_option
@batch_option
@save_option
@target_option
@threads_option
@json_option
def tune(
    model: str | None,
    layer: str | None,
    records: Path | None,
    layout: str,
    save: Path | None,
    target: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Tune the convolutions of MODEL, or one layer.

    Schedules are measured, the analytical choice first. Interrupt it at any time: measurements are in the
    file of --records, and the same command goes on from there. 'compile --records FILE' uses them. Of several
    sizes, the layers of all are tuned.
    """
    from relay_strategies.tuning.tune import tune as tune_layers
    from tvm_directconv.targets.gpu import is_gpu_target

    if (model is None) == (layer is None):
        raise click.UsageError("give a MODEL, or --layer")
    if layer is not None:
        refuse_options("shapes", "batch", "precision", reason="a layer says its own extents and types")
    if records is not None:
        when_interrupted(f"what was measured is in '{records}': the same command goes on from there")
    source: Any = model if layer is None else parse_layer(layer, layout)
    on_cpu = options["tracker"] is None and not is_gpu_target(target)
    with _Display(target, on_cpu) as display:
        result = tune_layers(
            source, target, records=records, layout=layout, **options, on_progress=display.update
        )
    if save is not None:
        from tvm_directconv.files import write_atomically

        write_atomically(save, result.to_json().encode())
    print_result(result, as_json)
    if result.interrupted:
        raise KeyboardInterrupt


def parse_layer(text: str, layout: str = "NHWC") -> Conv2dWorkload:
    """Read a workload from "N,H,W,IC,OC,KH,KW,stride,pad", in that layout, or from its descriptor."""
    from tvm_directconv import zoo
    from tvm_directconv.algorithms import blocked
    from tvm_directconv.problem.workload import Conv2dWorkload

    if zoo.is_descriptor(text):
        return Conv2dWorkload.parse(text)
    parts = text.split(",")
    if len(parts) != 9 or not all(part.strip().isdecimal() for part in parts):
        raise WorkloadError(f"--layer '{text}' is not nine numbers N,H,W,IC,OC,KH,KW,stride,pad")
    n, h, w, ic, oc, kh, kw, stride, pad = map(int, parts)
    workload = Conv2dWorkload(n, h, w, ic, oc, (kh, kw), (stride, stride), (pad, pad, pad, pad))
    return workload.in_layouts(blocked.LAYOUT if layout == "blocked" else layout)


class _Display:
    """A live table on standard error, where that is a terminal: per layer the best so far and its trials,
    below them how long the rest will take."""

    def __init__(self, target: str, local: bool) -> None:
        from rich.console import Console
        from rich.live import Live

        self._live = Live(console=Console(stderr=True), refresh_per_second=2, transient=True)
        self._peaks: dict[str, float] = {}
        self._target, self._local = target, local
        self._start = time.monotonic()

    def __enter__(self) -> _Display:
        self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._live.stop()

    def update(self, status: Status) -> None:
        from rich.table import Table

        if interrupted():  # and foreign code that Python was called from has lost the exception
            raise KeyboardInterrupt
        table = Table(title=status.phase)
        for heading in ("layer", "best GFLOPS", "% of peak", "trials"):
            table.add_column(heading, justify="left" if heading == "layer" else "right")
        for workload in list(status.layers)[:SHOWN_LAYERS]:
            seconds = status.best.get(workload)
            speed = workload.flops / seconds / 1e9 if seconds else None
            peak = self._peak(workload)
            table.add_row(
                str(workload),
                f"{speed:.0f}" if speed else "-",
                f"{100 * speed / peak:.0f}" if speed and peak else "-",
                str(status.trials[workload]),
            )
        hidden = len(status.layers) - SHOWN_LAYERS
        spent = time.monotonic() - self._start
        left = f"{spent / status.done * (status.total - status.done):.0f} s left" if status.done else ""
        more = f"and {hidden} more layers; " if hidden > 0 else ""
        table.caption = f"{more}{status.done} of {status.total} trials, {spent:.0f} s, at most {left}"
        self._live.update(table)

    def _peak(self, workload: Conv2dWorkload) -> float | None:
        """Return the peak of this host, measured once for each type; None where boards or GPUs
        measure."""
        from tvm_directconv.measure.peak import FmaPeak
        from tvm_directconv.problem.element_types import FLOAT32

        kind = "int8" if workload.quantized else FLOAT32
        if not self._local:
            return None
        if kind not in self._peaks:
            self._peaks[kind] = FmaPeak(self._target, kind).measure()
        return self._peaks[kind]
