"""verify: whether a kernel's code computes what its name says, proven; and the proofs that were made before.

A proof is one of text: it is known by a digest of the kernel's code, and of the sources of all that proofs
are made with, under which the cache on disk keeps it.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import intrinsics
from intrinsics import verification
from intrinsics.verification import PROVEN, Verification

from .cache import Files
from .errors import InputError, VerificationError
from .plans.routine_proof import ROUTINES, prove_routine

__all__ = ["Verification", "prove", "verify"]

ROOMS = ("problem", "algorithms", "plans")
"""Proofs of layers depend on the sources in these folders, too."""
DEFINED = re.compile(r"define [\w ]*@([\w.\-]+)\(")


def verify(name: str, code: str | None = None, *, machine_code: bool = False) -> Verification:
    """Prove that a kernel's code computes what its name says, and nothing else.

    Args:
        name: The name of a micro-kernel or of a packing routine, such as those of ``model.report()`` and of
            the golden files.
        code: LLVM IR, or lines of assembly that use the registers that the kernel's own code uses. By
            default, the code that is emitted for the name.
        machine_code: Whether the bytes that LLVM makes of the emitted code are disassembled and compared with
            it, too. Needs capstone (the extra "verify").

    Returns:
        The outcome, which is true where the kernel is proven. Else ``outcome`` says whether it is refuted,
        and ``reason`` and ``details`` where (the line and the instruction, the element, the expected and the
        found term), or that its family is not covered.

    Raises:
        InputError: The name is not a kernel's, there is no such kernel, or the machine code is asked for of
            code that is given.

    Examples:
        >>> import tvm_directconv as directconv
        >>> name = "f32_f32_f32_2x8_row_avx2__n8_a16.64_b8.128_c8_bias_s0.2.0.0.16"
        >>> bool(directconv.verify(name))
        True
    """
    if not isinstance(name, str) or not isinstance(code, str | None):
        raise InputError(f"a kernel's name and its code are texts, not {name!r} and {type(code).__name__}")
    if machine_code and code is not None:
        raise InputError("machine_code= is of the code that is emitted: give no code=")
    if machine_code and name.startswith(ROUTINES):
        raise InputError(f"machine_code= is of micro-kernels, and '{name}' is another routine")
    try:
        if name.startswith(ROUTINES):
            return prove_routine(name, code)
        return verification.verify(name, code, machine_code)
    except (ValueError, AssertionError) as error:
        raise InputError(str(error) or f"'{name}' is not the name of a kernel that there is") from error


def prove(
    codes: Iterable[str],
    kept: Files | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> tuple[Verification, ...]:
    """Prove the kernels that LLVM IR defines, each once, those first whose names come first.

    Args:
        codes: LLVM IR of one routine each.
        kept: Files of proofs made before, to which new ones are added.
        on_progress: A function that is told how many are done, and of how many.

    Raises:
        VerificationError: A kernel is refuted.
    """
    named = {name: code for code in codes for name in DEFINED.findall(code)[:1]}
    results = []
    for name, code in sorted(named.items()):
        results.append(proven_once(name, code, kept, functools.partial(_proof_of, name, code)))
        if on_progress is not None:
            on_progress(len(results), len(named))
    raise_refuted(results)
    return tuple(results)


def proven_once(
    name: str, content: str, kept: Files | None, proof: Callable[[], Verification]
) -> Verification:
    """Return the outcome of a proof, which is not made anew of what was proven before.

    Args:
        name: What the outcome is of.
        content: All that the proof depends on, besides the sources of the project.
        kept: Files of proofs made before, to which a new one is added.
        proof: Makes the proof.
    """
    key = hashlib.sha256("\0".join([_sources(), name, content]).encode()).hexdigest()
    if kept is not None and kept.get(key) is not None:
        return Verification(name, PROVEN)
    result = proof()
    if result and kept is not None:
        kept.put(key, PROVEN.encode())
    return result


def _proof_of(name: str, code: str) -> Verification:
    """Return the outcome of code that was emitted; micro-kernels and packing routines are covered."""
    try:
        if name.startswith(ROUTINES):
            return prove_routine(name, code)
        known = verification.verify(name)
        return verification.verify(name, code) if known else known
    except ValueError:
        return Verification(name, verification.NOT_COVERED, "it is not a micro-kernel")


def raise_refuted(results: Sequence[Verification]) -> None:
    """Raise VerificationError where one of some outcomes is a refutation."""
    refuted = [result for result in results if result.outcome == verification.REFUTED]
    if refuted:
        raise VerificationError(
            f"{len(refuted)} of {len(results)} proofs are refuted; the first is {refuted[0]}", results
        )


@functools.cache
def _sources() -> str:
    """A digest of all that a proof depends on beside the code: the sources of kernels, layers and proofs."""
    digest = hashlib.sha256()
    folders = [Path(intrinsics.__file__).parent, *(Path(__file__).parent / room for room in ROOMS)]
    for path in (path for folder in folders for path in sorted(folder.rglob("*.py"))):
        digest.update(path.read_bytes())
    return digest.hexdigest()
