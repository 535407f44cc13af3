"""What is printed for people: it fits, nothing is cut, and brackets stay brackets."""

from __future__ import annotations

import io
from xml.etree import ElementTree

import pytest
from rich.console import Console

from tvm_directconv.bench.tables import speed_up
from tvm_directconv.problem.workload import Conv2dWorkload
from tvm_directconv.runtime.words import facts_text, target_label
from tvm_directconv.text import TextTable, bytes_label, layer_label, wrapped

WORDS = ("layer", "what it is")


def sample() -> TextTable:
    table = TextTable(
        "a title [bench] of some length", (*WORDS, "openvino-node", "% of peak"), WORDS, "note [x]"
    )
    table.add_row(
        "/features/denseblock1/conv[0]", "several words that may be broken :smile:", "112 (100%)", 7
    )
    table.add_row("n1", "", "-")
    return table


@pytest.mark.parametrize("columns", ["60", "80", "120", "1000"])
def test_tables_fit_and_nothing_is_cut(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = str(sample()).splitlines()
    assert max(map(len, lines)) <= int(columns)
    text = "".join(lines).replace(" ", "")
    for word in ("title[bench]", "conv[0]", ":smile:", "112(100%)", "note[x]"):
        assert word in text
    assert not any(mark in text for mark in ("…", "\\"))


@pytest.mark.parametrize(("columns", "rows"), [("", 2), ("120", 2), ("nonsense", 2)])
def test_a_row_is_a_line_where_there_is_room(
    columns: str, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    title, _, rule, *body, caption = str(sample()).splitlines()
    assert (title, caption) == ("a title [bench] of some length", "note [x]")
    assert set(rule) == {"─"} and len(body) == 2


def test_a_table_is_html_too() -> None:
    text = sample().html()
    assert text.startswith("<p>a title [bench] of some length</p><table><tr><th") and "note [x]</p>" in text
    root = ElementTree.fromstring(f"<all>{text}</all>")
    rows = [[cell.text for cell in row] for row in root.iter("tr")]
    assert rows[0] == [*WORDS, "openvino-node", "% of peak"] and rows[1][3] == "7"
    table = TextTable("a < b", ("c",))
    table.add_row("<script>")
    assert "<script>" not in table.html() and "a &lt; b" in table.html()


def test_rich_prints_tables_alike() -> None:
    console = Console(file=io.StringIO(), width=80)
    console.print(sample())
    assert "conv[0]" in console.file.getvalue() and "note [x]" in console.file.getvalue()


def test_boxes_are_ascii_where_output_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert str(sample()).isascii()


LABELS = {
    "n1_ih56iw56_ic64_oc64_k3x3_s1x1_p1x1x1x1_d1x1_g1_float32": "64x56x56 -> 64 3x3",
    "n4_ih8iw9_ic32_oc32_k1x3_s2x1_p0x0x0x0_d2x2_g32_float32": "32x8x9 -> 32 1x3 s2x1 d2 g32 n4",
    "n1_ih8iw8_ic3_oc8_k1x1_s1x1_p0x0x0x0_d1x1_g1_uint8z3-int8-uint8": "3x8x8 -> 8 1x1 uint8z",
    "n1_ih8iw8_ic3_oc8_k1x1_s1x1_p0x0x0x0_d1x1_g1_int8-uint8-float32": (
        "3x8x8 -> 8 1x1 int8 x uint8 -> float32"
    ),
}


@pytest.mark.parametrize(("descriptor", "label"), LABELS.items())
def test_layers_in_a_few_words(descriptor: str, label: str) -> None:
    assert layer_label(Conv2dWorkload.parse(f"{descriptor}_NHWC_OIHW")) == label


@pytest.mark.parametrize(
    ("target", "label"),
    [
        ("llvm", "llvm"),
        (
            "llvm -mtriple=x86_64-linux-gnu -mcpu=znver3 -mattr=-rdpru -machine=native",
            "znver3 (this host)",
        ),
        ("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72 -machine=my", "cortex-a72 as my"),
        ("llvm -mtriple=x86_64-linux-gnu -mattr=+avx2,+fma", "x86_64 +avx2 +fma"),
    ],
)
def test_targets_in_a_few_words(target: str, label: str) -> None:
    assert target_label(target) == label


@pytest.mark.parametrize(
    ("count", "label"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1536, "1.5 KiB"),
        (1023 * 1024, "1023 KiB"),
        (2**31, "2 GiB"),
        (2**45, "32768 GiB"),
    ],
)
def test_bytes(count: int, label: str) -> None:
    assert bytes_label(count) == label


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (0.017, "x 58.8 faster"),
        (0.8, "x 1.25 faster"),
        (1.0, "x 1.00 faster"),
        (1.25, "x 1.25 slower"),
        (9, "x 9.0 slower"),
    ],
)
def test_ratios_of_time(ratio: float, text: str) -> None:
    assert speed_up(ratio) == text


def test_facts_and_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    assert facts_text("what", {"a": "1", "longer": "2", "none": ""}) == "what\n  a       1\n  longer  2"
    monkeypatch.setenv("COLUMNS", "20")
    assert wrapped("features: one, two, three") == "features: one, two,\n    three"
