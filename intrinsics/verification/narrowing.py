"""What is stored of a float32: bytes, float16 and bfloat16, as code narrows them.

A byte is the nearest integer plus the zero point. Instructions that narrow may saturate, and then do what a
last clip of the epilogue says, which code leaves out where they do all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from intrinsics.epilogue import Clip, Step, joined

from .specification import Specification
from .terms import Terms

RANGES = {"u8": (0, 255), "s8": (-128, 127)}
NESTED = ("cat", "byte", "select", "or", "orn")
INTEGERS_FROM, SMALL = 0x4B400000, 1 << 21
"""The bits of 1.5 * 2^23, and what may be added to that."""
NOT_A_NUMBER = 0x7FC00000
WORDS = (-(1 << 15), (1 << 15) - 1)


@dataclass(frozen=True)
class Narrowed:
    """A byte of code: the float32 that was made an integer, what was added to that, and the ranges that it
    was saturated to in order, read as unsigned first or not."""

    value: int
    added: int
    ranges: tuple[tuple[int, int], ...]
    unsigned: bool
    by_sum: bool = False
    """Whether it was made an integer by a sum that is right for small numbers only."""


def narrowed_byte(terms: Terms, term: int) -> Narrowed | None:
    """Return what a byte is of; None if it is not of that form."""
    ranges: list[tuple[int, int]] = []
    if terms.nodes[term][0] == "byte" and terms.nodes[term][2:] == (0, 4):
        return _made_integer(terms, terms.nodes[term][1], (), False)
    while True:
        node = terms.nodes[term]
        if node[0] not in ("sat", "wrap") or (node[0] == "wrap" and ranges):
            return None
        if len(node[1]) != 1 or node[1][0][1] != 1 or len(node[1][0][0]) != 1:
            return None
        kind, inner, bits = terms.nodes[node[1][0][0][0]]
        if node[0] == "sat":
            ranges.insert(0, (node[2], node[3]))
        if bits == 32:
            break
        if kind != "s" or bits != 16 or node[0] == "wrap":
            return None
        term = inner
    return _made_integer(terms, inner, tuple(ranges), kind == "u")


def _made_integer(
    terms: Terms, term: int, ranges: tuple[tuple[int, int], ...], unsigned: bool
) -> Narrowed | None:
    """What 32 bits are of, from which ranges narrow; where these count, of a conversion whose overflow gives
    -2^31."""
    node, added = terms.nodes[term], 0
    if node[0] == "sum":
        parts = dict(node[1])
        added = parts.pop((), 0)
        if len(parts) != 1:
            return None
        ((product, factor),) = parts.items()
        atom = terms.nodes[product[0]]
        if len(product) != 1 or factor != 1 or atom[0] not in ("s", "u") or atom[2] != 32:
            return None
        node = terms.nodes[atom[1]]
    if node[0] == "add" and not ranges and terms.constant(INTEGERS_FROM) in node[1:]:
        # Floats are one apart beside that number: adding it rounds to even, into the low bits.
        value = node[2] if node[1] == terms.constant(INTEGERS_FROM) else node[1]
        return Narrowed(value, _wrapped(added + INTEGERS_FROM), ranges, unsigned, by_sum=True)
    if node[0] != "rint" and (node[0] != "rints" or ranges):
        return None
    return Narrowed(node[1], _wrapped(added), ranges, unsigned)


def _wrapped(number: int) -> int:
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)


def steps_left(of: Specification, narrowed: Narrowed) -> tuple[Step, ...] | None:
    """Return the epilogue's steps that the float32 must have had, in view of what saturation does; None where
    the code's saturation is not what the name says."""
    steps, zero = of.instance.epilogue.steps, of.instance.zero
    least, most = (bound - zero for bound in RANGES[of.destination])
    last = steps[-1] if steps else None
    clip = last if isinstance(last, Clip) else Clip()
    inside = clip.low >= least and clip.high <= most
    small = isinstance(last, Clip) and clip.low >= -SMALL and clip.high <= SMALL
    if narrowed.added != zero or (narrowed.by_sum and not small):
        return None
    if not narrowed.ranges:
        return steps
    if narrowed.unsigned:
        # What overflows as it is made an integer, or is a NaN, is at least 2^31 as unsigned: the greatest.
        if narrowed.ranges != ((0, 255),) or of.destination != "u8" or not (0 <= zero <= 255):
            return None
        return (*joined([*steps[:-1], Clip(clip.low)]),) if inside and clip.high == most else None
    if narrowed.ranges != (WORDS, RANGES[of.destination]) or not inside:
        return None
    # What overflows is -2^31, from which a negative zero point would lead to the greatest integers.
    if clip.low == least and 0 <= zero <= 255:
        return (*joined([*steps[:-1], Clip(high=clip.high)]),)
    return steps


def bfloat16_candidates(terms: Terms, term: int, sums_of: Callable[[int], Sequence[int]]) -> list[int]:
    """Return the float32 that a term may be the nearest bfloat16 of: the operand of an instruction that
    narrows, or of arithmetic on its bits that rounds to even and keeps a NaN one."""
    node = terms.nodes[term]
    if node[0] == "bf16":
        return [node[1]]
    if node == ("const", 0, 2):
        return [terms.constant(0)]
    for value in _nans_in(terms, term, 6):
        if any(term in rounded_by_arithmetic(terms, value, rounded) for rounded in sums_of(value)):
            return [value]
    return []


def rounded_by_arithmetic(terms: Terms, value: int, rounded: int) -> tuple[int, ...]:
    """Return the terms of the upper half of ``rounded``, and of ones where ``value`` is a NaN."""
    nan, zero = terms.make("isnan", value), terms.constant(0, 1)
    upper = terms.join((*terms.bytes_of(rounded, 4)[2:], zero, zero))
    chosen = terms.make("select", nan, terms.constant(-1), upper)
    either = terms.make("or", min(nan, rounded), max(nan, rounded))
    # Arm adds -1, and 0x8000, where the last bit that stays is zero.
    node = terms.nodes[value]
    moved = terms.constant(node[1] << 15) if node[0] == "const" else terms.make("shl", value, 15, 4)
    even = terms.make("nonnegative", moved)
    sums, number = terms.make("raddhn", value, even), terms.make("ordered", value)
    of_arm = [
        terms.make("orn", terms.make("byte", sums, at, 2), terms.make("byte", number, at, 4))
        for at in range(2)
    ]
    # RISC-V merges a NaN's bits with the sum, and takes the upper half of either.
    merged = terms.make("select", nan, terms.constant(NOT_A_NUMBER), rounded)
    return (
        terms.join(terms.bytes_of(merged, 4)[2:]),
        terms.split(chosen, 4, 2)[0],
        terms.join(terms.bytes_of(either, 4)[2:]),
        terms.join(tuple(of_arm)),
    )


def _nans_in(terms: Terms, term: int, depth: int) -> Sequence[int]:
    """Values that a term asks of whether they are NaN."""
    node = terms.nodes[term]
    if node[0] in ("isnan", "ordered"):
        return [node[1]]
    if depth == 0 or node[0] in ("const", "ld", "sum", "iadd"):
        return []
    found: list[int] = []
    for operand in node[1:]:
        if isinstance(operand, int) and 0 <= operand < len(terms.nodes) and node[0] in NESTED:
            found += _nans_in(terms, operand, depth - 1)
            if node[0] in ("byte", "select") or found:
                break
    return found
