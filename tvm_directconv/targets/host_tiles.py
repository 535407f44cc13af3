"""Whether this host's tiles work, found by multiplying some in a process of its own.

Below llvm.py. A CPU may say that it has AMX where Linux gives processes no tiles, or where a hypervisor does
not keep them: what comes to a tile instruction there ends by a signal, or computes nonsense.
"""

from __future__ import annotations

import functools
import subprocess
import sys

PROGRAM = """
import ctypes, mmap
REQUEST = 158, 0x1023, 18  # arch_prctl, ARCH_REQ_XCOMP_PERM, the state of tile data
assert ctypes.CDLL(None).syscall(*REQUEST) == 0
code = bytes.fromhex(
    "c4e2784907"    # ldtilecfg (%rdi)
    "c4e27b49c0"    # tilezero %tmm0
    "b840000000"    # mov $64, %eax
    "c4e27b4b0c06"  # tileloadd (%rsi,%rax,1), %tmm1
    "c4e27b4b1402"  # tileloadd (%rdx,%rax,1), %tmm2
    "c4e2695ec1"    # tdpbusd %tmm2, %tmm1, %tmm0
    "c4e27a4b0401"  # tilestored %tmm0, (%rcx,%rax,1)
    "c4e27849c0"    # tilerelease
    "c3"            # ret
)
memory = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
memory.write(code)
call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))
shapes = bytes([1, *[0] * 15, *[64, 0] * 3, *[0] * 26, *[16] * 3, *[0] * 13])
sums = (ctypes.c_int32 * 256)()
call(shapes, bytes(range(64)) * 16, b"\\x02" * 1024, sums)
assert set(sums) == {2 * sum(range(64))}
"""
"""Every row of A is 0 to 63, all of B twos; tiles are of 16 rows of 64 bytes."""
SECONDS = 60


@functools.cache
def tiles_work() -> bool:
    """Say whether a product of tiles of bytes is right on this host."""
    try:
        done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return not done.returncode
