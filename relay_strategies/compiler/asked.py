"""What compile is asked for of a network's layers: of CPUs and GPUs alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import tvm

from relay_strategies.passes import graph_passes
from relay_strategies.passes.lower.layer_kernels import OnKernel, Tuned
from relay_strategies.relax.steps import FLOAT
from relay_strategies.strategies.limits import Limits
from relay_strategies.strategies.records import Records
from relay_strategies.strategies.strategy import AUTO
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.algorithms.accuracy import EXACT
from tvm_directconv.targets.target import CompileTarget


@dataclass(frozen=True)
class Asked:
    """How a network's layers are to be computed."""

    algorithm: str | Mapping[str, str]
    precision: str | Mapping[str, str]
    limits: Limits
    layout: str
    records: Records | None

    @property
    def options(self) -> tuple[Any, ...]:
        """All but the records, as plain values."""
        return self.algorithm, self.precision, self.limits, self.layout

    @property
    def tuned(self) -> Tuned | None:
        """The choice that records know for a layer."""
        return None if self.records is None else self.records.choice

    def passes(
        self, target: CompileTarget, expose_layers: bool = False, on_kernel: OnKernel | None = None
    ) -> list[tvm.transform.Pass]:
        return graph_passes(
            target,
            self.algorithm,
            layout=self.layout,
            limits=self.limits,
            precision=self.precision,
            tuning=self.tuned,
            expose_layers=expose_layers,
            on_kernel=on_kernel,
        )

    def exact(self) -> Asked:
        """The same as the definition of convolution has it, in float32: a reference."""
        limits = self.limits._replace(accuracy=EXACT)
        return replace(self, algorithm=_exact(self.algorithm), precision=FLOAT, limits=limits)


def _exact(algorithm: str | Mapping[str, str]) -> str | Mapping[str, str]:
    """The algorithms by which a reference is computed where these are asked for."""
    if isinstance(algorithm, str):
        amplifies = algorithm in ALGORITHMS and ALGORITHMS[algorithm].amplifies
        return AUTO if amplifies else algorithm
    return {layer: str(_exact(name)) for layer, name in algorithm.items()}
