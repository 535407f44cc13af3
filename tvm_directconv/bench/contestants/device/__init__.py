"""Contestants on GPUs, for layers alone: ``lift``, and who it is compared with on the same device."""

from __future__ import annotations

from collections.abc import Mapping

from tvm_directconv.bench.contestants.base import Variant

from .base import DeviceContestant
from .clblast import ClBlast
from .dlight import Dlight
from .im2col import Im2colClBlast, Im2colDlight, Im2colLift
from .lift import LIFT, TUNED, Lift, TunedLift
from .pytorch import CuDnn, Im2colCuBlas

ON_DEVICES: Mapping[str, type[DeviceContestant]] = {
    kind.name: kind
    for kind in (
        Lift,
        TunedLift,
        Im2colLift,
        Im2colDlight,
        Im2colClBlast,
        Im2colCuBlas,
        ClBlast,
        Dlight,
        CuDnn,
    )
}
BASELINES = (Im2colLift.name, Im2colDlight.name, Im2colClBlast.name, Im2colCuBlas.name)
"""The same lowering with different matrix products: the fastest of them is what lift is up against."""


def on_device(name: str, target: str, records: str | None = None) -> Variant:
    """Return a contestant on the device of a target; lift-tuned uses ``records``, a file of ``tune``'s."""
    return Variant(name, ON_DEVICES[name], {"target_text": target, "records": records})


def taking_part(kind: str, tuned: bool) -> tuple[str, ...]:
    """Return the names of those that there are for a kind of device, "opencl" or "cuda"."""
    return tuple(name for name, each in ON_DEVICES.items() if kind in each.kinds and (tuned or name != TUNED))


__all__ = ["BASELINES", "LIFT", "ON_DEVICES", "TUNED", "DeviceContestant", "on_device", "taking_part"]
