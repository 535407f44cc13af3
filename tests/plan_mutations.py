"""Shows what proofs of plans catch: makes seeded faults in layers' lowered functions, and asks for a proof.

    python tests/plan_mutations.py --count 500 --seed 0

The faults are those that schedules can have: a loop with an iteration too many or too few, a wrong distance
or offset, a call left out or made twice, an operand elsewhere, a filter row too many or too few, another
kernel of the same layer, a condition turned around, memory that tasks share, statements in another order. A
fault is refuted; or it is proven, which says that the function is as good as before. What is proven is
compiled for this host and run: its output has to be that of the function before, bit for bit.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import tvm
from algorithm_support import arguments
from mutations import fault_table
from rich.console import Console
from rich.progress import Progress
from support import Compiled, operands
from tvm import ir, tirx
from tvm.s_tir import SBlock, SBlockRealize
from tvm_ffi import structural_map, structural_walk

from tvm_directconv.algorithms import ALGORITHMS
from tvm_directconv.algorithms.base import KernelPlan
from tvm_directconv.plans.plan_proof import prove_plan
from tvm_directconv.problem.workload import Conv2dWorkload, Epilogue
from tvm_directconv.targets.target import CompileTarget, resolve_target

FULL = Epilogue(bias=True, residual=True, low=0.0)
LAYERS = (
    Conv2dWorkload(1, 10, 11, 5, 20, (3, 3), padding=(1, 1, 1, 1), epilogue=FULL),
    Conv2dWorkload(2, 9, 12, 16, 24, (3, 3), (2, 2), (1, 0, 1, 1), epilogue=FULL),
    Conv2dWorkload(1, 9, 9, 8, 8, (3, 3), padding=(1, 1, 1, 1), groups=8, epilogue=FULL),
    Conv2dWorkload(2, 7, 7, 12, 40, (1, 1), epilogue=FULL),
    Conv2dWorkload(1, 9, 8, 8, 12, (5, 3), (1, 2), (2, 1, 2, 1), (2, 1), 2, epilogue=FULL),
)
LAYOUTS = ("NHWC", "NCHW", "NCHW8c")
SLOW = ("winograd_nhwc_6x6",)
"""Algorithms whose routines take LLVM long."""


@dataclass(frozen=True)
class Layer:
    """A layer's plan, and its function lowered to calls."""

    plan: KernelPlan[Any]
    func: tirx.PrimFunc


@dataclass(frozen=True)
class PlanFault:
    """A layer's function with one fault: its kind, and what was changed."""

    layer: Layer
    kind: str
    change: str
    func: tirx.PrimFunc


@cache
def layers(target: CompileTarget) -> tuple[Layer, ...]:
    """All algorithms on all layers that they take."""
    found = []
    for name, algorithm in ALGORITHMS.items():
        for workload in (w.in_layouts(layout) for w in LAYERS for layout in LAYOUTS):
            if name not in SLOW and algorithm.takes(workload):
                plan = algorithm.plan(workload, target)
                found.append(Layer(plan, plan.schedule(plan.compute())))
    return tuple(found)


def _changed(
    func: tirx.PrimFunc, kinds: Any, rng: random.Random, change: Callable[[Any], Any]
) -> tuple[str, tirx.PrimFunc] | None:
    """Change one drawn node of some kinds, for which ``change`` gives another or None."""
    count = 0

    def number(node: Any) -> None:
        nonlocal count
        count += change(node) is not None

    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    structural_walk(func.body, (kinds, number))
    if not count:
        return None
    chosen, seen, said = rng.randrange(count), 0, ""

    def at(node: Any) -> Any:
        nonlocal seen, said
        new = change(node)
        if new is None:
            return node
        seen += 1
        if seen - 1 != chosen:
            return node
        said = f"{_text(node)} -> {_text(new)}"
        return new

    body = structural_map(func.body, [(kind, at) for kind in kinds])
    return said, func.with_body(body)


def _text(node: Any) -> str:
    return " ".join(str(node).split())[:150]


def _is_call(node: Any) -> bool:
    """Whether a statement calls a routine."""
    call = node.value if isinstance(node, tirx.Evaluate) else None
    return isinstance(call, ir.Call) and call.op.name.endswith("call_extern")


def _call(node: Any, arguments: list[Any]) -> Any:
    return tirx.Evaluate(_of_operands(node.value, arguments))


def _of_operands(call: ir.Call, arguments: list[Any]) -> ir.Call:
    return ir.Call(call.op, arguments, call.attrs, call.ty_args, None, call.ty)


def extent(func: tirx.PrimFunc, rng: random.Random) -> Any:
    """A loop with an iteration too many or too few."""
    by = rng.choice([-1, 1])

    def change(loop: Any) -> Any:
        return tirx.For(
            loop.loop_var, loop.min, loop.extent + by, loop.kind, loop.body, None, loop.annotations
        )

    return _changed(func, tirx.For, rng, change)


def factor(func: tirx.PrimFunc, rng: random.Random) -> Any:
    """A distance, or another factor, that is one off."""
    by = rng.choice([-1, 1])

    def change(node: Any) -> Any:
        return node.a * (node.b + by) if isinstance(node.b, tirx.IntImm) else None

    return _changed(func, tirx.Mul, rng, change)


def summand(func: tirx.PrimFunc, rng: random.Random) -> Any:
    """A number that is added, one off."""
    by = rng.choice([-1, 1])

    def change(node: Any) -> Any:
        return type(node)(node.a, node.b + by) if isinstance(node.b, tirx.IntImm) else None

    return _changed(func, (tirx.Add, tirx.Sub), rng, change)


def divisor(func: tirx.PrimFunc, rng: random.Random) -> Any:
    """A divisor that is one off."""
    by = rng.choice([-1, 1])

    def change(node: Any) -> Any:
        wanted = isinstance(node.b, tirx.IntImm) and int(node.b) + by > 0
        return type(node)(node.a, node.b + by) if wanted else None

    return _changed(func, (tirx.FloorDiv, tirx.FloorMod), rng, change)


def bound(func: tirx.PrimFunc, rng: random.Random) -> Any:
    """A number that something is compared with, one off, or a smallest or largest one."""
    by = rng.choice([-1, 1])

    def change(node: Any) -> Any:
        return type(node)(node.a, node.b + by)

    kinds = (tirx.LT, tirx.LE, tirx.GT, tirx.GE, tirx.EQ, tirx.Min, tirx.Max)
    return _changed(func, kinds, rng, change)


def condition(func: tirx.PrimFunc, rng: random.Random) -> Any:
    """A condition turned around."""
    opposite = {tirx.LT: tirx.GE, tirx.GE: tirx.LT, tirx.LE: tirx.GT, tirx.GT: tirx.LE, tirx.EQ: tirx.NE}
    return _changed(func, tuple(opposite), rng, lambda node: opposite[type(node)](node.a, node.b))


def missing(func: tirx.PrimFunc, rng: random.Random) -> Any:
    """A call left out."""
    nothing = tirx.Evaluate(tirx.IntImm("int32", 0))
    return _changed(func, tirx.Evaluate, rng, lambda node: nothing if _is_call(node) else None)


def repeated(func: tirx.PrimFunc, rng: random.Random) -> Any:
    """A call made twice."""
    return _changed(
        func, tirx.Evaluate, rng, lambda node: tirx.SeqStmt([node, node]) if _is_call(node) else None
    )


def place(func: tirx.PrimFunc, rng: random.Random) -> Any:
    """An operand of a call that lies a few elements elsewhere."""
    by, which = rng.choice([-8, -1, 1, 4]), rng.randrange(5)

    def change(node: Any) -> Any:
        if not _is_call(node):
            return None
        given = list(node.value.args)
        pointers = [i for i, x in enumerate(given) if isinstance(x, ir.Call) and "access_ptr" in x.op.name]
        at = pointers[which % len(pointers)]
        old = given[at]
        parts = list(old.args)
        parts[2] = parts[2] + by
        given[at] = _of_operands(old, parts)
        return _call(node, given)

    return _changed(func, tirx.Evaluate, rng, change)


def number(func: tirx.PrimFunc, rng: random.Random) -> Any:
    """A number that a call gives, such as that of filter rows, one off."""
    by = rng.choice([-1, 1])

    def change(node: Any) -> Any:
        if not _is_call(node):
            return None
        given = list(node.value.args)
        numbers = [i for i, x in enumerate(given) if str(x.ty) == "int64"]
        if not numbers:
            return None
        given[numbers[0]] = given[numbers[0]] + tirx.IntImm("int64", by)
        return _call(node, given)

    return _changed(func, tirx.Evaluate, rng, change)


def kernel(func: tirx.PrimFunc, rng: random.Random) -> Any:
    """Another of the kernels that the function calls, of the same kind."""
    names: list[Any] = []

    def collect(node: Any) -> None:
        if _is_call(node):
            names.append(node.value.args[0])

    structural_walk(func.body, (tirx.Evaluate, collect))
    other = rng.choice(names)

    def change(node: Any) -> Any:
        if not _is_call(node) or node.value.args[0].value == other.value:
            return None
        old, new = node.value.args[0].value, other.value
        if old.partition("__")[0][:4] != new.partition("__")[0][:4]:
            return None
        return _call(node, [other, *list(node.value.args)[1:]])

    return _changed(func, tirx.Evaluate, rng, change)


def order(func: tirx.PrimFunc, rng: random.Random) -> Any:
    """Statements that follow each other, in the other order."""
    at = rng.random()

    def change(node: Any) -> Any:
        parts = list(node.seq)
        first = int(at * (len(parts) - 1))
        parts[first], parts[first + 1] = parts[first + 1], parts[first]
        return tirx.SeqStmt(parts)

    return _changed(func, tirx.SeqStmt, rng, change)


def shared(func: tirx.PrimFunc, rng: random.Random) -> Any:
    """Memory of each task that all tasks share, or a loop whose iterations are not tasks, taken for one."""
    kept: list[Any] = []

    def change(block: Any) -> Any:
        if block.name_hint != "workspace":
            return None
        kept[:] = block.alloc_buffers
        return SBlock([], [], [], block.name_hint, block.body)

    changed = _changed(func, SBlock, rng, change)
    if changed is None:
        return None
    root = SBlock([], [], [], "around", changed[1].body, None, kept, [], {})
    return f"tasks share {kept}", func.with_body(SBlockRealize([], tirx.IntImm("bool", 1), root))


def parallel(func: tirx.PrimFunc, rng: random.Random) -> Any:
    """A serial loop in parallel."""

    def change(loop: Any) -> Any:
        if loop.kind != tirx.ForKind.SERIAL:
            return None
        return tirx.For(loop.loop_var, loop.min, loop.extent, tirx.ForKind.PARALLEL, loop.body)

    return _changed(func, tirx.For, rng, change)


KINDS: dict[str, Callable[[tirx.PrimFunc, random.Random], Any]] = {
    change.__name__: change
    for change in (
        extent, factor, summand, divisor, bound, condition, missing, repeated, place, number, kernel, order,
        shared, parallel,
    )
}  # fmt: skip


def faults(target: CompileTarget, count: int, seed: int) -> Iterator[PlanFault]:
    """So many drawn faults, of all kinds in turn."""
    rng, made = random.Random(seed), 0
    while made < count:
        layer, kind = rng.choice(layers(target)), list(KINDS)[made % len(KINDS)]
        changed = KINDS[kind](layer.func, rng)
        if changed:
            made += 1
            yield PlanFault(layer, kind, *changed)


def outcome(found: PlanFault) -> str:
    """What a proof says of a fault, and of one that is proven, what it computes: "refuted", "equivalent", or
    "missed"."""
    if not prove_plan(found.layer.plan, found.func):
        return "refuted"
    return "equivalent" if np.array_equal(*_outputs(found)) else "missed"


def _outputs(found: PlanFault) -> tuple[np.ndarray, np.ndarray]:
    """The outputs of the function before and of that with the fault, on drawn operands."""
    plan = found.layer.plan
    nhwc = operands(plan.workload.in_layouts("NHWC"))
    results = []
    for func in (found.layer.func, found.func):
        tensors = [tvm.runtime.tensor(array) for array in arguments(plan, nhwc)]
        Compiled({"conv2d": func}, resolve_target("llvm -mcpu=native"))["conv2d"](*tensors)
        results.append(tensors[-1].numpy())
    return results[0], results[1]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", default="llvm -mcpu=native")
    given = parser.parse_args()
    outcomes: Counter[tuple[str, str]] = Counter()
    drawn = list(faults(resolve_target(given.target), given.count, given.seed))
    with Progress(console=Console(stderr=True)) as progress:
        for found in progress.track(drawn, description="proving"):
            result = outcome(found)
            outcomes[found.kind, result] += 1
            if result == "missed":
                print(f"missed: {found.layer.plan.workload}: {found.kind}: {found.change}")
    print(fault_table(outcomes, KINDS, "fault of a plan"))
    return int(any(result == "missed" for _, result in outcomes))


if __name__ == "__main__":
    sys.exit(main())
