"""LLVM IR of generated routines evaluated on numbers of a prime field: what it stores, at given integers.

Instructions are those that routines are written in: addresses, loads and stores of float32 and of their
vectors, shuffles, arithmetic, comparisons of integers, and jumps.
"""

from __future__ import annotations

import operator
import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .elements import PlanError, Uncovered
from .prime_field import DRAWS, PRIME, UNKNOWN, Uninterpreted, constant

MOST_STEPS = 1 << 22
"""Routines that take more instructions do not end."""
BITS = {"true": "1", "false": "0"}
COMPARED: Mapping[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq, "ne": operator.ne, "slt": operator.lt, "sle": operator.le, "sgt": operator.gt,
    "sge": operator.ge, "ult": operator.lt, "ule": operator.le, "ugt": operator.gt, "uge": operator.ge,
}  # fmt: skip
ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "and": operator.and_, "or": operator.or_,
    "fadd": operator.add, "fsub": operator.sub, "fmul": operator.mul,
}  # fmt: skip


@dataclass(frozen=True)
class Place:
    """An element of memory: numbers [DRAWS, elements], and which."""

    memory: np.ndarray
    offset: int


class IrEvaluation:
    """One function of LLVM IR.

    Args:
        text: The function, whose definition comes first.
        functions: What comparisons of floats and what chooses by them are made of.
    """

    def __init__(self, text: str, functions: Uninterpreted) -> None:
        self._functions = functions
        signature, *lines = text[text.index("define") :].splitlines()
        self.parameters = re.findall(r"(%[\w.]+)", signature.partition("(")[2])
        self._blocks: dict[str, list[str]] = {}
        label = ""
        for line in map(str.strip, lines):
            if line == "}":
                break
            if line.endswith(":"):
                label = f"%{line[:-1]}"
                self._blocks[label] = []
            else:
                self._blocks[label].append(line.partition(", !")[0])

    def run(self, arguments: list[Place | int]) -> None:
        """Evaluate the function. Raises PlanError or Uncovered."""
        self._values: dict[str, Any] = dict(zip(self.parameters, arguments, strict=True))
        block, before, steps = "%entry", "", 0
        while block:
            jump = ""
            for line in self._blocks[block]:
                steps += 1
                if line.startswith(("br ", "ret ")):
                    jump = self._jump(line)
                else:
                    self._step(line, before)
            if steps > MOST_STEPS:
                raise Uncovered("a routine of so many instructions")
            before, block = block, jump

    def _jump(self, line: str) -> str:
        labels = re.findall(r"label (%[\w.]+)", line)
        if len(labels) == 2:
            condition = line.removeprefix("br i1 ").partition(",")[0]
            return labels[0] if self._operand(condition, "i1") else labels[1]
        return labels[0] if labels else ""

    def _step(self, line: str, before: str) -> None:
        name, _, text = line.partition(" = ") if line.startswith("%") else ("", "", line)
        operation, _, rest = text.partition(" ")
        visit = getattr(self, f"_{operation}", None)
        if operation == "phi":
            result = next(
                self._operand(value, rest.partition(" ")[0])
                for value, label in re.findall(r"\[ (\S+), (\S+) \]", rest)
                if label == before
            )
        elif operation in ARITHMETIC:
            result = self._arithmetic(operation, rest)
        elif visit is not None:
            result = visit(rest)
        else:
            raise Uncovered(f"LLVM's {operation}")
        if name:
            self._values[name] = result

    # ---- operands

    def _operand(self, text: str, kind: str) -> Any:
        """Return what an operand of a type is."""
        text = text.strip()
        if text.startswith("%"):
            return self._values[text]
        count = _count(kind)
        if kind.endswith("float>") or kind == "float":
            if text in ("zeroinitializer", "poison", "undef"):
                return np.full((DRAWS, count), 0 if text == "zeroinitializer" else UNKNOWN)
            found = [_constant(each) for each in re.findall(r"float (\S+?)(?:,|>|$)", text) or [text]]
            return np.broadcast_to(np.array(found), (DRAWS, count))
        if kind.startswith("<"):
            if text in ("zeroinitializer", "poison", "undef"):
                return np.zeros(count, np.int64)
            return np.array([int(BITS.get(each, each)) for each in re.findall(r"i\d+ (-?\w+)", text)])
        return int(BITS.get(text, text))

    def _typed(self, text: str) -> list[Any]:
        """Return the values of operands that each have their type before them."""
        return [self._operand(value, kind) for kind, value in map(_with_type, _commas(text))]

    # ---- instructions

    def _arithmetic(self, operation: str, rest: str) -> Any:
        rest = re.sub(r"^(?:(?:nuw|nsw|fast|reassoc|nnan|ninf|nsz|arcp|contract|afn) )*", "", rest)
        kind, left, right = _binary(rest)
        a, b = self._operand(left, kind), self._operand(right, kind)
        if not operation.startswith("f"):
            return ARITHMETIC[operation](a, b)
        return _where_known(ARITHMETIC[operation](a, b) % PRIME, a, b)

    def _icmp(self, rest: str) -> Any:
        predicate, _, rest = rest.partition(" ")
        kind, left, right = _binary(rest)
        a, b = self._operand(left, kind), self._operand(right, kind)
        if predicate.startswith("u"):
            a, b = (np.asarray(x, np.int64).astype(np.uint64) for x in (a, b))
        result = COMPARED[predicate](a, b)
        return result if kind.startswith("<") else int(bool(result))

    def _fcmp(self, rest: str) -> Any:
        predicate, _, rest = rest.partition(" ")
        kind, left, right = _binary(rest)
        return ("fcmp", predicate, self._operand(left, kind), self._operand(right, kind))

    def _select(self, rest: str) -> Any:
        condition, yes, no = self._typed(rest)
        if not isinstance(condition, tuple):
            if isinstance(condition, np.ndarray):
                return np.where(condition, yes, no)
            return yes if condition else no
        # What is chosen by a comparison of floats is the larger or the smaller of the two.
        _, predicate, a, b = condition
        larger = predicate[1] == "g"
        same_order = np.array_equal(yes, a) and np.array_equal(no, b)
        if not same_order and not (np.array_equal(yes, b) and np.array_equal(no, a)):
            raise Uncovered("a choice that is neither a maximum nor a minimum")
        operands = (a, b)
        is_maximum = larger == same_order
        return self._functions.of("max" if is_maximum else "min", *operands)

    def _alloca(self, kind: str) -> Place:
        match = re.match(r"\[(\d+) x (<.*>)\]", kind)
        elements = int(match[1]) * _count(match[2]) if match else _count(kind.partition(",")[0])
        return Place(np.full((DRAWS, elements), UNKNOWN), 0)

    def _getelementptr(self, rest: str) -> Place:
        kind, *others = _commas(rest.removeprefix("inbounds "))
        place, index = self._typed(", ".join(others))
        return Place(place.memory, place.offset + _count(kind) * index)

    def _load(self, rest: str) -> np.ndarray:
        kind, _, pointer = rest.partition(", ptr ")
        place = self._operand(pointer.partition(",")[0], "ptr")
        return place.memory[:, self._elements(place, _count(kind))]

    def _store(self, rest: str) -> None:
        value, _, pointer = rest.partition(", ptr ")
        kind, text = _with_type(value)
        place = self._operand(pointer.partition(",")[0], "ptr")
        place.memory[:, self._elements(place, _count(kind))] = self._operand(text, kind)

    @staticmethod
    def _elements(place: Place, count: int) -> slice:
        if place.offset < 0 or place.offset + count > place.memory.shape[1]:
            raise PlanError(f"elements {place.offset} to {place.offset + count} are outside of an operand")
        return slice(place.offset, place.offset + count)

    def _shufflevector(self, rest: str) -> np.ndarray:
        a, b, places = self._typed(rest)
        return np.concatenate([a, b], axis=-1)[..., places]

    def _insertelement(self, rest: str) -> np.ndarray:
        vector, element, at = self._typed(rest)
        vector = np.array(vector)
        vector[..., at] = np.asarray(element)[..., 0] if vector.ndim == 2 else element
        return vector

    def _extractelement(self, rest: str) -> np.ndarray:
        vector, at = self._typed(rest)
        return vector[..., at : at + 1]

    def _call(self, rest: str) -> Any:
        match = re.match(r"(?:void|<\d+ x float>|float) @llvm\.(\w+(?:\.load|\.store)?)\S*?\((.*)\)$", rest)
        if match is None:
            raise Uncovered(f"LLVM's call {rest}")
        operands = self._typed(re.sub(r"ptr align \d+", "ptr", match[2]))
        if match[1] in ("fmuladd", "fma"):
            a, b, c = operands
            return _where_known((a * b + c) % PRIME, a, b, c)
        if match[1] == "masked.load":
            place, mask, otherwise = operands
            active = np.flatnonzero(mask)
            result = np.array(otherwise)
            result[:, active] = place.memory[:, self._masked(place, active)]
            return result
        if match[1] == "masked.store":
            value, place, mask = operands
            active = np.flatnonzero(mask)
            place.memory[:, self._masked(place, active)] = value[:, active]
            return None
        raise Uncovered(f"LLVM's {match[1]}")

    @staticmethod
    def _masked(place: Place, active: np.ndarray) -> np.ndarray:
        at = place.offset + active
        if active.size and (at[0] < 0 or at[-1] >= place.memory.shape[1]):
            raise PlanError(f"elements {at[0]} to {at[-1]} are outside of an operand")
        return at


def _where_known(result: np.ndarray, *operands: np.ndarray) -> np.ndarray:
    """Return a result, unknown where an operand is."""
    unknown = np.zeros(result.shape, bool)
    for operand in operands:
        unknown |= operand == UNKNOWN
    return np.where(unknown, UNKNOWN, result)


def _constant(text: str) -> int:
    """Return what a float's text, its bits as a double or a decimal, stands for."""
    return constant(struct.unpack(">d", bytes.fromhex(text[2:]))[0] if text.startswith("0x") else float(text))


def _count(kind: str) -> int:
    """Return the elements of a type."""
    match = re.match(r"<(\d+) x", kind)
    return int(match[1]) if match else 1


def _commas(text: str) -> list[str]:
    """Return the parts of a text between commas that are not in brackets."""
    parts, depth, start = [], 0, 0
    for at, each in enumerate(text):
        depth += (each in "<[(") - (each in ">])")
        if each == "," and not depth:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


def _with_type(text: str) -> tuple[str, str]:
    """Return the type and the value of an operand."""
    match = re.fullmatch(r"(<[^>]*>|\[.*?\]|\w+)\s+(.*)", text)
    if match is None:
        raise Uncovered(f"LLVM's operand {text}")
    return match[1], match[2]


def _binary(rest: str) -> tuple[str, str, str]:
    """Return the type and both operands of an operation of two."""
    first, right = _commas(rest)
    return *_with_type(first), right
