"""Generated code of a kernel or two per instruction set, kept in golden/ so that reviews see it change.

``UPDATE_GOLDEN=1 pytest tests/kernels/test_golden.py`` rewrites the files; read the diff.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from golden_support import check_golden_ir

from intrinsics import registry
from intrinsics.epilogue import Residual, Silu
from intrinsics.isa import ISAS, Isa
from intrinsics.microkernel import (
    DEPTHWISE,
    OPEN,
    PANEL,
    ROW,
    KernelInstance,
    Lines,
    MicroKernel,
    Segment,
    TileEpilogue,
)


def instance(isa: Isa) -> KernelInstance:
    """The left border tile of a padded 3x3 convolution, 32 input channels, with every epilogue step; of
    panels, where there are no others, zeros are the border."""
    nr, mr, channels = 2 * isa.lanes, 3, 2 * isa.lanes - 1
    layout = isa.layouts[0]
    together, panel = isa.channels_per_step(layout), layout == PANEL
    return KernelInstance(
        MicroKernel(mr, nr, layout, isa.name, isa.types[0]),
        channels,
        a_row=together if panel else 32,
        a_step=14 * 32,
        b_row=nr * together,
        b_step=3 * 32 * nr,
        c_row=channels,
        segments=(Segment(0 if panel else 1, mr, -32, 0, 32), Segment(0, mr, 0, 32 * nr, 64)),
        epilogue=TileEpilogue(bias=True, residual=True, low=0.0, high=6.0),
        prefetch=4,
        a_k=mr if panel else 1,
    )


def instance_of_bytes(isa: Isa) -> KernelInstance:
    """Such a tile of the layout that the instruction set is made for, to bytes, the last channels left out;
    the first row, at the border, has a bias of its own."""
    layout, types, nr, mr = isa.layouts[0], isa.types[0], 2 * isa.lanes, 3
    if layout == PANEL:
        types, nr = isa.types[-1], isa.lanes
    group, channels = isa.channels_per_step(layout), nr - 1
    length = 1 if layout == DEPTHWISE else 40
    groups = -(-length // group) * group
    tap = mr * groups if layout == PANEL else channels if layout == DEPTHWISE else length
    first, b_row = 0 if layout == PANEL else 1, isa.filter_row(nr, layout)
    b_tap = groups // group * b_row
    return KernelInstance(
        MicroKernel(mr, nr, layout, isa.name, types),
        channels,
        a_row=group if layout == PANEL else tap,
        a_step=14 * tap,
        b_row=b_row,
        b_step=2 * b_tap,
        c_row=channels,
        segments=(Segment(first, mr, 0, 0, length), Segment(0, mr, tap, b_tap, length)),
        epilogue=TileEpilogue(bias=True, low=-10.0, high=100.0),
        prefetch=4,
        a_k=mr if layout == PANEL else 1,
        bias_rows=((0, channels), (1, 0)),
        zero=10,
    )


def instance_of_lines(isa: Isa) -> KernelInstance:
    """The left border tile of two output rows of a padded 3x3 convolution, 64 channels in groups of four
    or what lanes of the instruction set span of them."""
    group, pixel, row = 4 if 4 in isa.groups else max(isa.groups, default=1), 64, 14 * 64
    tap = group * pixel
    return KernelInstance(
        MicroKernel(4, isa.lanes, DEPTHWISE, isa.name, isa.types[0]),
        isa.lanes,
        a_row=pixel,
        a_step=row,
        b_row=pixel,
        b_step=3 * tap,
        c_row=pixel,
        segments=tuple(Segment(int(kw == 0), 2, (kw - 1) * pixel, kw * tap, group) for kw in range(3)),
        epilogue=TileEpilogue(bias=True, low=0.0),
        group=group,
        lines=Lines(2, row, row, 3),
    )


def open_instance(isa: Isa) -> KernelInstance:
    """The border tile where each call says how long a row of the image is."""
    return replace(instance(isa), a_step=OPEN)


def open_instance_of_lines(isa: Isa) -> KernelInstance:
    """The tile of two output rows, likewise."""
    return replace(instance_of_lines(isa), a_step=OPEN, lines=Lines(2, 1, OPEN, 3))


def instance_of_byte_columns(isa: Isa) -> KernelInstance:
    """The left border tile of a padded 3x3 depthwise convolution of bytes, the last channel left out."""
    pixel, channels = 64, isa.lanes - 1
    return KernelInstance(
        MicroKernel(3, isa.lanes, DEPTHWISE, isa.name, isa.types[0]),
        channels,
        a_row=pixel,
        a_step=14 * pixel,
        b_row=isa.lanes,
        b_step=3 * isa.lanes,
        c_row=pixel,
        segments=tuple(Segment(int(kw == 0), 3, (kw - 1) * pixel, kw * isa.lanes, 1) for kw in range(3)),
        epilogue=TileEpilogue(bias=True, low=0.0, high=255.0),
        bias_rows=((0, channels), (1, 0)),
    )


def instance_of_byte_rows(isa: Isa) -> KernelInstance:
    """The tile of which three filter rows are known to be visited."""
    return replace(instance_of_byte_columns(isa), lines=Lines(taps=3))


def instance_of_passes(isa: Isa) -> KernelInstance:
    """The border tile of so many channels that short vectors take several passes."""
    tile = instance(isa)
    nr = isa.most_vectors * isa.lanes
    kernel = replace(tile.kernel, nr=nr)
    return replace(tile, kernel=kernel, channels=nr - 1, b_row=nr, b_step=3 * 32 * nr, c_row=nr - 1)


def epilogue_alone(isa: Isa) -> KernelInstance:
    """The widest tile of two vectors, of sums that are there: SiLU, then a residual."""
    nr = 2 * isa.lanes
    epilogue = TileEpilogue(steps=[Silu(), Residual()])
    kernel = MicroKernel(isa.largest_mr(nr, ROW), nr, ROW, isa.name)
    return KernelInstance(kernel, nr, 1, 1, nr, 1, nr, (), epilogue, accumulate=True)


REVIEWED = {isa.name: (isa, instance_of_bytes if isa.of_bytes else instance) for isa in ISAS.values()}
REVIEWED |= {
    f"{isa.name}_dw": (isa, instance_of_lines)
    for isa in ISAS.values()
    if not isa.of_bytes and DEPTHWISE in isa.layouts
}
REVIEWED |= {
    f"{isa.name}_dw": (isa, instance_of_byte_columns)
    for isa in ISAS.values()
    if isa.bytes_by_columns and DEPTHWISE in isa.layouts
}
REVIEWED |= {
    f"{isa.name}_dw_rows": (isa, instance_of_byte_rows)
    for isa in ISAS.values()
    if isa.rows_together > 1 and DEPTHWISE in isa.layouts
}
REVIEWED |= {
    f"{name}_{kind}": (ISAS[name], make)
    for name in ("avx512", "neon")
    for kind, make in (("open", open_instance), ("dw_open", open_instance_of_lines))
}
REVIEWED |= {"rvv_passes": (ISAS["rvv"], instance_of_passes)}
REVIEWED |= {"amxbf16_open": (ISAS["amxbf16"], open_instance)}
REVIEWED |= {f"{isa.name}_silu": (isa, epilogue_alone) for isa in ISAS.values() if isa.of_floats}


@pytest.mark.parametrize("name", REVIEWED)
def test_generated_code_is_as_reviewed(name: str) -> None:
    isa, make = REVIEWED[name]
    check_golden_ir(f"{name}.ll", registry.emit(make(isa)))


@pytest.mark.parametrize("name", REVIEWED)
def test_no_register_of_an_operand_is_used_for_something_else(name: str) -> None:
    isa, make = REVIEWED[name]
    code = registry.emit(make(isa))
    operands = set(re.findall(r"=\{(\w+)\}", code))
    assert not operands & set(re.findall(r"~\{(\w+)\}", code))
