"""What a tuning run found: per layer and for the network, for people and for machines."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from relay_strategies.strategies.device_candidates import AnySpace
from relay_strategies.strategies.record_files import Record
from relay_strategies.strategies.records import Records, candidate_of
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.runtime.words import target_label
from tvm_directconv.text import Tabular, TextTable, counted, layer_label


@dataclass(frozen=True)
class LayerTuning:
    """What was found of one layer.

    It is ``count`` times in the network; ``analytical`` and ``best`` were timed in turns where the run came
    to its end; ``records`` are all measurements there are of it.
    """

    workload: str
    count: int
    flops: int
    trials: int
    analytical: Record | None
    best: Record | None
    records: tuple[Record, ...]

    @property
    def gain(self) -> float:
        """The analytical choice's time over the best's; 1 where either is missing."""
        if self.analytical is None or self.best is None:
            return 1.0
        return self.analytical.median / self.best.median

    @property
    def pareto(self) -> list[Record]:
        """The records that none beats in time with at most their workspace, fastest first."""
        found: list[Record] = []
        least = math.inf
        for record in sorted(self.records, key=lambda r: (r.median, r.workspace_bytes)):
            if record.workspace_bytes < least:
                found.append(record)
                least = record.workspace_bytes
        return found

    @property
    def best_so_far(self) -> list[tuple[int, float]]:
        """The curve of the search: after how many points, counting those that ran, the best had which
        seconds, one pair for each time that it got better."""
        found: list[tuple[int, float]] = []
        searched = (record for record in self.records if not record.final)
        for number, record in enumerate(searched, start=1):
            if not found or record.median < found[-1][1]:
                found.append((number, record.median))
        return found


def layer_tuning(
    space: AnySpace, store: Records, threads: int, final: Sequence[Record] | None, count: int, trials: int
) -> LayerTuning:
    """Return what is known of a layer after ``trials`` measurements of this run; ``final`` are the records of
    its comparison, None or none where the run did not get there."""
    workload = space.workload
    of_target = store.of(space.target, threads)
    own = [r for r in of_target if r.workload == str(workload) and r.seconds]
    # Times of other runs are not to be compared with those of this one.
    compared = final or [r for r in own if _allowed(space, r)]
    analytical = [r for r in compared if candidate_of(space, r) == space.analytical]
    best = min(compared, key=lambda record: record.median, default=None)
    return LayerTuning(
        str(workload),
        count,
        workload.flops,
        trials,
        analytical[-1] if analytical else None,
        best,
        tuple(own),
    )


def _allowed(space: AnySpace, record: Record) -> bool:
    candidate = candidate_of(space, record)
    return candidate is not None and space.allowed(candidate)


@dataclass(frozen=True)
class TuningResult(Tabular):
    """What a run of ``tune`` found. ``skipped`` names lines of the records file that were none, ``foreign``
    counts those of other targets."""

    target: str
    threads: int
    layers: tuple[LayerTuning, ...]
    skipped: tuple[str, ...] = ()
    foreign: int = 0
    interrupted: bool = False

    @property
    def analytical_seconds(self) -> float:
        """The seconds of all layers, each as often as it occurs, with the analytical choices."""
        known = ((layer.analytical or layer.best, layer.count) for layer in self.layers)
        return sum(record.median * count for record, count in known if record is not None)

    @property
    def tuned_seconds(self) -> float:
        known = ((layer.best, layer.count) for layer in self.layers)
        return sum(record.median * count for record, count in known if record is not None)

    @property
    def geomean_gain(self) -> float:
        """The geometric mean of the layers' gains."""
        gains = [layer.gain for layer in self.layers]
        return math.exp(sum(map(math.log, gains)) / len(gains))

    @property
    def largest_gain(self) -> float:
        """How many times the best's seconds an analytical choice takes at most."""
        return max(layer.gain for layer in self.layers)

    def to_json(self, indent: int | None = 2) -> str:
        """Return everything but the single records as JSON text."""
        layers = [
            {name: value for name, value in asdict(layer).items() if name != "records"}
            | {"gain": layer.gain, "pareto": [asdict(record) for record in layer.pareto]}
            for layer in self.layers
        ]
        fields = {name: value for name, value in asdict(self).items() if name != "layers"}
        totals: dict[str, Any] = {
            "analytical_seconds": self.analytical_seconds,
            "tuned_seconds": self.tuned_seconds,
            "geomean_gain": self.geomean_gain,
            "largest_gain": self.largest_gain,
        }
        return json.dumps(fields | totals | {"layers": layers}, indent=indent)

    def rows(self) -> list[dict[str, Any]]:
        """Return what was found of each layer, by name."""
        return [
            {
                "layer": layer.workload,
                "count": layer.count,
                "flops": layer.flops,
                "trials": layer.trials,
                "analytical_seconds": layer.analytical and layer.analytical.median,
                "tuned_seconds": layer.best and layer.best.median,
                "gain": layer.gain,
                "algorithm": layer.best and layer.best.algorithm,
                "knobs": layer.best and layer.best.knobs,
            }
            for layer in self.layers
        ]

    def table(self) -> TextTable:
        """Return one row per layer, the analytical model's choice beside the best, and the network below."""
        numbers = ("model us", "tuned us", "GFLOPS", "gain")
        title = f"tuned for {target_label(self.target)}, {counted(self.threads, 'thread')}"
        table = TextTable(title, ("layer", *numbers, "algorithm", "knobs"), ("layer", "algorithm", "knobs"))
        for layer in self.layers:
            best, analytical = layer.best, layer.analytical
            knobs = " ".join(f"{n}={v}" for n, v in best.knobs.items()) if best else ""
            times = f" ({layer.count} times)" if layer.count > 1 else ""
            table.add_row(
                layer_label(Conv2dWorkload.parse(layer.workload)) + times,
                f"{1e6 * analytical.median:.1f}" if analytical else "-",
                f"{1e6 * best.median:.1f}" if best else "-",
                f"{layer.flops / best.median / 1e9:.0f}" if best else "-",
                f"{layer.gain:.2f}",
                best.algorithm if best else "none measured",
                knobs,
            )
        lines = [
            f"all layers: {1e3 * self.analytical_seconds:.3f} ms by the analytical choices, "
            f"{1e3 * self.tuned_seconds:.3f} ms tuned; geometric mean of gains {self.geomean_gain:.3f}",
            f"an analytical choice takes at most {self.largest_gain:.2f} times the time of the best found",
        ]
        if self.interrupted:
            lines.append("interrupted: the same command goes on from the records")
        if self.foreign:
            lines.append(f"{self.foreign} records of other targets were left alone")
        table.caption = "\n".join([*lines, *(f"skipped {line}" for line in self.skipped)])
        return table
