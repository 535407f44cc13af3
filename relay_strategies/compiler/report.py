"""Reports: what a compiled network consists of, per convolution and in total, for people and for machines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from rich.console import Console
from rich.table import Table

from relay_strategies.passes.layer_report import LayerReport

MEGA = 1e6


@dataclass(frozen=True)
class Report:
    """A compiled network.

    ``other_kernels`` counts the calls that are no convolution and no dense layer, by kernel.
    ``activation_bytes`` is what the memory planner reserves for intermediate results, input and output not
    counted; ``compile_seconds`` is by phase.
    """

    target: str
    layers: tuple[LayerReport, ...]
    other_kernels: Mapping[str, int]
    activation_bytes: int
    compile_seconds: Mapping[str, float] = field(default_factory=dict, compare=False)

    @property
    def untuned(self) -> list[str]:
        """Names of the layers that the tuning records given do not know."""
        return [layer.name for layer in self.layers if layer.tuned is False]

    @property
    def flops(self) -> int:
        return sum(layer.flops for layer in self.layers)

    @property
    def packed_filter_bytes(self) -> int:
        return sum(layer.packed_filter_bytes for layer in self.layers)

    @property
    def workspace_bytes(self) -> int:
        """The largest of the layers': they run one after the other."""
        return max((layer.workspace_bytes for layer in self.layers), default=0)

    def to_json(self, indent: int | None = 2) -> str:
        totals = {
            "flops": self.flops,
            "packed_filter_bytes": self.packed_filter_bytes,
            "workspace_bytes": self.workspace_bytes,
        }
        return json.dumps(asdict(self) | totals, indent=indent)

    @staticmethod
    def from_json(text: str) -> Report:
        """The inverse of ``to_json``."""
        fields = json.loads(text)
        layers = tuple(map(LayerReport.from_fields, fields["layers"]))
        kept = ("target", "other_kernels", "activation_bytes", "compile_seconds")
        return Report(layers=layers, **{name: fields[name] for name in kept})

    def table(self) -> Table:
        """A rich table with one row per layer and the totals below."""
        table = Table(title=f"{len(self.layers)} convolutions and dense layers for {self.target}")
        for heading in ("layer", "workload", "algorithm", "micro-kernels", "tile"):
            # Kernels are looked up by name: these stay in one piece.
            table.add_column(heading, overflow="fold", no_wrap=heading == "micro-kernels")
        for heading in ("MFLOP", "workspace B"):
            table.add_column(heading, justify="right")
        table.add_column("estimate, kilocycles", overflow="fold")
        for layer in self.layers:
            tile = " ".join(f"{name}={_told(value)}" for name, value in layer.tile.items())
            table.add_row(
                layer.name,
                layer.workload,
                f"{layer.algorithm} (tuned)" if layer.tuned else layer.algorithm,
                "\n".join(layer.kernels),
                tile,
                f"{layer.flops / MEGA:.1f}",
                str(layer.workspace_bytes),
                _cost_text(layer),
            )
        others = ", ".join(f"{count} x {name}" for name, count in sorted(self.other_kernels.items()))
        table.caption = (
            f"{self.flops / MEGA:.0f} MFLOP; packed filters {self.packed_filter_bytes / MEGA:.1f} MB; "
            f"activations {self.activation_bytes / MEGA:.1f} MB; workspace {self.workspace_bytes} B; "
            f"other kernels: {others or 'none'}"
        )
        if any(layer.tuned is not None for layer in self.layers):
            missing = ", ".join(self.untuned) or "none"
            table.caption += f"\ntuning records were applied; layers without: {missing}"
        return table

    def __str__(self) -> str:
        console = Console(width=160, record=False, force_terminal=False)
        with console.capture() as capture:
            console.print(self.table())
        return capture.get()


def _told(value: object) -> str:
    if isinstance(value, Mapping):
        return "(" + " ".join(f"{name}: {inner}" for name, inner in value.items()) + ")"
    return str(value)


def _cost_text(layer: LayerReport) -> str:
    """The total, what it is made of, and how many times that the other algorithms are estimated at."""
    if not layer.cost:
        return ""
    total = layer.cost["total"]
    parts = [f"{name} {value / 1e3:.0f}" for name, value in layer.cost.items() if value >= 500]
    others = [
        f"{name} {estimate / total:.2f}x"
        for name, estimate in sorted(layer.estimates.items(), key=lambda pair: pair[1])
        if name != layer.algorithm
    ]
    return "\n".join([", ".join(parts), *others])
