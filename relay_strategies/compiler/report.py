"""Reports: what a compiled network consists of, per convolution and in total, for people and for machines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from intrinsics.microkernel import MicroKernel
from relay_strategies.passes.lower.layer_report import LayerReport
from relay_strategies.strategies import strategy
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.runtime.words import facts_text, target_label
from tvm_directconv.targets.target import resolve_target
from tvm_directconv.text import Tabular, TextTable, bytes_label, layer_label, layers_label

from .kernel_calls import KernelCall
from .whole_layers import WholeLayer, whole_layers

MEGA = 1e6


@dataclass(frozen=True)
class Report(Tabular):
    """A compiled network.

    ``other_kernels`` counts the calls other than convolutions and dense layers, by kernel;
    ``default_kernels`` those of them that are TVM's own as they are, plain loops and library calls, and the
    convolutions that no algorithm here computes; ``reductions_by_default`` those that sum or compare along
    axes in loops that the general rule of ``ScheduleDefault`` made.
    ``time_shares`` are their shares of a run's time, of all ``other_kernels``, in a report that measured it.
    ``calls`` are those of all kernels, in the order in which they run.
    ``activation_bytes`` is what the memory planner reserves for intermediate results and outputs;
    ``compile_seconds`` is by phase. ``reserved_workspace_bytes`` is of devices, which keep workspaces for all
    calls; on CPUs each call allocates its own.
    """

    target: str
    layers: tuple[LayerReport, ...]
    other_kernels: Mapping[str, int]
    default_kernels: Mapping[str, int]
    reductions_by_default: Mapping[str, int]
    activation_bytes: int
    calls: tuple[KernelCall, ...] = ()
    compile_seconds: Mapping[str, float] = field(default_factory=dict, compare=False)
    time_shares: Mapping[str, float] = field(default_factory=dict, compare=False)
    reserved_workspace_bytes: int = 0
    stays: Mapping[str, str] = field(default_factory=dict)
    """Why nodes are computed by ONNX Runtime, by their names and operators."""

    @property
    def untuned(self) -> list[str]:
        """Names of the layers that the tuning records given do not know."""
        return [layer.name for layer in self.layers if layer.tuned is False]

    @property
    def flops(self) -> int:
        return sum(layer.flops for layer in self.layers)

    @property
    def whole_layers(self) -> list[WholeLayer]:
        """The layers, of which ``layers`` has one for each block of rows, and how many blocks each has."""
        return whole_layers(self.layers)

    @property
    def packed_filter_bytes(self) -> int:
        return sum(layer.report.packed_filter_bytes for layer in self.whole_layers)

    @property
    def workspace_bytes(self) -> int:
        """The most that a call allocates for one thread while it runs: they run one after the other."""
        of_layers = max((layer.workspace_bytes for layer in self.layers), default=0)
        return max((call.workspace_bytes for call in self.calls), default=of_layers)

    @property
    def peak_bytes(self) -> int:
        """The most that a run on one thread holds beside its inputs and the weights."""
        return self.activation_bytes + (self.reserved_workspace_bytes or self.workspace_bytes)

    def to_json(self, indent: int | None = 2) -> str:
        totals = {
            "flops": self.flops,
            "packed_filter_bytes": self.packed_filter_bytes,
            "workspace_bytes": self.workspace_bytes,
            "peak_bytes": self.peak_bytes,
        }
        return json.dumps(asdict(self) | totals, indent=indent)

    @staticmethod
    def from_json(text: str) -> Report:
        """Read what ``to_json`` wrote."""
        return Report.from_fields(json.loads(text))

    @staticmethod
    def from_fields(fields: Mapping[str, Any]) -> Report:
        """Return what JSON of ``to_json`` says."""
        layers = tuple(map(LayerReport.from_fields, fields["layers"]))
        calls = tuple(map(KernelCall.from_fields, fields["calls"]))
        kept = {"target", "other_kernels", "default_kernels", "reductions_by_default", "activation_bytes"}
        kept |= {"compile_seconds", "time_shares", "reserved_workspace_bytes"}
        stays = fields.get("stays", {})
        return Report(layers=layers, calls=calls, stays=stays, **{name: fields[name] for name in kept})

    def rows(self) -> list[dict[str, Any]]:
        """Return what is known of each layer, by name."""
        return [
            asdict(each.report) | {"peak_share": each.report.peak_share, "blocks": each.blocks}
            for each in self.whole_layers
        ]

    def table(self) -> TextTable:
        """Return a table with one row per layer and the totals below; ``details`` has the rest."""
        wholes = self.whole_layers
        counted = f"{layers_label(len(wholes))} for {target_label(self.target)}"
        columns = ["layer", "convolution", "algorithm", "kernel", "MFLOP", "workspace", "of peak"]
        tiles = any(layer.full_tiles is not None for layer in self.layers)
        by_rows = any(each.blocks > 1 for each in wholes)
        columns += ["tiles full"] * tiles + ["blocks"] * by_rows
        table = TextTable(counted, columns, left=columns[:4], caption=self._caption())
        for layer, blocks in ((each.report, each.blocks) for each in wholes):
            table.add_row(
                layer.name,
                layer_label(Conv2dWorkload.parse(layer.workload)),
                _algorithm_text(layer),
                kernel_text(layer),
                f"{layer.flops / MEGA:.1f}",
                bytes_label(layer.workspace_bytes),
                _share(layer.peak_share),
                *([_share(layer.full_tiles)] if tiles else []),
                *([str(blocks)] if by_rows else []),
            )
        return table

    def details(self) -> str:
        """Return all there is on each layer, as lines of text, and the totals below."""
        layers = self.with_all_estimates().whole_layers
        blocks = [f"target {self.target}", *map(_details, layers), self._caption()]
        return "\n\n".join(blocks)

    def with_all_estimates(self) -> Report:
        """Return the report with the estimates of what was not exact enough to be chosen, too: a network is
        compiled without them."""
        known: dict[str, dict[str, float]] = {}
        for layer in self.layers:
            missing = layer.refusals.keys() - layer.estimates.keys()
            if layer.asked not in known and not missing.isdisjoint(ALGORITHMS):
                known[layer.asked] = _estimates(layer.asked, self.target)
        layers = (replace(layer, estimates=known.get(layer.asked, layer.estimates)) for layer in self.layers)
        return replace(self, layers=tuple(layers))

    def totals(self) -> str:
        """Return what all layers take together, in a line."""
        counts = (self.packed_filter_bytes, self.activation_bytes, self.workspace_bytes, self.peak_bytes)
        filters, activations, workspace, peak = map(bytes_label, counts)
        return (
            f"{self.flops / MEGA:.0f} MFLOP; packed filters {filters}; activations {activations}, "
            f"workspace {workspace}: a run holds {peak}"
        )

    def _caption(self) -> str:
        lines = [self.totals(), *self._estimate()]
        if self.other_kernels:
            lines.append(f"other kernels{self._share(self.other_kernels)}")
        if self.default_kernels:
            lines.append(f"of these TVM's own{self._share(self.default_kernels)}")
        integers = [layer.dequantized for layer in self.layers if layer.dequantized]
        if integers:
            kinds = ", ".join(sorted(set(integers)))
            lines.append(f"quantized ({kinds}), and computed in float32: {len(integers)} layers")
        if self.reductions_by_default:
            lines.append(f"reductions by the default schedule{self._share(self.reductions_by_default)}")
        if any(layer.tuned is not None for layer in self.layers):
            missing = ", ".join(self.untuned) or "none"
            lines.append(f"tuning records were applied; layers without: {missing}")
        if self.stays:
            lines.append(f"{len(self.stays)} nodes are computed by ONNX Runtime:")
            lines += [f"  {name}: {why}" for name, why in self.stays.items()]
        return "\n".join(lines)

    def _estimate(self) -> list[str]:
        """Return what the model says of all layers together, where it says anything of each."""
        shares = [layer.peak_share for layer in self.layers]
        if not shares or None in shares:
            return []
        cycles = sum(layer.cost["total"] for layer in self.layers)
        peak = sum(layer.figures["peak_cycles"] for layer in self.layers)
        return [f"estimated: {cycles / MEGA:.2f} million cycles, {_share(peak / cycles)} of the peak"]

    def _share(self, kernels: Mapping[str, int]) -> str:
        """Return how many there are of each kernel; what share of the time they take, where that is known."""
        shares = self.time_shares
        together = f" ({sum(shares[name] for name in kernels):.1%} of the time)" if shares else ""
        counts = (
            f"{count} x {name}" + (f" {shares[name]:.1%}" if shares else "")
            for name, count in sorted(kernels.items(), key=lambda pair: (-shares.get(pair[0], 0.0), pair[0]))
        )
        return f"{together}: {', '.join(counts)}"


def _estimates(descriptor: str, target: str) -> dict[str, float]:
    """Return the estimates of every algorithm, however exact it is."""
    workload, resolved = Conv2dWorkload.parse(descriptor), resolve_target(target)
    estimates = strategy.conv2d_strategy(workload, resolved).estimates(workload, resolved, accuracy=None)
    return {name: round(total) for name, total in estimates.items()}


def kernel_text(layer: LayerReport) -> str:
    """The tile of the micro-kernel that most of the work is done by, and its instruction set."""
    for name in layer.kernels:
        with suppress(ValueError):  # of a packing routine's name
            kernel = MicroKernel.parse(name)
            return f"{kernel.mr}x{kernel.nr} {kernel.isa}"
    return ""


def _details(whole: WholeLayer) -> str:
    layer = whole.report
    facts = {
        "workload": layer.workload,
        "algorithm": _algorithm_text(layer),
        "kernels": ", ".join(layer.kernels),
        "tile": " ".join(f"{name}={_told(value)}" for name, value in layer.tile.items()),
        "work": f"{layer.flops / MEGA:.1f} MFLOP",
        "memory": f"workspace {layer.workspace_bytes} B, packed filter {layer.packed_filter_bytes} B",
        "error": "" if layer.relative_error is None else f"at most {layer.relative_error:.1e} of its terms",
        "kilocycles": _cost_text(layer),
        "tiles": _tiles_text(layer),
        "others": _others_text(layer),
        "chain": _chain_text(layer),
        "blocks": f"{whole.blocks}, most of them as above" if whole.blocks > 1 else "",
    }
    return facts_text(f"{layer.name}  {layer_label(Conv2dWorkload.parse(layer.workload))}", facts)


def _algorithm_text(layer: LayerReport) -> str:
    marks = ["tuned"] * bool(layer.tuned) + ["chain"] * layer.in_chain
    return f"{layer.algorithm} ({', '.join(marks)})" if marks else layer.algorithm


def _chain_text(layer: LayerReport) -> str:
    """The layers that are, or might be, computed together, and what the model says of that."""
    if not layer.chain:
        return ""
    chain = layer.chain
    others = " and ".join(name for name in chain["layers"] if name != layer.name)
    estimate = f"{chain['cycles'] / 1e3:.0f} kilocycles estimated, {chain['separate_cycles'] / 1e3:.0f} apart"
    how = f"with {others} by {chain['rows']} rows, {bytes_label(chain['workspace_bytes'])}: {estimate}"
    return how if layer.in_chain else f"none; {how}"


def _told(value: object) -> str:
    if isinstance(value, Mapping):
        return "(" + " ".join(f"{name}: {inner}" for name, inner in value.items()) + ")"
    return str(value)


def _cost_text(layer: LayerReport) -> str:
    """The total that is estimated, and what it is made of."""
    if not layer.cost:
        return ""
    parts = [
        f"{name} {value / 1e3:.0f}" for name, value in layer.cost.items() if value >= 500 and name != "total"
    ]
    rate = f"; {_share(layer.peak_share)} of the instruction set's rate" if layer.figures else ""
    return f"{layer.cost['total'] / 1e3:.0f} estimated: {', '.join(parts)}{rate}"


def _tiles_text(layer: LayerReport) -> str:
    """Return how many tiles a matrix unit multiplies, and how full they are."""
    if layer.full_tiles is None:
        return ""
    issued, full = layer.figures["tile_products"], layer.figures["full_tile_products"]
    return f"{issued} multiplied, {full} needed: {_share(layer.full_tiles)} full"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"


def _others_text(layer: LayerReport) -> str:
    """Return the estimates of the algorithms that were not chosen, as multiples of this one, and why those
    that are less were not."""
    if not layer.cost:
        return ""
    by_time = sorted(layer.estimates.items(), key=lambda pair: pair[1])
    reasons = {name: f" ({reason})" for name, reason in layer.refusals.items()}
    others = [
        f"{name} x {time / layer.cost['total']:.2f}{reasons.get(name, '')}"
        for name, time in by_time
        if name != layer.algorithm
    ]
    return ", ".join(others)
