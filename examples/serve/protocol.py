"""The open inference protocol, version 2 (KServe, Triton's HTTP), as far as tensors of numbers need it.

A request is JSON; with the header Inference-Header-Content-Length, that many bytes of JSON, and behind them
the bytes of the tensors that say ``binary_data_size``. Answers are of the same form.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

HEADER = "inference-header-content-length"
NAMES = {
    "bool": "BOOL",
    **{f"uint{bits}": f"UINT{bits}" for bits in (8, 16, 32, 64)},
    **{f"int{bits}": f"INT{bits}" for bits in (8, 16, 32, 64)},
    **{f"float{bits}": f"FP{bits}" for bits in (16, 32, 64)},
    "bfloat16": "BF16",
}
"""The protocol's names of dtypes."""
LONGEST_WORDS = 100
"""Characters of what a client sent that an answer repeats."""


class Refused(Exception):
    """A request that the protocol does not allow, or the model does not take."""


@dataclass(frozen=True)
class Asked:
    """A request: arrays by name, which outputs are wanted, and which of these as bytes."""

    inputs: dict[str, np.ndarray]
    outputs: dict[str, bool]
    id: str | None


def words(value: object) -> str:
    """Return a value that a client sent as few printable characters."""
    return ascii(value)[:LONGEST_WORDS]


def metadata(name: str, inputs: Sequence[Any], outputs: Sequence[Any]) -> dict[str, Any]:
    """Return what the protocol tells of a model; open dimensions are -1."""

    def tensors(infos: Sequence[Any]) -> list[dict[str, Any]]:
        return [
            {"name": info.name, "datatype": NAMES[str(info.dtype)], "shape": [fixed(n) for n in info.shape]}
            for info in infos
        ]

    return {
        "name": name, "versions": ["1"], "platform": "directconv", "inputs": tensors(inputs),
        "outputs": tensors(outputs),
    }  # fmt: skip


def fixed(size: object) -> int:
    """Return a dimension, -1 if it is open."""
    return size if isinstance(size, int) else -1


def read(body: bytes, header: str | None, outputs: Sequence[str]) -> Asked:
    """Return the request in a body, of a model with these outputs.

    ``header`` is the value of Inference-Header-Content-Length. Raises Refused, which says what is wrong.
    """
    if header is not None and not (header.isascii() and header.isdigit() and int(header) <= len(body)):
        raise Refused(f"{HEADER}: {words(header)} is not a number of bytes of the body")
    length = len(body) if header is None else int(header)
    try:
        request = json.loads(body[:length])
    except (ValueError, RecursionError):
        raise Refused("the request is not JSON") from None
    if not isinstance(request, dict):
        raise Refused("the request is not a JSON object")
    arrays, rest = {}, memoryview(body)[length:]
    for described in _objects(request, "inputs"):
        name = described["name"]
        if name in arrays:
            raise Refused(f"input {words(name)} is given twice")
        arrays[name], rest = _array(described, rest)
    if rest:
        raise Refused(f"{len(rest)} bytes follow the last input")
    every = _parameters(request).get("binary_data_output") is True
    wanted = {each["name"]: _parameters(each).get("binary_data", every) is True
              for each in _objects(request, "outputs")}  # fmt: skip
    unknown = [name for name in wanted if name not in outputs]
    if unknown:
        raise Refused(f"the model does not have an output {words(unknown[0])}; it has {', '.join(outputs)}")
    identifier = request.get("id")
    return Asked(
        arrays, wanted or dict.fromkeys(outputs, every), None if identifier is None else str(identifier)
    )


def written(name: str, asked: Asked, results: Mapping[str, np.ndarray]) -> tuple[bytes, dict[str, str]]:
    """Return an answer's body and headers."""
    described, parts = [], []
    for output, binary in asked.outputs.items():
        array = results[output]
        entry: dict[str, Any] = {
            "name": output, "datatype": NAMES[str(array.dtype)], "shape": list(array.shape)
        }  # fmt: skip
        if binary:
            parts.append(array.tobytes())
            entry["parameters"] = {"binary_data_size": len(parts[-1])}
        else:
            plain = array.astype(np.float32) if array.dtype == ml_dtypes.bfloat16 else array
            entry["data"] = plain.ravel().tolist()
        described.append(entry)
    answer: dict[str, Any] = {"model_name": name, "model_version": "1", "outputs": described}
    if asked.id is not None:
        answer["id"] = asked.id
    text = json.dumps(answer).encode()
    if not parts:
        return text, {"content-type": "application/json"}
    return b"".join([text, *parts]), {"content-type": "application/octet-stream", HEADER: str(len(text))}


def _objects(request: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the objects with names in a request's list; none where it is absent."""
    found = request.get(key, [])
    if not isinstance(found, list) or not all(
        isinstance(each, dict) and isinstance(each.get("name"), str) for each in found
    ):
        raise Refused(f"'{key}' is not a list of objects with a name")
    return found


def _parameters(described: Mapping[str, Any]) -> Mapping[str, Any]:
    parameters = described.get("parameters", {})
    if not isinstance(parameters, dict):
        raise Refused("'parameters' is not an object")
    return parameters


def _array(described: Mapping[str, Any], rest: memoryview) -> tuple[np.ndarray, memoryview]:
    """Return an input's array, and the bytes behind those that it takes."""
    name, shape = words(described["name"]), described.get("shape")
    found = [dtype for dtype, known in NAMES.items() if known == described.get("datatype")]
    if not found:
        raise Refused(f"input {name}: datatype {words(described.get('datatype'))} is not supported")
    if not isinstance(shape, list) or not all(type(size) is int and size >= 0 for size in shape):
        raise Refused(f"input {name}: shape {words(shape)} is not a list of sizes")
    dtype, count = np.dtype(found[0]), math.prod(shape)
    size = _parameters(described).get("binary_data_size")
    if size is None:
        array = _converted(name, described.get("data"), dtype, count)
    elif size != count * dtype.itemsize or type(size) is not int or size > len(rest):
        raise Refused(
            f"input {name}: {words(size)} bytes of {len(rest)} are not {dtype}{words(shape)}, "
            f"{words(count * dtype.itemsize)} bytes"
        )
    else:
        array, rest = np.frombuffer(rest[:size], dtype), rest[size:]
    try:
        return array.reshape(shape), rest
    except ValueError:  # one size is 0, another larger than any
        raise Refused(f"input {name}: shape {words(shape)} is too large") from None


def _converted(name: str, data: object, dtype: np.dtype, count: int) -> np.ndarray:
    """Return JSON's numbers, flat or nested in lists, as so many of a dtype. Raises Refused for others."""
    if data == []:
        data = np.empty(0, dtype)
    try:
        array = np.asarray(data)
    except (ValueError, OverflowError):
        raise Refused(f"input {name}: its lists are not of the same length") from None
    kinds = {"b": "b", "i": "iu", "u": "iu"}.get(dtype.kind, "iuf")
    if array.dtype.kind not in kinds:
        raise Refused(f"input {name}: its data are not numbers of {dtype}")
    if array.size != count:
        raise Refused(f"input {name}: {array.size} numbers, where its shape has {words(count)}")
    if dtype.kind in "iu" and array.size:
        bounds = np.iinfo(dtype)
        if int(array.min()) < bounds.min or int(array.max()) > bounds.max:
            raise Refused(f"input {name}: a number is outside of {dtype}")
    return array.astype(dtype, copy=False)
