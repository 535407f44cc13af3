"""Files given to the wrong call: the error says what they are, by their contents, and what takes them."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from graph_support import network, node

import tvm_directconv as directconv
from relay_strategies.compiler.model_kinds import kind_of
from tvm_directconv.errors import ModelError

MODEL = network([node("Relu", "x", "y")], {"x": (1, 3)}, {"y": (1, 3)})
RELAY = b'#[version = "0.0.5"]\ndef @main(%x: Tensor[(1, 3), float32]) { nn.relu(%x) }\n'
ELF = b"\x7fELF\2\1\1" + bytes(9)
FILES: dict[str, tuple[bytes, str, str]] = {
    "onnx": (MODEL.SerializeToString(), "an ONNX model; give it to compile()", ""),
    "tflite": (b"\x1c\0\0\0TFL3" + bytes(60), "a TensorFlow Lite model; give it to compile()", "subgraphs"),
    "relay": (RELAY, "a Relay model's text; give it to compile()", ""),
    "library": (ELF + b"\3\0" + bytes(60), "", "a compiled library, not a model to compile: run it by load"),
    "dll": (b"MZ" + bytes(60), "", "a compiled library, not a model to compile: run it by load"),
    "dylib": (b"\xcf\xfa\xed\xfe" + bytes(60), "", "a compiled library, not a model to compile"),
    "object": (ELF + b"\1\0" + bytes(60), "an object file; link it", "an object file, not a model"),
    "params": (
        (0xF7E58D4F05049CB7).to_bytes(8, "little") + bytes(40),
        *("weights of a Relay model; give them", "weights of a Relay model, not a model to compile"),
    ),
    "archive": (b"PK\x03\x04" + bytes(40), "an archive, as PyTorch's", "an archive, as PyTorch's"),
    "pickle": (pickle.dumps({"a": 1}), "a pickle, as older PyTorch", "a pickle, as older PyTorch"),
    "json": (b'{"nodes": []}', "a JSON text; ", "a JSON text, not a model to compile"),
    "c": (b"#include <stdio.h>\n", "C code; build it", "C code, not a model to compile"),
    "nothing": (b"", "an empty file", "an empty file, not a model to compile"),
}


@pytest.fixture(params=FILES)
def given(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str, str]:
    """A file whose name says nothing of its kind, and what is said where it is loaded and compiled."""
    content, loaded, compiled = FILES[request.param]
    path = tmp_path / "file.bin"
    path.write_bytes(content)
    return path, loaded, compiled


def test_load_says_what_it_was_given(given: tuple[Path, str, str]) -> None:
    path, loaded, _ = given
    with pytest.raises(ModelError) as raised:
        directconv.load(path)
    if loaded:
        assert f"is not a library exported by tvm-directconv: it is {loaded}" in str(raised.value)


def test_compile_says_what_it_was_given(given: tuple[Path, str, str]) -> None:
    path, _, compiled = given
    if not compiled:
        assert directconv.compile(path, cache=False).output_names
        return
    for model in (path, str(path), path.read_bytes()):
        with pytest.raises(ModelError, match=compiled):
            directconv.compile(model, cache=False)


@pytest.mark.parametrize("call", [directconv.load, directconv.compile])
def test_folders(call: Callable[[Path], object], tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"is a (directory|folder).*load\(\)|compile\(\)"):
        call(tmp_path)


def test_numbers_of_numpys_and_what_is_not_known(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros(3))
    kind = kind_of(tmp_path / "x.npy")
    assert kind is not None and kind.name == "an array of numpy's"
    assert kind_of(b"\xff" * 64) is None
