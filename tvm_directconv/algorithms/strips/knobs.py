"""The knobs of strips that a tuner may choose."""

from __future__ import annotations

from dataclasses import replace

from tvm_directconv.model.knobs import KnobSpace, divisions, with_choice
from tvm_directconv.problem.element_types import FLOAT32

from .geometry import StripGeometry, Tile, can_cross

LEAST_PASS = 32
"""Input channels of a pass: with fewer, partial sums cost more than a smaller panel gains."""


def strip_spaces(g: StripGeometry, algorithm: str, block: int = 1) -> list[KnobSpace]:
    """Return the spaces: for every width of micro-kernels that is whole vectors (and whole blocks of
    channels, or lies in one) some heights that cut a row in one tile more or less; inside, the strip where
    pixels are not in rows, rows per cache block, prefetching, and passes over input channels. The tile of
    ``g`` is among them."""
    chosen = g.tile
    widest = min(g.isa.most_vectors, -(-g.group_out // g.isa.lanes))
    width = g.pixels if g.flattened else g.workload.out_width
    spaces = []
    for vectors in range(1, widest + 1):
        nr = vectors * g.isa.lanes
        if (nr % block and block % nr) or (g.depthwise and block > 1 and nr != block):
            continue
        most = replace(g, tile=replace(chosen, nr=nr, mr=0)).most_rows(vectors)
        heights = _heights(width, most)
        for mr in heights:
            strips = divisions(-(-width // mr)) if g.flattened else ()
            choices = {
                "strip": tuple(mr * tiles for tiles in strips) or (g.workload.out_width,),
                "rows": (1,) if g.flattened else divisions(g.workload.out_height),
                "prefetch": (False,) if nr >= g.group_out else (False, True),
                "c_ib": _passes(g),
                "across": (False, True) if can_cross(g.workload, g.isa) else (False,),
            }
            # Narrower tiles of the last channels may then be higher.
            fixed = {"nr": nr, "mr": 0 if mr == heights[-1] else mr, "bordered": chosen.bordered}
            spaces.append(KnobSpace(algorithm, f"{mr}x{nr}", Tile, fixed, choices))
    nr = min(chosen.nr, -(-g.group_out // g.isa.lanes) * g.isa.lanes)
    mr = chosen.mr or g.heights(min(width, g.strip), nr)[0][0]
    return with_choice(spaces, algorithm, f"{mr}x{nr}", chosen)


def _passes(g: StripGeometry) -> tuple[int, ...]:
    """Channels per pass, 0 for all in one, as where outputs do not hold partial sums in float32."""
    if g.depthwise or g.workload.dtype != FLOAT32 or g.group_in < 2 * LEAST_PASS:
        return (0,)
    return (0, *(c for c in divisions(g.group_in, (2, 4)) if c % LEAST_PASS == 0))


def _heights(width: int, most: int) -> list[int]:
    """Heights of tiles that cover a row of ``width`` in as few as possible, in one more, and in two more,
    lowest first; none where no tile fits the registers."""
    fewest = -(-width // most) if most else width + 1
    return sorted({-(-width // count) for count in range(fewest, fewest + 3) if count <= width})
