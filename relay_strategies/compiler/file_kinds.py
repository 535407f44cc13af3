"""Files that users give to the wrong call, told by their contents: what each is, and what takes it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from relay_strategies.frontends.relay.model import BEGINNINGS
from tvm_directconv.errors import ModelError
from tvm_directconv.files import open_regular

HEAD_BYTES = 64
LIBRARY = "a compiled library"


@dataclass(frozen=True)
class Kind:
    """A kind of file, by its first bytes: how an error calls it, and what takes it."""

    name: str
    taken: str
    matches: Callable[[bytes], bool]


def _begins(*prefixes: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(prefixes)


KINDS = (
    Kind("an object file", "link it to a C program (docs/deploy.md)", lambda head: _is_object(head)),
    Kind(
        LIBRARY,
        "run it by load(path), and compile() the model that it was made of",
        _begins(b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe"),
    ),
    Kind("a TensorFlow Lite model", "give it to compile()", lambda head: head[4:8] == b"TFL3"),
    Kind(
        "weights of a Relay model",
        "give them beside the model's text: compile(model, params=path)",
        _begins((0xF7E58D4F05049CB7).to_bytes(8, "little")),
    ),
    Kind(
        "an archive, as PyTorch's and numpy's files are",
        "load it there, and give compile() the module (torch.load) or program (torch.export.load)",
        _begins(b"PK\x03\x04"),
    ),
    Kind(
        "a pickle, as older PyTorch files are",
        "load it there (torch.load), and give compile() the module",
        lambda head: re.match(rb"\x80[\x02-\x05]", head) is not None,
    ),
    Kind("an array of numpy's", "give it to run()", _begins(b"\x93NUMPY")),
    Kind("an HDF5 file", "export the network as ONNX for compile()", _begins(b"\x89HDF")),
    Kind(
        "weights alone (safetensors)",
        "load them into their network, and give compile() that",
        lambda head: head[8:10] == b'{"',
    ),
    Kind(
        "a Relay model's text",
        "give it to compile()",
        lambda head: head.decode("utf-8-sig", "replace").lstrip().startswith(BEGINNINGS),
    ),
    Kind(
        "a JSON text",
        "of Relay, compile() takes the module's own text (module.astext()); tuning records are tuning=",
        lambda head: head.lstrip()[:1] in (b"{", b"["),
    ),
    Kind("C code", "build it with a C compiler", _begins(b"#include", b"#ifndef", b"#pragma", b"//", b"/*")),
    Kind(
        "an ONNX model",
        "give it to compile()",
        lambda head: re.match(rb"\x08[\x01-\x7f][\x12-\x42]", head) is not None,
    ),
    Kind("an empty file", "write it again", lambda head: not head),
)
"""The first that matches counts."""
MODELS = ("a TensorFlow Lite model", "a Relay model's text", "an ONNX model")


def _is_object(head: bytes) -> bool:
    """Whether ELF says that it is relocatable."""
    return head.startswith(b"\x7fELF") and head[16:18] in (b"\x01\x00", b"\x00\x01")


def kind_of(model: str | os.PathLike[str] | bytes) -> Kind | None:
    """Return which kind of file, or of bytes, a model is; None for one that is not known.

    Raises ModelError for a path that is no regular file, or cannot be read.
    """
    if isinstance(model, bytes):
        head = model[:HEAD_BYTES]
    else:
        with open_regular(Path(os.fsdecode(model)), f"'{os.fsdecode(model)}'", ModelError) as file:
            head = file.read(HEAD_BYTES)
    return next((kind for kind in KINDS if kind.matches(head)), None)


def refuse_no_library(path: Path) -> None:
    """Raise ModelError for a file to load that is known to be something else."""
    kind = kind_of(path)
    if kind is not None and kind.name != LIBRARY:
        raise ModelError(
            f"'{path}' is not a library exported by tvm-directconv: it is {kind.name}; {kind.taken}"
        )


def refuse_no_model(model: str | os.PathLike[str] | bytes) -> None:
    """Raise ModelError for a file, a folder or bytes to compile that is known to be no model."""
    what = "the given bytes" if isinstance(model, bytes) else f"'{os.fsdecode(model)}'"
    if not isinstance(model, bytes) and os.path.isdir(model):
        raise ModelError(
            f"{what} is a directory, not a model's file: give compile() the file in it, and load() a folder "
            "that export() wrote for a GPU"
        )
    kind = kind_of(model)
    if kind is not None and kind.name not in MODELS:
        raise ModelError(f"{what} is {kind.name}, not a model to compile: {kind.taken}")
