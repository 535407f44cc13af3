"""Epilogue steps: as text, in kernels' names, joined, and as instructions on slots."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from steps import ACTIVATIONS, EPILOGUES, registered

from intrinsics.epilogue import (
    CODES,
    Clip,
    HardSwish,
    LeakyRelu,
    Operations,
    Program,
    Step,
    TileEpilogue,
    Value,
    joined,
    parse_codes,
    parse_step,
    program,
)
from intrinsics.microkernel import ROW, KernelInstance, MicroKernel
from tvm_directconv.problem.steps import numpy_steps

KINDS: dict[str, Callable[..., np.ndarray]] = {
    "maximum": np.maximum,
    "minimum": np.minimum,
    "add": np.add,
    "multiply": np.multiply,
    "multiply_add": lambda a, b, c: np.add(np.multiply(a, b), c),
    "divide": np.divide,
    "power_of_two": lambda a: (a.view(np.uint32) << np.uint32(23)).view(np.float32),
}
CONSTANTS_OF = {"divide": 0, "power_of_two": 0, "multiply_add": 2}
"""So many of an operation's operands, the last ones, may be constants; one of the others."""
FLOATS = st.floats(width=32, allow_nan=False)
FINITE = st.floats(width=32, allow_nan=False, allow_infinity=False)
SMALL = st.sampled_from([-2.0, -0.5, 0.0, 0.25, 1.0, 3.0])


@pytest.fixture(autouse=True, scope="module")
def more_steps() -> Iterator[None]:
    with registered():
        yield


@st.composite
def clips(draw: st.DrawFn) -> Clip:
    return Clip(*sorted((draw(FLOATS), draw(FLOATS))))


STEPS_DRAWN = clips() | st.builds(LeakyRelu, FINITE) | st.sampled_from([*ACTIVATIONS, HardSwish(0.25, 1.5)])


class Drawn(Step):
    """Any formula: each line is an operation of values before it, and constants."""

    name = "drawn"

    def __init__(self, lines: Sequence[tuple[str, list[int | float]]]) -> None:
        object.__setattr__(self, "lines", lines)

    def apply(self, x: Value, op: Operations[Value]) -> Value:
        values = [x]
        for kind, operands in self.lines:  # type: ignore[attr-defined]
            values.append(getattr(op, kind)(*(values[o] if isinstance(o, int) else o for o in operands)))
        return values[-1]

    def __repr__(self) -> str:
        return f"Drawn({self.lines})"  # type: ignore[attr-defined]


@st.composite
def formulas(draw: st.DrawFn) -> Drawn:
    lines: list[tuple[str, list[int | float]]] = []
    for before in range(1, draw(st.integers(1, 9)) + 1):
        value, kind = st.integers(0, before - 1), draw(st.sampled_from(sorted(KINDS)))
        values = {"divide": 2}.get(kind, 1)
        constants = CONSTANTS_OF.get(kind, 1)
        lines.append(
            (kind, [draw(value) for _ in range(values)] + [draw(value | SMALL) for _ in range(constants)])
        )
    return Drawn(lines)


def run(steps: Program, x: np.ndarray) -> np.ndarray:
    """The program on slots, of which all but the first hold nothing before they are written."""
    slots = [x] + [np.full_like(x, np.nan)] * (steps.slots - 1)
    for operation in steps.operations:
        operands = [slots[o] if isinstance(o, int) else np.float32(o) for o in operation.operands]
        slots[operation.target] = KINDS[operation.kind](*operands)
    return slots[0]


@given(drawn=st.lists(formulas() | STEPS_DRAWN, min_size=1, max_size=3))
def test_programs_compute_what_steps_say(drawn: list[Step]) -> None:
    x = np.linspace(-8, 8, 65, dtype=np.float32)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(run(program(drawn), x), numpy_steps(drawn, x))


@given(formula=formulas())
def test_programs_have_no_more_slots_than_values_live_at_once(formula: Drawn) -> None:
    """But for one into which the first of two constants goes."""
    lines = formula.lines  # type: ignore[attr-defined]
    # What is never used keeps its slot.
    ends = [len(lines) + 1] * (len(lines) + 1)
    two = [0] * (len(lines) + 1)
    for at, (_, operands) in enumerate(lines, 1):
        two[at] = int(sum(isinstance(o, float) for o in operands) > 1 and at < len(lines))
        for value in operands:
            if isinstance(value, int):
                ends[value] = at
    live = [
        sum(value <= at < ends[value] + two[at] for value in range(at + 1)) for at in range(len(lines) + 1)
    ]
    assert program([formula]).slots == max(live)


def test_constants_are_listed_once_in_order() -> None:
    steps = program([Clip(0.0, 6.0), HardSwish(), Clip(0.0, 6.0)])
    assert steps.constants == (0.0, 6.0, HardSwish().alpha, 0.5, 1.0)
    assert steps.slots == 2


def test_a_step_must_end_with_its_result() -> None:
    class Forgetful(Step):
        name = "forgetful"

        def apply(self, x: Value, op: Operations[Value]) -> Value:
            op.add(x, 1.0)
            return x

    with pytest.raises(ValueError, match="is not its result"):
        program([Forgetful()])


@given(step=STEPS_DRAWN)
def test_texts_parse_back(step: Step) -> None:
    assert parse_step(str(step)) == step
    assert "+" not in str(step)


@pytest.mark.parametrize(
    "text", ["swish", "clip", "clip(1)", "clip(1,2,3)", "hardswish(1)", "leakyrelu(x)", ""]
)
def test_texts_of_no_step_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="unknown part|is not"):
        parse_step(text)


@given(steps=st.lists(STEPS_DRAWN, max_size=4))
def test_codes_parse_back(steps: list[Step]) -> None:
    text = "".join(f"_{step.code}" for step in steps)
    assert re.fullmatch(CODES, text)
    assert list(parse_codes(text)) == steps


@pytest.mark.parametrize("text", ["_swish", "_clip", "_clip00000000", "_hardswish3f800000", "_leakyrelu3f80"])
def test_codes_of_no_step_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not an epilogue step"):
        parse_codes(text)


@pytest.mark.parametrize("steps", EPILOGUES, ids=lambda steps: "+".join(map(str, steps)))
def test_kernels_with_steps_are_named_by_them(steps: tuple[Step, ...]) -> None:
    kernel = MicroKernel(6, 16, ROW, "avx2")
    epilogue = TileEpilogue(True, True, steps=steps)
    instance = KernelInstance(kernel, 16, 1, 1, 16, 16, 16, (), epilogue)
    assert KernelInstance.parse(instance.name) == instance


@given(steps=st.lists(STEPS_DRAWN | st.just(Clip()), max_size=5))
def test_joined_steps_do_the_same(steps: list[Step]) -> None:
    x = np.linspace(-8, 8, 65, dtype=np.float32)
    together = joined(steps)
    assert not any(isinstance(a, Clip) and isinstance(b, Clip) for a, b in itertools.pairwise(together))
    assert Clip() not in together
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(numpy_steps(together, x), numpy_steps(steps, x))


def test_a_clip_without_numbers_between_its_bounds_is_refused() -> None:
    for low, high in ((1.0, 0.0), (math.nan, 1.0)):
        with pytest.raises(ValueError, match="is empty"):
            Clip(low, high)


def test_passes_share_an_epilogue() -> None:
    """The bias comes with the first pass over a tile, the rest with the last."""
    whole = TileEpilogue(True, True, steps=(HardSwish(), Clip(0.0)))
    first, between, last = (whole.of_pass(at == 0, at == 2) for at in range(3))
    assert first == TileEpilogue(bias=True)
    assert between == TileEpilogue()
    assert last == TileEpilogue(residual=True, steps=(HardSwish(), Clip(0.0)))
    assert whole.of_pass(True, True) == whole
    assert (whole.low, whole.high) == (0.0, math.inf)
