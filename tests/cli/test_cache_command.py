"""The command on the cache: what tells entries apart, one removed by name, nothing kept of benchmarks."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from cli_support import fail, small_model, succeed

import tvm_directconv as directconv
from tvm_directconv import trust
from tvm_directconv.cache import FOLDER, SWITCH, Cache, user_cache

KEYS = [pair * 32 for pair in ("ab", "ac", "b0")]
FACTS = {
    "target": "znver3 (this host)",
    "target_string": "llvm -mcpu=znver3",
    "sizes": "x=1x3",
    "options": "",
}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    monkeypatch.delenv(SWITCH)
    monkeypatch.setenv(FOLDER, str(tmp_path / "cache"))
    trust._SAID.clear()
    found = user_cache()
    assert found is not None
    return found


def write(folder: Path) -> None:
    (folder / "file").write_bytes(b"x" * 2048)


def fill(cache: Cache, **facts: str) -> None:
    cache.put(KEYS[0], write, "/models/net.onnx", {**FACTS, "content": "11", "made_by": "22"})
    cache.put(KEYS[1], write, "/models/net.onnx", {**FACTS, "content": "11", "made_by": "22", **facts})
    cache.put(KEYS[2], write, "resnet50", {**FACTS, "content": "33", "made_by": "22"})


def kept() -> list[str]:
    found = user_cache()
    assert found is not None
    return sorted(entry.key for entry in found.entries())


@pytest.mark.parametrize(
    ("fact", "value", "heading"),
    [
        ("sizes", "x=8x3", "sizes"),
        ("options", "--precision bfloat16", "options"),
        ("target_string", "llvm -mcpu=znver3 -mattr=+x", "target in full"),
        ("content", "12", "content"),
        ("made_by", "23", "made by"),
    ],
)
def test_entries_that_differ_look_different(
    cache: Cache, fact: str, value: str, heading: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(cache, **{fact: value})
    monkeypatch.setenv("COLUMNS", "300")  # the folder's name may be a long one
    title, heads, _, *rows, _ = succeed("cache").splitlines()
    assert "compiled networks in" in title and heading in heads
    shown = [row.split(None, 1)[1] for row in rows if row.strip()]
    assert len(set(shown)) == 3 and any(value in row for row in shown)
    # What is the same of all is not shown.
    assert heads.split("last")[0].count("made by") == (heading == "made by")
    listed = json.loads(succeed("cache", "--json"))["entries"]
    assert {entry["key"]: entry["facts"][fact] for entry in listed}[KEYS[1]] == value


@pytest.mark.parametrize("name", ["ab", KEYS[0][:8], KEYS[0]])
def test_one_is_removed_by_its_digits(cache: Cache, name: str) -> None:
    fill(cache)
    assert succeed("cache", "--remove", name) == f"removed {KEYS[0][:8]}, /models/net.onnx, 2 KiB\n"
    assert kept() == KEYS[1:]


def test_one_is_removed_by_its_network(cache: Cache) -> None:
    fill(cache)
    assert "removed b0b0b0b0" in succeed("cache", "--remove", "resnet50")
    said = fail("cache", "--remove", "net.onnx")
    assert "'net.onnx' names 2 compiled networks" in said and "abababab" in said and "acacacac" in said
    assert kept() == KEYS[:2]
    assert json.loads(succeed("cache", "--json", "--remove", "ab", "--remove", "ac"))["removed"] == KEYS[:2]
    assert kept() == []


def test_names_of_nothing_remove_nothing(cache: Cache) -> None:
    fill(cache)
    assert "no compiled network 'resnet5' is kept (did you mean 'resnet50'?)" in fail(
        "cache", "--remove", "resnet5"
    )
    assert "'a' names 2 compiled networks" in fail("cache", "--remove", "a")
    for name in ("", "..", "/", "kernels", "*", "resnet50/.."):
        assert "no compiled network" in fail("cache", "--remove", name)
    assert "not both" in fail("cache", "--remove", "ab", "--clear", status=2)
    assert "no compiled network" in fail("cache", "--remove", "resnet50", "--remove", "none")
    assert kept() == KEYS


def test_what_cannot_be_removed_is_said(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(cache)
    monkeypatch.setattr(Cache, "_remove", lambda self, place: False)
    for arguments in (("--clear",), ("--remove", "resnet50")):
        assert "cannot be removed" in fail("cache", *arguments)


def test_names_that_are_no_characters_are_shown(cache: Cache) -> None:
    cache.put(KEYS[0], write, os.fsdecode(b"caf\xe9\n.onnx"), FACTS)
    assert r"caf\udce9\n.onnx" in succeed("cache") and "removed" in succeed("cache", "--remove", KEYS[0])


def test_no_folder_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, "~nobody of this name/cache")
    trust.warn.cache_clear()
    with pytest.warns(UserWarning, match="no folder"):
        assert f"name one by the environment variable {FOLDER}" in fail("cache")


needs_linker: Callable[..., object] = pytest.mark.skipif(shutil.which("cc") is None, reason="no linker")


@needs_linker
def test_options_are_told(cache: Cache, tmp_path: Path) -> None:
    """The command and the library share an entry; whatever differs is told in the command's own words."""
    path = small_model(tmp_path, "n")
    image = np.ones((1, 3, 8, 8), np.float32)
    want = directconv.compile(path, batch=1).run(image)[0]
    succeed("run", path, "--batch", "1", "--rounds", "1")
    (entry,) = cache.entries()
    assert entry.label == str(path) and entry.facts["options"] == ""
    assert np.array_equal(
        directconv.compile(str(path), batch=(1,), algorithm={"*": "auto"}).run(image)[0], want
    )
    assert len(cache.entries()) == 1
    options = ("--batch", "1,2", "--algorithm", "conv=sconv", "--accuracy", "fast")
    succeed("compile", path, *options, "--output", tmp_path / "net.so")
    (entry,) = (each for each in cache.entries() if each.key != entry.key)
    assert entry.facts["options"] == "--algorithm conv=sconv, --accuracy fast"
    assert entry.facts["sizes"] == "image=1x3x8x8; image=2x3x8x8"
    assert cache.clear() and cache.entries() == []


@pytest.mark.slow
@needs_linker
def test_benchmarks_keep_nothing(cache: Cache, tmp_path: Path) -> None:
    path = small_model(tmp_path)
    succeed("demo", "--model", path, "--rounds", "1")
    succeed("bench", path, "--rounds", "1", "--contestants", "ours", "--json")
    assert cache.entries() == [] and cache.kernels.sizes() == []
    directconv.compile(onnx.load(path))
    assert [entry.label for entry in cache.entries()] == ["a model given as ModelProto small"]
