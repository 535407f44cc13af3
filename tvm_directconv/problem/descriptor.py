"""The text of a workload: one string that reproduces the problem, and is read back.

It follows oneDNN's benchdnn in spirit; reports, tuning records and failing tests print it.
"""

from __future__ import annotations

import re
from typing import Any

from tvm_directconv.errors import WorkloadError

from .element_types import FLOAT32, HALVES
from .frames import Frames
from .quantized_types import QuantizedTypes
from .storage import Storage

EXAMPLE = "n1_ih56iw56_ic64_oc64_k3x3_s1x1_p1x1x1x1_d1x1_g1_float32_NHWC_OIHW"
PATTERN = re.compile(
    r"n(?P<batch>\d+)_ih(?P<height>\d+)iw(?P<width>\d+)_ic(?P<in_channels>\d+)_oc(?P<out_channels>\d+)"
    r"_k(?P<kernel>\d+x\d+)_s(?P<strides>\d+x\d+)_p(?P<padding>\d+x\d+x\d+x\d+)"
    r"_d(?P<dilation>\d+x\d+)_g(?P<groups>\d+)_(?P<dtype>[a-z0-9-]+)"
    rf"_(?P<data_layout>[A-Z]+(?:\d+c)?)(?:@(?:(?P<data_part>\d+of\d+)|(?P<frames>{Frames.PATTERN})))?"
    r"(?:-(?P<out_layout>[A-Z]+(?:\d+c)?)(?:@(?P<out_part>\d+of\d+))?)?"
    r"_(?P<filter_layout>[A-Z]+)(?:_(?P<epilogue>.+))?"
)
SEVERAL = ("kernel", "strides", "padding", "dilation")


def text_of(w: Any) -> str:
    """Return the text of a ``Conv2dWorkload`` without its epilogue."""
    pair = "x".join
    storage = w.storage
    layouts, result = (
        layout if part is None else f"{layout}@{part[0]}of{part[1]}"
        for layout, part in ((w.data_layout, storage.data_part), (w.out_layout, storage.out_part))
    )
    if storage.frames is not None:
        layouts += f"@{storage.frames}"
    if storage.out_part is not None or w.out_layout != w.data_layout:
        layouts += f"-{result}"
    return (
        f"n{w.batch}_ih{w.height}iw{w.width}_ic{w.in_channels}_oc{w.out_channels}"
        f"_k{pair(map(str, w.kernel))}_s{pair(map(str, w.strides))}"
        f"_p{pair(map(str, w.padding))}_d{pair(map(str, w.dilation))}_g{w.groups}"
        f"_{w.quantized.text(w.dtype) if w.quantized else w.dtype}"
        f"{f'-{FLOAT32}' if w.to_float32 else ''}"
        f"_{layouts}_{w.filter_layout}"
    )


def fields_of(text: str) -> dict[str, Any]:
    """The fields of the workload that a text stands for, the epilogue as a text. Raises WorkloadError."""
    match = PATTERN.fullmatch(text.strip())
    if not match:
        raise WorkloadError(f"'{text}' is not a workload descriptor; one looks like '{EXAMPLE}'")
    fields: dict[str, Any] = match.groupdict()
    fields["out_layout"] = fields["out_layout"] or ""
    types = fields.pop("dtype")
    dtype = types.removesuffix(f"-{FLOAT32}")
    values: dict[str, Any] = {"dtype": dtype, "to_float32": dtype != types}
    if dtype not in HALVES:
        dtype, quantized = QuantizedTypes.parse(types)
        values = {"dtype": dtype, "quantized": quantized}
    values["epilogue"] = fields.pop("epilogue") or "none"
    data_part, out_part, frames = (fields.pop(name) for name in ("data_part", "out_part", "frames"))
    values["storage"] = Storage(
        _part(data_part), _part(out_part), None if frames is None else Frames.parse(frames)
    )
    for name, value in fields.items():
        if name in SEVERAL:
            values[name] = tuple(map(int, value.split("x")))
        else:
            values[name] = int(value) if value.isdigit() else value
    return values


def _part(text: str | None) -> tuple[int, int] | None:
    """Parse "3of70": the first channel of a part, and the channels of the whole tensor."""
    if text is None:
        return None
    first, channels = map(int, text.split("of"))
    return first, channels
