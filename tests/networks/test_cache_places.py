"""The cache where its place fails: a help and never an error, said once; and what is trusted there."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_support import small_model

from tvm_directconv import trust
from tvm_directconv.cache import FOLDER, LIST, SWITCH, Cache, Contents, user_cache

KEY = "a" * 64
OTHER_USER = 54321
AS_ROOT = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="root alone may do it")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")


@pytest.fixture(autouse=True)
def _warned_of_nothing() -> Iterator[None]:
    trust.warn.cache_clear()
    trust._SAID.clear()
    yield


def write(folder: Path) -> None:
    (folder / "one").write_bytes(b"one")
    (folder / "two").write_bytes(b"two")


def read(contents: Contents) -> list[bytes]:
    return [contents.path("one").read_bytes(), bytes(contents.memory("two"))]


def filled(folder: Path) -> Cache:
    cache = Cache(folder)
    assert cache.put(KEY, write) is not None
    cache.kernels.put("kernel", b"code")
    return cache


def used(cache: Cache) -> tuple[bool, bool, list[str]]:
    """Whether an entry and a kernel are there, or are kept; and what is said of it, whatever is tried."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(2):
            cache.put(KEY, write)
            cache.kernels.put("kernel", b"code")
            cache.kernels.trim()
            entry, kernel = cache.get(KEY, read), cache.kernels.get("kernel")
            cache.entries()
            cache.kernels.sizes()
    assert entry in (None, [b"one", b"two"]) and kernel in (None, b"code")
    # What the interpreter says of other tests' files while it collects them is none of the cache's.
    own = [str(each.message) for each in said if each.category is UserWarning]
    return entry is not None, kernel is not None, own


# ---- places


def _file(folder: Path) -> None:
    folder.write_text("")


def _below_a_file(folder: Path) -> None:
    folder.parent.write_text("")


def _loop(folder: Path) -> None:
    folder.symlink_to(folder)


def _kernels_are_a_file(folder: Path) -> None:
    folder.mkdir(0o700)
    (folder / "kernels").write_text("")


PLACES: dict[str, tuple[str, Callable[[Path], Any], str]] = {
    "a file": ("cache", _file, "'cache' is not a folder"),
    "below a file": ("file/cache", _below_a_file, "Not a directory"),
    "a dangling link": (
        "cache",
        lambda folder: folder.symlink_to("missing"),
        "a link to a folder that is missing",
    ),
    "a loop of links": ("cache", _loop, "[Tt]oo many"),
    "a name too long": ("x" * 300, lambda folder: None, "too long"),
    "a path too long": ("/".join(["x" * 100] * 60), lambda folder: None, "too long"),
    "others may write": (
        "cache",
        lambda folder: folder.mkdir(0o700) or folder.chmod(0o770),
        "others may write",
    ),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_place_that_is_none_is_said_once(tmp_path: Path, place: str) -> None:
    name, make, why = PLACES[place]
    make(tmp_path / name)
    entry, kernel, said = used(Cache(tmp_path / name))
    assert (entry, kernel, len(said)) == (False, False, 1), said
    assert "nothing can be kept in the cache" in said[0] and "compiled anew" in said[0]
    assert re.search(why, said[0]), said


def test_networks_are_kept_where_kernels_cannot_be(tmp_path: Path) -> None:
    _kernels_are_a_file(tmp_path / "cache")
    entry, kernel, said = used(Cache(tmp_path / "cache"))
    assert (entry, kernel, len(said)) == (True, False, 1) and "'kernels' is not a folder" in said[0]


def test_names_may_be_of_any_bytes(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9 \xff\n")
    assert used(Cache(folder)) == (True, True, [])


def test_a_link_to_a_folder_is_that_folder(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir(0o700)
    (tmp_path / "cache").symlink_to("there")
    assert used(Cache(tmp_path / "cache")) == (True, True, [])


@pytest.mark.parametrize("umask", [0o000, 0o002, 0o077])
def test_what_a_group_may_write_is_not_made(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        cache = Cache(tmp_path / "deep" / "cache")
        cache.kernels.put("kernel", b"code")  # the folder is first made for these
        assert used(cache) == (True, True, [])
    finally:
        os.umask(before)


def test_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_CACHE_HOME", FOLDER):
        monkeypatch.delenv(name, raising=False)
    import pwd

    def unknown(number: int) -> Any:
        raise KeyError(f"getpwuid(): uid not found: {number}")

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with pytest.warns(UserWarning, match=f"no folder for the cache .* {FOLDER} names one") as said:
        assert user_cache() is None and user_cache() is None
    assert len(said) == 1
    monkeypatch.setenv(FOLDER, "~/cache")
    with pytest.warns(UserWarning, match="no folder for the cache"):
        assert user_cache() is None


def test_a_home_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(FOLDER, "~/cache")
    assert user_cache() == Cache(tmp_path / "cache")
    monkeypatch.setenv(FOLDER, "~nobody of this name/cache")
    with pytest.warns(UserWarning, match="no folder for the cache"):
        assert user_cache() is None


def test_a_working_directory_that_was_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    monkeypatch.setenv(FOLDER, "cache")
    with pytest.warns(UserWarning, match="no folder for the cache"):
        assert user_cache() is None


# ---- a system that fails


FAILING = {
    "mkdtemp": (tempfile, "mkdtemp"),
    "mkstemp": (tempfile, "mkstemp"),
    "rename": (Path, "rename"),
    "replace": (os, "replace"),
    "utime": (os, "utime"),
    "unlink": (os, "unlink"),
    "rmtree": (shutil, "rmtree"),
    "scandir": (os, "scandir"),
    "mkdir": (Path, "mkdir"),
    "write": (Path, "write_text"),
}


@pytest.mark.parametrize("code", ["ENOSPC", "EROFS", "ESTALE"])
@pytest.mark.parametrize("name", FAILING)
def test_what_the_system_refuses_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: str
) -> None:
    cache = filled(tmp_path / "cache")
    number = getattr(errno, code)

    def refuse(*_: Any, **__: Any) -> Any:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patched:
        patched.setattr(*FAILING[name], refuse)
        entry, kernel, said = used(cache)
        assert (entry, kernel) == (True, True)  # what was there is read
        empty = used(Cache(tmp_path / "empty"))
    for each in (said, empty[2]):
        assert len(each) <= 1 and all(os.strerror(number) in text for text in each)
    if not all(empty[:2]):
        assert len(empty[2]) == 1
    assert used(cache) == (True, True, [])


def test_what_writes_may_fail_in_any_way(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for error in (
        RuntimeError("LLVM"),
        UnicodeEncodeError("utf-8", "\udc80", 0, 1, "surrogate"),
        MemoryError(),
    ):
        trust._SAID.clear()

        def failing(folder: Path, error: Exception = error) -> None:
            write(folder)
            raise error

        with pytest.warns(UserWarning, match="nothing can be kept"):
            assert cache.put(KEY, failing) is None
        assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_removed_meanwhile(tmp_path: Path) -> None:
    cache = filled(tmp_path / "cache")

    def removing(folder: Path) -> None:
        shutil.rmtree(cache.folder)
        write(folder)

    with pytest.warns(UserWarning, match="nothing can be kept"):
        assert cache.put("b" * 64, removing) is None
    assert used(cache) == (True, True, [])


def test_interrupts_are_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path)
    replace = os.replace

    def interrupted(*arguments: Any) -> None:
        replace(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            cache.kernels.put("kernel", b"code")
    assert cache.kernels.get("kernel") == b"code"

    def write_half(folder: Path) -> None:
        write(folder)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cache.put(KEY, write_half)
    assert [path.name for path in tmp_path.iterdir()] == ["kernels"]


# ---- trust


def _linked(path: Path) -> None:
    path.rename(path.parent.parent / path.name)
    path.symlink_to(path.parent.parent / path.name)


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _others(path: Path) -> None:
    os.chown(path, OTHER_USER, OTHER_USER)


TOUCHED = {
    "an entry": KEY,
    "its list": f"{KEY}/{LIST}",
    "its file": f"{KEY}/two",
    "a kernel": "kernels/kernel",
}
TOUCHES: dict[str, Callable[[Path], Any]] = {
    "a group may write": lambda path: path.chmod(path.stat().st_mode | stat.S_IWGRP),
    "all may write": lambda path: path.chmod(path.stat().st_mode | stat.S_IWOTH),
    "a link": _linked,
    "a pipe": _pipe,
    "another user's": _others,
}


@pytest.mark.parametrize("touch", TOUCHES)
@pytest.mark.parametrize("what", TOUCHED)
def test_what_others_can_write_is_not_run(tmp_path: Path, what: str, touch: str) -> None:
    """It is dropped, nothing waits for it, and the next one takes its place."""
    if touch == "another user's" and os.geteuid() != 0:
        pytest.skip("root alone may do it")
    if touch == "a pipe" and what == "an entry":
        pytest.skip("a folder is no pipe")
    cache = filled(tmp_path / "cache")
    TOUCHES[touch](cache.folder / TOUCHED[what])
    if what == "a kernel":
        assert cache.kernels.get("kernel") is None
    else:
        assert cache.get(KEY, lambda contents: pytest.fail("it is used")) is None
    cache = filled(cache.folder)
    assert used(cache) == (True, True, [])


def test_an_entry_that_others_can_write_is_replaced(tmp_path: Path) -> None:
    """Another process puts it there after this one has looked."""
    cache = filled(tmp_path)
    (tmp_path / KEY).chmod(0o777)
    assert cache.put(KEY, write) == tmp_path / KEY
    assert stat.S_IMODE((tmp_path / KEY).stat().st_mode) == 0o700


@AS_ROOT
def test_what_is_roots_is_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the system's own libraries are: an image with a filled cache is used by another user."""
    cache = filled(tmp_path / "cache")
    monkeypatch.setattr(os, "geteuid", lambda: OTHER_USER)
    assert cache.get(KEY, read) == [b"one", b"two"] and cache.kernels.get("kernel") == b"code"
    os.chown(cache.folder, OTHER_USER + 1, 0)
    with pytest.warns(UserWarning, match="belongs to another user"):
        assert cache.get(KEY, read) is None


# ---- as another user

MODES = [0o000, 0o100, 0o200, 0o300, 0o400, 0o500, 0o600, 0o700]
BY_MODE = """
import json, os, sys, warnings
from pathlib import Path
sys.path[:0] = sys.argv[1:2]
from test_cache_places import KEY, filled, read, trust, used
from tvm_directconv.cache import Cache
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(USER); os.setuid(USER)
found = {}
for mode in json.loads(sys.argv[3]):
    cache = filled(Path(sys.argv[2]) / str(mode))
    cache.folder.chmod(mode)
    trust._SAID.clear()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        hit = cache.get(KEY, read) is not None, cache.kernels.get("kernel") is not None
    found[mode] = hit, len(said), used(cache), used(Cache(cache.folder / "inner"))
    cache.folder.chmod(0o700)
    assert used(cache)[:2] == (True, True)
print(json.dumps(found))
""".replace("USER", str(OTHER_USER))


def test_folders_of_every_mode(open_folder: Path) -> None:
    """Who may enter it, reads; who may not write, is told once; nothing is an error."""
    command = [sys.executable, "-c", BY_MODE, str(Path(__file__).parent), str(open_folder), json.dumps(MODES)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    for text, (hit, said, (*there, warned), inner) in json.loads(done.stdout).items():
        mode = int(text)
        enters = bool(mode & 0o100)
        assert hit == there == [enters, enters], oct(mode)
        assert said <= (not enters) and said + len(warned) == (mode != 0o700), oct(mode)
        assert inner[:2] == [mode & 0o300 == 0o300] * 2 and len(inner[2]) == (not inner[0]), oct(mode)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter and write in."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


AS_A_USER = """
import os, sys, warnings
import numpy as np
import numpy.testing  # what a user may not read is imported by now
import tvm_directconv as directconv
from relay_strategies.compiler.compilation import Compilation
model, cache, empty = sys.argv[1:]
add, sizes = Compilation.add, []
Compilation.add = lambda self, *rest: (sizes.append(1), add(self, *rest))[1]
os.umask(0o022)
image = np.ones((1, 3, 8, 8), np.float32)
want = directconv.compile(model).run(image)[0]
for folder, folders, files in os.walk(cache):
    for name in [folder, *(os.path.join(folder, file) for file in files)]:
        os.chmod(name, os.stat(name).st_mode | (0o055 if os.path.isdir(name) else 0o044))
os.setgroups([]); os.setgid(USER); os.setuid(USER)
for name in ("HOME", "XDG_CACHE_HOME"):
    os.environ.pop(name, None)
for folder, compiled, warned in (
    (cache, 1, 0), (None, 2, 1), (empty + "/" + "x" * 300, 3, 1), (cache + "/inner", 4, 1),
):
    os.environ.pop("TVM_DIRECTCONV_CACHE_DIR", None)
    if folder is not None:
        os.environ["TVM_DIRECTCONV_CACHE_DIR"] = folder
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        got = directconv.compile(model).run(image)[0]
    said = [str(each.message) for each in said if "cache" in str(each.message)]
    np.testing.assert_allclose(got, want, rtol=1e-6)
    assert len(sizes) == compiled and len(said) == warned, (folder, sizes, said)
""".replace("USER", str(OTHER_USER))


@pytest.mark.slow
@AS_ROOT
@pytest.mark.skipif(shutil.which("cc") is None, reason="no linker")
def test_a_container_with_another_user(open_folder: Path) -> None:
    """Root fills the cache, as where an image is built; who has no home and no name uses it, reads what is
    there, and compiles what is not."""
    model = small_model(open_folder)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), FOLDER: str(open_folder / "cache")}
    environment.pop(SWITCH)
    command = [sys.executable, "-c", AS_A_USER, str(model), str(open_folder / "cache"), str(open_folder)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
