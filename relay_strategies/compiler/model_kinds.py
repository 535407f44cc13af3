"""What users give to compile() and load(), told apart by type, by name and by the first bytes of files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tvm
from onnx import ModelProto

from relay_strategies.frontends.relay.model import BEGINNINGS, is_text
from relay_strategies.frontends.relay.model import SUFFIX as RELAY_SUFFIX
from relay_strategies.frontends.tflite.model import MAGIC as TFLITE_MAGIC
from relay_strategies.frontends.tflite.model import SUFFIX as TFLITE_SUFFIX
from relay_strategies.frontends.torch.models import is_torch
from tvm_directconv.errors import ModelError, let_through
from tvm_directconv.files import open_regular

HEAD_BYTES = 64


@dataclass(frozen=True)
class Kind:
    """A kind of model or file: the name that errors give it, and what takes it.

    ``matches`` recognizes a file of this kind by its first bytes.
    """

    name: str
    taken: str
    matches: Callable[[bytes], bool] = lambda head: False


def _begins(*prefixes: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(prefixes)


def _is_object(head: bytes) -> bool:
    """Return whether an ELF header says that the file is relocatable."""
    return head.startswith(b"\x7fELF") and head[16:18] in (b"\x01\x00", b"\x00\x01")


COMPILE = "give it to compile()"
TORCH = Kind("a PyTorch model", COMPILE)
RELAX = Kind("a Relax module", COMPILE)
ZOO = Kind("the name of a network of the zoo", COMPILE)
TFLITE = Kind("a TensorFlow Lite model", COMPILE, lambda head: head[4:8] == TFLITE_MAGIC)
RELAY = Kind(
    "a Relay model's text",
    COMPILE,
    lambda head: head.decode("utf-8-sig", "replace").lstrip().startswith(BEGINNINGS),
)
ONNX = Kind("an ONNX model", COMPILE, lambda head: re.match(rb"\x08[\x01-\x7f][\x12-\x42]", head) is not None)
LIBRARY = Kind(
    "a compiled library",
    "run it by load(path), and compile() the model that it was made of",
    _begins(b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe"),
)
MODELS = (TORCH, RELAX, ZOO, TFLITE, RELAY, ONNX)
"""compile() takes these."""
FILE_KINDS = (
    Kind("an object file", "link it to a C program (docs/deploy.md)", _is_object),
    LIBRARY,
    TFLITE,
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
    RELAY,
    Kind(
        "a JSON text",
        "of Relay, compile() takes the module's own text (module.astext()); tuning records are tuning=",
        lambda head: head.lstrip()[:1] in (b"{", b"["),
    ),
    Kind("C code", "build it with a C compiler", _begins(b"#include", b"#ifndef", b"#pragma", b"//", b"/*")),
    ONNX,
    Kind("an empty file", "write it again", lambda head: not head),
)
"""The first that matches counts."""


def kind_of(model: Any) -> Kind | None:
    """Return the kind of a model in memory, of bytes, of a text, or of the file behind a path; None if it is
    not known. A text that is neither a file's name nor Relay's is the name of a network of the zoo.

    Raises ModelError for a path that is not a regular file or cannot be read.
    """
    if is_torch(model):
        return TORCH
    if isinstance(model, tvm.IRModule):
        return RELAX
    if isinstance(model, ModelProto):
        return ONNX
    if isinstance(model, bytes):
        return _kind_of_content(model[:HEAD_BYTES])
    if not isinstance(model, str | os.PathLike):
        return None
    name = os.fsdecode(model)
    if name.endswith(RELAY_SUFFIX) or (isinstance(model, str) and is_text(name)):
        return RELAY
    if name.endswith(TFLITE_SUFFIX):
        return TFLITE
    if isinstance(model, str) and not os.path.isfile(name):
        return ZOO
    if os.path.isdir(name):
        raise ModelError(
            f"'{name}' is a directory, not a model's file: give compile() the file in it, and load() a "
            "folder that export() wrote for a GPU"
        )
    return kind_of_file(Path(name))


def kind_of_file(path: Path) -> Kind | None:
    """Return the kind of a file by its content alone, None if it is not known. Raises ModelError for a path
    that is not a regular file or cannot be read."""
    with open_regular(path, f"'{path}'", ModelError) as file:
        try:
            return _kind_of_content(file.read(HEAD_BYTES) or b"")
        except OSError as problem:
            let_through(problem)
            raise ModelError(f"'{path}' cannot be read: {problem.strerror}") from None


def _kind_of_content(head: bytes) -> Kind | None:
    return next((kind for kind in FILE_KINDS if kind.matches(head)), None)
