"""The state that AMX's tiles need: Linux is asked once, and a thread's tiles are all of 16 rows of 64 bytes.

The system gives tiles to processes that ask for them, which an exported library does by itself when it first
comes to a kernel of tiles; where it refuses, loading the configuration ends the process by a signal, as on a
CPU without tiles. Code for "native" has tiles only where they were tried. Palette 1 is architectural and not
read from CPUID, which hypervisors hide. One shape for all tiles serves every kernel, so that a thread loads
it once, however many it runs.
"""

from __future__ import annotations

from intrinsics.emit.asm import AsmBody, ThreadSetup

TILES, ROWS, ROW_BYTES = 8, 16, 64
ARCH_PRCTL, REQUEST_PERMISSION, TILE_DATA = 158, 0x1023, 18
"""Linux' numbers: the system call, what it is to do, and the state that is asked for."""
CLOBBERED = tuple(f"tmm{tile}" for tile in range(TILES))


def _asm(clobbers: tuple[str, ...], *lines: str) -> str:
    written = ",".join(f"~{{{name}}}" for name in (*clobbers, "memory", "dirflag", "fpsr", "flags"))
    return f'call void asm sideeffect "{AsmBody(list(lines)).text()}", "{written}"()'


AMX_STATE = ThreadSetup(
    name="amx",
    enter=(
        "%asked = load atomic i32, ptr @directconv_asked_for_tiles monotonic, align 4",
        "%first = icmp eq i32 %asked, 0",
        "br i1 %first, label %ask, label %configure",
        "ask:",
        _asm(
            ("rax", "rcx", "rdi", "rsi", "r11"),
            f"mov ${ARCH_PRCTL}, %eax",
            f"mov ${REQUEST_PERMISSION}, %edi",
            f"mov ${TILE_DATA}, %esi",
            "syscall",
        ),
        "store atomic i32 1, ptr @directconv_asked_for_tiles monotonic, align 4",
        "br label %configure",
        "configure:",
        _asm(
            CLOBBERED,
            "jmp 8f",
            ".p2align 6",
            "7:",
            ".fill 1, 4, 1",
            ".fill 3, 4, 0",
            f".fill {TILES}, 2, {ROW_BYTES}",
            ".fill 4, 4, 0",
            f".fill {TILES}, 1, {ROWS}",
            ".fill 2, 4, 0",
            "8:",
            "ldtilecfg 7b(%rip)",
        ),
    ),
    leave=(_asm(CLOBBERED, "tilerelease"),),
    declarations=("@directconv_asked_for_tiles = linkonce_odr hidden global i32 0",),
)
