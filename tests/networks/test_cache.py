"""The cache on disk: whole entries or none, whatever happens to them, and no more bytes than the limit."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cli_support import succeed

from tvm_directconv import trust
from tvm_directconv.cache import FOLDER, LIMIT, LIST, SWITCH, Cache, Contents, Files, is_on, user_cache

KEYS = [digit * 64 for digit in "abc"]


@pytest.fixture(autouse=True)
def _warned_of_nothing() -> Iterator[None]:
    trust.warn.cache_clear()
    trust._SAID.clear()
    yield


def written(*contents: bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for number, content in enumerate(contents):
            (folder / f"file{number}").write_bytes(content)

    return write


def read(contents: Contents) -> list[bytes]:
    """The first file by its path, the others in memory."""
    first, *others = sorted(contents.sums)
    return [contents.path(first).read_bytes(), *(bytes(contents.memory(name)) for name in others)]


def test_what_is_put_is_got(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "deep" / "cache")
    assert cache.get(KEYS[0], read) is None and cache.entries() == []
    assert cache.put(KEYS[0], written(b"one", b"two"), "a label") == cache.folder / KEYS[0]
    assert cache.get(KEYS[0], read) == [b"one", b"two"]
    assert cache.get(KEYS[1], read) is None
    cache.put(KEYS[0], written(b"one", b"two"), "again")
    (entry,) = cache.entries()
    assert (entry.key, entry.label, entry.bytes) == (KEYS[0], "a label", 6)
    assert cache.clear() == [entry] and cache.entries() == []
    assert list(cache.folder.iterdir()) == []
    if os.name == "posix":
        assert cache.folder.stat().st_mode & 0o777 == 0o700


def _cut(folder: Path) -> None:
    (folder / "file1").write_bytes(b"tw")


def _altered(folder: Path) -> None:
    (folder / "file0").write_bytes(b"onE")


DAMAGES: dict[str, Callable[[Path], None]] = {
    "cut": _cut,
    "altered": _altered,
    "a file missing": lambda folder: (folder / "file1").unlink(),
    "no list": lambda folder: (folder / LIST).unlink(),
    "half a list": lambda folder: (folder / LIST).write_text('{"label": "", "by'),
    "another list": lambda folder: (folder / LIST).write_text("[1, 2]"),
    "a list of nothing known": lambda folder: (folder / LIST).write_text('{"files": 3}'),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_dropped(tmp_path: Path, damage: str) -> None:
    cache = Cache(tmp_path)
    cache.put(KEYS[0], written(b"one", b"two"))
    DAMAGES[damage](tmp_path / KEYS[0])
    assert cache.get(KEYS[0], read) is None
    assert list(tmp_path.iterdir()) == []
    cache.put(KEYS[0], written(b"one", b"two"))
    assert cache.get(KEYS[0], read) == [b"one", b"two"]


def test_what_cannot_be_loaded_is_dropped(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put(KEYS[0], written(b"one"))
    assert cache.get(KEYS[0], lambda folder: 1 // 0) is None
    assert cache.entries() == []


def test_the_least_recently_used_go(tmp_path: Path) -> None:
    cache = Cache(tmp_path, limit=100)
    for age, key in enumerate(KEYS[:2]):
        cache.put(key, written(b"x" * 40))
        os.utime(tmp_path / key / LIST, (1000 + age, 1000 + age))
    assert cache.get(KEYS[0], read)  # the older one is used again
    cache.put(KEYS[2], written(b"x" * 40))
    assert {entry.key for entry in cache.entries()} == {KEYS[0], KEYS[2]}
    assert cache.put(KEYS[1], written(b"x" * 101)) is None
    assert {entry.key for entry in cache.entries()} == {KEYS[0], KEYS[2]}


def test_what_was_left_half_written_goes(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for name, age in (("old", 1e6), ("young", 0)):
        folder = tmp_path / f".new.{name}"
        folder.mkdir()
        used = folder.stat().st_mtime - age
        os.utime(folder, (used, used))
    cache.put(KEYS[0], written(b"one"))
    assert {path.name for path in tmp_path.iterdir()} == {KEYS[0], ".new.young"}


def test_files_are_whole_or_not_there(tmp_path: Path) -> None:
    files = Files(tmp_path / "kernels", limit=100)
    assert files.get("a") is None and files.sizes() == []
    files.put("a", b"content")
    files.put("empty", b"")
    assert (files.get("a"), files.get("empty")) == (b"content", b"")
    for damaged in (b"\0", (files.folder / "a").read_bytes()[:-1], b"x" * 20):
        files.put("a", b"content")
        (files.folder / "a").write_bytes(damaged)
        assert files.get("a") is None
    files.put("a", b"content")
    assert files.get("a") == b"content"
    files.clear()
    assert list(files.folder.iterdir()) == []


def test_the_least_recently_used_files_go(tmp_path: Path) -> None:
    files = Files(tmp_path, limit=100)
    for age, key in enumerate("abc"):
        files.put(key, b"x" * 40)
        os.utime(tmp_path / key, (1000 + age, 1000 + age))
    assert files.get("a")  # the oldest is used again
    for name, used in ((".new.old", 0.0), (".new.young", time.time())):
        (tmp_path / name).write_bytes(b"")
        os.utime(tmp_path / name, (used, used))
    files.trim()
    assert {path.name for path in tmp_path.iterdir()} == {"a", "c", ".new.young"}


def test_a_folder_that_cannot_be_written_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file" / "cache")
    with pytest.warns(UserWarning, match="nothing can be kept") as said:
        cache.put(KEYS[0], written(b"one"))
        cache.put(KEYS[1], written(b"two"))
    assert len(said) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert cache.get(KEYS[0], read) is None and cache.entries() == [] and cache.clear() == []


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    def full(folder: Path) -> None:
        (folder / "file0").write_bytes(b"o")
        raise OSError(28, "No space left on device")

    cache = Cache(tmp_path)
    with pytest.warns(UserWarning, match="No space left"):
        cache.put(KEYS[0], full)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_where_others_may_write_nothing_is_run(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put(KEYS[0], written(b"one"))
    tmp_path.chmod(0o777)
    with pytest.warns(UserWarning, match="others may write"):
        assert cache.get(KEYS[0], read) is None
    tmp_path.chmod(0o700)
    assert cache.get(KEYS[0], read) == [b"one"]


def test_the_environment_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path / "here"))
    monkeypatch.setenv(LIMIT, "12345")
    assert user_cache() == Cache(tmp_path / "here", 12345)
    monkeypatch.setenv(LIMIT, "much")
    with pytest.warns(UserWarning, match="must be a number of bytes, not 'much'"):
        assert user_cache() == Cache(tmp_path / "here")
    monkeypatch.delenv(FOLDER)
    monkeypatch.delenv(LIMIT)
    assert "tvm-directconv" in str(user_cache().folder)
    monkeypatch.setenv(SWITCH, "0")
    assert not is_on()
    monkeypatch.delenv(SWITCH)
    assert is_on()


PROCESS = """
import sys, random
from pathlib import Path
from tvm_directconv.cache import Cache
cache, draw = Cache(Path(sys.argv[1]), 4000), random.Random(sys.argv[2])
def write(folder):
    for number in range(3):
        (folder / f"file{number}").write_bytes(key.encode() * 10)
def load(contents):
    return [contents.path(f"file{number}").read_bytes() for number in range(3)]
for _ in range(150):
    key = draw.choice("abcdef") * 64
    found = cache.get(key, load)
    assert found in (None, [key.encode() * 10] * 3), found
    if found is None:
        cache.put(key, write)
    if draw.random() < 0.05:
        cache.clear()
"""


def test_processes_get_whole_entries_or_none(tmp_path: Path) -> None:
    """They read, write, drive out and clear the same few entries at once, and none says a word."""
    command = [sys.executable, "-W", "error", "-c", PROCESS, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    started = [
        subprocess.Popen([*command, str(seed)], stderr=subprocess.PIPE, text=True, env=environment)
        for seed in range(3)
    ]
    for process in started:
        _, said = process.communicate(timeout=60)
        assert (process.returncode, said) == (0, "")
    assert not list(tmp_path.glob(".*"))


def test_the_command_shows_and_clears(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    assert "0 compiled networks" in succeed("cache")
    user_cache().put(KEYS[0], written(b"x" * 2048), "net.onnx for a CPU")
    user_cache().kernels.put("k", b"x")
    shown = succeed("cache")
    assert "net.onnx for a CPU" in shown and "2 KiB" in shown and str(tmp_path) in shown
    assert "1 kernels" in shown and KEYS[0] in succeed("cache", "--json")
    assert "1 compiled networks" in succeed("cache", "--clear")
    assert user_cache().entries() == [] and user_cache().kernels.sizes() == []
