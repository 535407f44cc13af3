"""Proofs of the kernels that a compilation emits, and of its layers' functions: ``compile(verify=True)``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence

import tvm
from tvm import tirx
from tvm_ffi import structural_walk

from intrinsics.verification import NOT_COVERED
from tvm_directconv import cache
from tvm_directconv.algorithms.base import Conv2dImplementation
from tvm_directconv.algorithms.chains.geometry import Chain
from tvm_directconv.cache import Files
from tvm_directconv.plans.plan_proof import prove_implementation
from tvm_directconv.verification import Verification, prove, proven_once, raise_refuted

IMPORTED = "pragma_import_llvm"


def prove_kernels(
    modules: list[tvm.IRModule], keep: bool, on_phase: Callable[[str], None] | None
) -> tuple[Verification, ...]:
    """Prove all micro-kernels of lowered modules; ``keep`` uses proofs of the user's cache, and adds to them.
    Raises VerificationError where one is refuted."""

    def said(done: int, total: int) -> None:
        if on_phase is not None:
            on_phase(f"proving kernels, {done} of {total}")

    return prove((code for module in modules for code in _imported(module)), _kept_proofs(keep), said)


def prove_layers(
    layers: Sequence[Conv2dImplementation | Chain], keep: bool, on_phase: Callable[[str], None] | None
) -> tuple[Verification, ...]:
    """Prove the functions of layers, as ``prove_kernels`` does kernels."""
    kept, results = _kept_proofs(keep), []
    for number, layer in enumerate(layers, 1):
        if on_phase is not None:
            on_phase(f"proving layers, {number} of {len(layers)}")
        if isinstance(layer, Chain):
            results.append(
                Verification(_chain_name(layer), NOT_COVERED, "one kernel computes several layers")
            )
            continue
        content = f"{layer.tile} {layer.prim_func.script()}"
        name = f"{layer.name} {layer.workload}"
        results.append(proven_once(name, content, kept, functools.partial(prove_implementation, layer)))
    raise_refuted(results)
    return tuple(results)


def _chain_name(chain: Chain) -> str:
    return " then ".join(str(part.workload) for part in chain.parts)


def _kept_proofs(keep: bool) -> Files | None:
    folder = cache.user_cache() if keep and cache.is_on() else None
    return folder.kernels if folder else None


def _imported(module: tvm.IRModule) -> Iterator[str]:
    """The LLVM IR that a module's kernels import."""
    for _, function in module.functions_items():
        if isinstance(function, tirx.PrimFunc):
            statements: list[tirx.AttrStmt] = []
            structural_walk(function.body, (tirx.AttrStmt, statements.append))
            yield from (str(each.value.value) for each in statements if each.attr_key == IMPORTED)
