"""Paths that users name, and those in cache entries: what is no file is an error at once."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_support import fail
from click.testing import CliRunner
from graph_support import draw, network, node

import tvm_directconv as directconv
from relay_strategies.compiler.stored import FUNCTIONS, KINDS, LIBRARY, OBJECTS, PROGRAM, WEIGHTS
from tvm_directconv import zoo
from tvm_directconv.bench.__main__ import draw as draw_results
from tvm_directconv.cache import FOLDER, LIST, SWITCH, Cache, user_cache
from tvm_directconv.errors import DirectConvError, ModelError
from tvm_directconv.files import read_file
from tvm_directconv.targets.gpu_machine import find_gpu

RELU = network([node("Relu", "x", "y")], {"x": (1, 4)}, {"y": (1, 4)})
RELAY = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(1, 4), float32]) { nn.relu(%x) }'

CALLS: dict[str, Callable[[Path], Any]] = {
    "a model": lambda path: directconv.compile(path),
    "a model by name": lambda path: directconv.compile(str(path)),
    "params": lambda path: directconv.compile(RELU, params=path),
    "params of Relay, cached": lambda path: directconv.compile(RELAY, params=path),
    "tuning records": lambda path: directconv.compile(RELU, tuning=path),
    "a Relay file": lambda path: directconv.from_relay(path),
    "a library": lambda path: directconv.load(path),
    "a machine": lambda path: directconv.resolve_target(f"llvm -mcpu=znver3 -machine={path}"),
    "a GPU": lambda path: find_gpu(str(path)),
    "layers": lambda path: zoo.layers_of(path),
}


@pytest.fixture(params=["pipe", "device", "link to a device", "socket", "loop", "folder", "absent"])
def no_file(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    path = tmp_path / "named.json"
    monkeypatch.chdir(tmp_path)
    if request.param == "pipe":
        os.mkfifo(path)
    elif request.param == "device":
        path = Path("/dev/zero")
    elif request.param == "link to a device":
        path.symlink_to("/dev/zero")
    elif request.param == "socket":
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path.name)
            yield path
            return
    elif request.param == "loop":
        path.symlink_to(path)
    elif request.param == "folder":
        path.mkdir()
    yield path


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_is_no_file_is_refused_at_once(call: Callable[[Path], Any], no_file: Path) -> None:
    if call is CALLS["tuning records"] and not os.path.lexists(no_file):
        pytest.skip("the records of a first run")
    with pytest.raises(DirectConvError, match="not a file|no such file|cannot be|directory") as refused:
        call(no_file)
    assert str(no_file) in str(refused.value)


def test_inputs_and_results_that_are_no_files(tmp_path: Path) -> None:
    pipe, model = tmp_path / "pipe", tmp_path / "relu.onnx"
    os.mkfifo(pipe)
    model.write_bytes(RELU.SerializeToString())
    assert "is not a file" in fail("run", model, "--input", f"x={pipe}")
    assert "is not a file" in fail("run", model, "--input", "x=/dev/zero")
    huge = tmp_path / "huge.npy"
    np.save(huge, np.zeros(1, np.float32))
    huge.write_bytes(huge.read_bytes().replace(b"(1,), }" + b" " * 12, b"(%d,), }" % 10**12))
    assert "is not a .npy array" in fail("run", model, "--input", f"x={huge}")
    with pytest.raises(DirectConvError, match="is not a file"):
        read_file(pipe, "it", ModelError)
    drawn = CliRunner().invoke(draw_results, [str(pipe)])
    assert drawn.exit_code == 1 and "is not a file" in drawn.output


@pytest.mark.slow
@pytest.mark.parametrize("name", [LIST, WEIGHTS, KINDS, PROGRAM, FUNCTIONS, OBJECTS, LIBRARY])
@pytest.mark.parametrize("listed", [True, False])
def test_pipes_in_entries_of_the_cache(
    name: str, listed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such an entry is dropped, and made anew; one that does not list what it has, too."""
    monkeypatch.setenv(FOLDER, str(tmp_path / "cache"))
    monkeypatch.delenv(SWITCH)
    weights = {"w": draw(8, 4, 3, 3)}
    model = network([node("Conv", "x w", "y")], {"x": (1, 4, 6, 6)}, {"y": (1, 8, 4, 4)}, weights)
    image = draw(1, 4, 6, 6)
    want = directconv.compile(model).run(image)[0]
    (entry,) = user_cache().entries()
    place = user_cache().folder / entry.key
    if not listed and name != LIST:
        text = (place / LIST).read_text()
        (place / LIST).write_text(text.replace(f'"{name}"', '"another"'))
    (place / name).unlink()
    os.mkfifo(place / name)
    np.testing.assert_array_equal(directconv.compile(model).run(image)[0], want)
    assert not any((user_cache().folder / each.key / name).is_fifo() for each in user_cache().entries())


def test_pipes_among_kernels_and_entries(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.kernels.put("kernel", b"code")
    (cache.kernels.folder / "kernel").unlink()
    os.mkfifo(cache.kernels.folder / "kernel")
    assert cache.kernels.get("kernel") is None
    os.mkfifo(tmp_path / ("a" * 64))
    assert cache.entries() == [] and cache.get("a" * 64, lambda contents: 1) is None
