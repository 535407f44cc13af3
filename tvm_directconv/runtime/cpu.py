"""What this CPU lacks of what a library's code may use, asked without TVM: on x86 by the library itself
(``cpu_check.ll``), elsewhere by what Linux tells every process.

Sources: the kernel's arch/arm64/include/uapi/asm/hwcap.h and arch/powerpc/include/uapi/asm/cputable.h.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

HWCAP, HWCAP2 = 16, 26
"""The entries of the auxiliary vector that hold the CPU's features."""
BITS = {
    "aarch64": {
        "crc": (HWCAP, 7), "lse": (HWCAP, 8), "fullfp16": (HWCAP, 10), "rdm": (HWCAP, 12),
        "dotprod": (HWCAP, 20),
        "sve": (HWCAP, 22), "fp16fml": (HWCAP, 23), "sve2": (HWCAP2, 1), "i8mm": (HWCAP2, 13),
        "bf16": (HWCAP2, 14), "sme": (HWCAP2, 23),
    },
    "powerpc64": {
        "altivec": (HWCAP, 28), "vsx": (HWCAP, 7), "power8-vector": (HWCAP2, 31),
        "power9-vector": (HWCAP2, 23),
        "power10-vector": (HWCAP2, 18), "mma": (HWCAP2, 17),
    },
}  # fmt: skip
"""Features, by LLVM's names for architectures and them: the entry, and the bit in it."""


def missing_features(library: Any, arch: str, used: Iterable[str]) -> frozenset[str]:
    """Return which of the features ``used`` this CPU, of an architecture, does not have."""
    library.directconv_missing.restype = ctypes.c_char_p
    library.directconv_missing.argtypes = [ctypes.c_int32]
    missing: list[str] = []
    while name := library.directconv_missing(len(missing)):
        missing.append(name.decode())
    bits = BITS.get(arch, {})
    asked = getattr(ctypes.CDLL(None), "getauxval", None) if bits else None
    if asked is not None:
        asked.restype, asked.argtypes = ctypes.c_ulong, [ctypes.c_ulong]
        missing += [each for each in used if each in bits and not asked(bits[each][0]) >> bits[each][1] & 1]
    return frozenset(missing)
