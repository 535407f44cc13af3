"""Proofs of the kernels that a compilation emits: ``compile(verify=True)``."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import tvm
from tvm import tirx
from tvm_ffi import structural_walk

from tvm_directconv import cache
from tvm_directconv.verification import Verification, prove

IMPORTED = "pragma_import_llvm"


def prove_kernels(
    modules: list[tvm.IRModule], keep: bool, on_phase: Callable[[str], None] | None
) -> tuple[Verification, ...]:
    """Prove all micro-kernels of lowered modules; ``keep`` uses proofs of the user's cache, and adds to them.
    Raises VerificationError where one is refuted."""
    folder = cache.user_cache() if keep and cache.is_on() else None

    def said(done: int, total: int) -> None:
        if on_phase is not None:
            on_phase(f"proving kernels, {done} of {total}")

    return prove(
        (code for module in modules for code in _imported(module)), folder.kernels if folder else None, said
    )


def _imported(module: tvm.IRModule) -> Iterator[str]:
    """The LLVM IR that a module's kernels import."""
    for _, function in module.functions_items():
        if isinstance(function, tirx.PrimFunc):
            statements: list[tirx.AttrStmt] = []
            structural_walk(function.body, (tirx.AttrStmt, statements.append))
            yield from (str(each.value.value) for each in statements if each.attr_key == IMPORTED)
