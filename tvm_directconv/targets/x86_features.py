"""The bits by which an x86 CPU says which of LLVM's features it has: exported code asks for them itself.

Beside llvm.py, which asks in a process that has TVM. Sources: Intel's Architecture Instruction Set Extensions
Programming Reference and AMD's Architecture Programmer's Manual, volume 3, appendix E.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

EAX, EBX, ECX, EDX = range(4)
EXTENDED = 0x80000000
OS_SAVES = 27
"""The bit of the third register of leaf 1 that says whether XCR0 can be read."""
AVX_STATE, AVX512_STATE, TILE_STATE, APX_STATE = 0x6, 0xE6, 0x60000, 0x80000
"""Registers that the operating system has to save, as bits of XCR0."""
STATES = (
    ("avx512", AVX512_STATE),
    ("amx", TILE_STATE),
    ("avx", AVX_STATE),
)
OTHER_STATES = {
    **dict.fromkeys(("fma", "f16c", "fma4", "xop", "vaes", "vpclmulqdq", "sm3", "sm4", "sha512"), AVX_STATE),
    **dict.fromkeys(("egpr", "push2pop2", "ppx", "ndd", "ccmp", "nf", "cf", "zu"), APX_STATE),
}
BITS: dict[tuple[int, int, int], dict[str, int]] = {
    (1, 0, ECX): {
        "sse3": 0, "pclmul": 1, "ssse3": 9, "fma": 12, "cx16": 13, "sse4.1": 19, "sse4.2": 20, "crc32": 20,
        "movbe": 22, "popcnt": 23, "aes": 25, "xsave": 26, "avx": 28, "f16c": 29,
    },
    (1, 0, EDX): {"cx8": 8, "cmov": 15, "mmx": 23, "fxsr": 24, "sse": 25, "sse2": 26},
    (7, 0, EBX): {
        "bmi": 3, "avx2": 5, "bmi2": 8, "avx512f": 16, "avx512dq": 17, "adx": 19, "avx512ifma": 21,
        "avx512cd": 28, "sha": 29, "avx512bw": 30, "avx512vl": 31,
    },
    (7, 0, ECX): {
        "avx512vbmi": 1, "avx512vbmi2": 6, "gfni": 8, "vaes": 9, "vpclmulqdq": 10, "avx512vnni": 11,
        "avx512bitalg": 12, "avx512vpopcntdq": 14,
    },
    (7, 0, EDX): {
        "avx512vp2intersect": 8, "amx-bf16": 22, "avx512fp16": 23, "amx-tile": 24, "amx-int8": 25,
    },
    (7, 1, EAX): {
        "sha512": 0, "sm3": 1, "sm4": 2, "raoint": 3, "avxvnni": 4, "avx512bf16": 5, "cmpccxadd": 7,
        "amx-fp16": 21, "avxifma": 23, "movrs": 31,
    },
    (7, 1, EDX): {
        "avxvnniint8": 4, "avxneconvert": 5, "amx-complex": 8, "avxvnniint16": 10, "avx10.1": 19,
        **dict.fromkeys(("egpr", "push2pop2", "ppx", "ndd", "ccmp", "nf", "cf", "zu"), 21),
    },
    (0xD, 1, EAX): {"xsaveopt": 0},
    (0x1E, 1, EAX): {"amx-fp8": 4, "amx-tf32": 6, "amx-avx512": 7, "amx-movrs": 8},
    (EXTENDED + 1, 0, ECX): {
        "sahf": 0, "lzcnt": 5, "sse4a": 6, "prfchw": 8, "xop": 11, "fma4": 16, "tbm": 21,
    },
    (EXTENDED + 1, 0, EDX): {"64bit": 29},
}  # fmt: skip
"""The bits of each feature, by LLVM's name, in the answers of CPUID: by leaf, subleaf and register."""


class Question(NamedTuple):
    """A bit of CPUID's answer, and the bits of XCR0 that also have to be set."""

    feature: str
    leaf: int
    subleaf: int
    register: int
    bit: int
    state: int


def questions(features: Iterable[str]) -> list[Question]:
    """Return what is asked for these features, by place; those that no bit stands for are left out."""
    wanted = set(features)
    return [
        Question(feature, *place, bit, _state(feature))
        for place, bits in BITS.items()
        for feature, bit in bits.items()
        if feature in wanted
    ]


def _state(feature: str) -> int:
    by_name = (state for beginning, state in STATES if feature.startswith(beginning))
    return OTHER_STATES.get(feature, next(by_name, 0))
