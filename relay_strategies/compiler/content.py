"""Keys of compiled models: digests of all that a compilation depends on.

These are the model's own content, the options, the target with its machine, the tuning records, TVM's pass
context, the packages that take part, and this package's own files. Models whose content cannot be told do
not get a key and are compiled every time: PyTorch's modules, and models compiled by a user's strategies.
"""

from __future__ import annotations

import functools
import hashlib
import io
import json
import os
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import tvm
from onnx import ModelProto

from relay_strategies.frontends.onnx.reading import read
from relay_strategies.frontends.relay.model import is_text
from relay_strategies.strategies.operators import STRATEGIES
from relay_strategies.strategies.records import Records
from relay_strategies.strategies.strategy import conv2d_strategy
from relay_strategies.strategies.target_functions import TargetFunctions
from relay_strategies.strategies.templates import TEMPLATES
from tvm_directconv import zoo
from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.errors import DirectConvError, ModelError, last_line, let_through
from tvm_directconv.files import open_regular
from tvm_directconv.log import LOG
from tvm_directconv.other_files import names_other_files
from tvm_directconv.targets.target import CompileTarget
from tvm_directconv.workers import of_blocks

from .library.program import context_as_written
from .model_kinds import RELAX, RELAY, TFLITE, ZOO, kind_of
from .source import ModelInput

FORMAT = 3
PACKAGES = (
    "apache-tvm", "apache-tvm-ffi", "numpy", "onnx", "onnxruntime", "ml_dtypes", "tflite", "torch",
    "torchvision", "timm",
)  # fmt: skip
"""Packages that import models, draw weights, or generate code."""
OWN = ("intrinsics", "relay_strategies", "tvm_directconv")
LONGEST_LABEL = 200
SHORT = 8
"""Digits of a digest for people."""


@dataclass(frozen=True)
class Key:
    """The name of a compiled model.

    ``digest`` has 64 hexadecimal digits. ``content`` and ``made_by`` are the first of those of two of its
    parts: the model with its params, and all that compiles it.
    """

    digest: str
    content: str
    made_by: str


def key_of(
    given: ModelInput, target: CompileTarget, records: Records | None, options: tuple[Any, ...]
) -> Key | None:
    """Return the key of the compiled model, or None if its content cannot be told."""
    registered: list[TargetFunctions[Any]] = [conv2d_strategy, *conv2d_strategy.kinds, *STRATEGIES.values()]
    strategies = [function for each in registered for function in each.functions.values()]
    strategies += map(type, ALGORITHMS.values())
    foreign = any(each.__module__.partition(".")[0] not in OWN for each in strategies)
    if given.example_inputs is not None or foreign or any(TEMPLATES.values()):
        return None
    try:
        content = {
            "model": _of_model(given.model, given.data_folder),
            "params": None if given.params is None else _of_params(given.params),
            "max_tensor_bytes": given.max_tensor_bytes,
        }
        asked = {
            "target": [str(target), asdict(target.machine), target.keys],
            "tuning": None if records is None else _digest(*(r.line().encode() for r in records.records)),
            "options": options,
        }
        made_by = {
            "format": FORMAT,
            "context": context_as_written(tvm.transform.PassContext.current()),
            "packages": [[name, _version(name)] for name in PACKAGES],
            "files": _own_files(),
        }
        digests = [_digest(json.dumps(p, default=_plain).encode()) for p in (content, made_by, asked)]
        return Key(_digest(*map(str.encode, digests)), digests[0][:SHORT], digests[1][:SHORT])
    except _Unknown:
        return None
    except (DirectConvError, OSError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        let_through(error)
        # What is wrong with it, compiling says.
        LOG.debug("the model is not looked for in the cache: %s", last_line(error))
        return None


def label_of(model: Any) -> str:
    """Return a few words for people on which model it is: its file's path, its name in the zoo, its kind."""
    if isinstance(model, str | os.PathLike) and len(os.fspath(model)) <= LONGEST_LABEL:
        return os.path.abspath(os.fsdecode(model)) if os.path.isfile(model) else os.fsdecode(model)
    name = model.graph.name if isinstance(model, ModelProto) else ""
    return f"a model given as {type(model).__name__}{f' {name}'[:LONGEST_LABEL] if name else ''}"


class _Unknown(Exception):
    """Something whose content cannot be told."""


def _of_model(model: Any, data_folder: Any) -> list[str]:
    """Return the kind of a model, and digests of its content."""
    kind = kind_of(model)
    if isinstance(model, ModelProto):
        return ["onnx", _of_proto(read(model, data_folder))]
    if kind is RELAX:
        return ["relax", _digest(tvm.ir.save_json(model).encode())]
    if kind is ZOO:
        return ["zoo", zoo.full_name(model)]
    # Bytes of which nothing is known may be ONNX's; these, and no others, may name further files.
    others = kind in (RELAY, TFLITE)
    if isinstance(model, bytes):
        return ["", *_of_file(model, io.BytesIO(model), others, data_folder)]
    if not isinstance(model, str | os.PathLike):
        raise _Unknown
    if kind is RELAY and isinstance(model, str) and is_text(model):
        return ["relay", _digest(model.encode())]
    path = Path(os.fsdecode(model))
    with open_regular(path, f"'{path}'", ModelError) as file:
        return [path.suffix, *_of_file(model, file, others, data_folder)]


def _of_file(model: Any, file: BinaryIO, others: bool, data_folder: Any) -> list[str]:
    """Return digests of a model, whose content is this ``file``, and, if it may be an ONNX model, of the data
    it names."""
    digest = _digest(*of_blocks(file, _sha256))
    if others or not names_other_files(file):
        return [digest]
    return [digest, _of_proto(read(model, data_folder))]


def _of_proto(model: ModelProto) -> str:
    """Digest of an ONNX model, tensor by tensor: to serialize it whole would take its memory once more."""
    rest, graph = _without(model, "graph"), _without(model.graph, "initializer")
    parts: list[Any] = [part.SerializeToString(deterministic=True) for part in (rest, graph)]
    for tensor in model.graph.initializer:
        parts.append(_without(tensor, "raw_data").SerializeToString(deterministic=True))
        parts += of_blocks(io.BytesIO(tensor.raw_data), _sha256)
    # A digest of digests: where one part ends and the next begins, counts.
    return _digest(*map(_sha256, parts))


def _without(message: Any, name: str) -> Any:
    """A copy of a protobuf message without one of its fields, which is not even read."""
    rest = type(message)()
    for field in message.DESCRIPTOR.fields:
        if field.name == name:
            continue
        value = getattr(message, field.name)
        if hasattr(value, "MergeFrom"):  # a message, or many values
            getattr(rest, field.name).MergeFrom(value)
        else:
            setattr(rest, field.name, value)
    return rest


def _of_params(params: Any) -> Any:
    if isinstance(params, str | os.PathLike):
        path = Path(os.fsdecode(params))
        with open_regular(path, f"params '{path}'", ModelError) as file:
            return _digest(*of_blocks(file, _sha256))
    if isinstance(params, bytes):
        return _digest(params)
    return [[str(name), _of_tensors(value)] for name, value in params.items()]


def _of_tensors(value: Any) -> list[Any]:
    """Return digests of an array, a tensor, or a list of them."""
    if isinstance(value, list | tuple):
        return list(map(_of_tensors, value))
    array = np.asarray(value) if isinstance(value, np.ndarray | np.generic | int | float) else value.numpy()
    return [str(array.dtype), array.shape, _digest(array.tobytes())]


def _plain(value: Any) -> Any:
    """Return what JSON does not know, in an order that is the same in every process."""
    return sorted(value) if isinstance(value, frozenset) else int(value)


def _sha256(part: Any) -> bytes:
    return hashlib.sha256(part).digest()


def _digest(*parts: Any) -> str:
    found = hashlib.sha256()
    for part in parts:
        found.update(part)
    return found.hexdigest()


@functools.cache
def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


@functools.cache
def _own_files() -> str:
    """A digest of this package as it is installed: who develops it must get no code of yesterday's."""
    root = Path(__file__).parents[2]
    found = hashlib.sha256()
    for folder in OWN:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".py", ".json", ".lark"):
                found.update(f"{path.relative_to(root)}\0{path.stat().st_size}\0".encode())
                found.update(path.read_bytes())
    return found.hexdigest()
