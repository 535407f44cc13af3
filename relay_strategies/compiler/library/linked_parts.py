"""Parts: what a model is linked of, in one instruction set or in several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import tvm

from relay_strategies.c_export.launches import Weights
from tvm_directconv.runtime.description import description_of
from tvm_directconv.runtime.metadata import Metadata, sets_to_bytes
from tvm_directconv.targets.target import CompileTarget, resolve_target

from .network_pieces import Network
from .pieces import PiecedExecutable, Pieces
from .plan import Plan
from .program import Part, executable, modules
from .weights import placed, separate


@dataclass(frozen=True)
class Parts:
    """What a model is linked of: Relax functions and the libraries of their kernels, and of each of its
    instruction sets, the best first, what the model says of itself and how it runs without TVM, if it does.
    """

    parts: Sequence[Part]
    sets: Sequence[Metadata]
    plans: Sequence[Plan | None]
    target: CompileTarget

    @staticmethod
    def of_sets(each_set: Sequence[Parts], target: CompileTarget) -> Parts:
        """Return the parts of a model compiled for the instruction sets of a target, the best last. Those
        whose kernels are all another's are left out."""
        baseline, *others = each_set
        needed = [baseline, *(each for each in others if any(part.fresh for part in each.parts))]
        return Parts(
            # The linker takes helpers that several sets have from the first: code for every CPU.
            [part for each in needed for part in each.parts],
            [replace(each.sets[0], grows=False) for each in reversed(needed)],
            [each.plans[0] for each in reversed(needed)],
            target,
        )

    @property
    def libraries(self) -> list[Any]:
        """The compiled kernels of all parts."""
        return [library for part in self.parts for library in part.libraries]

    @property
    def modules(self) -> list[tvm.IRModule]:
        """The modules with the functions of all parts, and that with what the model says of itself."""
        return modules(self.parts, sets_to_bytes(self.sets))

    def network(self, weights: Sequence[tvm.runtime.Tensor]) -> Network:
        """Return what the model is without TVM, with the executable's weights among its own; the description
        is empty where it does not run so."""
        plans = [plan for plan in self.plans if plan is not None]
        alone = len(plans) == len(self.sets)
        among = plans[0].weights if alone else Weights()
        kinds = placed(weights, among)
        features = [sorted(resolve_target(each.target).features) for each in self.sets]
        description = description_of(self.sets, [plan.sizes for plan in plans], features) if alone else ""
        return Network(description, among.size, among.write, kinds)

    def pieces(self) -> Pieces:
        """Return the pieces of the model's library."""
        separated, weights = separate(self.modules)
        network = self.network(weights)
        libraries = self.libraries
        alone = network if network.description else None
        return Pieces(self.target, lambda: separated, lambda: libraries, weights, alone)

    def executable(self) -> PiecedExecutable:
        """Return TVM's executable, and its pieces."""
        linked = executable(self.target, self.parts, sets_to_bytes(self.sets))
        return PiecedExecutable(linked.mod, self.pieces())
