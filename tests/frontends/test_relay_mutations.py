"""Relay models with random damage: every one is read or refused in one line, and nothing crashes or hangs."""

from __future__ import annotations

import random
import re
import struct

import numpy as np
import pytest
from graph_support import draw
from relay_printer import write_tensor
from relay_support import sample_params, sample_text

from relay_strategies.frontends.parameters import read_params
from tvm_directconv import from_relay
from tvm_directconv.errors import ModelError

PLACE = re.compile(r"line \d+, column \d+")
FRAGMENTS = (
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ";",
    "=",
    "%0",
    "%7",
    ".0",
    "1",
    "-1",
    "0f",
    '"',
    "/*",
    "*/",
    "#[",
)
MUTATIONS = {"mlp": 600, "squeezenet": 100}
"""So many broken texts; the larger sample takes longest to be imported where it is right after all."""


def mutated(text: str, rng: random.Random) -> str:
    for _ in range(rng.randint(1, 3)):
        start = rng.randrange(len(text))
        end = min(len(text), start + rng.randint(1, rng.choice([2, 8, 60])))
        piece = text[start:end]
        other = rng.randrange(len(text))
        text = rng.choice(
            [
                text[:start] + text[end:],
                text[:start] + piece + text[start:],
                text[:start] + rng.choice(FRAGMENTS) + text[end:],
                text[:start] + rng.choice(FRAGMENTS) + text[start:],
                text[:other] + piece + text[other:],
                text[:start]
                + chr(rng.choice([rng.randrange(32, 127), rng.randrange(1, 0x2FF)]))
                + text[start + 1 :],
                re.sub(r"\d+", lambda found: str(rng.choice([0, 1, 3, 2**31, found.group()])), piece).join(
                    (text[:start], text[end:])
                ),
            ]
        )
    return text


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTATIONS)
def test_mutated_samples_are_read_or_refused(name: str) -> None:
    """Success, or one line that says where."""
    rng, text, params = random.Random(name), sample_text(name), sample_params(name)
    refused = 0
    for number in range(MUTATIONS[name]):
        broken = mutated(text, rng)
        try:
            from_relay(broken if broken.strip() else "\n", params)
        except ModelError as error:
            refused += 1
            assert "\n" not in str(error), number
            assert PLACE.search(str(error)), (number, str(error))
    assert refused > MUTATIONS[name] // 2


def test_random_bytes_in_params_files() -> None:
    arrays = {"a": draw(2, 3), "b": np.arange(5, dtype=np.int8)}
    names = b"".join(struct.pack("<Q", len(name)) + name.encode() for name in arrays)
    data = struct.pack("<QQQ", 0xF7E58D4F05049CB7, 0, 2) + names + struct.pack("<Q", 2)
    data += b"".join(map(write_tensor, arrays.values()))
    assert {name: a.tolist() for name, a in read_params(data, "the file").items()} == {
        name: a.tolist() for name, a in arrays.items()
    }
    rng = random.Random(0)
    for _ in range(2000):
        broken = bytearray(data)
        for _ in range(rng.randint(1, 3)):
            broken[rng.randrange(len(broken))] = rng.choice([0, 1, 127, 255, rng.randrange(256)])
        try:
            read_params(bytes(broken[: rng.choice([len(broken), rng.randrange(len(broken))])]), "the file")
        except ModelError as error:
            assert "\n" not in str(error)
