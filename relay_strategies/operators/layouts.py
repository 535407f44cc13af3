"""How operators follow their data into another layout: kinds, for each of which passes have a rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

NCHW, NHWC = "NCHW", "NHWC"
TO_NHWC = (0, 2, 3, 1)
TO_NCHW = (0, 3, 1, 2)
"""``permute_dims`` takes these axes to change a layout."""


def is_map(axes: Sequence[int] | None, layout: str) -> bool:
    """Whether the axes of a reduction are the rows and columns of that layout."""
    wanted = [layout.index("H"), layout.index("W")]
    return axes is not None and sorted(int(axis) % 4 for axis in axes) == wanted


def reduced_axes(attributes: Any, rank: int) -> list[int]:
    """The axes of a reduction, in order: one, those listed, or all where it names none."""
    given = range(rank) if attributes.axis is None else attributes.axis
    return sorted(int(axis) % rank for axis in ([given] if isinstance(given, int) else given))


class Layout:
    """The base of all kinds."""


@dataclass(frozen=True)
class Elementwise(Layout):
    """The result has the first argument's layout; other arguments have none."""


@dataclass(frozen=True)
class Broadcasting(Layout):
    """All arguments broadcast against each other and have to be in one layout."""


@dataclass(frozen=True)
class Widths:
    """An attribute of ``each`` numbers for every axis, such as (before, after). First axes that it leaves out
    have ``neutral`` ones."""

    name: str
    each: int
    neutral: int

    def by_axis(self, attributes: Any, rank: int) -> list[list[int]]:
        """The numbers of each axis of data of that rank."""
        given = [int(number) for number in getattr(attributes, self.name)]
        numbers = [self.neutral] * (rank * self.each - len(given)) + given
        return [numbers[self.each * axis :][: self.each] for axis in range(rank)]


@dataclass(frozen=True)
class Moves(Layout):
    """The first argument may be in any layout, when attributes change with it.

    ``names`` are the attributes that hold a layout's name, ``axis`` the one that is an axis, ``widths`` the
    one that has numbers for every axis. With ``wanted`` the operator asks for NHWC, and does not only follow
    its data there. With ``last`` its kernel wants the axis to be the last one. With ``by_block`` the passes
    also compute it on blocks of channels, each an image of its own.
    ``either`` says of a call's attributes whether its kernel for NCHW is as good as that for NHWC.
    """

    names: tuple[str, ...] = ()
    axis: str = ""
    widths: Widths | None = None
    wanted: bool = False
    last: bool = False
    by_block: bool = False
    either: Callable[[Any], bool] | None = None

    def is_nchw(self, attributes: Any) -> bool:
        """Whether a call's attributes are those for NCHW."""
        has_axis = not self.axis or getattr(attributes, self.axis) is not None
        return has_axis and all(getattr(attributes, name) == NCHW for name in self.names)

    def changes(self, attributes: Any, axes: Sequence[int | None], rank: int) -> dict[str, Any] | None:
        """Return what the attributes of a call are when its data's axes are those of ``axes`` in another
        layout of that rank, NHWC for names; None where one that matters does not have an axis there."""
        changed: dict[str, Any] = dict.fromkeys(self.names, NHWC)
        if self.axis:
            given = getattr(attributes, self.axis)
            changed[self.axis] = None if given is None else axes[int(given) % len(axes)]
            if changed[self.axis] is None:
                return None
        if self.widths:
            neutral = [self.widths.neutral] * self.widths.each
            moved = [neutral] * rank
            for axis, numbers in zip(axes, self.widths.by_axis(attributes, len(axes)), strict=True):
                if axis is not None:
                    moved[axis] = numbers
                elif numbers != neutral:
                    return None
            changed[self.widths.name] = [number for numbers in moved for number in numbers]
        return changed


@dataclass(frozen=True)
class Slices(Layout):
    """The second argument are axes of the first, of which the others say a part each."""


@dataclass(frozen=True)
class Expands(Layout):
    """The result has the first argument's elements, repeated to another shape of as many axes."""


@dataclass(frozen=True)
class Joins(Layout):
    """The argument is a tuple of tensors that are joined along the attribute ``axis``."""


@dataclass(frozen=True)
class Reduces(Layout):
    """The axes in the attribute ``axis`` are reduced, all where it is None, and kept where ``keepdims`` says
    so.

    ``by_block`` is as in ``Moves``, for a reduction over rows and columns. With ``in_turn`` it may be done
    along one axis after the other. With ``places`` results are places along the one axis that the attribute
    is, or in all of the data.
    """

    by_block: bool = False
    in_turn: bool = False
    places: bool = False

    def axes(self, attributes: Any, rank: int) -> list[int] | None:
        """The axes reduced, in order; None where results are places in all of the data, which change with
        its layout."""
        return None if self.places and attributes.axis is None else reduced_axes(attributes, rank)

    def attribute(self, axes: Sequence[int]) -> int | list[int]:
        """Return what the attribute is for other axes."""
        return axes[0] if self.places else sorted(axes)


@dataclass(frozen=True)
class Normalizes(Layout):
    """Statistics are those over the attribute ``axes``; scale and shift have these axes, or the one in the
    attribute that ``channels`` names."""

    channels: str = ""


@dataclass(frozen=True)
class Reshapes(Layout):
    """The result has the elements in the same order, in another shape."""


@dataclass(frozen=True)
class Permutes(Layout):
    """The result's axes are those in the attribute ``axes``."""


@dataclass(frozen=True)
class Multiplies(Layout):
    """The last axis of the first argument meets the rows of the second."""


@dataclass(frozen=True)
class Quantizes(Layout):
    """The result has the first argument's layout, and scales may vary along the attribute ``axis``."""
