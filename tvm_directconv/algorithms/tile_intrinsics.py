"""The intrinsics of algorithms that multiply packed panels: a tile that is packed, and a product of tiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from intrinsics.tensorize import PREFIX, Intrinsic, Operands, Update


@dataclass(frozen=True)
class TileIntrinsic(Intrinsic):
    """An intrinsic whose operands' axes are letters, as einsum has them; ``extents`` are those of the loops:
    the axes of C, then those that are summed."""

    a: str
    c: str
    extents: tuple[int, ...]

    @property
    def name(self) -> str:
        return "_".join([PREFIX + self.kind, self.a, self.c, *map(str, self.extents)])

    @property
    def axes(self) -> dict[str, int]:
        """The extent of each axis."""
        letters = self.c + "".join(axis for axis in self.a if axis not in self.c)
        return dict(zip(letters, self.extents, strict=True))

    def loops(self) -> Mapping[str, tuple[str, int]]:
        return {axis: ("S" if axis in self.c else "R", extent) for axis, extent in self.axes.items()}

    @property
    def spelled(self) -> Mapping[str, str]:
        """The axes of each operand."""
        return {"A": self.a, "C": self.c}

    def operands(self) -> Mapping[str, tuple[int, ...]]:
        return {name: tuple(self.axes[axis] for axis in axes) for name, axes in self.spelled.items()}


@dataclass(frozen=True)
class PackTile(TileIntrinsic):
    """``C = A``: a tile of an operand, from what only describes it."""

    kind = "pack_tile"

    def update(self, v: Mapping[str, Any], operands: Operands) -> Update:
        return tuple(v[axis] for axis in self.c), operands["A"][tuple(v[axis] for axis in self.a)]


@dataclass(frozen=True)
class TileProduct(TileIntrinsic):
    """``C += A * B``, for example "chwm" and "chwj" to "mj"."""

    b: str

    kind = "tile_product"

    @property
    def name(self) -> str:
        return f"{super().name}_{self.b}"

    @property
    def spelled(self) -> Mapping[str, str]:
        return {"A": self.a, "B": self.b, "C": self.c}

    def update(self, v: Mapping[str, Any], operands: Operands) -> Update:
        a, b, c = (tuple(v[axis] for axis in axes) for axes in self.spelled.values())
        return c, operands["C"][c] + operands["A"][a] * operands["B"][b]
