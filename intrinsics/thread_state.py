"""Kernels that need a state of their thread (``Isa.thread_setup``) called in it: entered and left once by
each task of a parallel loop, not by each kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tvm import tirx
from tvm_ffi import structural_map

from .emit.asm import ThreadSetup
from .isa import ISAS
from .microkernel import KernelInstance
from .registry import PACKINGS

LAUNCH = "pragma_parallel_launch_point"
"""What stands in a statement of this attribute is done by every task of the parallel loop in it."""


def setups_of(kernels: Iterable[str]) -> list[ThreadSetup]:
    """The states that these routines need, each once; packing routines need none."""
    names = (name for name in kernels if not name.startswith((*PACKINGS, "enter__", "leave__")))
    isas = (ISAS[KernelInstance.parse(name).kernel.isa] for name in names)
    return list({isa.thread_setup.name: isa.thread_setup for isa in isas if isa.thread_setup}.values())


def in_thread_states(body: tirx.Stmt, called: Callable[[tirx.Stmt], Iterable[str]]) -> tirx.Stmt:
    """The statement with the states that kernels in it need entered before and left behind them: in every
    task of the parallel loops that call any, and around all of it where others do. ``called`` says what
    routines a statement calls."""
    if not setups_of(called(body)):
        return body
    launched: list[tirx.For] = []

    def in_task(loop: tirx.For) -> tirx.Stmt:
        setups = setups_of(called(loop)) if loop.kind == tirx.ForKind.PARALLEL else []
        if not setups:
            return loop
        launched.append(loop)
        if isinstance(loop.extent, tirx.IntImm) and loop.extent.value == 1:
            # TVM drops such loops, and fails where the attribute says that there is one.
            return _between(loop, setups)
        one = tirx.IntImm("int32", 1)
        return tirx.AttrStmt(one, LAUNCH, one, _between(loop, setups))

    rewritten = structural_map(body, [(tirx.For, in_task)])
    return rewritten if launched else _between(body, setups_of(called(body)))


def _between(body: tirx.Stmt, setups: Iterable[ThreadSetup]) -> tirx.Stmt:
    for setup in setups:
        enter, leave = (
            tirx.Evaluate(tirx.call_extern("int32", name)) for name in (setup.entering, setup.leaving)
        )
        body = tirx.SeqStmt([enter, body, leave])
    return body
