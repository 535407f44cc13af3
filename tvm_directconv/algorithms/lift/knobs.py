"""The parameters of Lift's convolution, as Table 2 of the paper has them, and what it leaves open.

Where the paper has one number for both directions there are two here, and windows of a thread are a rectangle
of a tile's. Threads over the filters of a workgroup are added, so that a workgroup may share what it reads
of the input; with one such thread the mapping is the paper's.
"""

from __future__ import annotations

from dataclasses import dataclass

KERNEL = "kernel"
"""A step in a kernel of its own, its result in global memory, as in the paper."""
LOAD = "load"
"""Padding where the convolution loads its input."""
LOCAL = "local"
"""Partial sums are added up in local memory by the workgroup that computed them."""
STORE = "store"
"""What is beyond the output is left out where the last kernel but cropping would store it."""


@dataclass(frozen=True)
class LiftKnobs:
    """A point of the space. Numbers are the paper's symbols, in its units."""

    tile_h: int
    """θ: rows of the padded input in a tile."""
    tile_w: int
    """θ: pixels of a row in it."""
    pad_h: int
    """ρ: rows added below what the convolution needs, so that tiles cover it exactly."""
    pad_w: int
    """ρ: pixels added at the right."""
    filters: int
    """κ: filters of a workgroup."""
    filter_threads: int
    """Threads that these are dealt to."""
    windows_h: int
    """σ: rows of windows of a thread."""
    windows_w: int
    """σ: windows in such a row."""
    chunk: int
    """ω: terms of a window that a thread sums."""
    vector: int
    """υ: terms that it loads and multiplies at once; channels, where each is convolved alone."""
    coalesce: bool = True
    """Threads that share a window take its vectors in turns, so that neighbours read neighbouring ones."""
    unroll: bool = True
    """The innermost loops, over filters and windows, are written out."""
    pad: str = KERNEL
    """"kernel" or "load": where the input is padded."""
    sum: str = LOCAL
    """"kernel" or "local": where the partial sums of a window's chunks are added up."""
    crop: str = STORE
    """"kernel" or "store": where what is beyond the output is cut off."""
