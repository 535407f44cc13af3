"""Common filters: the instruction sets of one file read the same packed filters where that costs little.

Kernels of each instruction set are fastest with blocks of their own number of channels, and a filter packed
in others is there once more. Here direct_nhwc's tiles are chosen for all sets at once: the blocks that most
sets take at little more than their least estimated cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from intrinsics.microkernel import ROW
from tvm_directconv.algorithms.byte_packing import kernel_isa
from tvm_directconv.algorithms.direct_nhwc import DirectNhwc, choose_tile
from tvm_directconv.algorithms.strips.geometry import Tile
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.runtime.metadata import BASELINE
from tvm_directconv.targets.target import CompileTarget

from .limits import Limits
from .strategy import AUTO, conv2d_strategy

MOST, MOST_OF_BASELINE = 1.03, 1.25
"""A set's estimate may grow by so much. The baseline is for CPUs without any other set, which are old."""

Packing = tuple[tuple[int, ...], bool]
"""The shape of a packed filter, and whether there are masks in it (tvm_directconv/runtime/repacking.py)."""


@dataclass(frozen=True)
class CommonFilters:
    """The choice of tiles for several instruction sets, by name: the same from whichever of them asks."""

    targets: Mapping[str, CompileTarget]
    _known: dict[Any, dict[str, Tile]] = field(default_factory=dict)

    def choice(
        self, workload: Conv2dWorkload, target: CompileTarget, limits: Limits
    ) -> tuple[str, Any] | None:
        """Return the algorithm and the tile by which a target reads the filter that others read; None where
        its own choice is better, or the only one."""
        if workload.is_depthwise or workload.storage.frames is not None:
            return None
        key = workload, limits
        if key not in self._known:
            self._known[key] = self._chosen(workload, limits)
        name = next((name for name, each in self.targets.items() if each == target), "")
        tile = self._known[key].get(name)
        return None if tile is None else (DirectNhwc.name, tile)

    def _chosen(self, workload: Conv2dWorkload, limits: Limits) -> dict[str, Tile]:
        """The tiles of the sets that read the common filter, by their names."""
        found: dict[Packing, dict[str, tuple[float, Tile]]] = {}
        for name, target in self.targets.items():
            most = MOST_OF_BASELINE if name == BASELINE else MOST
            for packing, growth, tile in _tiles(workload, target, limits):
                known = found.setdefault(packing, {})
                if growth <= most and (name not in known or growth < known[name][0]):
                    known[name] = growth, tile

        def worth(packing: Packing) -> tuple[int, float]:
            tiles = found[packing]
            return len(tiles), -sum(growth for growth, _ in tiles.values())

        best = found[max(found, key=worth)] if found else {}
        return {name: tile for name, (_, tile) in best.items()} if len(best) > 1 else {}


def _tiles(
    workload: Conv2dWorkload, target: CompileTarget, limits: Limits
) -> Iterator[tuple[Packing, float, Tile]]:
    """Yield direct_nhwc's tiles of every width: how the filter is packed, the estimate as a multiple of
    that of the target's own choice, and the tile."""
    offers = conv2d_strategy(workload, target)
    direct = next((each for each in offers.implementations if each.name == DirectNhwc.name), None)
    own = offers.select(workload, target, AUTO, limits).estimate(workload, target)
    if direct is None or own is None or direct.refusal(workload, target, limits):
        return
    native = direct.native(workload, target)
    isa = kernel_isa(native, target, ROW)
    for nr in range(isa.lanes, isa.most_vectors * isa.lanes + 1, isa.lanes):
        if not isa.largest_mr(nr, ROW):
            continue
        tile = choose_tile(native, isa, target.machine, nr=nr)
        cost = direct.estimate(workload, target, tile)
        if cost is not None:
            shape = direct.plan(workload, target, tile).packed_filter_shape
            yield (shape, isa.complements), cost.total / own.total, tile
