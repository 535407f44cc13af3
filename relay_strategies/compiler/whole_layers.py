"""Layers that go by blocks of rows, in a report: each as one, whose blocks are calls of their own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from relay_strategies.passes.lower.layer_report import LayerReport

OF_BLOCKS = re.compile(r"^n\d+_ih\d+(?=iw)|_p\d+x\d+x\d+x\d+")
"""The parts of a workload's descriptor in which blocks of one layer differ: images, rows and padding."""


@dataclass(frozen=True)
class WholeLayer:
    """A layer of so many blocks; ``report`` is that of most of them, with what all of them take together."""

    report: LayerReport
    blocks: int


def whole_layers(layers: Iterable[LayerReport]) -> list[WholeLayer]:
    """Return the layers that reports of calls are of, in order. Calls of one name whose workloads differ in
    rows alone are blocks of one layer, which has one filter for each way it is packed."""
    groups: dict[object, list[LayerReport]] = {}
    for number, layer in enumerate(layers):
        alike = OF_BLOCKS.sub("", layer.workload) if layer.name else number
        groups.setdefault((layer.name, layer.kind, alike), []).append(layer)
    return [WholeLayer(_together(group), len(group)) for group in groups.values()]


def _together(blocks: Sequence[LayerReport]) -> LayerReport:
    ((workload, _),) = Counter(block.workload for block in blocks).most_common(1)
    most = next(block for block in blocks if block.workload == workload)
    filters = {(block.algorithm, block.packed_filter_bytes) for block in blocks}
    return replace(
        most,
        flops=sum(block.flops for block in blocks),
        workspace_bytes=max(block.workspace_bytes for block in blocks),
        packed_filter_bytes=sum(size for _, size in filters),
        cost=_sums([block.cost for block in blocks]),
        estimates=_sums([block.estimates for block in blocks]),
        figures=_sums([block.figures for block in blocks]),
    )


def _sums(numbers: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The sum of each number that all have."""
    names = [name for name in numbers[0] if all(name in each for each in numbers)]
    return {name: sum(each[name] for each in numbers) for name in names}
