"""Filter rows walked by blocks of terms, summed in a narrow type before they are added to wide sums."""

from __future__ import annotations

import abc

from intrinsics.microkernel import Segment

from .walk import Walk

BLOCK = 5
"""The loop over the blocks of a long segment has this label."""


class BlocksOfTerms(Walk):
    """A walk whose sums hold ``Isa.half_terms`` products at most, until their blocks are added."""

    def walk_segments(self, segments: tuple[Segment, ...]) -> None:
        """Segments share a block as long as they fit."""
        terms = 0
        for segment in segments:
            if terms and terms + segment.length > self.isa.half_terms:
                self.add_blocks()
                terms = 0
            blocks = (segment.length - 1) // self.isa.half_terms
            self.walk_in_blocks(segment, blocks)
            terms += segment.length - blocks * self.isa.half_terms
        if terms:
            self.add_blocks()

    @abc.abstractmethod
    def walk_in_blocks(self, segment: Segment, blocks: int) -> None:
        """Walk so many whole blocks, whose sums are added, and the rest of the segment, whose are not."""

    @abc.abstractmethod
    def add_blocks(self) -> None:
        """Add all sums of blocks to those of float32, and begin new ones."""
