"""A schedule for any TE-made function that has none: what LegalizeOps leaves behind and FuseTIR has fused.

A rule is one schedule primitive or a few, tried on a copy of the schedule and dropped if TVM refuses it, so
the result is the function itself in the worst case and always computes the same. The rules: element-wise
stages are inlined into their consumers as long as expressions stay small, and computed a vector at a time
beside them where not; long reductions along the last axis are split into one partial result per lane; spatial
loops that are contiguous in memory become vectors; outer loops run in parallel where there is enough data.
Calls that LLVM would leave to libm become vector code (``vector_calls``). Other stages keep the buffer in
between that the function came with; nothing is added but the partial results of split reductions.
"""

from __future__ import annotations

import abc
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tvm import s_tir, tirx
from tvm.s_tir.dlight import ScheduleRule
from tvm.sym import Analyzer
from tvm.target import Target
from tvm_ffi import structural_walk

from tvm_directconv.errors import let_through
from tvm_directconv.problem.extents import magnitude

from .builder import PARALLEL_BYTES
from .contiguity import contiguous, is_known, runs_along, typical_size
from .open_reductions import with_begun_reductions
from .stages import (
    BRANCH,
    called,
    divides_by,
    has_vectors,
    is_costly,
    is_injective,
    loads_of,
    nodes_of,
    traffic_of,
    volume_of,
)
from .vector_calls import with_vector_calls
from .vector_tails import with_tails

if TYPE_CHECKING:
    from tvm.s_tir.schedule import LoopRV, SBlockRV

    from tvm_directconv.targets.target import CompileTarget

PARALLEL_TASKS = 64
"""Outer loops are fused until they have this many iterations, enough for the cores of a large machine."""
EXPRESSION_NODES = 512
"""A stage is not inlined into an expression that would have more nodes, those of indices included: a value
that is used twice at every step of a chain would be written out twice as often at each."""
ARGUMENT_NODES = 32
"""Most nodes of an expression that a costly function's argument is inlined into. Each reads its argument at
many places, and TVM's code generator writes it out at all of them when it simplifies what variables stand
for."""
SIMPLE_NODES = 64
"""LLVM makes vectors of loops over expressions of so many nodes itself, with a remainder."""
CHUNK_ROUNDS = 256
"""A thread computes so many vectors together where a loop is vectors and a tail."""
MIN_PARTIAL_RESULTS = 4
MIN_ROUNDS = 4
"""A reduction is split into partial results if each of them still sums up this many elements."""


class DefaultSchedule(ScheduleRule):
    """The rule for ``target``'s CPU; it declines functions that are scheduled.

    ``rules`` are tried on each block, in order, after element-wise blocks were inlined.
    """

    def __init__(self, target: CompileTarget, rules: Sequence[BlockRule] | None = None) -> None:
        self._lanes = max(1, target.machine.vector_bits // 32)
        self._rules = RULES if rules is None else rules

    def apply(
        self, func: tirx.PrimFunc, target: Target | None = None, tunable: bool = False
    ) -> s_tir.Schedule | None:
        if not _is_unscheduled(func):
            return None
        schedule = s_tir.Schedule(func)
        for block in schedule.get_child_blocks(schedule.get_sblock("root")):
            schedule = _first_accepted(schedule, block, self._lanes, [Inline()])
        # Consumers come first: what is computed beside one goes into its loops.
        for block in reversed(schedule.get_child_blocks(schedule.get_sblock("root"))):
            schedule = _first_accepted(schedule, block, self._lanes, self._rules)
        # Code of calls binds variables, which a tail would bind again.
        return s_tir.Schedule(with_vector_calls(with_tails(with_begun_reductions(schedule))))


def schedule_default(func: tirx.PrimFunc, target: CompileTarget) -> tirx.PrimFunc:
    """``func`` scheduled for ``target``'s CPU; unchanged if it is scheduled already.

    Parameters and results stay as they are, up to the rounding of reductions.
    """
    schedule = DefaultSchedule(target).apply(func)
    return func if schedule is None else schedule.mod["main"]


class BlockRule(abc.ABC):
    """A way to schedule one block."""

    @abc.abstractmethod
    def apply(self, schedule: s_tir.Schedule, block: SBlockRV, lanes: int) -> s_tir.Schedule | None:
        """``schedule`` with the block scheduled, for vectors of ``lanes`` float32; None where the block is
        not one for this rule. It may raise whatever TVM's primitives raise, and leave its argument half
        done."""


def _first_accepted(
    schedule: s_tir.Schedule, block: SBlockRV, lanes: int, rules: Sequence[BlockRule]
) -> s_tir.Schedule:
    """The schedule after the first rule that does not decline and that TVM accepts, or as it was."""
    for rule in rules:
        try:
            scheduled = rule.apply(schedule.copy(), block, lanes)
        except Exception as error:  # Every primitive has refusals of its own; none of them is an error here.
            let_through(error)
            continue
        if scheduled is not None:
            return scheduled
    return schedule


class Inline(BlockRule):
    """Computes an element-wise stage inside its consumers, unless that repeats or hampers real work, makes an
    expression too large, or lets TVM see a division by what it simplifies to zero, which it refuses."""

    def apply(self, schedule: s_tir.Schedule, block: SBlockRV, lanes: int) -> s_tir.Schedule | None:
        stage = schedule.get(block)
        consumers = [schedule.get(consumer) for consumer in schedule.get_consumers(block)]
        if not consumers or not is_injective(stage):
            return None
        branches, costly = BRANCH in called(stage), is_costly(stage)
        for consumer in consumers:
            if divides_by(consumer, stage):
                return None
            uses = len(loads_of(consumer.body, stage))
            repeats = volume_of(consumer) > volume_of(stage) or len(consumers) > 1 or uses > 1
            if costly and (repeats or is_costly(consumer)):
                return None
            if not is_injective(consumer) and (branches or costly or volume_of(consumer) > volume_of(stage)):
                return None
            most = ARGUMENT_NODES if is_costly(consumer) else EXPRESSION_NODES - nodes_of(consumer)
            if uses * nodes_of(stage) > most:
                return None
        schedule.compute_inline(block)
        return schedule


class Beside(BlockRule):
    """Computes a stage that was not inlined for one vector of its consumer at a time: nothing is stored but
    that vector, which LLVM keeps in a register."""

    def apply(self, schedule: s_tir.Schedule, block: SBlockRV, lanes: int) -> s_tir.Schedule | None:
        stage, consumer = schedule.get(block), _consumer_in_place(schedule, block)
        if consumer is None:
            return None
        loops = [schedule.get(loop) for loop in schedule.get_loops(consumer)]
        kinds = [loop.kind for loop in loops]
        vectorized = tirx.ForKind.VECTORIZED in kinds
        # The loop around the vector, or the one that other stages were put into already.
        shared = [depth for depth, loop in enumerate(loops, start=1) if isinstance(loop.body, tirx.SeqStmt)]
        depth = shared[-1] if shared else kinds.index(tirx.ForKind.VECTORIZED) if vectorized else len(loops)
        schedule.compute_at(block, schedule.get_loops(consumer)[depth - 1], preserve_unit_loops=True)
        own = [loop for loop in schedule.get_loops(block)[depth:] if _extent(schedule, loop) > 1]
        if vectorized and own and has_vectors(stage):
            schedule.vectorize(own[-1])
        return schedule


class Injective(BlockRule):
    """Vectors along the last axis, the outer loops parallel."""

    def apply(self, schedule: s_tir.Schedule, block: SBlockRV, lanes: int) -> s_tir.Schedule | None:
        stage, loops = schedule.get(block), _loops(schedule, block)
        if not loops or not is_injective(stage):
            return None
        loops = _side_by_side(schedule, block, _by_periods(schedule, stage, loops), lanes)
        while len(loops) > 1 and _extent(schedule, loops[-1]) == 1:
            loops.pop()
        traffic = traffic_of(stage, schedule.mod["main"])
        outer, vector = _vector_loop(schedule, stage, loops, lanes)
        if vector is None and _is_worth_a_tail(schedule, stage, outer, loops[-1], lanes, traffic):
            rounds = min(CHUNK_ROUNDS, -(-_extent(schedule, loops[-1]) // lanes))
            chunk, _, vector = schedule.split(loops[-1], [None, rounds, lanes])
            outer = [*outer, chunk]
        if vector is not None:
            schedule.vectorize(vector)
        _parallelize(schedule, outer, traffic)
        return schedule


class LongReduction(BlockRule):
    """Reduces along contiguous memory: one partial result per lane, combined at the end."""

    def apply(self, schedule: s_tir.Schedule, block: SBlockRV, lanes: int) -> s_tir.Schedule | None:
        stage = schedule.get(block)
        spatial, reduced = _split_by_kind(stage, _loops(schedule, block))
        if not reduced or not runs_along(stage, stage.iter_vars[-1].var):
            return None
        extent = _extent(schedule, reduced[-1])
        width = _whole_width(schedule, reduced[-1], lanes)
        if width < MIN_PARTIAL_RESULTS or extent < MIN_ROUNDS * width:
            return None
        _, inner = schedule.split(reduced[-1], [None, width])
        partial = schedule.rfactor(inner, factor_axis=len(spatial))
        if spatial:
            # The block's loops are then: its spatial ones, the partial results, unit loops, the reduction.
            place = schedule.get_loops(block)[len(spatial) - 1]
            schedule.compute_at(partial, place, preserve_unit_loops=True)
            own = schedule.get_loops(partial)[len(spatial) :]
            vector, rounds = own[0], own[-len(reduced) :]
        else:
            *rounds, vector = schedule.get_loops(partial)
        schedule.reorder(*rounds, vector)
        _parallelize(schedule, schedule.get_loops(block)[: len(spatial)], traffic_of(stage))
        schedule.vectorize(vector)
        start = schedule.decompose_reduction(partial, rounds[0])
        schedule.vectorize(schedule.get_loops(start)[-1])
        return schedule


class StridedReduction(BlockRule):
    """Reduces vectors of outputs that are neighbours in memory, as in pooling."""

    def apply(self, schedule: s_tir.Schedule, block: SBlockRV, lanes: int) -> s_tir.Schedule | None:
        stage = schedule.get(block)
        spatial, reduced = _split_by_kind(stage, _loops(schedule, block))
        while spatial and _extent(schedule, spatial[-1]) == 1:
            spatial.pop()
        if not reduced or not spatial or not runs_along(stage, stage.iter_vars[len(spatial) - 1].var):
            return None
        outer, vector = _vector_loop(schedule, stage, spatial, lanes)
        schedule.reorder(*reduced, vector or spatial[-1])
        if vector is None:
            outer = spatial[:-1]
        _parallelize(schedule, outer, traffic_of(stage))
        if vector is not None:
            schedule.vectorize(vector)
        start = schedule.decompose_reduction(block, reduced[0])
        if vector is not None:
            schedule.vectorize(schedule.get_loops(start)[-1])
        return schedule


RULES: tuple[BlockRule, ...] = (Beside(), Injective(), LongReduction(), StridedReduction())
"""``DefaultSchedule`` tries these on a block, in this order."""


def _by_periods(schedule: s_tir.Schedule, stage: s_tir.SBlock, loops: list[LoopRV]) -> list[LoopRV]:
    """The loops, each split where what is read repeats along it, as tiles do: indices are without remainders.

    They cost more than a copy's loads, and LLVM 22 computes wrong addresses where it makes vectors of loops
    over two of them, one by a power of two.
    """
    split = []
    for loop, axis in zip(loops, stage.iter_vars, strict=True):
        remainders: list[tirx.FloorMod] = []
        structural_walk(stage.body, (tirx.FloorMod, remainders.append))
        periods = {int(r.b) for r in remainders if r.a.same_as(axis.var) and isinstance(r.b, tirx.IntImm)}
        for period in sorted(periods, reverse=True):
            if 1 < period < _extent(schedule, loop) and _whole_width(schedule, loop, period) == period:
                outer, loop = schedule.split(loop, [None, period])
                split.append(outer)
        split.append(loop)
    return split


def _side_by_side(schedule: s_tir.Schedule, block: SBlockRV, loops: list[LoopRV], lanes: int) -> list[LoopRV]:
    """The loops, the last of them one loop where rows are not whole vectors but all tensors have them side by
    side: vectors go on from one row to the next. What is computed beside a stage needs its rows as they are.
    """
    stage, extents = schedule.get(block), [_extent(schedule, loop) for loop in loops]
    if not all(isinstance(schedule.get(loop).extent, tirx.IntImm) for loop in loops):
        return loops
    if extents[-1] % lanes == 0 or not has_vectors(stage) or schedule.get_producers(block):
        return loops
    counts = [n for n in range(2, len(loops) + 1) if contiguous(stage, extents, n)]
    whole = [n for n in counts if math.prod(extents[-n:]) % lanes == 0]
    count = min(whole, default=max(counts, default=1))
    return loops if count == 1 else [*loops[:-count], schedule.fuse(*loops[-count:])]


def _vector_loop(
    schedule: s_tir.Schedule, stage: s_tir.SBlock, loops: list[LoopRV], lanes: int
) -> tuple[list[LoopRV], LoopRV | None]:
    """Split the last loop into vectors where it divides: (loops outside, vector loop or None).

    Other lengths stay serial loops, which LLVM vectorizes with a remainder of its own.
    """
    if _whole_width(schedule, loops[-1], lanes) < lanes or lanes == 1 or not has_vectors(stage):
        return loops[:-1], None
    outer, vector = schedule.split(loops[-1], [None, lanes])
    return [*loops[:-1], outer], vector


def _is_worth_a_tail(
    schedule: s_tir.Schedule,
    stage: s_tir.SBlock,
    outer: Sequence[LoopRV],
    last: LoopRV,
    lanes: int,
    traffic: float,
) -> bool:
    """Return whether to make vectors and a tail of a loop: where LLVM makes no vectors by itself, or threads
    have nothing else to share."""
    extent = schedule.get(last).extent
    if lanes == 1 or not has_vectors(stage) or not isinstance(extent, tirx.IntImm) or extent < 2 * lanes:
        return False
    return nodes_of(stage) > SIMPLE_NODES or is_costly(stage) or (not outer and traffic >= PARALLEL_BYTES)


def _parallelize(schedule: s_tir.Schedule, loops: list[LoopRV], traffic: float) -> None:
    """Fuse the outermost loops into one parallel loop if the work is worth it."""
    if traffic < PARALLEL_BYTES or not loops:
        return
    count, tasks = 0, 1
    while count < len(loops) and tasks < PARALLEL_TASKS:
        tasks *= typical_size(schedule.get(loops[count]).extent)
        count += 1
    schedule.parallel(schedule.fuse(*loops[:count]) if count > 1 else loops[0])


def _loops(schedule: s_tir.Schedule, block: SBlockRV) -> list[LoopRV]:
    """The block's loops, one per axis in the order of the axes, as TE makes them; none if they are others."""
    loops = list(schedule.get_loops(block))
    return loops if len(loops) == len(schedule.get(block).iter_vars) else []


def _split_by_kind(stage: s_tir.SBlock, loops: list[LoopRV]) -> tuple[list[LoopRV], list[LoopRV]]:
    """Spatial loops and reduction loops; none where the block does not have them in this order."""
    kinds = [axis.iter_type for axis in stage.iter_vars]
    spatial = kinds.count(tirx.IterVar.DataPar)
    expected = [tirx.IterVar.DataPar] * spatial + [tirx.IterVar.CommReduce] * (len(kinds) - spatial)
    if kinds != expected:
        return [], []
    return loops[:spatial], loops[spatial:]


def _consumer_in_place(schedule: s_tir.Schedule, block: SBlockRV) -> SBlockRV | None:
    """The first consumer of a stage, if all of them take exactly the element that they compute; else None."""
    stage, consumers = schedule.get(block), list(schedule.get_consumers(block))
    if not consumers or not is_injective(stage):
        return None
    for consumer in map(schedule.get, consumers):
        axes = [axis.var for axis in consumer.iter_vars]
        regions = [r for r in consumer.reads if r.source.same_as(stage.writes[0].source)]
        for region in regions:
            indices = [dimension.min for dimension in region.region]
            same = len(indices) == len(axes) and all(i.same_as(v) for i, v in zip(indices, axes, strict=True))
            if not same or not is_injective(consumer):
                return None
    return consumers[0]


def _extent(schedule: s_tir.Schedule, loop: LoopRV) -> int:
    return magnitude(schedule.get(loop).extent)


def _whole_width(schedule: s_tir.Schedule, loop: LoopRV, most: int) -> int:
    """The largest divisor of ``most`` that divides a loop's extent, whatever open dimensions are."""
    extent = schedule.get(loop).extent
    if isinstance(extent, tirx.IntImm):
        return math.gcd(int(extent), most)
    analyzer, widths = Analyzer(), [width for width in range(most, 1, -1) if most % width == 0]
    return next((width for width in widths if analyzer.can_prove(extent % width == 0)), 1)


def _is_unscheduled(func: tirx.PrimFunc) -> bool:
    """Whether ``func`` is serial loops around blocks that hold no others, whose extents are numbers or
    expressions of open dimensions."""
    loops: list[tirx.For] = []
    blocks: list[s_tir.SBlock] = []
    structural_walk(func.body, (tirx.For, loops.append))
    structural_walk(func.body, (s_tir.SBlock, blocks.append))
    known = all(is_known(loop.extent) for loop in loops)
    serial = all(loop.kind == tirx.ForKind.SERIAL for loop in loops)
    inner = [block for block in blocks if block.name_hint != "root"]
    return known and serial and 0 < len(inner) == len(blocks) - 1
