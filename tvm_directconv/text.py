"""What is printed for people: tables, layers and targets in a few words.

Whatever a table holds is text: names of layers, files and extras may have brackets, which rich would take for
markup. A table is as wide as the terminal, or as COLUMNS says, and nothing in it is cut; where output is
piped, lines are as long as they need.
"""

from __future__ import annotations

import copy
import html
import io
import os
import shutil
import sys
import textwrap
from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from tvm_directconv.errors import DirectConvError
from tvm_directconv.problem.element_types import FLOAT32
from tvm_directconv.problem.workload import Conv2dWorkload

UNLIMITED = 100_000
"""Width that no line reaches."""


GAP = 2
"""Spaces between columns."""
LEAST_WIDTH = 8
"""Words are broken no shorter than this: a terminal too narrow breaks the lines instead."""
UNITS = ("B", "KiB", "MiB", "GiB")


class TextTable(Table):
    """A rich table of plain strings, each row one line where it fits; ``str`` gives what ``print`` should.

    ``left`` names the columns that hold words; numbers, in the others, stand to the right.
    """

    def __init__(
        self, title: str, columns: Sequence[str], left: Container[str] = (), caption: str = ""
    ) -> None:
        super().__init__(
            title=title,
            caption=caption,
            box=box.SIMPLE_HEAD,
            show_edge=False,
            pad_edge=False,
            collapse_padding=True,
        )
        self._texts = [[name] for name in columns]
        for name in columns:
            self.add_column(Text(name), justify="left" if name in left else "right", overflow="fold")

    def add_row(self, *cells: Any, **options: Any) -> None:
        for texts, cell in zip(self._texts, cells, strict=False):
            texts.append(str(cell))
        super().add_row(*(Text(str(cell)) for cell in cells), **options)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Title and caption may be wider than the rows, which rich's own tables do not let them."""
        widths = self._widths(options.max_width)
        body = copy.copy(self)
        body.title = body.caption = None
        body.columns = [
            replace(column, width=width, header=Text(textwrap.fill(texts[0], width)))
            for column, width, texts in zip(self.columns, widths, self._texts, strict=True)
        ]
        if str(self.title or ""):
            yield Text(str(self.title))
        yield from Table.__rich_console__(
            body, console, options.update(width=sum(widths) + GAP * len(widths))
        )
        if str(self.caption or ""):
            yield Text(str(self.caption))

    def _widths(self, limit: int) -> list[int]:
        """Return the columns' widths: headings are broken first, then the widest column, words last."""
        heads = [_longest_word(heading.replace("-", "- ")) for heading, *_ in self._texts]
        cells = [max(map(cell_len, texts), default=0) for _, *texts in self._texts]
        words = [max(map(_longest_word, texts), default=0) for _, *texts in self._texts]
        # A column of empty texts has some width, too.
        widths = [max(1, *map(cell_len, texts)) for texts in self._texts]
        spare = limit - GAP * (len(widths) - 1)
        for least in (cells, words, [min(word, LEAST_WIDTH) for word in words]):
            floors = [max(1, *pair) for pair in zip(least, heads, strict=True)]
            while sum(widths) > spare:
                wider = [column for column, width in enumerate(widths) if width > floors[column]]
                if not wider:
                    break
                widths[max(wider, key=widths.__getitem__)] -= 1
            heads = [min(head, LEAST_WIDTH) for head in heads] if least is words else heads
        return widths

    def html(self) -> str:
        """Return it as a table of HTML, as notebooks show it."""

        def row(tag: str, texts: Sequence[str]) -> str:
            cells = (
                f'<{tag} style="text-align: {column.justify}">{html.escape(text)}</{tag}>'
                for column, text in zip(self.columns, texts, strict=True)
            )
            return f"<tr>{''.join(cells)}</tr>"

        heading, *body = zip_longest(*self._texts, fillvalue="")
        rows = [row("th", heading), *(row("td", texts) for texts in body)]
        parts = [html.escape(str(text or "")).replace("\n", "<br>") for text in (self.title, self.caption)]
        title, caption = (f"<p>{part}</p>" if part else "" for part in parts)
        return f"{title}<table>{''.join(rows)}</table>{caption}"

    def __str__(self) -> str:
        file = _Text()
        file.encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        console = Console(file=file, width=line_width(), color_system=None, **PLAIN)
        console.print(self, crop=False)
        return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


class Tabular:
    """What has a table: it prints as one, notebooks show it as HTML, and pandas takes its rows."""

    def table(self) -> TextTable:
        """Return the table that it prints as."""
        raise NotImplementedError

    def rows(self) -> list[dict[str, Any]]:
        """Return its rows as plain values, by name: seconds, bytes, and numbers that are not rounded."""
        raise NotImplementedError

    def to_dataframe(self) -> Any:
        """Return the rows as a pandas.DataFrame. Raises DirectConvError where pandas is not installed."""
        try:
            import pandas
        except ImportError as error:
            raise DirectConvError(f"pandas cannot be imported ({error}); pip install pandas") from None
        return pandas.DataFrame(self.rows())

    def __str__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table().html()


def _longest_word(text: str) -> int:
    return max(map(cell_len, text.split()), default=0)


class _Text(io.StringIO):
    """Text whose encoding rich asks for: boxes are drawn in ASCII where there is nothing else."""

    encoding = "utf-8"


PLAIN: dict[str, Any] = {"markup": False, "emoji": False, "highlight": False}
"""The options of a console that prints what it is given."""


def line_width() -> int:
    """Return how many characters a line on standard output may have."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns):
        return int(columns)
    on_terminal = sys.stdout is not None and sys.stdout.isatty()
    return shutil.get_terminal_size().columns if on_terminal else UNLIMITED


def wrapped(text: str) -> str:
    """Return a line of words as lines that fit, those after the first set in."""
    return textwrap.fill(
        text, line_width(), subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )


def layer_label(workload: Conv2dWorkload, types: bool = True) -> str:
    """Return ``64x56x56 -> 64 3x3``, with what is out of the ordinary behind it.

    That is strides, dilation, groups and batch, as ``s2 d2 g32 n4``, and of a quantized layer its ``types``:
    that of the input, with a z where its zero point is not 0, the filter's unless it is int8, and the
    output's if it is another than the input's.
    """
    w = workload
    text = f"{w.in_channels}x{w.height}x{w.width} -> {w.out_channels} {w.kernel[0]}x{w.kernel[1]}"
    unusual: list[tuple[str, tuple[int, ...]]] = [
        ("s", w.strides),
        ("d", w.dilation),
        ("g", (w.groups,)),
        ("n", (w.batch,)),
    ]
    for label, value in unusual:
        if set(value) != {1}:
            shown = value[:1] if len(set(value)) == 1 else value
            text += f" {label}{'x'.join(map(str, shown))}"
    if w.dtype == FLOAT32 or not types:
        return text
    if w.quantized is None:
        return f"{text} {w.dtype}{'' if w.out_dtype == w.dtype else f' -> {w.out_dtype}'}"
    text += f" {w.dtype}{'z' if w.quantized.data_zero else ''}"
    text += "" if w.quantized.filter_dtype == "int8" else f" x {w.quantized.filter_dtype}"
    return text if w.out_dtype == w.dtype else f"{text} -> {w.out_dtype}"


def bytes_label(count: int) -> str:
    """Return a number of bytes in the unit that leaves at most four digits."""
    power = min((max(count, 1).bit_length() - 1) // 10, len(UNITS) - 1)
    size = count / 1024**power
    return f"{size:.3g} {UNITS[power]}" if size < 1000 else f"{size:.0f} {UNITS[power]}"


def counted(count: int, noun: str) -> str:
    """Return a number of things in words: ``1 thread``, ``2 threads``."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def layers_label(count: int) -> str:
    """The number of layers that this project's algorithms compute."""
    return "1 convolution or dense layer" if count == 1 else f"{count} convolutions and dense layers"
