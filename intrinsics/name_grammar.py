"""The grammar of micro-kernels' names, as KleidiAI's are: what code parses and what the documentation shows.

A name is its family's parts, two underscores, then its geometry's, each part as it is written here, in this
order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .epilogue import CODES


@dataclass(frozen=True)
class NamePart:
    """One part of a name: how it is written, the regular expression that reads it, and what it says."""

    text: str
    pattern: str
    meaning: str


FAMILY = (
    NamePart(
        "<C>_<A>_<B>",
        r"(f32_f32_f32|(?:i32|f32|u8|s8)_[us]8_[us]8|(?:f32|bf16)_bf16_bf16|(?:f32|f16)_f16_f16)",
        "types of destination, activations and filter",
    ),
    NamePart("_<mr>x<nr>", r"_(\d+)x(\d+)", "rows of the tile, and its lanes, which are whole vectors"),
    NamePart("_row, _panel or _dw", "_(row|panel|dw)", "layout of A"),
    NamePart("_<isa>", "_([a-z0-9]+)", "instruction set"),
)
GEOMETRY = (
    NamePart("n<channels>", r"n(\d+)", "lanes stored, at most nr"),
    NamePart(
        "_a<a_row>.<a_step>[.<a_k>]",
        r"_a(\d+)\.(\d+|v)(?:\.(\d+))?",
        "elements of A from a row, a filter row (v where calls say it), and (unless 1) a step to the next",
    ),
    NamePart(
        "_b<b_row>.<b_step>",
        r"_b(\d+)\.(\d+)",
        "elements of B from a step to the next, and from a filter row to the next",
    ),
    NamePart(
        "_c<c_row>[.<w>.<d>]",
        r"_c(\d+)(?:\.(\d+)\.(\d+))?",
        "elements of C from a row to the next; lanes in blocks of w, d apart",
    ),
    NamePart("[_p<prefetch>]", r"(?:_p(\d+))?", "of so many lines of B one is fetched, for a later call"),
    NamePart("[_bias]", "(_bias)?", "sums start from the bias"),
    NamePart("[_rows]", "(_rows)?", "the bias belongs to rows, not to lanes"),
    NamePart("[_acc]", "(_acc)?", "sums start from C"),
    NamePart(
        "[_<step><bits>[.<bits>]...]",
        f"({CODES})",
        "steps of the epilogue in order, the residual among them, with the bits of their float32 constants",
    ),
    NamePart(
        "[_w<row>.<elements>...]",
        r"(?:_w([\d.-]+))?",
        "from that row on the bias lies so many elements further on",
    ),
    NamePart(
        "[_r<row>.<elements>...]",
        r"(?:_r([\d.-]+))?",
        "from that row on A lies so many elements further on",
    ),
    NamePart("[_o]", "(_o)?", "A may be read between these rows, and behind the last"),
    NamePart("[_z<zero>]", r"(?:_z(m?\d+))?", "zero point of the bytes stored; m is a minus"),
    NamePart("[_g<group>]", r"(?:_g(\d+))?", "so many lanes have the same channels of A"),
    NamePart(
        "[_l<lines>.<a>.<c>.<taps>]",
        r"(?:_l(\d+\.\d+\.(?:\d+|v)\.\d+))?",
        "the tile has so many output rows, so far apart in A and C (v where calls say it: a is in filter rows"
        " then); filter rows",
    ),
    NamePart(
        "[_q<blocks>.<a_block>.<b_block>]",
        r"(?:_q(\d+)\.(\d+)\.(\d+))?",
        "segments are walked so many times, A and B moved on by so much each time",
    ),
    NamePart(
        "_s<first>.<last>.<a>.<b>.<length>[.<row>...]..., _t likewise, or _empty",
        "_(empty|[st].*)",
        "segments: the tile's rows, offsets in A and B, steps, and rows left out; t are walked once, behind"
        " the last block",
    ),
)


def pattern_of(parts: Iterable[NamePart]) -> str:
    """The regular expression that reads these parts in order."""
    return "".join(part.pattern for part in parts)


def grammar_table() -> str:
    """The grammar as a table in Markdown."""
    rows = ["| part | says |", "|---|---|"]
    rows += [f"| `{part.text}` | {part.meaning} |" for part in FAMILY]
    rows += ["| `__` | |"]
    rows += [f"| `{part.text}` | {part.meaning} |" for part in GEOMETRY]
    return "\n".join(rows)
