"""What passes between the kernels of a point: these in order, and the bytes that each leaves to the next.

The paper counts what its four kernels allocate; Table 4's best point of VGG-16's seventh layer takes 70 MB of
partial sums. Here the buffers are stated one by one, and together as they are allocated.
"""

from __future__ import annotations

from collections.abc import Mapping

from .geometry import Geometry
from .knobs import KERNEL, LiftKnobs

PAD, CONVOLVE, SUM, CROP = "pad", "convolve", "sum", "crop"
REUSE = 16
"""TVM gives a buffer the memory of one that is read no more if neither is more than so many times the
other."""


def kernels(knobs: LiftKnobs, g: Geometry) -> tuple[str, ...]:
    """Return the kernels that a point is launched as, in order."""
    there = {
        PAD: knobs.pad == KERNEL,
        CONVOLVE: True,
        SUM: g.chunks > 1 and knobs.sum == KERNEL,
        CROP: knobs.crop == KERNEL,
    }
    return tuple(name for name, is_there in there.items() if is_there)


def written(knobs: LiftKnobs, g: Geometry) -> Mapping[str, int]:
    """Return the bytes of global memory beside the output that each kernel writes."""
    names = kernels(knobs, g)
    last_sums = SUM if SUM in names else CONVOLVE
    found = dict.fromkeys(names, 0)
    if PAD in found:
        found[PAD] = g.padded_bytes
    found[CONVOLVE] += g.partial_bytes
    found[last_sums] += g.sums_bytes
    return found


def workspace_bytes(knobs: LiftKnobs, g: Geometry, same_type: bool) -> int:
    """Return the bytes allocated for all of them. The sums take the place of the padded input where that has
    been read before they are written; if it is too small, only where ``same_type`` says that its elements are
    of their type, since it is enlarged then."""
    padded, partial, sums = g.padded_bytes, g.partial_bytes, g.sums_bytes
    fits = sums <= padded <= REUSE * sums or (same_type and padded < sums <= REUSE * padded)
    if partial and sums and fits:
        return max(padded, sums) + partial
    return padded + partial + sums
