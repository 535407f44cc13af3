"""LayerOptions: how the layers of a network are computed, on CPUs and GPUs alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import tvm

from relay_strategies.passes import graph_passes
from relay_strategies.passes.lower.layer_kernels import OnKernel, Tuned
from relay_strategies.passes.rows.choice import FASTEST
from relay_strategies.relax.epilogue_steps import FLOAT
from relay_strategies.strategies.limits import Limits
from relay_strategies.strategies.records import Records
from relay_strategies.strategies.strategy import AUTO
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.algorithms.accuracy import EXACT, PORTABLE
from tvm_directconv.targets.target import CompileTarget


@dataclass(frozen=True)
class LayerOptions:
    """The options of ``compile`` that say how a network's layers are computed."""

    algorithm: str | Mapping[str, str]
    precision: str | Mapping[str, str]
    limits: Limits
    layout: str
    records: Records | None
    memory: str = FASTEST

    @property
    def options(self) -> tuple[Any, ...]:
        """All options but the records as plain values, equal for equal requests."""
        return _whole(self.algorithm), _whole(self.precision), self.limits, self.layout, self.memory

    @property
    def words(self) -> str:
        """The options that differ from their defaults, in the words of the command line."""
        algorithm, precision, limits, layout, memory = self.options
        said = {
            "--algorithm": (algorithm, AUTO),
            "--precision": (precision, FLOAT),
            "--accuracy": (limits.accuracy, EXACT),
            "--layout": (layout, "NHWC"),
            "--memory": (memory, FASTEST),
            "--max-workspace-bytes": (limits.workspace_bytes, None),
            "--max-filter-bytes": (limits.filter_bytes, None),
            "--records": (None if self.records is None else f"{len(self.records.records)} records", None),
        }
        return ", ".join(
            f"{option} {part}"
            for option, (value, usual) in said.items()
            if value != usual
            for part in ([f"{k}={v}" for k, v in value.items()] if isinstance(value, Mapping) else [value])
        )

    @property
    def tuned(self) -> Tuned | None:
        """A function that looks a layer up in the records, None without records."""
        return None if self.records is None else self.records.choice

    def passes(
        self,
        target: CompileTarget,
        expose_layers: bool = False,
        on_kernel: OnKernel | None = None,
        common: Tuned | None = None,
    ) -> list[tvm.transform.Pass]:
        """Return the graph passes with these options; see ``graph_passes``."""
        return graph_passes(
            target,
            self.algorithm,
            layout=self.layout,
            limits=self.limits,
            precision=self.precision,
            tuning=self.tuned,
            common=common,
            expose_layers=expose_layers,
            on_kernel=on_kernel,
            memory=self.memory,
        )

    def exact(self) -> LayerOptions:
        """Return the options of a reference: float32, by algorithms that round as the definition does."""
        accuracy = PORTABLE if self.limits.accuracy == PORTABLE else EXACT
        limits = self.limits._replace(accuracy=accuracy)
        return replace(self, algorithm=_exact(self.algorithm), precision=FLOAT, limits=limits)


def _whole(named: str | Mapping[str, str]) -> str | Mapping[str, str]:
    """Write the pattern "*" alone like a name for all layers."""
    return named if isinstance(named, str) or set(named) != {"*"} else named["*"]


def _exact(algorithm: str | Mapping[str, str]) -> str | Mapping[str, str]:
    """Replace algorithms that amplify rounding errors by the automatic choice."""
    if isinstance(algorithm, str):
        amplifies = algorithm in ALGORITHMS and ALGORITHMS[algorithm].amplifies
        return AUTO if amplifies else algorithm
    return {layer: str(_exact(name)) for layer, name in algorithm.items()}
