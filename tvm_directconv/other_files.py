"""Whether an ONNX model keeps values in other files, as its bytes say, without a library that reads them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import BinaryIO

EXTERNAL = b"location"
"""A model with data in other files has this word in it."""
VARINT, LENGTH = 0, 2
LONGEST_NUMBER = 10
"""Protobuf's numbers have so many bytes at most."""
MOST_FIELDS = 1 << 17
"""A model of more fields is looked at whole, which is faster than one by one."""
FIXED = {1: 8, 5: 4}
"""How protobuf's fields are long, by its numbers, and the bytes of those that say no length."""
GRAPH, INITIALIZER, RAW_DATA = 7, 5, 9
"""Fields of ONNX's ModelProto, GraphProto and TensorProto, by their numbers."""
VALUES = (GRAPH, INITIALIZER, RAW_DATA)
"""The way from a model to the values of its own tensors."""


def names_other_files(file: BinaryIO) -> bool:
    """Whether an ONNX model may keep values in other files; what is none may, too. Looks past all that it
    keeps itself."""
    end = file.seek(0, os.SEEK_END)
    at = 0
    try:
        for start, stop in [*_spans(file, 0, end, VALUES, iter(range(MOST_FIELDS))), (end, end)]:
            file.seek(at)
            if EXTERNAL in file.read(start - at):
                return True
            at = stop
    except (IndexError, ValueError):
        return True
    return False


def _spans(
    file: BinaryIO, start: int, end: int, way: Sequence[int], fields: Iterator[int]
) -> Iterator[tuple[int, int]]:
    """Yield start and end of the fields that a ``way`` of field numbers leads to in a message of a file.

    Raises ValueError if there are more fields than ``fields`` has items.
    """
    while start < end:
        if next(fields, None) is None:
            raise ValueError("too many fields")
        file.seek(start)
        tag = _varint(file)
        kind = tag & 7
        if kind in FIXED:
            start = file.tell() + FIXED[kind]
        elif kind == VARINT:
            _varint(file)
            start = file.tell()
        elif kind == LENGTH:
            size = _varint(file)
            first, start = file.tell(), file.tell() + size
            if tag >> 3 == way[0] and start <= end:
                yield from _spans(file, first, start, way[1:], fields) if way[1:] else [(first, start)]
        else:
            raise ValueError("no protobuf message")


def _varint(file: BinaryIO) -> int:
    value = 0
    for shift in range(0, 7 * LONGEST_NUMBER, 7):
        byte = file.read(1)[0]
        value |= (byte & 127) << shift
        if byte < 128:
            return value
    raise ValueError("no protobuf message")
