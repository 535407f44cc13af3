"""Shows what tests catch: makes seeded faults in the source, one at a time, and runs tests on each.

    python tests/mutations.py tvm_directconv/algorithms tests/algorithms --count 20 --results old.jsonl

The faults are those that people make: an offset that is one too large, a comparison that is off by one, an
axis taken for another, operands that changed places, a branch turned around, a call left out of what it
wraps. A fault is caught where a test fails, or where the tests take longer than ``--limit``.

The source is mutated in a copy of the checkout, so that work can go on in it meanwhile. The same seed gives
the same faults, and ``--tests-of`` takes the tests from another checkout: two sets of tests are compared by

    python tests/mutations.py --compare old.jsonl new.jsonl
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("intrinsics", "tvm_directconv", "relay_strategies")
FLIPPED: dict[type[ast.AST], Callable[[], ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
}
OUTCOMES = ("refuted", "equivalent", "missed")
"""What proofs say of faults in what is compiled (kernel_mutations.py, plan_mutations.py)."""
SAME = ("min", "max", "tuple", "list", "sorted", "set", "str", "isinstance", "range")
"""Calls of these would mean the same, or fail at once."""


@dataclass(frozen=True)
class Mutation:
    """One fault: its kind, and the source text that takes the place of another in a file."""

    file: str
    line: int
    kind: str
    before: str
    after: str
    span: tuple[int, int]


def mutations_of(path: Path) -> Iterator[Mutation]:
    """Every fault that a file of the source can have."""
    text = path.read_bytes()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def found(kind: str, node: ast.expr, other: ast.AST) -> Mutation:
        assert node.end_lineno is not None and node.end_col_offset is not None
        first = starts[node.lineno - 1] + node.col_offset
        last = starts[node.end_lineno - 1] + node.end_col_offset
        before, after = text[first:last].decode(), f"({ast.unparse(other)})"
        return Mutation(str(path.relative_to(ROOT)), node.lineno, kind, before, after, (first, last))

    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, ast.FunctionDef):
            continue
        # What stands before the body (decorators, annotations, defaults) is left as it is.
        for node in (inner for statement in function.body for inner in ast.walk(statement)):
            if isinstance(node, ast.BinOp) and type(node.op) in FLIPPED:
                flipped = FLIPPED[type(node.op)]()
                yield found("operator", node, ast.BinOp(node.left, flipped, node.right))  # type: ignore[arg-type]
                yield found("offset", node, ast.BinOp(node, ast.Add(), ast.Constant(1)))
                if isinstance(node.op, (ast.Sub, ast.FloorDiv, ast.Mod)):
                    yield found("swapped operands", node, ast.BinOp(node.right, node.op, node.left))
            elif isinstance(node, ast.Compare) and type(node.ops[0]) in FLIPPED and len(node.ops) == 1:
                operators = [FLIPPED[type(node.ops[0])]()]
                yield found("off by one", node, ast.Compare(node.left, operators, node.comparators))  # type: ignore[arg-type]
            elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
                index = node.slice.value
                if index in (0, 1) and not isinstance(node.ctx, ast.Store):
                    other = ast.Subscript(node.value, ast.Constant(1 - index), ast.Load())
                    yield found("axis", node, other)
            elif isinstance(node, ast.IfExp):
                yield found("branch", node, ast.IfExp(node.test, node.orelse, node.body))
            elif isinstance(node, ast.Call) and not node.keywords and ast.unparse(node.func) not in SAME:
                if len(node.args) == 1 and isinstance(node.args[0], (ast.Call, ast.BinOp)):
                    yield found("dropped call", node, node.args[0])
                elif len(node.args) == 2 and not any(isinstance(each, ast.Starred) for each in node.args):
                    yield found("swapped operands", node, ast.Call(node.func, node.args[::-1], []))


def drawn(room: str, count: int, seed: int) -> list[Mutation]:
    """So many faults of a file or folder, as many of each kind as there are."""
    at = ROOT / room
    files = sorted(at.rglob("*.py")) if at.is_dir() else [at]
    kinds: dict[str, list[Mutation]] = {}
    for mutation in (each for file in files for each in mutations_of(file)):
        kinds.setdefault(mutation.kind, []).append(mutation)
    rng, chosen = random.Random(seed), list[Mutation]()
    while len(chosen) < count and any(kinds.values()):
        for found in kinds.values():
            if found and len(chosen) < count:
                chosen.append(found.pop(rng.randrange(len(found))))
    return chosen


def outcome(mutation: Mutation, tests: list[str], checkout: Path, limit: float) -> str:
    """What tests say of a fault: the first that fails, or that they all pass."""
    file = checkout / mutation.file
    original = file.read_bytes()
    first, last = mutation.span
    file.write_bytes(original[:first] + mutation.after.encode() + original[last:])
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=checkout, env=environment, capture_output=True, text=True, timeout=limit
        )
    except subprocess.TimeoutExpired:
        return "caught: out of time"
    finally:
        file.write_bytes(original)
    if done.returncode == 0:
        return "missed"
    failures = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return f"caught: {failures[0] if failures else done.stdout[-200:]}"


def compare(old: Path, new: Path) -> int:
    """Print the faults that one set of tests caught and the other did not."""
    before, after = (
        {(r["file"], *r["span"], r["after"]): r for r in map(json.loads, path.read_text().splitlines())}
        for path in (old, new)
    )
    both = before.keys() & after.keys()
    lost = [key for key in both if before[key]["outcome"] != "missed" and after[key]["outcome"] == "missed"]
    caught = [sum(side[key]["outcome"] != "missed" for key in both) for side in (before, after)]
    print(f"{len(both)} faults in both: {caught[0]} caught before, {caught[1]} now, {len(lost)} no longer")
    for key in sorted(lost):
        print(f"{key[0]}:{before[key]['line']} {before[key]['kind']}: {before[key]['before']} -> {key[-1]}")
    return bool(lost)


def fault_table(outcomes: Counter[tuple[str, str]], kinds: Sequence[str], title: str = "fault") -> str:
    """The numbers of faults by kind and outcome, as a table in Markdown."""
    rows = [f"| {title} | drawn | refuted | equivalent | missed |", "|---|---|---|---|---|"]
    for kind in [*kinds, "all"]:
        found = [
            sum(n for (k, o), n in outcomes.items() if kind in (k, "all") and o == each) for each in OUTCOMES
        ]
        rows.append(f"| {kind} | {sum(found)} | {' | '.join(map(str, found))} |")
    return "\n".join(rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("room", nargs="?", help="the file or folder of the source whose faults are made")
    parser.add_argument("tests", nargs="*", help="arguments of pytest: what is run on each")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=1800, help="seconds for the tests of a fault")
    parser.add_argument("--tests-of", type=Path, default=ROOT, help="the checkout that has the tests")
    parser.add_argument("--results", type=Path, help="a file that gets a line of JSON for each")
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("OLD", "NEW"))
    given = parser.parse_args()
    if given.compare:
        return compare(*given.compare)
    if not given.room or not given.tests:
        parser.error("name a room and its tests")
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder)
        for package in PACKAGES:
            shutil.copytree(ROOT / package, checkout / package)
        shutil.copytree(given.tests_of / "tests", checkout / "tests")
        shutil.copy(given.tests_of / "pyproject.toml", checkout)
        for mutation in drawn(given.room, given.count, given.seed):
            said = outcome(mutation, given.tests, checkout, given.limit)
            print(f"{mutation.file}:{mutation.line} {mutation.kind}: {mutation.before} -> {mutation.after}")
            print(f"    {said}", flush=True)
            if given.results:
                with given.results.open("a") as file:
                    file.write(json.dumps({**asdict(mutation), "outcome": said}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
