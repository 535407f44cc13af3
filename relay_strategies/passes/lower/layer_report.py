"""The report of one layer: what was chosen for it, as ``LowerConv2d`` records it in the module."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tvm_directconv.algorithms.base import Conv2dImplementation


@dataclass(frozen=True)
class LayerReport:
    """Report one convolution or dense layer.

    ``name`` is the ONNX node's where there is one; ``kind`` is "conv2d" or "dense", of 8-bit tensors
    "qconv2d" or "qdense"; ``function`` the compiled kernel it calls; ``workload`` the descriptor string of
    the convolution it is computed as (a dense layer is one of 1x1), in the layouts it runs in; ``tile`` the
    algorithm's parameters; ``workspace_bytes`` what it takes beyond input, output and packed filter, changes
    of layout included; ``cost`` the estimated cycles, by cause, and ``estimates`` the totals of all
    algorithms there were that are as exact as was asked, among which "auto" chooses, but for those that
    ``refusals`` say why not of; ``asked`` is the workload in the layouts of the tensors around it;
    ``relative_error`` the bound of errors relative to the sum of terms' magnitudes, None where none is known;
    ``figures`` what else the plan says (``Plan.figures``);
    ``tuned`` whether tuning records chose it, None where
    none were given; ``dequantized`` is the type of the integers that its data stand for where it is computed
    in float32 all the same, else "".

    ``chain`` tells of the layers that one kernel computes, or might compute, by blocks of rows together with
    this one: their names (``layers``), the output ``rows`` of a block, ``workspace_bytes``, the estimated
    ``cycles`` and ``separate_cycles`` of the layers by themselves, and whether it is ``used``. The layer's
    ``workspace_bytes`` are then the chain's, and its cost is what it takes by itself.
    """

    name: str
    kind: str
    function: str
    workload: str
    algorithm: str
    kernels: tuple[str, ...]
    tile: Mapping[str, Any]
    flops: int
    workspace_bytes: int
    packed_filter_bytes: int
    cost: Mapping[str, float] = field(default_factory=dict)
    estimates: Mapping[str, float] = field(default_factory=dict)
    relative_error: float | None = None
    refusals: Mapping[str, str] = field(default_factory=dict)
    asked: str = ""
    tuned: bool | None = None
    dequantized: str = ""
    chain: Mapping[str, Any] = field(default_factory=dict)
    figures: Mapping[str, float] = field(default_factory=dict)

    @property
    def peak_share(self) -> float | None:
        """The share of the instruction set's rate at which the layer is estimated to run, where there is an
        estimate; more than 1 where much of the filter lies outside the image."""
        if not (self.cost and self.figures):
            return None
        return self.figures["peak_cycles"] / self.cost["total"]

    @property
    def full_tiles(self) -> float | None:
        """How full the tiles of a matrix unit are, where kernels are of these."""
        issued = self.figures.get("tile_products")
        return self.figures["full_tile_products"] / issued if issued else None

    @property
    def in_chain(self) -> bool:
        """Return whether its kernel computes other layers, too."""
        return bool(self.chain) and bool(self.chain["used"])

    @staticmethod
    def from_fields(fields: Mapping[str, Any]) -> LayerReport:
        """Make a report from the result of ``dataclasses.asdict``, which may have been through JSON."""
        return LayerReport(**{**fields, "kernels": tuple(fields["kernels"])})


def layer_report(
    name: str, kind: str, function: str, chosen: Conv2dImplementation, layout_bytes: int = 0
) -> LayerReport:
    """The report of a layer implemented so; ``layout_bytes`` are its copies in other layouts."""
    return LayerReport(
        name,
        kind,
        function,
        str(chosen.workload),
        chosen.name,
        chosen.kernels,
        dict(chosen.tile),
        chosen.workload.flops,
        chosen.workspace_bytes + layout_bytes,
        chosen.workload.element_bytes * math.prod(chosen.packed_filter_shape),
        {} if chosen.cost is None else chosen.cost.as_dict(),
        {name: round(total) for name, total in chosen.estimates.items()},
        relative_error=chosen.relative_error,
        refusals=dict(chosen.refusals),
        figures=dict(chosen.figures),
    )
